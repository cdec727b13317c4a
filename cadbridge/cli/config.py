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
from cadbridge.options import Option, options_of
from cadbridge.readers.options import ReadOptions

NAME = "cadbridge.toml"
MAX_BYTES = 1024 * 1024
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
    """The values of a file, checked."""
    findings = Findings()
    if path.stat().st_size > MAX_BYTES:
        findings.add("CB116", f"{path} has more than 1 MB", Where(str(path)))
        raise InputError(f"{path} cannot be used.", findings)
    try:
        text = path.read_bytes().decode("utf-8")
        data = tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        findings.add("CB116", f"not TOML: {error}", Where(str(path)))
        raise InputError(f"{path} cannot be used.", findings) from None
    known = {o.key: o for o in options_of(ReadOptions).values()}
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
        return "" if number and least <= value < float("inf") else f"a number of at least {least:g}"
    return "" if isinstance(value, str) and value else "a text"


def _anchored(declared: Option | None, value: Any, folder: Path) -> Any:
    """Folders counted from that of the file."""
    if declared is not None and declared.form is Path and declared.many:
        return [str(folder / name) for name in value]
    return value


def _line_of(text: str, key: str) -> int | None:
    """The line on which a key stands."""
    found = re.search(rf"^\s*[\"']?{re.escape(key)}[\"']?\s*[=.\]]|^\s*\[+\s*{re.escape(key)}\b", text, re.MULTILINE)
    return None if found is None else text.count("\n", 0, found.end()) + 1
