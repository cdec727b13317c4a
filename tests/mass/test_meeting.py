"""Which parts collide where some are displaced: what is sorted out beforehand would not have collided."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.spatial.transform import Rotation

from cadbridge.assembly import Part
from cadbridge.frames import Pose
from cadbridge.mass.meeting import SolidScene
from cadbridge.mass.overlap import solid_of
from tests.mass.solids import box, placed, shape


def test_the_first_hit_is_that_of_all_pairs_intersected_in_turn() -> None:
    rng = np.random.default_rng(3)
    sizes = {f"part{k}": rng.uniform(0.01, 0.06, 3) for k in range(4)}
    parts = [Part(name, shape(box(*size))) for name, size in sizes.items()]
    assembly = placed(parts, *((f"part{k % 4}", rng.uniform(-0.3, 0.3, 3).tolist()) for k in range(60)))
    names = [i.name for i in assembly.instances]
    solids = {part.name: solid_of(part.shape.coarse if part.shape else None) for part in parts}
    moving, staying = tuple(names[:20]), tuple(names[20:])
    scene = SolidScene(assembly, (), 10**6)
    hits = 0
    for _ in range(30):
        X = Pose(Rotation.from_rotvec(rng.uniform(-0.3, 0.3, 3)).as_matrix(), rng.uniform(-0.1, 0.1, 3))
        expected = None
        for one, two in itertools.product(moving, staying):
            a, b = assembly.instance(one), assembly.instance(two)
            X_BA, as_drawn = b.X_WI.inverse() @ X @ a.X_WI, b.X_WI.inverse() @ a.X_WI
            first, second = solids[a.part], solids[b.part]
            assert first is not None
            assert second is not None
            both, drawn = (second ^ first.transform(np.hstack([Y.R, 1e3 * Y.p[:, None]])) for Y in (X_BA, as_drawn))
            if both.volume() > 1e-3 and drawn.volume() == 0 and 2e-3 * both.volume() / both.surface_area() > 1.6e-4:
                expected = one, two
                break
        found = scene.first_hit(moving, staying, X)
        if expected is not None and found is not None:
            hits += 1
            assert names.index(found[0]) <= names.index(expected[0])
        assert (expected is None) or found is not None
        assert scene.first_hit(list(moving), list(staying), X) == found
    assert hits > 5


def test_nothing_that_moves_meets_nothing() -> None:
    scene = SolidScene(placed([Part("one", shape(box(0.1, 0.1, 0.1)))], ("one", (0, 0, 0))), (), 10)
    assert scene.first_hit((), ("one:0",), Pose()) is None
    assert scene.first_hit(("one:0",), (), Pose()) is None
