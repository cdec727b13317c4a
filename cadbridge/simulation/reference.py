"""What a trajectory from elsewhere is worth: whether it moves, has velocities, keeps to its mates and motions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Assembly
from cadbridge.frames import Pose
from cadbridge.lowering import origin_of
from cadbridge.mechanism import GROUND_BODY, Mechanism, residuals
from cadbridge.simulation.run import Run
from cadbridge.simulation.study import unit_of
from cadbridge.study import Reference
from cadbridge.units import MM
from solver.equations.projection import project
from solver.rotation import matrix, quaternion
from solver.state import State

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

SAMPLES_LOOKED_AT = 200
"""At so many times, evenly taken, the reference's mates are looked at."""
MOST_PROJECTIONS = 1000
"""Of Newton's at most: a round moves a body by no more than the mechanism's size, which may be far below its gaps."""
WITHOUT = ("CB1204", "CB1212", "CB615")
"""Findings of a joint, force or motion of the source that the run goes without."""


@dataclass(frozen=True)
class Broken:
    """A mate that the reference does not fulfil: the most that it is off by (mm, degrees), and when (s)."""

    mate: str
    mm: float
    degrees: float
    t: float


def moves(reference: Reference) -> bool:
    """Whether any part leaves its first pose by more than the reference's own tolerance."""
    return any(
        np.max(np.abs(p - p[0]), initial=0.0) > reference.tolerance
        or np.max(np.abs(reference.rotations[name] - reference.rotations[name][0]), initial=0.0) > reference.tolerance
        for name, p in reference.positions.items()
    )


def has_velocities(reference: Reference) -> bool:
    """Whether velocities are given: a part that moves while all of its velocities are 0 has none."""
    if set(reference.velocities) != set(reference.positions):
        return False
    return not moves(reference) or any(np.any(v) for v in reference.velocities.values())


def contradicted(reference: Reference) -> tuple[str, str] | None:
    """The part whose positions least follow its velocities, and how; None where all do.

    Between two samples a part moves as the mean of its velocities says, but for what these change by in one interval.
    """
    worst = (0.0, "", "")
    dt = np.diff(reference.t)
    for name, twists in reference.velocities.items():
        v = twists[:, :3]
        moved = np.diff(reference.positions[name], axis=0)
        meant = 0.5 * (v[1:] + v[:-1]) * dt[:, None]
        turning = np.max(np.linalg.norm(np.diff(v, axis=0), axis=1) * dt, initial=0.0)
        beyond = np.linalg.norm(moved - meant, axis=1) - turning - reference.tolerance
        k = int(np.argmax(beyond))
        if beyond[k] > worst[0]:
            speeds = (float(np.linalg.norm(d[k]) / dt[k]) for d in (meant, moved))
            text = "{} moves at {:.3g} m/s by its velocities and at {:.3g} m/s by its positions at t = {:.3g} s"
            worst = (float(beyond[k]), name, text.format(name, *speeds, reference.t[k] - reference.t[0]))
    return worst[1:] if worst[0] > 0 else None


def broken_mate(mechanism: Mechanism, reference: Reference) -> Broken | None:
    """The mate that the reference breaks most, beyond its own tolerance. Couplings are not looked at."""
    known = {i for i, name in enumerate(mechanism.component_names) if name in reference.positions} | {GROUND_BODY}
    couplings = {c.name for c in mechanism.couplings}
    rows = tuple(r for r in mechanism.mate_rows if r.mate not in couplings and {r.a, r.b} <= known)
    worst: Broken | None = None
    for k in range(0, len(reference.t), max(1, len(reference.t) // SAMPLES_LOOKED_AT)):
        poses = tuple(
            Pose(reference.rotations[name][k], reference.positions[name][k]) if name in reference.positions else X
            for name, X in zip(mechanism.component_names, mechanism.X_WC, strict=True)
        )
        for mate, mm, degrees in residuals(rows, poses):
            if worst is None or max(mm, degrees) > max(worst.mm, worst.degrees):
                worst = Broken(mate, mm, degrees, float(reference.t[k] - reference.t[0]))
    if worst is None or max(MM * worst.mm, np.radians(worst.degrees)) <= reference.tolerance:
        return None
    return worst


def left_out(assembly: Assembly) -> tuple[str, ...]:
    """What the source has and the run goes without, in its findings' words."""
    return tuple(f.message for f in assembly.findings if f.code in WITHOUT)


def corrected(run: Run, reference: Reference, ours: Indices, theirs: Indices) -> Reference | None:
    """The reference at the common times, put on the mates and motions of the run by the least change.

    None where a body of the run has no series or no velocity, or the run changed its joints on the way.
    """
    bearers = _bearers(run, reference)
    if bearers is None or run.scenario.changes or len(run.system.model.bodies) > len(bearers):
        return None
    names = [*reference.positions]
    X_BC = {name: _in_bearer(run, name) for name in names}
    tracks: dict[str, list[tuple[Array, Array, Array]]] = {name: [] for name in names}
    for i, k in zip(ours.tolist(), theirs.tolist(), strict=True):
        state = _state(run, reference, bearers, k, i)
        found = project(run.system, state, iterations=MOST_PROJECTIONS).state
        for name in names:
            tracks[name].append(_component(run, name, X_BC[name], found))
    return Reference(
        reference.t[theirs],
        {name: np.array([p for p, _, _ in tracks[name]]) for name in names},
        {name: np.array([R for _, R, _ in tracks[name]]) for name in names},
        {name: np.array([v for _, _, v in tracks[name]]) for name in names},
        reference.tolerance,
    )


def _bearers(run: Run, reference: Reference) -> list[str] | None:
    """Of every unit of the run a component whose series and velocities are known."""
    found: dict[int, str] = {}
    for name in reference.velocities:
        found.setdefault(unit_of(run.lowered, name), name)
    units = range(len(run.lowered.units))
    return [found[i] for i in units] if all(i in found for i in units) else None


def _in_bearer(run: Run, name: str) -> Pose:
    """X_BC of a component in the frame of its unit."""
    unit, X_WC = unit_of(run.lowered, name), run.mechanism.assembly.component(name).X_WC
    return X_WC if unit == GROUND_BODY else run.lowered.units[unit].X_WB.inverse() @ X_WC


def _state(run: Run, reference: Reference, bearers: list[str], k: int, i: int) -> State:
    """Sample k of the reference as a state of the run's bodies; gears and angles have the turns of the run's i."""
    x, R, v = [], [], []
    for unit, name in zip(run.lowered.units, bearers, strict=True):
        X_WB = Pose(reference.rotations[name][k], reference.positions[name][k]) @ _in_bearer(run, name).inverse()
        x.append(X_WB.point(unit.mass.com))
        R.append(X_WB.R)
        twist = reference.velocities[name][k]
        v.append([*(twist[:3] + np.cross(twist[3:], x[-1] - reference.positions[name][k])), *twist[3:]])
    T = run.result.trajectory
    return State(float(T.t[i]), np.array(x), quaternion(np.array(R)), np.array(v), T.angles[i])


def _component(run: Run, name: str, X_BC: Pose, state: State) -> tuple[Array, Array, Array]:
    """Position (3,), rotation (3, 3) and twist (6,) of a component's frame in a state of the run's bodies."""
    unit = unit_of(run.lowered, name)
    if unit == GROUND_BODY:
        return X_BC.p, X_BC.R, np.zeros(6)
    R = np.asarray(matrix(state.quaternions[unit]))
    X_WC = Pose(R, origin_of(run.lowered.units, unit, state.positions[unit], R)) @ X_BC
    v, omega = state.velocities[unit, :3], state.velocities[unit, 3:]
    return X_WC.p, X_WC.R, np.hstack([v + np.cross(omega, X_WC.p - state.positions[unit]), omega])
