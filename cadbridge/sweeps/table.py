"""The dataset of a sweep: a row for each run, with its parameters, how it ended, and what was kept of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from cadbridge.errors import InputError
from cadbridge.findings import Finding
from cadbridge.identity import source_files
from cadbridge.shown import sentence
from cadbridge.simulation.trajectory import check_ending, read_parquet, write_table
from cadbridge.sweeps.file import FORMAT
from cadbridge.sweeps.model import Sweep
from cadbridge.sweeps.one import NOT_RUN, RunRow
from cadbridge.wording import count

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import xarray as xr

    from cadbridge.mechanism import Mechanism

Series = tuple[NDArray[np.float64], ...]
OUTCOME = ("run", "status", "simulated", "steps", "findings", "message")
"""The columns that every dataset has."""


@dataclass(frozen=True, eq=False)
class SweepTable:
    """All runs of a sweep, a row for each; `table["column"]` are the values (n,).

    Attributes:
        columns: (n,) by name: parameters, how each run ended, and what was kept of it.
        series: Columns that were kept whole: an array (k,) for each run.
        units: By column.
        parameters: Which columns are parameters.
        document: Of what model and sweep the runs are.
        findings: What was found wrong or remarkable.
        seconds: The processor's time of all runs, s; it is not written to a file.
    """

    columns: dict[str, NDArray[Any]]
    series: dict[str, Series]
    units: dict[str, str]
    parameters: tuple[str, ...]
    document: dict[str, Any] = field(repr=False)
    findings: tuple[Finding, ...] = ()
    seconds: float = 0.0

    def __repr__(self) -> str:
        return sentence("SweepTable", str(self.document.get("source", "")), count(len(self), "run"), *self._ends())

    def _ends(self) -> list[str]:
        return [f"{n} {status}" for status, n in sorted(self.statuses.items())]

    def __len__(self) -> int:
        return len(self.columns["run"])

    def __getitem__(self, column: str) -> NDArray[Any]:
        """Give the values of a column.

        Args:
            column: Its name.

        Returns:
            (n,), or of a series (n, k) with NaN after the end of a shorter run.

        Raises:
            KeyError: There is no such column.
        """
        if column in self.series:
            return padded(self.series[column])
        return self.columns[column]

    @property
    def statuses(self) -> dict[str, int]:
        """How many runs ended how."""
        return dict(Counter(map(str, self.columns["status"])))

    def to_pandas(self) -> pd.DataFrame:
        """Make a DataFrame by run; a series is an array in each cell.

        Returns:
            The DataFrame.

        Raises:
            InputError: pandas is not installed (the extra `tables`).
        """
        try:
            import pandas as pd
        except ImportError as missing:
            raise InputError("to_pandas needs pandas: pip install 'cadbridge[tables]'.") from missing
        data: dict[str, Any] = {name: values for name, values in self.columns.items() if name != "run"}
        data |= {name: list(values) for name, values in self.series.items()}
        frame = pd.DataFrame(data, index=pd.Index(self.columns["run"], name="run"))
        frame.attrs.update(units=self.units, parameters=list(self.parameters), document=self.document)
        return frame

    def to_xarray(self) -> xr.Dataset:
        """Make a Dataset over run, and sample for series; parameters are coordinates.

        Returns:
            The Dataset.

        Raises:
            InputError: xarray is not installed (the extra `tables`).
        """
        try:
            import xarray as xr
        except ImportError as missing:
            raise InputError("to_xarray needs xarray: pip install 'cadbridge[tables]'.") from missing
        given = {n: ("run", v, {"units": self.units.get(n, "")}) for n, v in self.columns.items()}
        coordinates = {n: given.pop(n) for n in ("run", *self.parameters)}
        whole = {n: (("run", "sample"), self[n], {"units": self.units.get(n, "")}) for n in self.series}
        return xr.Dataset(given | whole, coordinates, {FORMAT: json.dumps(self.document, sort_keys=True)})


def padded(series: Series) -> NDArray[np.float64]:
    """Arrays of different lengths as rows (n, k), with NaN after their ends."""
    found = np.full((len(series), max(map(len, series), default=0)), np.nan)
    for row, values in zip(found, series, strict=True):
        row[: len(values)] = values
    return found


def table_of(mechanism: Mechanism, sweep: Sweep, points: Sequence[Sequence[Any]], rows: Sequence[RunRow]) -> SweepTable:
    """The dataset of some rows; runs without a row were not run."""
    n = sweep.count
    by_run = {row.run: row for row in rows}
    every = [by_run.get(run) or RunRow(run, NOT_RUN) for run in range(n)]
    columns: dict[str, NDArray[Any]] = {"run": np.arange(n)}
    units = {p.name: p.unit for p in sweep.parameters} | {"simulated": "s"}
    for parameter, values in zip(sweep.parameters, points, strict=True):
        columns[parameter.name] = _values(values)
    columns |= {
        "status": np.array([row.status for row in every], dtype=object),
        "simulated": np.array([row.simulated for row in every]),
        "steps": np.array([row.steps for row in every]),
        "findings": np.array([" ".join(row.findings) for row in every], dtype=object),
        "message": np.array([row.message for row in every], dtype=object),
    }
    kept, series, found = _gathered(every)
    return SweepTable(
        columns | kept,
        series,
        units | found,
        tuple(p.name for p in sweep.parameters),
        _document(mechanism, sweep),
        seconds=sum(row.seconds for row in rows),
    )


def _values(values: Sequence[Any]) -> NDArray[Any]:
    """Numbers as floats; anything else as JSON."""
    if all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
        return np.array(values, dtype=float)
    return np.array([v if isinstance(v, str) else json.dumps(v) for v in values], dtype=object)


def _gathered(rows: Sequence[RunRow]) -> tuple[dict[str, NDArray[Any]], dict[str, Series], dict[str, str]]:
    """What the runs kept: columns with NaN where a run has none, series, units."""
    units: dict[str, str] = {}
    places: dict[tuple[str, ...], list[int]] = {}
    columns: dict[str, NDArray[np.float64]] = {}
    whole: dict[str, list[NDArray[np.float64]]] = {}
    for k, row in enumerate(rows):
        if row.names not in places:
            units |= dict(zip(row.names, row.units, strict=True))
            scalars = [name for name in row.names if name not in row.series]
            for name in scalars:
                columns.setdefault(name, np.full(len(rows), np.nan))
            for name in row.series:
                whole.setdefault(name, [np.zeros(0)] * len(rows))
            places[row.names] = []
        for name, value in zip(row.names, row.values, strict=False):
            columns[name][k] = value
        for name, values in row.series.items():
            whole[name][k] = values
    return cast("dict[str, NDArray[Any]]", columns), {n: tuple(v) for n, v in whole.items()}, units


def _document(mechanism: Mechanism, sweep: Sweep) -> dict[str, Any]:
    """What the dataset says of itself."""
    return {
        "format": FORMAT,
        "source": Path(mechanism.assembly.source).name,
        "model": source_files(mechanism.assembly),
        "parameters": [{"name": p.name, "unit": p.unit, "drawn": p.drawn is not None} for p in sweep.parameters],
        "samples": sweep.samples,
        "seed": sweep.seed,
        "keep": {"final": list(sweep.final), "extremes": list(sweep.extremes), "series": list(sweep.series)},
    }


def write_sweep(table: SweepTable, path: str | Path) -> None:
    """Write a dataset as Parquet or CSV, by the ending of the name.

    The file appears whole or not at all.

    Args:
        table: The runs, as `sweep` or `load_sweep` gives them.
        path: The file, its name with the ending .parquet or .csv.

    Raises:
        InputError: The ending is another, a CSV shall hold series, or the file cannot be written.
    """
    path = Path(path)
    check_ending(path)
    if path.suffix.lower() == ".csv" and table.series:
        raise InputError(f"{path}: a CSV has no place for series; write the sweep as .parquet.")
    write_table(arrow_of(table), path)


def arrow_of(table: SweepTable) -> pa.Table:
    """The dataset as an Arrow table: a series is a list in each row; the document is in the schema's metadata."""
    import pyarrow as pa

    arrays: dict[str, Any] = {name: pa.array(values.tolist()) for name, values in table.columns.items()}
    arrays |= {name: pa.array(values, pa.list_(pa.float64())) for name, values in table.series.items()}
    fields = [pa.field(n, a.type, metadata={"unit": table.units.get(n, "")}) for n, a in arrays.items()]
    document = {FORMAT: json.dumps(table.document, sort_keys=True)}
    return pa.table(list(arrays.values()), schema=pa.schema(fields, metadata=document))


def load_sweep(path: str | Path) -> SweepTable:
    """Read the Parquet dataset of a sweep back.

    Args:
        path: A file that `write_sweep` or `cadbridge simulate --sweep` wrote as Parquet.

    Returns:
        The runs as they were written, with their units; their findings and seconds are not kept.

    Raises:
        InputError: The file is not there, is no sweep of ours, is damaged, or is a CSV, which keeps no units.
    """
    import pyarrow as pa

    path = Path(path)
    if path.suffix.lower() == ".csv":
        raise InputError(f"{path}: a CSV keeps no units and no model; write the sweep as .parquet.")
    table = read_parquet(path, "a sweep")
    stored = (table.schema.metadata or {}).get(FORMAT.encode())
    if stored is None or any(name not in table.column_names for name in OUTCOME):
        raise InputError(f"{path} is Parquet, but no {FORMAT}.")
    try:
        document = json.loads(stored)
        parameters = tuple(str(p["name"]) for p in document["parameters"])
    except (ValueError, KeyError, TypeError) as fault:
        raise InputError(f"{path}: the metadata of the table cannot be read: {fault}") from fault
    units = {f.name: (f.metadata or {}).get(b"unit", b"").decode() for f in table.schema}
    columns: dict[str, NDArray[Any]] = {}
    series: dict[str, Series] = {}
    for name in table.column_names:
        column = table.column(name)
        if pa.types.is_list(column.type):
            series[name] = tuple(np.asarray(v if v is not None else [], float) for v in column.to_pylist())
        else:
            columns[name] = column.to_numpy(zero_copy_only=False)
    if missing := [name for name in parameters if name not in columns]:
        raise InputError(f"{path} has no column {missing[0]}; it is not a complete {FORMAT}.")
    return SweepTable(columns, series, units, parameters, document)
