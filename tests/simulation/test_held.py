"""What no initial value names stays as designed: other joints of a chain, a base that nothing holds, loops, gears."""

from __future__ import annotations

import math
from importlib.resources import as_file, files
from pathlib import Path

import mujoco
import numpy as np
import pytest

import cadbridge as cb
from cadbridge.errors import InputError
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import MotorSpec, Run, Scenario, initial, simulate
from cadbridge.simulation.held import held
from cadbridge.simulation.open_couplings import OpenCouplings
from solver.equations.system import System
from solver.functions import expression, scaled
from solver.model import Model
from tests.simulation.test_servos import ARM

ROBOT = """<mujoco><option integrator="RK4" timestep="1e-4"><flag contact="disable"/></option><worldbody>
  <body name="base" pos="0 0 1"><freejoint/><geom type="box" size=".1 .05 .03" mass="3"/>
    <body name="arm" pos=".1 0 0"><joint name="A" axis="0 1 .2"/>
      <geom type="capsule" fromto="0 0 0 .3 0 .1" size=".02" mass="1"/>
      <body name="hand" pos=".3 0 .1"><joint name="ball" type="ball"/>
        <geom type="box" pos=".1 0 0" size=".1 .02 .01" mass=".5"/>
        <body name="tip" pos=".2 0 0"><joint name="B" axis="0 0 1"/>
          <geom type="box" pos=".05 0 0" size=".05 .01 .01" mass=".2"/></body></body></body></body>
</worldbody></mujoco>"""


def _built(folder: Path, text: str) -> Mechanism:
    path = folder / "robot.xml"
    path.write_text(text, encoding="utf-8")
    return cb.build(cb.read(path))


FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def _first(run: Run) -> dict[str, tuple[float, float]]:
    T = run.result.trajectory
    return {j.name: (T.coordinates[0, i], T.coordinate_rates[0, i]) for i, j in enumerate(run.lowered.joints)}


def test_the_joints_of_a_chain_stay(tmp_path: Path) -> None:
    """Setting the shoulder alone turned the elbow by −1.7 rad, as inertia would have it."""
    arm = _built(tmp_path, ARM.format(limit="", actuators=""))
    scenario = Scenario(duration=0.01, positions={"shoulder": 1.0}, rates={"elbow": 2.0})
    values = _first(simulate(arm, scenario))
    assert values["shoulder"] == pytest.approx((1.0, 0.0), abs=1e-12)
    assert values["elbow"] == pytest.approx((0.0, 2.0), abs=1e-12)
    assert values["slide"] == pytest.approx((0.0, 0.0), abs=1e-12)


def test_a_base_that_nothing_holds_and_a_ball_joint_stay_as_in_mujoco(tmp_path: Path) -> None:
    robot = _built(tmp_path, ROBOT)
    positions, rates = {"A": 0.4, "B": -0.7}, {"A": 1.5, "B": -2.0}
    scenario = Scenario(duration=0.3, rate=10, rtol=1e-11, atol=1e-11, positions=positions, rates=rates)
    run = simulate(robot, scenario)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    data = mujoco.MjData(model)
    for name in positions:
        data.joint(name).qpos[0], data.joint(name).qvel[0] = positions[name], rates[name]
    mujoco.mj_step(model, data, 3000)
    found = {j.name: run.result.trajectory.coordinates[-1, i] for i, j in enumerate(run.lowered.joints)}
    assert found == {name: pytest.approx(float(data.joint(name).qpos[0]), abs=1e-9) for name in positions}


def test_gears_follow_and_what_they_do_not_move_stays() -> None:
    with as_file(files("cadbridge.data") / "demo") as folder:
        crane = cb.build(cb.read(folder / "demo.step"))
    values = _first(simulate(crane, Scenario(duration=0.01, positions={"A1": 1.0}, rates={"A1": 0.5})))
    assert abs(values["Insert:2"][0]) == pytest.approx(3.0, abs=1e-9)
    assert values["A2"] == pytest.approx((0.0, 0.0), abs=1e-10)


def test_a_motor_that_begins_many_turns_away_is_followed_in_one_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system was prepared for each of its steps: 19 s for 300 turns."""
    with as_file(files("cadbridge.data") / "demo") as folder:
        crane = cb.build(cb.read(folder / "demo.step"))
    made: list[float] = []
    prepared = OpenCouplings.prepared

    def counted(self: OpenCouplings, model: Model, share: float) -> System:
        made.append(share)
        return prepared(self, model, share)

    monkeypatch.setattr(OpenCouplings, "prepared", counted)
    law = scaled(expression("36000+60*t"), math.pi / 180)
    values = _first(simulate(crane, Scenario(duration=0.01, motors=(MotorSpec("A1", angle=law),))))
    assert values["A1"] == pytest.approx((200 * math.pi, math.pi / 3))
    assert np.abs(values["Insert:2"]) == pytest.approx((600 * math.pi, math.pi))
    assert values["A2"] == pytest.approx((0.0, 0.0), abs=1e-9)
    assert len(made) < 5


BAR = '<geom type="capsule" fromto="0 0 0 {x} 0 {z}" size=".01" mass="1"/>'
FIVE_BAR = f"""<mujoco><worldbody>
  <body name="a"><joint name="A" axis="0 1 0"/>{BAR.format(x=-0.1, z=0.2)}
    <body name="b" pos="-.1 0 .2"><joint name="B" axis="0 1 0"/>{BAR.format(x=0.2, z=0.2)}</body></body>
  <body name="d" pos=".2 0 0"><joint name="D" axis="0 1 0"/>{BAR.format(x=0.1, z=0.2)}
    <body name="c" pos=".1 0 .2"><joint name="C" axis="0 1 0"/>{BAR.format(x=-0.2, z=0.2)}</body></body>
</worldbody><equality><connect body1="b" body2="c" anchor=".2 0 .2"/></equality>
<actuator><motor name="m" joint="D"/></actuator></mujoco>"""


CLOSED = "".join(f'<connect body1="{name}b" body2="{name}c" anchor=".2 0 .2"/>' for name in "lr")


def _five_bar(name: str, y: float) -> str:
    return f"""
  <body name="{name}a" pos="0 {y} 0"><joint name="{name}A" axis="0 1 0"/>{BAR.format(x=-0.1, z=0.2)}
    <body name="{name}b" pos="-.1 0 .2"><joint name="{name}B" axis="0 1 0"/>{BAR.format(x=0.2, z=0.2)}</body></body>
  <body name="{name}d" pos=".2 {y} 0"><joint name="{name}D" axis="0 1 0"/>{BAR.format(x=0.1, z=0.2)}
    <body name="{name}c" pos=".1 0 .2"><joint name="{name}C" axis="0 1 0"/>{BAR.format(x=-0.2, z=0.2)}</body></body>"""


def _two_five_bars(folder: Path) -> Mechanism:
    two = "".join(_five_bar(name, place) for name, place in (("l", 0), ("r", 1)))
    driven = "".join(f'<motor name="{name}m" joint="{name}D"/>' for name in "lr")
    rest = f"<equality>{CLOSED}</equality><actuator>{driven}</actuator>"
    return _built(folder, f"<mujoco><worldbody>{two}</worldbody>{rest}</mujoco>")


def test_of_a_loop_the_driven_joint_stays_and_the_others_follow(tmp_path: Path) -> None:
    five_bar = _built(tmp_path, FIVE_BAR)
    run = simulate(five_bar, Scenario(duration=0.01, positions={"A": math.radians(10)}, rates={"A": 1.0}))
    values = _first(run)
    assert "CB696" not in {f.code for f in run.findings}
    assert values["D"] == pytest.approx((0.0, 0.0), abs=1e-10)
    assert abs(values["B"][0]) > 0.05
    assert abs(values["C"][1]) > 0.1


def test_what_cannot_stay_gives_way(tmp_path: Path) -> None:
    """The crank goes where the driven joint, held, would not let it."""
    five_bar = _built(tmp_path, FIVE_BAR)
    run = simulate(five_bar, Scenario(duration=0.01, positions={"A": math.radians(-80)}))
    values = _first(run)
    assert values["A"][0] == pytest.approx(math.radians(-80), abs=1e-10)
    assert abs(values["D"][0]) > 0.01
    assert [f.items for f in run.findings if f.code == "CB696"] == [("A", "D")]
    assert np.max(run.result.trajectory.constraint_position) < 1e-10


FOUR_BAR = f"""<mujoco><worldbody>
  <body name="a"><joint name="A" axis="0 1 0"/>{BAR.format(x=0, z=0.2)}
    <body name="b" pos="0 0 .2"><joint name="B" axis="0 1 0"/>{BAR.format(x=0.3, z=0)}</body></body>
  <body name="c" pos=".3 0 0"><joint name="C" axis="0 1 0"/>{BAR.format(x=0, z=0.2)}</body>
</worldbody><equality><connect body1="b" body2="c" anchor=".3 0 0"/></equality></mujoco>"""


@pytest.mark.parametrize(
    ("positions", "rates"),
    [({"C": 0.4}, {"A": 0.9}), ({"A": 0.4, "C": 0.4}, {"C": 0.9}), ({"A": 0.4}, {"B": -0.9})],
)
def test_a_rate_holds_no_position_and_a_position_no_rate(
    positions: dict[str, float], rates: dict[str, float], tmp_path: Path
) -> None:
    """CB614: a joint with a rate alone was held at its designed position, one with a position alone at rest."""
    four_bar = _built(tmp_path, FOUR_BAR)
    values = _first(simulate(four_bar, Scenario(duration=0.01, positions=positions, rates=rates)))
    expected = {"A": (0.4, 0.9), "B": (-0.4, -0.9), "C": (0.4, 0.9)}
    assert values == {name: pytest.approx(each, abs=1e-9) for name, each in expected.items()}


def test_what_has_neither_value_stays_before_what_has_one(tmp_path: Path) -> None:
    five_bar = _built(tmp_path, FIVE_BAR)
    values = _first(simulate(five_bar, Scenario(duration=0.01, positions={"A": 0.2}, rates={"B": 1.0})))
    assert values["A"][0] == pytest.approx(0.2, abs=1e-9)
    assert values["B"][1] == pytest.approx(1.0, abs=1e-9)
    assert values["D"] == pytest.approx((0.0, 0.0), abs=1e-9)
    assert min(abs(values["A"][1]), abs(values["B"][0])) > 0.05


def test_rates_that_exclude_each_other_are_refused(tmp_path: Path) -> None:
    four_bar = _built(tmp_path, FOUR_BAR)
    with pytest.raises(InputError) as caught:
        simulate(four_bar, Scenario(duration=0.01, positions={"A": 0.4}, rates={"A": 1.0, "C": 0.5}))
    (told,) = caught.value.findings
    assert told.code == "CB614"
    assert "for the rates given" in told.message


PARABOLA = """<mujoco><worldbody><body name="a"><joint name="A" axis="0 1 0"/><geom type="box" size=".1 .05 .05"/>
    <body name="b" pos=".2 0 0"><joint name="B" axis="0 1 0"/><geom type="box" size=".1 .05 .05"/></body></body>
</worldbody><equality><joint joint1="A" joint2="B" polycoef=".3 1 2"/></equality></mujoco>"""


def test_values_that_fit_a_coupling_are_met_though_none_on_the_way_there_does(tmp_path: Path) -> None:
    """A = 0.3 + B + 2 B²: neither the designed pose nor the straight line to these values fulfils it."""
    wanted = {"A": 0.3 + 0.7 + 2 * 0.7**2, "B": 0.7}
    coupled = _built(tmp_path, PARABOLA)
    values = _first(simulate(coupled, Scenario(duration=0.01, positions=wanted, rates={"A": 3.8, "B": 1.0})))
    assert {name: value for name, (value, _) in values.items()} == pytest.approx(wanted, abs=1e-10)
    with pytest.raises(InputError) as caught:
        simulate(coupled, Scenario(duration=0.01, positions={**wanted, "A": 1.5}))
    assert [f.code for f in caught.value.findings] == ["CB614"]


@pytest.mark.parametrize("law", ["10+60*t", "60*t"])
def test_loops_that_share_no_motion_are_counted_by_themselves(
    law: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With those of other loops they were too many, and the driven cranks began elsewhere, unsaid."""
    both = _two_five_bars(tmp_path)
    motors = tuple(MotorSpec(f"{name}A", angle=scaled(expression(law), math.pi / 180)) for name in "lr")
    scenario = Scenario(duration=0.01, motors=motors)
    monkeypatch.setattr(initial, "MOST_UNITS", 5)  # the ground is one of them
    run = simulate(both, scenario)
    values = _first(run)
    assert "CB689" not in {f.code for f in run.findings}
    assert values["lD"] == values["rD"] == pytest.approx((0.0, 0.0), abs=1e-10)
    monkeypatch.setattr(initial, "MOST_UNITS", 4)
    run = simulate(both, scenario)
    (told,) = (f for f in run.findings if f.code == "CB689")
    assert {"lD", "rD"} < set(told.items)
    assert not {"lA", "rA"} & set(told.items)
    assert any(abs(x) > 1e-3 for x in _first(run)["lD"])


def test_what_stays_though_nothing_holds_it_is_not_called_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A joint of another loop was named, which the value does not touch."""
    monkeypatch.setattr(initial, "MOST_TRIED_ROWS", 0)
    positions = {"lA": math.radians(-80), "rA": 0.0}
    run = simulate(_two_five_bars(tmp_path), Scenario(duration=0.01, positions=positions))
    assert [f.items for f in run.findings if f.code == "CB696"] == [("lA", "rA", "lD")]


def test_of_six_legs_one_gives_way() -> None:
    stewart = cb.build(cb.read(FIXTURES / "stewart" / "stewart.sdf"))
    run = simulate(stewart, Scenario(duration=0.01, positions={"leg1": 0.5}))
    values = {name: value for name, (value, _) in _first(run).items() if name.startswith("leg")}
    assert values.pop("leg1") == pytest.approx(0.5, abs=1e-10)
    assert abs(values.pop("leg6")) > 0.1
    assert values == {f"leg{i}": pytest.approx(0.0, abs=1e-9) for i in range(2, 6)}
    assert [f.items for f in run.findings if f.code == "CB696"] == [("leg1", "leg6")]


def test_as_many_freedoms_are_held_as_there_are(tmp_path: Path) -> None:
    lowered = simulate(_built(tmp_path, ROBOT), Scenario(duration=0.01)).lowered
    rows = held(lowered, ["A"])
    assert len(rows.outside) == 6 + 6 + 1  # base, ball joint in six rows, B
    assert rows.within == ()


def test_rates_of_links_without_mass_are_met(tmp_path: Path) -> None:
    """Three joints in series carry a body through links without mass; all of them are given values and rates."""
    text = ROBOT.replace(
        "<freejoint/>",
        '<joint name="X" type="slide" axis="1 0 0"/><joint name="Z" type="slide" axis="0 0 1"/>'
        '<joint name="Y" axis="0 1 0"/>',
    )
    positions, rates = {"X": 0.05, "Z": -0.02, "Y": 0.12, "A": 0.1}, {"X": -0.4, "Z": 0.9, "Y": 0.8, "A": -1.0}
    values = _first(simulate(_built(tmp_path, text), Scenario(duration=0.01, positions=positions, rates=rates)))
    assert values == {
        name: pytest.approx((positions.get(name, 0.0), rates.get(name, 0.0)), abs=1e-9)
        for name in ("X", "Z", "Y", "A", "B")
    }
