#!/usr/bin/env python3
"""Exports of machines and robots in the engines they were written for, as the table of docs/exports.md.

    CADBRIDGE_CORPUS=… scripts/measure/equal_motion.py RESULTS [--robots FOLDER …] [--only NAME …] [--to FORMAT …]

Run it with the Python that has cadbridge and the engines. A cell is what `cadbridge verify SOURCE --to FORMAT --json`
says, which is kept in the folder RESULTS: what is there already is not run again. The machines are those of fixtures/
and the corpus (the folder of real files that the tests use), the robots those of the package example-robot-data and the
URDF, SDF and MJCF files in the folders of robots.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FORMATS = {
    "mjcf": "MuJoCo (mjcf)", "urdf": "Pinocchio (urdf)", "ros2": "Pinocchio (ros2)", "sdf": "Drake (sdf)",
    "usd": "Newton (usd)", "fmu": "FMPy (fmu)",
}  # fmt: skip
LIMIT = 900.0
"""Seconds of one comparison."""

FIXTURES = {
    "KR 15": "kr15/kr15.step",
    "four-bar": "four_bar/four_bar.urdf",
    "crank and slider": "crank_slider/crank_slider.urdf",
    "delta": "delta/delta.sdf",
    "Stewart platform": "stewart/stewart.sdf",
    "door": "door/door.sdf",
    "PUMA 560": "puma560/puma560.urdf",
    "Bendix wrist": "bendix_wrist/bendix_wrist.urdf",
    "geared robot": "geared_robot3/geared_robot3.urdf",
    "RRRT3": "rrrt3/rrrt3.sdf",
    "TRRR3": "trrr3/trrr3.sdf",
}
CORPUS = {
    "quadruped": ["quadruped_solidworks/Assem4.xml"],
    "hand crane": ["hand_crane/Assem1.xml"],
    "universal joint": ["freecad/universal_joint_assembly.FCStd", "--density", "7850"],
    "SO-100": ["so100/so100.urdf"],
    "KR 16": ["kuka_kr16_support/urdf/kr16_2.urdf", "--mass", "from-mesh", "--density", "2700"],
}
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
# Motors at the kinova's fingers drive joints that are fixed: a fault of the file, which is told and moves nothing.
MORE = {"kinova": ["--keep-going"]}


def machines(folders: Iterable[Path]) -> dict[str, list[str]]:
    """Name → the arguments of `cadbridge verify` that say where it is and how it is read."""
    found = {name: [str(ROOT / "fixtures" / path)] for name, path in FIXTURES.items()}
    corpus = os.environ.get("CADBRIDGE_CORPUS")
    if corpus:
        found |= {name: [str(Path(corpus, path)), *more] for name, (path, *more) in CORPUS.items()}
    spec = find_spec("pinocchio")
    if spec is not None and spec.origin is not None:
        prefix = next(p for p in Path(spec.origin).parents if p.name == "cmeel.prefix")
        robots = prefix / "share" / "example-robot-data" / "robots"
        packages = [a for p in (robots, robots.parent, robots.parent.parent) for a in ("--package-dir", str(p))]
        found |= {name: [str(robots / path), *packages, *MORE.get(name, [])] for name, path in ROBOTS.items()}
    for folder in folders:
        paths = sorted(p for p in folder.rglob("*") if p.suffix in (".urdf", ".sdf", ".xml"))
        found |= {path.stem: [str(path), "--package-dir", str(folder)] for path in paths}
    return found


def compared(arguments: Sequence[str], to: str, duration: float, kept: Path) -> dict[str, Any]:
    """What `cadbridge verify` says; `{"fault": why}` where it says nothing."""
    found: dict[str, Any]
    if kept.exists():
        found = json.loads(kept.read_text("utf-8"))
        return found
    command = [sys.executable, "-P", "-m", "cadbridge", "verify", *arguments, "--to", to, "--json"]
    try:
        done = subprocess.run(
            [*command, "--duration", str(duration)], capture_output=True, text=True, timeout=LIMIT, check=False
        )
        found = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return {"fault": f"longer than {LIMIT:g} s"}
    except ValueError:
        found = {"fault": (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]}
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(found), encoding="utf-8")
    return found


def cell(found: dict[str, Any]) -> str:
    """How near the export moves, or why that is not known; then the codes of what it lost."""
    if "fault" in found:
        return str(found["fault"])[:40]
    lost = f" {' '.join(found['lost'])}" if found["lost"] else ""
    if found["swing"] is None:
        return f"{'poses alone' if not found['remark'].startswith('no joint') else 'no joint'}{lost}"
    own = max((found[key] or 0.0 for key in ("step_error", "coupling_error")), default=0.0)
    text = f"{found['swing']:.0e}" + (f" ({own:.0e})" if found["swing"] > 1e-6 and own else "")
    shorter = "" if found["duration"] > 0.99 else f" in {found['duration']:.2g} s"
    return ("" if found["verdict"] == "same" else f"**{found['verdict']}** ") + text + shorter + lost


def row(name: str, cells: Sequence[dict[str, Any]]) -> str:
    """A line of the table; masses and poses are the worst of the engines in double precision."""
    whole = [found for found in cells if "fault" not in found and found["engine"] != "Newton"]
    masses = max((max(found["mass"], found["inertia"]) for found in whole), default=float("nan"))
    poses = max((max(found["centre"], found["pose"]) for found in whole), default=float("nan"))
    return f"| {name} | {masses:.0e} | {poses:.0e} | {' | '.join(cell(found) for found in cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="a folder for what verify says")
    parser.add_argument("--duration", type=float, default=1.0, help="seconds of the swing")
    parser.add_argument("--robots", type=Path, nargs="*", default=(), help="folders of further robots")
    parser.add_argument("--only", nargs="*", help="names of machines")
    parser.add_argument("--to", nargs="*", choices=tuple(FORMATS), default=tuple(FORMATS), help="formats")
    chosen = parser.parse_args()
    print(f"| | masses | poses | {' | '.join(FORMATS[to] for to in chosen.to)} |")
    print(f"|---|---|---{'|---' * len(chosen.to)}|")
    for name, arguments in machines(chosen.robots).items():
        if chosen.only and name not in chosen.only:
            continue
        kept = {to: chosen.results / f"{name} {to}.json" for to in chosen.to}
        print(row(name, [compared(arguments, to, chosen.duration, kept[to]) for to in chosen.to]), flush=True)


if __name__ == "__main__":
    main()
