"""An export against the mechanism it came from, in the engine that it was written for."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.catalogue import Severity
from cadbridge.errors import InputError
from cadbridge.exporters import ExportOptions, export
from cadbridge.exporters.loops import close_loops
from cadbridge.exporters.relations import relations
from cadbridge.exporters.sidecars import LOSSES
from cadbridge.exporters.tree import Link, Tree, kinematics, spanning_tree
from cadbridge.findings import Finding, Findings
from cadbridge.frames import Vector
from cadbridge.mechanism.model import Mechanism
from cadbridge.verification import fmu
from cadbridge.verification.engines import Drake, Engine, MuJoCo
from cadbridge.verification.judges import judge_files
from cadbridge.verification.newton import Newton
from cadbridge.verification.ros2 import Ros2
from cadbridge.verification.start import random_twists, start_of
from cadbridge.verification.swing import Swing, Swinger
from cadbridge.verification.urdf import Pinocchio

ENGINES: dict[str, Callable[[Path, Sequence[float]], Engine]] = {
    "mjcf": MuJoCo,
    "urdf": Pinocchio,
    "ros2": Ros2,
    "sdf": Drake,
    "usd": Newton,
}
"""Format → the engine that loads it."""

FMU = "fmu"
"""The format that FMPy runs; it says nothing of joint values that were not reached by moving."""

AGREES = 1e-9
"""rad and m: by so much the couplings may miss the designed pose."""

POSES = 5


@dataclass(frozen=True)
class Verification:
    """The largest differences between a mechanism and its export in `engine`.

    `mass` and `inertia` are relative, `centre` in m, `pose` in m and rad. `verdict` is of the swing: "same", "differs",
    "not comparable" (the engine's own errors are too large for an answer, even over the shortest swing) or "not
    tested"; `remark` says why. `swing` is the largest difference of a joint coordinate (rad, m) after `duration` s from
    random velocities, None where it was not compared; `moved` the largest motion of a joint in it, `still` the joints
    that did not move; `coupling_error` by how much the engine then breaks the relations between its own joints;
    `step_error`, requested where the swing differs by more than 1e-6, by how much it differs from itself at half the
    step. `passed` says whether all was compared and nothing differs.
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
    verdict: str
    moved: float
    still: tuple[str, ...]
    lost: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Whether masses, poses and a swing were compared, and are the same."""
        return self.verdict == "same" and not any(f.severity == Severity.ERROR for f in self.findings)


def verify(mechanism: Mechanism, to: str, *, duration: float = 1.0, seed: int = 1) -> Verification:
    """Export a mechanism, load it in the target engine, and compare masses, poses at random coordinates, and a swing.

    The swing begins with random velocities (`seed`) that joints, couplings and loops allow, within their limits of
    velocity. It is of the mechanism without limits, dry friction, damping, springs, servos and what acts in MuJoCo
    alone (tendons, a medium), in which engines differ by design, and without rotor inertias where the format has no
    place for them. It lasts `duration` (s), or a part of that where the engine's own errors are else too large.
    Raises InputError where no engine is known for the format or it is not installed, ModelError where the mechanism
    cannot be exported.
    """
    if to == FMU:
        return _verify_fmu(mechanism, duration, seed)
    if to not in ENGINES:
        raise InputError(f'no engine is known for "{to}"; there are: {", ".join(sorted((*ENGINES, FMU)))}')
    findings = Findings()
    bare = _bare(mechanism, to)
    with tempfile.TemporaryDirectory(prefix="cadbridge-") as scratch:
        folder = Path(scratch) / "export"
        export(bare, folder, to, options=ExportOptions(poses=200))
        engine = ENGINES[to](folder, bare.gravity)
        names, lost = _names_and_losses(folder)
        tree = close_loops(bare).tree if to == "mjcf" else spanning_tree(bare)
        compared = _Comparison(tree, engine, names)
        mass, centre, inertia = compared.masses()
        pose = max(compared.pose(np.random.default_rng((seed, k))) for k in range(POSES))
        swing = _swing(compared, bare, duration, random_twists(mechanism, seed))
        judge_files(to, folder, findings)
        for fault in engine.faults():
            findings.add("CB562", fault)
    found = {"mass": mass, "centre of mass": centre, "inertia": inertia, "pose": pose}
    _judge(findings, engine.name, engine.precision, found)
    _judge_swing(findings, engine.name, swing, to)
    return Verification(
        to, engine.name, len(compared.links), len(compared.joints), mass, centre, inertia, pose,
        swing.difference, swing.coupling_error, swing.step_error, swing.duration, swing.remark, swing.verdict,
        swing.moved, swing.still, lost, findings.as_tuple(),
    )  # fmt: skip


def _verify_fmu(mechanism: Mechanism, duration: float, seed: int) -> Verification:
    """An FMU holds all that acts, so that the mechanism is taken as it is, without what its source asks to simulate."""
    findings = Findings()
    mechanism = replace(mechanism, assembly=replace(mechanism.assembly, study=None))
    with tempfile.TemporaryDirectory(prefix="cadbridge-") as scratch:
        folder = Path(scratch) / "export"
        export(mechanism, folder, FMU)
        names, lost = _names_and_losses(folder)
        judge_files(FMU, folder, findings)
        found = fmu.compare_fmu(mechanism, folder, names, duration, random_twists(mechanism, seed))
    quantities = {"mass": found.mass, "centre of mass": found.centre, "inertia": found.inertia, "pose": found.pose}
    _judge(findings, fmu.NAME, fmu.PRECISION, quantities)
    swing = found.swing
    _judge_swing(findings, fmu.NAME, swing, FMU)
    return Verification(
        FMU, fmu.NAME, found.links, found.joints, found.mass, found.centre, found.inertia, found.pose,
        swing.difference, swing.coupling_error, swing.step_error, swing.duration, swing.remark, swing.verdict,
        swing.moved, swing.still, lost, findings.as_tuple(),
    )  # fmt: skip


def _names_and_losses(folder: Path) -> tuple[dict[str, dict[str, str]], tuple[str, ...]]:
    """The export's names, and the codes of its losses."""
    told = json.loads((folder / LOSSES).read_text("utf-8"))
    lost = {finding["code"] for finding in told["findings"] if finding["severity"] != Severity.INFO}
    return told["names"], tuple(sorted(lost))


def _bare(mechanism: Mechanism, to: str) -> Mechanism:
    keep_rotors = to == "mjcf"
    joints = tuple(
        replace(j, limit=None, friction=0.0, damping=0.0, stiffness=0.0, armature=j.armature if keep_rotors else 0.0)
        for j in mechanism.joints
    )
    drives = tuple(replace(d, law=None) for d in mechanism.drives)
    # The springs, tendons and medium of an MJCF act in MuJoCo alone.
    extra = {key: value for key, value in mechanism.assembly.extra.items() if key != "mjcf"}
    return replace(mechanism, joints=joints, drives=drives, assembly=replace(mechanism.assembly, extra=extra))


def _judge(findings: Findings, engine: str, precision: float, differences: dict[str, float]) -> None:
    for what, difference in differences.items():
        if not difference <= precision:
            findings.add("CB530", f"in {engine} the {what} differs by {difference:.3g}")


def _judge_swing(findings: Findings, engine: str, swing: Swing, to: str) -> None:
    """Findings of all that is not the same, and of all that was not compared."""
    if swing.verdict == "differs":
        message = f"after {swing.duration:.3g} s in {engine} a joint differs by {swing.difference:.3g}"
        if swing.step_error is not None:
            message += f", which {engine}'s own error of its steps ({swing.step_error:.2g}) does not explain"
        findings.add("CB531", message)
    elif swing.verdict == "not comparable":
        findings.add("CB537", f"a swing of {swing.duration:.3g} s in {engine}: {swing.remark}")
    elif swing.verdict == "not tested":
        findings.add("CB538", f"the motion of the {to} export: {swing.remark}")
    if swing.still and swing.verdict in ("same", "differs"):
        findings.add("CB539", f"did not move: {', '.join(swing.still)}", items=swing.still)


class _Comparison:
    """The tree's links and joints by the names that the engine knows."""

    def __init__(self, tree: Tree, engine: Engine, names: dict[str, dict[str, str]]) -> None:
        self.tree, self.engine = tree, engine
        # The first of a body's names: the others are of its halves.
        new_link = {old: new for new, old in reversed(names["links"].items())}
        new_joint = {old: new for new, old in names["joints"].items()}
        first = {link.body: link for link in reversed(tree.links)}
        self.new_joint = new_joint
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
            q[k] = random.uniform(-1.0, 1.0) * (1.0 if self.tree.freedoms[k].turns else 0.1)
        found = self.engine.poses(list(self.links), {name: float(q[k]) for name, k in self.joints.items()})
        index = {id(link): i for i, link in enumerate(self.tree.links)}
        poses = kinematics(self.tree, q).X_WL
        worst = 0.0
        for name, link in self.links.items():
            ours, theirs = poses[index[id(link)]], found[name]
            turn = np.linalg.norm(ours.R.T @ theirs.R - np.eye(3)) / np.sqrt(2)
            worst = max(worst, float(np.max(np.abs(ours.p - theirs.p))), float(turn))
        return worst


def _swing(compared: _Comparison, mechanism: Mechanism, duration: float, twists: list[Vector]) -> Swing:
    """Our run and the engine's, from the same velocities."""
    because = _not_compared(compared, mechanism)
    if because:
        return Swing("not tested", because)
    tree = compared.tree
    index = {id(link): i for i, link in enumerate(tree.links)}
    names = {index[id(link)]: name for name, link in compared.links.items()}
    start = start_of(tree, twists, names, compared.new_joint)
    return Swinger(mechanism, tree, compared.engine, compared.joints, twists, start).swing(duration)


def _not_compared(compared: _Comparison, mechanism: Mechanism) -> str:
    """Why the swing cannot be the same; "" where it can."""
    lacks = compared.engine.lacks(mechanism, compared.tree)
    jumps = any(abs(relation.constant) > AGREES for relation in relations(compared.tree)[0])
    reasons = {
        lacks: bool(lacks),
        "a joint is no lower pair, so it swings otherwise": any(x.type == "generic" for x in compared.tree.links),
        "the couplings do not hold as designed, so the engine begins with a jump": jumps,
        "no joint of one freedom": not compared.joints,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def verification_document(result: Verification) -> dict[str, Any]:
    """The result for `--json`."""
    fields = {k: v for k, v in result.__dict__.items() if k != "findings"} | {"passed": result.passed}
    return {"format": "cadbridge.verify/1", **fields, "findings": [f.document() for f in result.findings]}
