"""A missing piece of the system is a sentence with the line that mends it."""

import builtins
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.loading import module_of

SETUP = Path(__file__).resolve().parents[2] / "scripts" / "_setup.py"


@pytest.fixture
def setup_module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(SETUP.parent)
    return module_of(SETUP, "cadbridge_setup")


def test_without_venv_the_package_to_install_is_named(
    setup_module: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    genuine = builtins.__import__

    def without_ensurepip(name: str, *rest: Any, **more: Any) -> Any:
        if name == "ensurepip":
            raise ImportError(name)
        return genuine(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_ensurepip)
    with pytest.raises(SystemExit) as stop:
        setup_module.check_python()
    assert stop.value.code == 2
    assert "apt-get install -y python3-venv" in capsys.readouterr().err


def test_without_system_libraries_they_are_named(
    setup_module: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: Any, **__: Any) -> subprocess.CompletedProcess[str]:
        error = "ImportError: libGL.so.1: cannot open shared object file: No such file or directory"
        return subprocess.CompletedProcess([], 1, "", f"Traceback …\n{error}\n")

    monkeypatch.setattr(subprocess, "run", fails)
    with pytest.raises(SystemExit) as stop:
        setup_module.check_system_libraries()
    assert stop.value.code == 2
    err = capsys.readouterr().err
    assert "libGL.so.1" in err
    assert "apt-get install -y libgl1 libx11-6 libexpat1" in err


def test_without_a_browser_the_tests_go_on_and_the_package_to_install_is_named(
    setup_module: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CADBRIDGE_BROWSER", raising=False)
    monkeypatch.setattr(setup_module.shutil, "which", lambda name: None)
    monkeypatch.setattr(setup_module.subprocess, "run", lambda *a, **k: subprocess.CompletedProcess(a, 1))
    setup_module.ensure_browser()
    assert "apt-get install -y chromium" in capsys.readouterr().err


@pytest.mark.parametrize("built", [True, False])
def test_what_is_installed_with_an_old_report_page_is_installed_anew(
    built: bool, setup_module: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As after `git checkout` of a state that was installed before: its stamp is there, the page is another's."""
    python, stamp, ran = tmp_path / "python", tmp_path / "stamp", []
    python.touch()
    stamp.write_text(setup_module.fingerprint("[test]") + "\n")
    monkeypatch.setattr(setup_module, "PYTHON", python)
    monkeypatch.setattr(setup_module, "STAMP", stamp)
    monkeypatch.setattr(setup_module, "run", lambda *command: None)
    monkeypatch.setattr(setup_module, "begin", lambda *command: None)
    monkeypatch.setattr(setup_module._packages, "install", lambda *wanted, cwd: ran.append(wanted))
    monkeypatch.setattr(setup_module, "check_system_libraries", lambda: None)
    monkeypatch.setattr(setup_module, "page_is_built", lambda: built)
    assert setup_module.ensure("[test]") == python
    assert ran == ([] if built else [(python, "-e", ".[test]")])


def test_the_page_is_asked_of_the_build_itself(setup_module: ModuleType, build_hook: ModuleType) -> None:
    assert setup_module.page_is_built() == build_hook.is_built()
