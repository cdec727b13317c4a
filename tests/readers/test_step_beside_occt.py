"""What OCCT loses of a STEP file: mirrored and scaled placements, densities, claims, files beside it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from cadbridge.readers.step import read
from tests.late import cq
from tests.readers.test_step import block, codes
from tests.shapes.solids import write_assembly, write_part


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


def external(path: Path, name: str) -> None:
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
    external(tmp_path / "main.stp", "parts/L.stp")
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
        external(tmp_path / "inner" / "main.stp", name)
        assembly = read(tmp_path / "inner" / "main.stp")
        assert "CB102" in codes(assembly)
        assert all(p.shape is None for p in assembly.parts)


def test_a_missing_external_reference_is_told(tmp_path: Path) -> None:
    external(tmp_path / "main.stp", "gone.stp")
    assembly = read(tmp_path / "main.stp")
    assert {"CB106", "CB127"} <= set(codes(assembly))
    assert "gone.stp" in next(f.message for f in assembly.findings if f.code == "CB106")
