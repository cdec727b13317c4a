"""Solids that reach into each other as placed: their common volume counts twice in every mass.

Boxes first, then the exact intersection of closed meshes, once for all pairs of parts that stand alike. Round faces
that fit each other overlap by what their meshes are off: what is thin beside its size is tried again with finer meshes,
where a part has one.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Assembly, report_unrefined, unrefined
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.geometry import Mesh, Shape
from cadbridge.storage import computed_once, digest
from cadbridge.units import TO_CM3, TO_MM
from cadbridge.version import version_of
from cadbridge.wording import count, listed

if TYPE_CHECKING:
    from manifold3d import Manifold

THINNEST = 5e-5
"""m: a common volume of less mean thickness is a fit, or what the meshes are off: press fits of grade 7 overlap by up
to that at 50 mm."""
PLUMP_SHAPE = 0.03
"""Thickness beside the size of what is shared, above which no chord of a round face explains it."""
INSIDE = 0.99
"""Share of a part's volume from which it lies inside the other."""
PAIRS = 20_000
"""Pairs of parts, standing alike counted once, that are intersected; what is beyond is reported."""
ALIKE_M, ALIKE = 1e-6, 1e-5
"""Placements relative to each other that differ by less (m, and in rotation matrices) are one."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two solids that reach into each other as placed.

    Attributes:
        a: The first instance.
        b: The second instance.
        volume: Their common volume, m³.
        share: Its share of the smaller part.
    """

    a: str
    b: str
    volume: float
    share: float


def overlaps_of(assembly: Assembly, findings: Findings) -> tuple[Overlap, ...]:
    """All pairs of instances whose solids reach into each other, the largest common volume first.

    Only closed meshes can be tested; the parts that have none are reported, with the pairs found.
    """
    if not _near(assembly, _placed(assembly)):
        return ()
    key = ["overlaps", _version(), content_of(assembly)]
    found, untested, left, coarse = computed_once(key, lambda: _intersected(assembly), _packed, _unpacked)
    _report(assembly, found, findings)
    _report_untested(untested, left, findings)
    report_unrefined(coarse, findings)
    return tuple(found)


Answer = tuple[list[Overlap], list[str], int, list[str]]
"""The overlaps, the names of parts that are not closed, how many pairs were left untested, and the names of parts whose
fine meshes were asked for and could not be made."""


def _packed(answer: Answer) -> bytes:
    found, *rest = answer
    return json.dumps([[[o.a, o.b, o.volume, o.share] for o in found], *rest]).encode()


def _unpacked(data: bytes) -> Answer:
    try:
        found, untested, left, coarse = json.loads(data)
        overlaps = [Overlap(str(a), str(b), float(v), float(s)) for a, b, v, s in found]
        return overlaps, list(untested), int(left), list(coarse)
    except (TypeError, ValueError) as fault:
        raise ValueError(f"no kept overlaps: {fault}") from fault


@cache
def _version() -> str:
    """The hash of the code that intersects, and the version of the library that it asks."""
    return digest(Path(__file__).read_bytes() + version_of("manifold3d").encode())


def content_of(assembly: Assembly) -> str:
    """The hash of all meshes of an assembly and of where they stand."""
    digest = hashlib.sha256()
    for part in assembly.parts:
        for mesh in () if part.shape is None else (part.shape.coarse, part.shape.fine):
            digest.update(repr((part.name, mesh and mesh.content)).encode())
    for i in assembly.instances:
        digest.update(repr((i.name, i.part)).encode() + i.X_WI.matrix().tobytes())
    return digest.hexdigest()


def _intersected(assembly: Assembly) -> Answer:
    """All pairs tried."""
    solids = _Solids(assembly)
    pairs = _near(assembly, _placed(assembly))
    known: dict[tuple[object, ...], tuple[float, float]] = {}
    found, left = [], 0
    for first, second in pairs:
        a, b = assembly.instance(first), assembly.instance(second)
        X_AB = a.X_WI.inverse() @ b.X_WI
        key = (
            *solids.alike(a.part, b.part),
            *np.round(X_AB.p / ALIKE_M).tolist(),
            *np.round(X_AB.R.ravel() / ALIKE).tolist(),
        )
        if key not in known:
            if len(known) >= PAIRS:
                left += 1
                continue
            known[key] = solids.common(a.part, b.part, X_AB)
        volume, share = known[key]
        if volume > 0:
            found.append(Overlap(first, second, volume, share))
    found.sort(key=lambda o: (-o.volume, o.a, o.b))
    return found, list(solids.open), left, unrefined(assembly.parts)


def _placed(assembly: Assembly) -> list[str]:
    """The instances that have a shape."""
    return [i.name for i in assembly.instances if assembly.part(i.part).shape is not None]


class _Solids:
    """Closed meshes as manifolds (mm, in their parts' frames), made once a shape; `open` names parts that have none."""

    def __init__(self, assembly: Assembly) -> None:
        self._shapes = {part.name: part.shape for part in assembly.parts}
        self._made: dict[tuple[int, bool], Manifold | None] = {}
        self.open: dict[str, None] = {}

    def alike(self, *parts: str) -> tuple[int, ...]:
        """What is the same for parts of the same shapes; and which of them are open."""
        self.open |= {part: None for part in parts if self._solid(part, fine=False) is None}
        return tuple(id(self._shapes[part]) for part in parts)

    def common(self, a: str, b: str, X_AB: Pose) -> tuple[float, float]:
        """Common volume (m³) and its share of the smaller part; zeros where they only fit each other."""
        volume, share, thickness, size = self._intersection(a, b, X_AB, fine=False)
        if thickness < THINNEST:
            return 0.0, 0.0
        # Thin and wide, it may be what chords cut off a round face: fine meshes decide, which cost more.
        if thickness < PLUMP_SHAPE * size and (self._has_finer(a) or self._has_finer(b)):
            exact, share, thickness, _ = self._intersection(a, b, X_AB, fine=True)
            if thickness < THINNEST or exact < 0.5 * volume:
                return 0.0, 0.0
            volume = exact
        # As many digits as single precision is worth: so that equal pairs stay equal on any processor.
        return float(f"{volume:.7g}"), float(f"{share:.7g}")

    def _intersection(self, a: str, b: str, X_AB: Pose, *, fine: bool) -> tuple[float, float, float, float]:
        """Volume (m³), its share of the smaller part, its mean thickness and its size (m)."""
        A, B = self._solid(a, fine), self._solid(b, fine)
        if A is None or B is None:
            return 0.0, 0.0, 0.0, 0.0
        both = A ^ B.transform(np.hstack([X_AB.R, TO_MM * X_AB.p[:, None]]))
        volume, area = float(both.volume()), float(both.surface_area())
        if volume <= 0 or area <= 0:
            return 0.0, 0.0, 0.0, 0.0
        box = np.array(both.bounding_box())
        share = min(volume / min(A.volume(), B.volume()), 1.0)
        # Solids are in mm. A thin sheet of the area A, both sides counted, is 2 V / A thick.
        return volume * 1e-9, share, 2e-3 * volume / area, 1e-3 * float(np.linalg.norm(box[3:] - box[:3]))

    def _has_finer(self, part: str) -> bool:
        shape = self._shapes[part]
        return (
            shape is not None and shape.fine is not None and shape.coarse is not None and shape.fine is not shape.coarse
        )

    def _solid(self, part: str, fine: bool) -> Manifold | None:
        shape = self._shapes[part]
        if (id(shape), fine) not in self._made:
            meshes = () if shape is None else ((shape.fine, shape.coarse) if fine else (shape.coarse, shape.fine))
            self._made[id(shape), fine] = next((m for mesh in meshes if (m := solid_of(mesh)) is not None), None)
        return self._made[id(shape), fine]


def solid_of(mesh: Mesh | None) -> Manifold | None:
    """A mesh as a closed solid, mm in its part's frame; None where it encloses nothing."""
    import manifold3d

    if mesh is None or len(mesh.triangles) == 0:
        return None
    # What a broken face stretches beyond single precision is no closed solid, which manifold says.
    with np.errstate(over="ignore"):
        vertices = (TO_MM * mesh.vertices).astype(np.float32)
    raw = manifold3d.Mesh(vertices, mesh.triangles.astype(np.uint32))
    # manifold wants triangles that share vertices; after single precision some that were one differ.
    raw.merge()
    made = manifold3d.Manifold(raw)
    return made if made.status() == manifold3d.Error.NoError and made.volume() > 0 else None


def _near(assembly: Assembly, names: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of instances whose boxes in the world overlap by more than a fit."""
    boxes = np.array([_box(assembly, name) for name in names]).reshape(-1, 2, 3)
    # Sorted along x, each box meets a few candidates: all pairs of ten thousand parts are fifty million.
    order = np.argsort(boxes[:, 0, 0], kind="stable")
    low, high = boxes[order, 0] + THINNEST, boxes[order, 1]
    # Along x the candidates of a box are those after it that begin before it ends.
    ends = np.searchsorted(low[:, 0], high[:, 0])
    pairs = []
    for k in range(len(names)):
        span = slice(k + 1, int(ends[k]))
        near = np.all((low[span] < high[k]) & (high[span] > low[k]), axis=1)
        pairs += [tuple(sorted((int(order[k]), int(order[k + 1 + j])))) for j in np.flatnonzero(near)]
    return [(names[i], names[j]) for i, j in sorted(pairs)]


def _box(assembly: Assembly, name: str) -> NDArray[np.float64]:
    instance = assembly.instance(name)
    shape = assembly.part(instance.part).shape
    mesh = _any_mesh(shape)
    if mesh is None:
        return np.array([[np.inf] * 3, [-np.inf] * 3])
    points = instance.X_WI.point(mesh.vertices)
    return np.array([points.min(axis=0), points.max(axis=0)])


def _any_mesh(shape: Shape | None) -> Mesh | None:
    meshes = (shape.coarse, shape.fine) if shape is not None else ()
    return next((m for m in meshes if m is not None and len(m.triangles)), None)


def _report(assembly: Assembly, found: Sequence[Overlap], findings: Findings) -> None:
    """Parts inside others pair by pair; what else overlaps once for all pairs of the same two parts."""
    groups: dict[tuple[str, str], list[Overlap]] = defaultdict(list)
    for o in found:
        groups[assembly.instance(o.a).part, assembly.instance(o.b).part].append(o)
    for same in groups.values():
        first = same[0]
        names = [name for o in same for name in (o.a, o.b)]
        more = f", and {count(len(same) - 1, 'more pair')} of the same parts" if len(same) > 1 else ""
        if first.share >= INSIDE:
            text = f"{first.a} and {first.b}: one lies inside the other ({first.volume * TO_CM3:.4g} cm³ counted twice)"
            findings.add("CB316", text + more, Where(item=first.a), items=names)
        else:
            shared = f"{first.volume * TO_CM3:.4g} cm³, {100 * first.share:.3g} % of the smaller"
            text = f"{first.a} and {first.b} share {shared}"
            findings.add("CB315", text + more, Where(item=first.a), items=names)


def _report_untested(names: Sequence[str], left: int, findings: Findings) -> None:
    if names:
        findings.add(
            "CB317", f"{count(len(names), 'part has', 'parts have')} no closed mesh: {listed(names)}", items=names
        )
    if left:
        findings.add(
            "CB317",
            count(left, "pair of parts was", "pairs of parts were") + f" left untested; {PAIRS} were tested",
        )
