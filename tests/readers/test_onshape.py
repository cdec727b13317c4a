"""Onshape's assembly definition and features documents, by hand-made samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly, CouplingKind, MateKind
from cadbridge.readers.onshape import read
from cadbridge.readers.onshape.limits import quantity
from cadbridge.readers.options import ReadOptions
from tests.late import cq

BARE = ReadOptions(geometry=False)
IDS = {"documentId": "d", "elementId": "e", "fullConfiguration": "default"}
CS = {"xAxis": [1, 0, 0], "yAxis": [0, 1, 0], "zAxis": [0, 0, 1], "origin": [0, 0, 0]}


def place(*at: float, linear: Any = None) -> list[float]:
    X = np.eye(4)
    X[:3, :3] = np.eye(3) if linear is None else linear
    X[:3, 3] = at
    return [float(v) for v in X.ravel()]


def part(uid: str, **more: Any) -> dict[str, Any]:
    return {"id": uid, "name": f"{uid} <1>", "type": "Part", "partId": f"J{uid}", "suppressed": False, **IDS, **more}


def occurrence(*path: str, at: tuple[float, float, float] = (0, 0, 0), fixed: bool = False, linear: Any = None) -> Any:
    return {"path": list(path), "transform": place(*at, linear=linear), "fixed": fixed, "hidden": False}


def mate(name: str, kind: str, child: list[str], parent: list[str], cs: Any = CS, **more: Any) -> dict[str, Any]:
    entities = [{"matedOccurrence": child, "matedCS": cs}, {"matedOccurrence": parent, "matedCS": CS}]
    data = {"name": name, "mateType": kind, "matedEntities": entities, **more}
    return {"id": f"F{name}", "featureType": "mate", "suppressed": False, "featureData": data}


def relation(name: str, kind: str, *mates: str, **more: Any) -> dict[str, Any]:
    data = {"name": name, "relationType": kind, "mates": [{"featureId": f"F{m}", "occurrence": []} for m in mates]}
    return {
        "id": f"F{name}",
        "featureType": "mateRelation",
        "suppressed": False,
        "featureData": {**data, "reverseDirection": False, **more},
    }


def document(instances: Any, occurrences: Any, features: Any, subs: Any = ()) -> dict[str, Any]:
    root = {"instances": instances, "occurrences": occurrences, "features": features}
    return {"rootAssembly": root, "subAssemblies": list(subs), "parts": []}


def two(*features: Any, at: tuple[float, float, float] = (0, 0, 0)) -> dict[str, Any]:
    """A fixed base and a part, and the features between them."""
    return document([part("base"), part("arm")], [occurrence("base", fixed=True), occurrence("arm", at=at)], features)


def write(folder: Path, content: Any, name: str = "model.json") -> Path:
    file = folder / name
    file.write_text(json.dumps(content, indent=1))
    return file


def codes(assembly: Assembly) -> list[str]:
    return [f.code for f in assembly.findings]


FREEDOMS = {
    "FASTENED": 0,
    "REVOLUTE": 1,
    "SLIDER": 1,
    "CYLINDRICAL": 2,
    "PIN_SLOT": 2,
    "PLANAR": 3,
    "BALL": 3,
    "PARALLEL": 4,
}


@pytest.mark.parametrize("kind", FREEDOMS)
def test_every_mate_type_leaves_its_freedoms(kind: str, tmp_path: Path) -> None:
    assembly = read(write(tmp_path, two(mate("M", kind, ["arm"], ["base"]))), BARE)
    assert not codes(assembly)
    mobility = cb.diagnose(cb.build(assembly)).mobility
    assert (mobility.dof, mobility.redundant) == (FREEDOMS[kind], 0)


def test_the_first_entity_moves_relative_to_the_second(tmp_path: Path) -> None:
    (made,) = read(write(tmp_path, two(mate("M", "REVOLUTE", ["arm"], ["base"]))), BARE).mates
    assert (made.a.component, made.b.component) == ("base <1>", "arm <1>")
    assert made.where.line is not None


@pytest.mark.parametrize("kind", ["TANGENT", "WIDTH", "GLUED"])
def test_what_needs_surfaces_is_told(kind: str, tmp_path: Path) -> None:
    assembly = read(write(tmp_path, two(mate("M", kind, ["arm"], ["base"]))), BARE)
    assert codes(assembly) == ["CB1303"]
    assert (assembly.mates_in_file, len(assembly.mates)) == (1, 0)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("18 in", 0.4572),
        ("-90 deg", -np.pi / 2),
        ("25.4*mm", 0.0254),
        ("+1e+2 millimetres", 0.1),
        ("2 rad", 2.0),
        (".5", 0.5),
    ],
)
def test_quantities(text: str, value: float) -> None:
    assert quantity(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["#width", "1 in + 2 mm", "3 apples", "", "1e999 m", None, 4])
def test_what_is_no_quantity(text: Any) -> None:
    assert quantity(text) is None


def limits(**values: Any) -> dict[str, Any]:
    given = [{"parameterId": k, "isNull": v is None, "expression": v} for k, v in values.items()]
    return {"features": [{"featureId": "FM", "parameters": [{"parameterId": "limitsEnabled", "value": True}, *given]}]}


def test_limits_of_a_slider_are_counted_from_the_pose_in_the_file(tmp_path: Path) -> None:
    # Drawn 100 mm up a rail of 0 to 300 mm: 100 mm down and 200 mm up are left.
    file = write(tmp_path, two(mate("M", "SLIDER", ["arm"], ["base"]), at=(0, 0, 0.1)))
    write(tmp_path, limits(limitZMin="0 mm", limitZMax="300 mm", limitAxialZMin=None), "model.features.json")
    assembly = read(file, BARE)
    assert not codes(assembly)
    limit = assembly.mates[0].limit
    assert limit is not None
    assert (limit.lower, limit.upper) == pytest.approx((-0.1, 0.2))


def test_a_turn_beyond_half_a_circle_is_taken_into_the_range(tmp_path: Path) -> None:
    # The connectors stand at −100°, which a range of 0 to 300° knows as 260°.
    c, s = np.cos(np.radians(-100)), np.sin(np.radians(-100))
    turned = {**CS, "xAxis": [c, s, 0], "yAxis": [-s, c, 0]}
    content = two(mate("M", "REVOLUTE", ["arm"], ["base"], cs=turned))
    content["features"] = limits(limitAxialZMin="0 deg", limitAxialZMax="300 deg")["features"]
    limit = read(write(tmp_path, content), BARE).mates[0].limit
    assert limit is not None
    assert (limit.lower, limit.upper) == pytest.approx(tuple(np.radians([-260, 40])))


def test_limits_that_the_mate_itself_carries(tmp_path: Path) -> None:
    content = two(mate("M", "REVOLUTE", ["arm"], ["base"], mateLimits={"limitAxialZMin": -0.5, "limitAxialZMax": 1.0}))
    limit = read(write(tmp_path, content), BARE).mates[0].limit
    assert limit is not None
    assert (limit.lower, limit.upper) == pytest.approx((-0.5, 1.0))


def test_limits_of_other_freedoms_and_unreadable_ones_are_told(tmp_path: Path) -> None:
    file = write(tmp_path, two(mate("M", "CYLINDRICAL", ["arm"], ["base"])))
    write(tmp_path, limits(limitZMin="1 mm", limitAxialZMin="#low", limitAxialZMax="1 rad"), "model_features.json")
    assembly = read(file, BARE)
    assert codes(assembly) == ["CB1305", "CB1305"]
    limit = assembly.mates[0].limit
    assert limit is not None
    assert (limit.lower, limit.upper) == (None, 1.0)


def three(kind_a: str, kind_b: str, *relations: Any) -> dict[str, Any]:
    """Two parts on a fixed base, and relations between their mates."""
    return document(
        [part("base"), part("one"), part("two")],
        [occurrence("base", fixed=True), occurrence("one"), occurrence("two", at=(0.1, 0, 0))],
        [
            mate("A", kind_a, ["one"], ["base"]),
            mate("B", kind_b, ["two"], ["base"], {**CS, "origin": [-0.1, 0, 0]}),
            *relations,
        ],
    )


@pytest.mark.parametrize(
    ("kinds", "said", "ratio", "joints"),
    [
        (("REVOLUTE", "REVOLUTE"), relation("R", "GEAR", "A", "B", relationRatio=3), 3.0, ("A", "B")),
        (
            ("REVOLUTE", "CYLINDRICAL"),
            relation("R", "GEAR", "B", "A", relationRatio=3, reverseDirection=True),
            -3.0,
            ("B", "A"),
        ),
        (("SLIDER", "SLIDER"), relation("R", "LINEAR", "A", "B", relationRatio=0.5), 0.5, ("A", "B")),
        (
            ("REVOLUTE", "SLIDER"),
            relation("R", "RACK_AND_PINION", "A", "B", relationLength=0.2),
            0.2 / (2 * np.pi),
            ("A", "B"),
        ),
        (
            ("SLIDER", "REVOLUTE"),
            relation("R", "RACK_AND_PINION", "A", "B", relationLength=0.2),
            0.2 / (2 * np.pi),
            ("B", "A"),
        ),
    ],
)
def test_relations_couple_joints(
    kinds: tuple[str, str], said: Any, ratio: float, joints: tuple[str, str], tmp_path: Path
) -> None:
    assembly = read(write(tmp_path, three(*kinds, said)), BARE)
    assert not codes(assembly)
    (coupling,) = assembly.couplings
    assert (coupling.kind, coupling.joints) == (CouplingKind.JOINTS, joints)
    assert coupling.ratio == pytest.approx(ratio)
    assert assembly.mates_in_file == 3
    assert len(cb.build(assembly).couplings) == 1


def test_a_screw_is_one_joint(tmp_path: Path) -> None:
    content = two(
        mate("A", "CYLINDRICAL", ["arm"], ["base"]),
        relation("R", "SCREW", "A", relationLength=0.004, reverseDirection=True),
    )
    assembly = read(write(tmp_path, content), BARE)
    assert codes(assembly) == ["CB1307"]
    (made,) = assembly.mates
    assert (made.kind, assembly.mates_in_file) == (MateKind.SCREW, 1)
    assert made.value == pytest.approx(-0.004 / (2 * np.pi))
    (joint,) = cb.build(assembly).joints
    assert joint.type == "screw"


@pytest.mark.parametrize(
    "said",
    [
        relation("R", "GEAR", "A", "B", relationRatio=0),
        relation("R", "LINEAR", "A", "B", relationRatio=2),
        relation("R", "GEAR", "A", relationRatio=2),
        relation("R", "GEAR", "A", "Z", relationRatio=2),
        relation("R", "GEAR", "A", "B", relationRatio="2"),
        relation("R", "GEAR", "A", "B"),
        relation("R", "CAM", "A", "B", relationRatio=2),
        relation("R", "SCREW", "A", relationLength=1),
    ],
)
def test_relations_without_meaning_are_told(said: Any, tmp_path: Path) -> None:
    assembly = read(write(tmp_path, three("REVOLUTE", "REVOLUTE", said)), BARE)
    assert len(codes(assembly)) == 1
    assert not assembly.couplings
    assert assembly.mates_in_file == 3


SUB_IDS = {"documentId": "d", "elementId": "sub", "fullConfiguration": "default"}


def nested(inner_kind: str) -> dict[str, Any]:
    """A sub-assembly of two parts, placed twice, with a mate and a relation of its own."""
    inner = [mate("hinge", inner_kind, ["q"], ["p"]), mate("other", inner_kind, ["q"], ["p"])]
    inner.append(relation("gear", "GEAR", "hinge", "other", relationRatio=2))
    definition = {"instances": [part("p"), part("q")], "features": inner, **SUB_IDS}
    instances = [
        {"id": uid, "name": f"Arm <{i}>", "type": "Assembly", "suppressed": False, **SUB_IDS}
        for i, uid in enumerate(("left", "right"), start=1)
    ]
    places = [occurrence(u, at=(x, 0, 0)) for u, x in (("left", 1.0), ("right", 2.0))]
    places += [occurrence(u, v, at=(x, 0, 0)) for u, x in (("left", 1.0), ("right", 2.0)) for v in "pq"]
    return document(instances, places, [mate("top", "REVOLUTE", ["left", "p"], ["right", "q"])], [definition])


def test_sub_assemblies_with_moving_mates_are_flexible_at_every_place(tmp_path: Path) -> None:
    assembly = read(write(tmp_path, nested("REVOLUTE")), BARE)
    assert not codes(assembly)
    assert [c.name for c in assembly.components] == ["Arm <1>/p <1>", "Arm <1>/q <1>", "Arm <2>/p <1>", "Arm <2>/q <1>"]
    assert [m.name for m in assembly.mates] == [
        "top", "Arm <1>/hinge", "Arm <1>/other", "Arm <2>/hinge", "Arm <2>/other",
    ]  # fmt: skip
    assert [c.joints for c in assembly.couplings] == [
        ("Arm <1>/hinge", "Arm <1>/other"),
        ("Arm <2>/hinge", "Arm <2>/other"),
    ]
    np.testing.assert_allclose(assembly.component("Arm <2>/q <1>").X_WC.p, [2, 0, 0])


def test_sub_assemblies_without_motion_are_rigid(tmp_path: Path) -> None:
    assembly = read(write(tmp_path, nested("FASTENED")), BARE)
    assert [(c.name, len(c.instances)) for c in assembly.components] == [("Arm <1>", 2), ("Arm <2>", 2)]
    assert codes(assembly).count("CB168") == 4


def test_a_sub_assembly_that_holds_itself_is_refused(tmp_path: Path) -> None:
    content = nested("REVOLUTE")
    content["subAssemblies"][0]["instances"].append(
        {"id": "again", "name": "Arm <3>", "type": "Assembly", "suppressed": False, **SUB_IDS}
    )
    with pytest.raises(cb.InputError) as error:
        read(write(tmp_path, content), BARE)
    assert error.value.findings[-1].code == "CB138"


def test_groups_connectors_suppressed_and_unknown_features(tmp_path: Path) -> None:
    group = {
        "id": "FG",
        "featureType": "mateGroup",
        "featureData": {"name": "Group 1", "occurrences": [{"occurrence": [u]} for u in ("one", "two", "base")]},
    }
    connector = {
        "id": "FC",
        "featureType": "mateConnector",
        "featureData": {"name": "tool", "occurrence": ["two"], "mateConnectorCS": {**CS, "origin": [0, 0, 0.5]}},
    }
    off = {**mate("off", "FASTENED", ["one"], ["two"]), "suppressed": True}
    pattern = {"id": "FP", "featureType": "circularPattern", "featureData": {"name": "Pattern"}}
    content = three("REVOLUTE", "REVOLUTE", group, connector, off, pattern)
    content["rootAssembly"]["instances"].append(part("gone", suppressed=True))
    assembly = read(write(tmp_path, content), BARE)
    assert sorted(codes(assembly)) == ["CB1303", "CB1304"]
    assert "gone" in assembly.findings[-1].message
    assert "off" in assembly.findings[-1].message
    assert [m.name for m in assembly.mates] == ["A", "B", "Group 1", "Group 1 2"]
    assert assembly.mates_in_file == 5
    (frame,) = assembly.frames
    assert (frame.name, frame.component) == ("tool", "two <1>")
    np.testing.assert_allclose(frame.X_CF.p, [0, 0, 0.5])


def test_a_mirrored_occurrence_has_a_mirrored_part(tmp_path: Path) -> None:
    content = two(mate("M", "REVOLUTE", ["arm"], ["base"]))
    content["rootAssembly"]["occurrences"][1]["transform"] = place(0, 0, 0, linear=np.diag([1.0, 1.0, -1.0]))
    assembly = read(write(tmp_path, content), BARE)
    assert codes(assembly) == ["CB131"]
    assert assembly.instance("arm <1>").part == "arm (mirrored)"


def test_geometry_comes_from_the_step_beside(tmp_path: Path) -> None:
    box, rod = cq.Workplane().box(20, 20, 5), cq.Workplane().circle(3).extrude(40)
    model = cq.Assembly(name="model").add(box, name="base <1>")
    model = model.add(rod, name="arm <1>", loc=cq.Location((10, 0, 0)))
    model.export(str(tmp_path / "model.step"))
    assembly = cb.read(write(tmp_path, two(mate("M", "REVOLUTE", ["arm"], ["base"]), at=(0.01, 0, 0))))
    assert "CB1306" not in codes(assembly)
    shape = assembly.part(assembly.instance("arm <1>").part).shape
    assert shape is not None
    assert shape.brep is not None
    assert shape.brep.mass == pytest.approx(np.pi * 0.003**2 * 0.04, rel=1e-6)
    np.testing.assert_allclose(assembly.instance("arm <1>").X_WI.p, [0.01, 0, 0], atol=1e-9)
    lonely = cb.read(write(tmp_path, two(at=(0.5, 0, 0))))
    assert "CB1306" not in codes(lonely)  # found by its name, which is unique


def test_without_a_step_beside_it_is_told(tmp_path: Path) -> None:
    assert codes(read(write(tmp_path, two()))) == ["CB1306"]


@pytest.mark.parametrize("text", ["", "[]", '{"rootAssembly": 3}', '{"rootAssembly": {"instances": {}}}', "[" * 5000])
def test_what_is_no_definition_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    file.write_text(text)
    with pytest.raises(cb.InputError) as error:
        read(file, BARE)
    assert error.value.findings[-1].code == "CB180"
