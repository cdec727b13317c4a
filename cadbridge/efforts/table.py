"""Efforts, reactions and contact forces as a table in the style of a trajectory, and their peaks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Drive
from cadbridge.documents import FORMATS
from cadbridge.efforts.inverse import Inverse, effort_unit
from cadbridge.simulation.by_stiffness import by_stiffness_columns
from cadbridge.simulation.joint_wrenches import gear_wrench_columns, mate_columns, reaction_columns
from cadbridge.simulation.samples import Columns, Samples, wrench_columns
from cadbridge.simulation.trajectory import (
    arrow_table,
    body_columns,
    joint_columns,
    write_table,
)

if TYPE_CHECKING:
    import pyarrow as pa

Array = NDArray[np.float64]

FORMAT = FORMATS["inverse"]


@dataclass(frozen=True)
class Peak:
    """The largest size of a quantity, when (s), and its root mean square; `what` effort, power, force or torque.

    `kind` actuator, external, joint, mate, gear, by stiffness (of a mate), or what a method has beside these.
    `determined` says whether a rigid model determines it.
    """

    kind: str
    name: str
    what: str
    unit: str
    peak: float
    at_s: float
    rms: float
    determined: bool = True


def inverse_columns(found: Inverse) -> Columns:
    """All columns, each with its unit, in the order in which they are documented."""
    T, of = found.run.result.trajectory, Samples(found.run)
    columns: Columns = {"time": (T.t, "s")}
    columns |= _actuators(found)
    for name, wrench in found.external.items():
        columns |= wrench_columns(f"external.{name}", wrench)
    columns |= of.table((reaction_columns, mate_columns, by_stiffness_columns, gear_wrench_columns)) | of.teeth
    columns |= {f"{q.kind}.{q.name}.{q.what}": (q.values, q.unit) for q in found.forces.quantities}
    columns |= of.table((joint_columns, body_columns))
    columns["constraint.position"] = (T.constraint_position, "1")
    columns["constraint.velocity"] = (T.constraint_velocity, "1")
    columns["unmet"] = (found.forces.unmet, "1/s²")
    return columns


def _actuators(found: Inverse) -> Columns:
    columns: Columns = {}
    T, lowered = found.run.result.trajectory, found.run.lowered
    for k, joint in enumerate(found.actuators):
        effort = found.forces.efforts[:, k]
        rate = T.coordinate_rates[:, lowered.joints.index(joint)] if len(T.t) else np.zeros(0)
        columns[f"actuator.{joint.name}.effort"] = (effort, effort_unit(joint))
        columns[f"actuator.{joint.name}.power"] = (effort * rate, "W")
        for drive in found.run.mechanism.drives:
            if found.run.mechanism.joint_named(drive.joint) is joint:
                columns |= _motor(drive, effort, rate, effort_unit(joint))
    return columns


def _motor(drive: Drive, effort: Array, rate: Array, unit: str) -> Columns:
    """What an effort on a joint asks of the motor before the reduction."""
    speed = "rad/s" if unit == "N m" else "m/s"
    return {
        f"drive.{drive.name}.effort": (effort / drive.reduction, unit),
        f"drive.{drive.name}.speed": (rate * drive.reduction, speed),
    }


def inverse_table(found: Inverse) -> pa.Table:
    """The result as an Arrow table; units are in the fields' metadata, a JSON document in the schema's."""
    return arrow_table(inverse_columns(found), inverse_document(found), FORMAT)


def write_inverse(found: Inverse, path: str | Path) -> None:
    """Write the result of inverse dynamics as Parquet or CSV, by the ending of the name.

    The file appears whole or not at all. docs/inverse.md names its columns; their units are in the metadata of a
    Parquet, which any program reads that reads Parquet (`load_trajectory` reads those of `simulate` alone).

    Args:
        found: What `inverse` gave.
        path: The file, its name with the ending .parquet or .csv.

    Raises:
        InputError: The ending is another, or the file cannot be written.
    """
    write_table(inverse_table(found), Path(path))


def inverse_document(found: Inverse) -> dict[str, Any]:
    """What is in the table's metadata and on `--json`, without the findings."""
    mechanism = found.run.mechanism
    return {
        "format": FORMAT,
        "source": Path(mechanism.assembly.source).name,
        **found.summary,
        "joints": [
            {
                "name": j.name,
                "type": j.type,
                "determined": dict(zip(("force", "torque"), found.determined[j.name], strict=True)),
            }
            for j in mechanism.joints
            if j.name in found.determined
        ],
        **_mates(found),
        "gears": [c.name for c in mechanism.couplings],
        "peaks": [asdict(p) for p in peaks(found)],
    }


def _mates(found: Inverse) -> dict[str, Any]:
    """Of a run that keeps every mate's rows whether a rigid model determines each mate's share."""
    if found.run.lowered.collapsed:
        return {}
    known = {m.name: found.determined.get(f"mate.{m.name}") for m in found.run.mechanism.assembly.mates}
    kinds = ("force", "torque")
    rows = [(name, fine) for name, fine in known.items() if fine is not None]
    return {"mates": [{"name": n, "determined": dict(zip(kinds, fine, strict=True))} for n, fine in rows]}


def peaks(found: Inverse) -> tuple[Peak, ...]:
    """The largest efforts, powers, reactions and contact forces: what motors, bearings and teeth are chosen by."""
    columns = inverse_columns(found)
    t = found.run.result.trajectory.t
    if not len(t):
        return ()
    result = []
    for joint in found.actuators:
        for what in ("effort", "power"):
            values, unit = columns[f"actuator.{joint.name}.{what}"]
            result.append(_peak("actuator", joint.name, what, unit, np.abs(values), t, True))
    groups = [("external", name) for name in found.external]
    groups += [("joint", j.name) for j in found.run.mechanism.joints]
    # What is locked between two parts of one body has no share of a joint's wrench.
    sharing = [mate["name"] for mate in _mates(found).get("mates", ()) if f"mate.{mate['name']}.fx" in columns]
    groups += [("mate", name) for name in sharing]
    groups += [("gear", c.name) for c in found.run.mechanism.couplings]
    for kind, name in groups:
        known = found.determined.get(f"mate.{name}" if kind == "mate" else name, (True, True))
        for what, letter, unit, fine in (("force", "f", "N", known[0]), ("torque", "t", "N m", known[1])):
            values = np.column_stack([columns[f"{kind}.{name}.{letter}{axis}"][0] for axis in "xyz"])
            result.append(_peak(kind, name, what, unit, np.linalg.norm(values, axis=1), t, fine))
    shared = sorted({n.rpartition(".")[0] for n in columns if n.startswith("by_stiffness.mate.")})
    for name in shared:
        for what, letter, unit in (("force", "f", "N"), ("torque", "t", "N m")):
            values = np.column_stack([columns[f"{name}.{letter}{axis}"][0] for axis in "xyz"])
            mate = name.removeprefix("by_stiffness.mate.")
            result.append(_peak("by stiffness", mate, what, unit, np.linalg.norm(values, axis=1), t, False))
    result += [
        _peak(q.kind, q.name, q.what, q.unit, np.abs(q.values), t, True) for q in found.forces.quantities if q.peak
    ]
    return tuple(result)


def _peak(kind: str, name: str, what: str, unit: str, sizes: Array, t: Array, fine: bool) -> Peak:
    k = int(np.argmax(sizes))
    return Peak(kind, name, what, unit, float(sizes[k]), float(t[k]), float(np.sqrt(np.mean(sizes**2))), fine)
