"""No process of ours finds a module in the folder that the user stands in."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from cadbridge.processes import HOME, environment, program, python
from tests.waiting import SLOW, settled

SOURCES = sorted((HOME / "cadbridge").rglob("*.py"))
STARTS = {"Popen", "run", "call", "check_call", "check_output", "getoutput", "system", "popen", "startfile"}
SPAWNS = {"multiprocessing", "concurrent.futures.process"}
# Most files need not be parsed: what is looked for stands in none of their words.
STARTING = re.compile(r"\b(subprocess|os)\b")
PYTHON = re.compile(r"\b(executable|multiprocessing|concurrent)\b")


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


def _with(word: re.Pattern[str], paths: list[Path]) -> Iterator[tuple[Path, ast.Module]]:
    """The files that hold a word, parsed."""
    for path in paths:
        if word.search(text := path.read_text(encoding="utf-8")):
            yield path, ast.parse(text)


def test_every_process_is_started_in_the_one_way() -> None:
    found = []
    for path, tree in _with(STARTING, SOURCES):
        for call in _starts(tree):
            found.append(path.name)
            command = call.args[0]
            assert isinstance(command, ast.Call), f"{path}:{call.lineno}"
            assert ast.unparse(command.func) in ("python", "program"), f"{path}:{call.lineno}"
            given = {k.arg: ast.unparse(k.value) for k in call.keywords}
            assert given.get("env", "").startswith("environment("), f"{path}:{call.lineno}"
            assert "shell" not in given
    assert len(found) >= 4


def test_a_tool_of_the_machine_is_named_by_its_whole_path() -> None:
    assert program([sys.executable, "-V"], "x") == [sys.executable, "-V", "x"]
    with pytest.raises(ValueError, match="not an absolute path"):
        program(["cc"], "-c")


def test_nothing_else_starts_python() -> None:
    """Neither a module's flag beside the one way, nor the standard library's pools of processes."""
    for path, tree in _with(PYTHON, SOURCES):
        if path.name == "processes.py":
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.List | ast.Tuple):
                assert "sys.executable" not in [ast.unparse(e) for e in node.elts], f"{path}:{node.lineno}"
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [a.name for a in node.names] + [getattr(node, "module", None) or ""]
                assert not SPAWNS & set(names), f"{path}:{node.lineno}"


def test_the_scripts_that_start_the_command_leave_the_folder_out() -> None:
    for _, tree in _with(PYTHON, sorted((HOME / "scripts").rglob("*.py"))):
        for node in ast.walk(tree):
            if isinstance(node, ast.List):
                words = [ast.unparse(e) for e in node.elts]
                if words[:1] == ["sys.executable"] and "'cadbridge'" in words:
                    assert "'-P'" in words, ast.unparse(node)


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


def _limited(code: str, seconds: float) -> tuple[str, float]:
    """Which limit a program reaches, and the seconds of the clock until then."""
    from cadbridge.processes import TimeLimit, family

    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        limit, began = TimeLimit(process.pid, seconds), time.monotonic()
        while not (reached := limit.reached) and time.monotonic() - began < SLOW:
            time.sleep(0.01)
        for pid in (*family(process.pid), process.pid):
            psutil.Process(pid).kill()
    return reached, time.monotonic() - began


_BURN = "\nwhile True: pass"


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock does not end what gets little of a busy machine."""
    monkeypatch.setattr("cadbridge.processes.PATIENCE", 200.0)


def test_a_limit_counts_processor_time_of_a_process_that_burns(patient: None) -> None:
    reached, clock = _limited(f"print(flush=True){_BURN}", 0.3)
    assert reached == "0.3 s of processor time"
    assert clock >= 0.25


def test_a_limit_counts_what_children_burn_too(patient: None) -> None:
    child = f"import subprocess, sys; print(flush=True); subprocess.run([sys.executable, '-c', {_BURN!r}], timeout=60)"
    assert _limited(child, 0.3)[0] == "0.3 s of processor time"


def test_one_that_sleeps_is_stopped_by_the_clock_much_later() -> None:
    reached, clock = _limited("import time; print(flush=True); time.sleep(30)", 0.1)
    assert reached == "1 s on the clock"
    assert clock >= 1.0


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the system does not tell what waits")
def test_what_gets_little_of_a_busy_machine_is_not_stopped_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four on one processor: a seventh of a second of it takes one of them more than half a second on the clock."""
    monkeypatch.setattr("cadbridge.processes.PATIENCE", 2.0)
    pinned = f"import os\nos.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\nprint(flush=True){_BURN}"
    others = [subprocess.Popen([sys.executable, "-c", pinned], stdout=subprocess.PIPE) for _ in range(3)]
    try:
        for other in others:
            assert other.stdout is not None
            other.stdout.readline()
        assert _limited(pinned, 0.15)[0] == "0.15 s of processor time"
    finally:
        for other in others:
            other.kill()
            other.communicate()


def test_what_a_process_used_before_does_not_count() -> None:
    from cadbridge.processes import TimeLimit, processor_seconds

    assert processor_seconds(os.getpid()) > 0.05
    assert not TimeLimit(os.getpid(), 0.05).reached


BUSY = (
    "from cadbridge.processes import end_with_caller\nend_with_caller()\nprint('ready', flush=True)\nwhile True: pass"
)
CALLER = f"""import subprocess, sys
child = subprocess.Popen([sys.executable, "-P", "-c", {BUSY!r}], stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
child.wait()"""


@pytest.mark.skipif(sys.platform != "linux", reason="the system tells no process that its caller has ended")
def test_what_computes_without_end_ends_with_a_caller_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-P", "-c", CALLER], stdout=subprocess.PIPE, env=environment()) as caller:
        assert caller.stdout is not None
        child = psutil.Process(int(caller.stdout.readline()))
        assert child.is_running()
        caller.kill()
    assert settled(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)
