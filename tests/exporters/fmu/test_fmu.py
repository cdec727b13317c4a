"""FMUs in FMPy, a host that nobody here wrote: valid, and moving as our own runs do."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from cadbridge.errors import InputError
from cadbridge.exporters.fmu.binary import RUNTIME
from cadbridge.exporters.fmu.tables import PLACES
from cadbridge.exporters.fmu.variables import KINDS
from cadbridge.mechanism import build
from cadbridge.reading import read
from tests.exporters import models
from tests.exporters.fmu.running import (
    HELD,
    KINDS_OF_FMU,
    LED,
    ROOT,
    own_run,
    scenario,
    simulated,
    worst,
    written,
)


@pytest.mark.parametrize(
    ("model", "fmi"),
    [
        ("joints_of_all_kinds", 2), ("joints_of_all_kinds", 3), ("pendulum", 2), ("four_bar", 3), ("geared_pair", 2),
        ("planetary", 3),
        # The same code of the same mechanisms behind the other version's table of functions.
        *(pytest.param(*each, marks=pytest.mark.nightly)
          for each in (("pendulum", 3), ("four_bar", 2), ("geared_pair", 3), ("planetary", 2))),
    ],
)  # fmt: skip
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
from tests.exporters.fmu.running import written
written(models.geared_pair(), Path(sys.argv[1]))
"""


def test_enumerations_of_c_and_python_agree() -> None:
    text = (RUNTIME / "model.h").read_text()
    places, kinds = (re.findall(r"\w+", body) for body in re.findall(r"enum \{([^}]*)\};", text)[:2])
    assert tuple(places) == (*PLACES, "PLACE_COUNT")
    assert [kind.split("_")[0].lower() for kind in kinds[:-1]] == ["clock", *KINDS[1:3], "body", *KINDS[4:]]
