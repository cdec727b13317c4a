"""Findings in the order in which a person wants to read them: gravest first, those of one code together."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from cadbridge.findings import Finding


def grouped(found: Iterable[Finding]) -> list[list[Finding]]:
    """Findings of one code together: codes by severity, those with very many findings after the others."""
    by_code: dict[str, list[Finding]] = {}
    for finding in found:
        by_code.setdefault(finding.code, []).append(finding)
    groups = [list(g) for same in by_code.values() for _, g in groupby(same, key=lambda f: f.severity)]
    return sorted(groups, key=lambda g: (g[0].severity.rank, len(g) > 20, g[0].code))
