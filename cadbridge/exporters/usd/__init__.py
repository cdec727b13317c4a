"""OpenUSD with UsdPhysics: NAME.usda over a layer of shapes, a neutral layer of physics, and one layer for each engine.

Bodies stand side by side, each with its joint's frame L as designed; joints lie beside them. Loops are kept: the joints
that the spanning tree leaves out are excluded from the articulation. Couplings have no place in UsdPhysics: Newton,
MuJoCo and PhysX have dialects of their own, each in its layer (`dialects`).
"""

from __future__ import annotations

from cadbridge.errors import MissingExtraError
from cadbridge.exporters import sidecars
from cadbridge.exporters.names import UniqueNames
from cadbridge.exporters.options import ExportOptions
from cadbridge.exporters.plan import LinkPlan, make_plan, report_free
from cadbridge.exporters.ranges import report_apart, within_followers
from cadbridge.exporters.relations import LinearRelation
from cadbridge.exporters.tree import Tree, spanning_tree
from cadbridge.findings import Findings, Where
from cadbridge.mechanism.joint_types import JOINT_TYPES
from cadbridge.mechanism.model import Mechanism
from cadbridge.wording import listed

MESHES = "meshes"


def contents(mechanism: Mechanism, name: str, findings: Findings, options: ExportOptions) -> dict[str, bytes]:
    """The files of the export, relative path → bytes; the model first. MissingExtraError without usd-core."""
    try:
        import pxr  # noqa: F401 - only to know whether it is there
    except ImportError:
        raise MissingExtraError("--to usd needs usd-core: pip install 'cadbridge[usd]'") from None
    from cadbridge.exporters.usd.dialects import DIALECTS
    from cadbridge.exporters.usd.geometry import geometry_layer
    from cadbridge.exporters.usd.physics import physics_layer
    from cadbridge.exporters.usd.stage import root_layer

    tree = spanning_tree(mechanism)
    plan = make_plan(
        tree, findings, options, folders=(MESHES, MESHES), masses_needed=True, meshes="usdc", one_namespace=True
    )
    # Closures are joints as well, and the tree's names are given already.
    names = UniqueNames("joint", (*plan.link_names, *plan.joint_names))
    closures = {joint.name: names.give(joint.name) for joint in tree.closures}
    plan.names["joints"].update(names.mapping)
    world = names.give("world")
    _report(plan, findings)
    if findings.errors:
        return {}
    followers, sums = _followers(plan, findings)
    layers = {
        **{f"layers/{dialect}.usda": write(plan, name, closures, followers, findings) for dialect, write in DIALECTS},
        "layers/physics.usda": physics_layer(plan, name, closures, world, options),
        "layers/geometry.usda": geometry_layer(plan, name),
    }
    left_out = [link.joint for link in tree.links if link.joint and link.kind.unbound]
    left_out += [joint for joint in tree.closures if joint.kind.unbound]
    return {
        f"{name}.usda": root_layer(name, list(layers)),
        **layers,
        sidecars.CLOSURES: sidecars.closures(tree, plan.link_names, plan.joint_names, left_out, sums, plan.lost),
        sidecars.LOSSES: sidecars.losses("usd", name, plan.names, findings, mechanism.assembly.home),
        **plan.meshes.contents,
    }


def _followers(plan: LinkPlan, findings: Findings) -> tuple[list[LinearRelation], list[LinearRelation]]:
    """What joints of one freedom follow; and the sums, for `closures.json`, with what others take part in, reported."""
    tree = plan.tree
    dependences = plan.dependences(findings)
    single = {link.first for link in tree.links if len(link.freedoms) == 1}
    found: list[LinearRelation] = []
    others: list[LinearRelation] = []
    for d in dependences:
        joint = plan.joint_names[d.dependent]
        held = {d.dependent, *(k for k, _ in d.terms)} <= single
        if held:
            found.append(d)
        if held and len(d.terms) == 1:
            continue
        others.append(d)
        if held:
            continue
        drivers = " and ".join(plan.joint_names[k] for k, _ in d.terms) or "none: it stands still"
        findings.add("CB507", f"joint {joint} follows {drivers}", Where(item=joint))
    return found, others


def _report(plan: LinkPlan, findings: Findings) -> None:
    """What UsdPhysics has no place for, and what its engines read differently."""
    tree, mechanism = plan.tree, plan.mechanism
    used = {link.joint.name: link.type for link in tree.links if link.joint is not None}
    for joint in mechanism.joints:
        kind = used.get(joint.name, joint.type)
        where = Where(item=joint.name)
        if joint.kind.unbound or JOINT_TYPES[kind].unbound:
            findings.add("CB504", f"joint {joint.name} is not a lower pair", where)
        elif len(JOINT_TYPES[kind].steps) != 1 and not JOINT_TYPES[kind].ball:
            findings.add("CB540", f"the {kind} joint {joint.name} is a PhysicsJoint with locked axes", where)
        if joint.limit is not None and len(joint.kind.steps) != 1 and not joint.kind.axial:
            findings.add("CB511", f"the limit of joint {joint.name} ({joint.type}) is left out", where)
    driven = {found[0].name for drive in mechanism.drives if (found := plan.joint_of(drive)) is not None}
    bounded = [j for j in mechanism.joints if j.limit is not None]
    fast = [j.name for j in bounded if j.limit is not None and j.limit.velocity is not None]
    if fast:
        findings.add("CB511", f"UsdPhysics has no limit of velocity: {listed(fast)}", items=fast)
    weak = [j.name for j in bounded if j.limit is not None and j.limit.effort is not None and j.name not in driven]
    if weak:
        findings.add("CB511", f"UsdPhysics bounds the effort of drives alone: {listed(weak)}", items=weak)
    report_free(mechanism, findings)
    report_apart(within_followers(mechanism)[1], findings)
    sprung = [j.name for j in mechanism.joints if j.stiffness]
    if sprung:
        findings.add("CB535", f"springs are left out: {', '.join(sprung)}", items=sprung)
    if mechanism.assembly.home:
        home = ", ".join(sorted(mechanism.assembly.home))
        findings.add("CB517", f"the home pose is left out: {home}", items=mechanism.assembly.home)
    geared = [d.name for d in mechanism.drives if d.reduction != 1.0 and plan.joint_of(d) is not None]
    if geared:
        findings.add("CB543", f"the reductions of these drives are left out: {listed(geared)}", items=geared)
    _report_standing(tree, findings)
    _report_servos(plan, findings)
    for drive in mechanism.drives:
        plan.driven(drive, findings)


def _report_standing(tree: Tree, findings: Findings) -> None:
    """Report a mass of what stands still that no rigid body of the stage holds (CB545)."""
    from cadbridge.exporters.usd.physics import bears

    mass = tree.mass(tree.links[0])
    if mass is not None and mass.mass > 0 and not bears(tree):
        name = tree.body(tree.links[0]).name
        text = (
            f"{name} weighs {mass.mass:g} kg: nothing hangs on it, so that it is no rigid body and has no mass in USD"
        )
        findings.add("CB545", text, Where(item=name), "No motion depends on it. --to sdf and --to mjcf hold it.")


def _report_servos(plan: LinkPlan, findings: Findings) -> None:
    """Servos that a drive of UsdPhysics cannot be: it pulls towards a target, both ways alike."""
    from cadbridge.exporters.usd.physics import drives_on, held

    other: list[str] = []
    for link in plan.tree.links:
        drives = drives_on(plan, link) if link.joint is not None and len(link.freedoms) == 1 else []
        constant, stiffness, damping = held(drives)
        lopsided = any(d.law is not None and d.law.effort and d.law.effort[0] != -d.law.effort[1] for d in drives)
        if lopsided or min(stiffness, damping) < 0 or (constant and not (stiffness or damping)):
            other += [drive.name for drive in drives]
    if other:
        findings.add("CB536", f"the control laws of the servos {listed(other)} are left out", items=other)
