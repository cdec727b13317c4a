"""Findings: every fault of an input, with a code, a place and a way to mend it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from cadbridge.errors import InputError, ModelError


class Severity(StrEnum):
    """How much a finding matters, gravest first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Where:
    """The place of a finding: a file, a line (from 1), and the part, mate or body it names."""

    file: str | None = None
    line: int | None = None
    column: int | None = None
    item: str | None = None

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place += f":{self.line}"
            if self.column is not None:
                place += f":{self.column}"
        if self.item and place:
            return f"{place} ({self.item})"
        return place or self.item or ""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a code means, once for all findings that bear it.

    `meaning` says what is wrong and why it matters, `mend` how to put it right,
    `example` shows a case.
    """

    severity: Severity
    title: str
    meaning: str
    mend: str
    example: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault or remark about an input."""

    code: str
    severity: Severity
    message: str
    where: Where = field(default_factory=Where)
    hint: str = ""


class Findings:
    """A collector that readers and checks add to; it never raises for a fault of the input."""

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        self._findings: list[Finding] = list(findings)

    def add(self, code: str, message: str, where: Where | None = None, hint: str | None = None) -> Finding:
        """Add a finding; severity and, unless given, the hint come from the catalogue.

        Raises KeyError where the catalogue has no such code (a fault of ours).
        """
        from cadbridge.catalogue import CATALOGUE

        entry = CATALOGUE[code]
        finding = Finding(code, entry.severity, message, where or Where(), entry.mend if hint is None else hint)
        self._findings.append(finding)
        return finding

    def extend(self, findings: Iterable[Finding]) -> None:
        """Add findings made elsewhere."""
        self._findings.extend(findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._findings)

    def __len__(self) -> int:
        return len(self._findings)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings of severity error."""
        return tuple(f for f in self._findings if f.severity is Severity.ERROR)

    def as_tuple(self) -> tuple[Finding, ...]:
        """All findings in the order they were added."""
        return tuple(self._findings)


_KEPT = ("CB206", "CB207")
"""Errors that leave nothing out: mates that the placements do not fulfil are still held."""


def refuse_incomplete(findings: Iterable[Finding], keep_going: bool = False) -> None:
    """Stop where an error of the input (CB1…, CB2…) left something out: what is left would move differently.

    For whatever computes or writes a motion; with `keep_going` the person has said that it shall. InputError or
    ModelError, with all the findings.
    """
    items = tuple(findings)
    left_out = [
        f for f in items
        if f.severity is Severity.ERROR and f.code.startswith(("CB1", "CB2")) and f.code not in _KEPT
    ]  # fmt: skip
    if not left_out or keep_going:
        return
    n = len(left_out)
    what = f"{n} fault{'s' * (n > 1)} left something out, and the rest would move differently"
    kind = InputError if exit_status(items) == 2 else ModelError
    raise kind(f"{what}; mend {'them' if n > 1 else 'it'}, or go on without by --keep-going", items)


def exit_status(findings: Iterable[Finding], strict: bool = False) -> int:
    """0 fine, 1 the model has errors (strict: or warnings), 2 the input has errors (codes CB1xx)."""
    items = list(findings)
    errors = [f for f in items if f.severity is Severity.ERROR]
    if any(f.code.startswith("CB1") for f in errors):
        return 2
    if errors or (strict and any(f.severity is Severity.WARNING for f in items)):
        return 1
    return 0
