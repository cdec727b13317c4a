"""From jobs files to jobs: patterns over folders, names, folders of outputs; all faults before anything runs."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from cadbridge.errors import InputError
from cadbridge.files import ignores_case
from cadbridge.findings import Finding, Findings, Where
from cadbridge.jobs.files import FOLDERS, JobEntry, as_list, entries_of, read_jobs_files
from cadbridge.jobs.model import Job, shown
from cadbridge.jobs.schema import memory_bytes
from cadbridge.options import options_of
from cadbridge.readers.mates_file.document import nearest
from cadbridge.run_options import RunOptions

OUTPUT = "out"
"""The folder of outputs where nothing names one."""

OWN = ".cadbridge"
"""The folder for our own files within the folder of outputs."""

_RESERVED = (OWN, "index.html", "summary.json")
_LONGEST_NAME = 240
"""Bytes of a folder's name: most file systems hold 255; how far below is a choice."""
_FIELD = re.compile(r"\{([^{}]*)\}")
_LIMITS = ("timeout", "memory")
_ONLY_FOR = {
    "to": "convert",
    "collision": "convert",
    "collision_tolerance": "convert",
    "plots": "simulate",
    "trajectory": "simulate",
    **{o.key: "simulate" for o in options_of(RunOptions).values()},
}
"""Options that one kind of job alone has a use for. In `defaults` they wait for the jobs that do."""


@dataclass(frozen=True)
class Plan:
    """Jobs to run.

    Attributes:
        jobs: In the order written.
        output: The folder of outputs.
        findings: Remarks.
        files: The jobs files that were read.
    """

    jobs: tuple[Job, ...]
    output: Path
    findings: tuple[Finding, ...] = ()
    files: tuple[Path, ...] = ()
    """The jobs files that were read."""

    def only(self, patterns: Sequence[str]) -> Plan:
        """Choose the jobs whose name is one of, or fits, some patterns.

        Args:
            patterns: Names, or patterns with * and ?.

        Returns:
            A plan of these jobs alone.

        Raises:
            InputError: A pattern fits no job (CB708).
        """
        findings = Findings()
        names = [job.name for job in self.jobs]
        for pattern in patterns:
            if not any(_fits(name, pattern) for name in names):
                findings.add("CB708", f"no job is called {shown(pattern)}{nearest(pattern, names)}")
        if findings.errors:
            raise InputError("--only names jobs that do not exist", findings)
        return replace(self, jobs=tuple(j for j in self.jobs if any(_fits(j.name, p) for p in patterns)))


def _fits(name: str, pattern: str) -> bool:
    return name == pattern or fnmatchcase(name, pattern)


def load(path: str | Path, output: str | Path | None = None, overrides: Mapping[str, Any] | None = None) -> Plan:
    """Read a jobs file and all that it includes.

    A jobs file is run whole or not at all. A pattern that matches no file (CB704) is told, and stops no other.

    Args:
        path: The jobs file, YAML as docs/jobs.md describes it.
        output: The folder of outputs, in place of the one that the file names; without either it is "out" beside the
            file.
        overrides: Options of every job, such as timeout, over those of the file.

    Returns:
        All jobs, with nothing run.

    Raises:
        InputError: The file cannot be read, or anything in it is wrong; its findings are all faults.
    """
    findings = Findings()
    path = Path(path)
    entries, named = read_jobs_files(path, findings)
    return _plan(entries, Path(output or path.parent / (named or OUTPUT)), overrides or {}, findings, str(path))


def plan(
    jobs: Iterable[Mapping[str, Any]],
    base: str | Path = ".",
    output: str | Path | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Plan:
    """Plan jobs that Python gives.

    Args:
        jobs: The jobs, each a mapping with the keys of an item of the jobs file.
        base: The folder from which their paths count.
        output: The folder of outputs; None takes "out" below `base`.
        defaults: Options of all jobs that do not say otherwise.

    Returns:
        All jobs, with nothing run.

    Raises:
        InputError: Anything is wrong; its findings are all faults.
    """
    findings = Findings()
    items = [dict(job) for job in jobs]
    document = {"jobs": items, "defaults": dict(defaults or {})}
    for item in items:
        if isinstance(item.get("sources"), os.PathLike):
            item["sources"] = os.fspath(item["sources"])
    entries, named = entries_of(document, Path(base), findings)
    return _plan(entries, Path(output or Path(base) / (named or OUTPUT)), {}, findings, "jobs")


def _plan(entries: list[JobEntry], output: Path, overrides: Mapping[str, Any], findings: Findings, file: str) -> Plan:
    output = Path(os.path.abspath(output))  # without "..": folders of jobs are compared with it
    jobs: list[Job] = []
    if not findings.errors:
        if not entries:
            findings.add("CB709", f"{shown(file)} holds no job", Where(file))
        for entry in entries:
            jobs += _expand(entry, output, overrides, findings)
        _refuse_duplicates(jobs, findings)
    if findings.errors or (not jobs and any(f.code == "CB704" for f in findings.as_tuple())):
        raise InputError("The jobs file cannot be used; nothing was run.", findings)
    files = tuple(dict.fromkeys(Path(entry.file) for entry in entries if entry.places.line))
    return Plan(tuple(jobs), output, findings.as_tuple(), files)


def _expand(entry: JobEntry, output: Path, overrides: Mapping[str, Any], findings: Findings) -> list[Job]:
    """The jobs of one item: one a file that its sources name."""
    options = {"do": "check", **entry.options, **overrides}
    _check_options(entry, options, findings)
    sources: dict[Path, None] = {}
    for i, pattern in enumerate(as_list(entry.spec.sources)):
        at = ("sources", i) if isinstance(entry.spec.sources, list) else ("sources",)
        found = _matches(pattern, entry, output, findings, entry.where(*at))
        sources.update(dict.fromkeys(found))
    at_exclude = entry.where("exclude")
    left_out = {p for pattern in as_list(entry.spec.exclude) for p in _glob(pattern, entry.base, findings, at_exclude)}
    return [
        job
        for source in sources
        if source not in left_out and (job := _job(entry, source, output, options, findings)) is not None
    ]


def _check_options(entry: JobEntry, options: dict[str, Any], findings: Findings) -> None:
    """Options against the kind of job: what it needs, and what it has no use for."""
    do = options["do"]
    for key, owner in _ONLY_FOR.items():
        if key in options and owner != do:
            if getattr(entry.spec, key, None) is not None:
                findings.add("CB702", f"{key} goes with do: {owner}, not with {do}", entry.where(key))
            del options[key]
    if do != "convert":
        return
    from cadbridge.exporters import COLLISIONS
    from cadbridge.targets import target_named, target_names

    touched = options.get("collision")
    if touched is not None and touched not in COLLISIONS:
        fault = f"no collision geometry {touched!r}{nearest(touched, COLLISIONS)}"
        findings.add("CB702", f"{fault}; one of {', '.join(COLLISIONS)}", entry.where("collision"))
    to = options.get("to")
    if to is None or target_named(to) is None:
        fault = "convert needs to:" if to is None else f"no export to {to!r}{nearest(to, target_names())};"
        findings.add("CB702", f"{fault} one of {', '.join(sorted(target_names()))}", entry.where("to"))


def _matches(pattern: str, entry: JobEntry, output: Path, findings: Findings, where: Where) -> list[Path]:
    """The files of a pattern, sorted; a path without magic stands for itself, there or not."""
    if "\0" in pattern:
        findings.add("CB702", "a path cannot hold a NUL character", where)
        return []
    literal = entry.base / pattern
    if Path(os.path.abspath(entry.base)).is_relative_to(os.path.abspath(literal)):
        findings.add("CB702", f"{shown(pattern)} is a folder that holds the jobs file, and no source", where)
        return []
    if not glob.has_magic(pattern) or os.path.lexists(literal):
        return [literal]
    faults = len(findings.errors)
    # What jobs write must not become their input on the next run.
    found = [p for p in _glob(pattern, entry.base, findings, where) if not _below(p, output)]
    if not found and len(findings.errors) == faults:
        findings.add("CB704", f"{shown(pattern)} matches no file", where)
    return found


def _glob(pattern: str, base: Path, findings: Findings, where: Where) -> list[Path]:
    """The files of a pattern, sorted; none, with a finding, where it cannot be used."""
    given = Path(pattern)
    folder = Path(given.anchor) if given.is_absolute() else base
    relative = str(given.relative_to(given.anchor)) if given.is_absolute() else pattern
    try:
        if any("**" in part and part != "**" for part in given.parts):
            # From Python 3.13 on it means "*", and the same jobs file would be other jobs.
            raise ValueError("** stands for whole folders, alone between slashes")
        named = next((k for k, part in enumerate(Path(relative).parts) if glob.has_magic(part)), 0)
        return sorted(p for p in folder.glob(relative) if p.is_file() and not _by_link(p, folder, named))
    except (ValueError, IndexError, NotImplementedError, OSError, RecursionError) as error:
        findings.add("CB702", f"the pattern {shown(pattern)} cannot be used: {error}", where)
        return []


def _by_link(path: Path, folder: Path, named: int) -> bool:
    """Whether a link to a folder leads to a path, below the first `named` parts of it, which somebody wrote."""
    parts = path.relative_to(folder).parts[:-1]
    return any(folder.joinpath(*parts[:k]).is_symlink() for k in range(named + 1, len(parts) + 1))


def _below(path: Path, folder: Path) -> bool:
    return Path(os.path.abspath(path)).is_relative_to(os.path.abspath(folder))


def _job(entry: JobEntry, source: Path, output: Path, options: dict[str, Any], findings: Findings) -> Job | None:
    """One job with its name and folder; None, with findings, where they cannot be."""
    base = Path(os.path.abspath(entry.base))
    relative = relative_to(source, base)
    inside = Path(relative.removeprefix("../").lstrip("/")) if relative.startswith(("/", "../")) else Path(relative)
    to = str(options.get("to", options["do"]))
    fields = {
        "stem": source.stem,
        "path": str(inside.with_suffix("")).replace("../", ""),
        "file": str(inside).replace("../", ""),
        "do": str(options["do"]),
        "to": to,
    }
    name = _filled(entry.spec.name or f"{{path}}/{to}", fields, entry.where("name"), findings)
    place = name if entry.spec.output is None else _filled(entry.spec.output, fields, entry.where("output"), findings)
    folder = _folder(place, output, entry.where("output" if entry.spec.output else "name"), findings)
    if folder is None:
        return None
    if os.path.abspath(entry.base / source) in {str(output / name) for name in _RESERVED}:
        findings.add("CB706", f"the summary of the batch would replace the source {shown(str(source))}", entry.where())
        return None
    rest = {k: v for k, v in options.items() if k not in ("do", *_LIMITS)}
    for key in ("mates", "scenario", "overrides"):
        if key in rest:
            folder_of, text = rest[key]
            rest[key] = relative_to(folder_of / _filled(text, fields, entry.where(key), findings), base)
    for key in FOLDERS:
        if key in rest:
            rest[key] = [relative_to(Path(p), base) for p in rest[key]]
    memory = memory_bytes(options["memory"]) if "memory" in options else None
    where = entry.where()
    return Job(name, options["do"], relative, base, folder, rest, options.get("timeout"), memory, where)


def relative_to(path: Path, base: Path) -> str:
    """A path from `base` on where it lies below it, else absolute; with / on every system."""
    whole = Path(os.path.abspath(base / path))
    return whole.relative_to(base).as_posix() if whole.is_relative_to(base) else whole.as_posix()


def _filled(text: str, fields: dict[str, str], where: Where, findings: Findings) -> str:
    """A text with its {fields} filled in; an unknown one is a finding."""

    def value(found: re.Match[str]) -> str:
        key = found[1]
        if key not in fields:
            known = ", ".join(f"{{{k}}}" for k in fields)
            findings.add("CB702", f"no field {{{shown(key)}}}{nearest(key, fields)}; there are {known}", where)
        return fields.get(key, "")

    return _FIELD.sub(value, text)


def _folder(place: str, output: Path, where: Where, findings: Findings) -> Path | None:
    """The folder of a job below the folder of outputs; None with CB706 where it would lie elsewhere."""
    folder = Path(os.path.abspath(output / place)) if "\0" not in place else output
    if not folder.is_relative_to(output) or folder == output:
        findings.add("CB706", f"{shown(place)} is not below {shown(str(output))}", where)
        return None
    first = folder.relative_to(output).parts[0]
    if first in _RESERVED:
        findings.add("CB706", f"{first} in the folder of outputs is cadbridge's own", where)
        return None
    if any(len(os.fsencode(part)) > _LONGEST_NAME for part in folder.relative_to(output).parts):
        findings.add("CB706", f"the name {shown(place)[:60]}… is too long for a folder", where)
        return None
    real = Path(os.path.realpath(folder))
    if not real.is_relative_to(os.path.realpath(output)):
        findings.add("CB706", f"{shown(place)} leads by a link to {shown(str(real))}", where)
        return None
    return folder


def _refuse_duplicates(jobs: list[Job], findings: Findings) -> None:
    """CB705 for each job whose folder, or whose name, another has, or whose folder lies in another's."""
    folders: dict[str, Job] = {}
    names: dict[str, Job] = {}
    blind = bool(jobs) and ignores_case(Path(jobs[0].folder))
    for job in jobs:
        key = str(job.folder).casefold() if blind else str(job.folder)
        twin = folders.setdefault(key, job)
        if twin is not job:
            message = f"the jobs {shown(job.name)} and {shown(twin.name)} (at {twin.where}) would write to one folder"
            findings.add("CB705", message, job.where)
        elif (twin := names.setdefault(job.name, job)) is not job:
            findings.add("CB705", f"the job at {twin.where} has the same name, {shown(job.name)}", job.where)
    for key, job in folders.items():
        for parent in Path(key).parents:
            holder = folders.get(str(parent))
            if holder is not None:
                inside = f"would write to a folder inside that of the job {shown(holder.name)} (at {holder.where})"
                findings.add("CB705", f"the job {shown(job.name)} {inside}", job.where)
