"""Which freedoms are finite motions, and how they are told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import GROUND, Assembly, Coupling, CouplingKind, Limit, MateKind
from cadbridge.diagnosis import diagnose
from cadbridge.mechanism import build
from tests.diagnosis import linkages
from tests.mechanism.building import assembly, feature, mate

Z = (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("model", "gruebler", "redundant"),
    [
        (linkages.planar([(0, 0), (0.05, 0.2), (0.45, 0.35), (0.5, 0)]), -2, 3),
        (linkages.planar([(0, 0), (0.1, 0.3), (0.6, 0.3), (0.5, 0)]), -2, 3),
        (linkages.parallel_bars(5), -14, 15),
        (linkages.bennett(), -2, 3),
        (linkages.sarrus(), 0, 1),
        (linkages.bricard(), 0, 1),
        (linkages.double_universal(), 0, 1),
    ],
    ids=["four-bar", "parallelogram", "five bars", "Bennett", "Sarrus", "Bricard", "double universal joint"],
)
def test_overconstrained_loops_move_with_one_finite_freedom(model: Assembly, gruebler: int, redundant: int) -> None:
    found = diagnose(build(model))
    assert found.mobility.gruebler == gruebler
    assert (found.mobility.dof, found.mobility.finite, found.mobility.redundant) == (1, 1, redundant)
    assert [f.finite for f in found.freedoms] == [True]
    assert "CB407" in {f.code for f in found.findings}
    assert "CB406" not in {f.code for f in found.findings}


@pytest.mark.parametrize("points", [[(0, 0), (0.3, 0), (0.8, 0)], [(0, 0), (0.2, 0), (0.7, 0), (1.1, 0)]])
def test_bars_in_one_line_are_shaky(points: list[tuple[float, float]]) -> None:
    found = diagnose(build(linkages.planar(points)))
    assert found.mobility.dof == len(points) - 2
    assert found.mobility.finite == 0
    assert not any(f.finite for f in found.freedoms)
    assert "CB406" in {f.code for f in found.findings}


@pytest.mark.parametrize("size", [0.02, 0.2])
@pytest.mark.parametrize("off", [3e-10, 1e-9, 1e-8])
def test_bars_in_parallel_whose_lengths_are_rounded_move(size: float, off: float) -> None:
    """A gripper whose mates file rounds to 1e-6 mm could not move, yet was not stiff."""
    places = {"platform": (0.0, 0.0, 0.01), **{f"bar {k}": (k * size / 2, 0.0, 0.0) for k in range(3)}}
    mates = []
    for k in range(3):
        top = (k * size / 2 + 0.6 * size + (off if k == 1 else 0.0), 0.8 * size, 0.0)
        mates.append(mate(places, f"foot {k}", MateKind.INSERT, GROUND, f"bar {k}", (k * size / 2, 0.0, 0.0), Z))
        mates.append(mate(places, f"top {k}", MateKind.INSERT, f"bar {k}", "platform", top, Z))
    found = diagnose(build(assembly(places, mates)))
    assert (found.mobility.dof, found.mobility.finite) == (1, 1)


def test_a_flat_parallelogram_branches_into_two_motions() -> None:
    found = diagnose(build(linkages.planar([(0, 0), (0.3, 0), (0.8, 0), (0.5, 0)])))
    assert (found.mobility.dof, found.mobility.finite) == (2, 1)
    rates = sorted([f.rates["hinge 1"] for f in found.freedoms])
    # Crossed, the coupler turns at −4 against the crank (closed form of the antiparallelogram); else it stays parallel.
    # Sharper than what counts as no rate at all.
    assert rates == pytest.approx([-4.0, -1.0], abs=2e-8)


def test_what_leads_a_finite_freedom_stands_still_in_one_of_this_pose_only() -> None:
    """A link between two hinges on one line turns by itself; the two bars in line behind it give at their knee only."""
    found = diagnose(build(linkages.planar([(0, 0), (0, 0), (0.2, 0), (0.5, 0)])))
    assert (found.mobility.dof, found.mobility.finite) == (2, 1)
    finite, shaky = sorted(found.freedoms, key=lambda f: not f.finite)
    assert (finite.finite, shaky.finite) == (True, False)
    assert finite.leader != shaky.leader
    assert finite.leader not in shaky.rates


def test_bennetts_joints_turn_in_the_ratio_of_its_closed_form() -> None:
    found = diagnose(build(linkages.bennett(a=0.3, alpha=0.7, b=0.2, theta=1.1)))
    beta = np.arcsin(0.2 * np.sin(0.7) / 0.3)
    k = np.sin((0.7 + beta) / 2) / np.sin((beta - 0.7) / 2)
    # tan(φ/2) = k / tan(θ/2)  ⇒  dφ/dθ
    t = np.tan(0.55)
    slope = -k * (1 + t * t) / (t * t + k * k)
    rates = found.freedoms[0].rates
    assert abs(rates["hinge 1"] / rates["hinge 0"]) == pytest.approx(abs(slope), rel=1e-9)


def train() -> Assembly:
    """A pinion of 20 teeth drives two wheels of 50; all on the ground."""
    places = {"pinion": (0.0, 0.0, 0.0), "wheel 1": (0.07, 0.0, 0.0), "wheel 2": (0.0, 0.07, 0.0)}
    mates = [mate(places, f"axle of {n}", MateKind.INSERT, GROUND, n, p, Z) for n, p in places.items()]
    kind = mates[0].b.kind
    gears = [
        Coupling(
            f"gear {i}",
            CouplingKind.SPUR,
            feature(places, "pinion", kind, (0, 0, 0), Z),
            feature(places, f"wheel {i}", kind, places[f"wheel {i}"], Z),
            ratio=2.5,
            teeth_a=20,
            teeth_b=50,
        )
        for i in (1, 2)
    ]
    return assembly(places, mates, gears)


def test_a_freedom_says_what_leads_and_what_follows() -> None:
    (freedom,) = diagnose(build(train())).freedoms
    assert freedom.words == (
        "pinion turns about the axis of axle of pinion; "
        "wheel 1 (in axle of wheel 1) and wheel 2 (in axle of wheel 2) follow at −0.4"
    )
    assert freedom.twists["wheel 1"] == pytest.approx([0, 0, 0, 0, 0, -0.4], abs=1e-12)
    assert freedom.leader == "axle of pinion"


@pytest.mark.parametrize(
    ("normal", "slides"),
    [("0 0 1", {"slides in f along x", "slides in f along y"}), ("0.6 0 0.8", {"slides in f along y"})],
)
def test_the_slides_of_one_joint_say_which_way(tmp_path: Path, normal: str, slides: set[str]) -> None:
    links = "".join(
        f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        "</inertial></link>" for name in ("base", "plate")
    )  # fmt: skip
    ends = f'<parent link="base"/><child link="plate"/><axis xyz="{normal}"/>'
    path = tmp_path / "plate.urdf"
    path.write_text(f'<robot name="p">{links}<joint name="f" type="planar">{ends}</joint></robot>')
    words = {f.words.removeprefix("plate ") for f in diagnose(build(cb.read(path))).freedoms}
    assert len(words) == 3
    assert slides <= words
    if normal != "0 0 1":
        assert "turns in f about (0.6, 0, 0.8)" in words


def test_a_part_that_nothing_holds_is_told_once() -> None:
    places = {"loose": (0.0, 0.0, 0.0)}
    (freedom,) = diagnose(build(assembly(places, []))).freedoms
    assert (freedom.kind, freedom.count, freedom.bodies) == ("float", 6, ("loose",))


@pytest.mark.parametrize("seed", range(5))
def test_twists_of_freedoms_fulfil_the_joints_of_random_chains(seed: int) -> None:
    """Independent of the diagnosis: a body's twist relative to its neighbour's is one that their joint allows."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(8, 3))
    axes = random.normal(size=(8, 3))
    model = linkages.ring([(tuple(p), tuple(u)) for p, u in zip(points, axes, strict=True)])
    mechanism = build(model)
    found = diagnose(mechanism)
    assert found.mobility.dof == 2
    index = {b.name: b for b in mechanism.bodies}
    for freedom in found.freedoms:
        for joint in mechanism.joints:
            about = (mechanism.bodies[joint.a] if joint.a >= 0 else mechanism.ground).X_WB @ joint.X_AJ
            relative = np.zeros(6)
            for body, sign in ((joint.b, 1.0), (joint.a, -1.0)):
                name = mechanism.bodies[body].name if body >= 0 else ""
                if name in freedom.twists:
                    v, w = np.split(freedom.twists[name], 2)
                    relative += sign * np.hstack([v + np.cross(w, about.p - index[name].X_WB.p), w])
            allowed = np.hstack([np.zeros(3), about.R[:, 2]]) * freedom.rates.get(joint.name, 0.0)
            np.testing.assert_allclose(relative, allowed, atol=1e-7)


def test_a_group_that_nothing_ties_to_the_rest_is_told() -> None:
    places = {"door": (0.4, 0.0, 0.0), "arm": (2.0, 0.0, 0.0), "hand": (2.4, 0.0, 0.0), "nut": (5.0, 0.0, 0.0)}
    mates = [
        mate(places, "hinge", MateKind.INSERT, GROUND, "door", (0, 0, 0), Z),
        mate(places, "wrist", MateKind.INSERT, "arm", "hand", (2.2, 0, 0), Z),
    ]
    found = diagnose(build(assembly(places, mates)))
    assert found.mobility.dof == 1 + 7 + 6
    (finding,) = (f for f in found.findings if f.code == "CB413")
    assert finding.message == "arm, hand have mates to each other and to nothing else"


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        (
            Limit(0.1, 0.5),
            "the range of hinge, from 5.73° to 28.65°, does not hold the pose as designed, which is its 0",
        ),
        (Limit(0.5, -0.5), "the range of hinge, from 28.65° to -28.65°, holds nothing"),
        (Limit(None, -0.1), "the range of hinge, from -inf° to -5.73°, does not hold"),
        (Limit(0.0, 1.0), None),
        (Limit(), None),
    ],
)
def test_limits_that_do_not_hold_the_design_are_told(limit: Limit, told: str | None) -> None:
    places = {"door": (0.4, 0.0, 0.0)}
    hinge = replace(mate(places, "hinge", MateKind.INSERT, GROUND, "door", (0, 0, 0), Z), limit=limit)
    found = [f.message for f in diagnose(build(assembly(places, [hinge]))).findings if f.code == "CB414"]
    assert len(found) == (told is not None)
    assert told is None or found[0].startswith(told)
