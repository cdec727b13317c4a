"""A trajectory read back from its file, with the units, groups and model that it was written with."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.errors import InputError
from cadbridge.shown import sentence
from cadbridge.simulation.groups import chosen
from cadbridge.simulation.trajectory import FORMAT, stored_trajectory
from cadbridge.wording import count

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


@dataclass(frozen=True, eq=False)
class LoadedTrajectory:
    """The table of a run, read back; `table["joint.A1.q"]` are the values (k,) of a column.

    Attributes:
        array: (k,) with a field of floats for each column.
        units: By column.
        groups: By column.
        document: What the run says of itself: source, model (SHA-256 by file), bodies, joints, gears, summary.
    """

    array: NDArray[np.void]
    units: dict[str, str]
    groups: dict[str, str]
    document: dict[str, Any] = field(repr=False)

    def __repr__(self) -> str:
        t = self["time"]
        samples = f"{t[-1] - t[0]:.4g} s" if len(t) else ""
        name = str(self.document.get("source", ""))
        return sentence("LoadedTrajectory", name, samples, count(len(t), "sample"), count(len(self.units), "column"))

    def __getitem__(self, column: str) -> NDArray[np.float64]:
        """Give the values of a column.

        Args:
            column: Its name.

        Returns:
            (k,).

        Raises:
            KeyError: There is no such column.
        """
        if column not in self.units:
            raise KeyError(column)
        return np.asarray(self.array[column])

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the order of the table."""
        return tuple(self.units)

    @property
    def model(self) -> dict[str, str]:
        """SHA-256 by the name of each file that the model was read from: what distinguishes it from another."""
        return dict(self.document.get("model", {}))

    def select(self, *wanted: str) -> LoadedTrajectory:
        """Choose columns, always with the time.

        Args:
            *wanted: Names of groups, and patterns of columns such as "joint.A1.*".

        Returns:
            A table of these columns.

        Raises:
            InputError: A name is neither.
        """
        names = chosen(self.columns, wanted)
        units, groups = ({n: of[n] for n in names} for of in (self.units, self.groups))
        return LoadedTrajectory(_structured({n: self[n] for n in names}), units, groups, self.document)

    def to_pandas(self) -> pd.DataFrame:
        """Make a DataFrame by time, with units, groups and document in its `attrs`.

        Returns:
            The DataFrame.

        Raises:
            InputError: pandas is not installed (the extra `tables`).
        """
        try:
            import pandas as pd
        except ImportError as missing:
            raise InputError("to_pandas needs pandas: pip install 'cadbridge[tables]'.") from missing
        data = {n: self[n] for n in self.columns if n != "time"}
        frame = pd.DataFrame(data, index=pd.Index(self["time"], name="time"))
        frame.attrs.update(units=self.units, groups=self.groups, document=self.document)
        return frame

    def to_xarray(self) -> xr.Dataset:
        """Make a Dataset over time, each variable with its `units` and `group`.

        Returns:
            The Dataset.

        Raises:
            InputError: xarray is not installed (the extra `tables`).
        """
        try:
            import xarray as xr
        except ImportError as missing:
            raise InputError("to_xarray needs xarray: pip install 'cadbridge[tables]'.") from missing
        variables = {
            n: ("time", self[n], {"units": self.units[n], "group": self.groups[n]}) for n in self.columns if n != "time"
        }
        times = {"time": ("time", self["time"], {"units": self.units["time"]})}
        return xr.Dataset(variables, coords=times, attrs={FORMAT: json.dumps(self.document, sort_keys=True)})


def load_trajectory(path: str | Path) -> LoadedTrajectory:
    """Read the Parquet table of a run back, in the units in which it was written.

    Args:
        path: A file that `write_trajectory` or `cadbridge simulate -o` wrote as Parquet.

    Returns:
        The columns with their units and groups, and what the run says of itself.

    Raises:
        InputError: The file is not there, is no trajectory of ours, is damaged, or is a CSV, which keeps no units.
    """
    path = Path(path)
    if path.suffix.lower() == ".csv":
        raise InputError(f"{path}: a CSV keeps no units and no model; write the run as .parquet.")
    table = stored_trajectory(path)
    metadata = {field.name: field.metadata or {} for field in table.schema}
    units = {name: data.get(b"unit", b"").decode() for name, data in metadata.items()}
    groups = {name: data.get(b"group", b"").decode() for name, data in metadata.items()}
    try:
        document = json.loads(table.schema.metadata[FORMAT.encode()])
    except ValueError as fault:
        raise InputError(f"{path}: the metadata of the table is not JSON: {fault}") from fault
    columns = {name: np.asarray(table.column(name).to_numpy(), dtype=float) for name in table.column_names}
    return LoadedTrajectory(_structured(columns), units, groups, document)


def _structured(columns: dict[str, NDArray[np.float64]]) -> NDArray[np.void]:
    """Columns (k,) as one array (k,) with a field for each."""
    found: NDArray[np.void] = np.zeros(len(columns["time"]), dtype=[(name, float) for name in columns])
    for name, values in columns.items():
        found[name] = values
    return found
