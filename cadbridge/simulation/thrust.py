"""Forces in the teeth of worms and crossed helical gears, and what they push along the axes into the bearings.

A row of such a pair holds the turns alone. The true contact force acts at the pitch point P on the common
perpendicular n of the two axes u_a, u_b, at the radii r_a : r_b = z_a / cos β_a : z_b / cos β_b. Its parts across each
axis follow from the moments on the two wheels, friction included, and as the axes are not parallel these two give its
part in the pitch plane; the part along n follows from the normal pressure angle α:

    F · (u_a × n) = −T_a / r_a        F · (u_b × n) = −T_b / r_b        F · n = |F · m| tan α

with F on b, and m the normal of the teeth in the pitch plane (Niemann and Winter, Maschinenelemente III).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import CouplingKind
from cadbridge.simulation.row_wrenches import RowWrench, Wrenches
from cadbridge.simulation.run import Run
from solver.constraints import GROUND, WheelPair
from solver.constraints.evaluation import evaluate_program
from solver.constraints.kernels import placed

Array = NDArray[np.float64]

SCREWS = (CouplingKind.WORM, CouplingKind.CROSSED_HELICAL)


@dataclass(frozen=True, eq=False)
class Screw:
    """A pair whose teeth are known: its primitive in the model's frames, helix angle of a, pressure angle, teeth."""

    name: str
    pair: WheelPair
    helix: float
    pressure: float
    teeth: tuple[int, int]


def screws(run: Run) -> tuple[Screw, ...]:
    """The pairs of a run with a pressure angle, whose bodies are the model's (mates collapsed)."""
    model, found = run.system.model, []
    if len(run.lowered.units) != len(run.mechanism.bodies):
        return ()
    for coupling in run.mechanism.couplings:
        gear = coupling.coupling
        if gear.kind in SCREWS and gear.pressure_angle is not None and coupling.name in model.groups:
            pair = model.primitives[model.groups.index(coupling.name)]
            if isinstance(pair, WheelPair) and gear.teeth_a and gear.teeth_b:
                teeth = (gear.teeth_a, gear.teeth_b)
                found.append(Screw(coupling.name, pair, gear.helix, gear.pressure_angle, teeth))
    return tuple(found)


def with_thrust(
    run: Run, wrenches: Wrenches, losses: Callable[[], Array]
) -> tuple[Wrenches, dict[str, tuple[Array, str]]]:
    """The wrenches of groups with what teeth push into the joints, and the columns of these teeth.

    `losses` gives what the loss of each mesh does to its two wheels (k, m, 2); it is asked where there are such teeth.

    The contact forces less what rows and losses do already are in balance: the joints' rows alone bear them.
    """
    pairs = screws(run)
    if not pairs:
        return wrenches, {}
    T, program = run.result.trajectory, run.system.program
    torques = losses()
    held = int(program.primitive_row[-1])
    forces = {pair.name: np.zeros((len(T.t), 4)) for pair in pairs}
    count = program.bodies
    found = {name: one.on_all(count) for name, one in wrenches.items()}
    teeth = {pair.name: found[pair.name].copy() for pair in pairs}
    rows = list(zip(run.system.model.groups, program.primitive_row[:-1], program.primitive_row[1:], strict=True))
    for s in range(len(T.t)):
        x, R, _ = placed(T.positions[s], T.quaternions[s], T.velocities[s])
        more = np.zeros((len(x), 6))
        for pair in pairs:
            row = np.zeros((len(x), 6))
            row[:-1] = teeth[pair.name][s]
            # As a whole teeth push nothing: the ground gets what the bodies leave.
            row[-1, :3] = -row[:, :3].sum(axis=0)
            row[-1, 3:] = -(row[:-1, 3:] + np.cross(x[:-1], row[:-1, :3])).sum(axis=0)
            row += _losses(run, pair.name, torques[s], R)
            contact, forces[pair.name][s] = _contact(pair, x, R, row)
            more += contact - row
        G = evaluate_program(program, T.positions[s], T.quaternions[s], T.velocities[s], T.angles[s]).G[:held]
        # What contact forces do beyond the row is borne by the joints: Ĝᵀ extra = more, of least norm where that is one
        # of many.
        extra = np.linalg.lstsq(G.T, more[:-1].ravel(), rcond=None)[0]
        for group, first, last in rows:
            found[group][s] -= (extra[first:last] @ G[first:last]).reshape(-1, 6)
    columns: dict[str, tuple[Array, str]] = {}
    for name, values in forces.items():
        for k, what in enumerate(("axial_a", "axial_b", "radial", "force")):
            columns[f"tooth.{name}.{what}"] = (values[:, k], "N")
    return {name: RowWrench(tuple(range(count)), values) for name, values in found.items()}, columns


def _losses(run: Run, name: str, torques: Array, R: Array) -> Array:
    """What the loss of a pair does to the bodies and last the ground (n + 1, 6), about their centres."""
    model, out = run.system.model, np.zeros((len(R), 6))
    for k, mesh in enumerate(model.meshes):
        if mesh.name == name:
            for side, c in enumerate((mesh.a, mesh.b)):
                moment = torques[k, side] * (R[c.a] @ c.axis_a)
                out[c.b, 3:] -= moment
                out[c.a, 3:] += moment
    return out


def _contact(pair: Screw, x: Array, R: Array, row: Array) -> tuple[Array, Array]:
    """The contact force on the bodies (n + 1, 6), about their centres; axial on a, on b, radial, size (4,) N.

    `row` (n + 1, 6) is what the pair's row and its loss do to the bodies.
    """
    p = pair.pair
    axes, points, moments = [], [], []
    for body, axis, point in ((p.a, p.axis_a, p.point_a), (p.b, p.axis_b, p.point_b)):
        u = R[body] @ axis / np.linalg.norm(axis)
        at = x[body] + R[body] @ point
        axes.append(u)
        points.append(at)
        moments.append(float(u @ (row[body, 3:] + np.cross(x[body] - at, row[body, :3]))))
    (ua, ub), normal = axes, np.cross(*axes)
    normal /= np.linalg.norm(normal)
    n = normal * np.copysign(1.0, normal @ (points[1] - points[0]))
    trace = np.cos(pair.helix) * ua + np.sin(pair.helix) * np.cross(ua, n)
    parts = pair.teeth[0] / np.cos(pair.helix), pair.teeth[1] / abs(float(trace @ ub))
    distance = float(n @ (points[1] - points[0]))
    ra, rb = (distance * part / sum(parts) for part in parts)
    # On the common perpendicular: from axis a by r_a.
    foot = np.linalg.solve(np.column_stack([ua, -ub, n]), points[1] - points[0])[0]
    at = points[0] + foot * ua + ra * n
    across = np.vstack([np.cross(ua, n), np.cross(ub, n), n])
    # F · (u_a × n) and F · (u_b × n) by the moments on the wheels; no part along n yet.
    plane = np.linalg.solve(across, [-moments[0] / ra, -moments[1] / rb, 0.0])
    radial = abs(float(plane @ np.cross(trace, n))) * np.tan(pair.pressure)
    force = plane + radial * n
    out = np.zeros((len(x), 6))
    for body, sign in ((p.a, -1.0), (p.b, 1.0)):
        out[body, :3] += sign * force
        out[body, 3:] += np.cross(at - (x[body] if body != GROUND else np.zeros(3)), sign * force)
    return out, np.array([-force @ ua, force @ ub, radial, np.linalg.norm(force)])
