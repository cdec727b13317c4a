"""Waiting for a change of what jobs depend on."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path

from cadbridge.errors import MissingExtraError
from cadbridge.jobs.model import Result
from cadbridge.jobs.planning import Plan
from cadbridge.readers import MATES_ENDING, OVERRIDES_ENDING
from cadbridge.touched import read_below

_ENDINGS = (".part", ".tmp", ".swp", "~")
"""Files that editors write beside the one that is edited."""


def changes(plan: Plan, results: Sequence[Result], stop: threading.Event | None = None) -> set[Path]:
    """Wait until files change that these jobs looked at, or that appeared or went below the folder of a jobs file.

    What jobs write is no change. Returns the paths; empty where `stop` was set. What is to be run again needs not
    be recognised by them: the next run knows by the files' content.
    """
    try:
        from watchfiles import watch
    except ImportError:
        raise MissingExtraError("--watch needs watchfiles: pip install 'cadbridge[watch]'") from None
    known = dependencies(plan, results)
    bases = {Path(os.path.realpath(job.base)) for job in plan.jobs} | {p.parent for p in known if p.parent.is_dir()}
    output = Path(os.path.realpath(plan.output))

    def wanted(_: object, path: str) -> bool:
        at = Path(path)
        return not at.is_relative_to(output) and not at.name.endswith(_ENDINGS) and not at.name.startswith(".")

    folders = [b for b in bases if not any(b != other and b.is_relative_to(other) for other in bases)]
    for found in watch(*folders, watch_filter=wanted, stop_event=stop, debounce=400, step=100):
        return {Path(path) for _, path in found}
    return set()


def changed_files(
    source: Path, mates: Path | None = None, ignored: Path | None = None, stop: threading.Event | None = None
) -> set[Path]:
    """Wait until a file changes that reading a source opened, or its mates file or `cadbridge.toml` appears or goes.

    What is `ignored` (an output) is no change. Returns the paths; empty where `stop` was set.
    """
    try:
        from watchfiles import watch
    except ImportError:
        raise MissingExtraError("--watch needs watchfiles: pip install 'cadbridge[watch]'") from None
    folder = Path(os.path.realpath(source)).parent
    names = (source.stem + MATES_ENDING, source.stem + OVERRIDES_ENDING, "cadbridge.toml")
    beside = tuple(folder / name for name in names)
    known = {os.path.realpath(path) for path in (source, *beside, *([mates] if mates else ()), *read_below(folder))}
    if ignored is not None:
        known.discard(os.path.realpath(ignored))
    folders = {Path(path).parent for path in known}
    for found in watch(*folders, watch_filter=lambda _, path: os.path.realpath(path) in known, stop_event=stop,
                       debounce=400, step=100):  # fmt: skip
        return {Path(path) for _, path in found}
    return set()


def dependencies(plan: Plan, results: Sequence[Result]) -> set[Path]:
    """The jobs files, and every file that the jobs looked at."""
    found = {Path(os.path.realpath(path)) for path in plan.files}
    for result in results:
        found |= {Path(os.path.realpath(result.job.base / name)) for name in (result.job.source, *result.inputs)}
    return found
