"""The trajectory as a table with named columns and units (docs/trajectory.md), as Parquet or CSV."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.budget import beyond
from cadbridge.errors import InputError
from cadbridge.files import output
from cadbridge.identity import source_files
from cadbridge.simulation.acting import load_columns, loss_columns, motor_columns, stored
from cadbridge.simulation.changes import lock_name, released_at
from cadbridge.simulation.groups import chosen, group_of, in_units
from cadbridge.simulation.joint_wrenches import attachment, gear_wrench_columns, mate_columns, reaction_columns
from cadbridge.simulation.run import Run
from cadbridge.simulation.samples import Columns, Samples
from cadbridge.touched import looked_for
from solver.constraints.gears import error_scale

if TYPE_CHECKING:
    import pyarrow as pa

Array = NDArray[np.float64]
FORMAT = "cadbridge.trajectory/1"
TRUSTED = "check.trusted"
"""The column that says of each sample whether it is what the run promises."""


def columns_of(run: Run) -> Columns:
    """All columns of a run, each with its unit, in the order in which they are documented."""
    columns = Samples(run).table(MAKERS)
    if run.lowered.stand_ins:
        columns |= {name: (np.full_like(v, np.nan), u) for name, (v, u) in columns.items() if _needs_masses(name, u)}
    return columns


def motion_columns(run: Run) -> Columns:
    """The columns that follow from the motion alone, without forces: bodies, joints, energies, checks."""
    return Samples(run).table((_time, body_columns, joint_columns, lambda of: _energies(of, 0.0), _checks))


def _time(of: Samples) -> Columns:
    return {"time": (of.T.t, "s")}


def _by_stiffness(of: Samples) -> Columns:
    """See `by_stiffness_columns`; what shares forces by stiffness is loaded only where the rows of mates are kept."""
    if of.run.lowered.collapsed:
        return {}
    from cadbridge.simulation.by_stiffness import by_stiffness_columns

    return by_stiffness_columns(of)


def _elastic(of: Samples) -> Columns:
    """The wrenches of springs in place of mates that repeat each other, where a run with them was made."""
    columns: Columns = {}
    elastic = of.run.elastic
    for name, (values, unit) in (elastic.columns or {}).items() if elastic is not None else ():
        padded = np.full(len(of.T.t), np.nan)
        padded[: len(values)] = values[: len(padded)]
        columns[f"elastic.{name.partition('.')[2]}"] = (padded, unit)
    return columns


def _checks(of: Samples) -> Columns:
    """How far rows are open, and whether each sample is what the run promises: 1, 0, or NaN where nobody looked."""
    T, verdict = of.T, of.run.verdict
    trusted = np.full(len(T.t), np.nan) if verdict is None else verdict.samples
    return {
        "constraint.position": (T.constraint_position, "1"),
        "constraint.velocity": (T.constraint_velocity, "1"),
        TRUSTED: (trusted, "1"),
    }


def energy_columns(of: Samples) -> Columns:
    """The energies, with what circuits store."""
    return _energies(of, stored(of.once(motor_columns)) if of.run.scenario.circuits else 0.0)


def _energies(of: Samples, stores: Array | float) -> Columns:
    """The balance: kinetic + potential + stored − motor_work + dissipated stays what it was but for `balance`."""
    T = of.T
    total = T.kinetic + T.potential - T.motor_work + T.dissipated
    columns: Columns = {"energy.kinetic": (T.kinetic - stores, "J"), "energy.potential": (T.potential, "J")}
    if of.run.scenario.circuits:
        columns["energy.stored"] = (stores + np.zeros_like(T.kinetic), "J")
    columns["energy.motor_work"] = (T.motor_work, "J")
    columns["energy.dissipated"] = (T.dissipated, "J")
    columns["energy.balance"] = (total - total[0] if len(total) else total, "J")
    return columns


def _needs_masses(name: str, unit: str) -> bool:
    """Whether a column means nothing where masses only stand in."""
    return name.startswith("energy.") or unit in ("N", "N m", "W")


def body_columns(of: Samples) -> Columns:
    """Poses and velocities of the bodies' frames B (the solver's are at the centres of mass)."""
    T, columns = of.T, {}
    for i, unit in enumerate(of.run.lowered.units):
        lever = -of.rotations[:, i] @ unit.mass.com
        origin = T.positions[:, i] + lever
        w = T.velocities[:, i, 3:]
        v = T.velocities[:, i, :3] + np.cross(w, lever)
        for k, axis in enumerate("xyz"):
            columns[f"body.{unit.name}.{axis}"] = (origin[:, k], "m")
        for k, axis in enumerate(("qw", "qx", "qy", "qz")):
            columns[f"body.{unit.name}.{axis}"] = (T.quaternions[:, i, k], "1")
        for k, axis in enumerate("xyz"):
            columns[f"body.{unit.name}.v{axis}"] = (v[:, k], "m/s")
        for k, axis in enumerate("xyz"):
            columns[f"body.{unit.name}.w{axis}"] = (w[:, k], "rad/s")
    return columns


def joint_columns(of: Samples) -> Columns:
    """Values, rates and accelerations of the joints with one freedom."""
    T, columns = of.T, {}
    for i, joint in enumerate(of.run.lowered.joints):
        unit = "m" if joint.coordinate == "distance" else "rad"
        # A joint that is released has no value.
        gone = np.where(released_at(of.run.scenario.changes, joint.name, T.t), np.nan, 0.0)
        columns[f"joint.{joint.name}.q"] = (T.coordinates[:, i] + gone, unit)
        columns[f"joint.{joint.name}.qd"] = (T.coordinate_rates[:, i] + gone, f"{unit}/s")
        columns[f"joint.{joint.name}.qdd"] = (T.coordinate_accelerations[:, i] + gone, f"{unit}/s²")
    return columns


def gear_error_columns(of: Samples) -> Columns:
    """Errors of gears and their rates."""
    run, columns = of.run, {}
    model, program = run.lowered.model, run.system.program
    slices = [slice(program.primitive_row[i], program.primitive_row[i + 1]) for i in range(len(model.primitives))]
    errors: dict[str, tuple[Array, Array, str]] = {}
    couplings = {c.name for c in run.mechanism.couplings}
    for group, primitive, rows in zip(model.groups, model.primitives, slices, strict=True):
        if group in couplings:
            radius, unit = error_scale(primitive, model.positions, model.quaternions)
            error, rate = (v[:, rows].sum(axis=1) / radius for v in (of.rows.g, of.rows.rates))
            errors[group] = (error, rate, unit)
    for name, (error, rate, unit) in errors.items():
        gone = np.where(released_at(run.scenario.changes, name, of.T.t), np.nan, 0.0)
        columns[f"gear.{name}.error"] = (error + gone, unit)
        columns[f"gear.{name}.error_rate"] = (rate + gone, f"{unit}/s")
    return columns


def _attached(of: Samples) -> Columns:
    """The wrench of each lock, weld and attachment that a change made, on its body b at its point there; world axes."""
    columns: Columns = {}
    run = of.run
    known = {j.name for j in run.mechanism.joints} | {c.name for c in run.mechanism.couplings}
    known |= {m.name for m in run.mechanism.assembly.mates}
    made = {spec.name for spec in run.scenario.changes} | {lock_name(spec.name) for spec in run.scenario.changes}
    for group in dict.fromkeys(g for g in run.lowered.model.groups if g in made - known):
        columns |= attachment(of, group, of.wrenches)
    return columns


MAKERS: tuple[Callable[[Samples], Columns], ...] = (
    _time, body_columns, joint_columns, reaction_columns, mate_columns, _by_stiffness, _elastic, _attached,
    motor_columns, load_columns, gear_wrench_columns, loss_columns, lambda of: of.teeth, gear_error_columns,
    energy_columns, _checks,
)  # fmt: skip
"""What makes the columns of a run, in their order."""


def trajectory_table(run: Run, columns: Sequence[str] = (), units: str = "si") -> pa.Table:
    """The run as an Arrow table; units and groups are in the fields' metadata, a JSON document in the schema's.

    `columns` names groups or patterns (`cadbridge.simulation.groups`), none: all; of a run with wrong samples,
    `check.trusted` is there in any case. `units` "scenario" gives degrees and mm where a scenario has them. InputError
    where nothing is meant by a name.
    """
    every = columns_of(run)
    wanted = list(chosen(every, columns))
    if run.verdict is not None and run.verdict.trusted is False and TRUSTED not in wanted:
        wanted.append(TRUSTED)
    table = {name: every[name] for name in wanted}
    document = {
        "format": FORMAT,
        "source": Path(run.mechanism.assembly.source).name,
        "model": source_files(run.mechanism.assembly),
        "bodies": [unit.name for unit in run.lowered.units],
        "joints": [joint.name for joint in run.mechanism.joints],
        "gears": [c.name for c in run.mechanism.couplings],
        "units": units,
        **run.summary,
    }
    return arrow_table(in_units(table, units), document, FORMAT)


def write_trajectory(run: Run, path: str | Path, columns: Sequence[str] = (), units: str = "si") -> None:
    """Write a run as Parquet or CSV, by the ending of the name.

    The file appears whole or not at all.

    Args:
        run: A run, as `simulate` gives it.
        path: The file, its name with the ending .parquet or .csv. A CSV keeps neither units nor model.
        columns: Names of groups such as "joints" and "energy" (docs/trajectory.md lists them), and patterns of columns
            such as "joint.A1.*"; none writes all. The time is always there.
        units: "si", or "scenario" for degrees, mm, bar and L/s where a scenario has them.

    Raises:
        InputError: The ending is another, nothing is meant by a name of `columns`, the `units` are none, or the file
            cannot be written.
    """
    write_table(trajectory_table(run, columns, units), Path(path))


def arrow_table(columns: Columns, document: dict[str, Any], format_: str) -> pa.Table:
    """Columns as an Arrow table: units in the fields' metadata, a JSON document in the schema's under the format."""
    import pyarrow as pa

    fields = [
        pa.field(name, pa.float64(), metadata={"unit": unit, "group": group_of(name)})
        for name, (_, unit) in columns.items()
    ]
    schema = pa.schema(fields, metadata={format_: json.dumps(document, sort_keys=True)})
    return pa.table([_arrow_array(v) for v, _ in columns.values()], schema=schema)


def _arrow_array(values: Array) -> pa.Array:
    """Values (k,) for Arrow by their bytes: `pa.array` imports pandas, which takes as long as a short run."""
    import pyarrow as pa

    data = np.ascontiguousarray(values, dtype=float)
    return pa.Array.from_buffers(pa.float64(), len(data), [None, pa.py_buffer(data)], 0)


ENDINGS = (".parquet", ".csv")
"""Forms of a table by the endings of its file."""


CELLS_AT_ONCE = 2_000_000
"""Values that are written at once, in 0.1 s (of CSV 0.3 s): Arrow hears no Ctrl-C. A run of minutes has one batch."""


def check_ending(path: Path) -> None:
    """InputError where the ending of a table's name is none of ENDINGS: it says which form is written."""
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"{path}: name the table with the ending {' or '.join(ENDINGS)}, which selects its form.")


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table as `write_trajectory` does."""
    import pyarrow.csv as pa_csv
    import pyarrow.parquet as pq

    check_ending(path)
    rows = max(1, CELLS_AT_ONCE // max(1, table.num_columns))
    with output(path) as temporary:
        if path.suffix.lower() == ".csv":
            writer = pa_csv.CSVWriter(temporary, table.schema)
        else:
            # Measured values hardly repeat, and nobody looks for a row by them.
            how = {"compression": "zstd", "use_dictionary": False, "write_statistics": False}
            writer = pq.ParquetWriter(temporary, table.schema, **how)
        with writer:
            for first in range(0, max(1, table.num_rows), rows):
                writer.write_table(table.slice(first, rows))


def _check_columns(table: pa.Table, path: Path) -> None:
    """InputError unless the columns are time and numbers; UnicodeDecodeError where a name or unit is no text."""
    import pyarrow as pa

    if "time" not in table.column_names:
        raise InputError(f"{path} has no column time; it is not a complete {FORMAT}.")
    for field in table.schema:
        if not (pa.types.is_floating(field.type) or pa.types.is_integer(field.type)):
            raise InputError(f"{path}: the column {field.name} holds {field.type}, not numbers.")
        for value in (field.metadata or {}).values():
            value.decode()


def read_trajectory(path: Path) -> pa.Table:
    """Read a Parquet trajectory, in SI units whatever it was written in; InputError where it is none of ours."""
    return _in_si(stored_trajectory(path))


def stored_trajectory(path: Path) -> pa.Table:
    """A Parquet trajectory as it was written; InputError where it is none of ours, or not there (CB100)."""
    table = read_parquet(path, "a trajectory")
    if FORMAT.encode() not in (table.schema.metadata or {}):
        raise InputError(f"{path} is Parquet, but no {FORMAT}.")
    try:
        _check_columns(table, path)
    except UnicodeDecodeError as fault:
        raise InputError(f"{path}: the name, unit or group of a column is not text: {fault}") from fault
    return table


def read_parquet(path: Path, what: str) -> pa.Table:
    """The table of a Parquet file; InputError where it is not there (CB100), too large, or cannot be read as `what`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from cadbridge.readers.registry import openable

    looked_for(path)  # Arrow opens it in C++
    openable(path)
    try:
        _refuse_large(path)
        # Not pq.read_table, which loads pyarrow.dataset, and that pandas where it is installed: 0.4 s.
        with pq.ParquetFile(path) as file:
            return file.read()
    except (OSError, pa.ArrowException) as fault:
        raise InputError(f"{path} cannot be read as {what}: {fault}") from fault


def _refuse_large(path: Path) -> None:
    """InputError if a Parquet file holds more numbers than fit: packed, they may take no room on the disk."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        found = file.metadata
        groups = (found.row_group(i) for i in range(found.num_row_groups))
        cells = sum(group.column(k).num_values for group in groups for k in range(group.num_columns))
    if why := beyond("cells", max(cells, found.num_rows * max(1, found.num_columns)), path.name):
        raise InputError(why)


def _in_si(table: pa.Table) -> pa.Table:
    """A table with the units of a scenario turned back."""
    for k, field in enumerate(table.schema):
        unit = (field.metadata or {}).get(b"unit", b"").decode()
        found = in_units({field.name: (table.column(k).to_numpy(), unit)}, "si")[field.name]
        if found[1] != unit:
            metadata = {**field.metadata, b"unit": found[1].encode()}
            table = table.set_column(k, field.with_metadata(metadata), [found[0]])
    return table
