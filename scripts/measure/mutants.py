#!/usr/bin/env python3
"""Mutants of the solver and of lowering: small changes of the code, by chance, and whether a test notices each.

    PYTHONPATH=FOLDER scripts/measure/mutants.py [--room ROOM …] [--count 40] [--seed 0] [--log FILE]

Run it with the Python that has cadbridge and its tests. cosmic-ray makes the mutants; it is no dependency:
`pip install --target FOLDER cosmic-ray`. No file is changed: a process of its own takes each mutant's code in place of
the code that was imported, and runs the fast tests of its room, the quickest first: those that take less than 0.6 s,
6 s together. Kernels run as Python there (`tests/kernels_in_python.py`), so that nothing is compiled. A row for each
room: mutants, killed, of these by tests that found no end, alive; above it those that live, each with its lines as they
were and as they are. With `--log` each mutant is a line of JSON there. Exit status 1 where one lives.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import json
import os
import re
import resource
import signal
import sys
import time
import types
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
SLOW, TOGETHER, ENDLESS = 0.6, 6.0, 30
"""Processor seconds: of a test that is too slow, of all tests of a mutant, of a mutant that finds no end."""
_SENSELESS = re.compile(r"RemoveDecorator|Bit|Shift|FloorDiv|_Mod|_Pow|Invert|USub_Not|_Is|Exception|Variable")
"""Operators that make no sense where numbers are real, or of annotations."""


@dataclass(frozen=True)
class Room:
    """Modules that are changed, the tests that concern them, and whether kernels run as Python."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    python: bool = True


_EQUATIONS = ("tests/solver/equations", "tests/solver/sweeps")
_STEPS = (
    "tests/solver/steps",
    *(f"tests/solver/{name}.py" for name in ("chart/test_chart", "chart/test_closing", "runs/test_integrate")),
)
ROOMS = {
    "constraints": Room(
        ("solver/constraints/primitives.py", "solver/constraints/kernels.py", "solver/constraints/gears.py"),
        ("tests/solver/constraints",),
    ),
    "equations": Room(("solver/equations/dynamics.py", "solver/equations/kkt.py"), _EQUATIONS),
    "projection": Room(("solver/equations/projection.py",), _EQUATIONS),
    "loads": Room(
        ("solver/equations/loads.py",),
        tuple(f"tests/solver/equations/test_{name}.py" for name in ("single_loads", "loads", "meshes")),
    ),
    "sweeps": Room(("solver/sweeps/factor.py", "solver/sweeps/joints.py", "solver/sweeps/loops.py"), _EQUATIONS),
    "samples": Room(("solver/steps/samples.py", "solver/chart/within.py", "solver/chart/stepping.py"), _STEPS),
    "lowering": Room(
        ("cadbridge/lowering.py",),
        ("tests/test_lowering.py", *(f"tests/simulation/test_{n}.py" for n in ("loads", "reactions", "by_stiffness"))),
        False,
    ),
}


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    module: str
    operator: str
    source: str
    was: str

    def change(self) -> str:
        """Where it is, and the lines that differ, as they were and as they are."""
        lines = list(difflib.unified_diff(self.was.splitlines(), self.source.splitlines(), lineterm="", n=0))[2:]
        place = re.search(r"-(\d+)", lines[0])
        assert place is not None
        return f"{self.module}:{place[1]}: " + " ".join(" ".join(one.split()) for one in lines[1:])


def mutants(module: str) -> list[tuple[str, str, Any, int]]:
    """Every change of a module that makes sense: module, operator's name, operator, and at which of its places."""
    trees, plugins = importlib.import_module("cosmic_ray.ast"), importlib.import_module("cosmic_ray.plugins")
    tree, found = trees.get_ast_from_path(ROOT / module), []
    for name in sorted(plugins.operator_names()):
        kind = plugins.get_operator(name)
        if not _SENSELESS.search(name) and not kind.arguments():
            places = [place for node in trees.ast_nodes(tree) for place in kind().mutation_positions(node)]
            found += [(module, name.removeprefix("core/"), kind(), k) for k in range(len(places))]
    return found


def chosen(room: Room, count: int, chance: np.random.Generator) -> list[Mutant]:
    """Mutants of a room by chance."""
    mutate_code = importlib.import_module("cosmic_ray.mutating").mutate_code
    every, made = [one for module in room.modules for one in mutants(module)], list[Mutant]()
    for k in chance.permutation(len(every)):
        module, name, operator, place = every[int(k)]
        was = (ROOT / module).read_text(encoding="utf-8")
        source = mutate_code(was, operator, place)
        if source is not None and source != was:
            made.append(Mutant(module, name, source, was))
        if len(made) == count:
            break
    return made


def put_in_place(mutant: Mutant) -> None:
    """Let everything that was imported from a module run the mutant's code, and have its constants."""
    module = importlib.import_module(mutant.module.removesuffix(".py").replace("/", "."))
    space: dict[str, Any] = {"__name__": module.__name__, "__file__": module.__file__}
    exec(compile(mutant.source, str(module.__file__), "exec", dont_inherit=True), space)
    for name, new in space.items():
        old = getattr(module, name, None)
        if getattr(old, "__module__", module.__name__) != module.__name__ or name.startswith("__"):
            continue
        if isinstance(new, int | float | tuple) and type(new) is type(old) and not hasattr(new, "_fields"):
            for other in [m for n, m in sys.modules.items() if n.startswith(("solver", "cadbridge")) and m is not None]:
                if getattr(other, name, None) is old:
                    setattr(other, name, new)
        for one, two in _functions(old, new):
            one.__code__, one.__defaults__, one.__kwdefaults__ = two.__code__, two.__defaults__, two.__kwdefaults__


def _functions(old: Any, new: Any) -> list[tuple[Any, Any]]:
    """The functions of a kernel, a class or a function, each with what takes its place."""
    old, new = getattr(old, "py_func", old), getattr(new, "py_func", new)
    if isinstance(old, types.FunctionType):
        return [(old, new)]
    if not isinstance(old, type):
        return []
    pairs = [(vars(old)[n], vars(new)[n]) for n in vars(new) if n in vars(old)]
    inner = [(getattr(a, "fget", a), getattr(b, "fget", b)) for a, b in pairs]
    inner = [(getattr(a, "__func__", a), getattr(b, "__func__", b)) for a, b in inner]
    return [(a, b) for a, b in inner if isinstance(a, types.FunctionType)]


class Timed:
    """Runs tests within their processor seconds, and says what each took; of these `only` some, in their order."""

    def __init__(self, limit: float, only: tuple[str, ...] = ()) -> None:
        self.limit, self.only, self.took = limit, only, dict[str, float]()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Few examples of each property; only what is wanted."""
        from hypothesis import settings

        for item in items:
            given = getattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings", None)
            if given is not None:
                item.obj._hypothesis_internal_use_settings = settings(given, max_examples=5)  # type: ignore[attr-defined]
        if self.only:
            place = {name: k for k, name in enumerate(self.only)}
            items[:] = sorted((i for i in items if i.nodeid in place), key=lambda i: place[i.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """Measure a test; TimeoutError where it takes too long."""
        began = time.process_time()
        signal.signal(signal.SIGPROF, _too_long)
        signal.setitimer(signal.ITIMER_PROF, self.limit)
        try:
            yield
            self.took[item.nodeid] = time.process_time() - began
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)


def _too_long(*_: object) -> None:
    raise TimeoutError


def apart(work: Callable[[], object]) -> tuple[str, str]:
    """What a piece of work, in a process of its own without output, gives as text; and how the process ended."""
    inward, outward = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (ENDLESS * 20, ENDLESS * 20))
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        try:
            os.write(outward, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(outward)
    with os.fdopen(inward, "rb") as pipe:
        text = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    return text, "killed" if os.WIFSIGNALED(status) else "ended"


def tested(room: Room, plugin: Timed, *more: str) -> int:
    """Run a room's tests; pytest's status."""
    options = ["-q", "-p", "no:cacheprovider", "--assert=plain", "--tb=native", "-W", "ignore", *more]
    kernels = ["-p", "tests.kernels_in_python"] if room.python else []
    return int(pytest.main([*options, *kernels, *room.tests], plugins=[plugin]))


def fast_tests(room: Room) -> tuple[str, ...]:
    """The fast tests of a room that pass, the quickest first."""

    def measure() -> dict[str, float]:
        plugin = Timed(SLOW)
        tested(room, plugin)
        return plugin.took

    text, _ = apart(measure)
    found, total = list[str](), 0.0
    for name, seconds in sorted(json.loads(text).items(), key=lambda one: float(one[1])):
        total += seconds
        if total <= TOGETHER:
            found.append(name)
    return tuple(found)


def outcome(room: Room, only: tuple[str, ...], mutant: Mutant) -> str:
    """What the tests say of a mutant: killed, endless or alive."""

    def judge() -> int:
        resource.setrlimit(resource.RLIMIT_CPU, (ENDLESS, ENDLESS))
        put_in_place(mutant)
        return tested(room, Timed(ENDLESS / 2, only), "-x")

    text, how = apart(judge)
    return "endless" if how == "killed" else "alive" if text == "0" else "killed"


def imported(room: Room) -> None:
    """Import what a room's tests need, so that no mutant has to."""
    if room.python:
        importlib.import_module("tests.kernels_in_python")
    for module in room.modules:
        importlib.import_module(module.removesuffix(".py").replace("/", "."))
    places = [ROOT / test for test in room.tests]
    for path in [p for one in places for p in (sorted(one.glob("test_*.py")) if one.is_dir() else [one])]:
        importlib.import_module(path.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."))


def of_room(name: str, call: argparse.Namespace) -> int:
    """Print a room's row; how many of its mutants live."""
    room, counts = ROOMS[name], {"killed": 0, "endless": 0, "alive": 0}
    imported(room)
    only = fast_tests(room)
    print(f"{name}: {len(only)} tests", file=sys.stderr, flush=True)
    for mutant in chosen(room, call.count, np.random.default_rng([call.seed, *name.encode()])):
        found = outcome(room, only, mutant)
        counts[found] += 1
        if found == "alive":
            print(mutant.change(), flush=True)
        if call.log is not None:
            facts = {"room": name, "outcome": found, "operator": mutant.operator, "change": mutant.change()}
            with call.log.open("a", encoding="utf-8") as log:
                log.write(json.dumps(facts, ensure_ascii=False) + "\n")
    killed = counts["killed"] + counts["endless"]
    print(f"| {name} | {sum(counts.values())} | {killed} | {counts['endless']} | {counts['alive']} |", flush=True)
    return counts["alive"]


def main() -> int:
    """Print the table, a room in a process of its own: kernels in Python stay so."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--room", nargs="*", default=list(ROOMS), choices=list(ROOMS))
    parser.add_argument("--count", type=int, default=40, help="mutants of each room")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log", type=Path, default=None, help="a file for a line each mutant")
    call = parser.parse_args()
    os.chdir(ROOT)
    sys.path[0] = str(ROOT)
    living = 0
    for name in call.room:
        child = os.fork()
        if child == 0:
            os._exit(min(of_room(name, call), 255))
        living += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return int(living > 0)


if __name__ == "__main__":
    sys.exit(main())
