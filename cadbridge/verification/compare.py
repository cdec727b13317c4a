"""An export against the mechanism it came from, in the engine that it was written for."""

from __future__ import annotations

import contextlib
import json
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.catalogue import Severity
from cadbridge.documents import FORMATS
from cadbridge.errors import InputError
from cadbridge.exporters import ExportOptions, export
from cadbridge.exporters.loops import close_loops
from cadbridge.exporters.numbers import balanced, possible
from cadbridge.exporters.ranges import within_followers
from cadbridge.exporters.relations import relations
from cadbridge.exporters.sidecars import LOSSES
from cadbridge.exporters.tree import Link, Tree, kinematics, spanning_tree
from cadbridge.findings import Finding, Findings, Where
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.model import Mechanism
from cadbridge.mjcf_data import KEY as MJCF
from cadbridge.targets import TARGETS, EngineCheck, compared, loaded
from cadbridge.verification.contents import BY_MOTION, Contents, Exported, compare_contents
from cadbridge.verification.engines import Engine
from cadbridge.verification.existing import check_foreign, existing_export, unlike
from cadbridge.verification.found import EngineFindings
from cadbridge.verification.judges import judge_files
from cadbridge.verification.left_out import (
    Loss,
    Lost,
    in_words,
    known_losses,
    losses_of,
    not_swung,
    report_losses,
)
from cadbridge.verification.start import random_twists, start_of
from cadbridge.verification.swing import AT_REST, BUT_FOR_LOSSES, ROUNDING_GROWS, Swing, Swinger, at_rest
from cadbridge.wording import count, listed

COUPLINGS_AGREE = 1e-9
"""rad and m: by so much the couplings may miss the designed pose."""

POSES_COMPARED = 5
"""Poses at random at which the engine's and our own are compared: a wrong axis or offset of a joint shows at the first;
five make it unlikely that one stands where it does not."""

GROUND_MASS, GROUND_INERTIA = "the mass of what stands still", "the inertia of what stands still"

FILES = "what an export made now has otherwise"
"""Files and lines that were compared as far as an engine says what they hold, and not word by word."""


@dataclass(frozen=True)
class Verification:
    """The largest differences between a mechanism and its export in `engine`.

    `mass` and `inertia` are relative, `centre` in m, `pose` in m and rad. `verdict` is of the swing: "same", "same but
    for losses" (the same without `losses`, what the export leaves out, and not with it), "differs", "not comparable"
    (the engine's own errors are too large for an answer, even over the shortest swing), "not tested", or, of a
    mechanism without joints that move, "at rest"; `remark` says why. `swing` is the largest difference of a
    joint coordinate (rad, m) after `duration` s from random velocities, that of the joint `swing_joint`, None where it
    was not compared; `moved` the largest motion of a joint in it, `still` the joints that did not move;
    `coupling_error` by how much the engine then breaks the relations between its own joints; `step_error`, requested
    where the swing differs by more than 1e-6, by how much it differs from itself at half the step. `compared` names
    what was compared, `not_compared` what was not, with the reason. `passed` says whether masses, poses and the motion
    were compared, nothing that was compared differs, and every loss was accepted.
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
    compared: tuple[str, ...]
    not_compared: dict[str, str]
    findings: tuple[Finding, ...]
    swing_joint: str = ""
    losses: tuple[Loss, ...] = ()

    @property
    def in_words(self) -> str:
        """The verdict, and what it excepts."""
        return f"same, but for {in_words(self.losses, self.to)}" if self.losses else self.verdict

    @property
    def passed(self) -> bool:
        """Whether masses, poses and (if any joint moves) a swing were compared, and only accepted losses differ."""
        return self.verdict in ("same", BUT_FOR_LOSSES, AT_REST) and not any(
            f.severity == Severity.ERROR for f in self.findings
        )


Names = dict[str, dict[str, str]]
"""Of an export, by kind: new → old."""


@dataclass(frozen=True, eq=False)
class _Task:
    """What is compared: the export in `folder`, whose names are `names`, with the mechanism.

    `lost` is what an export made now leaves out: what a folder says of itself may have been edited. `accepted` are the
    codes of losses that the caller knows.
    """

    mechanism: Mechanism
    to: str
    how: EngineCheck
    folder: Path
    names: Names
    lost: Lost
    duration: float
    seed: int
    accepted: frozenset[str]


def verify(
    mechanism: Mechanism,
    to: str,
    *,
    duration: float = 1.0,
    seed: int = 1,
    folder: str | Path | None = None,
    accept: Iterable[str] = (),
) -> Verification:
    """Load an export of a mechanism in the target engine, and compare all that both hold, and a swing.

    The export is that in `folder`, or is written to a scratch folder. Masses, poses at random coordinates, gravity,
    limits and loads of joints, shapes, servos and sensors are compared as far as the engine says them.

    The swing begins with random velocities (`seed`) that joints, couplings and loops allow, within their limits of
    velocity. It is of the mechanism without limits, dry friction, damping, springs, losses of gears, servos and what
    acts in MuJoCo alone (tendons, a medium), in which engines differ by design (an FMU's is with all of these), and
    without rotor inertias where the format has no place for them. Of these the ones that the export leaves out are then
    added to the mechanism: how far it gets otherwise is in `losses`, an error unless `accept` has the loss's code. The
    swing lasts `duration` (s), or a part of that where the engine's own errors are else too large. Raises InputError
    where no engine is known for the format or it is not installed, the folder holds no export to it, or `accept` names
    no loss, ModelError where the mechanism cannot be exported.
    """
    how = compared(to)
    if how is None:
        known = sorted(target.name for target in TARGETS if target.compared is not None)
        raise InputError(f'no engine is known for "{to}"; there are: {", ".join(known)}')
    accepted = known_losses(accept)
    given = None if folder is None else existing_export(Path(folder), to)
    if given is not None:
        check_foreign(mechanism, to, how, given)
    with tempfile.TemporaryDirectory(prefix="cadbridge-") as scratch:
        own = Path(scratch) / "export"
        plain = _without_study(mechanism) if how.is_program and given is None else mechanism
        # The collision matrix of a package is not compared, so a few poses do for it.
        export(plain, own, to, options=ExportOptions(poses=200) if given is None else ExportOptions())
        looked = given or own
        task = _Task(mechanism, to, how, looked, _names(looked), _lost(own), duration, seed, accepted)
        return _verified(task, own)


def _verified(task: _Task, own: Path) -> Verification:
    """Compare an export; `own` is one made now."""
    findings = Findings()
    mechanism, how, folder, foreign = task.mechanism, task.how, task.folder, task.folder != own
    if how.is_program:
        # It holds all that acts: the mechanism is taken as it is, without what its source asks to simulate.
        plain, twists = _without_study(mechanism), random_twists(_without_study(mechanism), task.seed)
        with _as_input(how.engine, folder) if foreign else contextlib.nullcontext():
            found: EngineFindings = loaded(how.by)(plain, folder, task.names, task.duration, twists)
        found.contents.unsaid.update(_unweighed(mechanism, False))
    else:
        found = _compare_files(task, findings)
    judge_files(how, folder, findings)
    quantities = {"mass": found.mass, "centre of mass": found.centre, "inertia": found.inertia, "pose": found.pose}
    cure = _cure_of_inertias(mechanism, found.engine)
    _judge(findings, found.engine, found.precision, quantities, cure)
    for difference in found.contents.differences:
        findings.add("CB530", f"in {found.engine} {difference}")
    _judge_swing(findings, found.engine, found.swing, task.to, _reasons(_lost(folder)), cure)
    report_losses(found.losses, task.to, found.swing.duration, findings)
    not_swung(task.lost, found.contents.unsaid)
    if foreign and (places := unlike(own, folder)):
        found.contents.unsaid[FILES] = listed(places)
    return _verification(task.to, found, _codes(folder), findings)


def _verification(to: str, found: EngineFindings, lost: tuple[str, ...], findings: Findings) -> Verification:
    swing = found.swing
    done = ["masses", "centres of mass", "inertias", "poses"] if found.links else []
    done += found.contents.done
    not_compared = dict(found.contents.unsaid)
    if swing.verdict in ("same", BUT_FOR_LOSSES, "differs"):
        implied = [what for what, why in not_compared.items() if why == BY_MOTION]
        by = f", and by it {listed(implied)}" if implied else ""
        done.append(f"the motion of {count(found.joints - len(swing.still), 'joint')}{by}")
        not_compared = {what: why for what, why in not_compared.items() if what not in implied}
        if swing.still:
            not_compared["the motion of joints that stood still"] = listed(swing.still)
    elif swing.verdict != AT_REST:
        not_compared["motion"] = swing.remark
    return Verification(
        to, found.engine, found.links, found.joints, found.mass, found.centre, found.inertia, found.pose,
        swing.difference, swing.coupling_error, swing.step_error, swing.duration, swing.remark, swing.verdict,
        swing.moved, swing.still, lost, tuple(done), not_compared, findings.as_tuple(), swing.joint, found.losses,
    )  # fmt: skip


def _compare_files(task: _Task, findings: Findings) -> EngineFindings:
    """An export that an engine loads from its files."""
    # Two mechanisms: the bare one swings, since engines differ by design in limits, friction and servos; what an export
    # holds of these is compared as numbers.
    mechanism, how, folder = task.mechanism, task.how, task.folder
    bare = _bare(mechanism, how)
    with _as_input(task.to, folder):
        engine: Engine = loaded(how.by)(folder, mechanism.gravity)
    if engine.leads_within_followers:
        mechanism = within_followers(mechanism)[0]
    # What a joint has besides its constraint decides how a loop is closed: the tree is that of the whole mechanism.
    tree = close_loops(mechanism).tree if how.closes_loops else spanning_tree(mechanism)
    mine = _Comparison(replace(tree, mechanism=bare), engine, task.names)
    with _as_input(engine.name, folder):
        mass, centre, inertia = mine.masses()
        pose = max(mine.pose(np.random.default_rng((task.seed, k))) for k in range(POSES_COMPARED))
        contents = compare_contents(mine.exported(mechanism), mine.held(), engine.precision)
        contents.unsaid.update(_unweighed(mechanism, engine.holds_ground))
        swing, losses = _swing(mine, bare, task)
        for fault in engine.faults():
            findings.add("CB562", fault)
    counts = len(mine.links), len(mine.joints)
    return EngineFindings(engine.name, engine.precision, *counts, mass, centre, inertia, pose, swing, contents, losses)


def _without_study(mechanism: Mechanism) -> Mechanism:
    return replace(mechanism, assembly=replace(mechanism.assembly, study=None))


@contextlib.contextmanager
def _as_input(engine: str, folder: Path) -> Iterator[None]:
    """What an engine raises at files that are not as an export writes them, as InputError with CB1489."""
    try:
        yield
    except (ValueError, RuntimeError, KeyError, IndexError, OSError, ET.ParseError) as fault:
        findings = Findings()
        findings.add("CB1489", f"{engine}: {str(fault).splitlines()[0] if str(fault) else fault!r}", Where(str(folder)))
        raise InputError("The export cannot be loaded.", findings) from fault


LEFT_OUT = {
    "CB503": "it leaves loops open",
    "CB504": "it leaves a joint free",
    "CB506": "it leaves out a coupling whose ratio is not constant",
    "CB507": "it leaves out sums over several joints",
    "CB529": "it leaves out loads of joints that close loops",
    "CB541": "it leaves out couplings that the engine does not know",
}
"""Losses of an export by which it moves otherwise."""


def _reasons(lost: Container[str]) -> list[str]:
    return [f"{code} of the export: {why}" for code, why in LEFT_OUT.items() if code in lost]


def _names(folder: Path) -> Names:
    names: Names = json.loads((folder / LOSSES).read_text("utf-8"))["names"]
    return names


def _lost(folder: Path) -> Lost:
    """What an export reported, by code: what it is about."""
    found: dict[str, tuple[str, ...]] = {}
    for finding in json.loads((folder / LOSSES).read_text("utf-8"))["findings"]:
        found[finding["code"]] = (*found.get(finding["code"], ()), *finding["items"])
    return found


def _codes(folder: Path) -> tuple[str, ...]:
    """The codes of an export's losses."""
    findings = json.loads((folder / LOSSES).read_text("utf-8"))["findings"]
    return tuple(sorted({finding["code"] for finding in findings if finding["severity"] != Severity.INFO}))


def _bare(mechanism: Mechanism, how: EngineCheck) -> Mechanism:
    """What a swing compares; what an engine has in its plant for good stays, as Drake its springs."""
    kept = set(how.loads)
    joints = tuple(
        replace(
            j, limit=None, friction=0.0, damping=0.0,
            stiffness=j.stiffness if "stiffness" in kept and j.coordinate else 0.0,
            armature=j.armature if "armature" in kept else 0.0,
        )
        for j in mechanism.joints
    )  # fmt: skip
    drives = tuple(replace(d, law=None) for d in mechanism.drives)
    couplings = tuple(replace(c, coupling=replace(c.coupling, efficiency=None)) for c in mechanism.couplings)
    # The springs, tendons and medium of an MJCF act in MuJoCo alone.
    extra = {key: value for key, value in mechanism.assembly.extra.items() if key != MJCF}
    assembly = replace(mechanism.assembly, extra=extra)
    return replace(mechanism, joints=joints, drives=drives, couplings=couplings, assembly=assembly)


_REPLACING = ("Drake", "MuJoCo")
"""Engines that replace an inertia that no rigid body has by one of their own."""


def _cure_of_inertias(mechanism: Mechanism, engine: str) -> str | None:
    """What to do where the engine replaces inertias of the mechanism; None where it takes all of them."""
    odd = [b.name for b in mechanism.bodies if b.mass is not None and not balanced(b.mass)]
    if not odd or engine not in _REPLACING:
        return None
    which = f"{engine} replaces the inertia of {listed(odd)}, which no rigid body has (CB1433)"
    return f"{which}: correct it in the source, or pass --mass from-mesh."


def _judge(findings: Findings, engine: str, precision: float, differences: dict[str, float], cure: str | None) -> None:
    for what, difference in differences.items():
        if not difference <= precision:
            text = f"in {engine} the {what} differs by {difference:.3g}"
            findings.add("CB530", text, hint=cure if what == "inertia" else None)


def _judge_swing(findings: Findings, engine: str, swing: Swing, to: str, reasons: list[str], cure: str | None) -> None:
    """Findings of all that is not the same, and of all that was not compared."""
    if swing.verdict == "differs":
        message = f"after {swing.duration:.3g} s in {engine} joint {swing.joint} differs by {swing.difference:.3g}"
        if swing.step_error is not None:
            message += f", which {engine}'s own error of its steps ({swing.step_error:.2g}) does not explain"
        findings.add("CB531", "; ".join([message, *reasons]), hint=cure, items=[swing.joint])
    elif swing.verdict == "not comparable":
        findings.add("CB537", f"a swing of {swing.duration:.3g} s in {engine} could not be compared: {swing.remark}")
    elif swing.verdict == "not tested":
        text = f"the motion of the {to} export was not tested: {swing.remark}"
        findings.add("CB538", text, hint=_UNTESTED_CURES.get(swing.remark))
    if swing.still and swing.verdict in ("same", "differs"):
        findings.add("CB539", f"the swing did not move {', '.join(swing.still)}", items=swing.still)


_NO_JOINT_MOVES = "no joint of one freedom"
_JUMPS = "the couplings do not hold as designed, so the engine begins with a jump"
_UNTESTED_CURES = {
    _NO_JOINT_MOVES: "No other format helps: only joints with one freedom are swung. Judge by the masses and poses, "
    "which were compared, and look at the motion in the engine.",
    _JUMPS: "No other format helps: masses, poses and the numbers of the couplings were compared. To test the motion "
    "too, place the parts in the source where its couplings hold, without an offset.",
}
"""Cures of a swing that was not tested, where the catalogue's is none."""


def _of_body(mass: MassProperties) -> bool:
    """Whether a rigid body has such an inertia: of what stands still no export needs another."""
    return possible(mass) and balanced(mass)


def _unweighed(mechanism: Mechanism, held: bool) -> dict[str, str]:
    """Why the mass of what stands still, or its inertia, was not compared; {} where it was, or where there is none."""
    mass = mechanism.ground.mass
    if not mechanism.ground.instances or (mass is not None and not mass.mass > 0):
        return {}
    if mass is None or not held:
        return {GROUND_MASS: "it is not known" if mass is None else "the format has none"}
    return {} if _of_body(mass) else {GROUND_INERTIA: "no rigid body has it (CB1434)"}


class _Comparison:
    """The tree's links and joints by the names that the engine knows."""

    def __init__(self, tree: Tree, engine: Engine, names: Names) -> None:
        self.tree, self.engine = tree, engine
        # The first of a body's names: the others are of its halves.
        new_link = {old: new for new, old in reversed(names["links"].items())}
        new_joint = {old: new for new, old in names["joints"].items()}
        first = {link.body: link for link in reversed(tree.links)}
        self.new_joint, self.frames = new_joint, tuple(names.get("frames", ()))
        # The ground is compared where it is all that there is.
        links = tree.links if len(tree.links) == 1 and engine.holds_ground else tree.links[1:]
        joined = {tree.links[i].body for i in tree.serial} if engine.joins_series else set()
        self.links: dict[str, Link] = {
            new_link[tree.body(link).name]: link
            for link in links
            if first[link.body] is link and link.body not in joined
        }
        single = [link for link in tree.links if len(link.freedoms) == 1]
        self.joints = {new_joint[link.freedoms[0].name]: link.first for link in single}
        self.ground = new_link[tree.body(tree.links[0]).name]

    def _base(self) -> dict[str, Link]:
        """What stands still, where it has a mass that the engine can say; no motion depends on it."""
        link = self.tree.links[0]
        mass = self.tree.mass(link)
        return {self.ground: link} if self.engine.holds_ground and mass is not None and mass.mass > 0 else {}

    def exported(self, mechanism: Mechanism) -> Exported:
        """The links and joints with all that the mechanism has on them."""
        return Exported(replace(self.tree, mechanism=mechanism), self.links, self.joints, self.frames)

    def held(self) -> Contents:
        """What the engine has of them."""
        return self.engine.contents(list(self.links), list(self.joints))

    def masses(self) -> tuple[float, float, float]:
        """The largest differences: mass (relative; kg of links without one), centre (m), inertia (relative)."""
        links = self.links | self._base()
        found = self.engine.masses(list(links))
        worst = np.zeros(3)
        for name, link in links.items():
            ours, theirs = self.tree.mass(link), found[name]
            if ours is None:
                continue
            # Relative to the whole tensor: its small entries are differences of large ones.
            size = float(np.linalg.norm(ours.inertia)) or 1.0
            worst = np.maximum(worst, [
                abs(theirs.mass - ours.mass) / (ours.mass or 1.0),
                np.max(np.abs(theirs.com - ours.com)) * (ours.mass > 0.0),
                np.linalg.norm(theirs.inertia - ours.inertia) / size * (name in self.links or _of_body(ours)),
            ])  # fmt: skip
        return float(worst[0]), float(worst[1]), float(worst[2])

    def pose(self, random: np.random.Generator) -> float:
        """The largest difference of a link's pose (m, rad) at random coordinates."""
        q = np.zeros(len(self.tree.freedoms))
        for k in self.joints.values():
            # rad, and a tenth of a metre: poses far from the designed one, where signs and axes that are exchanged
            # show.
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


def _swing(compared: _Comparison, mechanism: Mechanism, task: _Task) -> tuple[Swing, tuple[Loss, ...]]:
    """Our run and the engine's, from the same velocities, and what the bare `mechanism` moves otherwise without."""
    if not compared.tree.freedoms:
        return at_rest(len(compared.links), compared.engine.name), ()
    because = _not_compared(compared, mechanism)
    if because:
        return Swing("not tested", because), ()
    tree, twists = compared.tree, random_twists(task.mechanism, task.seed)
    index = {id(link): i for i, link in enumerate(tree.links)}
    names = {index[id(link)]: name for name, link in compared.links.items()}
    start = start_of(tree, twists, names, compared.new_joint)
    swinger = Swinger(mechanism, tree, compared.engine, compared.joints, twists, start)
    swing = swinger.swing(task.duration)
    if swing.verdict != "same":
        return swing, ()
    within = ROUNDING_GROWS * compared.engine.precision
    losses = tuple(losses_of(task.lost, task.mechanism, swinger, swing.duration, within, task.accepted))
    return (replace(swing, verdict=BUT_FOR_LOSSES) if losses else swing), losses


def _not_compared(compared: _Comparison, mechanism: Mechanism) -> str:
    """Why the swing cannot be the same; "" where it can."""
    lacks = compared.engine.lacks(mechanism, compared.tree)
    jumps = any(abs(relation.constant) > COUPLINGS_AGREE for relation in relations(compared.tree)[0])
    loose = any(link.joint is not None and link.kind.unbound for link in compared.tree.links)
    reasons = {
        lacks: bool(lacks),
        "a joint is not a lower pair, so it swings otherwise": loose,
        _JUMPS: jumps,
        _NO_JOINT_MOVES: not compared.joints,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def verification_document(result: Verification) -> dict[str, Any]:
    """The result for `--json`."""
    fields = {k: v for k, v in result.__dict__.items() if k != "findings"} | {"passed": result.passed}
    fields["losses"] = [loss.document() for loss in result.losses]
    fields["not_compared"] = [{"what": what, "why": why} for what, why in result.not_compared.items()]
    return {"format": FORMATS["verify"], **fields, "findings": [f.document() for f in result.findings]}
