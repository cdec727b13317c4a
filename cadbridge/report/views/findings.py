"""Findings in the order in which a person wants to read them: gravest first, those of one code together."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from pathlib import PurePath

from cadbridge.findings import Finding, Where


def grouped(found: Iterable[Finding]) -> list[list[Finding]]:
    """Findings of one code together: codes by severity, those with very many findings after the others."""
    by_code: dict[str, list[Finding]] = {}
    for finding in found:
        by_code.setdefault(finding.code, []).append(finding)
    groups = [list(g) for same in by_code.values() for _, g in groupby(same, key=lambda f: f.severity)]
    return sorted(groups, key=lambda g: (g[0].severity.rank, len(g) > 20, g[0].weight))


def place(where: Where) -> Where:
    """The place of a finding or mate without the folders of this machine: a page is forwarded."""
    if where.file is None or not PurePath(where.file).is_absolute():
        return where
    return replace(where, file=PurePath(where.file).name)


def forwarded(finding: Finding) -> Finding:
    """A finding that names files as seen from its own file, where that was read by its whole path."""
    shown = place(finding.where)
    if shown is finding.where:
        return finding
    folder = f"{PurePath(finding.where.file or '').parent}{os.sep}"
    message, cure = (text.replace(folder, "") for text in (finding.message, finding.hint))
    return replace(finding, where=shown, message=message, hint=cure)
