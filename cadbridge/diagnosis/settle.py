"""Placements that do not fulfil their mates: the nearest ones that do, for a diagnosis that means something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cadbridge.assembly import Assembly
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.mechanism import GROUND_BODY, Mechanism, build, residuals
from cadbridge.units import MM, TO_MM
from cadbridge.wording import count

HOLDS_MM = HOLDS_DEGREES = 1e-2
"""A mate that is off by less than this holds: CAD files round."""
MOST_NAMED = 5
"""Mates and components that a finding names."""


def settled(mechanism: Mechanism) -> Mechanism:
    """The mechanism itself where all its mates hold as placed, else the one at placements nearby that fulfil them.

    Placements are moved by Newton steps, heavy components least, and how far is reported (CB408). Where these do not
    close all mates, single components and then all are moved by damped least squares from several starts. Where no
    placements found fulfil all mates, the mechanism stays as placed and what remains open is reported (CB409).
    """
    before = _open(mechanism, mechanism.X_WC)
    if not before:
        return mechanism
    poses = _projected(mechanism)
    after = _open(mechanism, poses)
    farther = _farther(mechanism, before) if after else None
    if farther is not None:
        poses, after = farther, []
    findings = Findings(mechanism.findings)
    where = {m.name: m.where for m in mechanism.assembly.mates}
    if after:
        worst = after[0][0]
        findings.add(
            "CB409",
            f"no placements nearby fulfil all mates; open after least squares: {_gaps(after)}",
            where[worst] if where[worst] != Where() else Where(item=worst),
            items=[name for name, _, _ in after],
        )
        return replace(mechanism, findings=findings.as_tuple())
    moved = build(placed_at(mechanism, poses))
    if mechanism.assembly.extra.get("before_assembly"):
        # The format keeps the poses that its solver starts from: that they are open is no fault of the file.
        findings = Findings(f for f in mechanism.findings if f.code != "CB207")
    findings.extend(f for f in moved.findings if f not in mechanism.findings)
    text = f"{_shifts(mechanism, poses)}, so that all mates hold; before, {_gaps(before)} were off"
    findings.add("CB408", text, items=[name for name, _, _ in before])
    return replace(moved, findings=findings.as_tuple())


def _open(mechanism: Mechanism, poses: Sequence[Pose]) -> list[tuple[str, float, float]]:
    """Mates (name, mm, degrees) that do not hold at poses of the components, the worst first."""
    couplings = {c.name for c in mechanism.couplings}
    rows = tuple(r for r in mechanism.mate_rows if r.mate not in couplings)
    found = [f for f in residuals(rows, tuple(poses)) if f[1] > HOLDS_MM or f[2] > HOLDS_DEGREES]
    return sorted(found, key=lambda f: (-max(f[1], f[2]), f[0]))


def _projected(mechanism: Mechanism) -> tuple[Pose, ...]:
    """Poses of the components on their mates, or as near as can be.

    Without gears and other couplings: they hold at any pose that is taken for the design.
    """
    # Needed where mates are open only, which is seldom: most files are spared the solver's loading.
    from cadbridge.lowering import lower, origin_of
    from solver.equations.projection import project
    from solver.equations.system import prepare
    from solver.rotation import matrix
    from solver.state import State

    mates = tuple(r for r in mechanism.mate_rows if r.mate not in {c.name for c in mechanism.couplings})
    lowered = lower(replace(mechanism, mate_rows=mates), collapse=False, motion_only=True)
    model = replace(lowered.model, loads=(), coordinates=(), coordinate_names=())
    state = project(prepare(model), State.at_rest(model.positions, model.quaternions)).state
    poses = []
    for i, (x, q) in enumerate(zip(state.positions, state.quaternions, strict=True)):
        R = np.asarray(matrix(q))
        poses.append(Pose(R, origin_of(lowered.units, i, x, R)))
    return tuple(poses)


def _farther(mechanism: Mechanism, before: Sequence[tuple[str, float, float]]) -> tuple[Pose, ...] | None:
    """Poses that fulfil all mates found from farther away; None where none are."""
    from cadbridge.diagnosis.placing import placed

    couplings = {c.name for c in mechanism.couplings}
    rows = [r for r in mechanism.mate_rows if r.mate not in couplings]
    off = {name for name, _, _ in before}
    first = list(dict.fromkeys(i for r in rows if r.mate in off for i in (r.b, r.a) if i != GROUND_BODY))
    gap = max(mm for _, mm, _ in before) * MM
    primitives = [p for r in rows for p in r.primitives]
    poses = placed(primitives, mechanism.X_WC, mechanism.length_scale, gap, first)
    return poses if poses is not None and not _open(mechanism, poses) else None


def placed_at(mechanism: Mechanism, poses: Sequence[Pose]) -> Assembly:
    """The assembly with its moving components at poses X_WC, in their order."""
    assembly = mechanism.assembly
    X_WC = dict(zip(mechanism.component_names, poses, strict=True))
    moved = {c.name: X_WC[c.name] @ c.X_WC.inverse() for c in assembly.components if c.name in X_WC}
    return replace(
        assembly,
        components=tuple(replace(c, X_WC=X_WC.get(c.name, c.X_WC)) for c in assembly.components),
        instances=tuple(
            replace(i, X_WI=moved[i.component] @ i.X_WI) if i.component in moved else i for i in assembly.instances
        ),
    )


def _shifts(mechanism: Mechanism, poses: Sequence[Pose]) -> str:
    """How many components were moved, and by how much the two that were moved and turned most."""
    shifts = np.array([np.linalg.norm(X.p - Y.p) for X, Y in zip(mechanism.X_WC, poses, strict=True)])
    turns = np.array([_angle(X, Y) for X, Y in zip(mechanism.X_WC, poses, strict=True)])
    farthest, turned = int(np.argmax(shifts)), int(np.argmax(turns))
    # m and rad: the rows are closed to 1e-10 of the model's length, so that what moved by less was not meant.
    number = int(np.sum((shifts > 1e-7) | (turns > 1e-7)))
    names = mechanism.component_names
    was = "was" if number == 1 else "were"
    text = f"{number} of {count(len(poses), 'component')} {was} moved"
    text += f": {names[farthest]} by {shifts[farthest] * TO_MM:.3g} mm"
    # Below a ten-thousandth of a degree nobody sees the turn.
    if turns[turned] > 1e-6:
        other = f", {names[turned]} by" if turned != farthest else " and"
        text += f"{other} {np.degrees(turns[turned]):.3g}°"
    return text


def _angle(X: Pose, Y: Pose) -> float:
    R = X.R.T @ Y.R
    sine = np.linalg.norm([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return float(np.arctan2(sine, np.trace(R) - 1.0))


def _gaps(mates: Sequence[tuple[str, float, float]]) -> str:
    texts = []
    for name, mm, degrees in mates[:MOST_NAMED]:
        sizes = [f"{mm:.3g} mm"] * (mm > HOLDS_MM) + [f"{degrees:.3g}°"] * (degrees > HOLDS_DEGREES)
        texts.append(f"{name} ({', '.join(sizes)})")
    return ", ".join(texts) + (f" and {len(mates) - MOST_NAMED} more" if len(mates) > MOST_NAMED else "")
