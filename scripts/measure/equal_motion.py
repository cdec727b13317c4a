#!/usr/bin/env python3
"""Exports of real machines in the engines they were written for, as a table. Run it with the Python that has cadbridge.

    CADBRIDGE_CORPUS=… scripts/measure/equal_motion.py [--duration 1] [--only NAME …] [--to FORMAT …]

A line is what `cadbridge verify SOURCE --to FORMAT --json` says of one machine in one engine. The robots are those of
the package example-robot-data; the corpus is the folder of real files that the tests use.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FORMATS = ("mjcf", "urdf", "sdf", "usd", "fmu", "ros2")
LIMIT = 900.0
"""Seconds for one comparison."""

ROBOTS = {
    "double_pendulum": "double_pendulum_description/urdf/double_pendulum.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "laikago": "laikago_description/urdf/laikago.urdf",
    "anymal": "anymal_b_simple_description/robots/anymal.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
    "z1": "z1_description/urdf/z1.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
}


def machines() -> dict[str, list[str]]:
    """Name → the arguments of `cadbridge verify` that say where it is and how it is read."""
    found = {"KR 15": [str(ROOT / "fixtures" / "kr15" / "kr15.step")]}
    corpus = os.environ.get("CADBRIDGE_CORPUS")
    if corpus:
        base = Path(corpus)
        found["quadruped"] = [str(base / "quadruped_solidworks" / "Assem4.xml")]
        found["SO-100"] = [str(next((base / "so100").rglob("*.urdf")))]
        kr16 = base / "kuka_kr16_support" / "urdf" / "kr16_2.urdf"
        found["KR 16"] = [str(kr16), "--mass", "from-mesh", "--density", "2700"]
    spec = find_spec("pinocchio")
    if spec is not None and spec.origin is not None:
        prefix = next(p for p in Path(spec.origin).parents if p.name == "cmeel.prefix")
        robots = prefix / "share" / "example-robot-data" / "robots"
        packages = [a for p in (robots, robots.parent, robots.parent.parent) for a in ("--package-dir", str(p))]
        found |= {name: [str(robots / path), *packages] for name, path in ROBOTS.items()}
        # Motors at its fingers drive joints that are fixed: a fault of the file, which is told and moves nothing.
        found["kinova"].append("--keep-going")
    return found


def compared(arguments: list[str], to: str, duration: float) -> dict[str, Any] | str:
    """What `cadbridge verify` says, or why it says nothing."""
    command = [sys.executable, "-P", "-m", "cadbridge", "verify", *arguments, "--to", to, "--json"]
    try:
        done = subprocess.run(
            [*command, "--duration", str(duration)], capture_output=True, text=True, timeout=LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        return f"longer than {LIMIT:g} s"
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return found


def row(name: str, to: str, said: dict[str, Any] | str) -> str:
    """A line of the table."""
    if isinstance(said, str):
        return f"| {name} | {to} | {said} | | | | | |"
    swing = said["remark"] if said["swing"] is None else f"{said['swing']:.1e}"
    own = [
        f"{said[key]:.1e} in {what}"
        for key, what in (("step_error", "its steps"), ("coupling_error", "couplings"))
        if said[key] is not None
    ]
    numbers = (f"{said[key]:.0e}" for key in ("mass", "centre", "inertia", "pose"))
    return f"| {name} | {said['engine']} ({to}) | {' | '.join(numbers)} | {swing} | {', '.join(own)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duration", type=float, default=1.0, help="seconds of the swing")
    parser.add_argument("--only", nargs="*", help="names of machines")
    parser.add_argument("--to", nargs="*", choices=FORMATS, default=FORMATS, help="formats, each with its engine")
    chosen = parser.parse_args()
    print("| | engine | mass | centre, m | inertia | poses, m and rad | swing, rad and m | the engine's own errors |")
    print("|---|---|---|---|---|---|---|---|")
    for name, arguments in machines().items():
        for to in chosen.to if not chosen.only or name in chosen.only else ():
            print(row(name, to, compared(arguments, to, chosen.duration)), flush=True)


if __name__ == "__main__":
    main()
