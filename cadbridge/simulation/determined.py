"""Which reactions a rigid model determines (Wojtyra & Frączek): of joints, gears, and mates where they have rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cadbridge.findings import Findings, Where
from cadbridge.lowering import Lowered, joint_bearer
from cadbridge.mechanism import GROUND_BODY
from cadbridge.mechanism.rows import ARTEFACT
from solver.algebra.rank import left_null_space
from solver.analyses.minimal import jacobian
from solver.equations.system import System
from solver.result import Trajectory
from solver.rotation import matrix
from solver.state import State

Array = NDArray[np.float64]

MATE = "mate."
"""What stands before the name of a mate among those of joints and gears."""
MOST_ROWS = 3000
"""Rows of a run up to which the mates of open shares are named: it takes a singular value decomposition."""


def determined(lowered: Lowered, system: System, T: Trajectory) -> dict[str, tuple[bool, bool]]:
    """For each joint and gear whether its force and its torque are determined, at all of three poses of the motion.

    Of a run that keeps every mate's rows for each mate too, by "mate.NAME". With the self-stresses N of constraints,
    those of group A are undetermined where Ĝ_Aᵀ N_A ≠ 0. Actuators are no part of it: efforts of spare ones are settled
    by least norm.
    """
    found: dict[str, tuple[bool, bool]] = {}
    for k in sorted({0, len(T.t) // 2, len(T.t) - 1}) if len(T.t) else ():
        state = T.state(k)
        for name, (force, torque) in _at(lowered, system, state).items():
            before = found.get(name, (True, True))
            found[name] = (before[0] and force, before[1] and torque)
    return found


def report_least_norm(lowered: Lowered, system: System, T: Trajectory, findings: Findings) -> None:
    """Report (CB647) mates that share a joint and whose wrenches are of least norm, one of many, where it begins."""
    sharing = {mate for joint in lowered.mechanism.joints if len(joint.mates) > 1 for mate in joint.mates}
    if lowered.collapsed or not len(T.t) or not sharing:
        return
    state = T.state(0)
    if system.constraint_rows > MOST_ROWS:
        findings.add("CB647", "the wrenches of mates that repeat each other are one of many shares, that of least norm")
        return
    undetermined = [key for key, fine in _at(lowered, system, state).items() if not all(fine)]
    open_ = [name for key in undetermined if key != (name := key.removeprefix(MATE)) and name in sharing]
    if open_:
        more = f" and {len(open_) - 5} more" if len(open_) > 5 else ""
        message = f"the wrenches of {', '.join(open_[:5])}{more} are one of many shares, that of least norm"
        findings.add("CB647", message, Where(item=open_[0]), items=open_)


def _at(lowered: Lowered, system: System, state: State) -> dict[str, tuple[bool, bool]]:
    """A joint's wrench is looked at about its origin, a gear's or mate's about the centre of its unit."""
    G = jacobian(system, state)[0]
    N = left_null_space(G, system.length)
    N = np.linalg.qr(N)[0] if N.shape[1] else N
    groups: dict[str, list[int]] = {}
    for row, name in enumerate(system.row_group[: len(G)]):
        groups.setdefault(name, []).append(row)
    # A joint may have the name of one of its mates.
    mates = set() if lowered.collapsed else {m.name for m in lowered.mechanism.assembly.mates}
    keys = {name: f"{MATE}{name}" if name in mates else name for name in groups}
    found = {keys[name]: _fine(_wrenches(G, N, rows), system.length) for name, rows in groups.items()}
    index = {unit.name: i for i, unit in enumerate(lowered.units)}
    for joint in lowered.mechanism.joints:
        bearer, lever, _ = joint_bearer(lowered, joint)
        names: tuple[str, ...] = (joint.name,)
        members = [bearer]
        if not lowered.collapsed:
            names = joint.mates
            body = joint.b if joint.b != GROUND_BODY else joint.a
            members = [index[c] for c in lowered.mechanism.bodies[body].components if c in index]
        wrench = _wrenches(G, N, [row for name in names for row in groups.get(name, ())])
        origin = state.positions[bearer] + np.asarray(matrix(state.quaternions[bearer])) @ lever
        total = np.zeros((1, 6, N.shape[1]))
        for i in members:
            arm = state.positions[i] - origin
            total[0] += wrench[i]
            total[0, 3:] += np.cross(arm, wrench[i, :3], axisb=0, axisc=0)
        found[joint.name] = _fine(total, system.length)
    return found


def _wrenches(G: Array, N: Array, rows: list[int]) -> Array:
    """(n, 6, k) of rows on all units, for self-stresses N (m, k)."""
    return np.asarray((G[rows].T @ N[rows]).reshape(G.shape[1] // 6, 6, N.shape[1]))


def _fine(wrench: Array, length: float) -> tuple[bool, bool]:
    force = bool(np.max(np.abs(wrench[:, :3]), initial=0.0) < ARTEFACT)
    return force, bool(np.max(np.abs(wrench[:, 3:]), initial=0.0) < ARTEFACT * length)
