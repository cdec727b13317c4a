"""The mates file over a real STEP assembly: selectors, flexible sub-assemblies, contact."""

import shutil
from pathlib import Path

import pytest

from cadbridge.assembly import Assembly, FeatureKind
from cadbridge.readers import yaml_for_face
from cadbridge.reading import read

MATES = """\
format: cadbridge.mates/1
ground: [plate_1]
flexible: [l-bracket-assembly_1]
density: [{parts: "*", material: steel}]
attach: [{parts: "*/nut-bolt-assembly_*", by: contact}, {parts: rod-assembly_1, to: plate_1}]
mates:
  - {name: Seat, type: mate, a: {component: plate_1, select: "faces >Z"}, b: {component: l-bracket_1, select: ">X"}}
  - {name: Bad, type: mate, a: {component: plate_1, select: "|Z"}, b: {component: l-bracket_1, select: ">X"}}
"""


@pytest.fixture(scope="module")
def assembly(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """as1 with a mates file beside it."""
    folder = tmp_path_factory.mktemp("as1")
    shutil.copy(corpus / "caxif" / "as1-oc-214.stp", folder / "as1.stp")
    (folder / "as1.mates.yaml").write_text(MATES)
    return read(folder / "as1.stp")


def test_the_file_beside_the_step_is_laid_over_it(assembly: Assembly) -> None:
    told = [(f.code, f.where.line) for f in assembly.findings if f.severity == "error"]
    assert told == [("CB147", 8)]  # both faces across Z answer: they are not one surface
    assert [m.name for m in assembly.mates] == ["Seat"]
    seat = assembly.mates[0]
    assert (seat.a.kind, seat.b.kind) == (FeatureKind.PLANE, FeatureKind.PLANE)
    assert seat.a.direction is not None
    assert seat.a.direction == pytest.approx((0.0, 0.0, 1.0))
    assert {p.density for p in assembly.parts} == {7850.0}


def test_screws_belong_to_what_they_touch(assembly: Assembly) -> None:
    names = [c.name for c in assembly.components]
    assert sorted(names) == ["l-bracket-assembly_1/l-bracket_1", "l-bracket-assembly_2", "plate_1"]
    # 18 solids in all: three loose bolts with their nuts, and the rod, went to others.
    assert sum(len(c.instances) for c in assembly.components) == 18
    assert {i for i in assembly.component("plate_1").instances if i.startswith("rod")} == {
        "rod-assembly_1/nut_1", "rod-assembly_1/nut_2", "rod-assembly_1/rod_1",
    }  # fmt: skip
    assert len([f for f in assembly.findings if f.code == "CB153"]) == 4


@pytest.mark.parametrize(("component", "inner"), [("plate_1", None), ("l-bracket-assembly_1", "l-bracket_1")])
def test_every_plane_of_a_real_part_reads_back(
    assembly: Assembly, corpus: Path, tmp_path: Path, component: str, inner: str | None
) -> None:
    name = f"{component}/{inner}" if inner else component
    part = assembly.part(assembly.instance(name).part)
    assert part.shape is not None
    planes = [f for f in part.shape.faces if f.kind == "plane"]
    other = "{component: rod-assembly_1, point: [0, 0, 0]}"
    lines = [
        f"  - {{type: mate, a: {yaml_for_face(component, inner, face, part.shape.faces)}, b: {other}}}\n"
        for face in planes
    ]
    shutil.copy(corpus / "caxif" / "as1-oc-214.stp", tmp_path / "as1.stp")
    (tmp_path / "as1.mates.yaml").write_text("format: cadbridge.mates/1\nmates:\n" + "".join(lines))
    again = read(tmp_path / "as1.stp")
    assert len(planes) >= 6
    assert [f.message for f in again.findings if f.severity == "error"] == []
    # From the component's frame back into the part's.
    X_IC = again.instance(name).X_WI.inverse() @ again.component(component).X_WC
    for face, mate in zip(planes, again.mates, strict=True):
        assert X_IC.point(mate.a.point) == pytest.approx(face.point, abs=1e-9)
        assert mate.a.direction is not None
        assert X_IC.vector(mate.a.direction) == pytest.approx(face.direction, abs=1e-11)
