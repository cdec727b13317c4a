"""Placements that violate their mates by little, by much, and mates that nothing can fulfil."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cadbridge.assembly import Assembly, Component, Feature, FeatureKind, Mate, MateKind
from cadbridge.diagnosis import diagnose, settled
from cadbridge.frames import Pose
from cadbridge.mechanism import build, residuals
from tests.diagnosis.pool import POOL

NAMES = ["four-bar", "crank-slider", "Sarrus", "Bennett", "universal joint", "door on two", "planetary", "block"]


def displaced(model: Assembly, size: float) -> Assembly:
    """Every component placed `size` m off, each another way."""
    random = np.random.default_rng(3)
    components = []
    for c in model.components:
        way = random.normal(size=3)
        components.append(replace(c, X_WC=Pose(c.X_WC.R, c.X_WC.p + size * way / np.linalg.norm(way))))
    return replace(model, components=tuple(components))


@pytest.mark.parametrize("size", [1e-4, 0.05])
@pytest.mark.parametrize("name", NAMES)
def test_placements_off_by_little_or_much_are_moved_onto_their_mates(name: str, size: float) -> None:
    model = POOL[name]()
    mechanism = settled(build(displaced(model, size)))
    assert diagnose(mechanism).mobility == diagnose(build(model)).mobility
    assert max(max(mm, deg) for _, mm, deg in residuals(mechanism.mate_rows, mechanism.X_WC)) < 1e-3
    (finding,) = (f for f in mechanism.findings if f.code == "CB408")
    assert f"of {len(model.components)} component" in finding.message
    assert "were off" in finding.message
    assert "CB207" in {f.code for f in mechanism.findings}  # what the file says stays told
    for instance, component in zip(mechanism.assembly.instances, mechanism.assembly.components, strict=True):
        assert instance.X_WI.p != pytest.approx(model.component(component.name).X_WC.p, abs=1e-9)


@pytest.mark.parametrize("name", POOL)
def test_placements_that_fulfil_their_mates_stay(name: str) -> None:
    mechanism = build(POOL[name]())
    assert settled(mechanism) is mechanism


def test_what_cannot_be_closed_is_told_with_what_stays_open() -> None:
    model = POOL["four-bar"]()
    # The last hinge's socket stands 2 m away: no four bars of some 0.3 m reach it.
    *others, last = model.mates
    far = replace(last, b=replace(last.b, point=last.b.point + np.array([2.0, 0.0, 0.0])))
    mechanism = build(replace(model, mates=(*others, far)))
    found = settled(mechanism)
    assert found.X_WC is mechanism.X_WC
    (finding,) = (f for f in found.findings if f.code == "CB409")
    assert "open after least squares: hinge" in finding.message
    assert " mm" in finding.message


def test_a_body_far_from_its_mate_is_moved_there() -> None:
    # The sphere's centre lies on the cylinder's axis and is to be 60 mm off it: there is no direction to start in.
    ground = Feature("ground", FeatureKind.AXIS, np.zeros(3), np.array([0.0, 0.0, 1.0]))
    ball = Feature("b", FeatureKind.POINT, np.array([0.01, 0.0, 0.02]))
    away = Mate("away", MateKind.DISTANCE, ground, ball, value=0.06)
    body = Component("b", (), Pose(np.eye(3), np.array([-0.01, 0.0, 0.1])))
    model = Assembly("two", "", "test", (), (), components=(body,), mates=(away,))
    mechanism = build(model)
    found = settled(mechanism)
    assert {f.code for f in found.findings} >= {"CB207", "CB408"}
    (X,) = found.X_WC
    centre = X.point(ball.point)
    assert np.hypot(centre[0], centre[1]) == pytest.approx(0.06, abs=1e-9)
    assert np.linalg.norm(X.p - body.X_WC.p) < 0.08
    assert diagnose(found).mobility.rank == 1
    before_assembly = settled(build(replace(model, extra={"before_assembly": True})))
    assert "CB207" not in {f.code for f in before_assembly.findings}


@pytest.mark.parametrize("gap", [0.0, 0.02])
def test_two_bodies_far_apart_on_a_ball_joint(gap: float) -> None:
    held = Mate("fix", MateKind.FIXED, Feature("ground", FeatureKind.POINT, np.zeros(3)), _point("a", 0.0))
    joint = Mate(
        "ball", MateKind.DISTANCE if gap else MateKind.SPHERICAL, _point("a", 0.1), _point("b", 0.3), value=gap
    )
    parts = tuple(Component(n, (), Pose()) for n in "ab")
    found = settled(build(Assembly("two", "", "test", (), (), components=parts, mates=(held, joint))))
    assert "CB409" not in {f.code for f in found.findings}
    assert max(mm for _, mm, _ in residuals(found.mate_rows, found.X_WC)) < 1e-6


def _point(component: str, x: float) -> Feature:
    return Feature(component, FeatureKind.POINT, np.array([x, 0.0, 0.0]))
