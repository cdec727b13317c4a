"""Volume by triangles, what is wrong with meshes, where a part's mass comes from."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadbridge.assembly import MassOverride, Part
from cadbridge.findings import Findings
from cadbridge.frames import Pose
from cadbridge.geometry import FineMesh, Mesh, Shape
from cadbridge.inertia import MassProperties
from cadbridge.mass import (
    audit_declared,
    audit_mesh,
    impossible,
    part_volume,
    positive,
    settled,
    volume_properties,
    weigh_part,
)
from tests.mass.solids import tube

_FACES = [
    (0, 3, 1), (0, 2, 3), (4, 5, 7), (4, 7, 6), (0, 1, 5), (0, 5, 4),
    (2, 7, 3), (2, 6, 7), (0, 6, 2), (0, 4, 6), (1, 3, 7), (1, 7, 5),
]  # fmt: skip


def box(a: float, b: float, c: float, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Mesh:
    """A box a × b × c (m) with its lowest corner at `at`."""
    corners = [(x, y, z) for z in (0.0, c) for y in (0.0, b) for x in (0.0, a)]
    return Mesh(np.array(corners) + np.array(at), np.array(_FACES, dtype=np.int32))


def join(*meshes: Mesh) -> Mesh:
    offsets = np.cumsum([0] + [len(m.vertices) for m in meshes])
    return Mesh(
        np.vstack([m.vertices for m in meshes]),
        np.vstack([m.triangles + o for m, o in zip(meshes, offsets, strict=False)]).astype(np.int32),
    )


def turned(mesh: Mesh, which: list[int] | slice = slice(None)) -> Mesh:
    triangles = mesh.triangles.copy()
    triangles[which] = triangles[which][:, ::-1]
    return Mesh(mesh.vertices, triangles)


def shape(mesh: Mesh | None, **more: object) -> Shape:
    return Shape(key="k", fine=mesh, coarse=mesh, **more)  # type: ignore[arg-type]


def codes(findings: Findings) -> list[str]:
    return [f.code for f in findings]


def box_inertia(a: float, b: float, c: float, density: float = 1.0) -> np.ndarray:
    mass = density * a * b * c
    return mass / 12.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])


# --- volume ---


def test_a_box_has_the_volume_and_inertia_of_the_textbook() -> None:
    properties = volume_properties(box(0.1, 0.2, 0.3))
    assert properties.mass == pytest.approx(0.006, rel=1e-13)
    np.testing.assert_allclose(properties.com, [0.05, 0.1, 0.15], atol=1e-15)
    np.testing.assert_allclose(properties.inertia, box_inertia(0.1, 0.2, 0.3), atol=1e-18)


def test_a_small_part_far_away_keeps_its_inertia() -> None:
    far = volume_properties(box(0.01, 0.02, 0.03, at=(1e3, -2e3, 3e3)))
    np.testing.assert_allclose(far.inertia, box_inertia(0.01, 0.02, 0.03), rtol=1e-7, atol=1e-20)


_small = st.floats(0.01, 2.0)
_where = st.floats(-10.0, 10.0)


@given(
    st.tuples(_small, _small, _small),
    st.tuples(_where, _where, _where),
    st.lists(st.floats(-1, 1), min_size=4, max_size=4),
)
def test_mass_follows_a_rigid_motion(
    sizes: tuple[float, float, float], at: tuple[float, float, float], q: list[float]
) -> None:
    if np.linalg.norm(q) < 0.1:
        q = [1.0, 0.0, 0.0, 0.0]
    mesh, pose = box(*sizes), Pose.from_quaternion(at, q)
    moved = Mesh(mesh.vertices @ pose.R.T + pose.p, mesh.triangles)
    ours, expected = volume_properties(moved), volume_properties(mesh).moved(pose)
    scale = np.abs(expected.inertia).max()
    assert ours.mass == pytest.approx(expected.mass, rel=1e-9)
    np.testing.assert_allclose(ours.com, expected.com, atol=1e-9)
    np.testing.assert_allclose(ours.inertia, expected.inertia, atol=1e-8 * scale)


@given(st.tuples(_small, _small, _small), st.floats(0.001, 1000.0))
def test_a_change_of_unit_scales_by_the_third_and_fifth_power(sizes: tuple[float, float, float], factor: float) -> None:
    small, large = box(*sizes), box(*sizes)
    large = Mesh(small.vertices * factor, small.triangles)
    ours, base = volume_properties(large), volume_properties(small)
    assert ours.mass == pytest.approx(base.mass * factor**3, rel=1e-12)
    np.testing.assert_allclose(ours.inertia, base.inertia * factor**5, rtol=1e-10, atol=1e-12 * ours.inertia.max())


# --- the audit ---


def test_a_closed_box_is_found_closed() -> None:
    audit = audit_mesh(box(1, 1, 1))
    assert (audit.closed, audit.flipped, audit.inverted, audit.shells) == (True, 0, 0, 1)


def test_triangles_of_their_own_are_welded() -> None:
    mesh = box(1, 2, 3)
    soup = Mesh(mesh.vertices[mesh.triangles].reshape(-1, 3), np.arange(36, dtype=np.int32).reshape(-1, 3))
    audit = audit_mesh(soup)
    assert audit.closed
    assert len(audit.mesh.vertices) == 8
    assert volume_properties(audit.mesh).mass == pytest.approx(6.0)


def test_an_inverted_box_is_turned_and_told() -> None:
    audit = audit_mesh(turned(box(1, 2, 3)))
    assert audit.closed
    assert audit.inverted == 1
    assert volume_properties(audit.mesh).mass == pytest.approx(6.0)


@pytest.mark.parametrize("which", [[0], [3, 7], [11]])
def test_flipped_triangles_are_turned_and_counted(which: list[int]) -> None:
    audit = audit_mesh(turned(box(1, 2, 3), which))
    assert audit.closed
    assert audit.flipped == len(which)
    assert volume_properties(audit.mesh).mass == pytest.approx(6.0)


def test_a_hole_is_found() -> None:
    mesh = box(1, 1, 1)
    audit = audit_mesh(Mesh(mesh.vertices, mesh.triangles[:-1]))
    assert not audit.closed
    assert audit.open_edges == 3


def test_degenerate_triangles_are_dropped() -> None:
    mesh = box(1, 1, 1)
    audit = audit_mesh(Mesh(mesh.vertices, np.vstack([mesh.triangles, [[2, 2, 5]]]).astype(np.int32)))
    assert audit.closed
    assert audit.degenerate == 1


def test_a_cavity_stays_a_cavity() -> None:
    audit = audit_mesh(join(box(1, 1, 1), turned(box(0.5, 0.5, 0.5, at=(0.2, 0.2, 0.2)))))
    assert (audit.closed, audit.shells, audit.inverted, audit.overlapping) == (True, 2, 0, 0)
    assert volume_properties(audit.mesh).mass == pytest.approx(1.0 - 0.125)


def test_an_inverted_shell_beside_another_is_turned() -> None:
    audit = audit_mesh(join(box(1, 1, 1), turned(box(0.5, 0.5, 0.5, at=(3, 0, 0)))))
    assert audit.inverted == 1
    assert volume_properties(audit.mesh).mass == pytest.approx(1.125)


def test_shells_that_overlap_are_told() -> None:
    assert audit_mesh(join(box(1, 1, 1), box(1, 1, 1, at=(0.5, 0.5, 0.5)))).overlapping > 0
    assert audit_mesh(join(box(1, 1, 1), box(1, 1, 1, at=(1.5, 0.5, 0.5)))).overlapping == 0


def test_boxes_that_touch_along_an_edge_are_closed() -> None:
    audit = audit_mesh(join(box(1, 1, 1), box(1, 1, 1, at=(1, 1, 0))))
    assert audit.closed
    assert volume_properties(audit.mesh).mass == pytest.approx(2.0)


# --- a part ---


def weigh(part: Part, findings: Findings) -> tuple[MassProperties | None, str | None]:
    weighed = weigh_part(part, part_volume(part), findings)
    return weighed.properties, weighed.source


def test_density_times_volume() -> None:
    findings = Findings()
    mass, source = weigh(Part("p", shape(box(0.1, 0.1, 0.1)), density=7850.0), findings)
    assert mass is not None
    assert (mass.mass, source) == (pytest.approx(7.85), "mesh")
    assert not len(findings)


def test_without_density_there_is_no_mass() -> None:
    findings = Findings()
    part = Part("Housing", shape(box(1, 1, 1)), material="Unobtainium")
    assert weigh(part, findings) == (None, None)
    assert codes(findings) == ["CB301"]
    assert "Unobtainium" in findings.as_tuple()[0].message


def test_an_open_mesh_has_no_mass_but_its_brep_does() -> None:
    mesh = box(1, 1, 1)
    holed = Mesh(mesh.vertices, mesh.triangles[1:])
    findings = Findings()
    assert weigh(Part("p", shape(holed), density=1.0), findings) == (None, None)
    assert codes(findings) == ["CB303"]
    exact = volume_properties(mesh)
    mass, source = weigh(Part("p", shape(holed, brep=exact), density=2.0), Findings())
    assert mass is not None
    assert (mass.mass, source) == (pytest.approx(2.0), "brep")


@pytest.mark.parametrize("closed", [True, False])
def test_an_inertia_of_no_body_of_a_brep_is_not_taken(closed: bool) -> None:
    """An open one may have any: a propeller of splines could not be simulated, and no cure of CB305 helped."""
    whole = box(1, 1, 1)
    mesh = whole if closed else Mesh(whole.vertices, whole.triangles[1:])
    none = MassProperties(1.0, np.zeros(3), np.diag([1.0, 1.0, -1.0]))
    findings = Findings()
    mass, source = weigh(Part("p", shape(mesh, brep=none), density=2.0), findings)
    assert source == ("mesh" if closed else None)
    assert (mass is None) is not closed
    assert [f.code for f in findings] == ([] if closed else ["CB303"])


def test_the_collision_mesh_stands_in_for_an_open_one() -> None:
    mesh = box(1, 1, 1)
    holed = Mesh(mesh.vertices, mesh.triangles[1:])
    findings = Findings()
    part = Part("p", shape(holed, collision=box(2, 1, 1), collision_file="hull.stl"), density=1.0)
    mass, source = weigh(part, findings)
    assert mass is not None
    assert (mass.mass, source) == (pytest.approx(2.0), "mesh")
    assert codes(findings) == ["CB303", "CB314"]
    assert "hull.stl" in findings.as_tuple()[1].message


def test_a_mesh_that_is_off_its_brep_gives_way() -> None:
    findings = Findings()
    exact = volume_properties(box(1.0, 1.0, 1.01))
    mass, source = weigh(Part("p", shape(box(1, 1, 1), brep=exact), density=1.0), findings)
    assert mass is not None
    assert (mass.mass, source) == (pytest.approx(1.01), "brep")
    assert codes(findings) == ["CB304"]


def test_a_fine_mesh_is_looked_at_only_where_the_coarse_one_does_not_confirm_the_exact_shape() -> None:
    rod = tube(0.0, 0.01, 0.05, 13)  # chords of 0.48 rad
    volume = math.pi * 0.01**2 * 0.05
    exact = MassProperties(volume, np.zeros(3), volume * np.diag([7e-4 / 3, 7e-4 / 3, 5e-5]))
    looked = []

    def finer() -> Mesh:
        looked.append("")
        return tube(0.0, 0.01, 0.05, 200)

    def weighed(brep: MassProperties) -> tuple[float, list[str]]:
        fine = FineMesh("rod", finer, rod)
        part, findings = Part("rod", Shape("rod", fine, rod, brep=brep), density=1.0), Findings()
        mass, source = weigh(part, findings)
        assert mass is not None
        assert source == "brep"
        return mass.mass, codes(findings)

    assert weighed(exact) == (volume, [])
    assert not looked
    wrong = replace(exact, mass=1.05 * volume)
    assert weighed(wrong) == (1.05 * volume, ["CB304"])
    assert looked == [""]


_STEEL_BOX = Part("p", shape(box(0.1, 0.2, 0.3)), density=1000.0)
_DECLARED = MassProperties(2.0, np.array([1.0, 2.0, 3.0]), np.diag([0.1, 0.1, 0.1]))


def test_what_is_declared_goes_before_the_mesh() -> None:
    mass, source = weigh(replace(_STEEL_BOX, declared=_DECLARED), Findings())
    assert (mass, source) == (_DECLARED, "declared")


def test_an_override_of_the_mass_scales_the_inertia() -> None:
    mass, source = weigh(replace(_STEEL_BOX, override=MassOverride(mass=12.0)), Findings())
    assert mass is not None
    assert (mass.mass, source) == (pytest.approx(12.0), "override")
    np.testing.assert_allclose(mass.inertia, box_inertia(0.1, 0.2, 0.3, 2000.0), atol=1e-15)
    np.testing.assert_allclose(mass.com, [0.05, 0.1, 0.15])


def test_a_mass_override_needs_no_density() -> None:
    part = replace(_STEEL_BOX, density=None, override=MassOverride(mass=6.0))
    findings = Findings()
    mass, _ = weigh(part, findings)
    assert mass is not None
    np.testing.assert_allclose(mass.inertia, box_inertia(0.1, 0.2, 0.3, 1000.0), atol=1e-15)
    assert not len(findings)


def test_an_override_of_the_centre_moves_the_body() -> None:
    mass, _ = weigh(replace(_STEEL_BOX, override=MassOverride(com=np.array([9.0, 0, 0]))), Findings())
    assert mass is not None
    np.testing.assert_allclose(mass.com, [9.0, 0, 0])
    np.testing.assert_allclose(mass.inertia, box_inertia(0.1, 0.2, 0.3, 1000.0), atol=1e-15)


def test_an_incomplete_override_of_a_part_without_shape_is_told() -> None:
    findings = Findings()
    assert weigh(Part("Ghost", override=MassOverride(mass=1.0)), findings) == (None, None)
    assert "CB309" in codes(findings)
    assert "com, inertia" in next(f.message for f in findings if f.code == "CB309")


def test_an_impossible_override_is_told() -> None:
    findings = Findings()
    override = MassOverride(inertia=np.diag([1.0, 1.0, 5.0]))
    _, source = weigh(replace(_STEEL_BOX, override=override), findings)
    assert source == "mesh"
    assert codes(findings) == ["CB310"]


@pytest.mark.parametrize(
    ("mass", "inertia", "word"),
    [
        (-1.0, np.eye(3), "mass"),
        (0.0, np.eye(3), "0"),
        (1.0, np.diag([1.0, 1.0, 2.5]), "triangle"),
        (1.0, np.diag([1.0, 1.0, -1.0]), "positive"),
        (1.0, np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]]), "symmetric"),
        (float("nan"), np.eye(3), "finite"),
    ],
)
def test_what_no_body_can_have(mass: float, inertia: np.ndarray, word: str) -> None:
    reason = impossible(MassProperties(mass, np.zeros(3), inertia))
    assert reason is not None
    assert word in reason


def test_a_thin_plate_is_possible() -> None:
    assert impossible(MassProperties(1.0, np.zeros(3), np.diag([1.0, 2.0, 3.0]))) is None


def test_placeholders_are_told_but_copies_are_not() -> None:
    same = MassProperties(2.0, np.zeros(3), np.diag([0.01, 0.01, 0.01]))
    parts = [Part(f"link_{i}", replace(shape(None), key=str(i)), declared=same) for i in range(4)]
    assert [f.code for f in audit_declared(parts)] == ["CB307"]
    copies = [Part(f"screw_{i}", shape(None), declared=same) for i in range(4)]
    assert audit_declared(copies) == ()
    links = [Part(f"link_{i}", declared=same) for i in range(4)]
    assert [f.code for f in audit_declared(links)] == ["CB307"]


def test_the_links_of_four_legs_are_no_placeholders() -> None:
    """Copies and mirror images have the same mass; without a shape only where most parts have it is it doubted."""
    same = MassProperties(0.591, np.zeros(3), np.diag([6e-4, 5e-4, 3e-4]))
    legs = [
        Part(f"hip_{i}", replace(shape(box(0.1, 0.2, 0.3 + 1e-4 * i)), key=str(i)), declared=same) for i in range(4)
    ]
    assert audit_declared(legs) == ()
    sizes = [Part(f"link_{i}", replace(shape(box(0.1, 0.2, 0.1 * i)), key=str(i)), declared=same) for i in range(1, 5)]
    assert [f.code for f in audit_declared(sizes)] == ["CB307"]
    others = [Part(f"p{i}", declared=replace(same, mass=1.0 + i)) for i in range(6)]
    assert audit_declared([*(Part(f"leg_{i}", declared=same) for i in range(4)), *others]) == ()


def test_an_impossible_inertia_gives_way_to_a_shape_with_a_density() -> None:
    bad = MassProperties(1.0, np.zeros(3), np.diag([1.0, 1.0, 9.0]))
    part = replace(_STEEL_BOX, declared=bad)
    assert audit_declared([part]) == ()
    findings = Findings()
    mass, source = weigh(part, findings)
    assert mass is not None
    assert source == "mesh"
    assert codes(findings) == ["CB308"]


@pytest.mark.parametrize("moments", [(1.0, 1.0, 9.0), (1.0, 1.0, -0.5)])
def test_an_impossible_inertia_without_a_density_is_used_as_engines_do(moments: tuple[float, ...]) -> None:
    bad = MassProperties(1.0, np.zeros(3), np.diag(moments))
    findings = Findings()
    found = weigh(Part("link", declared=bad), findings)
    assert found == (bad, "declared")
    assert codes(findings) == ["CB1433"]


def test_a_negative_or_infinite_mass_cannot_be_used() -> None:
    parts = [
        Part("less", declared=MassProperties(-1.0, np.zeros(3), np.eye(3))),
        Part("wild", declared=MassProperties(1.0, np.zeros(3), np.full((3, 3), np.inf))),
    ]
    assert [f.code for f in audit_declared(parts)] == ["CB305", "CB305"]
    assert [weigh(part, Findings())[0] for part in parts] == [None, None]


def test_rounded_zeros_below_zero_are_zeros_and_a_moment_below_zero_is_not() -> None:
    rounded = MassProperties(0.5, np.zeros(3), np.diag([-5e-20, -5e-20, 0.0]))
    assert not settled(rounded).inertia.any()
    below = MassProperties(0.5, np.zeros(3), np.diag([1.0, 1.0, -0.1]))
    assert settled(below) is below
    assert positive(settled(rounded))
    assert not positive(below)
