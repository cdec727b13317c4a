"""Links of a tree as data: each hangs on its parent by a joint with its own minimal coordinates.

| joint | q | rates |
|---|---|---|
| fixed | none | none |
| revolute, screw | turn about `axis`, rad | rad/s |
| prismatic | travel along `axis`, m | m/s |
| spherical | quaternion (w first) of the link in the joint's frame | ω relative to the parent, link's axes |
| free | position in the joint's frame (m), quaternion | v of the link's origin and ω, relative, link's axes |

A universal joint is two revolute ones with a link without mass between them (`universal`), so that every motion is one
that the recursions know. A floating base is a link with a free joint on the ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver import rotation
from solver.compilation.compiled import Array1, Array2, Array3, Ints1, table, zeros
from solver.constraints.primitives import GROUND

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


FIXED, SINGLE, BALL, FREE = range(4)


class Kind(NamedTuple):
    """What a joint of a name is: `code` for the kernels, numbers in q, rates; `spin` of its axis for each unit of q."""

    code: int
    numbers: int
    rates: int
    spin: float = 0.0
    travels: bool = False


_KINDS = {
    "fixed": Kind(FIXED, 0, 0),
    "revolute": Kind(SINGLE, 1, 1, spin=1.0),
    "prismatic": Kind(SINGLE, 1, 1, travels=True),
    "screw": Kind(SINGLE, 1, 1, spin=1.0, travels=True),
    "spherical": Kind(BALL, 4, 3),
    "free": Kind(FREE, 7, 6, travels=True),
}


def _zeros() -> Array:
    return np.zeros(3)


@dataclass(frozen=True, eq=False)
class Link:
    """A link and the joint by which it hangs on another. The link's origin lies on the joint.

    Attributes:
        name: Its name.
        parent: The link it hangs on: an index smaller than its own, or `GROUND`.
        joint: "fixed", "revolute", "prismatic", "screw", "spherical" or "free".
        point: The joint in the parent's frame (3,) m.
        turn: The link's axes in the parent's at q = 0 (3, 3).
        axis: Of the joint (3,), in the link's axes and, turned, in the parent's.
        mass: kg.
        com: Centre of mass (3,) m, in the link's frame.
        inertia: About the centre of mass (3, 3) kg m², link's axes.
        pitch: Of a screw, m/rad.
        armature: kg m² (kg), which counts on each of the joint's rates.
    """

    name: str
    parent: int
    joint: str
    point: Array = field(default_factory=_zeros)
    turn: Array = field(default_factory=lambda: np.eye(3))
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    mass: float = 0.0
    com: Array = field(default_factory=_zeros)
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    pitch: float = 0.0
    armature: float = 0.0

    @property
    def kind(self) -> Kind:
        """What its joint is."""
        return _KINDS[self.joint]


@table
class Tables(NamedTuple):
    """The links as arrays for the kernels; the ground is index n, behind all links.

    `slide` and `spin` (n,): travel along and turn about the axis for each unit of q.
    """

    parent: Ints1
    kind: Ints1
    q_start: Ints1
    v_start: Ints1
    point: Array2
    turn: Array3
    axis: Array2
    slide: Array1
    spin: Array1
    mass: Array1
    com: Array2
    inertia: Array3
    armature: Array1


@table
class Room(NamedTuple):
    """Workspace of the recursions over n links with nv freedoms, world axes; the ground is index n.

    Origins o (n+1, 3), axes R (n+1, 3, 3), motion subspaces S (nv, 6), twists t (n+1, 6), bias accelerations `bias`
    = γ (n, 6), inertias J (n, 6, 6), bias wrenches b (n, 6), accelerations a (n+1, 6), wrenches w (n, 6); U (nv, 6),
    D and u (nv,) of the articulated inertias. `still` (nv,) are rates of zero, `work` (3, 3) serves one link.
    """

    o: Array2
    R: Array3
    S: Array2
    t: Array2
    bias: Array2
    J: Array3
    b: Array2
    a: Array2
    w: Array2
    U: Array2
    D: Array1
    u: Array1
    still: Array1
    work: Array2


@table
class Modules(NamedTuple):
    """Links and rates of the modules, one after the other; `parent` the link on which each hangs (n: the ground)."""

    link_start: Ints1
    links: Ints1
    rate_start: Ints1
    rates: Ints1
    parent: Ints1


@table
class ModuleRoom(NamedTuple):
    """Workspace for the largest module, of η links and r rates, of a tree with nv freedoms.

    N = N̄ and psi = Ψ = J N̄ (r η, 6), a row for each rate and link; D (r, r); `carried` (r, 6) = Ψᵀ A, with A from
    the module's parent to its links. `right` (r, 7) and, of all modules, `solved` (nv, 7) are D⁻¹ [Ψᵀ A, τ − N̄ᵀ w].
    """

    N: Array2
    psi: Array2
    D: Array2
    carried: Array2
    right: Array2
    solved: Array2


def make_room(n: int, nv: int) -> Room:
    """The workspace for n links with nv freedoms."""
    poses = ((n + 1, 3), (n + 1, 3, 3), (nv, 6))
    motion = ((n + 1, 6), (n, 6), (n, 6, 6), (n, 6), (n + 1, 6), (n, 6))
    return Room(*zeros(*poses, *motion, (nv, 6), nv, nv, nv, (3, 3)))


@dataclass(frozen=True, eq=False)
class Tree:
    """Links in an order in which parents come first.

    Attributes:
        links: Named by their index.
        gravity: m/s², world axes.

    Raises:
        ValueError: It is no tree, or a number of a link is not possible; the message has all faults.
    """

    links: tuple[Link, ...]
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)

    def __post_init__(self) -> None:
        """Refuse what cannot be computed, all of it at once."""
        faults = [fault for k, link in enumerate(self.links) for fault in _faults(k, link)]
        if faults:
            raise ValueError("; ".join(faults))

    @cached_property
    def nq(self) -> int:
        """Numbers of a configuration q."""
        return int(self.tables.q_start[-1])

    @cached_property
    def nv(self) -> int:
        """Rates: the freedoms of the tree."""
        return int(self.tables.v_start[-1])

    @cached_property
    def tables(self) -> Tables:
        """The links as arrays."""
        n = len(self.links)
        kinds = [link.kind for link in self.links]
        dofs = [kind.rates for kind in kinds]
        return Tables(
            parent=np.array([n if link.parent == GROUND else link.parent for link in self.links], np.int64),
            kind=np.array([kind.code for kind in kinds], np.int64),
            q_start=np.cumsum([0] + [kind.numbers for kind in kinds]).astype(np.int64),
            v_start=np.cumsum([0, *dofs]).astype(np.int64),
            point=_stack([link.point for link in self.links], 3),
            turn=_stack([link.turn for link in self.links], 3, 3),
            axis=_stack([_unit(link.axis) for link in self.links], 3),
            slide=np.array([_slide(link) for link in self.links], dtype=float),
            spin=np.array([kind.spin for kind in kinds], dtype=float),
            mass=np.array([link.mass for link in self.links], dtype=float),
            com=_stack([link.com for link in self.links], 3),
            inertia=_stack([link.inertia for link in self.links], 3, 3),
            armature=np.repeat([float(link.armature) for link in self.links], dofs),
        )

    @cached_property
    def room(self) -> Room:
        """The kernels' workspace. A kernel leaves nothing in it for the next, so that threads may share a tree."""
        return make_room(len(self.links), self.nv)

    @cached_property
    def modules(self) -> tuple[tuple[int, ...], ...]:
        """The kinematic modules: runs of links in which each hangs on the one before (Shah et al., chap. 4).

        A module ends where the tree branches; the modules come in an order in which parents come first.
        """
        children: dict[int, int] = {}
        for link in self.links:
            children[link.parent] = children.get(link.parent, 0) + 1
        runs: list[list[int]] = []
        of: dict[int, list[int]] = {}
        for k, link in enumerate(self.links):
            if link.parent != GROUND and children[link.parent] == 1:
                of[k] = of[link.parent]
                of[k].append(k)
            else:
                of[k] = [k]
                runs.append(of[k])
        return tuple(tuple(run) for run in runs)

    @cached_property
    def module_tables(self) -> Modules:
        """The modules as arrays."""
        L, n = self.tables, len(self.links)
        rates = [[j for k in run for j in range(L.v_start[k], L.v_start[k + 1])] for run in self.modules]
        return Modules(
            link_start=np.cumsum([0] + [len(run) for run in self.modules]).astype(np.int64),
            links=np.array([k for run in self.modules for k in run], np.int64),
            rate_start=np.cumsum([0] + [len(run) for run in rates]).astype(np.int64),
            rates=np.array([j for run in rates for j in run], np.int64),
            parent=np.array([n if (p := self.links[run[0]].parent) == GROUND else p for run in self.modules], np.int64),
        )

    @cached_property
    def module_room(self) -> ModuleRoom:
        """The kernels' workspace for modules; as `room`."""
        M, nv = self.module_tables, self.nv
        links, rates = (int(np.max(np.diff(start), initial=0)) for start in (M.link_start, M.rate_start))
        pairs = (rates * links, 6)
        return ModuleRoom(*zeros(pairs, pairs, (rates, rates), (rates, 6), (rates, 7), (nv, 7)))

    @cached_property
    def neutral(self) -> Array:
        """The configuration (nq,) in which every joint is at zero."""
        q = np.zeros(self.nq)
        for k, kind in enumerate(self.tables.kind):
            if kind in (BALL, FREE):
                # A ball's four numbers and a free joint's last four are a quaternion, which is (1, 0, 0, 0) where
                # nothing has turned.
                q[self.tables.q_start[k + 1] - 4] = 1.0
        return q

    def moved(self, q: ArrayLike, motion: ArrayLike) -> Array:
        """Move every joint at constant rates for one second.

        Args:
            q: Where it starts (nq,).
            motion: The rates (nv,).

        Returns:
            Where it ends (nq,).
        """
        result = np.array(q, dtype=float)
        step = np.asarray(motion, dtype=float)
        for k, kind in enumerate(self.tables.kind):
            i, j = int(self.tables.q_start[k]), int(self.tables.v_start[k])
            if kind == SINGLE:
                result[i] += step[j]
                continue
            if kind == FREE:
                # The travel turns with the link. Along the orientation at half the time it is off by θ²/24 of itself, θ
                # being the turn.
                turned = rotation.exponential(step[j + 3 : j + 6] / 2)
                result[i : i + 3] += rotation.rotate(rotation.multiply(result[i + 3 : i + 7], turned), step[j : j + 3])
                i, j = i + 3, j + 3
            if kind in (BALL, FREE):
                turned = rotation.multiply(result[i : i + 4], rotation.exponential(step[j : j + 3]))
                result[i : i + 4] = turned / np.linalg.norm(turned)
        return result


def universal(name: str, parent: int, at: int, first: ArrayLike, second: ArrayLike, **link: Any) -> tuple[Link, Link]:
    """Make a link on a universal joint: a cross without mass, and the link on it.

    Args:
        name: Of the link.
        parent: The index of the link it hangs on, or `GROUND`.
        at: The index that the cross will have; the link has the next one.
        first: The axis held by the parent (3,), in the link's axes at q = 0.
        second: The axis held by the link (3,), in the link's axes.
        **link: Further attributes of `Link`, for the link itself and the joint.

    Returns:
        The cross and the link.
    """
    shared = {key: link.pop(key) for key in ("point", "turn") if key in link}
    cross = Link(f"{name} (cross)", parent, "revolute", axis=np.asarray(first, float), **shared)
    return cross, Link(name, at, "revolute", axis=np.asarray(second, float), **link)


def _faults(k: int, link: Link) -> list[str]:
    found = []
    if link.joint not in _KINDS:
        found.append(f'{link.name}: a joint is one of {", ".join(_KINDS)}, not "{link.joint}"')
    if not GROUND <= link.parent < k:
        found.append(f"{link.name}: its parent {link.parent} must be a link before it, or {GROUND} for the ground")
    numbers = (link.point, link.turn, link.axis, link.com, link.inertia, link.mass, link.pitch, link.armature)
    if not np.all(np.isfinite(np.concatenate([np.ravel(value) for value in numbers]))):
        found.append(f"{link.name}: a number of it is not finite")
    # Also of joints without an axis: `tables` makes a unit vector of every link's.
    elif not np.linalg.norm(link.axis) > 0:
        found.append(f"{link.name}: its axis has no direction")
    elif link.mass < 0 or link.armature < 0:
        found.append(f"{link.name}: its mass and armature must be at least zero")
    return found


def _slide(link: Link) -> float:
    return {"prismatic": 1.0, "screw": float(link.pitch)}.get(link.joint, 0.0)


def _unit(axis: ArrayLike) -> Array:
    a = np.asarray(axis, dtype=float)
    return np.asarray(a / np.linalg.norm(a))


def _stack(items: Sequence[ArrayLike], *shape: int) -> Array:
    return np.array([np.asarray(item, float) for item in items], dtype=float).reshape(-1, *shape)
