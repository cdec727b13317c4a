"""What an FMU refuses and says, what it cannot hold, and where it runs."""

from __future__ import annotations

import ctypes
import zipfile
from pathlib import Path

import numpy as np
import pytest

from cadbridge.errors import ModelError
from cadbridge.exporters import ExportOptions
from cadbridge.exporters.fmu import binary
from cadbridge.exporters.fmu.machine import machine_of
from cadbridge.exporters.fmu.tables import PLACES, tables_of
from cadbridge.exporters.fmu.variables import rows_of, variables_of
from cadbridge.findings import Findings
from cadbridge.simulation.loads import JointForce, LoadSpecs
from cadbridge.simulation.scenario import Scenario
from solver.compilation.library import writable_folder
from tests.exporters import models
from tests.exporters.fmu.running import (
    Instance,
    own_run,
    scenario,
    written,
)


def test_steps_that_cannot_be_are_errors_with_a_message(tmp_path: Path) -> None:
    path = written(models.pendulum(), tmp_path).files[0]
    nan = float("nan")
    steps = [(0.05, 0.0, "greater than 0"), (0.05, -0.01, "greater than 0"), (0.05, nan, "greater than 0")]
    for t, h, said in (*steps, (0.02, 0.01, "go back in time"), (nan, 0.01, "communication point")):
        one = Instance(path, tmp_path).ready().to(0, 5)
        with pytest.raises(Exception, match="fmi3DoStep failed with status 3"):
            one.step(t, h)
        assert said in one.messages[-1]
        # After an error it can be reset and freed.
        one.fmu.reset()
        one.fmu.enterInitializationMode()
        one.ready().step(0.0)
        one.fmu.freeInstance()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("effort", float("nan"), "not a finite number"),
        ("effort", float("inf"), "not a finite number"),
        ("mass", 0.0, "greater than 0"),
        ("mass", -1.0, "greater than 0"),
        ("damping", -1.0, "must not be negative"),
        ("qdd", 1.0, "cannot be set"),
    ],
)
def test_values_that_cannot_be_are_errors_with_a_message(name: str, value: float, said: str, tmp_path: Path) -> None:
    one = Instance(written(models.pendulum(), tmp_path).files[0], tmp_path)
    variable = next(v for v in one.references if v.endswith(f".{name}"))
    with pytest.raises(Exception, match="fmi3SetFloat64 failed"):
        one.write([one.references[variable]], [value])
    assert said in one.messages[-1]
    one.fmu.freeInstance()


def test_a_reference_that_is_none_and_a_damaged_table_are_told(tmp_path: Path) -> None:
    one = Instance(written(models.pendulum(), tmp_path).files[0], tmp_path)
    with pytest.raises(Exception, match="fmi3GetFloat64 failed"):
        one.read([4_000_000_000])
    assert "no variable" in one.messages[-1]
    table = one.unzipped / "resources" / "model.bin"
    whole = table.read_bytes()
    for data in (b"", whole[:-8], whole[:64], b"x" * len(whole), whole[:24] + b"\xff" * 8 + whole[32:]):
        table.write_bytes(data)
        with pytest.raises(Exception, match="instantiate"):
            Instance(tmp_path / "out" / "rig.fmu", tmp_path)


@pytest.mark.parametrize("fmi", [2, 3])
def test_no_broken_table_is_taken(fmi: int, tmp_path: Path) -> None:
    """Cut off, counts beyond memory, negative indices, NaN, bits turned: 100 of each version, all in this process."""
    one = Instance(written(models.pendulum(), tmp_path, fmi=fmi).files[0], tmp_path, fmi)
    table, rng = one.unzipped / "resources" / "model.bin", np.random.default_rng(fmi)
    whole = np.frombuffer(table.read_bytes(), np.int64)
    ill = np.array([-1, 7, 1 << 31, 1 << 62, 0x7FF8 << 48, -1 << 63])
    for k in range(100):
        broken = whole.copy()
        at = rng.integers(1, len(whole), rng.choice([1, 3, 30]))
        other = rng.choice(ill, len(at))
        broken[at] = np.where(whole[at] == other, 0, other)
        if k % 4 == 0:
            broken[at] = whole[at] ^ (1 << rng.integers(0, 63))
        data = broken.tobytes() if k % 5 else whole.tobytes()[: rng.integers(0, whole.nbytes)]
        assert data != whole.tobytes()
        table.write_bytes(data)
        with pytest.raises(Exception, match="instantiate"):
            Instance(tmp_path / "out" / "rig.fmu", tmp_path, fmi)
    table.write_bytes(whole.tobytes())
    Instance(tmp_path / "out" / "rig.fmu", tmp_path, fmi).ready().to(0, 2)


def test_of_a_table_only_floating_numbers_may_differ() -> None:
    """What the program finds its way by is as in our own: 200 tables, each with a word changed, its token set anew."""
    machine = machine_of(models.four_bar(), ExportOptions(), Findings())
    assert machine is not None
    tables = tables_of(machine)
    rows = rows_of(variables_of(machine, tables, reactions=True)[0])
    whole = np.frombuffer(tables.content(b"x" * 16, rows), np.int64)
    first = 7 + len(PLACES)
    reals = {first + place + k for place, count in tables.image.reals for k in range(count)}
    assert {first + place for place in tables.image.pointers}.isdisjoint(reals)
    assert len(reals) < len(whole) - len(rows) * 3
    assert tables.serve(whole.tobytes(), rows)
    assert tables.serve(tables.content(bytes(16), rows[:-3]), rows)
    rng = np.random.default_rng(0)
    for at in (*rng.choice(np.arange(3, len(whole)), 150).tolist(), *rng.choice(sorted(reals), 50).tolist()):
        changed = whole.copy()
        changed[at] = np.array([-1, 1 << 31, 0x7FF8 << 48])[at % 3]
        same = bool(changed[at] == whole[at])
        assert tables.serve(changed.tobytes(), rows) == (same or at in reals), at
    for data in (b"", whole.tobytes()[:-8], whole.tobytes()[:-3], whole.tobytes() + bytes(24), whole.tobytes()[:40]):
        assert not tables.serve(data, rows)


def test_it_runs_in_a_program_without_python(tmp_path: Path) -> None:
    """A process that only loads it by the C library: here without any variable of the environment."""
    path = written(models.pendulum(), tmp_path).files[0]
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "all")
    shared = ctypes.CDLL(str(tmp_path / "all" / "binaries" / "x86_64-linux" / "rig.so"))
    shared.fmi3GetVersion.restype = ctypes.c_char_p
    assert shared.fmi3GetVersion() == b"3.0"


def test_what_an_fmu_cannot_hold_is_told(tmp_path: Path) -> None:
    text = 'format: cadbridge.scenario/1\nevents:\n  - {time: 0.1, lock: "Revolute:1"}\n'
    with pytest.raises(ModelError) as fault:
        written(models.pendulum(), tmp_path, scenario=scenario(text, tmp_path))
    assert [f.code for f in fault.value.findings] == ["CB691"]
    assert not (tmp_path / "out").exists()
    text = (
        'format: cadbridge.scenario/1\nintegrator: rk4\nstep: 0.001\nevents:\n  - {joint: "Revolute:1", position: 5}\n'
    )
    result = written(models.pendulum(), tmp_path, scenario=scenario(text, tmp_path))
    assert [f.code for f in result.findings] == ["CB692", "CB693", "CB510"]


def test_python_functions_and_a_machine_without_a_compiler_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = Scenario(loads=LoadSpecs(callbacks=(JointForce("tyre", lambda t, q, qd: q),)))
    with pytest.raises(ModelError) as fault:
        written(models.pendulum(), tmp_path, scenario=called)
    assert [f.code for f in fault.value.findings] == ["CB690"]
    monkeypatch.setattr(binary, "stamp", lambda: "none")
    monkeypatch.setattr(binary, "compilers", lambda: [["/no/such/compiler"]])
    with pytest.raises(ModelError, match="no C compiler links") as fault:
        written(models.pendulum(), tmp_path)
    assert [f.code for f in fault.value.findings] == ["CB695"]
    assert not (tmp_path / "out").exists()


@pytest.mark.nightly  # links a whole library anew, for the sake of a folder
def test_the_library_is_linked_where_nobody_can_write_into_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Zig keeps what it compiles there, and ended."""
    (tmp_path / "home").touch()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    own = binary.compilers()[:1]
    assert "ziglang" in str(own)
    monkeypatch.setattr(binary, "compilers", lambda: own)
    folder = tmp_path / "made"
    folder.mkdir()
    assert binary._linked(folder, binary._object(writable_folder())).stat().st_size > 100_000


COUPLED = """<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription name="pair" version="1.0"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"
    xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription">
  <ssd:System name="pair">
    <ssd:Elements>
      <ssd:Component name="leader" type="application/x-fmu-sharedlibrary" source="resources/leader.fmu"><ssd:Connectors>
        <ssd:Connector name="joint.Revolute_1.q" kind="output"><ssc:Real/></ssd:Connector>
      </ssd:Connectors></ssd:Component>
      <ssd:Component name="follower" type="application/x-fmu-sharedlibrary" source="resources/follower.fmu">
        <ssd:Connectors>
        <ssd:Connector name="joint.Revolute_1.target" kind="input"><ssc:Real/></ssd:Connector>
        <ssd:Connector name="joint.Revolute_1.q" kind="output"><ssc:Real/></ssd:Connector>
      </ssd:Connectors></ssd:Component>
    </ssd:Elements>
    <ssd:Connections>
      <ssd:Connection startElement="leader" startConnector="joint.Revolute_1.q"
                      endElement="follower" endConnector="joint.Revolute_1.target"/>
    </ssd:Connections>
  </ssd:System>
</ssd:SystemStructureDescription>
"""


def test_two_of_them_are_coupled_by_a_master_of_others(tmp_path: Path) -> None:
    """FMPy's master of SSP: one falls, the joint of the other follows it a communication step later."""
    from fmpy.ssp.simulation import simulate_ssp

    led = scenario(
        'format: cadbridge.scenario/1\nduration: 0.5\nmotors:\n  - {joint: "Revolute:1", angle: "0"}\n', tmp_path
    )
    falling = written(models.pendulum(), tmp_path / "leader", fmi=2)
    following = written(models.pendulum(), tmp_path / "follower", fmi=2, scenario=led)
    with zipfile.ZipFile(tmp_path / "pair.ssp", "w") as archive:
        archive.writestr("SystemStructure.ssd", COUPLED)
        archive.write(falling.files[0], "resources/leader.fmu")
        archive.write(following.files[0], "resources/follower.fmu")
    found = simulate_ssp(str(tmp_path / "pair.ssp"), stop_time=0.3, step_size=0.01)
    leader = np.array([row["leader.joint.Revolute_1.q"] for row in found])
    follower = np.array([row["follower.joint.Revolute_1.q"] for row in found])
    assert np.max(np.abs(leader)) > 0.1
    np.testing.assert_allclose(follower[1:], leader[:-1], atol=1e-9)
    run = own_run(models.pendulum(), 0.3)
    column = [joint.name for joint in run.lowered.joints].index("Revolute:1")
    ours = run.result.trajectory.coordinates[:, column]
    np.testing.assert_allclose(leader, ours[1 : len(leader) + 1], atol=1e-6)
