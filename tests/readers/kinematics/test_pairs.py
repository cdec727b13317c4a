"""Kinematic pairs of STEP files: every kind, ranges from the designed pose, both editions' forms, faults."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cadbridge.assembly import GROUND, Assembly, CouplingKind, MateKind
from cadbridge.diagnosis import diagnose
from cadbridge.errors import InputError
from cadbridge.frames import Pose
from cadbridge.mechanism import build
from cadbridge.mechanism.universal import universal_axes
from tests.readers.kinematics.deck import X_WJ, A, B, Pairs, read_text, turned
from tests.readers.same_mechanism.model import BODIES

STAR = "*,*,*,*,*,*"
LOOSE = 6 * 3
"""Degrees of freedom of the three bodies that the tests leave alone."""


LOW = "LOW_ORDER_KINEMATIC_PAIR"
RANGES_Y = ".F.,.F.,.F.,.F.,.T.,.F.,$,$,-10.,90.,$,$,$,$,$,$,$,$"
ONLY_Y, ONLY_Z = ".F.,.F.,.F.,.F.,.T.,.F.", ".F.,.F.,.T.,.F.,.F.,.F."


def one(kind: str, rest: str = "", X: tuple[Pose, Pose] = (X_WJ, X_WJ)) -> str:
    pairs = Pairs()
    pairs.pair(kind, rest, X)
    return pairs.text21()


def codes(assembly: Assembly) -> set[str]:
    return {f.code for f in assembly.findings}


LOWER: dict[str, tuple[str, str, MateKind, int, int]] = {
    "revolute": ("REVOLUTE_PAIR", STAR, MateKind.REVOLUTE, 2, 1),
    "revolute said": ("REVOLUTE_PAIR", ".F.,.F.,.F.,.F.,.F.,.T.", MateKind.REVOLUTE, 2, 1),
    "prismatic": ("PRISMATIC_PAIR", STAR, MateKind.PRISMATIC, 0, 1),
    "prismatic said": ("PRISMATIC_PAIR", ".F.,.F.,.T.,.F.,.F.,.F.", MateKind.PRISMATIC, 2, 1),
    "cylindrical": ("CYLINDRICAL_PAIR", STAR, MateKind.CYLINDRICAL, 2, 2),
    "spherical": ("SPHERICAL_PAIR", STAR, MateKind.SPHERICAL, 2, 3),
    "universal": ("UNIVERSAL_PAIR", f"{STAR},$", MateKind.UNIVERSAL, 0, 2),
    "planar": ("PLANAR_PAIR", STAR, MateKind.PLANAR, 2, 3),
    "fixed": ("FULLY_CONSTRAINED_PAIR", STAR, MateKind.FIXED, 2, 0),
    "free": ("UNCONSTRAINED_PAIR", STAR, MateKind.FREE, 2, 6),
    "low order": ("LOW_ORDER_KINEMATIC_PAIR", ".F.,.T.,.F.,.F.,.T.,.F.", MateKind.CYLINDRICAL, 1, 2),
    "parallel": ("LOW_ORDER_KINEMATIC_PAIR", ".T.,.T.,.T.,.F.,.F.,.T.", MateKind.PARALLEL, 2, 4),
    "screw": ("SCREW_PAIR", "5.", MateKind.SCREW, 2, 1),
}


@pytest.mark.parametrize("case", LOWER)
def test_lower_pairs_become_mates(case: str, tmp_path: Path) -> None:
    kind, rest, mate_kind, axis, dof = LOWER[case]
    assembly = read_text(tmp_path, one(kind, rest))
    (mate,) = assembly.mates
    assert (mate.name, mate.kind, mate.a.component, mate.b.component) == ("P", mate_kind, A, B)
    assert mate.a.direction is not None
    np.testing.assert_allclose(BODIES[A].X.vector(mate.a.direction), X_WJ.R[:, axis], atol=1e-12)
    np.testing.assert_allclose(BODIES[B].X.point(mate.b.point), X_WJ.p, atol=1e-12)
    assert {c.name: c.grounded for c in assembly.components} == {n: n == A for n in BODIES}
    assert assembly.mates_in_file == 1
    assert diagnose(build(assembly)).mobility.dof == dof + LOOSE


def test_the_pitch_of_a_screw_is_an_advance_a_turn(tmp_path: Path) -> None:
    (mate,) = read_text(tmp_path, one("SCREW_PAIR", "5.")).mates
    assert mate.value == pytest.approx(0.005 / (2 * np.pi))


@pytest.mark.parametrize(
    ("kind", "rest", "second", "lower", "upper"),
    [
        ("REVOLUTE_PAIR_WITH_RANGE", f"{STAR},-10.,90.", turned(0.3), np.radians(-10) - 0.3, np.radians(90) - 0.3),
        ("REVOLUTE_PAIR_WITH_RANGE", f"{STAR},$,90.", turned(0.0), None, np.radians(90)),
        ("PRISMATIC_PAIR_WITH_RANGE", f"{STAR},-20.,50.", turned(advance=0.01, axis=0), -0.03, 0.04),
        ("SCREW_PAIR_WITH_RANGE", "5.,0.,720.", turned(), 0.0, 4 * np.pi),
        # Of each axis a range, the turns before the slides; the other axes are held, whatever theirs say.
        (
            f"{LOW}_WITH_RANGE",
            f"{ONLY_Y},-1.,1.,-10.,90.,{'$,' * 7}5.",
            turned(0.3, axis=1),
            np.radians(-10) - 0.3,
            np.radians(90) - 0.3,
        ),
        (f"{LOW}_WITH_RANGE", f"{ONLY_Z},{'$,' * 10}-20.,50.", turned(advance=0.01), -0.03, 0.04),
    ],
)
def test_ranges_count_from_the_designed_pose(
    kind: str, rest: str, second: Pose, lower: float | None, upper: float, tmp_path: Path
) -> None:
    (mate,) = read_text(tmp_path, one(kind, rest, (X_WJ, second))).mates
    assert mate.limit is not None
    assert mate.limit.lower == (None if lower is None else pytest.approx(lower))
    assert mate.limit.upper == pytest.approx(upper)


def test_ranges_of_several_freedoms_are_told(tmp_path: Path) -> None:
    assembly = read_text(tmp_path, one("CYLINDRICAL_PAIR_WITH_RANGE", f"{STAR},0.,10.,$,$"))
    assert assembly.mates[0].limit is None
    assert [f.message for f in assembly.findings if f.code == "CB1305"] == [
        "P: the range of t_z of a cylindrical joint is left out"
    ]


@pytest.mark.parametrize(
    ("kind", "rest", "left_out"),
    [
        ("GEAR_PAIR_WITH_RANGE", "10.,30.,0.,0.,3.,-90.,$", "the range of r_z of a gear pair"),
        ("GEAR_PAIR_WITH_RANGE", "10.,30.,0.,0.,3.,$,$", ""),
        ("RACK_AND_PINION_PAIR_WITH_RANGE", "15.,0.,40.", "the range of displacement of a rack and pinion pair"),
    ],
)
def test_ranges_of_gears_are_told(kind: str, rest: str, left_out: str, tmp_path: Path) -> None:
    assembly = read_text(tmp_path, one(kind, rest, (X_WJ, X_WJ @ Pose(np.eye(3), np.array([0.04, 0, 0])))))
    (coupling,) = assembly.couplings
    assert coupling.name == "P"
    said = [f.message for f in assembly.findings if f.code == "CB1305"]
    assert said == ([f"P: {left_out} is left out"] if left_out else [])


def test_a_pair_on_a_mirrored_occurrence_is_refused(tmp_path: Path) -> None:
    """Its frame is given on the part that is not mirrored, and stood where that would be."""
    text = one("REVOLUTE_PAIR", STAR)
    assert len(read_text(tmp_path, text).mates) == 1
    number = re.findall(r"#(\d+)=ITEM_DEFINED_TRANSFORMATION", text)[list(BODIES).index(B)]
    operator = (
        f"#{number}=CARTESIAN_TRANSFORMATION_OPERATOR_3D('','','',#90001,#90002,#90004,1.,#90003);\n"
        "#90001=DIRECTION('',(-1.,0.,0.));\n#90002=DIRECTION('',(0.,1.,0.));\n"
        "#90003=DIRECTION('',(0.,0.,1.));\n#90004=CARTESIAN_POINT('',(100.,0.,0.));"
    )
    assembly = read_text(tmp_path, re.sub(rf"#{number}=ITEM_DEFINED_TRANSFORMATION[^;]*;", operator, text))
    assert assembly.mates == ()
    (told,) = (f.message for f in assembly.findings if f.code == "CB782")
    assert f"{B} is a mirrored or scaled copy" in told


@pytest.mark.parametrize(
    ("kind", "rest", "second", "coupling", "ratio"),
    [
        ("GEAR_PAIR", "10.,30.,0.,0.,3.", X_WJ @ Pose(np.eye(3), np.array([0.04, 0, 0])), CouplingKind.SPUR, 3.0),
        ("GEAR_PAIR", "10.,30.,0.,0.,3.", X_WJ @ Pose(np.eye(3), np.array([0.02, 0, 0])), CouplingKind.INTERNAL, 3.0),
        ("GEAR_PAIR_WITH_RANGE", "10.,20.,90.,0.,2.,$,$", turned(np.pi / 2, axis=0), CouplingKind.BEVEL, 2.0),
        ("RACK_AND_PINION_PAIR", "15.", turned(), CouplingKind.RACK_PINION, None),
    ],
)
def test_gears_and_racks_become_couplings(
    kind: str, rest: str, second: Pose, coupling: CouplingKind, ratio: float | None, tmp_path: Path
) -> None:
    (found,) = read_text(tmp_path, one(kind, rest, (X_WJ, second))).couplings
    assert (found.kind, found.ratio) == (coupling, ratio)
    assert found.radius_a == pytest.approx(0.015 if ratio is None else 0.01)
    if coupling is CouplingKind.RACK_PINION:
        assert found.b is not None
        assert found.b.direction is not None
        np.testing.assert_allclose(BODIES[B].X.vector(found.b.direction), second.R[:, 0], atol=1e-12)


def test_a_complex_instance_is_read_by_its_parts(tmp_path: Path) -> None:
    text = one("REVOLUTE_PAIR_WITH_RANGE", f"{STAR},-10.,90.")
    match = re.search(r"REVOLUTE_PAIR_WITH_RANGE\('P','P',\$,(#\d+),(#\d+),(#\d+),.*?\)", text)
    assert match is not None
    parts = (
        f"(ACTUATED_KINEMATIC_PAIR($,$,$,$,$,.BIDIRECTIONAL.)GEOMETRIC_REPRESENTATION_ITEM()"
        f"ITEM_DEFINED_TRANSFORMATION('P',$,{match[1]},{match[2]})KINEMATIC_PAIR({match[3]})"
        f"LOW_ORDER_KINEMATIC_PAIR({STAR})REPRESENTATION_ITEM('P')REVOLUTE_PAIR()"
        "REVOLUTE_PAIR_WITH_RANGE(-10.,90.))"
    )
    (mate,) = read_text(tmp_path, text.replace(match[0], parts)).mates
    assert (mate.name, mate.kind) == ("P", MateKind.REVOLUTE)
    assert mate.limit is not None
    assert mate.limit.upper == pytest.approx(np.pi / 2)


def test_a_pair_fixed_to_the_whole_grounds_its_link(tmp_path: Path) -> None:
    pairs = Pairs()
    d = pairs.deck
    whole = d.put("KINEMATIC_LINK('whole')")
    origin = d.placement(Pose())
    base = d.put(f"RIGID_LINK_REPRESENTATION('whole',({origin}),{pairs.context},{whole})")
    d.put(f"KINEMATIC_LINK_REPRESENTATION_ASSOCIATION('',$,{base},{pairs.shape['fourbar']})")
    pairs.representations[A] = base
    for kind, link in (("FULLY_CONSTRAINED_PAIR", "Rocker"), ("REVOLUTE_PAIR", B)):
        joint = d.put(f"KINEMATIC_JOINT('',{whole},{pairs.links[link]})")
        frames = f"{d.placement(BODIES[link].X)},{d.placement(Pose())}"
        pairs.items.append(d.put(f"{kind}('{link}','',$,{frames},{joint},{STAR})"))
    assembly = read_text(tmp_path, pairs.text21())
    assert [c.name for c in assembly.components if c.grounded] == ["Rocker"]
    assert [(m.name, m.a.component) for m in assembly.mates] == [(B, GROUND)]


def test_names_in_other_alphabets_and_alike(tmp_path: Path) -> None:
    pairs = Pairs()
    pairs.pair("REVOLUTE_PAIR", STAR, name="Gelenk \\X2\\00E4\\X0\\ ''1''")
    pairs.pair("PLANAR_PAIR", STAR, name="Gelenk \\X2\\00E4\\X0\\ ''1''")
    assembly = read_text(tmp_path, pairs.text21())
    assert [m.name for m in assembly.mates] == ["Gelenk ä '1'", "Gelenk ä '1' (2)"]


def test_higher_pairs_are_told(tmp_path: Path) -> None:
    pairs = Pairs()
    pairs.pair("POINT_ON_SURFACE_PAIR", "#1", name="cam")
    assembly = read_text(tmp_path, pairs.text21())
    assert (len(assembly.mates), assembly.mates_in_file) == (0, 1)
    assert {f.where.item for f in assembly.findings if f.code == "CB783"} == {"cam"}


@pytest.mark.parametrize(
    ("flags", "freedoms"),
    [("T F F F F T", 2), ("F F T T T T", 4), ("T T F F F F", 2), ("T T T F F F", 3), ("T T F T T F", 4)],
)
def test_freedoms_that_no_single_mate_leaves_are_left_by_several(flags: str, freedoms: int, tmp_path: Path) -> None:
    """A pin in a slot, a ball on a line, slides in a plane and in space, two slides and two turns."""
    said = ",".join(f".{flag}." for flag in flags.split())
    assembly = read_text(tmp_path, one("LOW_ORDER_KINEMATIC_PAIR", said))
    assert "CB783" not in codes(assembly)
    assert diagnose(build(assembly)).mobility.dof == freedoms + LOOSE


def test_a_ball_with_a_pin_turns_about_x_and_z(tmp_path: Path) -> None:
    mechanism = build(read_text(tmp_path, one("SPHERICAL_PAIR_WITH_PIN", STAR)))
    (joint,) = (j for j in mechanism.joints if j.name == "P")
    found = universal_axes(mechanism, joint)
    assert found is not None
    np.testing.assert_allclose(np.abs(X_WJ.R.T @ np.column_stack(found[:2])), np.eye(3)[:, [0, 2]], atol=1e-12)


def test_a_file_without_kinematics_is_left_as_it_was(corpus: Path) -> None:
    from cadbridge.reading import read

    assembly = read(corpus / "caxif/as1-oc-214.stp")
    assert (assembly.mates, assembly.mates_in_file) == ((), 0)
    assert "CB780" not in codes(assembly)


BASE = one("REVOLUTE_PAIR_WITH_RANGE", f"{STAR},-10.,90.")


def _edit(pattern: str, new: str) -> Callable[[], str]:
    def made() -> str:
        text, count = re.subn(pattern, new, BASE, count=1)
        assert count == 1, pattern
        return text

    return made


NOTHING = "DIRECTION('',(0.,0.,1.))"
BOUND = r"KINEMATIC_LINK_REPRESENTATION_ASSOCIATION\([^)]*\)"
RELATION = r"(PRODUCT_DEFINITION_RELATIONSHIP_KINEMATICS\('',\$),#\d+"
LINK = r"(RIGID_LINK_REPRESENTATION\('Base',\([^)]*\),#\d+),#\d+\)"
MECHANISM = r"MECHANISM_REPRESENTATION\('',\([^)]*\),#\d+"
GROUNDED = r"(KINEMATIC_PROPERTY_MECHANISM_REPRESENTATION\(#\d+,#\d+),#\d+"
PAIR = r"(REVOLUTE_PAIR_WITH_RANGE\('P','P',\$),(#\d+),(#\d+),(#\d+),"
MUTATIONS: dict[str, tuple[Callable[[], str], set[str]]] = {
    "an attribute too few": (_edit(r",-10\.,90\.\)", ",-10.)"), {"CB781"}),
    "an attribute too many": (_edit(r",90\.\)", ",90.,1.)"), {"CB781"}),
    "no joint": (_edit(PAIR, r"\1,\2,\3,$,"), {"CB781"}),
    "a joint that is not there": (_edit(PAIR, r"\1,\2,\3,#999999,"), {"CB781"}),
    "a joint that is a point": (_edit(PAIR, r"\1,\2,\3,#1,"), {"CB781"}),
    "no placement": (_edit(PAIR, r"\1,$,\3,\4,"), {"CB781"}),
    "a placement that is a joint": (_edit(PAIR, r"\1,\4,\3,\4,"), {"CB781"}),
    "a placement that is not there": (_edit(PAIR, r"\1,#999999,\3,\4,"), {"CB781"}),
    "a string for a placement": (_edit(PAIR, r"\1,'x',\3,\4,"), {"CB781"}),
    "both ends one link": (_edit(r"(KINEMATIC_JOINT\('P',#\d+),#\d+\)", r"\1,#122)"), {"CB781"}),
    "one end": (_edit(r"(KINEMATIC_JOINT\('P',#\d+),#\d+\)", r"\1)"), {"CB781"}),
    "an end that is not there": (_edit(r"(KINEMATIC_JOINT\('P',#\d+),#\d+\)", r"\1,#999999)"), {"CB781"}),
    "an end that is no link": (_edit(r"(KINEMATIC_JOINT\('P',#\d+),#\d+\)", r"\1,#1)"), {"CB781"}),
    "a pair of its own": (_edit(PAIR, r"\1,\2,\3,\2,"), {"CB781"}),
    "a link without shape": (_edit(BOUND, NOTHING), {"CB782", "CB781"}),
    "a link without occurrence": (_edit(RELATION + r"\)", NOTHING), {"CB780"}),
    "an occurrence that is not there": (_edit(RELATION, r"\1,#999999"), {"CB782", "CB781"}),
    "a link representation without link": (_edit(LINK, r"\1,$)"), {"CB781"}),
    "no mechanism": (_edit(r"MECHANISM_REPRESENTATION\([^;]*;", "DIRECTION('',(0.,0.,1.));"), {"CB780"}),
    "a mechanism of itself": (_edit(MECHANISM, "MECHANISM_REPRESENTATION('',(#10),#10"), {"CB780"}),
    "a base that is a point": (_edit(GROUNDED, r"\1,#1"), {"CB780"}),
    "a range of words": (_edit(r",-10\.,90\.\)", ",'a','b')"), {"CB780"}),
    "flags that say nothing": (_edit(r"\*,\*,\*,\*,\*,\*,-10\.,90\.", "$,$,$,$,$,$,-10.,90."), {"CB780"}),
    "a type that is not known": (_edit("REVOLUTE_PAIR_WITH_RANGE", "ROPE_PAIR_WITH_RANGE"), {"CB780"}),
    "an unclosed list": (_edit(r",90\.\)", ",90."), {"CB781"}),
    "deep lists": (_edit(r",90\.\)", "," + "(" * 30 + ")" * 30 + ")"), {"CB781"}),
    "a comment in between": (_edit(r",-10\.,90\.\)", ",-10.,/* ; ' */90.)"), {"CB780"}),
    "a word where a value belongs": (_edit(r",90\.\)", ",NINETY)"), {"CB781"}),
}  # fmt: skip


def test_a_range_beyond_doubles_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the number -1\.E999, which no machine has"):
        read_text(tmp_path, _edit(r",-10\.,90\.\)", ",-1.E999,1.E999)")())


@pytest.mark.parametrize("case", MUTATIONS)
def test_faults_end_in_findings(case: str, tmp_path: Path) -> None:
    make, wanted = MUTATIONS[case]
    assembly = read_text(tmp_path, make())
    assert wanted <= codes(assembly)
    build(assembly)


def test_a_pair_that_no_representation_lists_has_the_units_of_the_file(tmp_path: Path) -> None:
    """Its range was read in mm and radians: of 90 degrees 90 rad."""
    for kind, rest, at in (("REVOLUTE_PAIR_WITH_RANGE", f"{STAR},-10.,90.", 2), (f"{LOW}_WITH_RANGE", RANGES_Y, 1)):
        text = re.sub(r"(MECHANISM_REPRESENTATION\(''),\([^)]*\)", r"\1,()", one(kind, rest, (X_WJ, turned(axis=at))))
        (mate,) = read_text(tmp_path, text).mates
        assert mate.limit is not None
        assert mate.limit.upper == pytest.approx(np.pi / 2)
