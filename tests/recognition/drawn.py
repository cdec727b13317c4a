"""Assemblies of tests that OCCT looks at as they are drawn, not by way of a STEP file.

To write such a file and to translate it back takes longer than all that OCCT is asked about most of them, and what is
recognised is the subject here. In place of the file stands a few lines' text, by which its assembly is found again.
Reading, features and selectors are those of OCCT's process, run in this one; a solid that is drawn a second time is not
weighed and meshed again. By night all goes through files and OCCT's process.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from cadbridge.shapes.process import WORKER
from tests.late import cq

if TYPE_CHECKING:
    from cadbridge.shapes.document import StepDocument
    from cadbridge.shapes.protocol import Document, FeatureTable, Product, ShapeData

_MARK = "drawn by a test, no file"

_TEXT = f"""ISO-10303-21;
HEADER;
FILE_DESCRIPTION(('{_MARK}'),'2;1');
FILE_NAME('%s','',(''),(''),'','','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN'));
ENDSEC;
DATA;
#1=PRODUCT('made','made','',());
ENDSEC;
END-ISO-10303-21;
"""


class Drawing:
    """In place of OCCT's process: it answers of the assemblies that were drawn, and hands on all else."""

    def __init__(self) -> None:
        self._numbers = count()
        self._documents: dict[str, StepDocument] = {}
        self._shapes: dict[tuple[bytes, float], ShapeData | None] = {}
        self._features: dict[bytes, FeatureTable] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(WORKER, name)

    def export(self, assembly: cq.Assembly, path: str) -> cq.Assembly:
        """Keep an assembly as OCCT's document, and write what stands for it."""
        from cadquery.occ_impl.assembly import toCAF

        # No number: other workers draw too, and what is read is kept for all by the text of the file.
        text = _TEXT % uuid4().hex
        self._documents[text] = _document(toCAF(assembly, True)[1])
        Path(path).write_text(text, encoding="utf-8")
        return assembly

    def request(self, verb: str, arguments: dict[str, Any], time_limit: float) -> Any:
        """As `Worker.request`."""
        path = arguments.get("path")
        text = Path(path).read_bytes()[: 2 * len(_TEXT)].decode("latin-1") if path is not None else ""
        if _MARK not in text:
            return WORKER.request(verb, arguments, time_limit)
        document = self._documents[text]
        answers: dict[str, Callable[[StepDocument, dict[str, Any]], Any]] = {
            "read": self._read,
            "features": self._features_of,
        }
        return answers[verb](document, arguments)

    def _read(self, document: StepDocument, arguments: dict[str, Any]) -> Document:
        from cadbridge.shapes.document import read_document

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("cadbridge.shapes.document._shapes", self._shapes_of)
            found = read_document(document, document.scale(arguments["length_unit"]), arguments["geometry"])
        for product in found.products.values():
            for child in product.children:
                # OCCT writes a number for an occurrence without a name, as cadquery leaves those of sub-assemblies.
                child.name = child.name or str(next(self._numbers))
        return found

    def _shapes_of(self, document: StepDocument, leaves: list[Product], scale: float) -> dict[str, ShapeData]:
        """As `document._shapes`, with what is known of equal solids."""
        found: dict[str, ShapeData] = {}
        for leaf in leaves:
            shape = document.shape(leaf.label)
            key = (_content(shape), scale)
            if key not in self._shapes:
                self._shapes[key] = _described(shape, scale)
            data = self._shapes[key]
            if data is not None:
                leaf.shape = data.key
                found.setdefault(data.key, replace(data, label=leaf.label))
        return found

    def _features_of(self, document: StepDocument, arguments: dict[str, Any]) -> list[FeatureTable]:
        from cadbridge.shapes.features import extract

        found = []
        for label, mirrored in arguments["labels"]:
            shape = document.shape(label, mirrored)
            content = _content(shape)
            if content not in self._features:
                self._features[content] = extract(shape)
            found.append(self._features[content])
        return found


def _document(made: Any) -> StepDocument:
    """A document of cadquery's as `StepDocument` has one of a file."""
    from OCP.XCAFDoc import XCAFDoc_DocumentTool

    from cadbridge.shapes.document import StepDocument

    document = object.__new__(StepDocument)
    tool = XCAFDoc_DocumentTool.ShapeTool_s(made.Main())
    tool.UpdateAssemblies()
    colours = XCAFDoc_DocumentTool.ColorTool_s(made.Main())
    document.__dict__.update(document=made, tool=tool, colours=colours, units=["millimetre"])
    return document


def _content(shape: Any) -> bytes:
    """The hash of a shape."""
    from OCP.BinTools import BinTools

    from cadbridge.shapes.meshing import _BINARY

    buffer = io.BytesIO()
    BinTools.Write_s(shape, buffer, False, False, _BINARY)
    return hashlib.sha256(buffer.getvalue()).digest()


def _described(shape: Any, scale: float) -> ShapeData | None:
    """A shape weighed, meshed and described; none where there is nothing."""
    from cadbridge.shapes.document import geometry_key, shape_data
    from cadbridge.shapes.meshing import mesh_coarsely, weigh

    item = weigh(shape)
    if item.size == 0:
        return None
    mesh_coarsely([item])
    return shape_data(item, geometry_key(item, scale), "", {}, scale)


DRAWING = Drawing()
"""One for all of a run: a worker may leave these tests and take up others of them, with a file that it drew before."""


@contextmanager
def drawn() -> Iterator[None]:
    """While it lasts, assemblies that are exported are kept as they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cq.Assembly, "export", lambda assembly, path: DRAWING.export(assembly, path))
        patch.setattr("cadbridge.shapes.WORKER", DRAWING)
        yield
