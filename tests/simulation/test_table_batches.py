"""A long table is written in batches, between which Ctrl-C is heard: nothing half-written is left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from cadbridge.simulation import trajectory


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
@pytest.mark.parametrize("rows", [0, 7])
def test_a_table_of_many_batches_is_whole(tmp_path: Path, ending: str, rows: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(trajectory, "CELLS_AT_ONCE", 4)
    table = pa.table({"time": [0.5 * k for k in range(rows)], "x": [float(k) for k in range(rows)]})
    path = tmp_path / f"run{ending}"
    trajectory.write_table(table, path)
    read = pa_csv.read_csv(path) if ending == ".csv" else pq.ParquetFile(path).read()
    assert read.to_pydict() == table.to_pydict()


def test_ctrl_c_between_batches_leaves_nothing(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(trajectory, "CELLS_AT_ONCE", 4)
    written: list[int] = []
    write = pq.ParquetWriter.write_table

    def stopped(self: Any, table: pa.Table, *how: Any) -> None:
        if written:
            raise KeyboardInterrupt
        written.append(table.num_rows)
        write(self, table, *how)

    monkeypatch.setattr(pq.ParquetWriter, "write_table", stopped)
    with pytest.raises(KeyboardInterrupt):
        trajectory.write_table(pa.table({"time": [0.0] * 9, "x": [1.0] * 9}), tmp_path / "run.parquet")
    assert written == [2]
    assert list(tmp_path.iterdir()) == []
