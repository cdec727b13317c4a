"""What a job is, and what became of it: plain frozen data."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from cadbridge.findings import Finding, Where
from cadbridge.visible import visible


@dataclass(frozen=True)
class Job:
    """One thing to do to one source.

    `source` and all paths in `options` are relative to `base` (the folder of the jobs file) where they lie
    below it, so that outputs are the same wherever that folder lies. `folder` is where the outputs appear.
    `options` holds plain data by the names of the jobs file. `timeout` in seconds, `memory` in bytes.
    """

    name: str
    do: str
    source: str
    base: Path
    folder: Path
    options: dict[str, Any] = field(default_factory=dict)
    timeout: float | None = None
    memory: int | None = None
    where: Where = field(default_factory=Where)

    @property
    def order(self) -> dict[str, Any]:
        """What is requested, without where it is put or what it may use: the part that its outputs depend on."""
        return {"do": self.do, "source": self.source, "options": self.options}


class State(StrEnum):
    """How a job ended."""

    DONE = "done"
    FAILED = "failed"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Result:
    """What became of a job.

    `reason` says in a sentence why it failed. `inputs` are the files that were looked at, from `job.base` on, with
    their SHA-256 (None: not there). `outputs` are the files in `job.folder` with their SHA-256.
    `cached` reports that nothing had to be computed. `seconds` is wall time, `cpu` processor time and `memory`
    the peak in bytes of all its processes.
    """

    job: Job
    state: State
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    inputs: dict[str, str | None] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    cpu: float = 0.0
    memory: int = 0
    cached: bool = False

    @property
    def ok(self) -> bool:
        """Whether the job did what was asked and the model has no errors."""
        return self.state is State.DONE

    def read(self, name: str) -> Any:
        """The content of a JSON output, such as "check.json"."""
        return json.loads((self.job.folder / name).read_text("utf-8"))


def shown(name: str) -> str:
    """A name on one line: control characters (line breaks in file names) escaped."""
    return visible(name, lines=False)
