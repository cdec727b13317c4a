"""What a Python file of Chrono::SolidWorks makes, read from its text; nothing of it is run.

The exporter writes two kinds of statements, `name = chrono.Class(values)` and `name.method(values)`, a hundred
thousand of them in a large assembly. They are read here token by token, four times as fast as Python's parser; whether
anything else is Python at all is left to that parser, and its value counts as unknown.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cadbridge.readers.json_file import LARGEST_IN_JSON

VECTORS = ("ChVector3d", "ChVectorD", "ChQuaterniond", "ChQuaternionD")
FRAMES = ("ChFramed", "ChFrameD")
DEEPEST_CALLS = 60
"""Calls within one another. The exporter writes a vector in a frame in a call; Python's recursion ends near 1,000."""

_TOKEN = re.compile(
    r"'''|\"\"\"|[rRuUbBfF]{0,2}(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    r"|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*|#.*|\S"
)
"""The marks of a long string, a string, a number, a name with its dots, a comment, any other letter."""
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_PAIRS = tuple(_CLOSING.items())
_LONG = ("'''", '"""')
_WORDS: dict[str, Any] = {"True": True, "False": False, "None": None}


class _Mark:
    """A value that stands for none; messages show it by its words."""

    def __init__(self, words: str) -> None:
        self._words = words

    def __repr__(self) -> str:
        return self._words


_UNKNOWN = _Mark("a value that is not read")
_NOTHING = _Mark("nothing")


class _Name(str):
    """A name whose meaning is not looked up yet: a call of it may follow."""


@dataclass(eq=False)
class Made:
    """An object that the file makes: its class, and the arguments of each method called on it (the last call's)."""

    kind: str
    line: int
    calls: dict[str, list[Any]] = field(default_factory=dict)

    def numbers(self, method: str, count: int) -> np.ndarray | None:
        """`count` finite numbers of a method's first argument; None where they are not there."""
        value = (self.calls.get(method) or [None])[0]
        return array(value, count)


def array(value: Any, count: int) -> np.ndarray | None:
    """A vector of so many numbers; None where it is none."""
    if not isinstance(value, tuple) or len(value) != count:
        return None
    fits = all(isinstance(v, float) and abs(v) < LARGEST_IN_JSON for v in value)
    return np.array(value) if fits else None


def read_objects(text: str) -> dict[str, Made]:
    """What is made at the left margin of a file, by variable; a variable used again has its line added.

    SyntaxError, with its line, where the text is no Python; ValueError where calls nest too deep.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # paths of Windows in its strings look like escapes
        reader = _Reader()
        for line, tokens, lines in _statements(text):
            reader.take(line, tokens, lines)
    return reader.objects


def _statements(text: str) -> Iterator[tuple[int, list[str], list[str]]]:
    """The statements at the left margin: line, tokens, and lines as written. Blocks, whose way is unknown, are left."""
    tokens: list[str] = []
    lines: list[str] = []
    start, depth, mark = 0, 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        if not lines:
            # An indented line belongs to a block whose head was left out already.
            if not line or line[0] in " \t\r\f#@":
                continue
            tokens, start, depth = [], number, 0
        lines.append(line)
        if mark:
            _, ended, line = line.partition(mark)
            if not ended:
                continue
        more, mark = _tokens(line)
        tokens += more
        depth += sum(more.count(opening) - more.count(closing) for opening, closing in _PAIRS)
        if depth > 0 or mark or more[-1:] == ["\\"]:
            continue
        if tokens and tokens[-1] != ":":
            yield start, tokens, lines
        lines = []
    if lines:
        raise SyntaxError("the statement is never closed", ("", start, None, None))


def _tokens(line: str) -> tuple[list[str], str]:
    """The tokens of a line but for its comment, up to a long string that goes on; and the mark that will end that."""
    tokens = _TOKEN.findall(line)
    if tokens and tokens[-1][0] == "#":
        tokens.pop()
    marks = [i for i, token in enumerate(tokens) if token in _LONG] if "'''" in line or '"""' in line else []
    if len(marks) % 2 == 0:
        return tokens, ""
    return tokens[: marks[-1]], tokens[marks[-1]]


class _Reader:
    """The variables as they stand after each statement."""

    def __init__(self) -> None:
        self.objects: dict[str, Made] = {}
        self._current: dict[str, Any] = {}
        self._line = 0
        self._odd = False

    def take(self, line: int, tokens: list[str], lines: list[str]) -> None:
        """Take note of a statement."""
        self._line, self._odd = line, False
        second = tokens[1] if len(tokens) > 1 else ""
        if second == "=":
            # The added parenthesis ends the right-hand side as it ends the arguments of a call.
            self._assign(tokens[0], self._values(iter((*tokens[2:], ")"))))
        elif second == "(" and "." in tokens[0]:
            rest = iter(tokens[2:])
            values = self._values(rest)
            self._odd |= next(rest, None) is not None
            self._call(tokens[0], values)
        else:
            self._odd = True
        if self._odd:
            _refuse_unless_python("\n".join(lines), line)

    def _assign(self, name: str, values: list[Any]) -> None:
        made = values[0] if len(values) == 1 else _UNKNOWN
        self._current[name] = made
        self._odd |= made is _UNKNOWN
        if isinstance(made, Made):
            # A variable may be used again for another object; each keeps its own entry.
            self.objects[name if name not in self.objects else f"{name}@{self._line}"] = made

    def _call(self, dotted: str, values: list[Any]) -> None:
        name, _, method = dotted.rpartition(".")
        target = self._current.get(name)
        if isinstance(target, Made):
            target.calls[method] = values

    def _values(self, tokens: Iterator[str], closing: str = ")", depth: int = 0) -> list[Any]:
        """The values up to a closing parenthesis."""
        if depth > DEEPEST_CALLS:
            raise ValueError(f"calls nest deeper than {DEEPEST_CALLS} in line {self._line}")
        values: list[Any] = []
        waiting: Any = _NOTHING
        for token in tokens:
            if token == "," or token == closing:
                if waiting is not _NOTHING:
                    values.append(self._known(waiting))
                elif token == ",":
                    self._odd = True
                if token == closing:
                    return values
                waiting = _NOTHING
            elif token in _CLOSING:
                inner = self._values(tokens, _CLOSING[token], depth + 1)
                waiting = self._made(waiting, inner) if token == "(" else self._strange()
            else:
                waiting = self._literal(token) if waiting is _NOTHING else self._strange()
        self._odd = True
        return values

    def _strange(self) -> Any:
        self._odd = True
        return _UNKNOWN

    def _known(self, value: Any) -> Any:
        """What a name stands for, and any other value as it is."""
        return self._current.get(value, _UNKNOWN) if isinstance(value, _Name) else value

    def _made(self, name: Any, arguments: list[Any]) -> Any:
        """What a call makes: an object, or the numbers of a vector or frame."""
        if not isinstance(name, _Name):
            return self._strange()
        module, _, kind = name.rpartition(".")
        if module != "chrono":
            return _UNKNOWN
        return tuple(arguments) if kind in VECTORS or kind in FRAMES else Made(kind, self._line)

    def _literal(self, token: str) -> Any:
        first = token[0]
        if first.isdigit() or first in "+-.":
            try:
                return float(token)
            except ValueError:
                return self._strange()
        if token[-1] in "'\"" and len(token) > 1 and token not in _LONG:
            return self._string(token)
        if first.isalpha() or first == "_":
            return _WORDS[token] if token in _WORDS else _Name(token)
        return self._strange()

    def _string(self, token: str) -> Any:
        if token[0] in "'\"" and "\\" not in token:
            return token[1:-1]
        try:
            return ast.literal_eval(token)
        except (SyntaxError, ValueError):
            return self._strange()


def _refuse_unless_python(statement: str, line: int) -> None:
    """SyntaxError, with its line in the file, where a statement is no Python."""
    try:
        ast.parse(statement)
    except SyntaxError as error:
        raise SyntaxError(error.msg, ("", line - 1 + (error.lineno or 1), error.offset, error.text)) from None


def finite(value: Any) -> float | None:
    """A number of a machine; None where it is none."""
    return value if isinstance(value, float) and math.isfinite(value) else None
