"""What a run carries is in its table, each column against a quantity that it was not computed from."""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cadbridge as cb
from cadbridge.cli import main
from cadbridge.efforts import inverse_columns, load_motion
from cadbridge.errors import InputError
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import Run, load_scenario, read_trajectory, simulate, write_trajectory
from cadbridge.simulation.trajectory import FORMAT, columns_of
from solver.rotation import matrix
from tests.efforts.trains import planetary, train

DEMO = Path(str(files("cadbridge.data"))) / "demo" / "demo.step"
SETTINGS = "format: cadbridge.scenario/1\nduration: 0.4\nrate: 50\ntolerance: 1.0e-10\n"
ARM = [
    ("shoulder", "base", "upper", "0 0 0.2", "0 1 0"),
    ("elbow", "upper", "lower", "0.3 0 0", "0 1 0"),
    ("slide", "lower", "tool", "0.2 0 0", "1 0 0"),
    ("wheel", "base", "first", "0 0.5 0", "0 0 1"),
    ("pinion", "base", "second", "0.07 0.5 0", "0 0 1"),
]
GEAR = """
  - {name: gear, type: spur, teeth: [20, 50], efficiency: 0.9,
     a: {component: first, point: [0, 0, 0], axis: [0, 0, 1]},
     b: {component: second, point: [0, 0, 0], axis: [0, 0, 1]}}
"""
ACTING = """
motors:
  - {joint: shoulder, pd: {target: "20*sin(9*t)", kp: 30, kd: 2, effort: 12}}
  - {joint: elbow, angle: "40*sin(5*t)"}
  - {joint: wheel, torque: "0.5*cos(11*t)"}
loads:
  springs: [{joint: slide, stiffness: 900, damping: 7, rest: 4}]
  friction: [{joint: shoulder, torque: 0.6, speed: 20}]
  stops: [{joint: shoulder, lower: -4, upper: 6, stiffness: 400, damping: 3, depth: 2}]
  wrenches: [{name: push, component: tool, point: [10, 20, 30], axes: body, force: ["3*t", 1, "2*cos(8*t)"], torque: [0, 0.3, 0]}]
  bushings: [{name: mount, a: {component: base, point: [500, 0, 200]}, b: tool, stiffness: [300, 200, 100],
              damping: [5, 4, 3], turn_stiffness: [3, 2, 1], turn_damping: [0.1, 0.2, 0.3]}]
"""  # noqa: E501 - as a person writes it


def written(folder: Path, text: str) -> Path:
    path = folder / "scenario.yaml"
    path.write_text(SETTINGS + text, "utf-8")
    return path


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Mechanism, Path]:
    folder = tmp_path_factory.mktemp("arm")
    mechanism = cb.build(cb.read(train(folder, ARM, GEAR)))
    assert {f.code for f in (*mechanism.assembly.findings, *mechanism.findings)} <= {"CB189", "CB307"}
    return mechanism, folder


@pytest.fixture(scope="module")
def run(arm: tuple[Mechanism, Path]) -> Run:
    found = simulate(arm[0], load_scenario(written(arm[1], ACTING), arm[0]))
    assert found.result.status.ok
    # Stops and friction at a tolerance of 1e-10: the estimate of the error is above a hundred times that.
    assert not {f.code for f in found.findings} - {"CB189", "CB307", "CB612", "CB683"}
    return found


def kinetic_rate(run: Run) -> np.ndarray:
    """dT/dt less the power of weight (k,), of the bodies' velocities and accelerations alone."""
    T, total = run.result.trajectory, np.zeros(len(run.result.trajectory.t))
    for i, body in enumerate(run.system.model.bodies):
        v, a = T.velocities[:, i], T.accelerations[:, i]
        R = matrix(T.quaternions[:, i])
        momentum = np.einsum("kij,jl,kml,km->ki", R, body.inertia, R, a[:, 3:])
        total += body.mass * np.sum(v[:, :3] * (a[:, :3] - run.system.model.gravity), axis=1)
        total += np.sum(v[:, 3:] * momentum, axis=1)
    return total


def wrench(columns: dict[str, np.ndarray], name: str) -> tuple[np.ndarray, np.ndarray]:
    force, torque = (np.column_stack([columns[f"{name}.{k}{axis}"] for axis in "xyz"]) for k in "ft")
    return force, torque


def test_powers_add_up_to_the_change_of_the_kinetic_energy(run: Run) -> None:
    """Every effort times its rate, and no potential: what all columns do to the bodies is what moves them."""
    table = columns_of(run)
    columns = {name: values for name, (values, _) in table.items()}
    power = sum(values for name, values in columns.items() if name.startswith("motor.") and name.endswith(".power"))
    for joint in ("shoulder", "slide"):
        for part in ("spring", "damper", "friction", "stop"):
            load = {"slide": "spring on slide"}.get(joint, joint)
            power = power + columns.get(f"load.{load}.{part}", 0.0) * columns[f"joint.{joint}.qd"]
    body = next(b for b in run.mechanism.bodies if b.components == ("tool",)).name
    v, w = (np.column_stack([columns[f"body.{body}.{k}{axis}"] for axis in "xyz"]) for k in "vw")
    R = matrix(np.column_stack([columns[f"body.{body}.{k}"] for k in ("qw", "qx", "qy", "qz")]))
    for name, point in (("push", np.array([0.01, 0.02, 0.03])), ("mount", np.zeros(3))):
        force, torque = wrench(columns, f"load.{name}")
        done = np.sum(force * (v + np.cross(w, R @ point)) + torque * w, axis=1)
        if name == "push":
            np.testing.assert_allclose(columns["load.push.power"], done, atol=1e-12)
        power = power + done
    power = power - columns["gear.gear.lost"]
    size = np.max(np.abs(power))
    assert size > 5.0
    np.testing.assert_allclose(power, kinetic_rate(run), atol=1e-8 * size)
    lost = np.sum([values for name, values in columns.items() if name.endswith(".lost")], axis=0)
    steps = np.diff(columns["energy.dissipated"]) / np.diff(columns["time"])
    # The mean of both ends (Hermite's rule would need the rates of what is lost), once the start's swing has died down.
    np.testing.assert_allclose(steps[6:], (lost[1:] + lost[:-1])[6:] / 2, rtol=0.1, atol=0.05 * np.max(lost))
    assert np.max(np.abs(columns["energy.balance"])) < 1e-8 * np.ptp(columns["energy.kinetic"])
    for name in ("load.shoulder.stop", "load.shoulder.friction", "load.mount.lost", "gear.gear.lost"):
        assert np.max(np.abs(columns[name])) > 1e-3, name


def test_a_motor_that_leads_gives_what_inverse_dynamics_asks(arm: tuple[Mechanism, Path]) -> None:
    mechanism, folder = arm
    laws = {"shoulder": "20*sin(9*t)", "elbow": "40*sin(5*t)", "slide": "30*sin(4*t)", "wheel": "90*t*t"}
    motors = "".join(f"  - {{joint: {name}, angle: '{law}'}}\n" for name, law in laws.items())
    done = simulate(mechanism, load_scenario(written(folder, f"motors:\n{motors}"), mechanism))
    path = folder / "motion.yaml"
    joints = "".join(f"  {name}: '{law}'\n" for name, law in laws.items())
    path.write_text(f"format: cadbridge.motion/1\nduration: 0.4\nrate: 50\njoints:\n{joints}", "utf-8")
    asked, found = inverse_columns(cb.inverse(mechanism, load_motion(path, mechanism))), columns_of(done)
    for name in laws:
        for what in ("effort", "power"):
            (wanted, unit), (given, own) = asked[f"actuator.{name}.{what}"], found[f"motor.{name}.{what}"]
            assert unit == own
            np.testing.assert_allclose(given, wanted, atol=1e-7 * np.max(np.abs(wanted)))
    for name in ("gear.gear.fy", "gear.gear.tz", "gear.gear.lost"):
        np.testing.assert_allclose(found[name][0], asked[name][0], atol=1e-7 * np.max(np.abs(asked[name][0])))


def test_teeth_carry_what_turns_the_driven_wheel(run: Run) -> None:
    """About its own axis the second wheel gets the tooth's moment, less what its teeth lose, and nothing else."""
    columns = {name: values for name, (values, _) in columns_of(run).items()}
    inertia, rate = 0.01, columns["joint.pinion.qd"]
    teeth = inertia * columns["joint.pinion.qdd"]
    driven = columns["gear.gear.tz"] * rate > 1e-3
    assert driven.sum() > 3
    back = columns["gear.gear.lost"][driven] / rate[driven]
    np.testing.assert_allclose(columns["gear.gear.tz"][driven] - back, teeth[driven], atol=1e-9)
    force, _ = wrench(columns, "gear.gear")
    np.testing.assert_allclose(np.linalg.norm(force, axis=1) * 0.05, np.abs(columns["gear.gear.tz"]), atol=1e-9)


def test_a_drives_motor_stands_before_its_reduction(tmp_path: Path) -> None:
    drives = "drives:\n  - {name: M, joint: wheel, reduction: 8}\n"
    mechanism = cb.build(cb.read(train(tmp_path, ARM, GEAR, drives)))
    found = columns_of(
        simulate(mechanism, load_scenario(written(tmp_path, "motors: [{joint: M, torque: 0.1}]\n"), mechanism))
    )
    np.testing.assert_allclose(found["motor.wheel.effort"][0], 0.8)
    np.testing.assert_allclose(found["drive.M.effort"][0], 0.1)
    np.testing.assert_allclose(found["drive.M.speed"][0], 8 * found["joint.wheel.qd"][0])


@pytest.fixture(scope="module")
def crane() -> Mechanism:
    return cb.build(cb.read(DEMO))


def test_mates_of_one_joint_have_their_shares(crane: Mechanism) -> None:
    kept, merged = (columns_of(simulate(crane, duration=0.05, collapse=collapse)) for collapse in (False, True))
    assert not [name for name in merged if name.startswith("mate.")]
    shared = [joint for joint in crane.joints if len(joint.mates) > 1]
    assert shared
    for joint in shared:
        for what in ("fx", "fy", "fz", "tx", "ty", "tz"):
            parts = sum(kept[f"mate.{mate}.{what}"][0] for mate in joint.mates)
            np.testing.assert_allclose(parts, kept[f"joint.{joint.name}.{what}"][0], atol=1e-12)
            np.testing.assert_allclose(parts, merged[f"joint.{joint.name}.{what}"][0], atol=1e-4)


def test_a_table_keeps_units_groups_and_model(run: Run, tmp_path: Path) -> None:
    path, other = tmp_path / "run.parquet", tmp_path / "degrees.parquet"
    write_trajectory(run, path)
    write_trajectory(run, other, columns=("joints", "energy", "motor.elbow.*"), units="scenario")
    table, turned = cb.load_trajectory(path), cb.load_trajectory(other)
    assert table.units["joint.elbow.q"] == "rad"
    assert (turned.units["joint.elbow.q"], turned.units["joint.slide.qdd"]) == ("deg", "mm/s²")
    np.testing.assert_allclose(turned["joint.elbow.q"], 40 * np.sin(5 * turned["time"]), atol=1e-6)
    np.testing.assert_allclose(turned["joint.slide.q"], 1e3 * table["joint.slide.q"])
    # `check.trusted` comes with any columns of a run that is not within its tolerance.
    assert set(turned.groups.values()) - {"checks"} == {"time", "joints", "energy", "motors"}
    assert [n for n in turned.columns if turned.groups[n] == "motors"] == ["motor.elbow.effort", "motor.elbow.power"]
    assert set(table.model) == {"train.urdf", "train.mates.yaml"}
    assert table.array.dtype.names == table.columns
    assert table.select("checks").columns == ("time", "constraint.position", "constraint.velocity", "check.trusted")
    with pytest.raises(KeyError, match=r"joint\.elbow\.x"):
        table["joint.elbow.x"]
    again = read_trajectory(other)
    assert again.schema.field("joint.slide.q").metadata[b"unit"] == b"m"
    np.testing.assert_allclose(again["joint.slide.q"].to_numpy(), table["joint.slide.q"])


def test_a_table_goes_to_pandas_and_xarray(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    write_trajectory(run, path, columns=("joints",))
    table = cb.load_trajectory(path)
    frame, data = table.to_pandas(), table.to_xarray()
    np.testing.assert_array_equal(frame["joint.elbow.q"], table["joint.elbow.q"])
    np.testing.assert_array_equal(frame.index, table["time"])
    assert frame.attrs["units"]["joint.elbow.qd"] == "rad/s"
    assert data["joint.elbow.qd"].attrs == {"units": "rad/s", "group": "joints"}
    np.testing.assert_array_equal(data["joint.elbow.qd"].sel(time=0.2), table["joint.elbow.qd"][10])
    assert json.loads(data.attrs["cadbridge.trajectory/1"])["model"] == table.model


def test_a_csv_has_no_units_to_load(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    write_trajectory(run, path, columns=("energy",))
    with pytest.raises(InputError, match=r"write the run as \.parquet"):
        cb.load_trajectory(path)


def test_columns_are_chosen_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = planetary(tmp_path, 1.0, 1.0), tmp_path / "run.parquet"
    call = ["simulate", str(source), "--duration", "0.02", "-o", str(out), "--columns"]
    assert main([*call, "energy, joint.arm_joint.*,motors", "--column-units", "scenario"]) == 0
    said = capsys.readouterr().err
    assert "CB633: --columns: this run has no column of the group motors" in said.replace("warning ", "")
    table = cb.load_trajectory(out)
    assert table.units["joint.arm_joint.q"] == "deg"
    assert {table.groups[n] for n in table.columns} == {"time", "energy", "joints", "reactions"}
    out.unlink()
    assert main([*call, "motor"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "there is no group 'motor'. The groups are bodies, joints, reactions" in said
    assert not out.exists()


def test_a_table_whose_units_are_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    field = pa.field("time", pa.float64(), metadata={b"unit": b"\x94"})
    pq.write_table(pa.table([pa.array([0.0])], schema=pa.schema([field], metadata={FORMAT: "{}"})), path)
    for reading in (cb.load_trajectory, read_trajectory):
        with pytest.raises(InputError, match="is not text"):
            reading(path)


def test_a_table_is_read_without_what_brings_pandas(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`pq.read_table` loads pyarrow.dataset, and that pandas where it is installed: as long as a short run."""
    write_trajectory(run, tmp_path / "run.parquet")
    monkeypatch.delitem(sys.modules, "pyarrow.dataset", raising=False)
    assert read_trajectory(tmp_path / "run.parquet").num_rows > 1
    assert "pyarrow.dataset" not in sys.modules
