"""Jobs files and what they include, read and checked; every fault is a finding with line and column."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from cadbridge.findings import Findings, Where
from cadbridge.jobs.model import shown
from cadbridge.jobs.schema import Defaults, JobsFile, JobSpec
from cadbridge.options import options_of
from cadbridge.readers.mates_file.document import Reporter
from cadbridge.readers.mates_file.positions import TextPlace, load_yaml
from cadbridge.readers.options import ReadOptions


@dataclass(frozen=True)
class JobEntry:
    """An item of `jobs:` with its defaults laid under it (`options`), the folder its paths count from, its place."""

    spec: JobSpec
    options: dict[str, Any]
    base: Path
    file: str
    places: TextPlace
    index: int

    def where(self, *path: str | int) -> Where:
        """The place of a value of this item."""
        line, column = self.places.find(("jobs", self.index, *path))
        return Where(self.file, line, column, f"jobs/{self.index}")


def read_jobs_files(path: Path, findings: Findings) -> tuple[list[JobEntry], str | None]:
    """All items of a jobs file and of those it includes, and the folder of outputs that the first one names.

    Each file is read once, however often it is included; a circle is a finding.
    """
    reader = _Reader(findings)
    reader.read(path, {}, ())
    return reader.entries, reader.output


def entries_of(document: dict[str, Any], base: Path, findings: Findings) -> tuple[list[JobEntry], str | None]:
    """The same of a document made in Python; places are those of its items by number."""
    reader = _Reader(findings)
    spec = validated(document, TextPlace(0, 0), "jobs", findings)
    if spec is not None:
        reader.take(spec, base, "jobs", TextPlace(0, 0), {})
    return reader.entries, None if spec is None else spec.defaults.output


def validated(data: Any, places: TextPlace, file: str, findings: Findings) -> JobsFile | None:
    """The model of a document; None, with all its faults reported, where it has any."""
    if not isinstance(data, dict):
        findings.add("CB700", "a jobs file is a mapping with `jobs:` at its top", Where(file, places.line or None))
        return None
    try:
        return JobsFile.model_validate(data)
    except ValidationError as error:
        report = Reporter(findings, file, places, JobsFile, unknown_key="CB701", faulty="CB702")
        for fault in _plain(error):
            report(fault["loc"], fault)
        report.count_the_rest()
        return None


def _plain(error: ValidationError) -> list[Any]:
    """Faults with the branches of unions taken out of their places; one fault a place."""
    faults: dict[tuple[int | str, ...], Any] = {}
    for fault in error.errors(include_url=False, include_context=True):
        loc = tuple(s for s in fault["loc"] if isinstance(s, int) or not s.startswith(("constrained-str", "list[")))
        if len(loc) < len(fault["loc"]) and fault["type"] in ("string_type", "list_type") and loc == fault["loc"][:-1]:
            if isinstance(fault["input"], list):
                continue  # a list that is no text; what is wrong within it follows
            fault = {**fault, "type": "text_or_list", "msg": f"{loc[-1]} must be text or a list of texts"}
        if loc in faults:
            continue
        faults[loc] = {**fault, "loc": loc}
    return list(faults.values())


class _Reader:
    """Follows includes depth first, in the order written."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.entries: list[JobEntry] = []
        self.output: str | None = None
        self._read: set[Path] = set()

    def read(self, path: Path, defaults: dict[str, Any], chain: tuple[Path, ...], where: Where | None = None) -> None:
        """Read a file under the defaults of those that include it (`chain`)."""
        real = path.resolve()
        if real in chain:
            circle = " → ".join(shown(p.name) for p in (*chain[chain.index(real) :], real))
            self.findings.add("CB703", f"the files include each other: {circle}", where)
            return
        if real in self._read:
            return
        self._read.add(real)
        file = str(path)
        try:
            yaml = load_yaml(path, self.findings, file)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            self.findings.add("CB100", f"{shown(file)} cannot be opened: {reason}", where or Where(file))
            return
        if yaml.data is None and self.findings.errors:
            return
        spec = validated(yaml.data, yaml.places, file, self.findings)
        if spec is None:
            return
        if not chain:
            self.output = spec.defaults.output
        mine = self.take(spec, path.parent, file, yaml.places, defaults)
        for i, name in enumerate(as_list(spec.include)):
            at = ("include", i) if isinstance(spec.include, list) else ("include",)
            line, column = yaml.places.find(at)
            self.read(path.parent / name, mine, (*chain, real), Where(file, line, column))

    def take(
        self, spec: JobsFile, base: Path, file: str, places: TextPlace, defaults: dict[str, Any]
    ) -> dict[str, Any]:
        """Keep the items of a file; returns the defaults that hold in it."""
        base = Path(os.path.abspath(base))  # a relative one would count twice in paths that begin with it
        own = _given(spec.defaults)
        _anchor(own, base)
        mine = {**defaults, **own}
        for i, item in enumerate(spec.jobs):
            given = _given(item)
            _anchor(given, base)
            self.entries.append(JobEntry(item, {**mine, **given}, base, file, places, i))
        return mine


_PATHS = ("mates", "scenario", "overrides")

FOLDERS = tuple(o.key for o in options_of(ReadOptions).values() if o.form is Path and o.many)
"""Options of reading that are lists of folders."""


def _anchor(options: dict[str, Any], base: Path) -> None:
    """Paths among the options count from the folder of the file that says them; fields are filled in later."""
    for key in _PATHS:
        if key in options:
            options[key] = (base, options[key])
    for key in FOLDERS:
        if key in options:
            options[key] = [str(base / name) for name in options[key]]


def _given(spec: Defaults | JobSpec) -> dict[str, Any]:
    """The options that were written, without what says where from and where to."""
    given: dict[str, Any] = spec.model_dump(exclude_none=True, exclude={"sources", "exclude", "name", "output"})
    return given


def as_list(value: str | list[str] | None) -> list[str]:
    """One text or many as a list."""
    return [] if value is None else [value] if isinstance(value, str) else value
