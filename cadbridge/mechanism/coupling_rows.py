"""The rows of gears and of other couplings, on components first and on bodies once these are merged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container

import numpy as np

from cadbridge.assembly import Coupling, CouplingKind
from cadbridge.frames import ACROSS, Pose
from cadbridge.mechanism.building import Builder
from cadbridge.mechanism.couplings import gear_primitive, joints_primitive, ratio_primitive
from cadbridge.mechanism.laws import Placed, cam_primitive, linear_primitive
from cadbridge.mechanism.model import GROUND_BODY, BodyCoupling, Joint, MateRows
from cadbridge.mechanism.reframe import reframed
from cadbridge.mechanism.sides import MateSide
from solver.constraints import Coordinate, Coupler, FunctionCoupler, Primitive


def rows_of_coupling(b: Builder, coupling: Coupling, mates: tuple[MateRows, ...]) -> MateRows | None:
    """The row of a coupling on components; None, with a finding, where it has no meaning. `mates` tell the carrier."""
    if coupling.kind in _JOINT_COUPLINGS:
        return _rows_of_joint_coupling(b, coupling, {rows.mate for rows in mates})
    if not (b.known(coupling.a, coupling.name, coupling.where) and b.known(coupling.b, coupling.name, coupling.where)):
        return None
    assert coupling.a is not None
    assert coupling.b is not None
    side_a, side_b = b.side(coupling.a), b.side(coupling.b)
    if coupling.kind is not CouplingKind.RATIO:
        primitive = gear_primitive(coupling, side_a, side_b, b.findings)
        return None if primitive is None else MateRows(coupling.name, side_a.index, side_b.index, (primitive,))
    carrier = _carrier(b, coupling, side_a, side_b, mates)
    if carrier is None:
        return None
    try:
        return MateRows(
            coupling.name, side_a.index, side_b.index, (ratio_primitive(coupling, side_a, side_b, carrier),)
        )
    except ValueError as fault:
        b.findings.add("CB220", f"{coupling.name}: {fault}", coupling.where)
        return None


def _carrier(
    b: Builder, coupling: Coupling, side_a: MateSide, side_b: MateSide, mates: tuple[MateRows, ...]
) -> MateSide | None:
    """The carrier that is named, or the one unit to which both wheels are mated."""
    if coupling.carrier is not None:
        if coupling.carrier not in b.index:
            b.findings.add(
                "CB201", f"{coupling.name} is carried by {coupling.carrier}, which does not exist", coupling.where
            )
            return None
        unit = b.index[coupling.carrier]
    else:
        near: dict[int, set[int]] = defaultdict(set)
        for rows in mates:
            near[rows.a].add(rows.b)
            near[rows.b].add(rows.a)
        both = sorted(near[side_a.index] & near[side_b.index])
        if len(both) != 1:
            b.findings.add("CB223", f"{coupling.name}: its carrier is not clear", coupling.where)
            return None
        unit = both[0]
    assert coupling.a is not None
    X = Pose() if unit == GROUND_BODY else b.poses[unit]
    return MateSide(unit, X, coupling.a)


def _rows_of_joint_coupling(b: Builder, coupling: Coupling, used: Container[str]) -> MateRows | None:
    """The rows of a coupling of joints, which are named by their mates, of which `used` have a meaning."""
    mates = {m.name: m for m in b.assembly.mates}
    placed = []
    for name in coupling.joints or tuple(name for name, _ in coupling.factors):
        mate = mates.get(name)
        if mate is None or mate.a.component not in b.index or mate.b.component not in b.index:
            b.findings.add(
                "CB224", f"{coupling.name} follows {name}, which is not a joint with one freedom", coupling.where
            )
            return None
        if name not in used:
            text = f"{coupling.name} follows {name}, which is left out"
            b.findings.add("CB224", text, coupling.where, items=[coupling.name, name])
            return None
        placed.append((mate, b.side(mate.a), b.side(mate.b)))
    try:
        primitive = _JOINT_COUPLINGS[coupling.kind](coupling, placed)
    except ValueError as fault:
        b.findings.add("CB220", f"{coupling.name}: {fault}", coupling.where)
        return None
    return MateRows(coupling.name, primitive.a, primitive.b, (primitive,))


_JOINT_COUPLINGS: dict[CouplingKind, Callable[[Coupling, list[Placed]], Primitive]] = {
    CouplingKind.JOINTS: lambda coupling, placed: joints_primitive(coupling, *placed),
    CouplingKind.LINEAR: linear_primitive,
    CouplingKind.CAM: lambda coupling, placed: cam_primitive(coupling, *placed),
}


def body_coupling(b: Builder, rows: MateRows) -> BodyCoupling:
    """A coupling with its row on bodies, once components are merged into them."""
    coupling = next(c for c in b.assembly.couplings if c.name == rows.mate)
    return BodyCoupling(coupling.name, coupling, reframed(rows.primitives[0], b.place))


def report_held(b: Builder, couplings: tuple[BodyCoupling, ...], joints: tuple[Joint, ...]) -> None:
    """Report couplings that count a motion which the joint of their mate does not have: they hold the others."""
    between = {frozenset((joint.a, joint.b)): joint for joint in joints}
    for coupling in couplings:
        primitive = coupling.primitive
        if isinstance(primitive, Coupler):
            counted = [coordinate for _, coordinate in primitive.terms]
        elif isinstance(primitive, FunctionCoupler):
            counted = [primitive.driver, primitive.driven]
        else:
            continue
        for c in counted:
            joint = between.get(frozenset((c.a, c.b)))
            if joint is not None and joint.freedom.shape[1] and not _moves(b, joint, c):
                motion, kind = ("turn", "turns") if c.kind == "angle" else ("slide", "slides")
                text = f"{coupling.name} counts the {motion} of {joint.name}, a {joint.type} joint that never {kind} so"
                b.findings.add("CB232", text, coupling.coupling.where, items=[coupling.name, joint.name])


def _moves(b: Builder, joint: Joint, coordinate: Coordinate) -> bool:
    """Whether a freedom of the joint changes the coordinate as designed."""
    X_WJ = b.body_pose(joint.a) @ joint.X_AJ
    X_WA = b.body_pose(coordinate.a)
    axis = X_WJ.R.T @ X_WA.vector(coordinate.axis_a)
    v, omega = joint.freedom[:3].T, joint.freedom[3:].T
    if coordinate.kind == "angle":
        return bool(np.max(np.abs(omega @ axis)) > ACROSS)
    arm = X_WJ.inverse().point(b.body_pose(coordinate.b).point(coordinate.point_b))
    return bool(np.max(np.abs((v + np.cross(omega, arm)) @ axis)) > ACROSS)
