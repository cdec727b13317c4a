"""Which joints are commanded, which are only measured, which follow: what ros2_control and the relay must know."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass

import numpy as np

from cadbridge.exporters.ros2.loop_closure import LoopClosure
from cadbridge.exporters.tree import driven_joints
from cadbridge.exporters.urdf import Description, closures_of
from cadbridge.frames import Matrix

_PERTURBED = 0.2
"""rad, or share of the size: the rank of loops is counted away from the designed pose too, where they may be flat."""
_OTHER_POSES = 2
"""Poses at random, besides the designed one, at which the rank is counted: the largest counts, and one that is singular
by chance is unlikely to come twice."""


@dataclass(frozen=True)
class Roles:
    """Joints by name. `active`: those from which all others follow; `commanded` ⊆ `active`: those with a command.

    `mimics`: those that follow one other by <mimic>; `passive`: those that loops or several others decide.
    `undriven`: active ones that no drive of the source moves; `surplus`: driven ones that follow others all the same.
    `loops` solves poses; `left_open` are closures that it does not hold (with the reason), `gap` by how much the others
    are open as designed (m, rad). `relayed`: whether a relay must run. `home`: values of the home pose (rad, m).
    """

    loops: LoopClosure
    active: tuple[str, ...]
    commanded: tuple[str, ...]
    mimics: dict[str, str]
    passive: tuple[str, ...]
    undriven: tuple[str, ...]
    surplus: tuple[str, ...]
    floating: tuple[str, ...]
    left_open: dict[str, str]
    gap: float
    relayed: bool
    home: dict[str, float]

    @property
    def controlled(self) -> tuple[str, ...]:
        """What ros2_control holds: commanded and measured joints, and those that mimic them."""
        own = [name for name in self.active if name in self.commanded or name in self.undriven]
        return (*own, *(name for name, driver in self.mimics.items() if driver in own))


def roles_of(described: Description) -> Roles:
    """The roles of the joints of a description."""
    # Twice: the first, of no active joint, says which may be active; the second solves for the others.
    text = ET.tostring(described.robot, encoding="unicode")
    free = LoopClosure(text, closures_of(described, ()).decode())
    mimics = {
        e.get("name", ""): m.get("joint", "") for e in described.robot.findall("joint") for m in e.findall("mimic")
    }
    single = {
        described.plan.joint_names[link.first] for link in described.plan.tree.links if len(link.freedoms) == 1
    }  # fmt: skip
    driven = _driven(described)
    active = _independent(free, driven, single)
    loops = LoopClosure(text, closures_of(described, active).decode())
    commanded = [name for name in active if name in single and (name in driven or not driven & set(active))]
    relayed = bool(loops.passive or described.sums)
    return Roles(
        loops=loops,
        active=active,
        commanded=tuple(commanded),
        mimics=mimics,
        passive=tuple(name for name in loops.joints if name not in active and name not in mimics),
        undriven=tuple(name for name in active if name in single and name not in commanded),
        surplus=tuple(name for name in loops.joints if name in driven and name not in active),
        floating=tuple(e.get("name", "") for e in described.robot.findall("joint") if e.get("type") == "floating"),
        left_open=loops.left_open,
        gap=loops.gap,
        relayed=relayed,
        home=_home(described),
    )


def _home(described: Description) -> dict[str, float]:
    """The home pose by the names of the export."""
    home = described.plan.mechanism.home
    pairs = zip(described.plan.joint_names, described.plan.tree.freedoms, strict=True)
    return {name: home[freedom.name] for name, freedom in pairs if freedom.name in home}


def _driven(described: Description) -> set[str]:
    """The joints of the tree that drives of the source move."""
    moved = driven_joints(described.plan.mechanism)
    freedoms = described.plan.tree.freedoms
    return {name for name, freedom in zip(described.plan.joint_names, freedoms, strict=True) if freedom.name in moved}


def _independent(loops: LoopClosure, driven: set[str], single: set[str]) -> tuple[str, ...]:
    """Joints from which all others follow, in their order: driven ones where possible, then those next to the ground.

    What no loop holds is independent. In a loop only joints of one freedom are taken: three angles of a ball are no
    coordinates that anybody gives.
    """
    J, names = _gradient(loops)
    rank = _rank(J)
    # A column of rounding: no loop feels that joint.
    held = [k for k in range(len(names)) if np.any(np.abs(J[:, k]) > 1e-9)]
    chosen = {k for k in range(len(names)) if k not in held}
    # A joint can be given if the others still have the rank of all: the loops then follow from them.
    for k in sorted(held, key=lambda k: (names[k] not in driven, k)):
        rest = [j for j in held if j != k and j not in chosen]
        if names[k] in single and _rank(J[:, rest]) == rank:
            chosen.add(k)
    return tuple(names[k] for k in sorted(chosen))


def _gradient(loops: LoopClosure) -> tuple[Matrix, tuple[str, ...]]:
    """The loops' gradient (rows, k) in the pose where its rank is largest, and the names of its columns."""
    random = np.random.default_rng(1)
    count = len(loops.joints)
    designed = np.zeros((1, count))
    poses = [
        designed,
        *(loops.settle(designed + _PERTURBED * random.uniform(-1, 1, (1, count)))[0] for _ in range(_OTHER_POSES)),
    ]
    gradients = [loops.jacobian(pose) for pose in poses]
    J, names = max(gradients, key=lambda found: _rank(found[0][0]))
    return J[0], names


def _rank(J: Matrix) -> int:
    # Gradients in rad and m, closed to 1e-10: what a loop repeats is off by the rounding of settled poses.
    return int(np.linalg.matrix_rank(J, tol=1e-7 * max(1.0, float(np.max(np.abs(J), initial=0.0))))) if J.size else 0
