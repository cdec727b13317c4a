"""MJCF for MuJoCo: robot.xml (the mechanism), scene.xml (floor, light and the robot), assets/*.stl.

Bodies nest along the spanning tree; couplings are joint equalities, or fixed tendons where more than two
coordinates take part; loops are closed by connect or weld (`cadbridge.exporters.loops`). Geoms of the class
"collision" are switched off (contype 0): wheels in mesh would else collide.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np

from cadbridge.assembly import ControlLaw, Drive, Limit, Mate
from cadbridge.exporters import sidecars
from cadbridge.exporters.collision import Box, Capsule, Cylinder, Solid, Sphere
from cadbridge.exporters.home import home_qpos
from cadbridge.exporters.loops import Closed, close_loops
from cadbridge.exporters.markup import add, document
from cadbridge.exporters.mjcf_kept import HOME, Kept
from cadbridge.exporters.names import UniqueNames, clean
from cadbridge.exporters.numbers import (
    LEAST_IN_MUJOCO,
    NO_LIMIT,
    balanced,
    exact,
    number,
    numbers,
    possible,
    small,
    taken_by_mujoco,
    tensor,
)
from cadbridge.exporters.options import ExportOptions
from cadbridge.exporters.plan import LinkPlan, make_plan, report_limits
from cadbridge.exporters.ranges import report_apart, within_followers
from cadbridge.exporters.relations import LinearRelation, Relation, eliminate, independent_rows, ranking
from cadbridge.exporters.tree import Link, Tree, joint_pose, limit_of
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.model import Joint, Mechanism
from cadbridge.mechanism.weights import carried_weights
from cadbridge.wording import listed

ASSETS = "assets"
SETTINGS = {"timestep": "0.001", "integrator": "implicitfast"}
"""Of <option>, for whoever simulates the export."""
# MuJoCo's constraints are springs. A time constant of twice the step is the shortest that MuJoCo keeps stable; by its
# default, ten times as long, loops and gears would give way visibly.
_TIGHT = {"solref": "0.002 1", "solimp": "0.99 0.9999 0.001 0.5 2"}
_HAIR = 1e-9
"""rad, m: MuJoCo drops a range whose ends are equal, so that they are put apart by so much (of servos a tenth)."""
_NESTED = 496
"""Bodies in a row: with <mujoco>, <worldbody> and what stands in the last, MuJoCo's parser reads no more."""


def contents(mechanism: Mechanism, name: str, findings: Findings, options: ExportOptions) -> dict[str, bytes]:
    """The files of the export, relative path → bytes; the model first."""
    closed = close_loops(mechanism)
    plan = make_plan(
        closed.tree, findings, options, folders=(ASSETS, ASSETS), masses_needed=True, polynomials=True,
        least=LEAST_IN_MUJOCO,
    )  # fmt: skip
    _report(plan, closed, findings)
    if findings.errors:
        return {}
    robot = _robot(plan, closed, name, findings)
    links = plan.tree.links
    left_out = [*closed.open, *(link.joint for link in links if link.joint and link.kind.unbound)]
    return {
        "robot.xml": robot,
        "scene.xml": _scene(plan, name),
        sidecars.CLOSURES: sidecars.closures(plan.tree, plan.link_names, plan.joint_names, left_out, (), plan.lost),
        sidecars.LOSSES: sidecars.losses("mjcf", name, plan.names, findings, mechanism.assembly.home),
        **plan.meshes.contents,
    }


def _report(plan: LinkPlan, closed: Closed, findings: Findings) -> None:
    """What MJCF has no place for, and what was composed."""
    tree = plan.tree
    for joint in closed.open:
        findings.add("CB504", f"joint {joint.name} closes a loop", Where(item=joint.name))
    for link in tree.links:
        if link.kind.unbound and link.joint is not None:
            findings.add("CB504", f"joint {link.joint.name} is not a lower pair", Where(item=link.joint.name))
    for _, half in closed.welds:
        closing = tree.links[half].joint
        assert closing is not None  # a half of a body hangs on the joint that closes the loop
        body = tree.body(tree.links[half]).name
        findings.add("CB514", f"joint {closing.name} closes a loop: body {body} is halved", Where(item=closing.name))
    report_limits(tree, findings)
    report_apart(within_followers(tree.mechanism)[1], findings)
    _report_standing(tree, findings)
    _report_nesting(plan, findings)
    fast = [j.name for j in tree.mechanism.joints if j.limit is not None and j.limit.velocity is not None]
    if fast:
        findings.add("CB511", f"MJCF has no limit of velocity: {listed(fast)}", items=fast)


def _report_standing(tree: Tree, findings: Findings) -> None:
    """Report moments of inertia that MuJoCo refuses of what stands still too (CB1434)."""
    for link in tree.links:
        mass = tree.mass(link)
        if link.parent is None and mass is not None and mass.mass > 0 and not _moments_taken(mass):
            name = tree.body(link).name
            text = f"{name} stands still, and its moments of inertia, which no body has, are left out"
            findings.add("CB1434", text, Where(item=name))


def _report_nesting(plan: LinkPlan, findings: Findings) -> None:
    """Report a chain of bodies that is longer than MuJoCo's parser nests elements (CB681)."""
    tree, nested = plan.tree, [0] * len(plan.tree.links)
    for i, link in enumerate(tree.links):
        above = 0 if link.parent is None or link.floats else nested[link.parent]
        nested[i] = above + (i not in tree.serial)
    longest = max(nested, default=0)
    if longest > _NESTED:
        last = tree.body(tree.links[nested.index(longest)]).name
        findings.add("CB681", f"{longest} bodies hang on one another, down to {last}", Where(item=last), items=[last])


def _loops(closed: Closed) -> bool:
    return bool(closed.connects or closed.welds)


def _robot(plan: LinkPlan, closed: Closed, name: str, findings: Findings) -> bytes:
    """robot.xml."""
    root = ET.Element("mujoco", model=name)
    # MJCF's own default is degrees. Masses are given, so none is to be inferred from geoms.
    compiler = add(root, "compiler", angle="radian", meshdir=ASSETS, autolimits="true", inertiafromgeom="false")
    if any(b.mass is not None and not balanced(b.mass) for b in plan.mechanism.bodies):
        compiler.set("balanceinertia", "true")  # CB1434: MuJoCo refuses such a body otherwise
    add(root, "option", SETTINGS, gravity=numbers(plan.mechanism.gravity))
    _defaults(root)
    asset = add(root, "asset")
    for path in sorted(plan.meshes.contents):
        file = path.removeprefix(f"{ASSETS}/")
        # "shell" spares thin sheets MuJoCo's demand for a volume; masses come from <inertial>.
        add(asset, "mesh", name=file.removesuffix(".stl"), file=file, inertia="shell")
    elements = _bodies(add(root, "worldbody"), plan)
    for frame, i, X_LF in plan.frames():
        add(elements[i], "site", {"name": frame} | _place(X_LF))
    _couplings(root, plan, closed, findings)
    kept = Kept(plan, root)
    kept.put_back()
    _sensors(root, plan, _actuators(root, plan, kept, findings))
    if HOME not in kept.keyframes():
        _home(root, plan, closed, findings)
    kept.report(findings)
    return document(root)


def _home(root: ET.Element, plan: LinkPlan, closed: Closed, findings: Findings) -> None:
    """The home pose as a keyframe; reported where it has no coordinates of its own (CB517)."""
    home, qpos = plan.mechanism.assembly.home, home_qpos(plan, _loops(closed))
    if qpos is not None:
        keyframe = root.find("keyframe")
        add(add(root, "keyframe") if keyframe is None else keyframe, "key", name=HOME, qpos=numbers(qpos))
    elif home:
        findings.add("CB517", f"the home pose is left out: {', '.join(sorted(home))}", items=home)


def _defaults(root: ET.Element) -> None:
    default = add(root, "default")
    add(default, "equality", _TIGHT)
    visual = add(default, "default", {"class": "visual"})
    # MuJoCo's viewer shows the groups 0 to 2 at first, so that geoms for collision, in 3, do not hide the others.
    add(visual, "geom", type="mesh", group="2", contype="0", conaffinity="0", density="0")
    collision = add(default, "default", {"class": "collision"})
    add(collision, "geom", type="mesh", group="3", contype="0", conaffinity="0", density="0")


def _place(X: Pose) -> dict[str, str]:
    return {"pos": numbers(X.p), "quat": numbers(X.quaternion())}


def _bodies(world: ET.Element, plan: LinkPlan) -> list[ET.Element]:
    """The <body> of each link; what bears the joints of a series is that of the first link above."""
    elements: list[ET.Element] = []
    carried = carried_weights(plan.mechanism)
    for i, link in enumerate(plan.tree.links):
        if i in plan.tree.serial:
            elements.append(elements[link.parent or 0])
            continue
        parent = world if link.parent is None or link.floats else elements[link.parent]
        elements.append(_body(parent, plan, i))
        weight = carried.get(link.body)
        if weight is not None and weight.share is not None:
            elements[i].set("gravcomp", exact(weight.share))
    return elements


def _body(parent: ET.Element, plan: LinkPlan, i: int) -> ET.Element:
    links, link = plan.tree.links, plan.tree.links[i]
    above = plan.tree.series(i)
    bearer = links[above[0]] if above else link
    X_PL = plan.tree.X_PL(bearer) @ bearer.X_WL.inverse() @ link.X_WL
    body = add(parent, "body", {"name": plan.link_names[i]} | _place(X_PL))
    _inertial(body, plan, link)
    for k in (*above, i):
        _joints(body, plan, links[k], link.X_WL.inverse() @ links[k].X_WL)
    for instance, X_LI, files in plan.shown(link):
        shown = add(body, "geom", {"class": "visual", "mesh": _mesh_name(files.visual)} | _place(X_LI))
        shown.set("rgba", numbers(plan.colour(instance)))
        for touched in files.collision:
            add(body, "geom", {"class": "collision"} | _geometry(touched.body) | _place(X_LI @ touched.X_IP))
    return body


def _mesh_name(path: str) -> str:
    return path.removeprefix(f"{ASSETS}/").removesuffix(".stl")


_SIZES: dict[type[Solid], Callable[[Any], tuple[float, ...]]] = {
    Box: lambda solid: tuple(edge / 2 for edge in solid.size),
    Sphere: lambda solid: (solid.radius,),
    Cylinder: lambda solid: (solid.radius, solid.length / 2),
    Capsule: lambda solid: (solid.radius, solid.length / 2),
}
"""MuJoCo's sizes of a solid: halves."""


def _geometry(body: str | Solid) -> dict[str, str]:
    """The attributes of a geom that say its shape."""
    if isinstance(body, str):
        return {"mesh": _mesh_name(body)}
    return {"type": type(body).__name__.lower(), "size": numbers(_SIZES[type(body)](body))}


def _moments_taken(mass: MassProperties) -> bool:
    """Whether MuJoCo takes the moments of inertia, which it wants above 0 of a body that stands still too."""
    return possible(mass) and balanced(mass)


def _inertial(body: ET.Element, plan: LinkPlan, link: Link) -> None:
    mass = plan.tree.mass(link)
    if mass is None or not mass.mass > 0:
        return
    if link.parent is None and not _moments_taken(mass):
        add(body, "inertial", pos=numbers(mass.com), mass=small(mass.mass), diaginertia="0 0 0")
        return
    I = tensor(mass.inertia)  # noqa: E741 - the symbol of mechanics
    I = taken_by_mujoco(I) if balanced(mass) else I  # noqa: E741
    # MJCF's order: the moments, then xy, xz, yz.
    full = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    add(body, "inertial", pos=numbers(mass.com), mass=small(mass.mass), fullinertia=" ".join(small(v) for v in full))


def _joints(body: ET.Element, plan: LinkPlan, link: Link, X_BL: Pose) -> None:
    """The joints above a link whose frame L stands at X_BL in the body that bears them."""
    names = plan.joint_names[link.first : link.first + len(link.freedoms)]
    if link.floats:
        _free_joint(body, plan, link, names[0])
        return
    away = {"pos": numbers(X_BL.p)} if np.any(X_BL.p) else {}
    rest = list(zip(names, link.freedoms, strict=True))
    ball = link.kind.ball
    for name, freedom in rest[:-3] if ball else rest:
        kind, axis = "hinge" if freedom.turns else "slide", numbers(X_BL.vector(freedom.axis))
        element = add(body, "joint", {"name": name, "type": kind, "axis": axis} | away)
        if link.joint is not None and (freedom.turns or freedom.name == link.joint.name):
            _dynamics(element, link.joint, limit_of(link.joint, freedom))
    if ball:
        element = add(body, "joint", {"name": names[-3], "type": "ball"} | away)
        if link.joint is not None:
            _dynamics(element, link.joint, None)


def _free_joint(body: ET.Element, plan: LinkPlan, link: Link, name: str) -> None:
    held = plan.mechanism.floats.get(link.body)
    # <freejoint> takes no damping, armature or stiffness.
    if held is None or not any((held.damping, held.armature, held.stiffness)):
        add(body, "freejoint", name=name)
    else:
        _dynamics(add(body, "joint", name=name, type="free"), held, None)


def _dynamics(element: ET.Element, joint: Joint | Mate, limit: Limit | None) -> None:
    """Damping, friction, armature, spring and range, where there are any."""
    for key, value in (
        ("damping", joint.damping),
        ("frictionloss", joint.friction),
        ("armature", joint.armature),
        ("stiffness", joint.stiffness),
        ("springref", joint.rest),
    ):
        if value:
            element.set(key, small(value))
    if limit is None:
        return
    if limit.lower is not None or limit.upper is not None:
        lower = -NO_LIMIT if limit.lower is None else limit.lower
        upper = NO_LIMIT if limit.upper is None else limit.upper
        element.set("range", numbers(_apart(lower, upper, _HAIR)))
    if limit.effort is not None and limit.effort > 0:
        element.set("actuatorfrcrange", numbers((-limit.effort, limit.effort)))


def _apart(lower: float, upper: float, hair: float) -> tuple[float, float]:
    """The ends of a range; equal ones apart by twice a hair (relative to them above 1): MuJoCo takes them for none."""
    by = hair * max(1.0, abs(lower)) if lower == upper else 0.0
    return lower - by, upper + by


def _couplings(root: ET.Element, plan: LinkPlan, closed: Closed, findings: Findings) -> None:
    """<equality> (and <tendon>) for couplings and loops; couplings that repeat others are reported."""
    kept, repeated = independent_rows(plan.relations, len(plan.joint_names))
    for item in repeated:
        findings.add("CB513", f"coupling {item.name} repeats others", Where(item=item.name))
    order = ranking(plan.tree)
    plan.dependences(findings)
    tendons = ET.Element("tendon")
    equality = ET.Element("equality")
    names, tendon_names = UniqueNames("equality"), UniqueNames("tendon")
    for relation in kept:
        name = names.give(relation.name)
        if len(relation.terms) <= 2:
            _joint_equality(equality, name, relation, plan, order)
        else:
            _tendon_equality(equality, tendons, name, tendon_names.give(relation.name), relation, plan)
    for law in plan.polynomials:
        joints = {"joint1": plan.joint_names[law.driven], "joint2": plan.joint_names[law.driver]}
        add(equality, "joint", joints, name=names.give(law.name), polycoef=" ".join(map(exact, law.coefficients)))
    for joint in closed.connects:
        _connect(equality, names.give(joint.name), joint, plan)
    for whole, half in closed.welds:
        name = names.give(f"{plan.link_names[half]}_weld")
        # Without relpose MuJoCo holds the two as they stand at first, where the halves coincide.
        add(equality, "weld", name=name, body1=plan.link_names[whole], body2=plan.link_names[half])
    root.extend(element for element in (tendons, equality) if len(element))


def _joint_equality(equality: ET.Element, name: str, relation: Relation, plan: LinkPlan, order: list[int]) -> None:
    """joint1 follows joint2 (or nothing) linearly."""
    (driven, c1), *others = sorted(relation.terms, key=lambda term: order.index(term[0]))
    element = add(equality, "joint", name=name, joint1=plan.joint_names[driven])
    ratio = 0.0
    for driver, c2 in others:
        element.set("joint2", plan.joint_names[driver])
        ratio = -c2 / c1
    # MuJoCo: joint1 less its reference = Σ polycoef[k] · (joint2 less its reference)ᵏ. References are 0 here.
    element.set("polycoef", f"{number(relation.constant / c1)} {exact(ratio)} 0 0 0")


def _tendon_equality(
    equality: ET.Element, tendons: ET.Element, name: str, tendon: str, relation: Relation, plan: LinkPlan
) -> None:
    """A sum over several joints is the length of a fixed tendon, which is held."""
    fixed = add(tendons, "fixed", name=tendon)
    for k, c in relation.terms:
        add(fixed, "joint", joint=plan.joint_names[k], coef=exact(c))
    polycoef = numbers((relation.constant, 0, 0, 0, 0))
    add(equality, "tendon", name=name, tendon1=tendon, polycoef=polycoef)


def _connect(equality: ET.Element, name: str, joint: Joint, plan: LinkPlan) -> None:
    a, b = plan.tree.link_of(joint.a), plan.tree.link_of(joint.b)
    anchor = plan.tree.links[a].X_WL.inverse().point(joint_pose(plan.mechanism, joint).p)
    add(equality, "connect", name=name, body1=plan.link_names[a], body2=plan.link_names[b], anchor=numbers(anchor))


def _actuators(root: ET.Element, plan: LinkPlan, kept: Kept, findings: Findings) -> list[str]:
    """An actuator for every drive, a motor for each other joint with an effort that follows none; their names.

    A motor's control is its torque (force) before the reduction.
    """
    actuator = ET.Element("actuator")
    names = UniqueNames("motor")
    moved: set[int] = set()
    for drive in plan.mechanism.drives:
        found = plan.driven(drive, findings)
        if found is None:
            continue
        moved.add(found[1])
        joint = plan.joint_names[found[1]]
        kept.activate(_actuator(actuator, names.give(drive.name), joint, drive), drive.name)
    kept.actuators(actuator, names)
    for joint in _with_effort(plan, moved):
        add(actuator, "motor", name=names.give(joint), joint=joint)
    if len(actuator):
        root.append(actuator)
    return [motor.get("name", "") for motor in actuator]


def _with_effort(plan: LinkPlan, moved: Collection[int]) -> list[str]:
    """The joints that get a motor as they have a limit of effort and no drive; a joint that a motor leads gets none."""
    if plan.mechanism.assembly.format == "mjcf":
        return []  # it names its actuators itself
    strong = {
        k
        for link in plan.tree.links
        for k, freedom in enumerate(link.freedoms, link.first)
        if link.joint is not None and freedom.name == link.joint.name
        if link.joint.limit is not None and (link.joint.limit.effort or 0.0) > 0
    }
    led = {d.dependent for d in _following(plan) if {k for k, _ in d.terms} <= strong | set(moved)}
    return [plan.joint_names[k] for k in sorted(strong - led - set(moved))]


def _following(plan: LinkPlan) -> tuple[LinearRelation, ...]:
    """The coordinates that follow others."""
    return eliminate(plan.relations, ranking(plan.tree))[0]


def from_start(law: ControlLaw) -> ControlLaw:
    """The law by a control that counts from where it starts: MuJoCo starts at 0, a drive of USD at its target."""
    u = law.start
    constant, stiffness, damping = (b + g * u for b, g in zip(law.bias, law.gain, strict=True))
    ends = None if law.control is None else (law.control[0] - u, law.control[1] - u)
    return replace(law, bias=(constant, stiffness, damping), control=ends, start=0.0)


def _actuator(actuator: ET.Element, name: str, joint: str, drive: Drive) -> ET.Element:
    """A motor, or what its law says."""
    law = from_start(drive.law or ControlLaw())
    plain = law.gain == (1.0, 0.0, 0.0) and not any(law.bias)
    element = add(actuator, "motor" if plain else "general", name=name, joint=joint, gear=number(drive.reduction))
    if not plain:
        for key, factors, straight in (("gain", law.gain, any(law.gain[1:])), ("bias", law.bias, any(law.bias))):
            element.set(f"{key}type", "affine" if straight else ("fixed" if key == "gain" else "none"))
            element.set(f"{key}prm", " ".join(exact(v) for v in factors))
    for key, ends in (("ctrlrange", law.control), ("forcerange", law.effort)):
        if ends is not None:
            element.set(key, numbers(_apart(*ends, 0.1 * _HAIR)))
    return element


def _sensors(root: ET.Element, plan: LinkPlan, motors: list[str]) -> None:
    """Position and velocity of each joint of one freedom that follows no other, motor efforts, poses of frames."""
    sensor = ET.Element("sensor")
    names = UniqueNames("sensor")
    # A joint that follows another says nothing that its leader does not.
    following = {d.dependent for d in _following(plan)}
    for link in plan.tree.links:
        if len(link.freedoms) == 1 and link.first not in following:
            joint = plan.joint_names[link.first]
            add(sensor, "jointpos", name=names.give(f"{joint}_position"), joint=joint)
            add(sensor, "jointvel", name=names.give(f"{joint}_velocity"), joint=joint)
    for motor in motors:
        add(sensor, "actuatorfrc", name=names.give(f"{motor}_effort"), actuator=motor)
    for site in plan.frame_names:
        add(sensor, "framepos", name=names.give(f"{site}_position"), objtype="site", objname=site)
        add(sensor, "framequat", name=names.give(f"{site}_orientation"), objtype="site", objname=site)
    if len(sensor):
        root.append(sensor)


def _scene(plan: LinkPlan, name: str) -> bytes:
    """scene.xml: the robot over a floor across gravity, with light, sized to the robot."""
    root = ET.Element("mujoco", model=f"{clean(name)}_scene")
    add(root, "include", file="robot.xml")
    size = plan.mechanism.length_scale
    points = np.array([link.X_WL.p for link in plan.tree.links])
    gravity = np.asarray(plan.mechanism.gravity)
    norm = float(np.linalg.norm(gravity))
    up = -gravity / norm if norm > 0 else np.array([0.0, 0.0, 1.0])
    centre = points.mean(axis=0)
    low = float(np.min((points - centre) @ up)) - 0.5 * size
    add(root, "statistic", center=numbers(centre), extent=number(2 * size))
    visual = add(root, "visual")
    add(visual, "headlight", diffuse="0.6 0.6 0.6", ambient="0.3 0.3 0.3", specular="0 0 0")
    asset = add(root, "asset")
    add(
        asset, "texture", name="floor", type="2d", builtin="checker", width="256", height="256",
        rgb1="0.25 0.3 0.35", rgb2="0.2 0.24 0.28",
    )  # fmt: skip
    add(asset, "material", name="floor", texture="floor", texrepeat="5 5", texuniform="true")
    world = add(root, "worldbody")
    add(world, "light", pos=numbers(centre + 3 * size * up), dir=numbers(-up), type="directional")
    add(
        world, "geom", name="floor", type="plane", material="floor", pos=numbers(centre + low * up),
        # The first two are of a plane without end; the third is the spacing of its subdivisions, for the light
        # (MuJoCo).
        zaxis=numbers(up), size=f"0 0 {number(0.05 * size)}", contype="0", conaffinity="0",
    )  # fmt: skip
    return document(root)
