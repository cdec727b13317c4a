"""The matrices of a tree, for people, for programs, and as files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.documents import FORMATS
from cadbridge.errors import InputError
from cadbridge.files import output, write_text
from cadbridge.findings import Finding
from cadbridge.report.document import findings_list
from cadbridge.report.terminal import PIPED, plain_table, wrapped
from cadbridge.wording import count

if TYPE_CHECKING:
    from cadbridge.tree.links import Rate
    from cadbridge.tree.matrices import Matrices

Array = NDArray[np.float64]

FORMAT = FORMATS["matrices"]
MOST_NUMBERS = 4_000_000
"""Numbers that a JSON document takes: of more links the matrices are for `-o NAME.npz`."""
RATES_SHOWN = 12
"""Rates whose inertia matrix the terminal shows whole."""
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
WRENCH = ("fx", "fy", "fz", "tx", "ty", "tz")


def labels(found: Matrices) -> dict[str, tuple[list[str], list[str]]]:
    """What rows and columns of each table are called; a vector's one column is `value`."""
    rates = [rate.name for rate in found.of.rates]
    links = list(found.of.names)
    twists = [f"{link}.{part}" for link in links for part in TWIST]
    value, q = ["value"], [f"q{i + 1}" for i in range(len(found.q))]
    return {
        "inertia": (rates, rates), "U": (rates, rates), "D": (rates, value), "Nl": (twists, twists),
        "Nd": (twists, rates), "N": (twists, rates), "topology": (links, links),
        "closing": (list(found.of.closing_rows()), rates), "q": (q, value), "rates": (rates, value),
        "accelerations": (rates, value), "efforts": (rates, value), "base": (list(WRENCH), value),
        "origins": (links, ["x", "y", "z"]),
    }  # fmt: skip


def matrices_document(found: Matrices, findings: Iterable[Finding]) -> dict[str, Any]:
    """The document `cadbridge.matrices/1`; InputError where it would be too large."""
    tables = found.tables()
    size = sum(table.size for table in tables.values())
    if size > MOST_NUMBERS:
        raise InputError(
            f"The matrices of {len(found.of.names)} links are {size:,} numbers: write them with -o NAME.npz."
        )
    of = found.of
    return {
        "format": FORMAT,
        "source": of.lowered.mechanism.assembly.source,
        "time_s": found.state.t,
        "gravity": list(of.tree.gravity),
        "links": [
            {"name": link.name, "parent": None if link.parent < 0 else of.names[link.parent], "joint": joint or None,
             "type": link.joint, "mass": _number(link.mass)}
            for link, joint in zip(of.tree.links, of.joints, strict=True)
        ],
        "rate_names": [{"name": rate.name, "unit": f"{rate.unit}/s"} for rate in of.rates],
        "closing_rows": list(of.closing_rows()),
        **{name: _numbers(table) for name, table in tables.items()},
        "findings": findings_list(tuple(findings)),
    }  # fmt: skip


def matrices_text(found: Matrices, columns: int = PIPED) -> str:
    """The tree, the inertia matrix with its factors, and the base reaction."""
    of, nv = found.of, len(found.of.rates)
    closing = count(
        len(of.closing), "row of a loop, gear or coupling closes", "rows of loops, gears and couplings close"
    )
    closed = f"; {closing} it" if len(of.closing) else ""
    f, t = (", ".join(f"{v:.6g}" for v in _clean(part)) for part in (found.base[:3], found.base[3:]))
    lines = [
        of.lowered.mechanism.assembly.name,
        f"  a tree of {count(len(of.names), 'link')} and {count(nv, 'rate')}{closed}",
        f"  base reaction on the ground: force ({f}) N, moment ({t}) N m about the world's origin",
    ]
    text = "\n".join(wrapped(lines, columns)) + "\n"
    links = [
        (link.name, "ground" if link.parent < 0 else of.names[link.parent], joint or "–", link.joint)
        for link, joint in zip(of.tree.links, of.joints, strict=True)
    ]
    text += "\nLinks (the topology matrix)\n" + plain_table(("link", "on", "joint", "type"), links, columns)
    rows = [
        (rate.name, _unit(rate), f"{i:.6g}", f"{d:.6g}", f"{e:.6g}")
        for rate, i, d, e in zip(of.rates, np.diag(found.inertia), found.D, _clean(found.efforts), strict=True)
    ]
    head = ("rate", "unit", "inertia (diagonal)", "D", "effort of the tree cut open")
    numeric = [False, False, True, True, True]
    text += "\nRates: 𝑰 = U D Uᵀ\n" + plain_table(head, rows, columns, numeric)
    if nv <= RATES_SHOWN:
        names = [rate.name for rate in of.rates]
        cells = [(name, *(f"{v:.5g}" for v in row)) for name, row in zip(names, _clean(found.inertia), strict=True)]
        text += "\nInertia matrix\n" + plain_table(("", *names), cells, columns, [False] + [True] * nv)
    return text.rstrip()


def _unit(rate: Rate) -> str:
    return "kg m²" if rate.unit == "rad" else "kg"


def write_matrices(found: Matrices, path: Path) -> None:
    """Write all tables into NAME.npz, or into a folder as one CSV each; InputError where that cannot be."""
    tables, names = found.tables(), labels(found)
    if path.suffix.lower() == ".npz":
        with output(path) as temporary, temporary.open("wb") as file:
            named: dict[str, Any] = dict(tables)
            for key, (rows, columns) in names.items():
                named |= {f"{key}.rows": np.array(rows), f"{key}.columns": np.array(columns)}
            np.savez(file, **named)
        return
    if path.suffix:
        raise InputError(f"{path}: name a file NAME.npz, or a folder (without an ending) for one CSV each.")
    for key, table in tables.items():
        write_text(path / f"{key}.csv", _csv(table, *names[key]))


def _csv(table: Array, rows: list[str], columns: list[str]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["", *columns])
    for name, values in zip(rows, table.reshape(len(rows), len(columns)), strict=True):
        writer.writerow([name, *(repr(float(v)) for v in values)])
    return stream.getvalue()


def _clean(table: Array) -> Array:
    """What is rounding beside the largest entry is 0."""
    largest = float(np.max(np.abs(table), initial=0.0))
    # Of the largest entry: rounding of the sums that make an entry which is zero.
    return np.where(np.abs(table) > 1e-12 * largest, table, 0.0)


def _number(value: float) -> float:
    return float(f"{value:.12g}") + 0.0


def _numbers(table: Array) -> Any:
    return [_numbers(row) for row in table] if table.ndim > 1 else [_number(float(v)) for v in table]
