"""Findings: every fault of an input, with a code, a place, the items it is about, and a cure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cadbridge.catalogue import Severity, Stage

if TYPE_CHECKING:
    from cadbridge.catalogue import Code

__all__ = ["Finding", "Findings", "Severity", "Stage", "Where", "exit_status"]


def _entry(code: str) -> Code:
    """What the catalogue says of a code; it is loaded with the first finding (`cadbridge.catalogue.__getattr__`)."""
    from cadbridge.catalogue import CATALOGUE

    return CATALOGUE[code]


@dataclass(frozen=True, slots=True)
class Where:
    """The place of a finding.

    Attributes:
        file: The file.
        line: The line, from 1.
        column: The column, from 1.
        item: The part, mate or body that it names.
    """

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
class Finding:
    """One fault of an input, or remark about it.

    Attributes:
        code: Its name in the catalogue, such as "CB204"; `cadbridge explain` says what it means.
        severity: How much it matters.
        message: What is wrong, in words.
        where: Its place.
        hint: What to do about it.
        items: All the parts, mates, joints, gears and bodies that it is about, the item of its place first.
    """

    code: str
    severity: Severity
    message: str
    where: Where = field(default_factory=Where)
    hint: str = ""
    items: tuple[str, ...] = ()

    @property
    def stage(self) -> Stage:
        """Where on the way from a file to a result it arose."""
        return _entry(self.code).stage

    @property
    def family(self) -> str:
        """The family of its code."""
        return _entry(self.code).family

    @property
    def weight(self) -> tuple[int, bool, str]:
        """Where it stands among others, the least first: the gravest, masses after what moves, by code."""
        return self.severity.rank, self.stage is Stage.MASS, self.code

    @property
    def leaves_out(self) -> bool:
        """Whether a part of the input is not in the model as the input has it."""
        return _entry(self.code).leaves_out

    def document(self) -> dict[str, Any]:
        """Say it as the JSON documents do.

        Returns:
            Plain data with code, severity, stage, message, where, items and hint.
        """
        return {
            "code": self.code,
            "severity": self.severity.value,
            "stage": self.stage.value,
            "message": self.message,
            "where": str(self.where),
            "items": list(self.items),
            "hint": self.hint,
        }


class Findings:
    """A collector that readers and checks add to; it never raises for a fault of the input."""

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        self._findings: list[Finding] = list(findings)

    def add(
        self, code: str, message: str, where: Where | None = None, hint: str | None = None, items: Iterable[str] = ()
    ) -> Finding:
        """Add a finding; severity and, unless given, the hint come from the catalogue.

        `items`: what the finding is about beside the item of its place. Raises KeyError where the catalogue has no
        such code (a fault of ours).
        """
        entry = _entry(code)
        place = where or Where()
        named = tuple(dict.fromkeys(name for name in (place.item, *items) if name))
        finding = Finding(code, entry.severity, message, place, entry.cure if hint is None else hint, named)
        self._findings.append(finding)
        return finding

    def extend(self, findings: Iterable[Finding]) -> None:
        """Add findings made elsewhere."""
        self._findings.extend(findings)

    def drop(self, code: str) -> None:
        """Take back the findings of a code: another one says what they say."""
        self._findings = [f for f in self._findings if f.code != code]

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


def exit_status(findings: Iterable[Finding], strict: bool = False) -> int:
    """0 fine, 1 the model has errors (strict: or warnings), 2 a part of the input could not be used."""
    items = list(findings)
    if any(f.leaves_out for f in items):
        return 2
    severities = {f.severity for f in items}
    return int(Severity.ERROR in severities or (strict and Severity.WARNING in severities))
