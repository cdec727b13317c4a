"""STEP assemblies: structure, names, placements, units, claims; and what is no STEP file."""

from __future__ import annotations

import gzip
import re
import zipfile
from pathlib import Path

import cadquery as cq
import numpy as np
import pytest

from cadbridge import budget
from cadbridge.assembly import Assembly
from cadbridge.errors import InputError
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.step import read
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


# --- what OCCT loses ---


def _pair(path: Path) -> str:
    """Two of one lopsided part, R displaced by 100 mm along x."""
    part = cq.Workplane().box(10, 20, 30).faces(">X").workplane().center(5, 5).hole(4, 5)
    top = cq.Assembly(name="Top").add(part, name="L")
    return write_assembly(path, top.add(part, name="R", loc=cq.Location((100, 0, 0)))).read_text()


def _placed_by_operator(text: str, x: float, scale: float) -> str:
    """The same with the second placement as an operator whose first axis is (x, 0, 0)."""
    number = re.findall(r"#(\d+) = ITEM_DEFINED_TRANSFORMATION", text)[1]
    operator = (
        f"#{number} = CARTESIAN_TRANSFORMATION_OPERATOR_3D('','','',#90001,#90002,#90004,{scale},#90003);\n"
        f"#90001 = DIRECTION('',({x},0.,0.));\n#90002 = DIRECTION('',(0.,1.,0.));\n"
        "#90003 = DIRECTION('',(0.,0.,1.));\n#90004 = CARTESIAN_POINT('',(100.,0.,0.));"
    )
    return re.sub(rf"#{number} = ITEM_DEFINED_TRANSFORMATION[^;]*;", operator, text)


def test_a_mirrored_instance_has_a_mirrored_part(tmp_path: Path) -> None:
    path = tmp_path / "pair.step"
    path.write_text(_placed_by_operator(_pair(path), -1.0, 1.0))
    assembly = read(path)
    left, right = assembly.instances
    assert (left.part, right.part) == ("L", "L (mirrored)")
    assert codes(assembly) == ["CB131"]
    assert np.linalg.det(right.X_WI.R) == pytest.approx(1.0)
    assert assembly.part("L (mirrored)").mirrored_from == "L"
    one, other = assembly.part("L").shape, assembly.part("L (mirrored)").shape
    assert one is not None
    assert other is not None
    assert one.brep is not None
    assert other.brep is not None
    # In the world: the mirror image at the plane x = 50 mm, weight for weight.
    seen = other.brep.moved(right.X_WI)
    np.testing.assert_allclose(seen.com, [0.1, 0, 0] + one.brep.com * [-1, 1, 1], atol=1e-9)
    flip = np.outer([-1, 1, 1], [-1, 1, 1])
    np.testing.assert_allclose(seen.inertia, one.brep.inertia * flip, atol=1e-12 * one.brep.inertia.max())


def test_a_scaled_instance_is_told_and_has_a_scaled_part(tmp_path: Path) -> None:
    path = tmp_path / "pair.step"
    path.write_text(_placed_by_operator(_pair(path), 1.0, 2.0))
    assembly = read(path)
    assert codes(assembly) == ["CB132"]
    one, other = (assembly.part(i.part).shape for i in assembly.instances)
    assert one is not None
    assert other is not None
    assert one.brep is not None
    assert other.brep is not None
    assert other.brep.mass == pytest.approx(8.0 * one.brep.mass)


def test_an_operator_that_only_moves_is_a_placement(tmp_path: Path) -> None:
    path = tmp_path / "pair.step"
    path.write_text(_placed_by_operator(_pair(path), 1.0, 1.0))
    assembly = read(path)
    assert [i.part for i in assembly.instances] == ["L", "L"]
    np.testing.assert_allclose(assembly.instances[1].X_WI.p, [0.1, 0, 0], atol=1e-12)
    assert not codes(assembly)


def _with_density(text: str, value: str, unit: tuple[str, str] | None) -> str:
    """The file with a material of its part: (prefix of gram, prefix of metre), None for no unit."""
    definition = re.findall(r"#(\d+) = PRODUCT_DEFINITION\(", text)[-1]
    unit_text, of = "", "$"
    if unit is not None:
        of = "#80005"
        unit_text = (
            "#80005 = DERIVED_UNIT((#80006,#80008));\n#80006 = DERIVED_UNIT_ELEMENT(#80007,1.);\n"
            f"#80007 = ( MASS_UNIT() NAMED_UNIT(*) SI_UNIT({unit[0]},.GRAM.) );\n"
            "#80008 = DERIVED_UNIT_ELEMENT(#80009,-3.);\n"
            f"#80009 = ( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT({unit[1]},.METRE.) );\n"
        )
    context = re.findall(r"#(\d+) = \( GEOMETRIC_REPRESENTATION_CONTEXT", text)[0]
    entities = (
        f"#80000 = REPRESENTATION('material name',(#80001),#{context});\n"
        "#80001 = DESCRIPTIVE_REPRESENTATION_ITEM('Steel','');\n"
        f"#80002 = PROPERTY_DEFINITION('material property','material name',#{definition});\n"
        f"#80003 = PROPERTY_DEFINITION_REPRESENTATION(#80002,#80000);\n{unit_text}"
        f"#80010 = REPRESENTATION('density',(#80011),#{context});\n"
        f"#80011 = MEASURE_REPRESENTATION_ITEM('density measure',POSITIVE_RATIO_MEASURE({value}),{of});\n"
        f"#80012 = PROPERTY_DEFINITION('material property','density',#{definition});\n"
        "#80013 = PROPERTY_DEFINITION_REPRESENTATION(#80012,#80010);\n"
    )
    at = text.rindex("ENDSEC;")
    return text[:at] + entities + text[at:]


@pytest.mark.parametrize(
    ("value", "unit", "density", "told"),
    [
        ("7850.", (".KILO.", "$"), 7850.0, []),
        ("7.85", ("$", ".CENTI."), 7850.0, []),
        ("7.85E-06", (".KILO.", ".MILLI."), 7850.0, []),
        ("7.85", None, 7850.0, ["CB135"]),
        ("2700.", None, 2700.0, ["CB135"]),
        ("7.85E-09", None, None, ["CB136"]),
    ],
)
def test_a_density_is_in_the_unit_of_the_file(
    tmp_path: Path, value: str, unit: tuple[str, str] | None, density: float | None, told: list[str]
) -> None:
    path = tmp_path / "pair.step"
    path.write_text(_with_density(_pair(path), value, unit))
    assembly = read(path)
    (part,) = assembly.parts
    assert part.material == "Steel"
    assert part.density == (None if density is None else pytest.approx(density))
    assert codes(assembly) == told


def _with_volume(text: str, volume: float) -> str:
    """The file with a validation property of its last product."""
    definition = re.findall(r"#(\d+) = PRODUCT_DEFINITION\(", text)[-1]
    shape = re.findall(rf"#(\d+) = PRODUCT_DEFINITION_SHAPE\('[^']*','[^']*',#{definition}\)", text)[0]
    context = re.findall(r"#(\d+) = \( GEOMETRIC_REPRESENTATION_CONTEXT", text)[-1]
    length = re.findall(r"#(\d+) = \( LENGTH_UNIT", text)[0]
    entities = (
        f"#80000 = PROPERTY_DEFINITION('geometric validation property','volume of L',#{shape});\n"
        "#80001 = PROPERTY_DEFINITION_REPRESENTATION(#80000,#80002);\n"
        f"#80002 = REPRESENTATION('volume',(#80003),#{context});\n"
        f"#80003 = MEASURE_REPRESENTATION_ITEM('volume measure',VOLUME_MEASURE({volume}),#80004);\n"
        f"#80004 = DERIVED_UNIT((#80005));\n#80005 = DERIVED_UNIT_ELEMENT(#{length},3.);\n"
    )
    at = text.rindex("ENDSEC;")
    return text[:at] + entities + text[at:]


@pytest.mark.parametrize(("volume", "told"), [(6000.0, []), (6020.0, []), (6100.0, ["CB134"])])
def test_the_files_own_volume_is_held_against_ours(tmp_path: Path, volume: float, told: list[str]) -> None:
    top = cq.Assembly(name="Top").add(cq.Workplane().box(10, 20, 30), name="L")
    path = tmp_path / "valid.step"
    path.write_text(_with_volume(write_assembly(path, top).read_text(), volume))
    assembly = read(path)
    shape = assembly.parts[0].shape
    assert shape is not None
    assert shape.validation["volume"] == pytest.approx(volume * 1e-9)
    assert codes(assembly) == told


# --- external references ---


def _external(path: Path, name: str) -> None:
    """An assembly whose one part is in another file."""
    from cadquery.occ_impl.assembly import toCAF
    from OCP.STEPCAFControl import STEPCAFControl_Writer
    from OCP.STEPControl import STEPControl_AsIs

    top = cq.Assembly(name="Top").add(block(), name="L", loc=cq.Location((7, 0, 0)))
    writer = STEPCAFControl_Writer()
    writer.Transfer(toCAF(top)[1], STEPControl_AsIs, "part_")
    writer.Write(str(path))
    path.write_text(path.read_text().replace("'part_L.stp'", f"'{name}'"))


def test_external_references_are_followed_inside_of_the_folder(tmp_path: Path) -> None:
    _external(tmp_path / "main.stp", "parts/L.stp")
    (tmp_path / "parts").mkdir()
    write_part(tmp_path / "parts" / "L.stp", block())
    assembly = read(tmp_path / "main.stp")
    assert not [c for c in codes(assembly) if c != "CB137"]
    assert assembly.extra["external_files"] == (str(tmp_path / "parts" / "L.stp"),)
    shapes = [p.shape for p in assembly.parts]
    assert len(shapes) == 1
    assert shapes[0] is not None
    assert shapes[0].brep is not None
    assert shapes[0].brep.mass == pytest.approx(6e-6)
    np.testing.assert_allclose(assembly.instances[0].X_WI.p, [0.007, 0, 0], atol=1e-12)


def test_external_references_outside_of_the_folder_are_not_opened(tmp_path: Path) -> None:
    write_part(tmp_path / "L.stp", block())
    (tmp_path / "inner").mkdir()
    for name in ("../L.stp", str(tmp_path / "L.stp")):
        _external(tmp_path / "inner" / "main.stp", name)
        assembly = read(tmp_path / "inner" / "main.stp")
        assert "CB102" in codes(assembly)
        assert all(p.shape is None for p in assembly.parts)


def test_a_missing_external_reference_is_told(tmp_path: Path) -> None:
    _external(tmp_path / "main.stp", "gone.stp")
    assembly = read(tmp_path / "main.stp")
    assert {"CB106", "CB127"} <= set(codes(assembly))
    assert "gone.stp" in next(f.message for f in assembly.findings if f.code == "CB106")
