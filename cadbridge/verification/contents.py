"""What a loaded export holds beside masses and motion: gravity, loads and limits of joints, shapes, servos, sensors.

`Contents` are the quantities of the loaded model; `compare_contents` compares them with the mechanism. A quantity that
the engine does not give is named with the reason, so that a comparison that passes says how much it compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import GROUND, ControlLaw, Drive, Limit
from cadbridge.exporters.meshes import shown_mesh
from cadbridge.exporters.mjcf_kept import medium_of
from cadbridge.exporters.relations import LinearRelation, eliminate, ranking, relations
from cadbridge.exporters.tree import Link, Tree, driven_joints
from cadbridge.frames import Pose, Vector
from cadbridge.geometry import Mesh
from cadbridge.mechanism.model import Joint
from cadbridge.mechanism.weights import carried_weights
from cadbridge.units import TO_MM
from cadbridge.wording import count, listed

Array = NDArray[np.float64]

BY_MOTION = "by the motion alone"
"""Why something is not compared by itself."""

NO_LIMIT_FROM = 1e8
"""rad, m, N …: a limit beyond that is none; formats that demand one get 1e9, and single precision rounds it."""

NUMBERS_AGREE = 1e-6
"""Relative: numbers, boxes and volumes are written with twelve digits, meshes in single precision."""

RANGE, RESISTANCE, SPRINGS, ROTORS = "limits", "damping", "springs", "rotor inertias"
FRICTION, EFFORT, SPEED = "dry friction", "limits of effort", "limits of velocity"
GRAVITY, SHAPES, SERVOS, SENSORS = "gravity", "shapes", "servos", "sensors"
COUPLINGS, TOUCHED, COLOURS = "couplings", "collision geometry", "colours"
SETTINGS = "settings of the simulation"
WEIGHTS, MEDIUM, TRANSMISSIONS = "gravity compensation", "drag of a medium", "transmissions"

_NO_RANGE = 2e-9
"""rad, m: an export to MuJoCo puts the equal ends of a range apart by half of it each."""

_QUANTITIES: dict[str, tuple[str, Callable[[Joint], float]]] = {
    "lower limit": (RANGE, lambda j: _end(j.limit, "lower", -math.inf)),
    "upper limit": (RANGE, lambda j: _end(j.limit, "upper", math.inf)),
    "limit of velocity": (SPEED, lambda j: _end(j.limit, "velocity", math.inf)),
    "limit of effort": (EFFORT, lambda j: _end(j.limit, "effort", math.inf)),
    "damping": (RESISTANCE, lambda j: j.damping),
    "dry friction": (FRICTION, lambda j: j.friction),
    "spring": (SPRINGS, lambda j: j.stiffness),
    "rest of the spring": (SPRINGS, lambda j: j.rest if j.stiffness else 0.0),
    "rotor inertia": (ROTORS, lambda j: j.armature),
}
"""What an engine may say of a joint of one freedom (rad, m, N m, N …): what it belongs to, and the mechanism's own."""


def _end(limit: Limit | None, end: str, none: float) -> float:
    value = None if limit is None else getattr(limit, end)
    return none if value is None or (end in ("effort", "velocity") and not value > 0) else float(value)


@dataclass(frozen=True, eq=False)
class EngineMesh:
    """A mesh as an engine has it: `vertices` (n, 3) m and `triangles` (m, 3), at `X_LM` in its link's frame."""

    X_LM: Pose
    vertices: Array
    triangles: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Extent:
    """The box (3,), (3,) of some meshes in a link's frame, and their volume (m³), each counted in its own frame."""

    lower: Vector
    upper: Vector
    volume: float
    size: float


def extent_of(pieces: Iterable[EngineMesh]) -> Extent | None:
    """The extent of all pieces of a link; None without any."""
    found = [piece for piece in pieces if len(piece.triangles)]
    if not found:
        return None
    points = np.vstack([p.vertices @ p.X_LM.R.T + p.X_LM.p for p in found])
    corners = [p.vertices[p.triangles] for p in found]
    volume = sum(float(np.einsum("ij,ij->", c[:, 0], np.cross(c[:, 1], c[:, 2]))) / 6.0 for c in corners)
    largest = max(float(np.abs(p.vertices).max()) for p in found)
    return Extent(points.min(axis=0), points.max(axis=0), volume, largest)


@dataclass(frozen=True, eq=False)
class Contents:
    """What an engine has of an export; None and absent names: it does not say.

    `joints`: by joint the quantities of `_QUANTITIES`. `shapes`: what is seen of each link. `servos` gives the effort
    (k,) on a joint at states (k, 3) of control, value and rate; where `led` is False only at the control that they
    start with. `places`: for which drives of a joint the format has one. `couplings`: factors by joint, and what the
    sum is held at; `sums`: of more than two joints too.
    `transmissions`: by joint the reductions and the inertias of their rotors (kg m²), in a format that has them apart.
    `weights`: which share of each link's weight something else carries; `divided`: less than all of it too. `medium`:
    density (kg/m³), viscosity (Pa s), and wind (m/s).
    `settings` of <option>, each with that of an export. `sensors`: kind and object. `faults` are sentences of what
    cannot be loaded, `unsaid` the reasons by quantity.
    """

    gravity: Vector | None = None
    joints: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    shapes: Mapping[str, Extent | None] | None = None
    servos: Callable[[str, Array], Array] | None = None
    led: bool = True
    places: Callable[[Sequence[Drive]], Sequence[Drive]] = list
    transmissions: Mapping[str, Sequence[tuple[float, float]]] | None = None
    couplings: tuple[tuple[Mapping[str, float], float], ...] | None = None
    sums: bool = True
    sensors: frozenset[tuple[str, str]] | None = None
    weights: Mapping[str, float] | None = None
    divided: bool = True
    medium: Mapping[str, Array] | None = None
    settings: Mapping[str, tuple[Array, Array]] | None = None
    faults: tuple[str, ...] = ()
    unsaid: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Compared:
    """Sentences of what differs, what was compared (with how many of it), and why something was not."""

    differences: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    unsaid: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Exported:
    """An export by the names that its engine knows: links, joints of one freedom and their coordinates, frames."""

    tree: Tree
    links: Mapping[str, Link]
    joints: Mapping[str, int]
    frames: tuple[str, ...] = ()

    def joint(self, name: str) -> Joint | None:
        """The mechanism's joint of that name in the export."""
        k = self.joints[name]
        return next(link.joint for link in self.tree.links if link.first == k and len(link.freedoms) == 1)


def compare_contents(exported: Exported, held: Contents, precision: float) -> Compared:
    """Compare the quantities of an engine with the mechanism; `precision` is the engine's own, relative."""
    found = Compared(differences=list(held.faults), unsaid=dict(held.unsaid))
    within = max(NUMBERS_AGREE, 10.0 * precision)
    _compare_gravity(exported, held, within, found)
    _compare_weights(exported, held, within, found)
    _compare_medium(exported, held, within, found)
    _compare_settings(held, within, found)
    _compare_joints(exported, held, within, found)
    _compare_shapes(exported, held, within, found)
    _compare_servos(exported, held, within, found)
    _compare_transmissions(exported, held, within, found)
    _compare_couplings(exported, held, within, found)
    _compare_sensors(exported, held, found)
    found.unsaid.setdefault(TOUCHED, "what is seen was compared")
    return found


def _compare_gravity(exported: Exported, held: Contents, within: float, found: Compared) -> None:
    if held.gravity is None:
        found.unsaid.setdefault(GRAVITY, "the format has none")
        return
    ours = np.asarray(exported.tree.mechanism.gravity, dtype=float)
    if not np.allclose(held.gravity, ours, rtol=0.0, atol=within * max(1.0, float(np.abs(ours).max()))):
        found.differences.append(f"gravity is ({_row(held.gravity)}) m/s² for ({_row(ours)})")
    found.done.append(GRAVITY)


def _compare_weights(exported: Exported, held: Contents, within: float, found: Compared) -> None:
    """Links whose components differ in their shares have no place in any format, and the export says so."""
    carried = carried_weights(exported.tree.mechanism)
    if held.weights is None:
        if carried:
            found.unsaid.setdefault(WEIGHTS, "the format has none")
        return
    for name, link in exported.links.items():
        ours = carried[link.body].share if link.body in carried else 0.0
        if ours is None:
            found.unsaid[f"{WEIGHTS} of {name}"] = "its components differ in them"
            continue
        ours = ours if held.divided else float(ours == 1.0)
        theirs = held.weights.get(name, 0.0)
        if _differ(theirs, ours, within):
            found.differences.append(f"{theirs:.6g} of the weight of {name} is compensated in place of {ours:.6g}")
    found.done.append(WEIGHTS)


def _compare_medium(exported: Exported, held: Contents, within: float, found: Compared) -> None:
    kept = medium_of(exported.tree.mechanism)
    if held.medium is None:
        if kept:
            found.unsaid.setdefault(MEDIUM, "the format has none")
        return
    for what, theirs in held.medium.items():
        ours = np.asarray(kept.get(what, np.zeros(theirs.size)), dtype=float)
        if any(_differ(a, b, within) for a, b in zip(theirs, ours, strict=True)):
            found.differences.append(f"the {what} of the medium is ({_row(theirs)}) for ({_row(ours)})")
    found.done.append(MEDIUM)


def _compare_settings(held: Contents, within: float, found: Compared) -> None:
    if held.settings is None:
        return
    for what, (theirs, ours) in held.settings.items():
        if any(_differ(float(a), float(b), within) for a, b in zip(theirs, ours, strict=True)):
            found.differences.append(f"the {what} of <option> is ({_row(theirs)}) for ({_row(ours)})")
    found.done.append(SETTINGS)


def _row(values: Iterable[float]) -> str:
    return ", ".join(f"{float(v):.6g}" for v in values)


def _differ(a: float, b: float, within: float, least: float = 0.0) -> bool:
    """Whether values differ by more than `within` of the larger, and by more than `least`."""
    if abs(a) >= NO_LIMIT_FROM or abs(b) >= NO_LIMIT_FROM:
        return not (abs(a) >= NO_LIMIT_FROM and abs(b) >= NO_LIMIT_FROM and (a > 0) == (b > 0))
    # The floor, a billionth of the tolerance, is for values that are 0 but for rounding.
    return not abs(a - b) <= max(within * max(abs(a), abs(b)) + 1e-9 * within, least)


def _compare_joints(exported: Exported, held: Contents, within: float, found: Compared) -> None:
    counted: dict[str, set[str]] = {}
    still = _still(exported.tree)
    for name, k in exported.joints.items():
        joint, theirs = exported.joint(name), held.joints.get(name, {})
        if joint is None:
            continue
        for quantity, (what, own) in _QUANTITIES.items():
            if quantity not in theirs or (what == RANGE and k in still):
                continue
            counted.setdefault(what, set()).add(name)
            if _differ(theirs[quantity], own(joint), within, _NO_RANGE if what == RANGE else 0.0):
                found.differences.append(
                    f"the {quantity} of {name} is {theirs[quantity]:.6g} in place of {own(joint):.6g}"
                )
    for what in dict.fromkeys(what for what, _ in _QUANTITIES.values()):
        if what in counted:
            found.done.append(f"{what} of {count(len(counted[what]), 'joint')}")
        elif exported.joints:
            found.unsaid.setdefault(what, "the format has none")
    several = [link.joint.name for link in exported.tree.links if link.joint and len(link.freedoms) > 1]
    if several:
        found.unsaid["loads of joints of several freedoms"] = listed(several)


def _still(tree: Tree) -> set[int]:
    """Coordinates that couplings hold: a format without a place for that holds them by their limits."""
    return {d.dependent for d in eliminate(relations(tree)[0], ranking(tree))[0] if not d.terms}


# --- shapes ---


def _compare_shapes(exported: Exported, held: Contents, within: float, found: Compared) -> None:
    if held.shapes is None:
        found.unsaid.setdefault(SHAPES, "the format has none")
        return
    found.unsaid.setdefault(COLOURS, "they move nothing")
    seen = 0
    for name, link in exported.links.items():
        ours, theirs = extent_of(_pieces(exported.tree, link)), held.shapes.get(name)
        seen += ours is not None
        if (ours is None) != (theirs is None):
            there = ("there", "missing") if ours is None else ("missing", "there")
            found.differences.append(f"the shape of {name} is {there[0]} in the export and {there[1]} in the source")
        elif ours is not None and theirs is not None:
            _compare_extents(name, ours, theirs, within, found)
    if seen:
        found.done.append(f"{SHAPES} of {count(seen, 'link')}")


def _compare_extents(name: str, ours: Extent, theirs: Extent, within: float, found: Compared) -> None:
    reach = max(ours.size, float(np.abs([ours.lower, ours.upper]).max()))
    apart = float(np.abs([ours.lower - theirs.lower, ours.upper - theirs.upper]).max())
    if not apart <= within * reach:
        boxes = (f"{_row((e.upper - e.lower) * TO_MM)} mm" for e in (theirs, ours))
        found.differences.append(
            f"the box around the shape of {name} is off by {apart:.3g} m: {' in place of '.join(boxes)}"
        )
    # Against the cube of the size: of a thin sheet the volume is a difference of large numbers.
    elif not abs(ours.volume - theirs.volume) <= 10.0 * within * ours.size**3:
        text = f"the volume of the shape of {name} is {theirs.volume:.6g} m³ in place of {ours.volume:.6g}"
        found.differences.append(text)


def _pieces(tree: Tree, link: Link) -> Iterator[EngineMesh]:
    """What is seen of a link, as exports write it; half bodies of a closure have nothing."""
    if tree.links[tree.link_of(link.body)] is not link:
        return
    assembly = tree.mechanism.assembly
    for name in tree.body(link).instances:
        instance = None if name == GROUND else assembly.instance(name)
        shape = None if instance is None else assembly.part(instance.part).shape
        mesh = None if shape is None else shown_mesh(shape)
        if instance is not None and mesh is not None:
            yield piece_of(link.X_WL.inverse() @ instance.X_WI, mesh)


def piece_of(X_LM: Pose, mesh: Mesh) -> EngineMesh:
    """A mesh of ours at its place."""
    return EngineMesh(X_LM, np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.triangles, dtype=np.int64))


# --- servos and sensors ---

_UNBOUNDED_CONTROL = 1e3
"""Of a control, where nothing bounds it: far enough to reach the limits of effort."""


def _compare_servos(exported: Exported, held: Contents, within: float, found: Compared) -> None:
    """The effort of all drives of a joint at some controls, values and rates."""
    mechanism = exported.tree.mechanism
    if held.servos is None:
        if mechanism.drives:
            found.unsaid.setdefault(SERVOS, "the format has none")
        return
    driven, seen = driven_joints(mechanism), 0
    for name in exported.joints:
        joint = exported.joint(name)
        if joint is None or joint.name not in driven:
            continue
        own = held.places([d for d in mechanism.drives if mechanism.joint_named(d.joint) is joint])
        if not own:
            continue
        laws = [(d.reduction, d.law or ControlLaw()) for d in own]
        states = np.vstack([_states(len(laws), held.led), *(_ends(r, law) for r, law in laws if held.led)])
        ours = np.array([
            sum(r * law.effort_at(law.start + u, r * q, r * v) for r, law in laws) for u, q, v in states
        ])  # fmt: skip
        most = _end(joint.limit, "effort", math.inf)
        ours = np.clip(ours, -most, most)
        theirs, seen = held.servos(name, states), seen + 1
        worst = int(np.argmax(np.abs(theirs - ours)))
        # N, N m: a servo that exerts next to nothing is held to a thousandth of a newton's share.
        if not np.allclose(theirs, ours, rtol=within, atol=within * max(1e-3, float(np.abs(ours).max()))):
            u, q, v = states[worst]
            at = f"a control of {u:.3g}, {q:.3g} and {v:.3g}/s"
            found.differences.append(
                f"the servo of {name} gives {theirs[worst]:.6g} in place of {ours[worst]:.6g} at {at}"
            )
    if seen:
        found.done.append(f"{SERVOS} of {count(seen, 'joint')}")
    elif driven:
        found.unsaid.setdefault(SERVOS, "the format has a place for none of these")


def _compare_transmissions(exported: Exported, held: Contents, within: float, found: Compared) -> None:
    """The reductions and rotors of all drives of a joint, in any order."""
    mechanism, seen = exported.tree.mechanism, 0
    for name in exported.joints if held.transmissions is not None else ():
        joint = exported.joint(name)
        drives = [d for d in mechanism.drives if joint is not None and mechanism.joint_named(d.joint) is joint]
        ours = sorted((d.reduction, d.rotor_inertia) for d in drives)
        theirs = sorted((held.transmissions or {}).get(name, ()))
        if len(ours) != len(theirs):
            found.differences.append(f"{name} has {count(len(theirs), 'transmission')} in place of {len(ours)}")
            continue
        seen += bool(ours)
        for one, two in zip(ours, theirs, strict=True):
            if any(_differ(a, b, within) for a, b in zip(one, two, strict=True)):
                text = "a reduction of {:.6g} and a rotor of {:.6g} kg m²"
                found.differences.append(
                    f"the transmission of {name} has {text.format(*two)} in place of {text.format(*one)}"
                )
    if seen:
        found.done.append(f"{TRANSMISSIONS} of {count(seen, 'joint')}")


def _states(seed: int, led: bool) -> Array:
    """Controls, values and rates (12, 3)."""
    states = np.random.default_rng(seed).uniform(-1.0, 1.0, (12, 3))
    states[4:8, 0] *= _UNBOUNDED_CONTROL
    states[:, 0] *= led
    states[8:] *= 100.0
    return states


def _ends(r: float, law: ControlLaw) -> Array:
    """States (k, 3) at controls beyond both ends of their range, at values where the law then gives about nothing."""
    states = []
    for end in law.control or ():
        pull, slope = (g * end + b for g, b in zip(law.gain[:2], law.bias[:2], strict=True))
        beyond = end + np.sign(end - sum(law.control or ()) / 2) * max(1.0, abs(end))
        states.append([beyond - law.start, -pull / slope / r if slope else 0.0, 0.0])
    return np.array(states).reshape(-1, 3)


def _compare_couplings(exported: Exported, held: Contents, within: float, found: Compared) -> None:
    """Whether the engine's linear relations between joints hold what the mechanism's do, however they are written."""
    column = {k: i for i, k in enumerate(exported.joints.values())}
    known = [r for r in relations(exported.tree)[0] if all(k in column for k, _ in r.terms)]
    if held.couplings is None or not (known or held.couplings):
        if known:
            found.unsaid.setdefault(COUPLINGS, BY_MOTION)
        return
    names = {name: column[k] for name, k in exported.joints.items()}
    follows = eliminate(tuple(known), ranking(exported.tree))[0]
    kept = [d for d in follows if held.sums or len(d.terms) == 1]
    ours = _rows([({column[k]: c for k, c in r.terms}, r.constant) for r in known], len(column))
    wanted = _rows([(_terms(d, column), d.offset) for d in kept], len(column))
    theirs = _rows([({names[n]: c for n, c in t.items()}, c0) for t, c0 in held.couplings], len(column))

    def rank(*rows: Array) -> int:
        return int(np.linalg.matrix_rank(np.vstack(rows), tol=10.0 * within))

    # By rank: the same couplings may be written as other sums of each other.
    if rank(ours, theirs) > rank(ours):
        found.differences.append("its couplings bind joints that the mechanism leaves free, or in another ratio")
    elif rank(theirs, wanted) > rank(theirs):
        missing = rank(theirs, wanted) - rank(theirs)
        found.differences.append(f"{count(missing, 'coupling')} between joints missing")
    found.done.append(count(len(kept), "coupling"))


def _terms(follows: LinearRelation, column: Mapping[int, int]) -> dict[int, float]:
    """The factors of a joint that follows others, less these."""
    return {column[follows.dependent]: 1.0, **{column[k]: -factor for k, factor in follows.terms}}


def _rows(sums: Iterable[tuple[Mapping[int, float], float]], columns: int) -> Array:
    """Rows (n, columns + 1) of unit length: the factors, and what the sum is held at."""
    rows = np.zeros((0, columns + 1))
    for terms, constant in sums:
        row = np.zeros(columns + 1)
        for k, factor in terms.items():
            row[k] += factor
        row[-1] = constant
        # Scaled, as a relation may be written with any factor.
        rows = np.vstack([rows, row / (np.linalg.norm(row[:-1]) or 1.0)])
    return rows


def _compare_sensors(exported: Exported, held: Contents, found: Compared) -> None:
    if held.sensors is None:
        found.unsaid.setdefault(SENSORS, "the format has none")
        return
    tree = exported.tree
    following = {d.dependent for d in eliminate(relations(tree)[0], ranking(tree))[0]}
    wanted = [(k, name) for name, i in exported.joints.items() if i not in following for k in ("jointpos", "jointvel")]
    wanted += [(kind, frame) for frame in exported.frames for kind in ("framepos", "framequat")]
    missing = [f"{kind} of {name}" for kind, name in wanted if (kind, name) not in held.sensors]
    if missing:
        found.differences.append(f"{count(len(missing), 'sensor')} missing: {listed(missing)}")
    if wanted:
        found.done.append(count(len(wanted), "sensor"))
