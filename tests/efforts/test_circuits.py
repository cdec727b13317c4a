"""What a motion asks of DC motors and cylinders: a run with these voltages and pressures follows the motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lxml import etree

import cadbridge as cb
from cadbridge.cli import main
from cadbridge.efforts import inverse_columns, load_motion
from cadbridge.simulation import load_scenario, simulate
from cadbridge.simulation.trajectory import columns_of
from tests.efforts.trains import train

JOINTS = [("a", "base", "upper", "0 0 0", "0 1 0"), ("b", "upper", "lower", "0.3 0 0", "0 1 0")]
MOTORS = {
    "a": "resistance: 0.6, inductance: 3.0e-3, constant: 0.08, ratio: 60, efficiency: 0.85, rotor_inertia: 3.0e-5",
    "b": "resistance: 1.1, constant: 0.05, ratio: 40, rotor_inertia: 1.0e-5",
}


def motion(folder: Path, motors: str, law: str = "30*t^3*(1-t)") -> Path:
    path = folder / "motion.yaml"
    text = "format: cadbridge.motion/1\nduration: 1\nrate: 400\nfriction_speed: {turn: 0.1}\n"
    path.write_text(f"{text}joints: {{a: '{law}', b: '-2*({law})'}}\nmotors: [{motors}]\n", "utf-8")
    return path


ALL = ", ".join(f"{{joint: {name}, dc: {{{keys}}}}}" for name, keys in MOTORS.items())


@pytest.mark.parametrize("method", ["absolute", "bond-graph"])
def test_a_run_with_the_voltages_asked_for_follows_the_motion(method: str, tmp_path: Path) -> None:
    mechanism = cb.build(cb.read(train(tmp_path, JOINTS, " []\n")))
    found = cb.inverse(mechanism, load_motion(motion(tmp_path, ALL), mechanism), method=method)
    assert not {f.code for f in found.findings} - {"CB189", "CB307"}
    columns = {name: values for name, (values, _) in inverse_columns(found).items()}
    t = columns["time"]
    tables = {
        n: "[" + ", ".join(f"[{s:.6f}, {v:.10g}]" for s, v in zip(t, columns[f"motor.{n}.voltage"], strict=True)) + "]"
        for n in MOTORS
    }
    path = tmp_path / "scenario.yaml"
    dc = ", ".join(f"{{joint: {n}, dc: {{voltage: {{table: {tables[n]}}}, {MOTORS[n]}}}}}" for n in MOTORS)
    first = columns["motor.a.current"][0]
    dc = dc.replace("inductance: 3.0e-3", f"inductance: 3.0e-3, current: {first:.10g}")
    text = "format: cadbridge.scenario/1\nduration: 1\nrate: 100\nsensitivity: false\nfriction_speed: {turn: 0.1}\n"
    path.write_text(f"{text}motors: [{dc}]\n", "utf-8")
    run = {n: v for n, (v, _) in columns_of(simulate(mechanism, load_scenario(path, mechanism))).items()}
    for name in MOTORS:
        wanted = columns[f"joint.{name}.q"][::4]
        np.testing.assert_allclose(run[f"joint.{name}.q"], wanted, atol=2e-3 * np.ptp(wanted))
        current = columns[f"motor.{name}.current"][::4]
        np.testing.assert_allclose(run[f"motor.{name}.current"], current, atol=2e-2 * np.max(np.abs(current)))


RAM = [("slide", "base", "rod", "0 0 0", "0 0 1")]
LINES = {"cap": "resistance: 2, volume: 200", "rod_side": "pressure: 40, resistance: 3, volume: 150"}
CYLINDER = "bore: 40, rod: 20, bulk_modulus: 14000"


def pressed(
    folder: Path, rate: float = 2000, cap: str = LINES["cap"], rod: str = LINES["rod_side"], until: float = 1
) -> Path:
    path = folder / "pressed.yaml"
    cylinder = f"{{joint: slide, cylinder: {{{CYLINDER}, cap: {{{cap}}}, rod_side: {{{rod}}}}}}}"
    text = f"format: cadbridge.motion/1\nduration: {until}\nrate: {rate}\njoints: {{slide: '300*t^3*(1-t)'}}\n"
    path.write_text(f"{text}motors: [{cylinder}]\n", "utf-8")
    return path


@pytest.mark.parametrize("fluid", [pytest.param("gives way", marks=pytest.mark.nightly), "does not"])
def test_a_run_with_the_pressure_asked_for_follows_the_motion(fluid: str, tmp_path: Path) -> None:
    mechanism = cb.build(cb.read(train(tmp_path, RAM, " []\n")))
    lines = dict(LINES) if fluid == "gives way" else {"cap": "resistance: 2", "rod_side": "pressure: 40, resistance: 3"}
    # The run begins anew at each sample of the pressure: beyond the time at which the ram is braked, more of the same.
    rate, until = (500, 0.6) if fluid == "gives way" else (400, 1.0)
    cap, rod = lines.values()
    found = cb.inverse(mechanism, load_motion(pressed(tmp_path, rate, cap, rod, until), mechanism))
    assert not {f.code for f in found.findings} - {"CB189", "CB307"}
    columns = {name: values for name, (values, _) in inverse_columns(found).items()}
    force = np.pi / 4 * (0.04**2 * columns["motor.slide.cap_pressure"] - 0.0012 * columns["motor.slide.rod_pressure"])
    np.testing.assert_allclose(force, columns["actuator.slide.effort"], atol=1e-9 * np.max(np.abs(force)))
    supply = columns["motor.slide.cap_supply"] / 1e5
    table = ", ".join(f"[{t:.6f}, {p:.10g}]" for t, p in zip(columns["time"], supply, strict=True))
    if fluid == "gives way":
        lines["cap"] += f", initial: {columns['motor.slide.cap_pressure'][0] / 1e5:.10g}"
    cap = f"{lines['cap']}, pressure: {{table: [{table}]}}"
    cylinder = f"{{joint: slide, cylinder: {{{CYLINDER}, cap: {{{cap}}}, rod_side: {{{lines['rod_side']}}}}}}}"
    path = tmp_path / "scenario.yaml"
    path.write_text(
        f"format: cadbridge.scenario/1\nduration: {until}\nrate: 100\nsensitivity: false\nmotors: [{cylinder}]\n",
        "utf-8",
    )
    run = {n: v for n, (v, _) in columns_of(simulate(mechanism, load_scenario(path, mechanism))).items()}
    every = round(rate / 100)
    np.testing.assert_allclose(run["joint.slide.q"], columns["joint.slide.q"][::every], atol=2e-5)
    for side in ("cap", "rod"):
        wanted = columns[f"motor.slide.{side}_pressure"][::every]
        np.testing.assert_allclose(run[f"motor.slide.{side}_pressure"], wanted, atol=1e-3 * np.max(np.abs(wanted)))


def test_a_cylinder_that_would_have_to_pull_by_suction_is_told(tmp_path: Path) -> None:
    mechanism = cb.build(cb.read(train(tmp_path, RAM, " []\n")))
    path = pressed(tmp_path, 50, "{}"[1:-1], "")
    path.write_text(path.read_text("utf-8").replace("bore: 40, rod: 20", "bore: 4, rod: 2") + "gravity: [0, 0, 9.81]\n")
    found = cb.inverse(mechanism, load_motion(path, mechanism))
    assert "CB639" in {f.code for f in found.findings}


@pytest.mark.parametrize(
    "keys", ["joint: slide", "joint: slide, cylinder: {bore: 40, rod: 50}",
             "joint: slide, cylinder: {bore: 40}, dc: {resistance: 1, constant: 1}"]
)  # fmt: skip
def test_a_motor_that_is_wrong_in_a_motion_is_told_at_its_place(keys: str, tmp_path: Path) -> None:
    mechanism = cb.build(cb.read(train(tmp_path, RAM, " []\n")))
    path = pressed(tmp_path)
    text = path.read_text("utf-8")
    path.write_text(text[: text.index("motors:")] + f"motors: [{{{keys}}}]\n", "utf-8")
    with pytest.raises(cb.InputError) as refused:
        load_motion(path, mechanism)
    assert [(f.code, f.where.line) for f in refused.value.findings] == [("CB632", 5)]


def test_a_motor_on_no_actuator_is_told(tmp_path: Path) -> None:
    mechanism = cb.build(cb.read(train(tmp_path, JOINTS, " []\n")))
    path = motion(tmp_path, f"{{joint: b, dc: {{{MOTORS['b']}}}}}")
    path.write_text(
        path.read_text("utf-8").replace("joints: {a", "actuators: [a]\nfree: simulate\njoints: {a"), "utf-8"
    )
    text = path.read_text("utf-8")
    path.write_text(text[: text.index(", b: ")] + text[text.index("}\nmotors") :], "utf-8")
    found = cb.inverse(mechanism, load_motion(path, mechanism))
    assert [f.message for f in found.findings if f.code == "CB637"] == [
        "there is a motor on b, which is not an actuator of this motion"
    ]


def test_the_bond_graph_shows_the_circuits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, svg = train(tmp_path, JOINTS, " []\n"), tmp_path / "graph.svg"
    path = motion(tmp_path, ALL, "10*t")
    path.write_text(path.read_text("utf-8").replace("rate: 400", "rate: 10"), "utf-8")
    call = ["inverse", str(source), "--motion", str(path), "--method", "bond-graph", "--svg", str(svg)]
    assert main([*call, "-o", str(tmp_path / "out.parquet")]) == 0
    capsys.readouterr()
    drawn = etree.parse(svg).getroot()
    assert words_of(drawn).count("GY : K") == 2
    assert "2 drive" in str(drawn.get("aria-label"))


def test_the_bond_graph_shows_a_cylinders_chambers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, svg = train(tmp_path, RAM, " []\n"), tmp_path / "graph.svg"
    call = ["inverse", str(source), "--motion", str(pressed(tmp_path, 10)), "--method", "bond-graph", "--svg", str(svg)]
    assert main([*call, "-o", str(tmp_path / "out.parquet")]) == 0
    capsys.readouterr()
    words = words_of(etree.parse(svg).getroot())
    assert [words.count(element) for element in ("C", "G", "Se : P")] == [2, 2, 2]


def words_of(drawing: etree._Element) -> list[str]:
    return [str(node.xpath("string()")) for node in drawing.iter("{http://www.w3.org/2000/svg}text")]
