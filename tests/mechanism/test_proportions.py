"""Masses, inertias and centres that cannot be are told without a shape; those of real machines are not doubted."""

from __future__ import annotations

from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.readers.options import ReadOptions
from cadbridge.report.document import check_document
from cadbridge.report.views.verdict import verdict

DOUBTS = {"CB320", "CB321", "CB322", "CB323"}


def link(name: str, mass: float, inertia: float, centre: float = 0.15) -> str:
    return (
        f'<link name="{name}"><inertial><origin xyz="0 0 {centre}"/><mass value="{mass}"/>'
        f'<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )


def arm(folder: Path, *links: str, step: float = 0.3) -> cb.Mechanism:
    """A chain of hinges `step` m apart."""
    text = ['<robot name="arm"><link name="base"/>', *links]
    for k, (above, below) in enumerate(zip(["base", "a", "b", "c"], ["a", "b", "c"][: len(links)], strict=False)):
        text.append(
            f'<joint name="j{k}" type="continuous"><parent link="{above}"/><child link="{below}"/>'
            f'<origin xyz="0 0 {0 if k == 0 else step}"/><axis xyz="0 1 0"/></joint>'
        )
    file = folder / "arm.urdf"
    file.write_text("\n".join([*text, "</robot>"]))
    return cb.build(cb.read(file))


def doubts(mechanism: cb.Mechanism) -> list[tuple[str, str]]:
    return [(f.code, f.where.item or "") for f in mechanism.findings if f.code in DOUBTS]


SOUND = link("a", 2.0, 0.015), link("b", 1.5, 0.012), link("c", 0.5, 0.004)


def test_an_arm_as_it_is_built_is_not_doubted(tmp_path: Path) -> None:
    assert doubts(arm(tmp_path, *SOUND)) == []


@pytest.mark.parametrize(
    ("spoilt", "code", "words"),
    [
        (link("b", 1.0, 1e4), "CB320", "it needs masses 100 m from its centre"),
        (link("b", 1000.0, 1e-8), "CB320", "a ball of osmium of that mass has"),
        (link("b", 1.5, 0.012e6), "CB320", "kg mm² for kg m²?"),
        (link("b", 1.5, 0.012e9), "CB320", "g mm² for kg m²?"),
        (link("b", 1e-9, 1e-17), "CB320", "a radius of 0.1 mm"),
        (link("b", 1.5e6, 1.2e5), "CB321", "the 2 other bodies together 2.5 kg"),
        (link("b", 1e-11, 1e-14), "CB321", "all bodies together 2.5 kg"),
        (link("b", 1.5, 0.012, centre=150.0), "CB322", "mm for m?"),
        (link("b", 1.5, 0.012, centre=20.0), "CB322", "mm for m?"),
    ],
)
def test_what_cannot_be_is_told_with_its_place(tmp_path: Path, spoilt: str, code: str, words: str) -> None:
    mechanism = arm(tmp_path, SOUND[0], spoilt, SOUND[2])
    assert (code, "b") in doubts(mechanism)
    (told,) = [f for f in mechanism.findings if f.code == code and f.where.item == "b"]
    assert words in told.message
    assert told.where.line == 3


def test_bodies_lighter_than_a_hair_of_their_length_are_placeholders(tmp_path: Path) -> None:
    """An exporter writes 1e-9 kg and 1e-9 kg m² for parts without a material: that arm would tremble, not swing."""
    mechanism = arm(tmp_path, *(link(name, 1e-9, 1e-9, 0.0) for name in "ab"), SOUND[2])
    (told,) = [f for f in mechanism.findings if f.code in DOUBTS]
    assert (told.code, told.items, told.where.line) == ("CB321", ("a", "b"), 2)
    assert "less than a hair of its length (300 mm); so do b" in told.message


@pytest.mark.parametrize(("step", "mass", "told"), [(0.3, 1e-6, False), (0.015, 1e-9, False), (0.3, 8e-7, True)])
def test_light_bodies_of_which_there_are_some_are_not_doubted(
    tmp_path: Path, step: float, mass: float, told: bool
) -> None:
    """A thread is no lighter than a hair, and a body of 5 mm may be a machine of silicon."""
    light = link("b", mass, mass * 1e-2 * step**2, step / 2)
    found = doubts(arm(tmp_path, SOUND[0], light, SOUND[2], step=step))
    assert (("CB321", "b") in found) == told


@pytest.mark.parametrize(("mass", "inertia"), [(1.0, 1e4), (1000.0, 1e-8)])
def test_a_single_body_without_any_distance_is_doubted_too(tmp_path: Path, mass: float, inertia: float) -> None:
    assert doubts(arm(tmp_path, link("a", mass, inertia, 0.0))) == [("CB320", "a")]


def test_lengths_in_mm_are_told_at_each_body_in_one_finding(tmp_path: Path) -> None:
    """Joints 300 m apart beside inertias of a robot of 0.3 m."""
    mechanism = arm(tmp_path, *(text.replace('"0 0 0.15"', '"0 0 150"') for text in SOUND), step=300.0)
    (told,) = [f for f in mechanism.findings if f.code in DOUBTS]
    assert (told.code, told.items) == ("CB320", ("a", "b", "c"))
    assert "(mm for m?)" in told.message


def test_a_body_beyond_reason_is_told_whatever_its_mass(tmp_path: Path) -> None:
    massless = arm(tmp_path, *(link(name, 0.0, 0.0, 0.0) for name in "abc"), step=1e9)
    assert {f.code for f in massless.findings} & DOUBTS == {"CB323"}
    (told,) = [f for f in arm(tmp_path, *SOUND, step=1e9).findings if f.code == "CB323"]
    assert set(told.items) == {"a", "b", "c"}
    assert told.where.line is not None
    assert "CB323" not in {f.code for f in arm(tmp_path, *SOUND, step=4e4).findings}


@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e2])
@pytest.mark.parametrize("density", [20.0, 1000.0, 20000.0])
def test_rods_of_any_size_and_density_are_not_doubted(tmp_path: Path, scale: float, density: float) -> None:
    length, radius = 0.3 * scale, 0.02 * scale
    mass = density * 3.14159 * radius**2 * length
    rods = [link(name, mass, mass * length**2 / 12, length / 2) for name in "abc"]
    assert doubts(arm(tmp_path, *rods, step=length)) == []


BOX = '<visual><geometry><box size="0.1 0.1 0.3"/></geometry></visual>'


def boxed(folder: Path, options: ReadOptions, inertial: str = "") -> cb.Mechanism:
    file = folder / "box.urdf"
    file.write_text(
        f'<robot name="r"><link name="base"/><link name="a">{inertial}{BOX}</link><joint name="j" type="continuous">'
        '<parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint></robot>'
    )
    return cb.build(cb.read(file, options=options))


def test_a_moving_link_that_a_density_weighs_is_not_said_to_have_no_mass(tmp_path: Path) -> None:
    bare = boxed(tmp_path, ReadOptions())
    assert "CB191" in {f.code for f in bare.assembly.findings}
    assert "pass --density" in verdict(check_document(bare, cb.diagnose(bare)), {}).text
    weighed = boxed(tmp_path, ReadOptions(density=1000.0))
    assert "CB191" not in {f.code for f in weighed.assembly.findings}
    assert weighed.bodies[0].mass is not None
    assert weighed.bodies[0].mass.mass == pytest.approx(3.0)


def test_a_light_part_that_is_fixed_far_away_is_told(tmp_path: Path) -> None:
    """A palm of 0.05 g that stands 110 m aside, as its offset is in mm, does not move the centre of its hand so far."""
    palm = link("palm", 5e-5, 1e-9, 0.0)
    fixed = """<joint name="f" type="fixed"><parent link="b"/><child link="palm"/><origin xyz="{} 0 0"/></joint>"""
    for at, told in ((0.11, []), (110.0, ["CB322"])):
        mechanism = arm(tmp_path, SOUND[0], SOUND[1] + palm + fixed.format(at))
        found = [f for f in mechanism.findings if f.code in ("CB320", "CB321", "CB322")]
        assert [f.code for f in found] == told
        assert [f.items for f in found] == [("palm",)] * len(told)
