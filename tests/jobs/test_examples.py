"""The examples that a user copies, run as a user runs them."""

import csv
import subprocess
import sys
from pathlib import Path

from tests.jobs.making import robot

EXAMPLES = Path(__file__).resolve().parents[2] / "scripts" / "examples"


def example(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_nightly_gate_tells_changes_of_mobility_and_mass(tmp_path: Path) -> None:
    robot(tmp_path / "a.urdf")
    robot(tmp_path / "b.urdf", 2)
    jobs, agreed = tmp_path / "jobs.yaml", tmp_path / "agreed.json"
    jobs.write_text("jobs: [{sources: '*.urdf'}]")
    assert example("nightly.py", jobs, agreed, "--agree").returncode == 0
    same = example("nightly.py", jobs, agreed)
    assert same.returncode == 0, same.stderr
    assert "CHANGED" not in same.stdout
    robot(tmp_path / "a.urdf", mass=1.1)
    b = tmp_path / "b.urdf"
    b.write_text(b.read_text().replace('type="continuous"', 'type="fixed"'))
    changed = example("nightly.py", jobs, agreed)
    assert changed.returncode == 1
    assert "CHANGED a/check: mass of one was 1.0 kg, is 1.1 kg" in changed.stdout
    assert "CHANGED b/check: dof was 1, is 0" in changed.stdout


def test_a_sweep_gives_a_row_for_each_value(tmp_path: Path) -> None:
    source = robot(tmp_path / "a.urdf")
    # One at once: where the solver's kernels are not compiled yet, the first does it for all.
    how = ("--joint", "turn", "--torque", 1, 2, 0, "--duration", 0.1, "--jobs", 1)
    done = example("sweep.py", source, *how, "-o", tmp_path / "sweep")
    assert done.returncode == 0, done.stdout + done.stderr
    with (tmp_path / "sweep" / "sweep.csv").open() as file:
        rows = [[float(v) for v in row] for row in list(csv.reader(file))[1:]]
    # A hinge through the centre of mass, with 1 kg m²: q = τ t² / 2.
    assert [row[0] for row in rows] == [0, 1, 2]
    for torque, q, rate, _ in rows:
        assert abs(q - torque * 0.005) < 1e-9
        assert abs(rate - torque * 0.1) < 1e-9
