"""STEP assemblies: structure, names, placements, units; packed files; and what is no STEP file."""

from __future__ import annotations

import gzip
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

from cadbridge import budget
from cadbridge.assembly import Assembly
from cadbridge.errors import InputError
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.step import read
from tests.late import cq
from tests.shapes.solids import write_assembly, write_part


def codes(assembly: Assembly) -> list[str]:
    return [f.code for f in assembly.findings]


def block(size: float = 10.0) -> cq.Workplane:
    return cq.Workplane().box(size, 2 * size, 3 * size)


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    """Robot: Base, and Arm of Link and Motor of two Screws."""
    screw = cq.Workplane().circle(2).extrude(10)
    motor = cq.Assembly(name="Motor").add(block(5), name="Stator")
    motor.add(screw, name="ScrewA", loc=cq.Location((10, 0, 0)))
    motor.add(screw, name="ScrewB", loc=cq.Location((20, 0, 0)))
    arm = cq.Assembly(name="Arm").add(block(), name="Link")
    arm.add(motor, name="Motor", loc=cq.Location((0, 0, 100), (0, 0, 1), 90))
    robot = cq.Assembly(name="Robot").add(block(20), name="Base", color=cq.Color(1, 0, 0))
    robot.add(arm, name="Arm", loc=cq.Location((0, 0, 50)))
    return write_assembly(tmp_path / "robot.step", robot)


# --- real files ---


def test_as1_has_18_instances_of_5_parts(corpus: Path) -> None:
    assembly = read(corpus / "caxif" / "as1-oc-214.stp")
    assert len(assembly.instances) == 18
    assert sorted(p.name for p in assembly.parts) == ["bolt", "l-bracket", "nut", "plate", "rod"]
    assert all(p.shape is not None and p.shape.solids == 1 for p in assembly.parts)
    assert [c.name for c in assembly.components] == [
        "rod-assembly_1", "l-bracket-assembly_1", "plate_1", "l-bracket-assembly_2",
    ]  # fmt: skip
    assert not codes(assembly)
    bracket = assembly.part("l-bracket").shape
    assert bracket is not None
    assert bracket.validation["volume"] == pytest.approx(9.685857e-05, rel=1e-6)


def test_three_cubes_of_three_units_are_one_size(corpus: Path) -> None:
    volumes, ledgers = [], []
    for unit in ("in", "mm", "m"):
        assembly = read(corpus / "caxif" / f"cube-{unit}.step")
        shape = assembly.parts[0].shape
        assert shape is not None
        assert shape.brep is not None
        volumes.append(shape.brep.mass)
        ledgers.append(assembly.units[0])
    assert volumes == [pytest.approx(1.0, rel=1e-9)] * 3
    assert ledgers == ["length: inch → m", "length: millimetre → m", "length: metre → m"]


@pytest.mark.parametrize(("name", "parts", "instances"), [("dm1-id", 3, 7), ("io1-cm", 1, 1)])
def test_other_writers_files_are_read(corpus: Path, name: str, parts: int, instances: int) -> None:
    assembly = read(corpus / "caxif" / f"{name}-214.stp")
    assert (len(assembly.parts), len(assembly.instances)) == (parts, instances)
    assert not codes(assembly)


# --- structure ---


def test_nested_products_become_paths_placements_and_rigid_components(nested: Path) -> None:
    assembly = read(nested)
    assert [i.name for i in assembly.instances] == [
        "Base", "Arm/Link", "Arm/Motor/Stator", "Arm/Motor/ScrewA", "Arm/Motor/ScrewB",
    ]  # fmt: skip
    assert {c.name: len(c.instances) for c in assembly.components} == {"Base": 1, "Arm": 4}
    screw = assembly.instance("Arm/Motor/ScrewB")
    assert screw.component == "Arm"
    # 20 mm along the motor's x axis, which the placement turns to world y.
    np.testing.assert_allclose(screw.X_WI.p, [0.0, 0.02, 0.15], atol=1e-12)
    np.testing.assert_allclose(assembly.component("Arm").X_WC.p, [0, 0, 0.05], atol=1e-12)
    assert screw.part == assembly.instance("Arm/Motor/ScrewA").part


def test_the_tree_tells_what_is_below_what(nested: Path) -> None:
    tree = {entry["path"]: entry for entry in read(nested).extra["tree"]}
    assert tree["Arm"]["children"] == ("Arm/Link", "Arm/Motor")
    assert not tree["Arm"]["leaf"]
    assert tree["Arm/Motor/ScrewA"]["leaf"]
    np.testing.assert_allclose(tree["Arm/Motor"]["X_WI"].p, [0, 0, 0.15], atol=1e-12)


def test_colours_are_read(nested: Path) -> None:
    assembly = read(nested)
    base = assembly.instance("Base")
    colour = base.colour or assembly.part(base.part).colour
    assert colour == pytest.approx((1.0, 0.0, 0.0, 1.0))


def test_a_single_part_is_an_assembly_of_one(tmp_path: Path) -> None:
    assembly = read(write_part(tmp_path / "lone.step", block()))
    assert len(assembly.instances) == len(assembly.components) == len(assembly.parts) == 1
    assert assembly.components[0].instances == (assembly.instances[0].name,)


def test_copies_that_a_writer_made_are_one_part(tmp_path: Path) -> None:
    top = cq.Assembly(name="Top").add(block(), name="A")
    top.add(block(), name="B", loc=cq.Location((50, 0, 0))).add(block(11), name="C")
    text = write_assembly(tmp_path / "copies.step", top).read_text()
    # cadquery names the product of each copy as its instance; give them one name, as CAD systems do.
    text = re.sub(r"PRODUCT\('[ABC]','[ABC]'", "PRODUCT('Block','Block'", text)
    (tmp_path / "copies.step").write_text(text)
    assembly = read(tmp_path / "copies.step")
    assert {i.name: i.part for i in assembly.instances} == {"A": "Block", "B": "Block", "C": "Block:2"}


def test_empty_numeric_and_duplicate_names(tmp_path: Path) -> None:
    top = cq.Assembly(name="Top")
    for index, name in enumerate(["P1", "P2", "P3", "P4"]):
        top.add(block(10 + index), name=name)
    text = write_assembly(tmp_path / "names.step", top).read_text()
    renamed = {"P1": "", "P2": "17", "P3": "Twin", "P4": "Twin"}
    for old, new in renamed.items():
        text = re.sub(rf"(NEXT_ASSEMBLY_USAGE_OCCURRENCE\(')[^']*','{old}'", rf"\g<1>{new}','{new}'", text)
    (tmp_path / "names.step").write_text(text)
    assembly = read(tmp_path / "names.step")
    assert [i.name for i in assembly.instances] == ["P1", "P2", "Twin", "Twin:2"]
    assert codes(assembly) == ["CB107"]


def test_several_nameless_occurrences_are_counted(tmp_path: Path) -> None:
    top = cq.Assembly(name="Top")
    screw = block()
    for index in range(3):
        top.add(screw, name=f"S{index}", loc=cq.Location((50 * index, 0, 0)))
    text = write_assembly(tmp_path / "names.step", top).read_text()
    text = re.sub(r"(NEXT_ASSEMBLY_USAGE_OCCURRENCE\(')[^']*','S[02]'", r"\g<1>','7'", text)
    (tmp_path / "names.step").write_text(text)
    assembly = read(tmp_path / "names.step")
    product = assembly.parts[0].name
    assert [i.name for i in assembly.instances] == [f"{product}:1", "S1", f"{product}:3"]
    assert codes(assembly) == ["CB137"]


def test_a_part_of_several_solids_is_one_instance(tmp_path: Path) -> None:
    two = cq.Workplane().box(10, 10, 10).union(cq.Workplane().box(5, 5, 5).translate((30, 0, 0)))
    top = cq.Assembly(name="Top").add(two, name="Pair")
    assembly = read(write_assembly(tmp_path / "two.step", top))
    assert len(assembly.instances) == 1
    assert codes(assembly) == ["CB130"]
    shape = assembly.parts[0].shape
    assert shape is not None
    assert shape.solids == 2
    assert shape.brep is not None
    assert shape.brep.mass == pytest.approx(1.125e-6)


def test_a_sheet_is_told_and_weighs_nothing(tmp_path: Path) -> None:
    face = cq.Workplane().rect(10, 20).extrude(1).faces(">Z").val()
    assembly = read(write_part(tmp_path / "sheet.step", face))
    assert codes(assembly) == ["CB128"]
    shape = assembly.parts[0].shape
    assert shape is not None
    assert shape.brep is None
    assert shape.fine is None
    assert shape.coarse is not None


def test_a_unit_can_be_set_right(tmp_path: Path) -> None:
    path = write_part(tmp_path / "lone.step", block())
    shape = read(path, ReadOptions(length_unit="m")).parts[0].shape
    assert shape is not None
    assert shape.brep is not None
    assert shape.brep.mass == pytest.approx(6000.0)
    with pytest.raises(InputError, match="furlong"):
        read(path, ReadOptions(length_unit="furlong"))


def test_without_geometry_the_structure_is_read(nested: Path) -> None:
    assembly = read(nested, ReadOptions(geometry=False))
    assert len(assembly.instances) == 5
    assert all(p.shape is None for p in assembly.parts)
    assert not codes(assembly)


# --- packed files ---


def test_gzip_and_zip_are_unpacked(nested: Path, tmp_path: Path) -> None:
    packed, archive = tmp_path / "a.stpZ", tmp_path / "b.stpZ"
    packed.write_bytes(gzip.compress(nested.read_bytes()))
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.write(nested, "robot.stp")
    for path in (packed, archive):
        assert len(read(path).instances) == 5


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(budget.LIMITS, "unpacked STEP bytes", (5_000_000, "of STEP text"))
    bomb = tmp_path / "bomb.stpZ"
    bomb.write_bytes(gzip.compress(b"ISO-10303-21;" + b" " * 50_000_000))
    assert bomb.stat().st_size < 100_000
    with pytest.raises(InputError) as caught:
        read(bomb)
    assert [f.code for f in caught.value.findings] == ["CB108"]


# --- bad input ---


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "CB180"),
        (b"solid cube\n facet normal 0 0 1\n", "CB180"),
        (bytes(range(256)) * 50, "CB180"),
        (b"ISO-10303-21;\nHEADER;\n", "CB123"),
        (b"ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n", "CB125"),
        (b"\x1f\x8bgarbage that is no gzip", "CB121"),
        (b"PK\x03\x04garbage that is no zip", "CB121"),
    ],
    ids=["empty", "stl", "binary", "header only", "no data", "bad gzip", "bad zip"],
)
def test_what_is_no_step_file_is_told(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "bad.step"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read(path)
    assert code in [f.code for f in caught.value.findings]
    assert "bad.step" in str(caught.value)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_told_with_its_line(nested: Path, tmp_path: Path, share: float) -> None:
    data = nested.read_bytes()
    cut = tmp_path / "cut.step"
    cut.write_bytes(data[: int(len(data) * share)])
    try:
        findings = read(cut).findings
    except InputError as error:
        findings = error.findings
    broken = [f for f in findings if f.code == "CB123"]
    assert len(broken) == 1
    assert broken[0].where.line == cut.read_bytes().count(b"\n") + 1
    assert "CB125" not in {f.code for f in findings}  # its cure, to export solids, would be none


@pytest.mark.parametrize("number", ["1.E400", "-1.E+0309", "9" * 400 + "."])
def test_a_number_beyond_doubles_is_refused(nested: Path, number: str) -> None:
    """OCCT works on such a point without end."""
    text = nested.read_text()
    nested.write_text(re.sub(r"(CARTESIAN_POINT\('',\()[^,]*", rf"\g<1>{number}", text, count=1))
    with pytest.raises(InputError) as caught:
        read(nested)
    assert [f.code for f in caught.value.findings] == ["CB109"]
    nested.write_text(text.replace("DATA;", f"DATA; /* {number} */", 1))
    assert read(nested).parts


def test_a_text_that_is_not_closed_is_refused_with_its_line(nested: Path) -> None:
    text = nested.read_text()
    at = text.index("PRODUCT('Robot'")
    nested.write_text(text.replace("PRODUCT('Robot'", "PRODUCT('Robot", 1))
    with pytest.raises(InputError) as caught:
        read(nested)
    (told,) = caught.value.findings
    assert told.code == "CB111"
    assert text.count("\n", 0, at) + 1 == told.where.line
    # An apostrophe in a comment, and a statement's end within a text, are none of that.
    nested.write_text(text.replace("DATA;", "DATA; /* don't */", 1).replace("'Robot'", "'Ro;\nbot'", 1))
    assert read(nested).parts


def test_a_part_that_was_empty_is_named(corpus: Path) -> None:
    with pytest.raises(InputError, match="names Part7_Default_sldprt but has no face, edge or point"):
        read(corpus / "quadruped_solidworks" / "Part7_Default_sldprt.STEP")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path / "none.step")
    assert [f.code for f in caught.value.findings] == ["CB100"]


def test_a_number_that_stands_twice_is_told_with_its_line(nested: Path, tmp_path: Path) -> None:
    path = tmp_path / "twice.step"
    lines = nested.read_text().replace("ENDSEC;\nEND-ISO", "#10=DIRECTION('',(0.,0.,1.));\nENDSEC;\nEND-ISO")
    path.write_text(lines)
    with pytest.raises(InputError) as caught:
        read(path)
    (finding,) = caught.value.findings
    assert finding.code == "CB110"
    assert finding.where.line == lines.split("\n").index("#10=DIRECTION('',(0.,0.,1.));") + 1


def test_what_looks_like_a_number_in_a_string_is_none(nested: Path, tmp_path: Path) -> None:
    path = tmp_path / "strings.step"
    text = "/* ;#10=X(); */\n#999999=DESCRIPTIVE_REPRESENTATION_ITEM('; #10=X();',';\n#10 = it''s');\nENDSEC;\nEND-ISO"
    path.write_text(nested.read_text().replace("ENDSEC;\nEND-ISO", text))
    assert read(path).instances


def test_garbage_inside_the_data_does_not_bring_us_down(nested: Path, tmp_path: Path) -> None:
    text = nested.read_text()
    path = tmp_path / "mangled.step"
    path.write_text(re.sub(r"(ADVANCED_FACE\('[^']*',)\(#\d+", r"\1(#999999", text))
    try:
        findings = read(path).findings
    except InputError as error:
        findings = error.findings
    assert findings
