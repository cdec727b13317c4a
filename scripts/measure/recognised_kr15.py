#!/usr/bin/env python3
"""The KR 15 from its bare STEP file beside the KR 15 with the mates by hand: the same scenario, joint by joint.

    python scripts/measure/recognised_kr15.py [--duration 2]

The mates file that `recognise` writes gets the densities of the one by hand, as a person would add them; motors and
joints are matched by the bodies that they stand between, and turned where the axes point opposite ways. Prints the
counts and the largest difference of any joint over the run; exit status 1 above 1e-6 rad.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import cadbridge as cb
from cadbridge.frames import Vector
from cadbridge.mechanism import GROUND_BODY, Joint, Mechanism
from cadbridge.recognition.writing.mates_text import mates_text
from cadbridge.recognition.writing.reading import read_bare
from cadbridge.simulation import trajectory_table

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "kr15"
STEP, HAND = FOLDER / "kr15.step", FOLDER / "kr15.mates.yaml"
SAME = 1e-6


def main() -> int:
    """Recognise, run both, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duration", type=float, default=2.0)
    seconds = parser.parse_args().duration
    by_hand = cb.build(cb.read(STEP, mates=HAND))
    bare = cb.build(cb.read(STEP, mates=recognised(Path(tempfile.mkdtemp()))))
    counts, dof = (len(bare.bodies), len(bare.joints), len(bare.couplings)), cb.diagnose(bare).mobility.dof
    print("{} bodies, {} joints, {} gears".format(*counts), f"dof {dof}", sep=", ")
    pairs = matched(by_hand, bare)
    first, second = (run(by_hand, seconds, {}), run(bare, seconds, {d.name: pairs[d.joint] for d in by_hand.drives}))
    off = {
        name: float(np.abs(first[f"joint.{name}.q"] - sign * second[f"joint.{other}.q"]).max())
        for name, (other, sign) in pairs.items()
    }
    worst = max(off, key=lambda name: off[name])
    print(f"largest difference over {seconds:g} s: {off[worst]:.2e} rad, in {worst}")
    return int(off[worst] > SAME)


def run(mechanism: Mechanism, seconds: float, joints: dict[str, tuple[str, int]]) -> Any:
    """The table of the scenario's run, its motors on `joints` (name, sign) in place of drives."""
    scenario = yaml.safe_load((FOLDER / "kr15.scenario.yaml").read_text(encoding="utf-8"))
    for motor in scenario["motors"]:
        motor["joint"], sign = joints.get(motor["joint"], (motor["joint"], 1))
        motor["torque"] = motor["torque"] if sign > 0 else f"-({motor['torque']})"
    with tempfile.NamedTemporaryFile("w", suffix=".scenario.yaml", encoding="utf-8") as file:
        yaml.safe_dump(scenario | {"duration": seconds}, file)
        file.flush()
        ran = cb.simulate(mechanism, cb.load_scenario(file.name, mechanism))
    return trajectory_table(ran, ["*.q"]).to_pandas()


def recognised(folder: Path) -> Path:
    """The mates file of the bare STEP, with the densities by hand."""
    hand = yaml.safe_load(HAND.read_text(encoding="utf-8"))
    extra = {key: hand[key] for key in ("materials", "density")}
    file = folder / "kr15.mates.yaml"
    text = mates_text(cb.recognise(read_bare(STEP))) + yaml.safe_dump(extra)
    file.write_text(text, encoding="utf-8")
    return file


def matched(a: Mechanism, b: Mechanism) -> dict[str, tuple[str, int]]:
    """For each joint of `a` that of `b` between the same bodies, and 1 or -1 by how their axes point."""
    body = {k: a.body_of.get(one.components[0], GROUND_BODY) for k, one in enumerate(b.bodies)} | {
        GROUND_BODY: GROUND_BODY
    }
    others = {frozenset((body[j.a], body[j.b])): j for j in b.joints}
    found = {}
    for joint in a.joints:
        other = others[frozenset((joint.a, joint.b))]
        ours, theirs = axis(a, joint), axis(b, other)
        sign = float(ours @ theirs) * (1 if body[other.a] == joint.a else -1)
        found[joint.name] = (other.name, 1 if sign > 0 else -1)
    return found


def axis(m: Mechanism, joint: Joint) -> Vector:
    """The direction of a joint's axis in the world."""
    X_WA = m.ground.X_WB if joint.a == GROUND_BODY else m.bodies[joint.a].X_WB
    return X_WA.vector(joint.X_AJ.R[:, 2])


if __name__ == "__main__":
    sys.exit(main())
