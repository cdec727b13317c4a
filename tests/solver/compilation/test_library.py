"""The process that compiles the kernels finds nothing in the user's folder, and others wait for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from solver.compilation import library


@pytest.mark.parametrize("given", ["", ".", os.pathsep])
def test_modules_and_programs_of_the_folder_are_not_found(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "poison.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", given)
    monkeypatch.setenv("PATH", given + os.pathsep + os.environ["PATH"])
    run = subprocess.run
    started: dict[str, Any] = {}

    def noted(command: list[str], env: dict[str, str], **_: Any) -> subprocess.CompletedProcess[str]:
        started.update(command=command, env=env)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", noted)
    library.compile_into(tmp_path, "x86-64-v2")
    command, env = started["command"], started["env"]
    at = command.index("-c")
    flags, found = command[: at + 1], command[at + 1].partition("from solver.compilation")[0]
    for call in ("import poison", "import runpy; runpy.run_module('poison')"):
        done = run([*flags, found + call], env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert "No module named" in done.stderr
    own = run([*flags, found + "import solver; print(solver.__file__)"], env=env, cwd=tmp_path, stdout=subprocess.PIPE)
    assert Path(own.stdout.decode().strip()).parent == library.PACKAGE
    assert all(os.path.isabs(entry) for entry in env["PATH"].split(os.pathsep))
    assert env["PYTHONSAFEPATH"] == "1"


def test_who_waits_for_another_process_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / f"{library.name()}.so"
    other = FileLock(tmp_path / f"{library.name()}.lock")
    other.acquire()

    class Stderr:
        said = ""

        def write(self, text: str) -> None:
            self.said += text
            target.write_bytes(b"made by the other")
            other.release()

        def flush(self) -> None:
            pass

    said = Stderr()
    monkeypatch.setattr(sys, "stderr", said)
    assert library.build(tmp_path) == target
    assert said.said == "another process compiles the solver's kernels; this one waits for it\n"
