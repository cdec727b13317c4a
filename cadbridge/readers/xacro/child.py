"""Expands one xacro file, in a process of its own: `python -m cadbridge.readers.xacro.child`.

The package xacro does what the format says of macros, properties and includes; whatever it would evaluate by Python,
read from the disk or take from the environment is done here instead. The process is confined before it opens the
file. It reads a JSON request from stdin and writes a JSON answer to stdout.
"""

from __future__ import annotations

import functools
import gc
import json
import re
import signal
import stat
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from glob import glob
from pathlib import Path
from typing import Any
from xml.dom import expatbuilder
from xml.parsers.expat import ErrorString, ExpatError

import xacro

from cadbridge.budget import allow, beyond, raised, with_option
from cadbridge.confinement import MEMORY, SECONDS, confine
from cadbridge.folders import Folders
from cadbridge.readers.xacro.data import read_yaml
from cadbridge.readers.xacro.expressions import LONGEST_TEXT, Function, Group, RefusedError, TooLargeError, evaluate
from cadbridge.readers.xacro.names import table
from cadbridge.units import GIGABYTE

MOST_NOTES = 20
"""Different notes of a file or of xacro that are reported: a macro may say its own at each of a thousand calls."""

_REPLACED = (
    "safe_eval", "eval_text", "eval_extension", "parse", "get_include_files", "load_yaml", "_global_symbols",
    "eval_all", "grab_property", "handle_macro_call", "process_include", "check_attrs", "warning", "error", "message",
    "print_location", "NameSpace", "XacroException", "substitution_args_context", "abs_filename_spec", "process_file",
)  # fmt: skip
"""What is replaced or relied on; a version of xacro that lacks one of them is not used at all."""

_ENCODINGS = ("ascii", "latin-1", "cp1252", "iso8859-15", "utf-8-sig", "utf-16", "utf-32")
"""Loaded before the disk is closed."""

_PIECES = re.compile(r"(\$\$+)([{(])|\$\{([^}]*)\}|\$\(([^)]*)\)|([^$]+|\$[^{($]+|\$$)")


class Expansion:
    """xacro, held: the replacements of its functions, the place they are at, and what they count."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        self.packages: Mapping[str, str] = request["packages"]
        self.given: Mapping[str, str] = request["arguments"]
        self.folders = Folders(Path(request["own"]), tuple(map(Path, request["given"])))
        self.path = str(request["path"])
        self.place: tuple[str, int, str | None] | None = None
        self.notes: list[str] = []
        self.elements = self.calls = 0
        self.files = 0
        self.read: set[str] = set()

    def run(self) -> str:
        """The URDF. Raises what xacro and the guards raise."""
        self._replace()
        text = str(xacro.process_file(self.path, mappings=dict(self.given), verbosity=0).toxml())
        _count("expanded bytes", len(text), "the result")
        return text

    def _replace(self) -> None:
        """Put the methods in place of xacro's functions."""
        lacking = [name for name in _REPLACED if not hasattr(xacro, name)]
        if lacking:
            raise RefusedError(f"this version of xacro is not known: it has no {lacking[0]}")
        # xacro restricts Python's eval by a list of names only, from which attributes lead on to the interpreter.
        xacro.safe_eval = self.evaluate
        xacro.eval_text = self.eval_text
        xacro.eval_extension = self.substitute
        xacro.parse = self.parse
        xacro.get_include_files = self.included
        xacro.load_yaml = self.load_yaml
        xacro.print_location = lambda *_: None
        xacro.message = lambda *_, **__: None
        xacro.warning = xacro.error = self.note
        xacro._global_symbols = self.names = table(**self._functions())
        for name in ("grab_property", "handle_macro_call", "process_include", "check_attrs", "eval_all"):
            setattr(xacro, name, self._placed(getattr(xacro, name), name))

    def _functions(self) -> dict[str, Function]:
        def fatal(*words: object) -> None:
            raise xacro.XacroException(" ".join(map(str, words)))

        any_name = frozenset({"print_location", "file", "alt_text", "color"})
        messages = {name: Function(name, self.note, any_name) for name in ("message", "warning", "error")}
        return messages | {
            "print_location": Function("print_location", lambda: ""),
            "fatal": Function("fatal", fatal),
            "load_yaml": Function("load_yaml", self.load_yaml, frozenset({"filename"})),
            "abs_filename": Function("abs_filename", xacro.abs_filename_spec),
            "dotify": Function("dotify", dict),
            "arg": Function("arg", lambda name: xacro.substitution_args_context["arg"][name]),
        }

    def _placed(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        """The function of an element, which knows where it is: after a fault, the innermost place."""

        @functools.wraps(function)
        def placed(node: Any, *rest: Any) -> Any:
            before = self.place
            # The place is restored on success alone: after a fault it is still the innermost.
            self.place = node.getUserData("place") or before
            self.elements += name == "eval_all"
            self.calls += name == "handle_macro_call" and node.tagName.startswith("xacro:")
            _count("xacro elements", self.elements, "it")
            _count("xacro calls", self.calls, "it")
            answer = function(node, *rest)
            self.place = before
            return answer

        return placed

    def note(self, *words: object, **_: object) -> str:
        """What the file or xacro says to the person who reads it."""
        text = " ".join(map(str, words))
        if len(self.notes) < MOST_NOTES and text not in self.notes:
            self.notes.append(text[:500])
        return ""

    def evaluate(self, text: str, symbols: Any, _local: Any = None) -> Any:
        """In place of Python's eval."""
        return evaluate(text, _Names(symbols))

    def eval_text(self, text: str, symbols: Any) -> Any:
        """A text with its expressions and substitutions; a single expression keeps its type."""
        found: list[Any] = []
        at, length = 0, 0
        while at < len(text):
            piece = _PIECES.match(text, at)
            if piece is None:
                raise xacro.XacroException(f"invalid expression: {text[at : at + 200]}")
            at = piece.end()
            dollars, brace, expression, substitution, plain = piece.groups()
            if dollars is not None:
                found.append(dollars[1:] + brace)
            elif expression is not None:
                found.append(self._expression(expression, symbols))
            elif substitution is not None:
                found.append(self.substitute(f"$({self.eval_text(substitution, symbols)})"))
            else:
                found.append(plain)
            if len(found) > 1 or at < len(text):
                found[-1] = str(found[-1])
                length += len(found[-1])
                if length > LONGEST_TEXT:
                    raise TooLargeError(f"a text is longer than {LONGEST_TEXT} characters")
        return found[0] if len(found) == 1 else "".join(map(str, found))

    def _expression(self, text: str, symbols: Any) -> Any:
        try:
            return self.evaluate(str(self.eval_text(text, symbols)), symbols)
        except RefusedError as fault:
            raise _quoted(fault, text) from fault
        except TooLargeError as fault:
            raise _quoted(fault, text) from fault
        except Exception as fault:
            if isinstance(fault, KeyError):
                fault = LookupError(f"there is no {fault}")
            raise xacro.XacroException(exc=fault, suffix=f"when evaluating expression '{text}'") from fault

    def substitute(self, text: str) -> str:
        """What stands for `$(…)`."""
        command, _, rest = text[2:-1].strip().partition(" ")
        words = rest.split()
        if command == "cwd":
            return str(Path(self.path).parent)
        if command == "eval":
            return str(evaluate(rest, self._names_of_eval()))
        if command == "dirname" and not words:
            return str(Path(xacro.filestack[-1]).resolve().parent)
        if command in ("find", "arg", "env") and len(words) == 1:
            return {"find": self._find, "arg": self._argument, "env": self._variable}[command](words[0])
        if command == "optenv" and words:
            return self.given.get(words[0], " ".join(words[1:]))
        raise xacro.XacroException(f"{text} is not a substitution with the words that it takes")

    def _names_of_eval(self) -> dict[str, Any]:
        calls: dict[str, Callable[..., Any]] = {
            "find": self._find,
            "arg": lambda name: _typed(self._argument(name)),
            "env": self._variable,
            "optenv": lambda name, default="": self.given.get(name, default),
            "dirname": lambda: self.substitute("$(dirname)"),
        }
        arguments = {name: _typed(value) for name, value in xacro.substitution_args_context["arg"].items()}
        true = {"true": True, "false": False}
        return self.names | arguments | true | {name: Function(name, call) for name, call in calls.items()}

    def _argument(self, name: str) -> str:
        try:
            return str(xacro.substitution_args_context["arg"][name])
        except KeyError:
            raise xacro.XacroException(f"Undefined substitution argument {name}") from None

    def _variable(self, name: str) -> str:
        """A variable of the environment: its value only where the person gave it as an argument of that name."""
        if name not in self.given:
            raise RefusedError(f"$(env {name}): the environment is not read; give the value as the argument {name}")
        return self.given[name]

    def _find(self, package: str) -> str:
        if package not in self.packages:
            raise ValueError(f"no folder of the package {package!r} is known")
        return self.packages[package]

    def parse(self, _source: Any, filename: str) -> Any:
        """The document of a file, each element with the place that it stands at."""
        self.files += 1
        _count("xacro files", self.files, "it")
        try:
            data = self._bytes(Path(filename))
        except OSError as fault:
            # The file that names it is at fault; an optional include is left out where an OSError lies behind.
            xacro.filestack.pop()
            raise xacro.XacroException(f"{fault.strerror}: {filename}", exc=fault) from fault
        try:
            return _Lines(filename).parseString(data)
        except ExpatError as fault:
            # Of the file that is at fault, which may be one that the file at `place` includes.
            self.place = (filename, fault.lineno, None)
            raise

    def load_yaml(self, filename: str) -> Any:
        """The data of a YAML file."""
        path = Path(xacro.abs_filename_spec(str(filename)))
        return read_yaml(self._bytes(path), str(path), lambda text: evaluate(text, self.names))

    def _bytes(self, path: Path) -> bytes:
        """What a file below the folders holds: a regular one, of a bounded size."""
        # Links are resolved first, and the file is opened by the resolved path: a link cannot lead elsewhere between
        # the two.
        real = path.resolve()
        if not self.folders.hold(real):
            raise RefusedError(f"{path} lies outside the folder of the source and its packages")
        self.read.add(str(real))
        state = real.stat()
        if not stat.S_ISREG(state.st_mode):
            raise RefusedError(f"{path} is not a plain file")
        _count("xacro bytes", state.st_size, str(path))
        return real.read_bytes()

    def included(self, spec: str, symbols: Any) -> Iterator[str]:
        """The files that an include names; a pattern with * or ? may name several, all inside the folders."""
        name = str(xacro.abs_filename_spec(str(self.eval_text(spec, symbols))))
        if not re.search(r"[*[?]", name):
            yield name
            return
        # glob lists folders before any file is opened, so that even the names of what lies outside would be read.
        plain, *patterns = re.split(r"[*[?]", name)
        if not self.folders.hold(Path(plain + "x").parent.resolve()) or any(".." in text for text in patterns):
            raise RefusedError(f"{name} lies outside the folder of the source and its packages")
        found = sorted(glob(name))
        if not found:
            self.note(f'Include tag\'s filename spec "{name}" matched no files.')
        yield from found


class _Names(Mapping[str, Any]):
    """xacro's table of symbols, as expressions see it: a name space of an include is a group of its symbols."""

    def __init__(self, symbols: Any) -> None:
        self._symbols = symbols

    def __getitem__(self, name: str) -> Any:
        value = self._symbols[name]
        return Group(name, _Names(value)) if isinstance(value, xacro.NameSpace) else value

    def __contains__(self, name: object) -> bool:
        return name in self._symbols

    def __iter__(self) -> Iterator[str]:
        return iter(self._symbols)

    def __len__(self) -> int:
        return len(self._symbols)


class _Lines(expatbuilder.ExpatBuilderNS):
    """Builds a document whose elements know their lines; a document type is refused in any encoding."""

    def __init__(self, filename: str) -> None:
        super().__init__()
        self._filename = filename

    def start_element_handler(self, name: str, attributes: list[str]) -> None:
        super().start_element_handler(name, attributes)
        element: Any = self.curNode
        place = (self._filename, self.getParser().CurrentLineNumber, element.tagName)
        element.setUserData("place", place, _CARRIED)

    def start_doctype_decl_handler(self, *_: Any) -> None:
        raise RefusedError(f"{self._filename} declares a document type")


class _Carried:
    """A copy of an element, as a macro's body, keeps the place (the DOM's UserDataHandler)."""

    def handle(self, _operation: int, key: str, data: Any, _source: Any, copy: Any) -> None:
        if copy is not None:
            copy.setUserData(key, data, self)


_CARRIED = _Carried()


def _quoted(fault: RefusedError | TooLargeError, text: str) -> RefusedError | TooLargeError:
    """The fault with the innermost expression that it is in."""
    message = str(fault)
    return fault if "${" in message else type(fault)(f"${{{text.strip()[:200]}}}: {message}")


def _typed(value: str) -> Any:
    """An argument as $(eval …) sees it: a number or a truth value where it reads as one."""
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(value.lower(), value)


def _fault(fault: BaseException, expansion: Expansion) -> dict[str, Any]:
    """The answer where a file cannot be expanded: what, why, where."""
    refused = isinstance(fault, RefusedError)
    if isinstance(fault, RecursionError):
        reason = "macros, properties or files call themselves without end"
    elif isinstance(fault, MemoryError):
        reason = with_option(f"its expansion takes more than {raised(MEMORY) / GIGABYTE:.1f} GB")
    elif isinstance(fault, TooLargeError):
        reason = f"too large: {fault}"
    elif isinstance(fault, ExpatError):
        reason = f"it is not well-formed XML: {ErrorString(fault.code)}"
    else:
        reason = " ".join(str(fault).split()) or type(fault).__name__
    file, line, tag = expansion.place or (expansion.path, None, None)
    return {"error": reason[:700], "refused": refused, "file": file, "line": line, "tag": tag}


def _count(kind: str, count: int, subject: str) -> None:
    """TooLargeError with the option that allows it where there are too many."""
    if why := beyond(kind, count, subject):
        raise TooLargeError(why)


def _end_in_time(seconds: int) -> None:
    """At the limit of processor time, a fault with its place, where the system announces the limit."""
    if hasattr(signal, "SIGXCPU"):

        def end(*_: object) -> None:
            raise TooLargeError(with_option(f"it takes more than {seconds} s to expand"))

        signal.signal(signal.SIGXCPU, end)


def main() -> None:
    """Read the request, answer."""
    # The process ends with its answer: to look for circular garbage among all these nodes costs a third of its time.
    gc.disable()
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(4000)  # macros within macros take several calls each; a ring of them ends here
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(4300)  # Python's default, which the environment may raise
    for encoding in _ENCODINGS:
        "".encode(encoding)
    request = json.loads(sys.stdin.buffer.read())
    allow(float(request["larger"]))
    expansion = Expansion(request)
    answer: dict[str, Any]
    seconds = int(raised(SECONDS))
    _end_in_time(seconds)
    # Modules and encodings are loaded, the request is read: from here on only the source's folders can be opened.
    layers = confine(expansion.folders.roots, seconds, int(raised(MEMORY)))
    try:
        answer = {"text": expansion.run(), "notes": expansion.notes, "layers": layers}
    except Exception as fault:
        answer = _fault(fault, expansion)
    answer["read"] = sorted(expansion.read)
    sys.stdout.buffer.write(json.dumps(answer).encode())


if __name__ == "__main__":
    main()
