"""The diagnosis does not depend on how the design is written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from cadbridge.assembly import GROUND, Assembly, Feature
from cadbridge.diagnosis import diagnose
from cadbridge.frames import Pose
from cadbridge.mechanism import build
from tests.diagnosis.dense import names_of
from tests.diagnosis.pool import POOL, moved

NAMES = [n for n in POOL if n not in ("lattice", "locked trains", "door on two")]


def said(model: Assembly) -> object:
    """All that must stay the same. A joint is known by its mates: it is named after the first of them."""
    mechanism = build(model)
    found = diagnose(mechanism)
    mates = {j.name: frozenset(j.mates) for j in mechanism.joints}
    return (
        found.mobility,
        found.groups,
        {(r.mate, r.repeated, r.deletable, r.weaker) for r in found.repetitions},
        {(s.mates, s.rows) for s in found.deletable_sets},
        {(mates[r.joint], r.determined) for r in found.reactions},
        sorted(f.finite for f in found.freedoms),
    )


@cache
def usual(name: str) -> object:
    return said(POOL[name]())


def shuffled(model: Assembly, seed: int) -> Assembly:
    random = np.random.default_rng(seed)

    def order(items: Sequence[object]) -> tuple[object, ...]:
        return tuple(items[i] for i in random.permutation(len(items)))

    lists = ("instances", "components", "mates", "couplings")
    return replace(model, **{k: order(getattr(model, k)) for k in lists})  # type: ignore[arg-type]


def scaled(model: Assembly, size: float) -> Assembly:
    """The same design in other units: what was 1 m is `size` m."""

    def feature(f: Feature | None) -> Any:
        return None if f is None else replace(f, point=size * f.point)

    def pose(X: Pose) -> Pose:
        return Pose(X.R, size * X.p)

    return replace(
        model,
        instances=tuple(replace(i, X_WI=pose(i.X_WI)) for i in model.instances),
        components=tuple(replace(c, X_WC=pose(c.X_WC)) for c in model.components),
        mates=tuple(replace(m, a=feature(m.a), b=feature(m.b), value=size * m.value) for m in model.mates),
        couplings=tuple(replace(c, a=feature(c.a), b=feature(c.b)) for c in model.couplings),
    )


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=2, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_the_order_of_parts_and_mates_does_not_matter(name: str, seed: int) -> None:
    assert said(shuffled(POOL[name](), seed)) == usual(name)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=2, deadline=None)
@given(turn=st.tuples(*[st.floats(-3.0, 3.0)] * 3), shift=st.tuples(*[st.floats(-2.0, 2.0)] * 3))
def test_a_rigid_motion_of_the_whole_does_not_matter(
    name: str, turn: tuple[float, float, float], shift: tuple[float, float, float]
) -> None:
    X = Pose(np.asarray(Rotation.from_rotvec(turn).as_matrix()), np.array(shift))
    assert said(moved(POOL[name](), X)) == usual(name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [1e-3, 25.4])
def test_units_do_not_matter(name: str, size: float) -> None:
    assert said(scaled(POOL[name](), size)) == usual(name)


def drawn_in_place(model: Assembly) -> Assembly:
    """The same design with the frames of all parts at the world's origin, as those of parts drawn in place are."""
    poses = {c.name: c.X_WC for c in model.components}

    def feature(f: Feature | None) -> Any:
        if f is None or f.component == GROUND:
            return f
        X = poses[f.component]
        turned: dict[str, Any] = {k: X.vector(v) for k in ("direction", "x") if (v := getattr(f, k)) is not None}
        return replace(f, point=X.point(f.point), **turned)

    return replace(
        model,
        instances=tuple(replace(i, X_WI=Pose()) for i in model.instances),
        components=tuple(replace(c, X_WC=Pose()) for c in model.components),
        mates=tuple(replace(m, a=feature(m.a), b=feature(m.b)) for m in model.mates),
        couplings=tuple(replace(c, a=feature(c.a), b=feature(c.b)) for c in model.couplings),
    )


FAR = Pose(np.eye(3), np.array([1.0, 0.7, -0.4]))


@pytest.mark.parametrize("name", [*NAMES, "locked trains"])
@pytest.mark.parametrize("size", [0.1, 1e-3])
def test_a_small_mechanism_may_stand_far_from_the_origin(name: str, size: float) -> None:
    """Turns were weighed by the distance from the origin: gears that lock by one tooth passed for redundant."""
    placed = moved(scaled(POOL[name](), size), FAR)
    assert said(placed) == usual(name)
    assert said(drawn_in_place(placed)) == usual(name)


@pytest.mark.parametrize("name", NAMES)
def test_names_do_not_matter(name: str) -> None:
    """Other names change the words only: groups are the same mates, as many rows are repeated in each."""
    model = POOL[name]()
    names = names_of(model)
    new = {old: f"z{len(names) - i:03d}" for i, old in enumerate(names)}  # the reverse order of the alphabet
    parts = {c.name: f"p{len(model.components) - i:03d}" for i, c in enumerate(model.components)} | {GROUND: GROUND}

    def feature(f: Feature | None) -> Any:
        return None if f is None else replace(f, component=parts[f.component])

    renamed = replace(
        model,
        instances=tuple(replace(i, name=parts[i.name], component=parts[i.component]) for i in model.instances),
        components=tuple(replace(c, name=parts[c.name], instances=(parts[c.name],)) for c in model.components),
        mates=tuple(replace(m, name=new[m.name], a=feature(m.a), b=feature(m.b)) for m in model.mates),
        couplings=tuple(replace(c, name=new[c.name], a=feature(c.a), b=feature(c.b)) for c in model.couplings),
    )
    was, now = diagnose(build(model)), diagnose(build(renamed))
    assert now.mobility == was.mobility
    groups = {(frozenset(new[m] for m in g.mates), g.rows, g.rank) for g in was.groups}
    assert {(frozenset(g.mates), g.rows, g.rank) for g in now.groups} == groups
    assert {(r.mate, r.repeated, r.deletable) for r in now.repetitions} == {
        (new[r.mate], r.repeated, r.deletable) for r in was.repetitions
    }
    assert sorted(r.determined for r in now.reactions) == sorted(r.determined for r in was.reactions)
