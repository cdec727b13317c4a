"""One engine on one case in a process of its own: an engine that crashes or hangs takes nothing with it.

Called as `python -m benchmark.child CASE.pickle ENGINE ANSWER.pickle SECONDS`; the parent reads the answer, which is
rewritten after every run, so that what was done is kept.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmark.cases import relative_accelerations
from benchmark.engines import OWN, load
from benchmark.engines.base import Evaluation, Run, UnsupportedError

REFERENCE = "reference"
MEMORY = 8 << 30


@dataclass
class Answer:
    """What a child found; `said` is why it ended early or left something out, `failed` the simulations it lost."""

    evaluation: Evaluation | None = None
    runs: list[Run] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    said: str = ""
    reference: Run | None = None


def main(case_file: str, name: str, answer_file: str, seconds: str) -> None:
    """Answer one question, and write what is known after each part of it."""
    _bound_memory()
    case = pickle.loads(Path(case_file).read_bytes())
    answer = Answer()
    try:
        if name == REFERENCE:
            own = load(OWN)(case)
            answer.reference, answer.said = own.reference()  # type: ignore[attr-defined]
            answer.evaluation = Evaluation("dense reference", 0.0, relative_accelerations(case))
        else:
            _measure(case, name, answer, Path(answer_file), float(seconds))
    except ImportError as gone:
        answer.said = f"not installed: {gone}"
    except (UnsupportedError, ArithmeticError, RuntimeError, ValueError, MemoryError) as refusal:
        answer.said = f"{type(refusal).__name__}: {' '.join(str(refusal).split())[:300]}"
    _write(answer, Path(answer_file))


def _bound_memory() -> None:
    """At most 8 GB for an engine, where the system can say so: the whole machine is not its own."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _measure(case: object, name: str, answer: Answer, place: Path, allowed: float) -> None:
    engine = load(name)(case)  # type: ignore[arg-type]
    answer.evaluation = engine.evaluation()
    _write(answer, place)
    began = None
    for run in engine.runs():
        # The first run may compile what it needs; that is not counted.
        began = began or time.perf_counter()
        if isinstance(run, str):
            answer.failed.append(run)
        else:
            answer.runs.append(run)
        _write(answer, place)
        if time.perf_counter() - began > allowed:
            answer.said = f"stopped after {allowed:g} s; what is finer was left out"
            return


def _write(answer: Answer, place: Path) -> None:
    part = place.with_suffix(".part")
    part.write_bytes(pickle.dumps(answer))
    os.replace(part, place)


if __name__ == "__main__":
    # By its own name, or the answer's class would be one of `__main__`, which the parent cannot read.
    from benchmark.child import main as answering

    answering(*sys.argv[1:])
