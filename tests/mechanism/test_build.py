"""Mates to rows, rows to bodies and joints."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from cadbridge.assembly import GROUND, Drive, FeatureKind, Mate, MateKind
from cadbridge.mechanism import build
from cadbridge.mechanism.rows import off_by
from tests.mechanism.building import assembly, feature, mate

P, A, Q = FeatureKind.PLANE, FeatureKind.AXIS, FeatureKind.POINT
PLACES = {"block": (0.3, 0.1, 0.2)}
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
HERE = (0.4, 0.0, 0.1)

PAIRS = [
    (MateKind.COINCIDENT, P, P, Z, Z, 3, "planar"),
    (MateKind.COINCIDENT, P, A, Z, X, 2, "generic"),
    (MateKind.COINCIDENT, A, P, X, Z, 2, "generic"),
    (MateKind.COINCIDENT, P, Q, Z, Z, 1, "generic"),
    (MateKind.COINCIDENT, A, A, Z, Z, 4, "cylindrical"),
    (MateKind.COINCIDENT, A, Q, Z, Z, 2, "generic"),
    (MateKind.COINCIDENT, Q, Q, Z, Z, 3, "spherical"),
    (MateKind.FLUSH, P, P, Z, Z, 3, "planar"),
    (MateKind.INSERT, A, A, Z, Z, 5, "revolute"),
    (MateKind.CONCENTRIC, A, A, Z, Z, 4, "cylindrical"),
    (MateKind.PARALLEL, P, A, Z, Z, 2, "generic"),
    (MateKind.PERPENDICULAR, A, A, Z, X, 1, "generic"),
    (MateKind.REVOLUTE, A, A, Y, Y, 5, "revolute"),
    (MateKind.PRISMATIC, A, A, X, X, 5, "prismatic"),
    (MateKind.CYLINDRICAL, A, A, X, X, 4, "cylindrical"),
    (MateKind.SPHERICAL, Q, Q, Z, Z, 3, "spherical"),
    (MateKind.PLANAR, P, P, X, X, 3, "planar"),
    (MateKind.UNIVERSAL, A, A, X, Y, 4, "universal"),
]


@pytest.mark.parametrize(("kind", "of_a", "of_b", "u", "w", "rows", "joint"), PAIRS)
def test_each_mate_has_its_rows_and_its_joint(
    kind: MateKind,
    of_a: FeatureKind,
    of_b: FeatureKind,
    u: tuple[float, ...],
    w: tuple[float, ...],
    rows: int,
    joint: str,
) -> None:
    a = feature(PLACES, GROUND, of_a, HERE, None if of_a is Q else u)
    b = feature(PLACES, "block", of_b, HERE, None if of_b is Q else w)
    mechanism = build(assembly(PLACES, [Mate("m", kind, a, b)]))
    assert [r.rows for r in mechanism.mate_rows] == [rows]
    assert [j.type for j in mechanism.joints] == [joint]
    assert mechanism.joints[0].freedom.shape == (6, 6 - rows)
    assert mechanism.joints[0].mates == ("m",)


def test_a_fixed_mate_makes_one_body() -> None:
    mechanism = build(assembly(PLACES, [mate(PLACES, "m", MateKind.FIXED, GROUND, "block", HERE, Z)]))
    assert mechanism.bodies == ()
    assert mechanism.mate_rows[0].rows == 6
    assert mechanism.ground.components == ("block",)


def test_three_planes_are_a_fixed_connection() -> None:
    mates = [mate(PLACES, f"plane {u}", MateKind.FLUSH, GROUND, "block", HERE, u) for u in (X, Y, Z)]
    mechanism = build(assembly(PLACES, mates))
    assert mechanism.bodies == ()
    assert sum(r.rows for r in mechanism.mate_rows) == 9


def test_a_hinge_of_two_mates_is_one_joint_with_axis_and_origin() -> None:
    mates = [
        mate(PLACES, "axis", MateKind.CONCENTRIC, GROUND, "block", HERE, Z),
        mate(PLACES, "plane", MateKind.FLUSH, GROUND, "block", (0.0, 0.0, 0.1), Z),
    ]
    (joint,) = build(assembly(PLACES, mates)).joints
    assert joint.type == "revolute"
    assert joint.mates == ("axis", "plane")
    np.testing.assert_allclose(joint.X_AJ.R[:, 2], Z, atol=1e-12)
    np.testing.assert_allclose(joint.X_AJ.p[:2], HERE[:2], atol=1e-12)
    assert sum(p.rows for p in joint.primitives) == 5


def test_a_mate_without_meaning_names_what_would_have_one() -> None:
    m = mate(PLACES, "insert", MateKind.INSERT, GROUND, "block", HERE, Z)
    plane = feature(PLACES, "block", P, HERE, Z)
    mechanism = build(assembly(PLACES, [Mate("insert", m.kind, m.a, plane)]))
    told = {f.code: f for f in mechanism.findings}
    assert "between axis and plane" in told["CB204"].message
    assert "axis with axis" in told["CB204"].hint
    # It was said to have no mate, beside the finding of the mate.
    assert told["CB401"].message == "block floats freely, as insert, which would hold it, is left out"
    assert told["CB401"].hint.startswith("Correct insert first")


def test_a_mate_that_the_pose_does_not_fulfil_is_told_in_mm() -> None:
    a = feature(PLACES, GROUND, P, HERE, Z)
    b = feature(PLACES, "block", P, (0.4, 0.0, 0.1005), Z)
    mechanism = build(assembly(PLACES, [Mate("m", MateKind.FLUSH, a, b)]))
    (told,) = [f for f in mechanism.findings if f.code == "CB207"]
    assert "0.5 mm" in told.message


def test_what_rounding_leaves_is_no_gap() -> None:
    """A mate was said to be off by 3e-30°."""
    assert off_by([5e-4, 1e-16, 2e-31], ["m", "m", "rad"]) == (pytest.approx(0.5), 0.0)
    assert off_by([1e-16, 1e-3], ["m", "rad"]) == (0.0, pytest.approx(math.degrees(1e-3)))


def test_a_drive_of_what_does_not_move_is_a_warning_and_of_nothing_an_error() -> None:
    fastened = assembly(PLACES, [mate(PLACES, "weld", MateKind.FIXED, GROUND, "block", HERE, Z)])
    drives = (Drive("one", "weld"), Drive("other", "no such joint"))
    found = build(replace(fastened, drives=drives)).findings
    assert [(f.code, f.severity.value) for f in found] == [("CB227", "warning"), ("CB226", "error")]


def test_a_slide_that_is_one_at_first_only_is_no_slide() -> None:
    """A rod between two points, and axes that stay parallel: the block moves on a circle, at first along y."""
    places = {"block": (1.0, 0.0, 0.0)}
    ends = (feature(places, GROUND, Q, (0, 0, 0)), feature(places, "block", Q, (1, 0, 0)))
    held = [mate(places, f"held {d}", kind, GROUND, "block", (1, 0, 0), d)
            for kind, d in ((MateKind.FLUSH, Z), (MateKind.PARALLEL, X))]  # fmt: skip
    (joint,) = build(assembly(places, [*held, Mate("rod", MateKind.DISTANCE, *ends, value=1.0)])).joints
    assert (joint.type, joint.freedom.shape) == ("generic", (6, 1))


@pytest.mark.parametrize(
    ("grounded", "told"),
    [(0, "the source has no mates: the 3 components float"), (1, "the source has no mates: 2 of 3 components float")],
)
def test_only_what_is_not_grounded_floats(grounded: int, told: str) -> None:
    bare = assembly({"a": (0, 0, 0), "b": (1, 0, 0), "c": (2, 0, 0)}, [])
    components = tuple(replace(c, grounded=i < grounded) for i, c in enumerate(bare.components))
    assert [f.message for f in build(replace(bare, components=components)).findings if f.code == "CB415"] == [told]


def test_where_all_is_grounded_nothing_floats() -> None:
    bare = assembly({"a": (0, 0, 0), "b": (1, 0, 0)}, [])
    standing = tuple(replace(c, grounded=True) for c in bare.components)
    assert not {f.code for f in build(replace(bare, components=standing)).findings} & {"CB401", "CB402", "CB415"}
