#!/usr/bin/env python3
"""Robots with servos, held by cadbridge and by MuJoCo: their first second from rest, as a table.

    python scripts/measure/servos.py ROBOT.xml … [--seconds 1] [--control 0.3] [--timestep 5e-5] [--tolerance 1e-9]

Every control is drawn by chance, within ±`--control` and the actuator's range. What MuJoCo solves with soft constraints
is left out of both: contact, ends of joints, dry friction. A line for each file: freedoms, actuators, how far joints
move at most, by how much those with one freedom differ at the end (rad, m), and what a run of MuJoCo with twice the
timestep (Runge–Kutta) differs by. Exit status 1 where a difference is above 1e-6 and above ten times that.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import cadbridge as cb  # noqa: E402
from cadbridge.errors import CadbridgeError  # noqa: E402
from cadbridge.simulation import Scenario, simulate  # noqa: E402
from cadbridge.simulation.servos import Servos  # noqa: E402
from cadbridge.simulation.trajectory import columns_of  # noqa: E402
from solver.functions import constant  # noqa: E402

SAME = 1e-6
SOFT = mujoco.mjtDisableBit
LEFT_OUT = int(SOFT.mjDSBL_CONTACT | SOFT.mjDSBL_LIMIT | SOFT.mjDSBL_FRICTIONLOSS)


def controls_of(model: Any, size: float) -> dict[str, float]:
    """A control for each actuator."""
    drawn = np.random.default_rng(1).uniform(-size, size, model.nu)
    low, high = np.where(model.actuator_ctrllimited[:, None], model.actuator_ctrlrange, [-np.inf, np.inf]).T
    return {model.actuator(i).name: float(u) for i, u in enumerate(np.clip(drawn, low, high))}


def by_mujoco(path: Path, seconds: float, timestep: float, controls: dict[str, float]) -> dict[str, float]:
    """Joints of one freedom (rad, m) after so many seconds, from where the file has them."""
    model: Any = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep, model.opt.integrator = timestep, mujoco.mjtIntegrator.mjINT_RK4
    model.opt.disableflags |= LEFT_OUT
    data: Any = mujoco.MjData(model)
    data.ctrl[:] = list(controls.values())
    mujoco.mj_step(model, data, round(seconds / timestep))
    one = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    single = [j for j in range(model.njnt) if int(model.jnt_type[j]) in one]
    return {model.joint(j).name: float((data.qpos - model.qpos0)[model.jnt_qposadr[j]]) for j in single}


def line(path: Path, call: argparse.Namespace) -> tuple[str, bool]:
    """A robot's line of the table, and whether it moves alike."""
    model: Any = mujoco.MjModel.from_xml_path(str(path))
    controls = controls_of(model, call.control)
    exact, rough = (by_mujoco(path, call.seconds, times * call.timestep, controls) for times in (1, 2))
    what = Scenario(
        duration=call.seconds,
        rate=10,
        rtol=call.tolerance,
        atol=call.tolerance,
        friction=None,
        sensitivity=False,
        servos=Servos({name: constant(u) for name, u in controls.items()}),
    )
    run = simulate(cb.build(cb.read(path)), what)
    found = {name: float(values[-1]) for name, (values, _) in columns_of(run).items() if name.endswith(".q")}
    missing = [name for name in exact if f"joint.{name}.q" not in found]
    off = max(abs(found[f"joint.{name}.q"] - q) for name, q in exact.items() if name not in missing)
    known = max(abs(q - rough[name]) for name, q in exact.items())
    moved = max(map(abs, exact.values()))
    codes = " ".join(sorted({f.code for f in run.findings}))
    same = not missing and off <= max(SAME, 10.0 * known)
    told = f"{len(missing)} joints have other names" if missing else codes
    return f"| {path.stem} | {model.nv} | {model.nu} | {moved:.3g} | {off:.1e} | {known:.1e} | {told} |", same


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--control", type=float, default=0.3, help="the largest control")
    parser.add_argument("--timestep", type=float, default=5e-5, help="of MuJoCo (s)")
    parser.add_argument("--tolerance", type=float, default=1e-9, help="of cadbridge")
    call = parser.parse_args()
    heads = "| robot | freedoms | actuators | moves by | differs by | twice the timestep | findings |"
    print(heads, "|---" * (heads.count("|") - 1) + "|", sep="\n")
    every = True
    for path in call.robots:
        try:
            text, same = line(path, call)
        except (CadbridgeError, ValueError) as fault:
            text, same = f"| {path.stem} | | | | | | {type(fault).__name__}: {str(fault)[:120]} |", False
        every = every and same
        print(text, flush=True)
    return int(not every)


if __name__ == "__main__":
    sys.exit(main())
