"""The script for the solver builds the very same model."""

from __future__ import annotations

import runpy
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.errors import ModelError
from cadbridge.exporters import export
from cadbridge.lowering import lower
from cadbridge.mechanism import Mechanism
from solver import simulate
from tests.exporters import models


@pytest.mark.parametrize(
    "make", [models.joints_of_all_kinds, models.planetary, models.four_bar, models.coupled_by_coordinates]
)
def test_the_model_of_the_script_moves_as_the_mechanism_to_the_last_digit(
    make: Callable[[], Mechanism], tmp_path: Path
) -> None:
    mechanism = make()
    script = export(mechanism, tmp_path / "out", "python").files[0]
    model = runpy.run_path(str(script))["model"]()
    first, second = (simulate(m, duration=0.1, rate=50.0).trajectory for m in (lower(mechanism).model, model))
    assert np.array_equal(first.positions, second.positions)
    assert np.array_equal(first.coordinates, second.coordinates)
    assert first.t[-1] == pytest.approx(0.1)


def test_the_script_runs_by_itself(corpus: Path, tmp_path: Path) -> None:
    mechanism = cb.build(cb.read(corpus / "quadruped_solidworks" / "Assem4.xml"))
    script = export(mechanism, tmp_path / "out", "python").files[0]
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].startswith("simulated to t = 1 s")
    assert len(done.stdout.splitlines()) == 9  # and eight hinges


def test_without_masses_there_is_no_script(tmp_path: Path) -> None:
    mechanism = models.pendulum()
    light = replace(mechanism, bodies=tuple(replace(b, mass=None) for b in mechanism.bodies))
    with pytest.raises(ModelError) as error:
        export(light, tmp_path / "out", "python")
    assert {f.code for f in error.value.findings} == {"CB610"}
