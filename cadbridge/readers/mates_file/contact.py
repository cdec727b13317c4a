"""Loose parts (screws, bearings) joined to what they touch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cadbridge.findings import Where
from cadbridge.frames import Vector
from cadbridge.geometry import Mesh, nearest_on_triangles
from cadbridge.readers.mates_file.draft import Draft
from cadbridge.readers.mates_file.structure import report_idle

TOUCHING = 1e-4
"""m between surfaces up to which they touch, beside what the meshes are off.

A choice: parts are drawn in contact or with a clearance of some 0.1 mm (a screw in its hole); a wider one is a gap.
"""

CHORD = 1.25e-3
"""1 − cos 0.05: a chord over 0.1 rad, as `shapes` meshes round faces at most, lies so much of the radius off them."""

MOST_SAGITTA = 2e-4
"""m that a mesh is taken to be off at most: half a component's size stands for the radius, and is too much for most."""

PAIRS_AT_ONCE = 2_000_000
"""Points times triangles that are compared in one go: 2 MB of truth values, and some 100 MB in the worst case.

Smaller batches cost calls of NumPy. The result does not depend on it.
"""


@dataclass(frozen=True, eq=False)
class _Surface:
    """Triangles of a component in the world: corners (n, 3, 3) m, areas (n,) m², boxes (n, 3).

    `box` (2, 3) is the box of all.
    """

    triangles: NDArray[np.float64]
    areas: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @cached_property
    def box(self) -> NDArray[np.float64]:
        return np.array([self.low.min(axis=0), self.high.max(axis=0)])


def attach_by_contact(draft: Draft) -> None:
    """Merge components without mates into the component they touch most, each reported.

    Parts that touch only other loose parts (a screw on a washer) follow once those are attached.
    """
    places: dict[str, Where] = {}
    held = _held(draft)
    for index, spec in enumerate(draft.spec.attach):
        if spec.by != "contact" or spec.parts is None:
            continue
        names = draft.fitting(spec.parts)
        if not names:
            idle = draft.fitting_attached(spec.parts)
            report_idle(draft, index, {name: f"is attached to {draft.moved_into[name]} already" for name in idle})
            if not idle:
                draft.findings.add("CB151", f"no component fits {spec.parts!r}", draft.place("attach", index))
        for name in names:
            if name not in held:
                places.setdefault(name, draft.place("attach", index))
    surfaces = {name: _surface(draft, name) for name in draft.components} if places else {}
    loose = list(places)
    while loose:
        firm = [name for name in draft.components if name not in loose]
        touching = {name: _touched(surfaces, name, firm) for name in loose}
        attached = [name for name in loose if touching[name]]
        if not attached:
            break
        # The surfaces of this round stay apart, so that the order of the parts does not matter.
        for name in attached:
            _attach(draft, name, touching[name], places[name])
            surfaces[draft.moved_into[name]] = _joined(surfaces[draft.moved_into[name]], surfaces.pop(name))
        loose = [name for name in loose if name not in attached]
    for name in loose:
        draft.findings.add("CB154", f"{name} touches no component; it stays loose", places[name])


def _held(draft: Draft) -> set[str]:
    """Components that are not loose: grounded, or named by a mate or gear."""
    held = {c.name for c in draft.components.values() if c.grounded}
    for mate in draft.mates:
        held |= {mate.a.component, mate.b.component}
    for gear in draft.couplings:
        held |= {f.component for f in (gear.a, gear.b) if f is not None}
    return held


def _attach(draft: Draft, name: str, touching: dict[str, float], where: Where) -> None:
    ranked = sorted(touching.items(), key=lambda item: (-item[1], item[0]))
    target = ranked[0][0]
    message = f"{name} touches {target} and is attached to it"
    if len(ranked) > 1:
        others = ", ".join(other for other, _ in ranked[1:4])
        message += f" (it touches {others} too, with less surface)"
    draft.merge([name], target)
    draft.findings.add("CB153", message, where)


def _surface(draft: Draft, name: str) -> _Surface:
    soups = []
    for instance_name in draft.components[name].instances:
        instance = draft.instances[instance_name]
        shape = draft.parts[instance.part].shape
        mesh: Mesh | None = (shape.fine or shape.coarse or shape.collision) if shape else None
        if mesh is not None and len(mesh.triangles):
            soups.append(instance.X_WI.point(mesh.vertices)[mesh.triangles])
    return _of(np.concatenate(soups) if soups else np.zeros((0, 3, 3)))


def _of(triangles: NDArray[np.float64]) -> _Surface:
    edges = triangles[:, 1:] - triangles[:, :1]
    areas = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1) / 2.0
    return _Surface(triangles, areas, triangles.min(axis=1), triangles.max(axis=1))


def _joined(a: _Surface, b: _Surface) -> _Surface:
    return _Surface(
        *(np.concatenate([getattr(a, key), getattr(b, key)]) for key in ("triangles", "areas", "low", "high"))
    )


def _touched(surfaces: dict[str, _Surface], name: str, others: list[str]) -> dict[str, float]:
    """The components that a loose one touches, with the surface of contact, m² (both sides together)."""
    mine = surfaces[name]
    if not len(mine.triangles):
        return {}
    low, high = mine.box
    reach = TOUCHING + min(MOST_SAGITTA, CHORD * float(np.linalg.norm(high - low)) / 2.0)
    found = {}
    for other in others:
        theirs = surfaces[other]
        if not len(theirs.triangles):
            continue
        if np.any(theirs.box[0] > high + reach) or np.any(theirs.box[1] < low - reach):
            continue
        near = np.all((theirs.low <= high + reach) & (theirs.high >= low - reach), axis=1)
        if not near.any():
            continue
        cut = _Surface(theirs.triangles[near], theirs.areas[near], theirs.low[near], theirs.high[near])
        area = _contact(mine, cut, reach) + _contact(cut, mine, reach)
        if area > 0.0:
            found[other] = area
    return found


def _contact(of: _Surface, on: _Surface, reach: float) -> float:
    """The surface (m²) of `of` whose samples (corners and centres of triangles) lie on `on`."""
    # A large face may touch in its middle alone, where none of its corners is: the centre counts as well.
    samples = np.concatenate([of.triangles, of.triangles.mean(axis=1, keepdims=True)], axis=1).reshape(-1, 3)
    weights = np.repeat(of.areas / 4.0, 4)
    near = np.all((samples >= on.box[0] - reach) & (samples <= on.box[1] + reach), axis=1)
    samples, weights = samples[near], weights[near]
    # A corner shared by triangles is measured once.
    points, which = np.unique(np.round(samples, 9), axis=0, return_inverse=True)
    touching = np.zeros(len(points), dtype=bool)
    step = max(1, PAIRS_AT_ONCE // max(1, len(on.triangles)))
    for start in range(0, len(points), step):
        chunk = points[start : start + step]
        touching[start : start + step] = _on_surface(chunk, on, reach)
    return float(weights[touching[which.ravel()]].sum())


def _on_surface(points: Vector, on: _Surface, reach: float) -> NDArray[np.bool_]:
    """Which of the points (n, 3) lie within `reach` of a triangle."""
    close = np.ones((len(points), len(on.triangles)), dtype=bool)
    for axis in range(3):
        p = points[:, axis, None]
        # A box test leaves few pairs; the exact distance costs a hundred times as much for each.
        close &= (p >= on.low[:, axis] - reach) & (p <= on.high[:, axis] + reach)
    i, j = np.nonzero(close)
    result = np.zeros(len(points), dtype=bool)
    if len(i):
        gaps = np.linalg.norm(nearest_on_triangles(on.triangles[j], points[i]) - points[i], axis=1)
        result[i[gaps <= reach]] = True
    return result
