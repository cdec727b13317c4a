"""`cadbridge.toml`: options for all sources of a folder, which the command line replaces one by one."""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.folders import holds
from cadbridge.options import MOST, Option, options_of
from cadbridge.readers.options import ReadOptions

NAME = "cadbridge.toml"
MAX_BYTES, MOST_DOTS = 1 << 16, 1_000
"""Bytes of a file, and dots of a line: Python's TOML takes memory by the square of the parts of a dotted key."""
COMMAND_LINE_ONLY = ("allow_larger",)
"""Options that a file must not give: it may have come with the source whose limits they raise."""
CHOOSING = ("select", "ignore")
"""Keys beside those of ReadOptions: a list of codes, families or stages."""


@dataclass(frozen=True)
class Config:
    """The file that holds for a source (None where there is none), and its values by key."""

    path: Path | None = None
    values: dict[str, Any] = field(default_factory=dict)


def config_for(source: Path) -> Config:
    """The `cadbridge.toml` beside a source, else that of the current folder; InputError with all its faults.

    Relative folders in it count from the file's own folder.
    """
    for path in (source.parent / NAME, Path(NAME)):
        if path.is_file():
            return Config(path, _read(path))
    return Config()


def _read(path: Path) -> dict[str, Any]:
    """The values of a file, checked: it may have come with the source, from a stranger."""
    findings = Findings()
    if not holds(path.parent.resolve(), path.resolve()):
        findings.add("CB102", f"{path} is a link that leads out of its folder", Where(str(path)), "Copy the file.")
        raise InputError(f"{path} cannot be used.", findings)
    try:
        text = path.read_bytes().decode("utf-8") if path.stat().st_size <= MAX_BYTES else None
        if text is None or max(line.count(".") for line in text.split("\n")) > MOST_DOTS:
            raise ValueError(f"it has more than {MAX_BYTES >> 10} kB, or more than {MOST_DOTS} dots in a line")
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # numbers of too many digits are a ValueError, too
        findings.add("CB116", f"not TOML: {error}", Where(str(path)))
        raise InputError(f"{path} cannot be used.", findings) from None
    known = {o.key: o for o in options_of(ReadOptions).values() if o.key not in COMMAND_LINE_ONLY}
    values = {}
    for key, value in data.items():
        where = Where(str(path), _line_of(text, key))
        if key not in known and key not in CHOOSING:
            near = difflib.get_close_matches(key, [*known, *CHOOSING], n=1, cutoff=0.5)
            meant = f"; did you mean {near[0]}?" if near else f"; keys are {', '.join([*known, *CHOOSING])}"
            findings.add("CB116", f"unknown key {key!r}{meant}", where)
        elif fault := _fault(known.get(key), value):
            findings.add("CB116", f"{key} must be {fault}, not {value!r}", where)
        else:
            values[key] = _anchored(known.get(key), value, path.parent)
            _refuse_elsewhere(known.get(key), values[key], path, where, findings)
    if findings.errors:
        raise InputError(f"{path} cannot be used.", findings)
    return values


def _fault(declared: Option | None, value: Any) -> str:
    """What a value must be, where it is not; else ""."""
    form = declared.form if declared is not None else str
    if declared is None or declared.many:
        texts = isinstance(value, list) and all(isinstance(v, str) for v in value)
        return "" if texts else 'a list of texts such as ["A", "B"]'
    if isinstance(form, tuple):
        return "" if value in form else f"one of {', '.join(form)}"
    if form is bool:
        return "" if isinstance(value, bool) else "true or false"
    if form is float:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        least = declared.least or 0.0
        return "" if number and least <= value <= MOST else f"a number from {least:g} to {MOST:g}"
    return "" if isinstance(value, str) and value else "a text"


def _anchored(declared: Option | None, value: Any, folder: Path) -> Any:
    """Paths counted from the folder of the file."""
    if declared is None or declared.form is not Path:
        return value
    return [str(folder / name) for name in value] if declared.many else str(folder / value)


def _refuse_elsewhere(declared: Option | None, value: Any, path: Path, where: Where, findings: Findings) -> None:
    """Tell paths that lead out of the file's own folder (CB102): they would open to the source what it may not name."""
    if declared is None or declared.form is not Path:
        return
    for name in value if declared.many else [value]:
        try:
            own = holds(path.parent.resolve(), Path(name).resolve())
        except (OSError, ValueError, RuntimeError):
            own = False
        if not own:
            hint = f"If you trust it, give it as {declared.flag} {name!r}."
            findings.add("CB102", f"{declared.key} leads out of the folder of {path}: {name!r}", where, hint=hint)


def _line_of(text: str, key: str) -> int | None:
    """The line on which a key stands."""
    found = re.search(rf"^\s*[\"']?{re.escape(key)}[\"']?\s*[=.\]]|^\s*\[+\s*{re.escape(key)}\b", text, re.MULTILINE)
    return None if found is None else text.count("\n", 0, found.end()) + 1
