"""Plots of a run, for people who would rather look than read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from cadbridge.plotting import PlottedCurve, write_figure
from cadbridge.simulation.run import Run
from cadbridge.simulation.samples import Columns
from cadbridge.simulation.trajectory import columns_of
from cadbridge.units import TO_MM

ROUNDING = 1e-10
"""rad or m: errors of gears below it are rounding, and not drawn."""


def write_plots(run: Run, folder: Path) -> tuple[Path, ...]:
    """Write joints, rates and energy into a folder, each as PNG and SVG; where there are any, efforts of
    motors, forces of locks and attachments, and errors of gears that are more than rounding.
    """
    columns = columns_of(run)
    t = columns["time"][0]
    figures: dict[str, tuple[str, Callable[[Columns, Run], list[PlottedCurve]]]] = {
        "joints": ("Joints", lambda c, r: _joints(c, r, "q")),
        "rates": ("Rates of the joints", lambda c, r: _joints(c, r, "qd")),
        "energy": ("Energy", _energy),
        "gears": ("Errors of the gears", _gears),
        "torques": ("Motors", _torques),
        "attachments": ("Locks and attachments", _attachments),
    }
    written: list[Path] = []
    for name, (title, curves) in figures.items():
        written += write_figure(folder, name, title, t, curves(columns, run))
    return tuple(written)


def write_joints(run: Run, folder: Path) -> tuple[Path, ...]:
    """Write the joints alone, as PNG and SVG; nothing where no joint has a coordinate."""
    columns = columns_of(run)
    return write_figure(folder, "joints", "Joints", columns["time"][0], _joints(columns, run, "q"))


def _joints(columns: Columns, run: Run, what: str) -> list[PlottedCurve]:
    """Values or rates of the joints that a person named, else of all; degrees and millimetres."""
    named = set(run.mechanism.assembly.joint_names.values())
    names = [j.name for j in run.lowered.joints if j.name in named] or [j.name for j in run.lowered.joints]
    curves = []
    for name in names:
        values, unit = columns[f"joint.{name}.{what}"]
        factor, shown = (TO_MM, "mm") if unit.startswith("m") else (180 / np.pi, "°")
        curves.append(PlottedCurve(name, values * factor, shown + unit.lstrip("mrad")))
    return curves


def _torques(columns: Columns, run: Run) -> list[PlottedCurve]:
    """Efforts of joints with motors, all motors of a joint together; a released joint has none."""
    curves = []
    plain = (m.name for m in run.system.model.motors if m.kind != "voltage")
    moved = [*plain, *(c.joint for c in run.scenario.circuits)]
    for joint in (j.name for j in run.lowered.joints if f"motor.{j.name}.effort" in columns):
        values, _ = columns[f"joint.{joint}.q"]
        given, unit = columns[f"motor.{joint}.effort"]
        name = f"{joint}, all its motors" if moved.count(joint) > 1 else joint
        curves.append(PlottedCurve(name, np.where(np.isnan(values), 0.0, given), unit))
    return curves


def _attachments(columns: Columns, run: Run) -> list[PlottedCurve]:
    return [
        PlottedCurve(name.removeprefix("attachment."), values, unit)
        for name, (values, unit) in columns.items()
        if name.startswith("attachment.") and unit == "N" and np.any(values != 0.0)
    ]


def _gears(columns: Columns, run: Run) -> list[PlottedCurve]:
    found = [(c.name, *columns[f"gear.{c.name}.error"]) for c in run.mechanism.couplings]
    return [PlottedCurve(name, values, unit) for name, values, unit in found if np.nanmax(np.abs(values)) > ROUNDING]


def _energy(columns: Columns, run: Run) -> list[PlottedCurve]:
    names = [n for n in ("kinetic", "potential", "stored", "motor_work", "dissipated") if f"energy.{n}" in columns]
    return [PlottedCurve(name.replace("_", " "), columns[f"energy.{name}"][0], "J") for name in names]
