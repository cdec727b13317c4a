"""No process of ours finds a module in the folder that the user stands in."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cadbridge.processes import HOME, environment, python

SOURCES = sorted((HOME / "cadbridge").rglob("*.py"))
STARTS = {"Popen", "run", "call", "check_call", "check_output", "getoutput", "system", "popen", "startfile"}
SPAWNS = {"multiprocessing", "concurrent.futures.process"}


def _starts(tree: ast.AST) -> list[ast.Call]:
    """The calls of a module that start a process."""
    modules = {"subprocess", "os"}
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in modules
        and (node.func.attr in STARTS or node.func.attr.startswith(("exec", "spawn", "posix_spawn")))
    ]


def test_every_process_is_started_in_the_one_way() -> None:
    found = []
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for call in _starts(tree):
            found.append(path.name)
            command = call.args[0]
            assert isinstance(command, ast.Call), f"{path}:{call.lineno}"
            assert ast.unparse(command.func) == "python", f"{path}:{call.lineno}"
            given = {k.arg: ast.unparse(k.value) for k in call.keywords}
            assert given.get("env", "").startswith("environment("), f"{path}:{call.lineno}"
            assert "shell" not in given
    assert len(found) >= 4


def test_nothing_else_starts_python() -> None:
    """Neither a module's flag beside the one way, nor the standard library's pools of processes."""
    for path in SOURCES:
        if path.name == "processes.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.List | ast.Tuple):
                assert "sys.executable" not in [ast.unparse(e) for e in node.elts], f"{path}:{node.lineno}"
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [a.name for a in node.names] + [getattr(node, "module", None) or ""]
                assert not SPAWNS & set(names), f"{path}:{node.lineno}"


def test_the_scripts_that_start_the_command_leave_the_folder_out() -> None:
    for path in sorted((HOME / "scripts").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.List):
                words = [ast.unparse(e) for e in node.elts]
                if words[:1] == ["sys.executable"] and "'cadbridge'" in words:
                    assert "'-P'" in words, f"{path}:{node.lineno}"


@pytest.mark.parametrize("given", ["", ":", ".", "..", os.pathsep + "elsewhere", "poison" + os.pathsep])
def test_modules_of_the_folder_are_not_found(given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("json", "numpy", "yaml", "cadbridge", "poison/json", "sitecustomize", "usercustomize"):
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text("raise SystemExit('POISON')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", given)
    done = subprocess.run(
        [*python("cadbridge.processes")], env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    script = "import sys, json; print(sys.path)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], env=environment(), capture_output=True, text=True, check=True
    )
    assert str(tmp_path) not in done.stdout
