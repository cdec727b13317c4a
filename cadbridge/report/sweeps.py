"""What the terminal and JSON say of a sweep."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.report.document import findings_list
from cadbridge.report.terminal import PIPED, plain_table, wrapped
from cadbridge.report.views.numbers import figure
from cadbridge.sweeps import SweepTable
from cadbridge.sweeps.one import NOT_RUN
from cadbridge.wording import count

_SHOWN = 24
"""Columns that the terminal shows."""


def sweep_document(table: SweepTable, source: str, output: Path) -> dict[str, Any]:
    """The document `cadbridge.sweep/1`: how the runs of a sweep ended, and the range of each column."""
    return {
        **table.document,
        "source": source,
        "table": str(output),
        "runs": len(table),
        "statuses": dict(sorted(table.statuses.items())),
        "columns": [
            {"name": n, "unit": table.units.get(n, ""), "least": least, "most": most}
            for n, (least, most) in _ranges(table).items()
        ],
        "findings": findings_list(table.findings),
    }


def _ranges(table: SweepTable) -> dict[str, tuple[float | None, float | None]]:
    """The least and most of each column of numbers: parameters, then what was kept."""
    found: dict[str, tuple[float | None, float | None]] = {}
    for name, values in table.columns.items():
        if name in ("run", "simulated", "steps") or values.dtype.kind not in "fi":
            continue
        known = values[np.isfinite(values)]
        found[name] = (float(known.min()), float(known.max())) if known.size else (None, None)
    return found


def sweep_text(table: SweepTable, output: Path, columns: int = PIPED) -> str:
    """How a sweep went, with the ranges of its parameters and of what was kept."""
    ends = ", ".join(f"{n} {status.replace('_', ' ')}" for status, n in sorted(table.statuses.items()))
    missing = table.statuses.get(NOT_RUN, 0)
    done = f"{len(table) - missing} of " if missing else ""
    lines = [f"Simulated {done}{count(len(table), 'run')}: {ends}.", f"  table: {output}"]
    ranges = _ranges(table)
    rows = [[n, _shown(a), _shown(b), table.units.get(n, "")] for n, (a, b) in list(ranges.items())[:_SHOWN]]
    more = [f"and {len(ranges) - _SHOWN} more columns"] if len(ranges) > _SHOWN else []
    drawn = plain_table(("column", "least", "most", "unit"), rows, columns, (False, True, True, False)) if rows else ""
    return "\n".join([*wrapped(lines, columns), "", drawn.rstrip("\n"), *more]).rstrip("\n")


def _shown(value: float | None) -> str:
    return "–" if value is None or not math.isfinite(value) else figure(value)
