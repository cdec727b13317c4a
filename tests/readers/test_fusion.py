"""Fusion 360's assembly.json, by hand-made samples in the form of the Gallery."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import GROUND, Assembly, MateKind
from cadbridge.readers.fusion import read
from cadbridge.readers.options import ReadOptions
from tests.late import cq

BARE = ReadOptions(geometry=False)


def xyz(*v: float) -> dict[str, float]:
    return dict(zip("xyz", v, strict=True))


def geometry(origin: Any = (0, 0, 0), z: Any = (0, 0, 1), x: Any = (1, 0, 0)) -> dict[str, Any]:
    return {
        "type": "JointGeometry",
        "origin": xyz(*origin),
        "primary_axis_vector": xyz(*z),
        "secondary_axis_vector": xyz(*x),
    }


def occurrence(uid: str, at: Any = (0, 0, 0), turned: bool = False, **more: Any) -> dict[str, Any]:
    """Turned: x of the occurrence lies along y of its parent."""
    axes = [(0, 1, 0), (-1, 0, 0), (0, 0, 1)] if turned else [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    transform = {"origin": xyz(*at), **{f"{k}_axis": xyz(*a) for k, a in zip("xyz", axes, strict=True)}}
    return {"name": f"{uid}:1", "component": f"c-{uid}", "transform": transform, **more}


def limits(low: float | None, high: float | None) -> dict[str, Any]:
    return {
        "minimum_value": low or 0.0,
        "maximum_value": high or 0.0,
        "is_minimum_value_enabled": low is not None,
        "is_maximum_value_enabled": high is not None,
    }


def joint(kind: str, one: str | None, two: str | None, first: Any = None, second: Any = None, **more: Any) -> Any:
    motion = {k: v for k, v in more.items() if k.endswith(("_limits", "_axis", "_direction"))}
    rest = {k: v for k, v in more.items() if k not in motion}
    ends = {k: v for k, v in (("occurrence_one", one), ("occurrence_two", two)) if v is not None}
    return {
        "name": "J",
        **ends,
        "joint_motion": {"joint_type": f"{kind}JointType", **motion},
        "geometry_or_origin_one": first or geometry(),
        "geometry_or_origin_two": second or geometry(),
        **rest,
    }


def document(tree: Any, occurrences: Any, joints: Any = (), built: Any = (), **more: Any) -> dict[str, Any]:
    uids = list(occurrences)
    return {
        "tree": {"root": tree},
        "root": {"component": "c-root", "bodies": {}},
        "occurrences": occurrences,
        "components": {f"c-{u}": {"name": u, "bodies": [f"b-{u}"]} for u in uids},
        "bodies": {f"b-{u}": {"name": "Body1"} for u in uids},
        "joints": {f"j{i}": j for i, j in enumerate(joints)},
        "as_built_joints": {f"k{i}": j for i, j in enumerate(built)},
        **more,
    }


def two(*joints: Any, at: Any = (0, 0, 0), built: Any = (), **more: Any) -> dict[str, Any]:
    occurrences = {"base": occurrence("base", is_grounded=True), "arm": occurrence("arm", at, turned=True)}
    return document({"base": {}, "arm": {}}, occurrences, joints, built, **more)


def write(folder: Path, content: Any) -> Path:
    file = folder / "assembly.json"
    file.write_text(json.dumps(content, indent=1))
    return file


def codes(assembly: Assembly) -> list[str]:
    return [f.code for f in assembly.findings]


OWN = geometry(x=(0, -1, 0))
"""The world's axes in the frame of the turned arm."""

FREEDOMS = {"Rigid": 0, "Revolute": 1, "Slider": 1, "Cylindrical": 2, "PinSlot": 2, "Planar": 3, "Ball": 3}


@pytest.mark.parametrize("kind", FREEDOMS)
def test_every_joint_type_leaves_its_freedoms(kind: str, tmp_path: Path) -> None:
    for more in ({}, {"rotation_axis": "YAxisJointDirection", "slide_direction": "ZAxisJointDirection"}):
        assembly = read(write(tmp_path, two(joint(kind, "arm", "base", OWN, **more))), BARE)
        assert not codes(assembly)
        mechanism = cb.build(assembly)
        mobility = cb.diagnose(mechanism).mobility
        assert (mobility.dof, mobility.redundant) == (FREEDOMS[kind], 0)
        assert not [f for f in mechanism.findings if f.code == "CB207"]


def test_lengths_are_centimetres_and_axes_the_occurrence_s(tmp_path: Path) -> None:
    # The hinge's axis is y of the world: that is x of the turned arm.
    first = geometry((3, 4, 5), z=(1, 0, 0), x=(0, 0, 1))
    second = geometry((3, 4, 5), z=(0, 1, 0), x=(0, 0, 1))
    content = two(joint("Revolute", "arm", "base", first, second), at=(3, 0, 0))
    assembly = read(write(tmp_path, content), BARE)
    assert not codes(assembly)
    (mate,) = assembly.mates
    assert (mate.a.component, mate.b.component) == ("base:1", "arm:1")
    np.testing.assert_allclose(mate.a.point, [0.03, 0.04, 0.05], atol=1e-12)
    X = assembly.component("arm:1").X_WC
    np.testing.assert_allclose(X.p, [0.03, 0, 0])
    np.testing.assert_allclose(X.point(mate.b.point), [0.03, 0.04, 0.05], atol=1e-12)
    assert mate.b.direction is not None
    np.testing.assert_allclose(X.vector(mate.b.direction), [0, 1, 0], atol=1e-12)


def test_axes_in_the_root_s_frame_are_recognised(tmp_path: Path) -> None:
    across = geometry(z=(0, 1, 0), x=(0, 0, 1))  # both sides said in the world
    assembly = read(write(tmp_path, two(joint("Revolute", "arm", "base", across, across))), BARE)
    assert not codes(assembly)
    assert assembly.mates[0].a.direction is not None
    np.testing.assert_allclose(assembly.mates[0].a.direction, [0, 1, 0], atol=1e-12)


@pytest.mark.parametrize("flipped", [False, True])
def test_a_slider_counts_its_limits_from_its_offset(flipped: bool, tmp_path: Path) -> None:
    first = geometry((0, 0, 7), z=(0, 0, -1 if flipped else 1), x=(0, -1, 0))
    content = two(
        joint(
            "Slider", "arm", "base", first, geometry(), slide_direction="ZAxisJointDirection",
            slide_limits=limits(0.0, 10.0), offset={"value": 2.0}, is_flipped=flipped,
        )
    )  # fmt: skip
    assembly = read(write(tmp_path, content), BARE)
    assert not codes(assembly)
    limit = assembly.mates[0].limit
    assert limit is not None
    # It stands 7 cm up, 5 of which are travel: 5 cm are left on either side.
    assert (limit.lower, limit.upper) == pytest.approx((-0.05, 0.05))


def test_a_revolute_counts_its_limits_from_its_angle(tmp_path: Path) -> None:
    # x of the first stands at 90° (y of the world), the joint's own angle is 30°: it has turned by 60°.
    first = geometry(x=(1, 0, 0))
    said = joint("Revolute", "arm", "base", first, rotation_limits=limits(0.0, None), angle={"value": np.pi / 6})
    limit = read(write(tmp_path, two(said)), BARE).mates[0].limit
    assert limit is not None
    assert limit.lower == pytest.approx(-np.pi / 3)
    assert limit.upper is None


def test_limits_of_second_freedoms_are_told(tmp_path: Path) -> None:
    said = joint("Cylindrical", "arm", "base", OWN, rotation_limits=limits(-1, 1), slide_limits=limits(0, 3))
    assembly = read(write(tmp_path, two(said)), BARE)
    assert codes(assembly) == ["CB1305"]
    assert assembly.mates[0].limit is not None


def test_an_absent_second_occurrence_is_the_root(tmp_path: Path) -> None:
    content = two(joint("Revolute", "arm", None, OWN))
    assert read(write(tmp_path, content), BARE).mates[0].a.component == GROUND
    content["root"] = {"component": "c-root", "bodies": {"b-root": {"is_visible": True}}}
    content["components"]["c-root"] = {"name": "Frame", "bodies": ["b-root"]}
    content["bodies"]["b-root"] = {"name": "Body1", "physical_properties": {"density": 0.0078}}
    assembly = read(write(tmp_path, content), BARE)
    assert assembly.mates[0].a.component == "Frame"
    assert assembly.component("Frame").grounded
    assert assembly.part("Frame").density == pytest.approx(7800.0)
    content["bodies"]["b-root"]["physical_properties"]["density"] = float("1e15")
    assert [f.message for f in read(write(tmp_path, content), BARE).findings] == [
        "density of b-root is 1000000000000000.0, not a number below 1e+12"
    ]


def test_as_built_joints_hold_what_is_drawn(tmp_path: Path) -> None:
    rigid = {
        "name": "R",
        "occurrence_one": "arm",
        "occurrence_two": "base",
        "joint_motion": {"joint_type": "RigidJointType"},
    }
    hinge = joint("Revolute", "arm", "base", name="H")
    hinge["joint_geometry"] = geometry((1, 1, 1), z=(1, 0, 0), x=(0, 0, 1))  # along y of the world
    assembly = read(write(tmp_path, two(built=(rigid,))), BARE)
    assert [m.kind for m in assembly.mates] == [MateKind.FIXED]
    assembly = read(write(tmp_path, two(built=(hinge,))), BARE)
    assert not codes(assembly)
    (joint_,) = cb.build(assembly).joints
    np.testing.assert_allclose(np.abs(joint_.X_AJ.R[:, 2]), [0, 1, 0], atol=1e-12)
    np.testing.assert_allclose(joint_.X_AJ.p[[0, 2]], [0.01, 0.01], atol=1e-12)


def test_a_joint_that_does_not_meet_is_held_as_drawn(tmp_path: Path) -> None:
    assembly = read(write(tmp_path, two(joint("Revolute", "arm", "base", geometry((9, 9, 0), x=(0, -1, 0))))), BARE)
    assert codes(assembly) == ["CB1309"]
    mechanism = cb.build(assembly)
    assert not [f for f in mechanism.findings if f.code == "CB207"]
    assert cb.diagnose(mechanism).mobility.dof == 1


def nested(*joints: Any, built: Any = (), **more: Any) -> dict[str, Any]:
    occurrences = {
        "base": occurrence("base", is_grounded=True),
        "sub": occurrence("sub", (1, 0, 0), turned=True),
        "p": occurrence("p", (1, 0, 0)),
        "q": occurrence("q", (2, 0, 0)),
    }
    return document({"base": {}, "sub": {"p": {}, "q": {}}}, occurrences, joints, built, **more)


def test_occurrences_are_placed_in_their_parents(tmp_path: Path) -> None:
    assembly = read(write(tmp_path, nested()), BARE)
    assert [c.name for c in assembly.components] == ["base:1", "sub:1"]
    np.testing.assert_allclose(assembly.instance("sub:1/q:1").X_WI.p, [0.01, 0.02, 0], atol=1e-12)
    assert assembly.component("sub:1").instances == ("sub:1/bodies", "sub:1/p:1", "sub:1/q:1")


def test_a_joint_within_makes_a_sub_assembly_flexible(tmp_path: Path) -> None:
    turned = geometry((1, 1, 0), z=(0, 0, 1), x=(1, 0, 0))
    inner = joint("Revolute", "p", "q", turned, turned, name="inner")
    outer = joint("Revolute", "sub", "base", geometry((1, 0, 0)), geometry((1, 0, 0)), name="outer")
    assembly = read(write(tmp_path, nested(inner, outer)), BARE)
    assert not codes(assembly)
    assert [c.name for c in assembly.components] == ["base:1", "sub:1/bodies", "sub:1/p:1", "sub:1/q:1"]
    assert [(m.a.component, m.b.component) for m in assembly.mates] == [
        ("sub:1/q:1", "sub:1/p:1"),
        ("base:1", "sub:1/bodies"),
    ]


def test_rigid_groups(tmp_path: Path) -> None:
    group = {"name": "Group", "occurrences": ["base", "p"]}
    forms: tuple[Any, ...] = ({"g": group}, [group], {"g": group | {"occurrences": {"base": {}, "p": {}}}})
    for form in forms:
        assembly = read(write(tmp_path, nested(rigid_groups=form)), BARE)
        assert not codes(assembly)
        (mate,) = assembly.mates
        assert (mate.name, mate.kind, assembly.mates_in_file) == ("Group", MateKind.FIXED, 1)
        assert {mate.a.component, mate.b.component} == {"base:1", "sub:1"}


def test_what_cannot_be_carried_over_is_told(tmp_path: Path) -> None:
    cases = {
        "CB1303": joint("Gear", "arm", "base"),
        "CB162": joint("Revolute", "arm", "nobody"),
        "CB168": joint("Revolute", "arm", "arm"),
        "CB181": joint("Revolute", "arm", "base", {"origin": xyz(0, 0, 0)}),
    }
    for code, said in cases.items():
        assembly = read(write(tmp_path, two(said)), BARE)
        assert set(codes(assembly)) == {code}
        assert (assembly.mates_in_file, len(assembly.mates)) == (1, 0)
    custom = joint("Revolute", "arm", "base", OWN, rotation_axis="CustomJointDirection")
    assert codes(read(write(tmp_path, two(custom)), BARE)) == ["CB1303"]
    off = joint("Revolute", "arm", "base", OWN, is_suppressed=True)
    assembly = read(write(tmp_path, two(off)), BARE)
    assert (codes(assembly), assembly.mates_in_file) == (["CB1304"], 0)


def test_bodies_have_their_step_files_and_materials(tmp_path: Path) -> None:
    cq.exporters.export(cq.Workplane().box(10, 20, 30), str(tmp_path / "b-arm.step"))
    content = two()
    content["bodies"]["b-arm"] |= {"step": "b-arm.step", "material": {"name": "Steel"}}
    content["bodies"]["b-base"] |= {"step": "../outside.step"}
    assembly = cb.read(write(tmp_path, content))
    part = assembly.part("arm")
    assert part.shape is not None
    assert part.shape.brep is not None
    assert part.shape.brep.mass == pytest.approx(6e-6)
    assert part.material == "Steel"
    assert "CB1438" in codes(assembly)
    assert assembly.format == "fusion"


def test_a_tree_that_holds_itself_is_told(tmp_path: Path) -> None:
    content = document({"a": {"b": {"a": {}}}}, {"a": occurrence("a"), "b": occurrence("b")})
    assert codes(read(write(tmp_path, content), BARE)) == ["CB162"]


@pytest.mark.parametrize("text", ["{}", '{"tree": 3, "occurrences": {}}', '{"tree": {}}', "[1]", "\xff"])
def test_what_is_no_assembly_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "assembly.json"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(cb.InputError) as error:
        read(file, BARE)
    assert error.value.findings[-1].code == "CB180"


def test_bodies_that_stand_in_autodesks_own_format_alone_are_told(tmp_path: Path) -> None:
    content = two()
    for uuid in ("b-arm", "b-base"):
        content["bodies"][uuid] |= {"smt": f"{uuid}.smt", "step": f"{uuid}.step"}
    assembly = read(write(tmp_path, content))
    (told,) = (f for f in assembly.findings if f.code in ("CB1316", "CB112"))
    assert told.code == "CB1316"
    assert told.severity == "warning"
    assert "2 bodies" in told.message
    assert "STEP" in told.hint
