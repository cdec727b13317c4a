"""Part 21 (ISO 10303-21) as text: entities by number, parsed when requested; and values written back.

Values are str, float, None ($), tuples, `Ref`, `Enumeration` (.T.), `Typed` (LENGTH_MEASURE(1.)) and `DERIVED` (*).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

_COMMENT = re.compile(rb"'[^']*'|/\*.*?\*/", re.DOTALL)
_ENTITY = re.compile(rb"#(\d{1,18})\s*=\s*((?:[^';]++|'[^']*')*+);")
_TOKEN = re.compile(
    r"'[^']*+(?:''[^']*+)*+'|[()$*]|#\d{1,18}(?!\d)|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
    r"|\.\w+\.|[A-Za-z_]\w*|\"[0-9A-Fa-f]*\"|[^\s,]"
)
"""A string, a mark, a reference, a number, an enumeration, a name, a binary; and any letter that is none of these.
Commas part them as blanks do."""
_ROW = re.compile(r"(CARTESIAN_POINT|DIRECTION)\s*\(\s*'([^']*)'\s*,\s*\(([-+.\dEe,\s]*)\)\s*\)\s*\Z")
"""The two types that most of a file is of, whole."""
_WORD = re.compile(rb"[A-Z][A-Z0-9_]*(?=\s*\()")
_X2 = re.compile(r"\\X2\\((?:[0-9A-Fa-f]{4})*+)\\X0\\")
_X4 = re.compile(r"\\X4\\((?:[0-9A-Fa-f]{8})*+)\\X0\\")
_X1 = re.compile(r"\\X\\([0-9A-Fa-f]{2})")
_S = re.compile(r"\\S\\(.)")
DEEPEST = 60
"""So deep may lists nest."""


def replaced(pattern: re.Pattern[bytes], by: Callable[[re.Match[bytes]], bytes], data: bytes) -> bytes:
    """`pattern.sub(by, data)`, which would keep two objects for each match until the end: a text may have millions."""
    done, at = bytearray(), 0
    for found in pattern.finditer(data):
        done += data[at : found.start()]
        done += by(found)
        at = found.end()
    done += data[at:]
    return bytes(done)


class Part21Error(ValueError):
    """The text of an entity is not Part 21."""


class Ref(int):
    """The number of another entity."""


@dataclass(frozen=True)
class Enumeration:
    """A value such as .T. or .UNLIMITED., without its dots."""

    name: str


@dataclass(frozen=True)
class Typed:
    """A value with its type, such as LENGTH_MEASURE(1.)."""

    type: str
    value: Any


class _Derived:
    """The value of an attribute that a subtype derives, written *."""


DERIVED = _Derived()

Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Entity:
    """An entity: its number and, by type name, the arguments; several names for a complex instance."""

    number: int
    parts: dict[str, Arguments]

    @property
    def type(self) -> str:
        """The name of a simple instance; of a complex one all names, joined by +."""
        return "+".join(self.parts)


class Text:
    """The entities of a Part 21 text."""

    def __init__(self, data: bytes) -> None:
        # Strings are matched as well, so that what looks like a comment within one stays.
        if b"/*" in data:
            data = replaced(_COMMENT, lambda m: m[0] if m[0].startswith(b"'") else b" ", data)
        self._raw: dict[int, bytes] = {int(number): raw for number, raw in _ENTITY.findall(data)}
        self._parsed: dict[int, Entity] = {}
        self._of_type: dict[bytes, list[int]] = {}
        for number, raw in self._raw.items():
            for word in _words(raw):
                self._of_type.setdefault(word, []).append(number)

    @property
    def highest(self) -> int:
        """The highest number of an entity, 0 where there is none."""
        return max(self._raw, default=0)

    def __contains__(self, number: object) -> bool:
        return number in self._raw

    def get(self, number: int) -> Entity:
        """An entity; Part21Error where there is none or it cannot be parsed."""
        if number not in self._parsed:
            if number not in self._raw:
                raise Part21Error(f"#{number} does not exist")
            self._parsed[number] = Entity(number, _parse(self._raw[number].decode("utf-8", "replace")))
        return self._parsed[number]

    def numbers_of(self, *types: str) -> list[int]:
        """The numbers of all entities that have one of the types, in the order of the file."""
        found = [self._of_type.get(t.encode(), []) for t in dict.fromkeys(types)]
        if sum(map(bool, found)) <= 1:
            return [n for numbers in found for n in numbers]
        wanted = {n for numbers in found for n in numbers}
        return [n for n in self._raw if n in wanted]

    def of(self, *types: str) -> Iterator[Entity]:
        """All entities that have one of the types and can be parsed."""
        for number in self.numbers_of(*types):
            try:
                yield self.get(number)
            except Part21Error:
                continue


def _words(raw: bytes) -> Iterable[bytes]:
    """The type of a simple instance, or all of a complex one (and of typed values in it)."""
    if raw[:1] != b"(":
        return (raw.partition(b"(")[0].rstrip(),)
    return dict.fromkeys(_WORD.findall(raw))


def _parse(text: str) -> dict[str, Arguments]:
    """The parts of an instance, simple or complex."""
    if (plain := _ROW.match(text)) is not None:
        with suppress(ValueError):
            return {plain[1]: (decode(plain[2]), tuple(map(float, plain[3].split(","))))}
    tokens = iter(_TOKEN.findall(text))
    parts: dict[str, Arguments] = {}
    word = next(tokens, "")
    complex_instance = word == "("
    if complex_instance:
        word = next(tokens, "")
    while _is_name(word):
        if next(tokens, "") != "(":
            raise Part21Error(f"{word} has no arguments")
        parts[word.upper()] = _list(tokens, 0)
        word = next(tokens, "")
    if not parts or word != (")" if complex_instance else "") or next(tokens, ""):
        raise Part21Error(f"{text[:40]!r} is not an instance")
    return parts


def _is_name(token: str) -> bool:
    return token[:1].isalpha() or token[:1] == "_"


def _list(tokens: Iterator[str], depth: int) -> Arguments:
    """What stands up to the closing parenthesis."""
    if depth > DEEPEST:
        raise Part21Error(f"lists nest deeper than {DEEPEST}")
    values: list[Any] = []
    pending: str | None = None
    for token in tokens:
        if token == ")":
            if pending is not None:
                raise Part21Error(f"{pending} has no value")
            return tuple(values)
        if token == "(":
            inner = _list(tokens, depth + 1)
            values.append(inner if pending is None else Typed(pending, inner[0] if len(inner) == 1 else inner))
            pending = None
        elif (read := _VALUES.get(token[0])) is not None:
            values.append(read(token))
        elif _is_name(token):
            pending = token.upper()
        else:
            raise Part21Error(f"{token!r} is not a value")
    raise Part21Error("a parenthesis is not closed")


def decode(text: str) -> str:
    """A string of Part 21 in Unicode."""
    text = text.replace("''", "'")
    if "\\" not in text:
        return text
    text = _X2.sub(lambda m: bytes.fromhex(m[1]).decode("utf-16-be", "replace"), text)
    text = _X4.sub(lambda m: bytes.fromhex(m[1]).decode("utf-32-be", "replace"), text)
    text = _X1.sub(lambda m: chr(int(m[1], 16)), text)
    text = _S.sub(lambda m: chr(ord(m[1]) + 128), text)
    return text.replace("\\\\", "\\")


def _number(token: str) -> float:
    try:
        return float(token)
    except ValueError:
        raise Part21Error(f"{token!r} is not a number") from None


def _reference(token: str) -> Ref:
    if len(token) == 1:
        raise Part21Error("a reference without its number")
    return Ref(token[1:])


_VALUES: dict[str, Callable[[str], Any]] = {
    "#": _reference,
    "'": lambda token: decode(token[1:-1]),
    "$": lambda token: None,
    "*": lambda token: DERIVED,
    '"': str,
    ".": lambda token: Enumeration(token[1:-1].upper()) if token[1:].endswith(".") else _number(token),
    **dict.fromkeys("+-0123456789", _number),
}
"""What a token means, by its first letter."""


def encode(text: str) -> str:
    """A string as Part 21 writes it, with its quotes."""
    done = []
    for letter in text:
        if letter == "'":
            done.append("''")
        elif letter == "\\":
            done.append("\\\\")
        elif " " <= letter <= "~":
            done.append(letter)
        else:
            wide = letter.encode("utf-16-be")
            done.append(f"\\X2\\{wide.hex().upper()}\\X0\\")
    return f"'{''.join(done)}'"


def real(value: float) -> str:
    """A number as Part 21 writes it: always with a point, exact to the last bit."""
    text = repr(float(value)).upper()
    mantissa, mark, exponent = text.partition("E")
    # Part 21 tells a real from an integer by its point.
    if "." not in mantissa:
        mantissa += "."
    return mantissa + mark + exponent


def written(value: Any) -> str:
    """A value as Part 21 writes it."""
    if value is None:
        return "$"
    if isinstance(value, Ref):
        return f"#{int(value)}"
    if isinstance(value, bool):
        return ".T." if value else ".F."
    if isinstance(value, int | float):
        return real(value)
    if isinstance(value, str):
        return encode(value)
    if isinstance(value, Enumeration):
        return f".{value.name}."
    if isinstance(value, Typed):
        return f"{value.type}({written(value.value)})"
    if isinstance(value, tuple | list):
        return f"({','.join(written(v) for v in value)})"
    return "*"
