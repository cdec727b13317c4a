"""Runs every engine on every case, each pair in its own process, and puts the answers side by side as plain data."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmark.cases import Case
from benchmark.child import REFERENCE, Answer
from benchmark.errors import errors

FIRST_CALL = """
import pickle, sys, time
import numpy
began = time.perf_counter()
from solver.steps.methods import slope_at
from solver.equations.projection import project
from solver.equations.system import prepare
imported = time.perf_counter() - began
case = pickle.load(open(sys.argv[1], "rb"))
start = case.start()
began = time.perf_counter() - imported
system = prepare(case.model())
slope_at(system, project(system, start).state)
print(time.perf_counter() - began)
"""
"""The first accelerations of a process that finds the kernels compiled, from what a case says and its state.

Importing the solver, loading its library and building the model are parts of it; NumPy and the benchmark are not.
"""


STARTING = 300.0
"""s: more than any engine's start takes, also where the machine has much else to do."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""In every engine: what is compared is the engines' work, not how many cores are free."""


def _run(command: list[str], seconds: float) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **ONE_THREAD}
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False, env=environment)


def ask(case_file: Path, name: str, seconds: float) -> Answer:
    """The answer of a child; it has twice the seconds and what its start may take, then it is ended."""
    place = case_file.with_name(f"{name}.answer")
    command = [sys.executable, "-m", "benchmark.child", str(case_file), name, str(place), str(seconds)]
    ended = ""
    try:
        done = _run(command, 2 * seconds + STARTING)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            ended = f"its process ended with {done.returncode}: {last[:200]}"
    except subprocess.TimeoutExpired:
        ended = f"ended after {2 * seconds + STARTING:g} s without an answer"
    answer: Answer = pickle.loads(place.read_bytes()) if place.exists() else Answer()
    answer.said = answer.said or ended
    return answer


def compare(case: Case, engines: list[str], seconds: float, say: Callable[[str], None]) -> dict[str, Any]:
    """All engines on a case: evaluations, runs with their errors against the reference, and what was refused."""
    with tempfile.TemporaryDirectory() as folder:
        case_file = Path(folder) / "case.pickle"
        case_file.write_bytes(pickle.dumps(case))
        reference = ask(case_file, REFERENCE, 300.0)
        if reference.reference is None:
            return {"case": case.name, "bodies": case.count, "said": reference.said, "engines": {}}
        found = {}
        for name in engines:
            began = time.perf_counter()
            found[name] = _judged(case, ask(case_file, name, seconds), reference)
            say(f"{case.name}: {name}, {time.perf_counter() - began:.0f} s {found[name]['said']}")
        command = [sys.executable, "-c", FIRST_CALL, str(case_file)]
        first = _run(command, STARTING)
    return {
        "case": case.name,
        "bodies": case.count,
        "loops": len(case.loops),
        "gears": len(case.gears),
        "duration": case.duration,
        "said": reference.said,
        "first_call": float(first.stdout) if first.returncode == 0 else None,
        "engines": found,
    }


def _judged(case: Case, answer: Answer, reference: Answer) -> dict[str, Any]:
    """An answer as plain data, its errors recomputed."""
    assert reference.reference is not None
    evaluation = None
    if answer.evaluation is not None:
        assert reference.evaluation is not None
        right = reference.evaluation.accelerations
        wrong = float(np.max(np.abs(answer.evaluation.accelerations - right)))
        error = wrong / max(float(np.max(np.abs(right))), 1.0)
        evaluation = {"what": answer.evaluation.what, "seconds": answer.evaluation.seconds, "error": error}
        evaluation["beside"] = answer.evaluation.beside
    runs = []
    for run in answer.runs:
        e = errors(case, run, reference.reference)
        runs.append(
            {
                "method": run.method,
                "setting": run.setting,
                "seconds": run.seconds,
                "sampled": run.sampled,
                "steps": run.steps,
                "position": e.position,
                "along": e.along,
                "held": e.held,
                "held_rates": e.held_rates,
            }
        )
    return {"evaluation": evaluation, "runs": runs, "failed": answer.failed, "said": answer.said}
