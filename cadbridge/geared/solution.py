"""The order of solution of a geared robot, and where its forces are found: tables 1 and 2 of Chen, Lin & Lin (1999).

First the transmitted forces and the torques of the inputs, from the moment balance of each link about its axis; then
the bearings, link by link. The frames of the contact forces are those of section 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadbridge.geared.analysis import Analysis
from solver.constraints import GROUND
from solver.constraints.terms import Poses
from solver.geared.graph import TurningPair
from solver.geared.transmission import Transmission, local_frame

Array = NDArray[np.float64]

_NO_LENGTH = 1e-9
"""A force (N), moment (N m) or a sine of a cone below this has no direction that can be told from rounding."""


@dataclass(frozen=True)
class Entering:
    """What of a bearing's reaction on the link it carries enters a moment balance, with the sign turned.

    `force` and `moment` are the directions (3,) of the components that count, in the axes of the link whose balance it
    is (the world's for one on the base), as designed; None where none does.
    """

    joint: str
    force: Array | None
    moment: Array | None


@dataclass(frozen=True)
class BalanceStep:
    """One block of moment balances: its `links` at the `level` of their line, and what they give.

    `gears` are those whose transmitted force is found, `torques` the joints of the inputs whose torque is. `external`
    names the reactions of what each link carries, its effective external forces beside weight and inertia.
    """

    level: int
    links: tuple[int, ...]
    gears: tuple[str, ...]
    torques: tuple[str, ...]
    external: tuple[Entering, ...]


@dataclass(frozen=True)
class Frame:
    """The frame of a contact force on the driving wheel of a gear pair, in the carrier's axes as designed (eq. 20).

    `H` (3, 3) has x (from the wheel's centre to the contact), y and z (the hinge's axis) as columns, `H_driven` is that
    of the driven wheel. `point` (3,) is the contact in the carrier's frame, m. `radius` (driver, driven) are pitch
    radii, m; `cone` the driver's pitch cone angle, rad; `delta` the δ of eq. (21), 0 for parallel axes;
    `pressure_angle` rad, None where it is not known.
    """

    gear: str
    driver: int
    driven: int
    carrier: int
    H: Array
    H_driven: Array
    point: Array
    radius: tuple[float, float]
    cone: float
    delta: int
    pressure_angle: float | None


def steps_of(found: Analysis) -> tuple[BalanceStep, ...]:
    """The first step: moment balances about axes, from the highest level to the lowest."""
    robot = found.robot
    B, h = robot.balance, len(robot.graph.meshes)
    result = []
    for i in range(len(B.start) - 1):
        block = slice(int(B.start[i]), int(B.start[i + 1]))
        links = tuple(int(r) for r in B.row[block])
        unknowns = [int(u) for u in B.unknown[block]]
        gears = tuple(robot.graph.meshes[u].name for u in unknowns if u < h)
        torques = tuple(robot.graph.pairs[robot.inputs[u - h]].name for u in unknowns if u >= h)
        external = tuple(e for link in links for e in _entering(robot, link))
        result.append(BalanceStep(max(_level(robot, link) for link in links), links, gears, torques, external))
    return tuple(result)


def _level(robot: Transmission, link: int) -> int:
    """The highest level of the lines through a link; of a primary link on none its number."""
    levels = [line.level for line in robot.lines if link in line.links]
    return max(levels) if levels else robot.primary.index(link)


def _entering(robot: Transmission, link: int) -> list[Entering]:
    """The reactions of the hinges on a link that have a moment about its axis."""
    graph = robot.graph
    own = graph.pairs[link]
    turn = _axes(robot, link)
    found = []
    for other in (p for p in graph.pairs if graph.canonical[p.link] == link):
        lever = np.cross(own.axis, other.point - own.point)
        # A hinge passes no moment about its own axis: of the link's axis counts what is across it.
        across = own.axis - other.axis * float(own.axis @ other.axis)
        force, moment = (turn.T @ v / size if (size := float(np.linalg.norm(v))) > _NO_LENGTH else None
                         for v in (lever, across))  # fmt: skip
        if force is not None or moment is not None:
            found.append(Entering(other.name, force, moment))
    return found


def _axes(robot: Transmission, link: int) -> Array:
    poses = Poses(np.asarray(robot.model.positions, float), np.asarray(robot.model.quaternions, float))
    return np.eye(3) if link == GROUND else np.asarray(poses.rotations[link])


def bearings_of(found: Analysis) -> tuple[tuple[int, TurningPair], ...]:
    """The second step: (level, hinge) in the order of solution; each has three forces, two moments across its axis."""
    order = [(step.level, link) for step in steps_of(found) for link in step.links]
    return tuple((level, found.robot.graph.pairs[link]) for level, link in order)


def frames_of(found: Analysis) -> tuple[Frame, ...]:
    """The frames of the contact forces, one for each gear pair."""
    robot = found.robot
    graph, result = robot.graph, []
    for g, mesh in enumerate(graph.meshes):
        driver, driven, c = robot.driver[g], robot.driven[g], mesh.contact
        world, turn = local_frame(graph, mesh, driver), _axes(robot, mesh.carrier)
        first = driver == mesh.a
        centres = (c.centre_a, c.centre_b) if first else (c.centre_b, c.centre_a)
        cone, out = (c.cone_a, c.out_a) if first else (c.cone_b, c.out_b)
        # Rounded, so that an axis that is square to the cone's but for rounding has no sign; a cone of no angle pushes
        # nothing along its axis.
        delta = int(np.sign(np.round(float(world[:, 2] @ out), 9))) if abs(np.sin(cone)) > _NO_LENGTH else 0
        point = c.point
        if mesh.carrier != GROUND:
            # The body's frame, not that of its centre of mass.
            unit = found.lowered.units[mesh.carrier]
            point = unit.X_WB.inverse().point(c.point)
        result.append(
            Frame(
                mesh.name, driver, driven, mesh.carrier, turn.T @ world,
                turn.T @ local_frame(graph, mesh, driven), point,
                (float(np.linalg.norm(c.point - centres[0])), float(np.linalg.norm(c.point - centres[1]))),
                float(cone), delta, found.pressure_angles.get(mesh.name),
            )
        )  # fmt: skip
    return tuple(result)
