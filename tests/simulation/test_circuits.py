"""DC motors and cylinders on joints, against the closed forms of their linear equations, in both domains."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm

import cadbridge as cb
from cadbridge.cli import main
from cadbridge.errors import InputError
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import Run, load_scenario, plots, simulate
from cadbridge.simulation.trajectory import columns_of
from tests.efforts.trains import train

INERTIA, MASS = 0.01, 1.0
RESISTANCE, INDUCTANCE, CONSTANT, RATIO, ROTOR, VOLTS = 0.5, 2e-3, 0.05, 10.0, 2e-5, 24.0
DC = f"voltage: {VOLTS}, resistance: {RESISTANCE}, constant: {CONSTANT}, ratio: {RATIO}, rotor_inertia: {ROTOR}"
BORE, ROD, OIL, LINE, PRESSURE = 40e-3, 20e-3, 1.4e9, 2e11, 30e5
AREA, REST = np.pi / 4 * BORE**2, np.pi / 4 * (BORE**2 - ROD**2)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Mechanism, Path]:
    """A wheel that turns and a ram that slides, both on the base."""
    folder = tmp_path_factory.mktemp("pair")
    joints = [("turn", "base", "wheel", "0 0 0", "0 0 1"), ("slide", "base", "ram", "1 0 0", "1 0 0")]
    drives = "drives:\n  - {name: M, joint: turn, reduction: 10}\n"
    mechanism = cb.build(cb.read(train(folder, joints, " []\n", drives)))
    assert {f.code for f in (*mechanism.assembly.findings, *mechanism.findings)} <= {"CB189", "CB307"}
    return mechanism, folder


def scenario(folder: Path, motors: str, more: str = "") -> Path:
    path = folder / "scenario.yaml"
    begin = "format: cadbridge.scenario/1\nduration: 0.3\nrate: 100\ngravity: [0, 0, 0]\n"
    begin += "" if "tolerance" in more else "tolerance: 1.0e-10\n"
    path.write_text(f"{begin}{more}\nmotors: [{motors}]\n", "utf-8")
    return path


def driven(pair: tuple[Mechanism, Path], motors: str, more: str = "", method: str = "absolute") -> Run:
    mechanism, folder = pair
    run = simulate(mechanism, load_scenario(scenario(folder, motors, more), mechanism), method=method)
    assert run.result.status.ok
    # At 1e-9 and below, where springs are stiff, a run says how far it is off.
    assert not {f.code for f in run.findings} - {"CB612", "CB683"}
    return run


def linear(A: np.ndarray, b: np.ndarray, x0: np.ndarray, times: np.ndarray) -> np.ndarray:
    """The solution (k, n) of ẋ = A x + b."""
    rest = -np.linalg.solve(A, b)
    return np.array([rest + expm(A * t) @ (x0 - rest) for t in times])


def balanced(run: Run, tolerance: float = 1e-8) -> None:
    """Kinetic + potential + stored − work + dissipated stays, of what passed between the domains."""
    columns = {name: values for name, (values, _) in columns_of(run).items()}
    assert np.max(np.abs(columns["energy.balance"])) < tolerance * np.ptp(columns["energy.motor_work"])
    total = np.sum([columns[f"energy.{name}"] for name in ("kinetic", "potential", "stored", "dissipated")], axis=0)
    np.testing.assert_allclose(
        total - columns["energy.motor_work"] - total[0], columns["energy.balance"], atol=1e-12 * np.max(total)
    )


@pytest.mark.parametrize(
    ("more", "method", "tolerance"),
    [("", "absolute", 1e-8), ("", "tree", 1e-8), ("integrator: dop853\n", "absolute", 1e-8),
     ("integrator: generalized_alpha\ntolerance: 1.0e-7\n", "absolute", 1e-5)],
)  # fmt: skip
def test_a_dc_motors_step_response_is_its_closed_form(
    pair: tuple[Mechanism, Path], more: str, method: str, tolerance: float
) -> None:
    """L di/dt = V − R i − K n ω and (J + n² Jr) dω/dt = K n i."""
    run = driven(pair, f"{{joint: turn, dc: {{{DC}, inductance: {INDUCTANCE}}}}}", more, method)
    columns = {name: values for name, (values, _) in columns_of(run).items()}
    k, inertia = CONSTANT * RATIO, INERTIA + RATIO**2 * ROTOR
    A = np.array([[-RESISTANCE / INDUCTANCE, -k / INDUCTANCE], [k / inertia, 0.0]])
    exact = linear(A, np.array([VOLTS / INDUCTANCE, 0.0]), np.zeros(2), columns["time"])
    np.testing.assert_allclose(columns["motor.turn.current"], exact[:, 0], atol=tolerance * 48)
    np.testing.assert_allclose(columns["joint.turn.qd"], exact[:, 1], atol=tolerance * 48)
    np.testing.assert_allclose(columns["motor.turn.effort"], k * columns["motor.turn.current"], atol=1e-12)
    np.testing.assert_allclose(
        columns["motor.turn.electric_power"] - columns["motor.turn.lost"] - columns["motor.turn.power"],
        exact[:, 0] * (VOLTS - RESISTANCE * exact[:, 0] - k * exact[:, 1]), atol=tolerance * 1e3,
    )  # fmt: skip
    np.testing.assert_allclose(columns["energy.stored"], INDUCTANCE / 2 * exact[:, 0] ** 2, atol=tolerance)
    balanced(run, max(1e-8, tolerance))


def test_without_inductance_the_current_follows_at_once(pair: tuple[Mechanism, Path]) -> None:
    run = driven(pair, f"{{joint: turn, dc: {{{DC}}}}}")
    columns = {name: values for name, (values, _) in columns_of(run).items()}
    k, inertia = CONSTANT * RATIO, INERTIA + RATIO**2 * ROTOR
    rate = VOLTS / k * -np.expm1(-k * k / RESISTANCE / inertia * columns["time"])
    np.testing.assert_allclose(columns["joint.turn.qd"], rate, atol=1e-8 * 48)
    np.testing.assert_allclose(columns["motor.turn.current"], (VOLTS - k * rate) / RESISTANCE, atol=1e-6)
    assert np.all(columns["energy.stored"] == 0.0)
    balanced(run)
    stiff = driven(pair, f"{{joint: turn, dc: {{{DC}}}}}", "integrator: generalized_alpha\n")
    np.testing.assert_allclose(columns_of(stiff)["joint.turn.qd"][0], rate, atol=1e-4 * 48)


def test_by_a_drives_name_the_motor_stands_before_its_reduction(pair: tuple[Mechanism, Path]) -> None:
    plain = DC.replace(f", ratio: {RATIO}", "")
    one, other = (
        columns_of(driven(pair, f"{{joint: {name}, dc: {{{keys}}}}}")) for name, keys in (("turn", DC), ("M", plain))
    )
    np.testing.assert_allclose(other["joint.turn.qd"][0], one["joint.turn.qd"][0], rtol=1e-9)
    np.testing.assert_allclose(other["drive.M.effort"][0] * 10, other["motor.turn.effort"][0])


@pytest.mark.parametrize("load", [-3.0, 3.0])
@pytest.mark.parametrize("inductance", [0.0, INDUCTANCE])
def test_a_gearhead_takes_its_share_whichever_end_drives(
    pair: tuple[Mechanism, Path], load: float, inductance: float
) -> None:
    """At the end all is steady: K i n η = load where the motor lifts, K i n / η where the load drives it."""
    efficiency = 0.8
    keys = f"{DC}, inductance: {inductance}, efficiency: {efficiency}"
    wrench = f"loads: {{wrenches: [{{component: wheel, torque: [0, 0, {load}]}}]}}\nfriction_speed: {{turn: 1.0e-3}}\n"
    wrench += "initial: {rates: {turn: 2500}, positions: {turn: 30}}\n"
    run = driven(pair, f"{{joint: turn, dc: {{{keys}}}}}", wrench)
    columns = {name: values for name, (values, _) in columns_of(run).items()}
    share = efficiency if load < 0 else 1 / efficiency
    current = columns["motor.turn.current"][-1]
    assert columns["joint.turn.qd"][0] == pytest.approx(np.deg2rad(2500))
    assert current * CONSTANT * RATIO * share == pytest.approx(-load, rel=1e-4)
    assert columns["motor.turn.effort"][-1] == pytest.approx(-load, rel=1e-4)
    rate = columns["joint.turn.qd"]
    # Rotor and wheel apart: what the rotor does not keep goes through the gearhead.
    turned = ROTOR * RATIO * columns["joint.turn.qdd"] - CONSTANT * columns["motor.turn.current"]
    lost = -turned * RATIO * rate - columns["motor.turn.power"]
    np.testing.assert_allclose(columns["motor.turn.gearhead_lost"], lost, atol=1e-6 * np.max(np.abs(lost)))
    assert np.all(lost > 0)
    balanced(run, 1e-7)


def test_friction_ignored_is_said_of_a_gearhead_too(pair: tuple[Mechanism, Path]) -> None:
    mechanism, folder = pair
    what = load_scenario(
        scenario(folder, f"{{joint: turn, dc: {{{DC}, efficiency: 0.8}}}}", "friction: ignore"), mechanism
    )
    run = simulate(mechanism, what)
    assert [f.message for f in run.findings] == ["the gearhead of turn loses power; the scenario ignores it"]
    assert "motor.turn.gearhead_lost" not in columns_of(run)


@pytest.mark.parametrize("method", ["absolute", "tree"])
def test_a_cylinders_pressures_are_their_closed_form(pair: tuple[Mechanism, Path], method: str) -> None:
    """C ṗ = (supply − p)/R − A ẋ on either side, m ẍ = A p − A' p'."""
    volume = 2000.0
    side = f"resistance: {LINE / 1e8}, volume: {volume}"
    keys = (
        f"bore: 40, rod: 20, bulk_modulus: {OIL / 1e5}, cap: {{pressure: 30, initial: 5, {side}}}, rod_side: {{{side}}}"
    )
    run = driven(pair, f"{{joint: slide, cylinder: {{{keys}}}}}", "", method)
    columns = {name: values for name, (values, _) in columns_of(run).items()}
    C = volume * 1e-6 / OIL
    A = np.array([[-1 / LINE / C, 0, -AREA / C], [0, -1 / LINE / C, REST / C], [AREA / MASS, -REST / MASS, 0]])
    exact = linear(A, np.array([PRESSURE / LINE / C, 0, 0]), np.array([5e5, 0, 0]), columns["time"])
    for name, k, size in (("motor.slide.cap_pressure", 0, PRESSURE), ("motor.slide.rod_pressure", 1, PRESSURE)):
        np.testing.assert_allclose(columns[name], exact[:, k], atol=1e-7 * size)
    np.testing.assert_allclose(columns["joint.slide.qd"], exact[:, 2], atol=1e-7)
    np.testing.assert_allclose(columns["motor.slide.cap_flow"], (PRESSURE - exact[:, 0]) / LINE, atol=1e-12)
    force = AREA * exact[:, 0] - REST * exact[:, 1]
    np.testing.assert_allclose(columns["motor.slide.effort"], force, atol=1e-6 * np.max(np.abs(force)))
    balanced(run)


def test_oil_that_does_not_give_way_is_algebraic(pair: tuple[Mechanism, Path]) -> None:
    """m ẍ = A p − (R A² + R' A'²) ẋ."""
    keys = (
        f"bore: 40, rod: 20, cap: {{pressure: 30, resistance: {LINE / 1e10}}}, rod_side: {{resistance: {LINE / 1e10}}}"
    )
    run = driven(pair, f"{{joint: slide, cylinder: {{{keys}}}}}")
    columns = {name: values for name, (values, _) in columns_of(run).items()}
    drag = LINE / 100 * (AREA**2 + REST**2)
    speed = AREA * PRESSURE / drag * -np.expm1(-drag / MASS * columns["time"])
    np.testing.assert_allclose(columns["joint.slide.qd"], speed, atol=1e-8 * speed[-1])
    np.testing.assert_allclose(columns["motor.slide.cap_pressure"], PRESSURE - LINE / 100 * AREA * speed, rtol=1e-6)
    np.testing.assert_allclose(columns["motor.slide.rod_pressure"], LINE / 100 * REST * speed, atol=1e-2)
    balanced(run)


FAULTS = {
    "{joint: turn, dc: {voltage: 1, resistance: 0, constant: 1}}": "CB601",
    "{joint: turn, dc: {voltage: 1, resistance: 1, constant: 1, efficiency: 0, rotor_inertia: 1}}": "CB601",
    "{joint: turn, dc: {voltage: 1, resistance: 1, constant: 1, efficiency: 1.2, rotor_inertia: 1}}": "CB601",
    "{joint: turn, dc: {voltage: 1, resistance: 1, constant: 1, inductance: -1}}": "CB601",
    "{joint: turn, dc: {voltage: 'sin(', resistance: 1, constant: 1}}": "CB603",
    "{joint: turn, dc: {voltage: 1, resistance: 1, constant: 1, efficiency: 0.9}}": "CB632",
    "{joint: turn, dc: {voltage: 1, resistance: 1, constant: 1, ratio: 0}}": "CB632",
    "{joint: turn, dc: {voltage: 1, resistance: 1, constant: 1, current: 3}}": "CB632",
    "{joint: turn, torque: 1, dc: {voltage: 1, resistance: 1, constant: 1}}": "CB601",
    "{joint: turn, cylinder: {bore: 40}}": "CB632",
    "{joint: slide, cylinder: {bore: 40, rod: 40}}": "CB632",
    "{joint: slide, cylinder: {bore: 40, cap: {volume: 100, resistance: 1}}}": "CB632",
    "{joint: slide, cylinder: {bore: 40, bulk_modulus: 1, cap: {volume: 100}}}": "CB632",
    "{joint: slide, cylinder: {bore: 40, cap: {initial: 4}}}": "CB632",
    "{joint: turn, angle: 30}, {joint: turn, torque: 1}": "CB631",
    "{joint: turn, angle: 30}, {joint: M, speed: 1}": "CB631",
    "{joint: turn, speed: 30}, {joint: turn, dc: {voltage: 1, resistance: 1, constant: 1}}": "CB631",
}


@pytest.mark.parametrize("motors", FAULTS)
def test_motors_that_cannot_be_are_told(pair: tuple[Mechanism, Path], motors: str) -> None:
    mechanism, folder = pair
    with pytest.raises(InputError) as told:
        simulate(mechanism, load_scenario(scenario(folder, motors), mechanism))
    assert [f.code for f in told.value.findings] == [FAULTS[motors]]
    assert told.value.findings[0].where.file or FAULTS[motors] == "CB631"


def test_forces_share_a_joint_and_add_up(pair: tuple[Mechanism, Path]) -> None:
    run = driven(
        pair, "{joint: turn, torque: 1}, {joint: turn, pd: {target: 0, kp: 0, kd: 0}}, {joint: turn, torque: 2}"
    )
    np.testing.assert_allclose(columns_of(run)["motor.turn.effort"][0], 3.0)
    np.testing.assert_allclose(columns_of(run)["joint.turn.qdd"][0], 3.0 / INERTIA)


def test_a_joint_with_a_circuit_stays(pair: tuple[Mechanism, Path]) -> None:
    mechanism, folder = pair
    more = "events: [{time: 0.1, release: slide}]"
    what = load_scenario(scenario(folder, "{joint: slide, cylinder: {bore: 40}}", more), mechanism)
    with pytest.raises(InputError) as told:
        simulate(mechanism, what)
    assert [f.code for f in told.value.findings] == ["CB636"]


def test_the_command_line_says_what_is_wrong_and_where(
    pair: tuple[Mechanism, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, folder = pair
    path = scenario(folder, "{joint: turn, dc: {voltage: 1, resistance: 1, constant: 1, efficiency: 1.2}}")
    source, out = folder / "train.urdf", folder / "run.parquet"
    assert main(["simulate", str(source), "--scenario", str(path), "-o", str(out)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "efficiency" in said
    assert "scenario.yaml:7" in said
    assert not out.exists()


def test_a_plotted_torque_that_a_circuit_shares_says_so(
    pair: tuple[Mechanism, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The curve was the sum, under the name of the joint alone."""
    drawn: dict[str, list[str]] = {}
    monkeypatch.setattr(plots, "write_figure", lambda _, name, *rest: drawn.setdefault(name, [c.name for c in rest[2]]))
    torque = "{joint: turn, torque: 0.1}"
    for motors in (torque, f"{torque}, {{joint: turn, dc: {{{DC}}}}}"):
        drawn.clear()
        plots.write_plots(driven(pair, motors), tmp_path)
        assert drawn["torques"] == ["turn, all its motors" if "dc" in motors else "turn"]


def test_every_motor_and_what_is_dissipated_are_plotted(
    pair: tuple[Mechanism, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A motor that follows a target or a speed was left out, and energies that were drawn did not add up."""
    drawn: dict[str, list[str]] = {}
    monkeypatch.setattr(plots, "write_figure", lambda _, name, *rest: drawn.setdefault(name, [c.name for c in rest[2]]))
    for motor in ("pd: {target: 10, kp: 1, kd: 0.1}", "speed: 10", f"dc: {{{DC}}}"):
        drawn.clear()
        plots.write_plots(driven(pair, f"{{joint: turn, {motor}}}"), tmp_path)
        assert drawn["torques"] == ["turn"]
        assert drawn["energy"] == ["kinetic", "potential", *["stored"][: "dc" in motor], "motor work", "dissipated"]


@pytest.mark.parametrize(("name", "more", "played"), [("r.parquet", [], True), ("r.csv", [], False),
                                                      ("r.parquet", ["--columns", "joints"], False)])  # fmt: skip
def test_only_a_run_that_can_be_played_is_offered_for_it(
    name: str, more: list[str], played: bool, pair: tuple[Mechanism, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = pair[1]
    assert main(["simulate", str(folder / "train.urdf"), "--duration", "0.1", "-o", str(folder / name), *more]) == 0
    assert ("cadbridge view" in capsys.readouterr().err) is played
