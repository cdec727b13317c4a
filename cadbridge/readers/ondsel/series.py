"""The time series: where another solver says that the parts were."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cadbridge.findings import Where
from cadbridge.readers.ondsel.context import Reader
from cadbridge.readers.ondsel.text import blocks, row
from cadbridge.study import Reference

Array = NDArray[np.float64]
INPUT = "Input"
"""The column of the state before assembly: no result, so it is passed over."""


def read_series(r: Reader, series: list[tuple[int, str]], tolerance: float | None) -> Reference | None:
    """The positions of the parts over time; None where the file has no usable series."""
    t: Array | None = None
    positions: dict[str, Array] = {}
    for kind, owner, lines in blocks(series):
        if kind == "":
            t = _times(r, lines) if lines else None
        elif kind == "PartSeries":
            component = r.component_of.get(owner)
            if component is None or not lines:
                where = Where(str(r.path), lines[0][0] - 1 if lines else None, None, owner)
                r.findings.add("CB1203", f"a series of {owner!r}: no such part, or no lines", where)
                continue
            columns = [_column(r, lines, axis, None if t is None else len(t), owner) for axis in "XYZ"]
            if all(c is not None for c in columns):
                positions[component] = np.array(columns).T * r.length
    if t is None or not positions:
        return None
    return Reference(t, positions, (tolerance or 1e-6) * r.length)


def _times(r: Reader, lines: list[tuple[int, str]]) -> Array | None:
    values = _column(r, lines, "Time", None, "the time series")
    if values is not None and (len(values) < 2 or not np.all(np.diff(values) > 0)):
        r.findings.add("CB1210", "the times do not rise", Where(str(r.path), lines[0][0]))
        return None
    return values


def _column(r: Reader, lines: list[tuple[int, str]], name: str, count: int | None, owner: str) -> Array | None:
    """A named line of numbers without its input column; a finding and None where it cannot be used."""
    named = ((i, text.strip().partition("\t")) for i, text in lines)
    line, found = next(((i, rest) for i, (first, _, rest) in named if first.strip() == name), (lines[0][0], ""))
    _, _, results = found.partition("\t")
    values = row(results)
    if values and (count is None or len(values) == count):
        return np.array(values)
    r.findings.add("CB1210", f"{owner}: the column {name} cannot be used", Where(str(r.path), line, None, owner))
    return None
