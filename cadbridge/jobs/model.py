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

    Paths are relative to `base` where they lie below it, so that outputs are the same wherever that folder lies.

    Attributes:
        name: Its name, one among all jobs.
        do: What: "check", "convert", "simulate" or "report".
        source: The source's path.
        base: The folder of the jobs file.
        folder: Where the outputs appear.
        options: Plain data by the names of the jobs file.
        timeout: s; None is no limit.
        memory: Bytes; None takes 90 % of the machine's.
        where: Its place in the jobs file.
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
    """How a job ended: done, failed or not run."""

    DONE = "done"
    FAILED = "failed"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Result:
    """What became of a job.

    Attributes:
        job: The job.
        state: How it ended.
        reason: Why it failed, in a sentence.
        findings: What its run found.
        inputs: The files that were looked at, from `job.base` on, with their SHA-256 (None: not there).
        outputs: The files in `job.folder` with their SHA-256.
        seconds: Wall time, s.
        cpu: Processor time, s.
        memory: Peak of all its processes, bytes.
        cached: Whether nothing had to be computed.
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
        """Read an output that is JSON.

        Args:
            name: Its file's name, such as "check.json".

        Returns:
            Its content.

        Raises:
            OSError: There is no such output.
        """
        return json.loads((self.job.folder / name).read_text("utf-8"))


def shown(name: str) -> str:
    """A name on one line: control characters (line breaks in file names) escaped."""
    return visible(name, lines=False)
