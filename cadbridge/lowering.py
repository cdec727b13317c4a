"""From a mechanism to the solver's model, and the way back.

The solver's bodies have their frames at the centre of mass (C), parallel to the mechanism's body frames (B).
With `collapse` the bodies and joints are lowered; without it every component with every row of every mate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cadbridge.errors import ModelError
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose, Vector
from cadbridge.inertia import MassProperties
from cadbridge.mechanism import GROUND_BODY, Joint, Mechanism
from cadbridge.mechanism.carriers import WheelMotions, carried, efficiencies
from cadbridge.mechanism.masses import unknown_mass
from cadbridge.mechanism.reframe import reframed
from cadbridge.mechanism.weights import carried_weights
from cadbridge.wording import count
from solver.constraints import Coordinate, Primitive
from solver.functions import constant
from solver.model import Bushing, Friction, JointLoad, Mesh, Model, RigidBody, TimeFunction, Wrench

if TYPE_CHECKING:
    from solver.equations.system import System


@dataclass(frozen=True, eq=False)
class Unit:
    """A rigid unit of the solver's model.

    Attributes:
        name: The body's name, or the component's.
        X_WB: Its pose in the world as designed.
        mass: In its frame B.
    """

    name: str
    X_WB: Pose
    mass: MassProperties


@dataclass(frozen=True, eq=False)
class Lowered:
    """The solver's model of a mechanism, with the way back.

    Attributes:
        mechanism: The mechanism.
        model: The model; `model.groups[i]` names the joint, gear or mate of primitive i.
        units: Its bodies in order.
        joints: The joints with a coordinate, in the order of `model.coordinates`.
        unit_of: By body of the mechanism, the unit that bears its frame.
        stand_ins: Units whose masses are not known and only stand in.
        collapsed: Whether units are bodies and groups joints; else they are components and mates.
    """

    mechanism: Mechanism
    model: Model
    units: tuple[Unit, ...]
    joints: tuple[Joint, ...]
    unit_of: dict[int, int]
    stand_ins: tuple[str, ...] = ()
    collapsed: bool = True

    def placed(self, body: int) -> tuple[int, Pose]:
        """Find what bears a body's frame B.

        Args:
            body: Its index in the mechanism.

        Returns:
            The solver's index of it, and X_CB in the solver's frame C (at the centre of mass).
        """
        unit = self.unit_of[body]
        return unit, _at_centre(self.units, unit)

    def reframed(self, coordinate: Coordinate) -> Coordinate:
        """Express a coordinate for the solver's bodies.

        Args:
            coordinate: Between bodies of the mechanism, in their frames.

        Returns:
            The same between the solver's bodies.
        """
        return reframed(coordinate, self.placed)

    def coordinate_of(self, name: str) -> int | None:
        """Find the coordinate of the joint that a name means.

        Args:
            name: As of `Mechanism.joint_named`.

        Returns:
            Its index in `model.coordinates`; None where there is none.
        """
        joint = self.mechanism.joint_named(name)
        return next((i for i, own in enumerate(self.joints) if own is joint), None)


def lower(
    mechanism: Mechanism,
    *,
    collapse: bool = True,
    gravity: tuple[float, float, float] | None = None,
    friction: tuple[float, float] | None = None,
    motion_only: bool = False,
) -> Lowered:
    """Translate a mechanism into the solver's model.

    A mass of zero that is known is taken: the solver says where nothing carries such a body.

    Args:
        mechanism: The mechanism.
        collapse: False makes every component a body, with every row of every mate.
        gravity: m/s², world axes; None takes the mechanism's.
        friction: Speeds (rad/s, m/s) over which dry friction is smoothed; None leaves friction and losses of teeth out.
        motion_only: Whether an unknown mass is stood in for: right where drivers prescribe every motion, for positions
            only.

    Returns:
        The model and the way back.

    Raises:
        ModelError: A mass is not known (CB610 for each body).
    """
    units, unit_of, stand_ins = _units(mechanism, collapse, motion_only)
    primitives, groups = _rows(mechanism, units, collapse)
    joints = tuple(j for j in mechanism.joints if j.coordinate)
    coordinates = tuple(_coordinate(j, units, unit_of) for j in joints)
    loads = [_load(j, units, unit_of, friction) for j in mechanism.joints]
    resisted = _resisted(mechanism, unit_of)
    model = Model(
        bodies=_bodies(units, resisted),
        primitives=primitives,
        positions=np.array([u.X_WB.point(u.mass.com) for u in units]).reshape(-1, 3),
        quaternions=np.array([u.X_WB.quaternion() for u in units]).reshape(-1, 4),
        groups=groups,
        coordinates=coordinates,
        coordinate_names=tuple(j.name for j in joints),
        loads=(
            *(load for load in loads if load is not None),
            *_travel_armatures(units, resisted),
            *_turn_armatures(units, resisted),
        ),
        bushings=tuple(_bushing(r, units) for r in resisted if r.damping or r.stiffness),
        meshes=() if friction is None else _meshes(mechanism, units, unit_of, friction),
        wrenches=_carried_weights(mechanism, units, collapse, gravity or mechanism.gravity),
        gravity=gravity or mechanism.gravity,
    )
    return Lowered(mechanism, model, units, joints, unit_of, stand_ins, collapse)


def prepared(model: Model) -> System:
    """The solver's system of a lowered model; ModelError (CB697) where nothing gives a freedom of a body inertia."""
    # Who lowers to place parts only is spared the solver's loading.
    from solver.equations.massless import NoInertiaError
    from solver.equations.system import prepare

    try:
        return prepare(model)
    except NoInertiaError as fault:
        findings = Findings()
        for name in fault.bodies:
            text = f"nothing that {name} can move freely has mass or a moment of inertia in that motion"
            findings.add("CB697", text, Where(item=name), items=[name])
        bodies = count(len(findings), "body has", "bodies have")
        raise ModelError(f"Nothing can be simulated: {bodies} a freedom without inertia.", findings) from fault


def _units(
    mechanism: Mechanism, collapse: bool, motion_only: bool
) -> tuple[tuple[Unit, ...], dict[int, int], tuple[str, ...]]:
    """The rigid units with their masses, the unit that bears each body's frame, and the names of stand-ins."""
    findings = Findings()
    units = []
    stand_ins = []
    length = mechanism.length_scale
    if collapse:
        candidates = [(body.name, body.X_WB, body.mass, body.components) for body in mechanism.bodies]
        unit_of = {i: i for i in range(len(mechanism.bodies))}
    else:
        masses = mechanism.component_masses
        candidates = [
            (name, X, masses[name].mass, (name,))
            for name, X in zip(mechanism.component_names, mechanism.X_WC, strict=True)
        ]
        index = {name: i for i, name in enumerate(mechanism.component_names)}
        # The first component has the body's frame, B = C.
        unit_of = {i: index[body.components[0]] for i, body in enumerate(mechanism.bodies)}
    for name, X, mass, components in candidates:
        if (mass is None or not mass.mass > 0) and motion_only:
            # Any mass will do where every motion is prescribed. One of the mechanism's own size keeps lengths and
            # angles alike in the factor.
            units.append(Unit(name, X, MassProperties(1.0, np.zeros(3), length**2 * np.eye(3))))
            stand_ins.append(name)
        elif mass is None or not mass.mass >= 0:
            text, cure = unknown_mass(mechanism.assembly, mechanism.part_masses, name, components)
            findings.add("CB610", text, Where(item=name), cure)
        else:
            units.append(Unit(name, X, mass))
    if len(findings):
        raise ModelError(
            f"Nothing can be simulated: {count(len(findings), 'body has', 'bodies have')} no mass.", findings
        )
    unit_of[GROUND_BODY] = GROUND_BODY
    return tuple(units), unit_of, tuple(stand_ins)


def _carried_weights(
    mechanism: Mechanism, units: tuple[Unit, ...], collapse: bool, gravity: tuple[float, float, float]
) -> tuple[Wrench, ...]:
    """The forces that compensate gravity, against it whatever the pose."""
    if collapse:
        of_unit = {unit: (found.mass, found.point) for unit, found in carried_weights(mechanism).items()}
    else:
        shares = [mechanism.assembly.component(unit.name).gravity_compensation for unit in units]
        of_unit = {i: (s * u.mass.mass, u.mass.com) for i, (s, u) in enumerate(zip(shares, units, strict=True)) if s}
    return tuple(
        Wrench(
            f"gravity compensation of {units[i].name}",
            i,
            _at_centre(units, i).point(point),
            force=(_against(mass, gravity[0]), _against(mass, gravity[1]), _against(mass, gravity[2])),
        )
        for i, (mass, point) in of_unit.items()
        if any(gravity)
    )


def _against(mass: float, gravity: float) -> TimeFunction | None:
    """The force (N) that carries a mass against one component of gravity; None where there is none."""
    return constant(-mass * gravity) if gravity else None


def _at_centre(units: tuple[Unit, ...], unit: int) -> Pose:
    """X_CB: the unit's frame B in the solver's frame C at its centre of mass."""
    return Pose() if unit == GROUND_BODY else Pose(np.eye(3), -units[unit].mass.com)


def _rows(
    mechanism: Mechanism, units: tuple[Unit, ...], collapse: bool
) -> tuple[tuple[Primitive, ...], tuple[str, ...]]:
    """All primitives in the solver's frames, and what each belongs to."""
    named: list[tuple[str, Primitive]] = []
    if collapse:
        named += [(j.name, p) for j in mechanism.joints for p in j.primitives]
        named += [(c.name, c.primitive) for c in mechanism.couplings]
    else:
        named += [(r.mate, p) for r in mechanism.mate_rows for p in r.primitives]
    moved = tuple(reframed(p, lambda i: (i, _at_centre(units, i))) for _, p in named)
    return moved, tuple(name for name, _ in named)


def _coordinate(joint: Joint, units: tuple[Unit, ...], unit_of: dict[int, int]) -> Coordinate:
    """The joint's coordinate: 0 as designed, b relative to a about or along z of the joint frame."""
    kind = joint.kind.resisted
    assert kind is not None
    A, B = joint.X_AJ, joint.X_BJ
    in_bodies = Coordinate(kind, joint.a, joint.b, A.p, A.R[:, 2], B.p, A.R[:, 0], B.R[:, 0])
    return reframed(in_bodies, lambda body: (unit_of[body], _at_centre(units, unit_of[body])))


def _load(
    joint: Joint, units: tuple[Unit, ...], unit_of: dict[int, int], speeds: tuple[float, float] | None
) -> JointLoad | None:
    """What a joint itself resists with; None where nothing, or where it has no one freedom to act on."""
    dry = joint.friction if speeds is not None else 0.0
    if joint.kind.resisted is None or not (joint.damping or joint.armature or joint.stiffness or dry):
        return None
    # A spring's rest and a rotor's turns are values of the one coordinate. Of several freedoms only the losses act, on
    # the turn that `resisted` names.
    single = bool(joint.coordinate)
    speed = 0.0 if speeds is None else speeds[joint.kind.resisted == "distance"]
    return JointLoad(
        _coordinate(joint, units, unit_of),
        damping=joint.damping,
        stiffness=joint.stiffness if single else 0.0,
        rest=joint.rest if single else 0.0,
        armature=joint.armature if single else 0.0,
        friction=Friction(dry, speed) if dry else None,
        name=joint.name,
    )


@dataclass(frozen=True, eq=False)
class _Resisted:
    """What resists every turn of unit `b` against `a`, and its travel too where it is free.

    X_AF and X_BF are one frame as designed, of the joint or of the floating body, expressed in both units' frames.
    """

    name: str
    a: int
    b: int
    X_AF: Pose
    X_BF: Pose
    damping: float
    stiffness: float
    armature: float
    travels: bool


def _resisted(mechanism: Mechanism, unit_of: dict[int, int]) -> list[_Resisted]:
    """The spherical joints and floating bodies that have damping, springs or armatures."""
    found = []
    for j in mechanism.joints:
        if j.kind.ball and (j.damping or j.stiffness or j.armature):
            ends = (unit_of[j.a], unit_of[j.b], j.X_AJ, j.X_BJ)
            found.append(_Resisted(j.name, *ends, j.damping, j.stiffness, j.armature, travels=False))
    for body, m in mechanism.floats.items():
        if m.damping or m.stiffness or m.armature:
            X_WF = mechanism.assembly.component(m.b.component).X_WC @ Pose(p=m.b.point)
            X_BF = mechanism.bodies[body].X_WB.inverse() @ X_WF
            ends = (GROUND_BODY, unit_of[body], X_WF, X_BF)
            found.append(_Resisted(m.name, *ends, m.damping, m.stiffness, m.armature, travels=True))
    return found


def _bodies(units: tuple[Unit, ...], resisted: list[_Resisted]) -> tuple[RigidBody, ...]:
    """The units as the solver's bodies.

    A rotor alike about all axes, against the ground, is a sphere that turns with the body: ½ J ω². For one between two
    moving units see `_turn_armatures`.
    """
    inertias = [np.asarray(u.mass.inertia) for u in units]
    for r in resisted:
        if GROUND_BODY in (r.a, r.b):
            # The ground is −1, so that the larger index is the body's.
            inertias[max(r.a, r.b)] = inertias[max(r.a, r.b)] + r.armature * np.eye(3)
    return tuple(RigidBody(u.name, u.mass.mass, inertia) for u, inertia in zip(units, inertias, strict=True))


def _travel_armatures(units: tuple[Unit, ...], resisted: list[_Resisted]) -> list[JointLoad]:
    """The armature of floating bodies against the travel of their frame's origin: mass without weight."""
    loads = []
    for r in resisted:
        if r.travels and r.armature:
            point = _at_centre(units, r.b).point(r.X_BF.p)
            for letter, axis in zip("xyz", np.eye(3), strict=True):
                coordinate = Coordinate("distance", GROUND_BODY, r.b, r.X_AF.p, axis, point)
                loads.append(JointLoad(coordinate, armature=r.armature, name=f"{r.name} along {letter}"))
    return loads


def _turn_armatures(units: tuple[Unit, ...], resisted: list[_Resisted]) -> list[JointLoad]:
    """The armature of ball joints between moving units, ½ J |ω_b − ω_a|²: along the rates about three axes of unit a.

    Whose axes these are does not matter: seen from either unit, ω_b − ω_a changes alike.
    """
    loads = []
    for r in resisted:
        if r.armature and GROUND_BODY not in (r.a, r.b):
            for letter, axis in zip("xyz", np.eye(3), strict=True):
                coordinate = Coordinate("spin", r.a, r.b, np.zeros(3), axis, np.zeros(3))
                loads.append(JointLoad(coordinate, armature=r.armature, name=f"{r.name} about {letter}"))
    return loads


def _bushing(r: _Resisted, units: tuple[Unit, ...]) -> Bushing:
    X_CA, X_CB = _at_centre(units, r.a) @ r.X_AF, _at_centre(units, r.b) @ r.X_BF
    acting = np.diag([1.0 * r.travels] * 3 + [1.0] * 3)
    return Bushing(
        r.name, r.a, r.b, X_CA.p, X_CA.R, X_CB.p, X_CB.R, stiffness=r.stiffness * acting, damping=r.damping * acting
    )


def _meshes(
    mechanism: Mechanism, units: tuple[Unit, ...], unit_of: dict[int, int], speeds: tuple[float, float]
) -> tuple[Mesh, ...]:
    """The gear pairs that lose power, where a body carries both wheels; `without_losses` reports the others."""

    def place(body: int) -> tuple[int, Pose]:
        return unit_of[body], _at_centre(units, unit_of[body])

    meshes = []
    for coupling in mechanism.couplings:
        shares = efficiencies(coupling)
        on = None if shares is None else carried(mechanism, coupling)
        if shares is not None and isinstance(on, WheelMotions):
            a, b = reframed(on.a, place), reframed(on.b, place)
            first, second = (speeds[c.kind == "distance"] for c in (a, b))
            meshes.append(Mesh(coupling.name, a, b, shares[0], first, second, shares[1]))
    return tuple(meshes)


def without_losses(mechanism: Mechanism) -> dict[str, str]:
    """The couplings that lose power which cannot be placed, by name, each with the reason as a clause."""
    found = {c.name: carried(mechanism, c) for c in mechanism.couplings if efficiencies(c) is not None}
    return {name: why for name, why in found.items() if isinstance(why, str)}


def origin_of(units: tuple[Unit, ...], unit: int, position: Vector, rotation: Vector) -> Vector:
    """The unit's frame origin in the world (m) from the centre's position (3,) and the rotation (3, 3)."""
    return np.asarray(position - rotation @ units[unit].mass.com)


def joint_bearer(lowered: Lowered, joint: Joint) -> tuple[int, Vector, float]:
    """The unit on which a joint's wrench is reported, the joint's origin in its frame C, and the sign.

    It is the second body, or the first with the sign −1 where the second is the ground.
    """
    second = joint.b != GROUND_BODY
    bearer = lowered.unit_of[joint.b if second else joint.a]
    p = (joint.X_BJ if second else joint.X_AJ).p
    return bearer, p - lowered.units[bearer].mass.com, 1.0 if second else -1.0
