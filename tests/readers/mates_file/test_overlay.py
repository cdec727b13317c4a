"""Mates, gears, structure, weights, joints: what the file says, in SI, on the assembly."""

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cadbridge.assembly import Component, CouplingKind, Instance, MateKind, Part
from cadbridge.findings import Severity
from cadbridge.frames import Pose
from cadbridge.geometry import Shape
from tests.readers.mates_file.conftest import TURN, box_mesh, make_assembly, v

BASE = "a: {component: Base, point: [0, 0, 0], axis: [0, 0, 1]}"
LINK = "b: {component: Link1, point: [0, 0, 0], axis: [0, 0, 1]}"
AXES = f"{BASE}, {LINK}"


def codes(assembly: Any) -> list[str]:
    return [f.code for f in assembly.findings]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("type: mate, offset: 3", "coincident", 0.003),
        ("type: insert, offset: -3, aligned: false", "insert", -0.003),
        ("type: distance, distance: 12", "distance", 0.012),
        ("type: angle, angle: 90", "angle", math.pi / 2),
        ("type: screw, pitch: 2", "screw", 0.002 / (2 * math.pi)),
        ("type: concentric, lock_rotation: true", "concentric", 0.0),
        ("type: tangent, inside: true", "tangent", 0.0),
        ("type: universal", "universal", 0.0),
    ],
)
def test_values_of_mates_are_si(lay: Any, text: str, kind: str, value: float) -> None:
    done = lay(f"mates: [{{name: M, {text}, {AXES}}}]")
    assert done.findings == ()
    (mate,) = done.mates
    assert mate.kind is MateKind(kind)
    assert mate.value == pytest.approx(value, rel=1e-15)
    assert mate.lock_rotation == ("lock" in text)
    assert mate.inside == ("inside" in text)
    assert mate.aligned is (False if "aligned" in text else None)
    assert mate.where.line == 2


def test_flush_is_always_the_same_way(lay: Any) -> None:
    done = lay("mates: [{type: flush, a: {component: Base, face: top}, b: {component: Pin, face: top}}]")
    assert done.mates[0].aligned is True
    assert done.mates[0].name == "Flush:1"


def test_a_mate_of_a_component_with_itself_is_told(lay: Any) -> None:
    done = lay(f"mates: [{{name: M, type: insert, {BASE}, b: {{component: Base, face: bore}}}}]")
    assert codes(done) == ["CB157"]
    assert done.mates == ()


def test_a_frame_of_a_point_alone_has_the_axes_of_its_component(lay: Any) -> None:
    (frame,) = lay("frames: [{name: tool, component: Arm, point: [0, 0, 10]}]\n").frames
    assert pytest.approx(np.eye(3), abs=1e-12) == frame.X_CF.R


def test_joint_names_limits_home_and_drives(lay: Any) -> None:
    done = lay(
        f"mates:\n  - {{name: I, type: insert, {AXES}}}\n"
        "  - {name: P, type: prismatic, a: {component: Arm, point: [0, 0, 0], axis: [1, 0, 0]},"
        " b: {component: Pin, face: bore}}\n"
        "joints:\n  A1: {mates: [I], limits: {lower: -180, upper: 90, velocity: 180, effort: 9}}\n"
        "  A2: {mates: [P], limits: {lower: 0, upper: 50}}\n"
        "drives: [{name: M1, joint: A1, reduction: 100, rotor_inertia: 1e-4}]\n"
        "home: {A1: 90, P: 10}\n"
        "frames: [{name: tool, component: Arm, part: Hub, point: [0, 0, 10], z: [1, 0, 0], x: [0, 0, 1]}]\n"
    )
    assert done.findings == ()
    turn, slide = done.mates
    assert (turn.joint_name, slide.joint_name) == ("A1", "A2")
    assert done.joint_names == {"I": "A1", "P": "A2"}
    assert (turn.limit.lower, turn.limit.upper) == pytest.approx((-math.pi, math.pi / 2))
    assert (turn.limit.velocity, turn.limit.effort) == pytest.approx((math.pi, 9))
    assert (slide.limit.lower, slide.limit.upper) == pytest.approx((0, 0.05))
    assert done.home == pytest.approx({"A1": math.pi / 2, "P": 0.01})
    assert (done.drives[0].joint, done.drives[0].reduction, done.drives[0].rotor_inertia) == ("A1", 100, 1e-4)
    np.testing.assert_allclose(done.frames[0].X_CF.p, (0, 0.2, 0.01), atol=1e-15)
    np.testing.assert_allclose(done.frames[0].X_CF.R[:, 2], (1, 0, 0), atol=1e-15)


def test_references_to_nothing_are_told_with_the_nearest(lay: Any) -> None:
    done = lay(
        f"mates: [{{name: Hinge, type: insert, {AXES}}}]\n"
        "joints: {A1: {mates: [Hnge]}}\ndrives: [{name: M, joint: A1}]\nhome: {Hinges: 1}\n"
        "frames: [{name: tool, component: Amr, point: [0, 0, 0]}]\nground: [Bse]\n"
        "mass: [{part: Blok, mass: 1}]\nflexible: [Amr]\n"
    )
    assert sorted((f.where.line, f.code) for f in done.findings) == [
        (3, "CB155"), (4, "CB155"), (5, "CB155"), (6, "CB146"), (7, "CB146"), (8, "CB146"), (9, "CB158"),
    ]  # fmt: skip
    said = " ".join(f.message for f in done.findings)
    assert all(near in said for near in ("Hinge?", "Arm", "Base", "Block"))


def test_a_face_leaves_what_the_other_mate_of_its_parts_leaves(lay: Any) -> None:
    """The joint is called by its first mate, a face: its home stood 57 times too large, as radians."""
    faces = "a: {component: Base, face: top}, b: {component: Pin, face: top}"
    turn = "a: {component: Base, point: [0, 0, 0], axis: [1, 0, 0]}, b: {component: Pin, face: bore}"
    done = lay(
        f"mates:\n  - {{name: F, type: flush, {faces}}}\n  - {{name: R, type: revolute, {turn}}}\nhome: {{F: 90}}\n"
    )
    assert codes(done) == []
    assert done.home == pytest.approx({"F": math.pi / 2})


def test_a_joint_of_planes_keeps_raw_values_and_says_so(lay: Any) -> None:
    done = lay(
        "mates: [{name: F, type: flush, a: {component: Base, face: top}, b: {component: Pin, face: top}}]\n"
        "joints: {A1: {mates: [F]}}\nhome: {A1: 2}\n"
    )
    assert codes(done) == ["CB159"]
    assert done.home == {"A1": 2}


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        ("type: spur, teeth: [17, 51]", 3.0),
        ("type: spur, ratio: 2.5", 2.5),
        ("type: spur, radii: [40, 60]", 1.5),
        ("type: spur, radii: [40, 60.2]", 1.505),
        ("type: internal, radii: [150, 50]", 1 / 3),
        ("type: spur, teeth: [2, 3], ratio: 1.5, radii: [40, 60]", 1.5),
        ("type: bevel, teeth: [20, 30]", 1.5),
        ("type: ratio, ratio: -100, carrier: Arm", -100),
        ("type: rack_pinion, radius: 20", None),
    ],
)
def test_gears_that_fit(lay: Any, text: str, ratio: float | None) -> None:
    done = lay(f"gears: [{{name: G, {text}, {AXES}}}]")
    assert done.findings == ()
    (gear,) = done.couplings
    assert gear.kind is CouplingKind(text.split(",")[0].split()[1])
    assert gear.ratio == (None if ratio is None else pytest.approx(ratio))
    assert gear.carrier == ("Arm" if "carrier" in text else None)
    if "radii: [40" in text:
        assert gear.radius_a == pytest.approx(0.04)
    if "rack" in text:
        assert gear.radius_a == pytest.approx(0.02)
    if "teeth: [17" in text:
        assert (gear.teeth_a, gear.teeth_b) == (17, 51)


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("type: spur, teeth: [17, 51], ratio: 2.5", "CB149", "teeth 17:51 make a ratio of 3, but ratio 2.5"),
        ("type: spur, teeth: [17, 51], radii: [40, 60]", "CB149", "radii 40:60"),
        ("type: spur", "CB149", "needs teeth"),
        ("type: spur, radii: [0, 60]", "CB149", "greater than 0"),
        ("type: spur, radii: [-40, 60]", "CB149", "greater than 0"),
        ("type: spur, teeth: [0, 51]", "CB149", "greater than 0"),
        ("type: spur, ratio: 0", "CB149", "greater than 0"),
        ("type: ratio, ratio: 0", "CB149", "ratio of zero"),
        ("type: rack_pinion, radius: 0", "CB149", "greater than 0"),
        ("type: spur, teeth: [1, 2], carrier: Amr", "CB146", "Arm"),
    ],
)
def test_gears_that_cannot_be(lay: Any, text: str, code: str, says: str) -> None:
    done = lay(f"gears:\n  - {{name: G, {text}, {AXES}}}")
    (finding,) = done.findings
    assert (finding.code, finding.where.line, finding.severity) == (code, 3, Severity.ERROR)
    assert says in finding.message
    assert done.couplings == ()


def test_a_gear_needs_axes(lay: Any) -> None:
    done = lay(f"gears: [{{name: G, type: spur, teeth: [1, 2], {BASE}, b: {{component: Link1, face: top}}}}]")
    assert codes(done) == ["CB148"]


def test_a_flexible_sub_assembly_gives_its_children(lay: Any) -> None:
    done = lay(
        "flexible: [Arm]\nground: ['*Shaft']\n"
        "mates: [{name: M, type: insert, a: {component: Hub, face: bore},"
        " b: {component: Arm/Shaft, face: bore}}]"
    )
    assert done.findings == ()
    assert [(c.name, c.instances, c.grounded) for c in done.components] == [
        ("Base", ("Base",), False),
        ("Link1", ("Link1",), False),
        ("Arm/Shaft", ("Arm/Shaft",), True),
        ("Arm/Hub", ("Arm/Hub",), False),
        ("Pin", ("Pin",), False),
    ]
    assert done.instance("Arm/Hub").component == "Arm/Hub"
    np.testing.assert_array_equal(done.component("Arm/Hub").X_WC.p, (0, 0.4, 0))


def test_a_flexible_one_may_lie_in_a_rigid_one(lay: Any) -> None:
    base = make_assembly()
    node = {"path": "Top", "product": "Top", "X_WI": Pose(), "leaf": False, "children": base.extra["tree"]}
    deep = make_assembly(
        instances=tuple(_under(i) for i in base.instances),
        components=(Component("Top", tuple("Top/" + i.name for i in base.instances), Pose()),),
        extra={"tree": [_nested(node)]},
    )
    done = lay("flexible: [Top/Arm]", deep)
    assert [(c.name, len(c.instances)) for c in done.components] == [
        ("Top", 3),
        ("Top/Arm/Shaft", 1),
        ("Top/Arm/Hub", 1),
    ]
    done = lay("flexible: [Top, Arm]", deep)
    assert [c.name for c in done.components] == [
        "Top/Base",
        "Top/Link1",
        "Top/Arm/Shaft",
        "Top/Arm/Hub",
        "Top/Pin",
    ]


def _under(instance: Instance) -> Instance:
    return replace(instance, name="Top/" + instance.name, component="Top")


def _nested(node: dict[str, Any]) -> dict[str, Any]:
    prefix = "" if node["path"] == "Top" else "Top/"
    return {**node, "path": prefix + node["path"], "children": [_nested(c) for c in node["children"]]}


def test_a_sub_assembly_inside_a_rigid_one_is_named_as_what_it_is(lay: Any) -> None:
    base = make_assembly()
    deep = make_assembly(
        instances=tuple(_under(i) for i in base.instances),
        components=(Component("Top", tuple("Top/" + i.name for i in base.instances), Pose()),),
    )
    done = lay("mates: [{name: M, type: fixed, a: {component: Top/Arm}, b: {component: Top}}]", deep)
    (told,) = done.findings
    assert told.code == "CB146"
    assert "a sub-assembly inside the rigid component 'Top'" in told.message
    assert "Write Top under `flexible`" in told.hint


def test_rigid_joins_what_the_source_left_free(lay: Any) -> None:
    loose = make_assembly(components=tuple(Component(i.name, (i.name,), i.X_WI) for i in make_assembly().instances))
    done = lay(
        "rigid: [Arm]\nmates: [{type: fixed, a: {component: Arm, part: Hub, face: top},"
        " b: {component: Base, face: top}}]",
        loose,
    )
    assert done.findings == ()
    assert done.component("Arm").instances == ("Arm/Shaft", "Arm/Hub")
    assert [c.name for c in done.components] == ["Base", "Link1", "Pin", "Arm"]
    np.testing.assert_allclose(done.mates[0].a.point, (0, 0.1, 0.05), atol=1e-15)  # C is the shaft's frame


def test_densities_materials_and_overrides(lay: Any) -> None:
    done = lay(
        "units: {length: mm}\nmaterials: {casting: {density: 2690}}\n"
        "density:\n  - {parts: '*', density: 1000}\n  - {parts: Bl*, material: Casting}\n"
        "  - {parts: Nope*, density: 1}\n  - {parts: Shaft*, material: unobtainum}\n"
        "mass:\n  - {part: Block, mass: 3.2, com: [0, 0, 41], "
        "inertia: {xx: 1e-3, yy: 2e-3, zz: 5e-4, xy: 1e-5}}\n"
        "  - {component: Arm, mass: 25}\n"
    )
    assert [(f.code, f.where.line) for f in done.findings] == [("CB151", 7), ("CB152", 8)]
    block, shaft = done.parts
    assert (block.density, block.density_source) == (2690, "mates file: line 6 (material Casting)")
    assert (shaft.density, shaft.density_source) == (1000, "mates file: line 5")
    assert block.override.mass == 3.2
    np.testing.assert_allclose(block.override.com, (0, 0, 0.041))
    np.testing.assert_array_equal(block.override.inertia, [[1e-3, 1e-5, 0], [1e-5, 2e-3, 0], [0, 0, 5e-4]])
    assert done.component("Arm").override.mass == 25
    assert done.component("Arm").override.com is None


def test_attaching_by_name_keeps_features_where_they_were(lay: Any) -> None:
    done = lay(
        "attach: [{parts: Pi?, to: Link1}, {parts: Nothing*, to: Base}]\n"
        "mates: [{name: M, type: insert, a: {component: Pin, face: bore}, b: {component: Base, face: bore}}]"
    )
    assert codes(done) == ["CB153", "CB151"]
    assert done.component("Link1").instances == ("Link1", "Pin")
    feature = done.mates[0].a
    assert (feature.component, feature.instance) == ("Link1", "Pin")
    np.testing.assert_allclose(done.component("Link1").X_WC.point(feature.point), (0, 0, 0.06), atol=1e-15)


def test_what_was_attached_goes_on_with_what_it_is_attached_to(lay: Any) -> None:
    done = lay(
        "flexible: [Arm]\nattach: [{parts: Pin, to: Hub}, {components: [Hub, Shaft], to: Link1}]\n"
        "mates: [{name: M, type: insert, a: {component: Pin, face: bore}, b: {component: Base, face: bore}}]\n"
        "ground: [Pin]"
    )
    assert codes(done) == ["CB153"] * 3
    link = done.component("Link1")
    assert (link.instances, link.grounded) == (("Link1", "Arm/Hub", "Pin", "Arm/Shaft"), True)
    feature = done.mates[0].a
    assert (feature.component, feature.instance) == ("Link1", "Pin")
    np.testing.assert_allclose(link.X_WC.point(feature.point), (0, 0, 0.06), atol=1e-15)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("{%s: Pin, to: Link1}, {%s: Pin, to: Base}", "Pin is attached to Link1 already"),
        ("{%s: Pin, to: Link1}, {%s: Pin, to: Link1}", "Pin is attached to Link1 already"),
        ("{%s: Pin, to: ground}, {%s: Pin, to: Link1}", "Pin is attached to the ground already"),
        ("{%s: Pin, to: Link1}, {%s: Link1, to: Pin}", "Link1 is attached to Pin, which is a part of it"),
        ("{%s: Pin, to: Pin}, {%s: Arm, to: Base}", "Pin is attached to itself"),
    ],
)
@pytest.mark.parametrize("key", ["parts", "components"])
def test_what_is_attached_twice_or_to_itself_is_told(lay: Any, lines: str, told: str, key: str) -> None:
    """The first line holds, by pattern as by name: two components that share a part are not joined by it."""
    text = lines.replace("%s", key)
    if key == "components":
        text = re.sub(r"components: (\w+)", r"components: [\1]", text)
    done = lay(f"attach: [{text}]")
    assert sorted(codes(done)) == ["CB1473", "CB153"]
    assert f"{told}; nothing changes" in {f.message for f in done.findings}
    apart = {"Base": {"Base"}, "Link1": {"Link1", "Pin"}, "Arm": {"Arm/Shaft", "Arm/Hub"}}
    if "ground" in lines:
        assert [c.name for c in done.components if c.grounded] == ["Pin"]
    elif "Pin, to: Pin" not in lines:
        assert {c.name: set(c.instances) for c in done.components} == apart


def test_attachments_of_a_circle_a_list_and_of_what_touches(lay: Any) -> None:
    circle = lay("attach: [{parts: Pin, to: Link1}, {parts: Link1, to: Base}, {components: [Base], to: Pin}]")
    assert codes(circle) == ["CB153", "CB153", "CB1473"]
    twice = lay("attach: [{components: [Pin, Pin], to: Base}]")
    assert sorted(codes(twice)) == ["CB1473", "CB153"]
    touching = lay("ground: [Base]\nattach: [{parts: Pin, to: Base}, {parts: Pin, by: contact}]")
    assert codes(touching) == ["CB153", "CB1473"]
    # A pattern takes what is left, and a rigid sub-assembly goes as a whole.
    rest = lay("attach: [{parts: Pin, to: Link1}, {parts: '*', to: Base}]")
    assert codes(rest) == ["CB153"] * 3
    whole = lay("flexible: [Arm]\nrigid: [Arm]\nattach: [{components: [Arm/Hub], to: Base}]")
    assert codes(whole) == ["CB153"]


def test_a_component_with_attachments_keeps_its_own_faces(lay: Any) -> None:
    done = lay(
        "flexible: [Arm]\nattach: [{parts: Hub, to: Base}]\n"
        "mates: [{name: M, type: mate, a: {component: Base, face: top}, b: {component: Pin, face: top}},"
        " {name: N, type: mate, a: {component: Hub, face: top}, b: {component: Pin, face: top}}]"
    )
    assert codes(done) == ["CB153"]
    assert [m.a.instance for m in done.mates] == ["Base", "Arm/Hub"]
    np.testing.assert_allclose(done.mates[1].a.point, (0, 0.4, 0.05), atol=1e-15)


@pytest.mark.parametrize("attach", ["", "{parts: Pin, to: Case}", "{parts: Case, to: Base}"])
def test_a_sub_assembly_of_one_part_keeps_its_frame_whatever_is_attached(lay: Any, attach: str) -> None:
    """Its frame is that of its part, also where it stands in it otherwise; so is its one face of a name."""
    base, inner = make_assembly(), Pose(p=v(0.3, 0, 0)) @ TURN
    made = make_assembly(
        instances=(*base.instances, Instance("Case/Rotor", "Block", inner, "Case")),
        components=(*base.components, Component("Case", ("Case/Rotor",), Pose(p=v(0.3, 0, 0)))),
    )
    done = lay(
        (f"attach: [{attach}]\n" if attach else "")
        + "mates: [{name: M, type: insert, a: {component: Case, face: bore},"
        " b: {component: Link1, face: bore}},"
        " {name: N, type: revolute, a: {component: Case, point: [10, 0, 0], axis: [1, 0, 0]}, b: {component: Link1}}]",
        made,
    )
    assert codes(done) == (["CB153"] if attach else [])
    for mate, point, axis in ((done.mates[0], (0, 0, 0), (0, 0, 1)), (done.mates[1], (0.01, 0, 0), (1, 0, 0))):
        X = done.component(mate.a.component).X_WC
        assert mate.a.instance == "Case/Rotor"
        np.testing.assert_allclose(X.point(mate.a.point), inner.point(v(*point)), atol=1e-15)
        np.testing.assert_allclose(X.vector(mate.a.direction), inner.vector(v(*axis)), atol=1e-15)


def stack(*heights: float) -> Any:
    """Cubes of 20 mm on the z axis, named P0, P1 …, with the base of 100 mm below."""
    base = make_assembly()
    cube = Part("Cube", Shape("c", box_mesh((0.02, 0.02, 0.02)), None))
    names = [f"P{i}" for i in range(len(heights))]
    return make_assembly(
        parts=(*base.parts, cube),
        instances=base.instances[:2]
        + tuple(Instance(n, "Cube", Pose(p=v(0, 0, z)), n) for n, z in zip(names, heights, strict=True)),
        components=base.components[:2]
        + tuple(Component(n, (n,), Pose(p=v(0, 0, z))) for n, z in zip(names, heights, strict=True)),
    )


def test_loose_parts_join_what_they_touch(lay: Any) -> None:
    # The base ends at z = 50 mm: P0 stands on it, P1 on P0, P2 hangs 0.5 mm above P1.
    done = lay("ground: [Base, Link1]\nattach: [{parts: 'P*', by: contact}]", stack(0.06, 0.08, 0.1005))
    assert [(f.code, f.where.line) for f in done.findings] == [("CB153", 3), ("CB153", 3), ("CB154", 3)]
    assert done.component("Base").instances == ("Base", "P0", "P1")
    assert [c.name for c in done.components] == ["Base", "Link1", "P2"]


def test_of_several_touched_the_one_with_most_contact_is_taken_and_told(lay: Any) -> None:
    # Link1's side is at x = 50 mm: shift the cube so that it stands on both, more on the base.
    both = stack(0.06)
    moved = Pose(p=v(0.045, 0, 0.06))
    both = replace(
        both,
        instances=(*both.instances[:2], replace(both.instances[2], X_WI=moved)),
        components=(*both.components[:2], replace(both.components[2], X_WC=moved)),
    )
    done = lay("ground: [Base, Link1]\nattach: [{parts: 'P*', by: contact}]", both)
    (finding,) = done.findings
    assert finding.code == "CB153"
    assert "touches Base" in finding.message
    assert "Link1 too" in finding.message


def test_parts_with_mates_are_not_loose(lay: Any) -> None:
    text = (
        "ground: [Base, Link1]\nattach: [{parts: 'P*', by: contact}]\n"
        f"mates: [{{name: M, type: insert, {BASE}, b: {{component: P0, point: [0, 0, 0], axis: [0, 0, 1]}}}}]"
    )
    done = lay(text, stack(0.06))
    assert done.findings == ()
    assert [c.name for c in done.components] == ["Base", "Link1", "P0"]
