"""What a job does, without the process around it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.findings import Findings
from cadbridge.jobs.work import Order, perform
from cadbridge.simulation import read_trajectory, study_scenario
from tests.jobs.making import robot


def test_a_simulation_is_the_run_that_the_source_asks_for(corpus: Path, tmp_path: Path) -> None:
    """A four-bar that its file drives, over the file's own time."""
    source = corpus / "ondsel" / "fourbar.asmt"
    perform(Order("simulate", str(source), {}, tmp_path))
    own = study_scenario(cb.build(cb.read(source)), Findings())
    assert len(own.motors) == 1
    time = read_trajectory(tmp_path / "run.parquet")["time"].to_numpy()
    assert float(np.max(time)) == own.duration
    assert json.loads((tmp_path / "run.json").read_text())["status"] == "ok"


@pytest.mark.parametrize("wish", [{"limits": True}, {"recognise": True}])
def test_what_looks_for_limits_is_loaded_where_they_are_wished_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wish: dict[str, bool]
) -> None:
    source = robot(tmp_path / "arm.urdf")
    monkeypatch.setitem(sys.modules, "cadbridge.simulation.limits", None)  # to import it is an error
    perform(Order("convert", str(source), {"to": "mjcf", **dict.fromkeys(wish, False)}, tmp_path))
    assert (tmp_path / "convert.json").is_file()
    with pytest.raises(ImportError, match="limits"):
        perform(Order("convert", str(source), {"to": "mjcf", **wish}, tmp_path))
