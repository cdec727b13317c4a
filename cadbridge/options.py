"""Options declared once: fields of a frozen dataclass that the command line, jobs files and Python all take.

    @dataclass(frozen=True)
    class ReadOptions:
        density: float | None = option(None, "--density", float, "Density in kg/m³ …", least=1e-3)

From this come the command line's option (cadbridge/cli/options.py), the key of a jobs file
(cadbridge/jobs/schema.py) and the Python argument. A new option touches its declaration and what uses it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from cadbridge.errors import InputError

T = TypeVar("T")

Form = type[float] | type[str] | type[bool] | type[Path] | tuple[str, ...]
"""What a person gives: a number, a text, yes or no, a path, or one of some words."""

MOST = 1e12
"""Of numbers that a person gives: a larger one is a slip, and products of a few of them would be no numbers."""


@dataclass(frozen=True)
class Option:
    """How a person gives a field: `flag` on the command line, `key` in a jobs file.

    `many`: it may be given several times. `least`: the smallest number allowed. `value` turns what was given into
    the field's value; it raises InputError where it cannot. `metavar` stands for the value in the help; None takes a
    word by the form.
    """

    flag: str
    key: str
    form: Form
    help: str
    many: bool = False
    least: float | None = None
    value: Callable[[Any], Any] | None = None
    metavar: str | None = None


def option(
    default: Any, flag: str, form: Form, help: str, *, key: str | None = None, many: bool = False,
    least: float | None = None, value: Callable[[Any], Any] | None = None, metavar: str | None = None,
) -> Any:  # fmt: skip
    """A dataclass field with its declaration; `key` is by default the flag with _ for -."""
    declared = Option(flag, key or flag.lstrip("-").replace("-", "_"), form, help, many, least, value, metavar)
    return dataclasses.field(default=default, metadata={"option": declared})


def options_of(kind: type) -> dict[str, Option]:
    """The declared options of a dataclass by the names of their fields."""
    return {f.name: f.metadata["option"] for f in dataclasses.fields(kind) if "option" in f.metadata}


def words_of(flag: str, given: Iterable[str]) -> list[str]:
    """The words of an option that takes a list, separated by commas; InputError for a text that holds none.

    An empty text is most often a variable of a script that was never set: to go on as if nothing had been asked for
    would answer another question.
    """
    words: list[str] = []
    for text in given:
        found = [word.strip() for word in text.split(",") if word.strip()]
        if not found:
            raise InputError(f"{flag}: {text!r} names nothing. Write a name, or leave {flag} out.")
        words += found
    return words


def from_given(kind: type[T], given: Mapping[str, Any]) -> T:
    """The dataclass from what a person gave by key; what is absent, None or an empty list keeps its default."""
    values: dict[str, Any] = {}
    for name, declared in options_of(kind).items():
        value = given.get(declared.key)
        if value is None or (declared.many and not value):
            continue
        path = declared.form is Path
        if declared.many:
            value = tuple(Path(v) if path else v for v in value)
        elif path:
            value = Path(value)
        values[name] = value if declared.value is None else declared.value(value)
    return kind(**values)
