"""Plain data: what is written comes back number for number, and nothing else is taken for it."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import cadbridge as cb
from cadbridge.errors import InputError
from cadbridge.exporters import export
from cadbridge.exporters.plain import schema_text
from cadbridge.plain import encode
from tests.late import trimesh

Document = dict[str, Any]


def sources(corpus: Path) -> dict[str, Path]:
    return {
        "demo": Path(str(files("cadbridge.data"))) / "demo" / "demo.step",
        "quadruped": corpus / "quadruped_solidworks" / "Assem4.xml",
        "kr16": corpus / "kuka_kr16_support" / "urdf" / "kr16_2.urdf",
    }


@pytest.fixture(scope="module")
def export_of_the_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    mechanism = cb.build(cb.read(sources(Path())["demo"]))
    return export(mechanism, tmp_path_factory.mktemp("json") / "out", "json").files[0]


@pytest.fixture
def written(export_of_the_demo: Path, tmp_path: Path) -> Path:
    """A copy of the export that a test may spoil."""
    return Path(shutil.copytree(export_of_the_demo.parent, tmp_path / "out")) / export_of_the_demo.name


@pytest.mark.parametrize("name", ["demo", "quadruped", "kr16"])
def test_an_assembly_comes_back_as_it_was(name: str, corpus: Path, tmp_path: Path) -> None:
    assembly = cb.read(sources(corpus)[name])
    result = export(cb.build(assembly), tmp_path / "out", "json")
    again = cb.read(result.files[0])
    assert again.extra["taken"]["reader"] == "json"
    for one in (assembly, again):
        del one.extra["taken"]  # which reader took the file: another one, of course
    meshes: list[tuple[bytes, bytes]] = []

    def mesh(m: Any) -> int:
        meshes.append((m.vertices.tobytes(), m.triangles.tobytes()))
        return len(meshes)

    first, second = encode(assembly, mesh), meshes.copy()
    meshes.clear()
    assert encode(again, mesh) == first
    assert meshes == second
    document = json.loads(result.files[0].read_text("utf-8"))
    jsonschema.validate(document, json.loads(schema_text()))


def test_the_same_mechanism_is_built_from_it(written: Path, tmp_path: Path) -> None:
    first = cb.build(cb.read(sources(tmp_path)["demo"]))
    second = cb.build(cb.read(written))
    assert [j.name for j in first.joints] == [j.name for j in second.joints]
    runs = [cb.simulate(m, duration=0.05).result.trajectory for m in (first, second)]
    assert np.array_equal(runs[0].coordinates, runs[1].coordinates)


def test_the_published_schema_is_current() -> None:
    assert files("cadbridge.data").joinpath("schemas/mechanism-1.json").read_text("utf-8") == schema_text()


def test_the_meshes_load_elsewhere(written: Path) -> None:
    for path in sorted((written.parent / "meshes").glob("*_fine.ply")):
        assert trimesh.load_mesh(path).is_watertight


def first_instance(document: Document) -> Document:
    return document["assembly"]["instances"][0]  # type: ignore[no-any-return]


FAULTS: dict[str, tuple[Callable[[Document], Any], str]] = {
    "no assembly": (lambda d: d.pop("assembly"), "CB1901"),
    "an assembly of text": (lambda d: d.update(assembly="x"), "CB1901"),
    "another format": (lambda d: d.update(format="cadbridge.mechanism/2"), "CB180"),
    "a missing name": (lambda d: first_instance(d).pop("name"), "CB1901"),
    "a name of numbers": (lambda d: first_instance(d).update(name=3), "CB1901"),
    "an unknown field": (lambda d: first_instance(d).update(colr=3), "CB1901"),
    "a part that is not there": (lambda d: first_instance(d).update(part="?"), "CB1903"),
    "a component that is not there": (lambda d: first_instance(d).update(component="?"), "CB1903"),
    "a vector of two": (lambda d: first_instance(d)["X_WI"].update(p=[0, 0]), "CB1901"),
    "a vector of text": (lambda d: first_instance(d)["X_WI"].update(p=["a", "b", "c"]), "CB1901"),
    "a vector without end": (lambda d: first_instance(d)["X_WI"].update(p=["NaN", 0, 0]), "CB1901"),
    "a ragged matrix": (lambda d: first_instance(d)["X_WI"].update(R=[[1, 0, 0], [0, 1], [0, 0, 1]]), "CB1901"),
    "a stretched placement": (lambda d: first_instance(d)["X_WI"].update(R=np.diag([2, 1, 1]).tolist()), "CB1903"),
    "a mirrored placement": (lambda d: first_instance(d)["X_WI"].update(R=np.diag([-1, 1, 1]).tolist()), "CB1903"),
    "instances that are no list": (lambda d: d["assembly"].update(instances={}), "CB1901"),
    "an unknown kind of mate": (lambda d: d["assembly"]["mates"][0].update(kind="glued"), "CB1901"),
    "a mate with a side missing": (lambda d: d["assembly"]["mates"][0].pop("b"), "CB1901"),
    "a mate of nothing": (lambda d: d["assembly"]["mates"][0]["a"].update(component="?"), "CB1903"),
    "a huge number": (lambda d: d["assembly"]["mates"][0].update(value=10**400), "CB1901"),
    "a true number": (lambda d: d["assembly"]["mates"][0].update(value=True), "CB1901"),
    "a mesh that is no reference": (lambda d: d["assembly"]["parts"][0]["shape"].update(fine=[1]), "CB1901"),
    "a mesh that is missing": (lambda d: d["assembly"]["parts"][0]["shape"]["fine"].update(file="no.ply"), "CB106"),
    "a mesh outside": (lambda d: d["assembly"]["parts"][0]["shape"]["fine"].update(file="../../x.ply"), "CB102"),
    "a mesh at the root": (lambda d: d["assembly"]["parts"][0]["shape"]["fine"].update(file="/etc/passwd"), "CB102"),
    "a mesh that is none": (lambda d: d["assembly"]["parts"][0]["shape"]["fine"].update(file="losses.json"), "CB1902"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_its_place(name: str, written: Path) -> None:
    spoil, code = FAULTS[name]
    document = copy.deepcopy(json.loads(written.read_text("utf-8")))
    spoil(document)
    written.write_text(json.dumps(document), "utf-8")
    with pytest.raises(InputError) as error:
        cb.read(written)
    assert code in {f.code for f in error.value.findings}


@pytest.mark.parametrize("size", [10, 1000, 50_000])
def test_a_truncated_document_is_told(size: int, written: Path) -> None:
    written.write_bytes(written.read_bytes()[:size])
    with pytest.raises(InputError):
        cb.read(written)
