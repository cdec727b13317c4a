"""An export against the mechanism it came from, in the engine that it was written for."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.errors import InputError, ModelError
from cadbridge.exporters import export
from cadbridge.exporters.loops import close_loops
from cadbridge.exporters.relations import relations
from cadbridge.exporters.sidecars import LOSSES
from cadbridge.exporters.tree import Link, Tree, kinematics, spanning_tree
from cadbridge.findings import Finding, Findings
from cadbridge.mechanism.model import Mechanism
from cadbridge.simulation import Scenario, simulate
from cadbridge.verification.engines import ENGINES, Engine

TOLERANCE = 1e-9
"""Of masses and inertias (relative), centres and poses (m, rad)."""

SWING_TOLERANCE = 1e-6
"""rad and m after a swing, where nothing but joints of the tree binds the model."""

OWN = 4.0
"""An engine's error is up to so many times what it gains from half the step (twice, for a method of first order)."""

POSES = 5
TIGHT = 1e-12
"""Of our own run: looser, and it is our own error that is seen where a motion magnifies it."""


@dataclass(frozen=True)
class Verification:
    """The largest differences between a mechanism and its export in `engine`.

    `mass` and `inertia` are relative, `centre` in m, `pose` in m and rad. `swing` is the largest difference of a joint
    coordinate (rad, m) after `duration` s of falling from rest, None where it was not compared (`remark` says why);
    `coupling_error` is by how much the engine then breaks the relations between its own joints; `step_error`, asked
    for where the swing differs by more than `SWING_TOLERANCE`, by how much it differs from itself at half the step.
    """

    to: str
    engine: str
    links: int
    joints: int
    mass: float
    centre: float
    inertia: float
    pose: float
    swing: float | None
    coupling_error: float | None
    step_error: float | None
    duration: float
    remark: str
    findings: tuple[Finding, ...]


def verify(mechanism: Mechanism, to: str, *, duration: float = 1.0, seed: int = 1) -> Verification:
    """Export a mechanism, load it in the target engine, and compare masses, poses at random coordinates, and a swing.

    The swing is of the mechanism without limits, dry friction, damping and springs, in which engines differ by design,
    and without rotor inertias where the format has no place for them. Raises InputError where no engine is known for
    the format or it is not installed, ModelError where the mechanism cannot be exported.
    """
    if to not in ENGINES:
        raise InputError(f'no engine is known for "{to}"; there are: {", ".join(sorted(ENGINES))}')
    findings = Findings()
    bare = _bare(mechanism, to)
    with tempfile.TemporaryDirectory(prefix="cadbridge-") as scratch:
        folder = Path(scratch) / "export"
        export(bare, folder, to)
        engine = ENGINES[to](folder, bare.gravity)
        names = json.loads((folder / LOSSES).read_text("utf-8"))["names"]
        tree = close_loops(bare).tree if to == "mjcf" else spanning_tree(bare)
        compared = _Comparison(tree, engine, names)
        mass, centre, inertia = compared.masses()
        pose = max(compared.pose(np.random.default_rng((seed, k))) for k in range(POSES))
        swing = _swing(compared, bare, to, duration)
    _judge(findings, engine.name, {"mass": mass, "centre of mass": centre, "inertia": inertia, "pose": pose})
    if _differs(swing):
        findings.add("CB531", f"after {duration:g} s in {engine.name} a joint differs by {swing.difference:.3g}")
    return Verification(
        to, engine.name, len(compared.links), len(compared.joints), mass, centre, inertia, pose,
        swing.difference, swing.coupling_error, swing.step_error, duration, swing.remark, findings.as_tuple(),
    )  # fmt: skip


def _bare(mechanism: Mechanism, to: str) -> Mechanism:
    keep_rotors = to == "mjcf"
    joints = tuple(
        replace(j, limit=None, friction=0.0, damping=0.0, stiffness=0.0, armature=j.armature if keep_rotors else 0.0)
        for j in mechanism.joints
    )
    drives = tuple(replace(d, law=None) for d in mechanism.drives)
    return replace(mechanism, joints=joints, drives=drives)


def _judge(findings: Findings, engine: str, differences: dict[str, float]) -> None:
    for what, difference in differences.items():
        if not difference <= TOLERANCE:
            findings.add("CB530", f"in {engine} the {what} differs by {difference:.3g}")


def _differs(swing: _Swing) -> bool:
    """Whether the difference is more than the engine's own errors explain."""
    if swing.difference is None or swing.coupling_error is not None:
        return False
    return swing.difference > max(SWING_TOLERANCE, OWN * (swing.step_error or 0.0))


class _Comparison:
    """The tree's links and joints by the names that the engine knows."""

    def __init__(self, tree: Tree, engine: Engine, names: dict[str, dict[str, str]]) -> None:
        self.tree, self.engine = tree, engine
        new_link = {old: new for new, old in names["links"].items() if not new.endswith("_half")}
        new_joint = {old: new for new, old in names["joints"].items()}
        first = {link.body: link for link in reversed(tree.links)}
        self.links: dict[str, Link] = {
            new_link[tree.body(link).name]: link for link in tree.links[1:] if first[link.body] is link
        }
        single = [link for link in tree.links if len(link.freedoms) == 1]
        self.joints = {new_joint[link.freedoms[0].name]: link.first for link in single}

    def masses(self) -> tuple[float, float, float]:
        """The largest differences: mass (relative), centre (m), inertia (relative)."""
        found = self.engine.masses(list(self.links))
        worst = np.zeros(3)
        for name, link in self.links.items():
            ours, theirs = self.tree.mass(link), found[name]
            if ours is None:
                continue
            size = float(np.linalg.norm(ours.inertia)) or 1.0
            worst = np.maximum(worst, [
                abs(theirs.mass / ours.mass - 1.0),
                np.max(np.abs(theirs.com - ours.com)),
                np.linalg.norm(theirs.inertia - ours.inertia) / size,
            ])  # fmt: skip
        return float(worst[0]), float(worst[1]), float(worst[2])

    def pose(self, random: np.random.Generator) -> float:
        """The largest difference of a link's pose (m, rad) at random coordinates."""
        q = np.zeros(len(self.tree.freedoms))
        for k in self.joints.values():
            q[k] = random.uniform(-1.0, 1.0) * (1.0 if self.tree.freedoms[k].kind == "revolute" else 0.1)
        found = self.engine.poses(list(self.links), {name: float(q[k]) for name, k in self.joints.items()})
        index = {id(link): i for i, link in enumerate(self.tree.links)}
        poses = kinematics(self.tree, q).X_WL
        worst = 0.0
        for name, link in self.links.items():
            ours, theirs = poses[index[id(link)]], found[name]
            turn = np.linalg.norm(ours.R.T @ theirs.R - np.eye(3)) / np.sqrt(2)
            worst = max(worst, float(np.max(np.abs(ours.p - theirs.p))), float(turn))
        return worst


@dataclass(frozen=True)
class _Swing:
    """What a swing told: the largest difference, the engine's own errors, a remark."""

    difference: float | None = None
    coupling_error: float | None = None
    step_error: float | None = None
    remark: str = ""


def _swing(compared: _Comparison, mechanism: Mechanism, to: str, duration: float) -> _Swing:
    """Our run and the engine's, from rest for `duration`."""
    tree = compared.tree
    because = _not_compared(compared, mechanism, to)
    if because:
        return _Swing(remark=because)
    rate = max(1.0 / duration, 10.0)
    try:
        run = simulate(mechanism, Scenario(duration=duration, rate=rate, rtol=TIGHT, atol=TIGHT))
    except ModelError as error:
        return _Swing(remark=str(error))
    if not run.result.status.ok:
        return _Swing(remark=f"our own run ended early: {run.result.status.message}")
    ours = {j.name: float(run.result.trajectory.coordinates[-1, i]) for i, j in enumerate(run.lowered.joints)}
    theirs = compared.engine.swing(list(compared.joints), duration)
    names = {name: tree.freedoms[k].name for name, k in compared.joints.items()}
    difference = max(abs(ours[names[n]] - value) for n, value in theirs.items() if names[n] in ours)
    step_error = None
    if difference > SWING_TOLERANCE:
        finer = compared.engine.swing(list(compared.joints), duration, finer=2)
        step_error = max(abs(finer[name] - value) for name, value in theirs.items())
    bound = bool(mechanism.couplings) or bool(spanning_tree(mechanism).closures)
    if not bound:
        return _Swing(difference, None, step_error)
    q = {k: theirs[name] for name, k in compared.joints.items()}
    found = [r for r in relations(tree)[0] if all(k in q for k, _ in r.terms)]
    errors = [abs(sum(c * q[k] for k, c in r.terms) - r.constant) for r in found]
    remark = "the engine holds couplings and loops within its own error"
    return _Swing(difference, max(errors, default=0.0), step_error, remark)


def _not_compared(compared: _Comparison, mechanism: Mechanism, to: str) -> str:
    """Why the swing cannot be the same; "" where it can."""
    closures = bool(spanning_tree(mechanism).closures)
    reasons = {
        f"{to} leaves the loops open, so it swings otherwise": closures and to != "mjcf",
        "Pinocchio's forward dynamics knows no mimics": bool(mechanism.couplings) and to == "urdf",
        "a joint is no lower pair, so it swings otherwise": any(x.type == "generic" for x in compared.tree.links),
        "no joint of one freedom": not compared.joints,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def verification_document(result: Verification) -> dict[str, Any]:
    """The result for `--json`."""
    fields = {k: v for k, v in result.__dict__.items() if k != "findings"}
    return {"format": "cadbridge.verify/1", **fields, "findings": [f.document() for f in result.findings]}
