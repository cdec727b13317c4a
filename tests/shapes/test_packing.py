"""Messages of workers as bytes and back: plain data only, exact, shared arrays once."""

import io
import json
import pickle
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from cadbridge import budget
from cadbridge.shapes import protocol
from cadbridge.shapes.checking import checked
from cadbridge.shapes.packing import pack, receive, unpack
from cadbridge.shapes.protocol import FaceTable, Occurrence, ShapeData

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
    | st.tuples(inner, inner),
    max_leaves=20,
)  # fmt: skip
KINDS = ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"]


def _numbers(*shape: int) -> st.SearchStrategy[NDArray[np.float64]]:
    return hnp.arrays(np.float64, shape)


@st.composite
def _meshes(draw: st.DrawFn) -> protocol.MeshArrays:
    count = draw(st.integers(1, 4))
    triangles = hnp.arrays(np.int32, (draw(st.integers(0, 3)), 3), elements=st.integers(0, count - 1))
    return draw(_numbers(count, 3)), draw(triangles)


@st.composite
def _face_tables(draw: st.DrawFn) -> FaceTable:
    kinds = draw(st.lists(st.sampled_from(["plane", "cylinder", "other"]), max_size=3))
    n = len(kinds)
    names = draw(st.lists(st.none() | st.text(), min_size=n, max_size=n))
    arrays: list[Any] = [draw(_numbers(*shape)) for shape in ((n, 3), (n, 3), (n,), (n,), (n, 3))]
    points, directions, radii, areas, centres = arrays
    return FaceTable(kinds, points, directions, radii, areas, centres, names)


@st.composite
def _feature_tables(draw: st.DrawFn) -> protocol.FeatureTable:
    n, steps = draw(st.integers(1, 3)), draw(st.lists(st.integers(1, 3), max_size=3))
    arrays: list[Any] = [draw(_numbers(*shape)) for shape in ((n, 3), (n, 3), (n, 2), (n,), (sum(steps), 3))]
    owners = draw(hnp.arrays(np.int64, len(steps), elements=st.integers(0, n - 1)))
    inner, normals, tori, areas, points = arrays
    return protocol.FeatureTable(inner, normals, tori, areas, points, np.cumsum([0, *steps]), owners)


ROUGH = st.builds(
    protocol.Rough,
    hnp.arrays(np.uint8, st.integers(0, 9)), st.floats(), st.floats(), st.floats(), _numbers(3, 3), st.booleans(),
)  # fmt: skip
SHAPES = st.builds(
    ShapeData, st.text(), st.text(), st.none() | _meshes(), st.none() | _meshes(),
    st.none() | st.tuples(st.floats(), _numbers(3), _numbers(3, 3)), _face_tables(), st.integers(0), st.integers(0),
    st.floats(), st.booleans(), st.none() | ROUGH,
)  # fmt: skip
COLOURS = st.none() | st.tuples(*[st.floats(0, 1)] * 4)
OCCURRENCES = st.builds(Occurrence, st.text(), st.just("leaf"), _numbers(3, 4), COLOURS)


@st.composite
def _documents(draw: st.DrawFn) -> protocol.Document:
    shape, density = draw(SHAPES), draw(st.none() | st.floats())
    leaf = protocol.Product(
        "leaf", draw(st.text()), [], "key", draw(COLOURS), tuple(draw(st.lists(st.text(), max_size=2))),
        draw(st.none() | st.text()), density, "kg", {"volume": 1.0, "centroid": (0.0, 1.0, 2.0)},
    )  # fmt: skip
    top = protocol.Product("top", "", draw(st.lists(OCCURRENCES, max_size=2)))
    roots = [Occurrence("", "top", np.eye(3, 4))]
    return protocol.Document(roots, {"top": top, "leaf": leaf}, {"key": shape}, ["mm"], draw(st.lists(st.text())))


EDGES = st.lists(st.tuples(st.sampled_from(["line", "circle"]), st.floats()), max_size=3)
ANSWERS = {
    "read": _documents(),
    "whole": st.none() | SHAPES,
    "refine": st.none() | _meshes(),
    "select": st.lists(st.integers(0)),
    "breps": st.lists(st.text() | st.builds(protocol.BrepData, SHAPES, EDGES), max_size=2),
    "features": st.lists(st.text() | _feature_tables(), max_size=2),
    "brep_features": st.lists(st.text() | _feature_tables(), max_size=2),
    "ping": st.integers(),
}


@given(PLAIN)
def test_plain_data_comes_back_as_it_was(data: Any) -> None:
    assert unpack(pack(data)) == data


@given(st.sampled_from(KINDS).flatmap(lambda kind: hnp.arrays(kind, hnp.array_shapes(min_dims=0, min_side=0))))
def test_an_array_of_any_numbers_comes_back_to_the_bit(array: NDArray[Any]) -> None:
    (found,) = unpack(pack((array,)))
    assert (found.dtype, found.shape, found.tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert found.flags.writeable


def test_every_verb_has_its_answers_here() -> None:
    assert ANSWERS.keys() == protocol.ANSWERS.keys()


@pytest.mark.parametrize("verb", sorted(ANSWERS))
@given(data=st.data())
def test_every_answer_and_every_failure_comes_back_and_is_what_the_caller_expects(verb: str, data: Any) -> None:
    answer = data.draw(ANSWERS[verb] | st.builds(protocol.Failure, st.text(), st.text()))
    packed = pack(answer)
    found = checked(unpack(packed), protocol.ANSWERS[verb] | protocol.Failure)
    assert type(found) is type(answer)
    assert pack(found) == packed


def test_a_shape_comes_back_to_the_bit_and_a_mesh_that_stands_twice_is_one() -> None:
    mesh = (np.linspace(0.0, 1.0, 9).reshape(3, 3), np.array([[0, 1, 2]], dtype=np.int32))
    empty = np.zeros((0, 3))
    table = FaceTable([], empty, np.full((0, 3), np.nan), np.zeros(0), np.zeros(0), empty, [])
    shape = ShapeData("key", "0:1:1", mesh, mesh, (1.5, np.arange(3.0), np.eye(3)), table, 1, 0, float("inf"))
    found = unpack(pack([shape, Occurrence("a", "b", np.eye(3, 4), (1.0, 0.5, 0.25, 1.0))]))
    assert [a is b for a, b in zip(found[0].closed, found[0].coarse, strict=True)] == [True, True]
    assert found[0].closed[0].tobytes() == mesh[0].tobytes()
    assert found[0].area == float("inf")
    assert found[1].colour == (1.0, 0.5, 0.25, 1.0)


@pytest.mark.parametrize("what", [object(), np.array([print]), np.zeros(1, [("a", "f8")]), np.zeros(1, "c16"), {1j: 2}])
def test_what_is_no_plain_data_is_not_packed(what: Any) -> None:
    with pytest.raises(TypeError):
        pack(what)


def _framed(tree: Any, arrays: bytes = b"", claimed: int | None = None) -> bytes:
    text = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
    return struct.pack("<8sQQ", b"cadbdata", len(text), len(arrays) if claimed is None else claimed) + text + arrays


@pytest.mark.parametrize(
    "data",
    [
        b"", b"12345678" * 3, pickle.dumps(print), pickle.dumps(print) * 9,
        struct.pack("<8sQQ", b"cadbdata", 10**12, 0), struct.pack("<8sQQ", b"cadbdata", 2, 10**12) + b"{}",
        _framed({"a": ["f8", [999_999_999]]}, b"x" * 8),
        _framed({"a": ["f8", [1]]}, b"x" * 7, claimed=8),
        _framed({"a": ["f8", [1]]}, b"x" * 16), _framed({"a": ["f8", [-1, -1]]}, b"x" * 8),
        _framed({"a": ["f8", [10**30, 0]]}), _framed({"a": ["f8", [1.0]]}, b"x" * 8),
        _framed({"a": ["f8", [1] * 33]}, b"x" * 8),
        _framed({"a": ["O", [1]]}, b"x" * 8), _framed({"a": ["V8", [1]]}, b"x" * 8),
        _framed({"o": ["print", [1]]}), _framed({"o": ["Failure", [1]]}), _framed({"o": [["Failure"], []]}),
        _framed({"r": 0}), _framed({"r": [1]}), _framed({"x": 1}), _framed({}), _framed({"d": [1]}),
        _framed({"d": [[[], 1]]}), _framed(b"[" * 10**6), _framed(b"1" * 10**5), _framed(b"\xff"),
        _framed(1) + b"1",
    ],
)  # fmt: skip
def test_bytes_of_a_stranger_run_nothing_and_are_refused(data: bytes) -> None:
    with pytest.raises(
        ValueError, match=r"a message has|no packed|decode|Expecting|dimension|unpack|digits|Extra data"
    ):
        unpack(data)


def test_more_values_than_the_memory_holds_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cadbridge.budget.LIMITS", {**budget.LIMITS, "marks": (9, "marks")})
    assert unpack(pack([[]] * 10)) == [[]] * 10
    with pytest.raises(ValueError, match="a message has more than 9 marks"):
        unpack(pack([[]] * 11))


def test_a_message_that_breaks_off_is_the_end_of_the_pipe() -> None:
    whole = pack([np.arange(5.0), "text"])
    for count in range(len(whole)):
        with pytest.raises(EOFError):
            receive(io.BytesIO(whole[:count]))
