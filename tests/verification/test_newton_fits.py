"""Newton without what it needs, or beside a MuJoCo of another version, is told with what to install."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

import cadbridge as cb
from cadbridge.cli import main
from cadbridge.verification import compare, newton

NEEDS = ["warp-lang>=1.17.0", "coverage; extra == 'dev'", "mujoco~=3.17.0; extra == 'sim'"]
ARM = Path(__file__).resolve().parents[2] / "fixtures" / "puma560" / "puma560.urdf"


def installed(monkeypatch: pytest.MonkeyPatch, **versions: str) -> None:
    """Newton as its metadata say, and other packages in some versions."""

    def version(name: str) -> str:
        if name not in versions:
            raise PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(newton, "requires", lambda name: NEEDS)
    monkeypatch.setattr(newton, "version", version)


def test_what_goes_together_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, **{"warp-lang": "1.19.0", "mujoco": "3.17.2", "newton-usd-schemas": "0.6.0"})
    assert newton.misfits() == []


def test_what_lacks_and_what_does_not_go_together_is_told_by_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was "a fault of cadbridge", status 3."""
    installed(monkeypatch, **{"warp-lang": "1.19.0", "mujoco": "4.0.0"})
    monkeypatch.setattr(newton, "find_spec", lambda name: object())
    assert main(["verify", str(ARM), "--to", "usd"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "mujoco 4.0.0 is installed, and Newton needs ~=3.17.0; newton-usd-schemas is not installed" in said
    assert "pip install 'cadbridge[newton]'" in said


def test_a_robot_with_limits_and_sums_of_gears_is_read_from_its_stage() -> None:
    """Tendons bear the names of joints; and a limit that is only taken away is one of 90° in Newton."""
    robot = ARM.parents[1] / "geared_robot3" / "geared_robot3.urdf"
    result = compare.verify(cb.build(cb.read(robot)), "usd", duration=0.02)
    assert max(result.mass, result.centre, result.inertia, result.pose) < 1e-6
    assert "CB530" not in {f.code for f in result.findings}


@pytest.mark.parametrize("imported", [False, True])
def test_gradients_are_left_out_of_what_nobody_imported_before(monkeypatch: pytest.MonkeyPatch, imported: bool) -> None:
    """Warp takes the default for each module that it loads, and the kernels compile in half the time without them."""
    config = SimpleNamespace(enable_backward=True)
    monkeypatch.setitem(sys.modules, "warp", SimpleNamespace(config=config))
    monkeypatch.delitem(sys.modules, "newton", raising=False)
    if imported:
        monkeypatch.setitem(sys.modules, "newton", SimpleNamespace())
    with newton.without_gradients():
        assert config.enable_backward is imported
    assert config.enable_backward
