"""Gears: numbers beside each other, what motors turn, trains that lock."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cadbridge.assembly import Coupling, CouplingKind
from cadbridge.diagnosis import Diagnosis, diagnose
from cadbridge.mechanism import build
from cadbridge.reading import read
from cadbridge.report import check_document
from tests.diagnosis.gearing import planetary, two_shafts
from tests.mechanism.building import assembly


def codes(found: Diagnosis) -> list[str]:
    return [f.code for f in found.findings]


def test_two_trains_around_one_loop_lock_with_both_ratios_and_the_mismatch_a_turn() -> None:
    found = diagnose(build(two_shafts((40, 20), (41, 20))))
    assert (found.mobility.dof, found.mobility.redundant) == (0, 0)
    (locked,) = found.locked_trains
    assert locked.mates == ("pair 0", "pair 1")  # the wheel aside of the loop locks nothing
    assert locked.joints == ("axle first", "axle second")
    assert locked.ratios == pytest.approx((-2.05, -2.0), rel=1e-12)
    # 41/20 − 40/20 of a turn.
    assert np.degrees(locked.mismatch) == pytest.approx(18.0, rel=1e-9)
    (finding,) = (f for f in found.findings if f.code == "CB411")
    assert "pair 1" in finding.message
    assert "18°" in finding.message


@pytest.mark.parametrize("wanted", [-1.0, 3.0])
def test_a_coupling_of_two_joints_that_a_weld_makes_one_tells_what_it_wants(tmp_path: Path, wanted: float) -> None:
    """It told −1 times of every ratio, and the mismatch of that."""
    body = '<geom type="box" size=".1 .02 .02" mass="1"/></body>'
    bodies = [f'<body name="{n}"><joint name="j{n}" axis="0 0 1"/>{body}' for n in "ab"]
    tied = f'<weld body1="a" body2="b"/><joint name="tie" joint1="jb" joint2="ja" polycoef="0 {wanted} 0 0 0"/>'
    path = tmp_path / "two.xml"
    path.write_text(
        f"<mujoco><worldbody>{''.join(bodies)}</worldbody><equality>{tied}</equality></mujoco>", encoding="utf-8"
    )
    found = diagnose(build(read(path)))
    (locked,) = found.locked_trains
    assert locked.joints == ("ja", "jb")
    assert locked.ratios == pytest.approx((wanted, 1.0), rel=1e-9)
    assert locked.mismatch == pytest.approx(2 * np.pi * abs(wanted - 1.0), rel=1e-9)
    (told,) = (f.message for f in found.findings if f.code == "CB411")
    assert f"wants jb to go {wanted:g} times as far as ja, both are in joint ja, which takes it 1 times" in told


def test_the_mismatch_of_slides_is_a_length(tmp_path: Path) -> None:
    """A metre at 2 and at 3 times leaves a metre, and was given as 360°."""
    body = '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/></body>'
    bodies = "".join(f'<body name="{n}"><joint name="j{n}" type="slide" axis="1 0 0"/>{body}' for n in "ab")
    ties = "".join(f'<joint name="tie{k}" joint1="jb" joint2="ja" polycoef="0 {k} 0 0 0"/>' for k in (2, 3))
    path = tmp_path / "two.xml"
    path.write_text(f"<mujoco><worldbody>{bodies}</worldbody><equality>{ties}</equality></mujoco>", encoding="utf-8")
    found = diagnose(build(read(path)))
    assert [(t.units, t.mismatch) for t in found.locked_trains] == [(("m", "m"), pytest.approx(1.0, rel=1e-9))]
    (told,) = (f.message for f in found.findings if f.code == "CB411")
    assert told.endswith("1 m of ja would leave 1000 mm between them")


def test_trains_that_agree_repeat_each_other_and_lock_nothing() -> None:
    found = diagnose(build(two_shafts((40, 20), (20, 10))))
    assert found.locked_trains == ()
    assert [(r.mate, r.deletable) for r in found.redundancies] == [("pair 1", True)]
    assert {t.axis: t.ratio for t in found.transmissions} == pytest.approx({"axle second": -2, "axle third": 1})


@pytest.mark.parametrize("planets", [1, 3])
def test_a_planetary_train_by_williss_equation(planets: int) -> None:
    found = diagnose(build(planetary(planets, sun=20, ring=70)))
    assert (found.mobility.dof, found.mobility.finite) == (1, 1)
    # Willis: ω_sun = (1 + z_ring / z_sun) ω_carrier; a planet turns at −z_sun / z_planet against the carrier.
    ratios = {t.axis: t.ratio for t in found.transmissions if t.motor == "axle sun"}
    carrier = 1 / (1 + 70 / 20)
    assert ratios["axle carrier"] == pytest.approx(carrier, rel=1e-9)
    assert ratios["axle planet 0"] == pytest.approx(-(1 - carrier) * 20 / 25, rel=1e-9)


def test_of_three_planets_two_are_redundant_and_their_loads_are_not_determined() -> None:
    found = diagnose(build(planetary(3)))
    assert found.mobility.redundant == 2
    assert all(m.startswith(("sun on", "ring on")) for s in found.deletable_sets for m in s.mates)
    assert [len(s.mates) for s in found.deletable_sets] == [2]
    undetermined = {r.joint for r in found.reactions if not r.determined}
    assert {"axle planet 0", "axle planet 1", "axle planet 2"} <= undetermined
    for reaction in found.reactions:
        # What the planets share are forces across the axles, never along them nor torques.
        assert reaction.force[2]
        assert all(reaction.torque)
    assert all(r.determined for r in diagnose(build(planetary(1))).reactions)


def test_motors_turn_what_they_turn_and_one_too_many_is_told() -> None:
    one = diagnose(build(two_shafts((40, 20), driven=["third"])))
    assert {t.motor for t in one.transmissions} == {"axle third"}
    assert {t.axis: t.ratio for t in one.transmissions} == pytest.approx({"axle first": 1.0, "axle second": -2.0})
    two = diagnose(build(two_shafts((40, 20), driven=["first", "third"])))
    (finding,) = (f for f in two.findings if f.code == "CB412")
    assert finding.message == "motor third drives axle third, which is not free: it goes with axle first"
    locked = diagnose(build(two_shafts((40, 20), (41, 20), driven=["first"])))
    assert "nothing lets it move" in next(f.message for f in locked.findings if f.code == "CB412")


def pair(**changes: object) -> Coupling:
    model = two_shafts((20, 40))
    return replace(model.couplings[0], **changes)  # type: ignore[arg-type]


def test_numbers_of_a_gear_stand_beside_each_other() -> None:
    gear = diagnose(build(two_shafts((20, 40)))).gears[0]
    assert (gear.ratio, gear.teeth, gear.agrees) == (2.0, (20, 40), True)
    assert gear.centre_distance == pytest.approx(0.06)
    assert gear.pitch_radii == pytest.approx((0.02, 0.04))
    assert gear.shaft_angle == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("changes", "code", "told"),
    [
        ({"teeth_b": 41}, "CB410", "its teeth 20 : 41 make 2.05, its ratio is 2"),
        ({"radius_a": 0.021}, "CB222", "pitch radius a is 21 mm, ratio and centre distance make 20 mm"),
        (
            {"radius_a": 0.0204, "radius_b": 0.0408},
            "CB222",
            "pitch radius a is 20.4 mm, ratio and centre",
        ),
    ],
)
def test_numbers_of_a_gear_that_contradict_each_other_are_told_once(
    changes: dict[str, object], code: str, told: str
) -> None:
    model = two_shafts((20, 40))
    mechanism = build(replace(model, couplings=(pair(**changes), *model.couplings[1:])))
    found = diagnose(mechanism)
    ((said, message),) = [
        (f.code, f.message) for f in (*mechanism.findings, *found.findings) if f.code in ("CB222", "CB410")
    ]
    assert said == code
    assert message.startswith(f"pair 0: {told}")
    assert [g.agrees for g in found.gears] == [False, True]


def test_gears_of_every_kind_are_counted_and_name_their_bodies() -> None:
    mechanism = build(two_shafts((20, 40)))
    document = check_document(mechanism, diagnose(mechanism))
    counted = document["counts"]["gears"]
    assert set(counted) == {kind.value for kind in CouplingKind}
    assert sum(counted.values()) == len(document["gears"]) == 2
    bodies = {b["name"] for b in document["bodies"]} | {"ground"}
    for gear in document["gears"]:
        assert len(set(gear["bodies"])) == 2
        assert set(gear["bodies"]) <= bodies


def test_a_mechanism_without_gears_has_no_transmission() -> None:
    found = diagnose(build(assembly({"block": (0.0, 0.0, 0.0)}, [])))
    assert (found.gears, found.transmissions, found.locked_trains) == ((), (), ())
    assert diagnose(build(two_shafts())).locked_trains == ()
