"""The spanning tree of a lowered mechanism as the links of `solver.denoc`, and its coordinates at a state.

The tree is the one that `simulate --method tree` integrates. A joint of several freedoms is a series of links without
mass before the one that bears the body; a body that hangs on nothing has a free joint on the ground.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.lowering import Lowered, prepared
from cadbridge.tree.joints import tree_joints
from solver import rotation
from solver.chart.kinematics import Kinematics, joint_rates, kinematics_room
from solver.chart.reading import read_joints
from solver.chart.spanning import Chart, TreeJoint, spanning_chart
from solver.denoc import GROUND, Link, Tree
from solver.equations.system import HOLD, System, prepare
from solver.model import Model
from solver.state import State

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

FREE = 4
"""Steps of the chart for a body that hangs on nothing: three translations and a spherical one."""


@dataclass(frozen=True, eq=False)
class Rate:
    """One of the tree's rates θ̇: its name, and the unit of its coordinate (rad or m)."""

    name: str
    unit: str


@dataclass(frozen=True, eq=False)
class SpanningTree:
    """`tree` with the way back: `bearer` (n,) is the link that bears each unit of `lowered`.

    `joints` names the joint by which each link hangs ("" for a free one), `rates` (nv,) the rates. `closing` are
    the rows of `system` that no joint of the tree holds: loops, gears, couplings and joints of other kinds. `left_out`
    names the rotors (armatures) on coordinates that are none of the tree's.
    """

    lowered: Lowered
    system: System
    chart: Chart
    tree: Tree
    bearer: Ints
    joints: tuple[str, ...]
    rates: tuple[Rate, ...]
    closing: Ints
    left_out: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The links, those without mass by the joint that they are part of."""
        return tuple(link.name for link in self.tree.links)

    def closing_rows(self) -> tuple[str, ...]:
        """What each of the closing rows belongs to: a joint, gear or coupling."""
        return tuple(self.system.row_group[int(row)] for row in self.closing)


@dataclass(frozen=True, eq=False)
class Posed:
    """A tree at a state: q (nq,), rates and accelerations (nv,) as `solver.denoc` has them."""

    q: Array
    rates: Array
    accelerations: Array


def spanning_tree(lowered: Lowered, model: Model | None = None, *, carried: bool = True) -> SpanningTree:
    """The tree with the fewest freedoms of a lowered mechanism; `model` is the lowered one with loads beside it.

    `carried`: whether a freedom without inertia is refused (ModelError, CB697); a motion that is prescribed needs none.
    """
    model = model or lowered.model
    system = prepared(model) if carried else prepare(model, carried=False)
    joints = tree_joints(lowered)
    chart = spanning_chart(system, joints)
    by_pair = {frozenset((j.a, j.b)): j for j in joints}
    n = len(model.bodies)
    links: list[Link] = []
    hung: list[str] = []
    rates: list[Rate] = []
    bearer = np.full(n, GROUND, np.int64)
    rotors = {load.name: load.armature for load in model.loads if load.armature}
    for k in range(n):
        body, parent = int(chart.body[k]), int(chart.parent[k])
        # By the number of steps: no joint that a tree takes has four, three slides and a ball.
        free = chart.step[k + 1] - chart.step[k] == FREE
        joint = None if free else by_pair[frozenset((body, GROUND if parent == n else parent))]
        name = model.bodies[body].name if joint is None else joint.name
        # What is left in `rotors` at the end is on no coordinate of the tree, and is told as left out.
        armature = 0.0 if joint is None else rotors.pop(joint.name, 0.0)
        own = _links(chart, k, model, GROUND if parent == n else int(bearer[parent]), joint, len(links), armature)
        rates += _rates(name, joint, own)
        links += own
        hung += ["" if joint is None else joint.name] * len(own)
        bearer[body] = len(links) - 1
    tree = Tree(_placed(links, chart, bearer, n), model.gravity)
    held = set(hung)
    rows = zip(system.row_group, system.rows.kind, strict=True)
    closing = [i for i, (group, kind) in enumerate(rows) if kind == HOLD and group not in held]
    return SpanningTree(
        lowered, system, chart, tree, bearer, tuple(hung), tuple(rates), np.array(closing, np.int64), tuple(rotors)
    )


def _links(
    C: Chart, k: int, model: Model, parent: int, joint: TreeJoint | None, at: int, armature: float
) -> list[Link]:
    """The links of joint k of the chart, from index `at` on; the last bears the body."""
    body = model.bodies[int(C.body[k])]
    bears = {"mass": body.mass, "com": C.centre[k], "inertia": np.asarray(body.inertia, float)}
    place = {"point": C.point[k], "turn": rotation.matrix(C.turn[k])}
    steps = range(int(C.step[k]), int(C.step[k + 1]))
    kinds = ["free"] if joint is None else [_kind(C, s) for s in steps] or ["fixed"]
    found = []
    for i, kind in enumerate(kinds):
        last = i == len(kinds) - 1
        name = body.name if last else f"{joint.name if joint else body.name} ({i + 1})"
        axis = C.axis[steps[i]] if joint is not None and steps else np.array([0.0, 0.0, 1.0])
        pitch = float(C.slide[steps[i]] * C.spin[steps[i]]) if steps else 0.0
        more = {**(place if i == 0 else {}), **(bears if last else {})}
        # A rotor's inertia is that of one coordinate; a joint of several says not of which.
        rotor = armature if len(kinds) == 1 else 0.0
        on = parent if i == 0 else at + i - 1
        found.append(Link(name, on, kind, axis=axis, pitch=pitch, armature=rotor, **more))
    return found


def _kind(C: Chart, s: int) -> str:
    """The joint of one step of the chart."""
    if C.ball[s]:
        return "spherical"
    if not C.spin[s]:
        return "prismatic"
    return "screw" if C.slide[s] else "revolute"


def _rates(name: str, joint: TreeJoint | None, links: list[Link]) -> list[Rate]:
    """The rates of a joint, by its name where it has one."""
    if joint is None:
        return [Rate(f"{name}.{what}", unit) for unit, letter in (("m", "v"), ("rad", "w")) for what in _three(letter)]
    found: list[Rate] = []
    for link in links:
        if link.kind.rates == 3:
            found += [Rate(f"{name}.{what}", "rad") for what in _three("w")]
        elif link.kind.rates:
            found.append(Rate(name, "rad" if link.kind.spin else "m"))
    if len(found) > 1 and found[0].name == name:
        return [Rate(f"{name}.{i}", r.unit) for i, r in enumerate(found, 1)]
    return found


def _three(letter: str) -> tuple[str, str, str]:
    return (f"{letter}x", f"{letter}y", f"{letter}z")


def _placed(links: list[Link], C: Chart, bearer: Ints, n: int) -> tuple[Link, ...]:
    """The links with their joints' points from the parents' origins, where the chart counts from centres of mass."""
    found = list(links)
    first = np.concatenate([[0], bearer[C.body][:-1] + 1]) if n else np.zeros(0, np.int64)
    for k in range(n):
        # The ground has no centre of mass: from there both count alike.
        if C.parent[k] != n:
            link = found[int(first[k])]
            found[int(first[k])] = replace(link, point=link.point + links[int(bearer[C.parent[k]])].com)
    return tuple(found)


def posed(of: SpanningTree, state: State, accelerations: Array | None = None) -> Posed:
    """The tree's coordinates, rates and accelerations where the bodies are and move so; accelerations (n, 6)."""
    C = of.chart
    nq, nv = int(C.q_start[-1]), int(C.v_start[-1])
    q, rates, second = np.zeros(nq), np.zeros(nv), np.zeros(nv)
    K: Kinematics = kinematics_room(len(C.body), nv)
    x, quaternions, v = (np.ascontiguousarray(a, float) for a in (state.positions, state.quaternions, state.velocities))
    read_joints(C, K, x, quaternions, v, q, rates)
    if accelerations is not None:
        joint_rates(C, K, np.ascontiguousarray(accelerations, float), 1.0, second)
    for k in range(len(C.body)):
        if C.step[k + 1] - C.step[k] == FREE:
            i, j = int(C.q_start[C.step[k]]), int(C.v_start[C.step[k]])
            # A free joint counts travel in its own axes, and its rates in the link's.
            base = rotation.conjugate(C.turn[k])
            out = rotation.conjugate(rotation.multiply(C.turn[k], q[i + 3 : i + 7]))
            v = rotation.rotate(out, rates[j : j + 3])
            second[j : j + 3] = rotation.rotate(out, second[j : j + 3]) - np.cross(rates[j + 3 : j + 6], v)
            q[i : i + 3], rates[j : j + 3] = rotation.rotate(base, q[i : i + 3]), v
    return Posed(q, rates, second)
