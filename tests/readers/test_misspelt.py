"""A name that is spelt wrongly is told: its value would be absent without a word, and the machine another one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import cadbridge as cb
from cadbridge.errors import InputError
from tests.readers.test_chrono import link, write
from tests.readers.test_sdf import ARM


def found(path: Path, text: str) -> set[str]:
    """The codes of the findings on a text under a path."""
    path.write_text(text, encoding="utf-8")
    try:
        return {f.code for f in cb.read(path).findings}
    except InputError as error:
        return {f.code for f in error.findings}


TAGS = sorted(set(re.findall(r"<([a-z_0-9]+)[ >]", ARM)) - {"sdf", "world"})


@pytest.mark.parametrize("tag", TAGS)
def test_each_element_of_sdf_with_a_slip_in_its_name_is_told(tag: str, tmp_path: Path) -> None:
    path = tmp_path / "arm.sdf"
    sound = found(path, ARM)
    assert "CB1262" not in sound
    spoilt = re.sub(rf"<{tag}([ >])", rf"<{tag}X\1", ARM).replace(f"</{tag}>", f"</{tag}X>")
    assert found(path, spoilt) - sound


def test_an_element_of_another_program_has_a_prefix_and_is_no_slip(tmp_path: Path) -> None:
    drake = ARM.replace("<sdf ", '<sdf xmlns:drake="http://drake.mit.edu" ', 1)
    drake = drake.replace("<limit>", "<limit><drake:acceleration>3</drake:acceleration>", 1)
    assert "CB1262" not in found(tmp_path / "arm.sdf", drake)


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """All objects of a document."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(inner)


def renamed(text: str, key: str) -> str:
    """A document with a slip in one key of the first object that has it."""
    document = json.loads(text)
    first = next(o for o in objects(document) if key in o)
    first[f"{key}s" if not key.endswith("s") else key[:-1]] = first.pop(key)
    return json.dumps(document)


@pytest.mark.parametrize("key", ["fixed", "mates", "type", "etypes", "points", "dirs", "owners", "world", "density"])
def test_a_key_of_sw2robot_with_a_slip_is_told(key: str, corpus: Path, tmp_path: Path) -> None:
    text = (corpus / "fingertip_sw2robot" / "graph.json").read_text("utf-8")
    sound = found(tmp_path / "graph.json", text)
    assert "CB1319" not in sound
    assert found(tmp_path / "graph.json", renamed(text, key)) - sound


@pytest.mark.parametrize("key", ["suppressed", "featureType", "transform", "fixed", "mateType", "matedEntities"])
def test_a_key_of_onshape_with_a_slip_is_told(key: str, corpus: Path, tmp_path: Path) -> None:
    text = (corpus / "onshape_neurobionics" / "assembly.json").read_text("utf-8")
    sound = found(tmp_path / "assembly.json", text)
    assert "CB1319" not in sound
    assert found(tmp_path / "assembly.json", renamed(text, key)) - sound


@pytest.mark.parametrize(
    ("second", "agrees"),
    [("cA,cB,dA,dB", True), ("cA,cB,chrono.ChVector3d(0,1,0),dB", False), ("cA,cB,dA,chrono.ChVector3d(1,0,0)", False)],
)
def test_two_links_of_one_chrono_mate_that_contradict_each_other_are_told(
    second: str, agrees: bool, tmp_path: Path
) -> None:
    first = link(
        "MateGeneric", "Concentric1", "cA,cB,dA,dB", 1, "SetConstrainedCoords(True,True,False,False,False,False)"
    )
    other = link("MateParallel", "Concentric1", second, 2)
    assembly = cb.read(write(tmp_path, first, other))
    assert [len(assembly.mates), "CB1318" in {f.code for f in assembly.findings}] == (
        [1, False] if agrees else [2, True]
    )


def numbers(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all numbers of a document."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from numbers(inner, (*at, key))


def changed(document: Any, at: tuple[Any, ...], change: Callable[[float], float]) -> Any:
    made = json.loads(json.dumps(document))
    inner = made
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = change(inner[at[-1]])
    return made


def test_every_number_of_our_own_document_that_is_not_read_is_told_when_it_is_edited(tmp_path: Path) -> None:
    robot = tmp_path / "r.urdf"
    robot.write_text(
        '<robot name="r"><link name="base"/><link name="a"><inertial><mass value="2"/><inertia ixx="1" iyy="1" '
        'izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="revolute"><parent link="base"/>'
        '<child link="a"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
    )
    written = cb.export(cb.build(cb.read(robot)), tmp_path / "out", to="json").files[0]
    document = json.loads(written.read_text("utf-8"))
    assert "CB1904" not in found(tmp_path / "same.mechanism.json", json.dumps(document, sort_keys=True))
    places = list(numbers(document["mechanism"], ("mechanism",)))
    assert len(places) > 40
    for at in places:
        edited = json.dumps(changed(document, at, lambda x: 1.5 * x + 0.25))
        assert "CB1904" in found(tmp_path / "edited.mechanism.json", edited), at


@pytest.mark.parametrize("name", ["grounded", "geomType", "Transform", "InstanceTree", "Position", "Axis", "Mass"])
def test_a_name_of_simscape_with_a_slip_is_told(name: str, corpus: Path, tmp_path: Path) -> None:
    text = (corpus / "quadruped_solidworks" / "Assem4.xml").read_text("utf-8")
    sound = found(tmp_path / "Assem4.xml", text)
    assert "CB1319" not in sound
    spoilt = re.sub(rf"(?<=[<\s/]){name}(?=[\s>=])", f"{name}X", text)
    assert spoilt != text
    assert found(tmp_path / "Assem4.xml", spoilt) - sound


@pytest.mark.parametrize("name", ["orientation", "position", "mass", "inertia", "frames"])
def test_a_name_of_simmechanics_with_a_slip_is_told(name: str, corpus: Path, tmp_path: Path) -> None:
    text = (corpus / "icub_simmechanics" / "LEGS_MECHANISM.xml").read_text("utf-8")
    sound = found(tmp_path / "LEGS.xml", text)
    assert "CB1319" not in sound
    spoilt = re.sub(rf"(?<=[</]){name}(?=[\s>])", f"{name}s", text)
    assert found(tmp_path / "LEGS.xml", spoilt) - sound
