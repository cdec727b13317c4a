"""Public names say what they take, give and raise, as Napoleon reads it; the examples of the Python reference run."""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import os
import re
import runpy
import shutil
import sys
import textwrap
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import cadbridge
import cadbridge.jobs
import solver

ROOT = Path(__file__).resolve().parents[1]
GEARED = ROOT / "fixtures" / "geared_robot3"
HEADING = re.compile(r"^(Args|Returns|Yields|Raises|Attributes|Example):$", re.MULTILINE)

INTERNAL = {
    "Beginning": "how a file begins, which each format's own test looks at",
    "System": "a model prepared for the kernels, with their tables",
    "Built": "a bond graph as it is drawn: solver.bondgraph has it",
    "KinetoStatics": "a bond graph's equations: solver.bondgraph has it",
    "Blocks": "the order of solution of a geared robot, which the analysis itself walks",
    "Ended": "how a process of a job ended, which executors hand to `run`",
    "Hashes": "hashes of files, which `run` hands to the cache",
    "StoredResult": "an entry of the cache, which `run` looks into",
}
"""Classes that public ones bear and that nobody needs to look into, with what they are."""


@pytest.fixture(scope="module")
def named() -> Iterator[dict[str, Any]]:
    """The names of the reference and what they mean, with annotations that can be evaluated."""
    folder = str(ROOT / "scripts" / "documenting")
    sys.path.insert(0, folder)
    try:
        names = runpy.run_path(str(ROOT / "scripts" / "documenting" / "python_names.py"))
        names["name_types"]()
        public = dict(names["public"]())
        yield names | {"public": public, "described": public | dict(names["further"]())}
    finally:
        sys.path.remove(folder)


@dataclass(frozen=True)
class Described:
    """A docstring by its sections: the text before them under "", and the names that each describes."""

    first: str
    sections: dict[str, str]

    @classmethod
    def of(cls, thing: object) -> Described:
        parts = HEADING.split(inspect.cleandoc(getattr(thing, "__doc__", None) or ""))
        return cls(parts[0].split("\n\n")[0].strip(), dict(zip(parts[1::2], parts[2::2], strict=True)))

    def names(self, section: str) -> set[str]:
        """What a section describes: entries stand four spaces in, with their continuations further in."""
        return set(re.findall(r"^ {4}\*{0,2}([\w.]+): \S", self.sections.get(section, ""), re.MULTILINE))


def functions(named: dict[str, Any], which: str = "described") -> Iterator[tuple[str, Callable[..., Any]]]:
    """Public functions, and the public methods of public classes."""
    for name, thing in named[which].items():
        if not inspect.isclass(thing):
            yield name, thing
            continue
        for own, value in vars(thing).items():
            function = getattr(value, "__func__", value)
            ours = (not own.startswith("_") and own not in attributes(thing)) or own == "__getitem__"
            if inspect.isfunction(function) and ours:
                yield f"{name}.{own}", function


def raised(function: Callable[..., Any]) -> set[str]:
    """The errors that the code of a function raises itself, by name."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    calls = (node.exc.func for node in ast.walk(tree) if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call))
    return {call.id for call in calls if isinstance(call, ast.Name) and call.id.endswith("Error")}


def lacks(name: str, function: Callable[..., Any]) -> list[str]:
    """What the docstring of a function does not say."""
    said, signature = Described.of(function), inspect.signature(function)
    parameters = set(signature.parameters) - {"self", "cls"}
    found = [f"{name}: Args has no line for {p}" for p in sorted(parameters - said.names("Args"))]
    found += [f"{name}: Args has a line for {p}, which it does not take" for p in said.names("Args") - parameters]
    gives = signature.return_annotation not in ("None", None)
    if gives and not {"Returns", "Yields"} & said.sections.keys():
        found.append(f"{name}: no section Returns")
    found += [f"{name}: Raises has no line for {e}" for e in sorted(raised(function) - said.names("Raises"))]
    # Napoleon takes what stands before a colon for the type.
    if ":" in re.sub(r"`[^`]*`", "", said.sections.get("Returns", "")):
        found.append(f"{name}: a colon in Returns")
    return found


def attributes(thing: type) -> set[str]:
    """The public attributes that a class declares, those of its bases included."""
    if dataclasses.is_dataclass(thing):
        return {f.name for f in dataclasses.fields(thing) if not f.name.startswith("_")}
    return set(getattr(thing, "_fields", ()))


def test_every_public_name_is_in_the_reference(named: dict[str, Any]) -> None:
    packages: list[tuple[ModuleType, list[str]]] = [
        (module, list(module.__all__)) for module in (cadbridge, cadbridge.jobs, solver)
    ]
    things = [getattr(module, name) for module, names in packages for name in names]
    shown = list(named["public"].values())
    assert [thing for thing in things if not inspect.ismodule(thing) and thing not in shown] == []


def test_every_function_says_what_it_takes_gives_and_raises(named: dict[str, Any]) -> None:
    assert [fault for name, function in functions(named) for fault in lacks(name, function)] == []


def test_every_attribute_of_a_public_class_is_described(named: dict[str, Any]) -> None:
    found = []
    for name, thing in named["described"].items():
        if inspect.isclass(thing) and not issubclass(thing, enum.Enum):
            said, own = Described.of(thing).names("Attributes"), attributes(thing)
            found += [f"{name}: no line for {a}" for a in sorted(own - said)]
            if own:
                found += [f"{name}: a line for {a}, which it does not have" for a in sorted(said - own)]
    assert found == []


def test_the_first_line_is_one_sentence(named: dict[str, Any]) -> None:
    things = dict(functions(named)) | named["described"]
    firsts = {name: Described.of(thing).first for name, thing in things.items()}
    assert {n: first for n, first in firsts.items() if "\n" in first or not first.endswith(".")} == {}


def test_every_property_is_described(named: dict[str, Any]) -> None:
    classes = [thing for thing in named["described"].values() if inspect.isclass(thing)]
    own = [(f"{c.__name__}.{name}", v) for c in classes for name, v in vars(c).items() if name[0] != "_"]
    properties = [(n, v) for n, v in own if isinstance(v, property) or hasattr(v, "attrname")]
    assert len(properties) > 20
    assert [name for name, value in properties if not value.__doc__] == []


def classes_in(annotation: Any) -> Iterator[type]:
    """Our classes in an annotation."""
    for part in typing.get_args(annotation):
        yield from classes_in(part)
    if inspect.isclass(annotation) and annotation.__module__.split(".")[0] in ("cadbridge", "solver"):
        yield annotation


def evaluated(thing: Any) -> dict[str, Any]:
    module = sys.modules[thing.__module__]
    bearing = reversed(thing.__mro__) if inspect.isclass(thing) else (thing,)
    hints = {name: hint for one in bearing for name, hint in inspect.get_annotations(one).items()}
    return {
        name: eval(hint, vars(module)) if isinstance(hint, str) else hint
        for name, hint in hints.items()
        if not name.startswith("_") and "pd." not in str(hint) and "xr." not in str(hint)
    }


def test_what_public_names_give_is_public_too(named: dict[str, Any]) -> None:
    """A result class whose attributes nobody describes is no result for whoever imports it."""
    shown = {thing for thing in named["public"].values() if inspect.isclass(thing)}
    lost = {
        f"{name}.{place}: {found.__name__}"
        for name, thing in (*named["public"].items(), *functions(named, "public"))
        for place, hint in evaluated(thing).items()
        for found in classes_in(hint)
        if found not in shown and found.__name__ not in INTERNAL
    }
    assert lost == set()


def test_a_parameter_without_a_line_is_noticed() -> None:
    def function(path: str, rate: float, *, step: float = 0.1) -> int:
        """Do it.

        Args:
            path: A file, which may
                take: two lines.
            step: Its length in s.

        Returns:
            A number: of what.
        """
        if rate < 0:
            raise ValueError("no")
        return 1

    assert lacks("f", function) == [
        "f: Args has no line for rate",
        "f: Raises has no line for ValueError",
        "f: a colon in Returns",
    ]


def test_the_examples_of_the_reference_run(named: dict[str, Any], tmp_path: Path) -> None:
    for path in (Path(str(files("cadbridge.data"))) / "demo").glob("demo.*"):
        shutil.copy(path, tmp_path)
    shutil.copy(GEARED / "geared_robot3.urdf", tmp_path)
    shutil.copy(GEARED / "geared_robot3.mates.yaml", tmp_path)
    motion = "format: cadbridge.motion/1\nduration: 0.1\nrate: 20\njoints: {theta1: 5*t, theta2: 5*t, theta3: 5*t}\n"
    (tmp_path / "path.yaml").write_text(motion, encoding="utf-8")
    found: dict[str, Any] = {}
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        for group in named["GROUPS"]:
            exec(compile(group.example, group.page, "exec"), found)
    finally:
        os.chdir(before)
    assert found["run"].result.status.ok
    assert found["rest"].status.ok
    assert [result.state for result in found["results"]] == ["done"]
    assert (tmp_path / "out" / "losses.json").is_file()
