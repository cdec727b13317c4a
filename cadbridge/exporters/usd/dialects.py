"""What Newton, MuJoCo and PhysX say beyond UsdPhysics, each in its layer: couplings, rotor inertia, dry friction.

q follows r: q = factor · r + offset. Newton: NewtonMimicAPI, offset in degrees, both joints of one type. MuJoCo:
MjcEqualityJointAPI, radians and metres; sums over several joints are MjcTendons, held at their length. PhysX:
PhysxMimicJointAPI, q + gearing · r + offset = 0 in degrees, turns only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pxr import Sdf, UsdGeom

from cadbridge.exporters.plan import LinkPlan
from cadbridge.exporters.relations import LinearRelation
from cadbridge.exporters.usd.stage import bytes_of, joints, new_stage
from cadbridge.findings import Findings, Where
from cadbridge.mechanism.model import Joint
from cadbridge.units import TO_DEGREES

PHYSX_FREQUENCY, PHYSX_DAMPING = 1000.0, 1.0
"""Hz and ratio of PhysX's spring between coupled joints: as stiff as its steps bear."""

HELD, TENDON_MARGIN = 1e-6, 1e-2
"""Half the range of a tendon that is held, and the distance from its ends at which MuJoCo begins to act: as both ends
always act, and alike, they are an equality, for which the schema has no word."""

ROUNDED = 1e-12
"""What is below that (in the units of the attribute) is rounding, and written as 0, so that files are alike on all
machines."""


class DialectLayer:
    """A layer that adds applied schemas and attributes to joints; schemas need not be known here."""

    def __init__(self, name: str) -> None:
        self.stage = new_stage()
        self.joints = joints(name)

    def prim(self, joint: str, schema: str) -> Any:
        """The joint, with the schema applied."""
        prim = self.stage.OverridePrim(self.joints.AppendChild(joint))
        prim.AddAppliedSchema(schema)
        return prim

    def set(self, prim: Any, attribute: str, value: float, kind: Any = Sdf.ValueTypeNames.Float) -> None:
        """An attribute of the prim's schemas."""
        prim.CreateAttribute(attribute, kind, custom=False).Set(float(value) if abs(value) > ROUNDED else 0.0)

    def point(self, prim: Any, relationship: str, joint: str) -> None:
        """A relationship to another joint."""
        prim.CreateRelationship(relationship, custom=False).SetTargets([self.joints.AppendChild(joint)])


_BY_MUJOCO = ": of its solvers the one of MuJoCo alone couples them"


def newton(
    plan: LinkPlan, name: str, closures: Mapping[str, str], followers: Sequence[LinearRelation], findings: Findings
) -> bytes:
    """Newton's layer."""
    layer, mixed = DialectLayer(name), []
    for d, turns in _kinds(plan, followers):
        follower, leader, factor = _names(plan, d)
        if turns[0] != turns[1]:
            mixed.append(follower)
            continue
        prim = layer.prim(follower, "NewtonMimicAPI")
        layer.point(prim, "newton:mimicJoint", leader)
        layer.set(prim, "newton:mimicCoef0", d.offset * (TO_DEGREES if turns[0] else 1.0))
        layer.set(prim, "newton:mimicCoef1", factor)
    _report(findings, "Newton", mixed, f"how {{}} follow a joint of another type{_BY_MUJOCO}")
    _report(findings, "Newton", _sums(plan, followers), f"how {{}} follow several joints, or stand still{_BY_MUJOCO}")
    for joint, prim_name in _resisted(plan, closures):
        prim = layer.prim(prim_name, "NewtonJointAPI")
        layer.set(prim, "newton:armature", joint.armature)
        layer.set(prim, "newton:friction", joint.friction)
        # Damping is per degree/s, as all angles of UsdPhysics; inertia and dry friction are not per angle.
        layer.set(prim, "newton:damping", joint.damping / (TO_DEGREES if joint.coordinate == "angle" else 1.0))
    return bytes_of(layer.stage)


def mujoco(
    plan: LinkPlan, name: str, closures: Mapping[str, str], followers: Sequence[LinearRelation], findings: Findings
) -> bytes:
    """MuJoCo's layer."""
    layer = DialectLayer(name)
    for d in followers:
        if len(d.terms) != 1:
            _tendon(layer, name, plan, d)
            continue
        follower, leader, factor = _names(plan, d)
        prim = layer.prim(follower, "MjcEqualityJointAPI")
        layer.point(prim, "mjc:target", leader)
        layer.set(prim, "mjc:coef0", d.offset, Sdf.ValueTypeNames.Double)
        layer.set(prim, "mjc:coef1", factor, Sdf.ValueTypeNames.Double)
    for joint, prim_name in _resisted(plan, closures):
        prim = layer.prim(prim_name, "MjcJointAPI")
        for attribute, value in (
            ("mjc:armature", joint.armature),
            ("mjc:damping", joint.damping),
            ("mjc:frictionloss", joint.friction),
        ):
            layer.set(prim, attribute, value, Sdf.ValueTypeNames.Double)
    # MuJoCo's reader knows balls and welds that close loops, nothing else.
    closing = [joint for joint in plan.tree.closures if not joint.kind.unbound]
    for joint in closing:
        if joint.kind.ball:
            layer.prim(closures[joint.name], "MjcEqualityConnectAPI")
    others = [closures[joint.name] for joint in closing if not joint.kind.ball]
    _report(findings, "MuJoCo", others, "the joints {} that close loops and are no balls; --to mjcf has them")
    return bytes_of(layer.stage)


def _tendon(layer: DialectLayer, name: str, plan: LinkPlan, d: LinearRelation) -> None:
    """q - Σ factor · q of the others, held at the offset."""
    types = Sdf.ValueTypeNames
    follower = plan.joint_names[d.dependent]
    folder = UsdGeom.Scope.Define(layer.stage, f"/{name}/tendons").GetPath()
    prim = layer.stage.DefinePrim(folder.AppendChild(follower), "MjcTendon")
    names = [follower, *(plan.joint_names[k] for k, _ in d.terms)]
    prim.CreateRelationship("mjc:path", custom=False).SetTargets([layer.joints.AppendChild(n) for n in names])
    half = HELD * max(1.0, abs(d.offset))
    for attribute, kind, value in (
        ("mjc:type", types.Token, "fixed"),
        ("mjc:path:indices", types.IntArray, range(len(names))),
        ("mjc:path:coef", types.DoubleArray, [1.0, *(-factor for _, factor in d.terms)]),
        ("mjc:limited", types.Token, "true"),
        ("mjc:range:min", types.Double, d.offset - half),
        ("mjc:range:max", types.Double, d.offset + half),
        ("mjc:margin", types.Double, TENDON_MARGIN),
    ):
        prim.CreateAttribute(attribute, kind, custom=False, variability=Sdf.VariabilityUniform).Set(value)


def physx(
    plan: LinkPlan, name: str, closures: Mapping[str, str], followers: Sequence[LinearRelation], findings: Findings
) -> bytes:
    """PhysX's layer."""
    layer, sliding = DialectLayer(name), []
    for d, turns in _kinds(plan, followers):
        follower, leader, factor = _names(plan, d)
        if not all(turns):
            sliding.append(follower)
            continue
        prim, at = layer.prim(follower, "PhysxMimicJointAPI:rotZ"), "physxMimicJoint:rotZ"
        layer.point(prim, f"{at}:referenceJoint", leader)
        axis = prim.CreateAttribute(
            f"{at}:referenceJointAxis", Sdf.ValueTypeNames.Token, custom=False, variability=Sdf.VariabilityUniform
        )
        axis.Set("rotZ")
        layer.set(prim, f"{at}:gearing", -factor)
        layer.set(prim, f"{at}:offset", -d.offset * TO_DEGREES)
        layer.set(prim, f"{at}:naturalFrequency", PHYSX_FREQUENCY)
        layer.set(prim, f"{at}:dampingRatio", PHYSX_DAMPING)
    _report(findings, "PhysX", _sums(plan, followers), "how {} follow several joints, or stand still")
    _report(findings, "PhysX", sliding, "how the slides {} follow others, or lead them: PhysX ignores it")
    resisted = _resisted(plan, closures)
    for joint, prim_name in resisted:
        if joint.armature:
            layer.set(layer.prim(prim_name, "PhysxJointAPI"), "physxJoint:armature", joint.armature)
    rubbing = [prim_name for joint, prim_name in resisted if joint.friction or joint.damping]
    _report(findings, "PhysX", rubbing, "the dry friction and damping of {}")
    return bytes_of(layer.stage)


DIALECTS: tuple[tuple[str, Callable[..., bytes]], ...] = (("newton", newton), ("mujoco", mujoco), ("physx", physx))
"""Engine → what writes its layer."""


def _names(plan: LinkPlan, d: LinearRelation) -> tuple[str, str, float]:
    ((leader, factor),) = d.terms
    return plan.joint_names[d.dependent], plan.joint_names[leader], factor


def _kinds(plan: LinkPlan, followers: Sequence[LinearRelation]) -> list[tuple[LinearRelation, tuple[bool, bool]]]:
    """Of each follower of one joint whether it and its leader turn."""
    kinds = [freedom.turns for freedom in plan.tree.freedoms]
    return [(d, (kinds[d.dependent], kinds[d.terms[0][0]])) for d in followers if len(d.terms) == 1]


def _sums(plan: LinkPlan, followers: Sequence[LinearRelation]) -> list[str]:
    return [plan.joint_names[d.dependent] for d in followers if len(d.terms) != 1]


def _resisted(plan: LinkPlan, closures: Mapping[str, str]) -> list[tuple[Joint, str]]:
    """Joints of one freedom with rotor inertia, damping or friction, and their prims."""
    of_tree = [
        (link.joint, plan.joint_names[link.first]) for link in plan.tree.links
        if link.joint is not None and len(link.freedoms) == 1
    ]  # fmt: skip
    closing = [(joint, closures[joint.name]) for joint in plan.tree.closures if len(joint.kind.steps) == 1]
    return [(j, n) for j, n in (*of_tree, *closing) if j.armature or j.damping or j.friction]


def _report(findings: Findings, engine: str, names: Sequence[str], what: str) -> None:
    """Report `what` the layer of an engine leaves out; `{}` stands for the names."""
    if names:
        text = f"{engine}: its layer leaves out {what.format(', '.join(names))}"
        findings.add("CB541", text, Where(item=names[0]), items=names)
