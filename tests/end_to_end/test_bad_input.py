"""What is wrong with an input is told to the person at the command line: what, where, by how much, and a status.

The desk crane that the package ships is spoilt in one place at a time.
"""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from cadbridge.cli import main
from solver.runs import integrate

DEMO = Path(str(files("cadbridge.data"))) / "demo"
Spoil = Callable[[str, str], Path]


@pytest.fixture
def spoilt(tmp_path: Path) -> Spoil:
    """Replace a piece of the crane's mates file; the path of the new file."""

    def replace(old: str, new: str) -> Path:
        text = (DEMO / "demo.mates.yaml").read_text()
        assert old in text, "the crane's mates file has changed"
        path = tmp_path / "spoilt.mates.yaml"
        path.write_text(text.replace(old, new, 1))
        return path

    return replace


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    status = main([str(a) for a in arguments])
    return status, capsys.readouterr().err


def line_of(path: Path, text: str) -> int:
    return next(i for i, line in enumerate(path.read_text().splitlines(), 1) if text in line)


def test_mates_that_contradict_each_other_are_named_with_the_gap(
    spoilt: Spoil, capsys: pytest.CaptureFixture[str]
) -> None:
    mates = spoilt("offset: 58", "offset: 60")
    status, err = run(capsys, "check", DEMO / "demo.step", "--mates", mates)
    assert status == 1
    assert "CB403: Flush:1 repeats Insert:1 and disagrees by 2 mm, 0°" in err
    assert f"spoilt.mates.yaml:{line_of(mates, 'Flush:1')}:" in err


def test_a_loop_that_cannot_close_is_told_with_what_stays_open(
    spoilt: Spoil, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rod = """
  - name: "Rod:1"
    type: distance
    a: {component: Base, point: [0, 0, 50]}
    b: {component: Arm, point: [140, 0, -15]}
    distance: 700

gears:"""
    mates = spoilt("\ngears:", rod)
    status, err = run(capsys, "simulate", DEMO / "demo.step", "--mates", mates, "-o", tmp_path / "run.parquet")
    assert status == 1
    assert "CB611" in err
    assert "Rod:1" in err.split("CB611")[1]


def test_a_part_without_a_mate_floats_and_is_told(spoilt: Spoil, capsys: pytest.CaptureFixture[str]) -> None:
    mates = spoilt("  - {parts: Pin, to: Arm}\n", "")
    status, err = run(capsys, "check", DEMO / "demo.step", "--mates", mates)
    assert status == 0
    assert "CB401: Pin has no mate" in err
    assert main(["check", str(DEMO / "demo.step"), "--mates", str(mates), "--strict"]) == 1


def test_every_fault_of_a_mates_file_is_told_at_once(spoilt: Spoil, capsys: pytest.CaptureFixture[str]) -> None:
    mates = spoilt("teeth: [12, 36]", "teeth: [0, 36]")
    faulty = mates.read_text().replace(
        "a: {component: Turret, point: [0, 0, 60]", "a: {component: Turet, point: [0, 0, 60]"
    )
    mates.write_text(faulty.replace("joint: A2}", "joint: A3}"))
    status, err = run(capsys, "check", DEMO / "demo.step", "--mates", mates)
    assert status == 2
    for text in ("Turet,", "teeth: [0", "joint: A3"):
        assert f":{line_of(mates, text)}:" in err
    assert "Turret" in err  # the nearest name


def test_a_mates_file_that_contains_itself_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mates = tmp_path / "round.mates.yaml"
    mates.write_text("format: cadbridge.mates/1\nmates: &all\n  - *all\n")
    status, err = run(capsys, "check", DEMO / "demo.step", "--mates", mates)
    assert status == 2
    assert "round.mates.yaml:" in err


def test_a_robot_of_a_thousand_metres_is_doubted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "inspect", DEMO / "demo.step", "--units", "5 m")[0] == 2
    status, err = run(capsys, "inspect", DEMO / "demo.step", "--units", "km")
    assert status == 0
    assert "warning CB105: the model is 240,000 m across" in err
    assert "unit" in err.split("CB105")[1].lower()


def test_no_density_is_a_warning_to_check_and_a_refusal_to_simulate(
    spoilt: Spoil, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mates = spoilt('  - {parts: "*", material: aluminium}\n', "")
    status, err = run(capsys, "check", DEMO / "demo.step", "--mates", mates)
    assert status == 0
    assert "warning CB3" in err
    status, err = run(capsys, "simulate", DEMO / "demo.step", "--mates", mates, "-o", tmp_path / "run.parquet")
    assert status == 1
    assert "Arm" in err
    assert not list(tmp_path.glob("*.parquet*"))


@pytest.mark.skipif(sys.platform == "win32", reason="a limit on the size of files stands in for a full disk")
@pytest.mark.parametrize("to", ["urdf", "mjcf"])
def test_a_full_disk_leaves_no_half_of_an_export(to: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    call = [sys.executable, "-m", "cadbridge", "convert", str(DEMO / "demo.step"), "--to", to, "-o", str(out)]
    limit = 2000  # bytes: less than any mesh

    def full_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(call, capture_output=True, text=True, preexec_fn=full_disk, env={**os.environ})
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "CB" in done.stderr or "error:" in done.stderr
    assert not out.exists() or not list(out.iterdir())


@pytest.mark.parametrize("command", ["simulate", "convert"])
def test_what_a_fault_left_out_is_no_motion(
    command: str, spoilt: Spoil, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mates = spoilt("type: flush", "type: flusch")
    out = tmp_path / "new"
    order = [command, DEMO / "demo.step", "--mates", mates, "-o", out / "run.parquet"]
    order += ["--to", "json"] if command == "convert" else ["--duration", "0.01"]
    status, err = run(capsys, *order)
    assert status == 2
    assert "did you mean flush?" in err
    assert "1 input error removed or changed a part of the model" in err
    assert not out.exists()
    status, err = run(capsys, *order, "--keep-going")
    assert "did you mean flush?" in err
    assert out.exists()
    assert status == 2


def test_ctrl_c_in_a_long_run_keeps_the_trajectory_so_far(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reached: list[float] = []
    go = integrate._go

    def interrupted(run: Any) -> int:
        how = go(run)
        if not reached and sum(len(times) for times, *_ in run.samples) >= 40:
            reached.append(float(run.samples[-1][0][-1]))
            signal.raise_signal(signal.SIGINT)
        return how

    monkeypatch.setattr(integrate, "_go", interrupted)
    output = tmp_path / "run.parquet"
    source = str(corpus / "ondsel" / "gyro.asmt")
    status = main(["simulate", source, "--duration", "100000", "-o", str(output)])
    told = capsys.readouterr()
    assert status == 1
    assert "stopped at t = " in told.out + told.err
    t = pq.read_table(output)["time"].to_numpy()
    assert len(t) >= 40
    assert reached[0] <= t[-1] < 100_000 / 2
