"""Plots of a run, for people who would rather look than read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cadbridge.simulation.run import Run
from cadbridge.simulation.trajectory import Columns, columns_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FLOOR = 1e-18
"""What a logarithmic axis shows for zero."""


def write_plots(run: Run, folder: Path) -> tuple[Path, ...]:
    """Write joints.png, rates.png and energy.png into a folder; where there are any gears.png, torques.png of motors
    that give a torque, and attachments.png of the forces of locks and attachments.
    """
    columns = columns_of(run)
    drawings = {"joints": _joints, "rates": _rates, "energy": _energy}
    if run.mechanism.couplings:
        drawings["gears"] = _gears
    if any(m.kind == "torque" for m in run.scenario.motors):
        drawings["torques"] = _torques
    if any(name.startswith("attachment.") for name in columns):
        drawings["attachments"] = _attachments
    return tuple(
        saved(folder, name, lambda axes, draw=draw: draw(axes, columns, run))  # type: ignore[misc]
        for name, draw in drawings.items()
    )


def saved(folder: Path, name: str, draw: Callable[[Axes], None]) -> Path:
    """Draw a plot over time and write it as NAME.png into a folder."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
    draw(axes)
    axes.set_xlabel("time in s")
    axes.grid(alpha=0.3)
    if 0 < len(axes.get_lines()) <= 12:
        axes.legend(fontsize="small")
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
    return path


def _joints(axes: Axes, columns: Columns, run: Run) -> None:
    _of_joints(axes, columns, run, "q", "joint value")


def _rates(axes: Axes, columns: Columns, run: Run) -> None:
    _of_joints(axes, columns, run, "qd", "rate of the joint")


def _of_joints(axes: Axes, columns: Columns, run: Run, what: str, label: str) -> None:
    t = columns["time"][0]
    asked = set(run.mechanism.assembly.joint_names.values())
    names = [j.name for j in run.lowered.joints if j.name in asked] or [j.name for j in run.lowered.joints]
    for name in names:
        values, unit = columns[f"joint.{name}.{what}"]
        factor, shown = (1e3, "mm") if unit.startswith("m") else (180 / np.pi, "°")
        axes.plot(t, values * factor, label=f"{name} ({shown}{unit.lstrip('mrad')})")
    axes.set_ylabel(label)


def _torques(axes: Axes, columns: Columns, run: Run) -> None:
    t = columns["time"][0]
    for motor in run.scenario.motors:
        if motor.kind == "torque":
            # A motor whose joint is released gives nothing.
            gone = np.isnan(columns[f"joint.{motor.joint}.q"][0])
            values = np.array([motor.function.evaluate(float(at))[0] for at in t])
            axes.plot(t, np.where(gone, 0.0, values), label=motor.joint)
    axes.set_ylabel("torque in N m (force in N)")


def _attachments(axes: Axes, columns: Columns, run: Run) -> None:
    t = columns["time"][0]
    for name, (values, unit) in columns.items():
        if name.startswith("attachment.") and unit == "N" and np.any(values != 0.0):
            axes.plot(t, values, label=name.removeprefix("attachment."))
    axes.set_ylabel("force in N")


def _gears(axes: Axes, columns: Columns, run: Run) -> None:
    t = columns["time"][0]
    for coupling in run.mechanism.couplings:
        values, unit = columns[f"gear.{coupling.name}.error"]
        axes.semilogy(t, np.maximum(np.abs(values), FLOOR), label=f"{coupling.name} ({unit})", lw=0.8)
    axes.set_ylabel("error of the gears")


def _energy(axes: Axes, columns: Columns, run: Run) -> None:
    t = columns["time"][0]
    for name in ("kinetic", "potential", "motor_work"):
        axes.plot(t, columns[f"energy.{name}"][0], label=name.replace("_", " "))
    axes.set_ylabel("energy in J")
