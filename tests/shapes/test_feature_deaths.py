"""A shape of which the geometry kernel dies takes no other along; a face without a surface is none of these."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cadbridge.shapes import KernelDiedError, _ask_breps, _by_halves
from cadbridge.shapes.protocol import FeatureTable

Product = tuple[str, bool]


def test_a_face_without_a_surface_has_features_that_say_nothing(tmp_path: Path) -> None:
    """Of a mesh in a STEP file: the kernel was asked for its points, and ended with the whole machine unread."""
    from OCP.BRep import BRep_Builder
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox
    from OCP.BRepTools import BRepTools
    from OCP.TopoDS import TopoDS_Compound, TopoDS_Face

    builder, face, both = BRep_Builder(), TopoDS_Face(), TopoDS_Compound()
    builder.MakeFace(face)
    builder.MakeCompound(both)
    for shape in (BRepPrimAPI_MakeBox(10, 10, 10).Shape(), face):
        builder.Add(both, shape)
    BRepTools.Write_s(both, str(tmp_path / "both.brp"))
    (table,) = _ask_breps([(tmp_path / "both.brp").read_bytes()], "brep_features", {})
    assert isinstance(table, FeatureTable)
    assert table.areas == pytest.approx([100.0] * 6 + [0.0])
    assert np.isnan(table.normals[6]).all()
    assert list(table.owners) == list(range(6))


def answered(deadly: set[str], asked: list[int]) -> list[FeatureTable | str]:
    """The answers about twenty products, of which some end the kernel; how many were asked of at once."""

    def ask(some: list[Product]) -> list[FeatureTable | str]:
        asked.append(len(some))
        if {label for label, _ in some} & deadly:
            raise KernelDiedError("it was ended by SIGSEGV")
        return [f"of {label}" for label, _ in some]

    return _by_halves(ask, [(f"{k}", False) for k in range(20)])


def test_the_shape_that_ends_the_kernel_is_found_by_halves() -> None:
    asked: list[int] = []
    found = answered({"7"}, asked)
    assert found == [f"of {k}" if k != 7 else "it was ended by SIGSEGV" for k in range(20)]
    assert len(asked) < 12
    assert answered(set(), []) == [f"of {k}" for k in range(20)]


def test_a_kernel_that_dies_of_everything_is_not_asked_for_ever() -> None:
    asked: list[int] = []
    with pytest.raises(KernelDiedError):
        answered({str(k) for k in range(20)}, asked)
    assert len(asked) < 20
