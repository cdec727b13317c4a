"""Answers of the worker as bytes and back: plain data only, exact, shared arrays once."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadbridge.shapes.packing import pack, unpack
from cadbridge.shapes.protocol import FaceTable, Occurrence, ShapeData

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
    | st.tuples(inner, inner),
    max_leaves=20,
)  # fmt: skip


@given(PLAIN)
def test_plain_data_comes_back_as_it_was(data: Any) -> None:
    assert unpack(pack(data)) == data


def test_a_shape_comes_back_to_the_bit_and_a_mesh_that_stands_twice_is_one() -> None:
    mesh = (np.linspace(0.0, 1.0, 9).reshape(3, 3), np.array([[0, 1, 2]], dtype=np.int32))
    empty = np.zeros((0, 3))
    table = FaceTable([], empty, np.full((0, 3), np.nan), np.zeros(0), np.zeros(0), empty, [])
    shape = ShapeData("key", "0:1:1", mesh, mesh, (1.5, np.arange(3.0), np.eye(3)), table, 1, 0, float("inf"))
    found = unpack(pack([shape, Occurrence("a", "b", np.eye(3, 4), (1.0, 0.5, 0.25, 1.0))]))
    assert found[0].closed is found[0].coarse
    assert found[0].closed[0].tobytes() == mesh[0].tobytes()
    assert found[0].area == float("inf")
    assert found[1].colour == (1.0, 0.5, 0.25, 1.0)


def test_what_is_no_plain_data_is_not_packed() -> None:
    with pytest.raises(TypeError):
        pack(object())


@pytest.mark.parametrize(
    "data",
    [b"", b"12345678", pickle.dumps(print), b"\x02\0\0\0\0\0\0\0{}", b'\x0a\0\0\0\0\0\0\0{"r": [1]}',
     b'\x1a\0\0\0\0\0\0\0{"a":["f8",[999999999],0]}', b'\x13\0\0\0\0\0\0\0{"o":["print",[1]]}'],
)  # fmt: skip
def test_bytes_of_a_stranger_run_nothing_and_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"no packed|buffer|decode|Expecting|offset|unpack"):
        unpack(data)
