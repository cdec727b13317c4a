"""What the catalogue says of a code: severity, stage, meaning, cure, example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding matters, gravest first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the gravest, for sorting."""
        return list(Severity).index(self)


class Stage(StrEnum):
    """Where on the way from a file to a result a finding arises; the words that --select and --ignore take."""

    READING = "reading"
    MATES = "mates"
    GEARS = "gears"
    MASS = "mass"
    MOBILITY = "mobility"
    COMPARISON = "comparison"
    SIMULATION = "simulation"
    INVERSE = "inverse"
    EXPORT = "export"
    VIEW = "view"
    JOBS = "jobs"


@dataclass(frozen=True, slots=True)
class Entry:
    """One code as a catalogue file writes it.

    `meaning` says what is wrong and why it matters, `cure` how to put it right, `example` shows a case.
    `stage` and `leaves_out` are the family's unless an entry says otherwise. `formerly` are codes that said the same
    of single formats: `explain`, --select and --ignore still know them.
    """

    severity: Severity
    title: str
    meaning: str
    cure: str
    example: str = ""
    stage: Stage | None = None
    leaves_out: bool | None = None
    formerly: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Code:
    """An entry completed by its family: all that is known of a code.

    `leaves_out`: a part of the input is not in the model as the input has it, so the model would move
    differently. Whatever computes or writes a motion refuses such a model, and the exit status is 2.
    """

    code: str
    family: str
    stage: Stage
    severity: Severity
    title: str
    meaning: str
    cure: str
    example: str
    leaves_out: bool
    formerly: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Family:
    """Codes of one subject; `name` is a word of --select and --ignore.

    A name that is also a stage's stands for the same codes or fewer: then the word means the stage.
    `errors_leave_out`: whether an error of this family leaves a part of the input out, unless its entry says otherwise.
    """

    name: str
    title: str
    stage: Stage
    entries: Mapping[str, Entry]
    errors_leave_out: bool = False

    def codes(self) -> Iterator[Code]:
        """The entries, with what the family says where they say nothing."""
        for code, e in self.entries.items():
            leaves_out = self.errors_leave_out and e.severity is Severity.ERROR
            yield Code(
                code=code,
                family=self.name,
                stage=e.stage or self.stage,
                severity=e.severity,
                title=e.title,
                meaning=e.meaning,
                cure=e.cure,
                example=e.example,
                leaves_out=leaves_out if e.leaves_out is None else e.leaves_out,
                formerly=e.formerly,
            )
