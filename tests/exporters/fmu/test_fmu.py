"""FMUs in FMPy, a host that nobody here wrote: valid, moving as our own runs do, and saying what is wrong."""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cadbridge.errors import InputError, ModelError
from cadbridge.exporters import ExportOptions, ExportResult, export
from cadbridge.exporters.fmu import binary
from cadbridge.exporters.fmu.binary import RUNTIME
from cadbridge.exporters.fmu.machine import machine_of
from cadbridge.exporters.fmu.tables import PLACES, tables_of
from cadbridge.exporters.fmu.variables import KINDS, rows_of, variables_of
from cadbridge.findings import Findings
from cadbridge.mechanism import Mechanism, build
from cadbridge.reading import read
from cadbridge.simulation.loads import JointForce, LoadSpecs
from cadbridge.simulation.run import Run, simulate
from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.study import requested_scenario
from cadbridge.simulation.trajectory import columns_of
from solver.compilation.library import writable_folder
from tests.exporters import models

ROOT = Path(__file__).resolve().parents[3]
KINDS_OF_FMU = ("CoSimulation", "ModelExchange")

LED = """
format: cadbridge.scenario/1
duration: 0.5
motors:
  - {joint: "Revolute:1", angle: "20*sin(3*t)"}
"""
HELD = """
format: cadbridge.scenario/1
duration: 0.5
rate: 200
initial: {positions: {"Revolute:1": 30}}
motors:
  - {joint: "Revolute:1", pd: {target: 10, kp: 5, kd: 0.5, effort: 3}}
"""


def written(mechanism: Mechanism, folder: Path, **options: Any) -> ExportResult:
    return export(mechanism, folder / "out", "fmu", name="rig", options=ExportOptions(**options))


def scenario(text: str, folder: Path) -> Path:
    path = folder / "what.scenario.yaml"
    path.write_text(text)
    return path


def own_run(mechanism: Mechanism, duration: float, file: Path | None = None) -> Run:
    what = requested_scenario(mechanism, Findings(), file, duration)
    run = simulate(mechanism, what)
    assert run.result.status.ok
    return run


def worst(run: Run, result: NDArray[Any], folder: Path) -> float:
    """The largest difference of our run from the FMU's variables, over what is largest of the same unit."""
    names = json.loads((folder / "out" / "losses.json").read_text())["names"]
    old = {"joint": names["joints"], "motor": names["joints"], "body": names["links"]}
    columns, missed, sizes = columns_of(run), {"": 0.0}, {"": 1e-3}
    for variable in (result.dtype.names or ())[1:]:
        kind, name, what = (*variable.split("."), "")[:3]
        column = f"{kind}.{old[kind][name]}.{what}" if kind in old else variable
        if column in columns:
            ours, unit = columns[column]
            missed[unit] = max(missed.get(unit, 0.0), float(np.max(np.abs(ours - result[variable]))))
            sizes[unit] = max(sizes.get(unit, 1e-3), float(np.max(np.abs(ours))))
    assert {"rad", "rad/s", "rad/s²", "m", "J"} <= missed.keys() or not run.lowered.joints
    return max(missed[unit] / sizes[unit] for unit in missed)


def simulated(path: Path, kind: str, duration: float, rate: float = 100.0, **more: Any) -> NDArray[Any]:
    import fmpy

    description = fmpy.read_model_description(str(path))
    outputs = [v.name for v in description.modelVariables if v.causality == "output"]
    found: NDArray[Any] = fmpy.simulate_fmu(
        str(path), fmi_type=kind, stop_time=duration, output_interval=1 / rate, output=outputs, **more
    )
    return found


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("model", ["pendulum", "four_bar", "geared_pair", "joints_of_all_kinds", "planetary"])
def test_it_is_valid_and_moves_as_our_own_run(model: str, fmi: int, tmp_path: Path) -> None:
    from fmpy.validation import validate_fmu

    mechanism = getattr(models, model)()
    result = written(mechanism, tmp_path, fmi=fmi, reactions=True)
    assert not [f for f in result.findings if f.severity != "info"]
    assert validate_fmu(str(result.files[0])) == []
    run = own_run(mechanism, 0.3)
    for kind in KINDS_OF_FMU:
        assert worst(run, simulated(result.files[0], kind, 0.3), tmp_path) < 1e-6


@pytest.mark.parametrize("text", [LED, HELD])
def test_a_scenario_acts_in_it(text: str, tmp_path: Path) -> None:
    mechanism = models.four_bar()
    file = scenario(text, tmp_path)
    result = written(mechanism, tmp_path, scenario=file)
    run = own_run(mechanism, 0.5, file)
    for kind in KINDS_OF_FMU:
        found = simulated(result.files[0], kind, 0.5, run.scenario.rate)
        assert worst(run, found, tmp_path) < 1e-6
    assert np.max(np.abs(found["motor.Revolute_1.effort"])) > 0.1


def test_a_pulse_between_its_steps_counts(tmp_path: Path) -> None:
    text = LED.replace('angle: "20*sin(3*t)"', 'torque: "40*(step(t-0.213)-step(t-0.2131))"')
    assert "torque" in text
    file = scenario(text, tmp_path)
    result = written(models.four_bar(), tmp_path, scenario=file)
    run = own_run(models.four_bar(), 0.5, file)
    assert abs(run.result.trajectory.motor_work[-1]) > 1e-3
    assert worst(run, simulated(result.files[0], "CoSimulation", 0.5, run.scenario.rate), tmp_path) < 1e-6


@pytest.mark.parametrize("name", ["four_bar", "crank_slider"])
def test_changes_at_the_start_are_made_before_it_begins(name: str, tmp_path: Path) -> None:
    """Loops that the scenario closes at t = 0, as `simulate` closes them."""
    source = ROOT / "fixtures" / name / f"{name}.urdf"
    file = source.with_name(f"{name}.scenario.yaml")
    mechanism = build(read(source))
    result = written(mechanism, tmp_path, scenario=file)
    run = own_run(mechanism, 0.5, file)
    for kind in KINDS_OF_FMU:
        assert worst(run, simulated(result.files[0], kind, 0.5, run.scenario.rate), tmp_path) < 1e-6


AT_THE_START = """
format: cadbridge.scenario/1
duration: 0.3
initial: {rates: {"Revolute:1": RATE}}
events:
  - {time: 0, DO: "Revolute:1"}
"""


def test_a_joint_released_at_the_start_has_no_effort_and_no_damping(tmp_path: Path) -> None:
    mechanism = models.pendulum()
    file = scenario(AT_THE_START.replace("DO", "release").replace("RATE", "20"), tmp_path)
    result = written(mechanism, tmp_path, scenario=file)
    run = own_run(mechanism, 0.3, file)
    found = simulated(result.files[0], "CoSimulation", 0.3)
    assert worst(run, found, tmp_path) < 1e-6
    description = zipfile.ZipFile(result.files[0]).read("modelDescription.xml").decode()
    assert "joint.Revolute_1.q" in description
    assert "joint.Revolute_1.effort" not in description
    assert "joint.Revolute_1.damping" not in description


def test_a_change_at_the_start_that_needs_an_impulse_is_refused(tmp_path: Path) -> None:
    file = scenario(AT_THE_START.replace("DO", "lock").replace("RATE", "20"), tmp_path)
    with pytest.raises(InputError) as fault:
        written(models.pendulum(), tmp_path, scenario=file)
    assert [f.code for f in fault.value.findings] == ["CB622"]
    assert not (tmp_path / "out").exists()


def test_the_library_needs_no_python_and_fits(library: bytes, tmp_path: Path) -> None:
    """In a process that has nothing but C: no Python, no Numba, no BLAS; the whole FMU is small."""
    needed = set(re.findall(rb"lib[\w+]+\.so[.\d]*", library))
    assert needed <= {b"libm.so.6", b"libc.so.6", b"libdl.so.2", b"libpthread.so.0"}
    assert not re.search(rb"\bPy[A-Z]\w+_|NRT_|numba_|dgemm|dsyrk", library)
    result = written(models.four_bar(), tmp_path)
    assert result.files[0].stat().st_size < 500_000
    assert not (set(zipfile.ZipFile(result.files[0]).namelist()) & {"resources/python.txt"})


def test_the_same_bytes_on_each_run(tmp_path: Path) -> None:
    mechanism = models.geared_pair()
    first = written(mechanism, tmp_path / "a").files[0].read_bytes()
    assert written(mechanism, tmp_path / "b").files[0].read_bytes() == first
    again = [sys.executable, "-c", _AGAIN, str(tmp_path / "c")]
    subprocess.run(again, check=True, cwd=Path(__file__).parents[3])
    assert (tmp_path / "c" / "out" / "rig.fmu").read_bytes() == first


_AGAIN = """
import sys
from pathlib import Path
from tests.exporters import models
from tests.exporters.fmu.test_fmu import written
written(models.geared_pair(), Path(sys.argv[1]))
"""


def test_enumerations_of_c_and_python_agree() -> None:
    text = (RUNTIME / "model.h").read_text()
    places, kinds = (re.findall(r"\w+", body) for body in re.findall(r"enum \{([^}]*)\};", text)[:2])
    assert tuple(places) == (*PLACES, "PLACE_COUNT")
    assert [kind.split("_")[0].lower() for kind in kinds[:-1]] == ["clock", *KINDS[1:3], "body", *KINDS[4:]]


# ---- instances ----


class Instance:
    """An instance for co-simulation, in step mode; `messages` are what it logged."""

    def __init__(self, path: Path, folder: Path, fmi: int = 3) -> None:
        import fmpy
        from fmpy.fmi2 import FMU2Slave
        from fmpy.fmi3 import FMU3Slave, fmi3LogMessageCallback

        self.unzipped = folder / "unzipped"
        if not self.unzipped.is_dir():
            fmpy.extract(str(path), str(self.unzipped))
        said = fmpy.read_model_description(str(path))
        self.references = {v.name: v.valueReference for v in said.modelVariables}
        kind = FMU3Slave if fmi == 3 else FMU2Slave
        self.messages: list[str] = []
        self.fmu = kind(
            guid=said.guid, unzipDirectory=str(self.unzipped), modelIdentifier=said.coSimulation.modelIdentifier
        )
        if fmi == 3:
            log = fmi3LogMessageCallback(lambda e, status, category, text: self.messages.append(text.decode()))
            self.fmu.instantiate(logMessage=log)
            self.fmu.enterInitializationMode()
        else:
            self.fmu.instantiate()
            self.fmu.setupExperiment(startTime=0.0)
            self.fmu.enterInitializationMode()
        self.read, self.write = (self.fmu.getFloat64, self.fmu.setFloat64) if fmi == 3 else (
            self.fmu.getReal, self.fmu.setReal)  # fmt: skip

    def ready(self) -> Instance:
        self.fmu.exitInitializationMode()
        return self

    def get(self, *names: str) -> list[float]:
        return list(self.read([self.references[name] for name in names]))

    def step(self, t: float, h: float = 0.01) -> None:
        self.fmu.doStep(t, h)

    def all(self) -> list[float]:
        return self.get(*(name for name in self.references if name != "time"))

    def to(self, first: int, last: int, h: float = 0.01) -> Instance:
        for k in range(first, last):
            self.step(k * h, h)
        return self


@pytest.fixture(scope="module", params=[2, 3])
def rig(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, library: bytes
) -> tuple[Path, Path, int]:
    folder = tmp_path_factory.mktemp("rig")
    return written(models.pendulum(), folder, fmi=request.param).files[0], folder, request.param


def opened(rig: tuple[Path, Path, int]) -> Instance:
    path, folder, fmi = rig
    return Instance(path, folder, fmi)


def test_instances_differ_as_their_inputs_do(rig: tuple[Path, Path, int]) -> None:
    """Two at once, their steps in turn; each as one that is alone."""
    efforts = (0.0, 0.7)
    alone = []
    for effort in efforts:
        one = opened(rig).ready()
        alone.append(_pushed(one, effort).to(0, 10).all())
    both = [_pushed(opened(rig).ready(), effort) for effort in efforts]
    for k in range(10):
        for one in both:
            one.step(0.01 * k)
    assert [one.all() for one in both] == alone
    assert alone[0] != alone[1]


def _pushed(one: Instance, effort: float) -> Instance:
    name = next(name for name in one.references if name.endswith(".effort") and name.startswith("joint."))
    one.write([one.references[name]], [effort])
    return one


def test_a_state_comes_back_bit_for_bit(rig: tuple[Path, Path, int]) -> None:
    one = _pushed(opened(rig).ready(), 0.3).to(0, 5)
    state = one.fmu.getFMUState() if rig[2] == 3 else one.fmu.getFMUstate()
    before = one.all()
    after = one.to(5, 9).all()
    restore = one.fmu.setFMUState if rig[2] == 3 else one.fmu.setFMUstate
    restore(state)
    assert one.all() == before
    assert one.to(5, 9).all() == after
    # As bytes it serves another instance too.
    data = one.fmu.serializeFMUState(state) if rig[2] == 3 else one.fmu.serializeFMUstate(state)
    other = opened(rig).ready()
    (other.fmu.setFMUState if rig[2] == 3 else other.fmu.setFMUstate)(
        other.fmu.deserializeFMUState(data) if rig[2] == 3 else other.fmu.deSerializeFMUstate(data)
    )
    assert other.to(5, 9).all() == after
    (one.fmu.freeFMUState if rig[2] == 3 else one.fmu.freeFMUstate)(state)


def test_reset_begins_anew(rig: tuple[Path, Path, int]) -> None:
    one = _pushed(opened(rig).ready(), 0.3).to(0, 5)
    first = opened(rig).ready().to(0, 3).all()
    one.fmu.terminate()
    one.fmu.reset()
    if rig[2] == 2:
        one.fmu.setupExperiment(startTime=0.0)
    one.fmu.enterInitializationMode()
    assert one.ready().to(0, 3).all() == first
    one.fmu.freeInstance()


def test_parameters_change_the_motion_as_the_mechanism_would(tmp_path: Path) -> None:
    """Twice the mass, and damping, by parameters and in the mechanism."""
    mechanism = models.pendulum()
    one = Instance(written(mechanism, tmp_path).files[0], tmp_path)
    body = mechanism.bodies[0]
    assert body.mass is not None
    heavy = replace(body.mass, mass=2 * body.mass.mass, inertia=2 * body.mass.inertia)
    joint = replace(mechanism.joints[0], damping=0.2)
    changed = replace(
        mechanism, bodies=(replace(body, mass=heavy), *mechanism.bodies[1:]), joints=(joint, *mechanism.joints[1:])
    )
    mass = next(name for name in one.references if name.endswith(".mass"))
    damping = next(name for name in one.references if name.endswith(".damping"))
    one.write([one.references[mass], one.references[damping]], [2 * one.get(mass)[0], 0.2])
    value = next(name for name in one.references if name.endswith(".q"))
    run = own_run(changed, 0.3)
    assert one.ready().to(0, 30).get(value)[0] == pytest.approx(run.result.trajectory.coordinates[-1, 0], rel=1e-7)


# ---- what is refused ----


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
        broken[at] = np.where(whole[at] == -1, 0, rng.choice(ill, len(at)))
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
