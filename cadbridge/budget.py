"""How much one input may expand to, so that a small file cannot fill the memory or disk of a machine.

Each limit is checked before or while the file is read; its message names the option that raises it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where

OPTION = "--allow-larger"

LIMITS = {
    "tags": (4_000_000, "tags of XML"),
    "marks": (15_000_000, "values and keys of JSON"),
    "vertices": (20_000_000, "vertices of shapes"),
    "cells": (100_000_000, "numbers of a table"),
    "mesh bytes": (512 << 20, "bytes of a mesh file"),
}
"""By kind: how many, and what they are. A robot of 20,000 links takes a tenth; each kind at its limit about 1 GB."""

_times = 1.0


def allow(times: float) -> None:
    """Raise all limits of this process by a factor, as `--allow-larger` does."""
    global _times
    _times = times


def beyond(kind: str, count: int, subject: str) -> str:
    """Why so many are too many, and the option that allows them; "" where they are not."""
    most, what = LIMITS[kind]
    allowed = most * _times
    if count <= allowed:
        return ""
    return f"{subject} has more than {allowed:,.0f} {what}; {OPTION} {_needed(count / most)} allows them"


def _needed(times: float) -> int:
    return int(times * 1.1) + 1


def refuse(kind: str, count: int, subject: str, findings: Findings, where: Where) -> None:
    """InputError (CB108) if a subject has more than may be read."""
    if why := beyond(kind, count, subject):
        findings.add("CB108", why, where)
        raise InputError(why, findings)


@dataclass
class Counted:
    """What a source has made so far, of one kind."""

    kind: str
    subject: str
    count: int = 0
    kept: set[str] = field(default_factory=set)

    def add(self, count: int, findings: Findings, where: Where) -> None:
        """Count more; InputError (CB108) beyond the limit."""
        self.count += count
        refuse(self.kind, self.count, self.subject, findings, where)

    def keep(self, key: str, before: int) -> None:
        """Take back what was counted since `before` if it made again what is kept: that is shared."""
        if key in self.kept:
            self.count = before
        self.kept.add(key)
