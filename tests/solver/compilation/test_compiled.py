"""Kernels as machine code: tables as pointers, what entries take and refuse, and where the library is kept."""

from __future__ import annotations

import ast
import ctypes
import pickle
import re
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from solver.compilation import compiled, library
from solver.compilation.library import sources
from solver.constraints.kernels import rotations
from solver.equations.system import prepare
from solver.steps.explicit import make_steps, spun
from solver.sweeps.factor import repeats
from tests.solver.examples import pendulum


def test_a_table_is_words_that_hold_addresses_and_shapes() -> None:
    steps: Any = make_steps(3, 2, 1, 1, 4)
    words = np.ctypeslib.as_array((ctypes.c_int64 * 8).from_address(steps.address))
    size = 13 * 2 + 1 + 1
    assert_array_equal(words[:4], [steps.start.ctypes.data, size, steps.end.ctypes.data, size])
    assert_array_equal(words[4:7], [steps.slopes.ctypes.data, 3, size])
    assert steps.address == steps.address


def test_a_copied_table_has_words_of_its_own() -> None:
    steps: Any = make_steps(3, 2, 1, 1, 4)
    before = steps.address
    again = pickle.loads(pickle.dumps(steps))
    assert type(again) is type(steps)
    assert again.address != before
    assert_array_equal(again.slopes, steps.slopes)


def test_a_replaced_field_is_seen_by_kernels() -> None:
    system = prepare(pendulum())
    plan: Any = system.plan
    before = plan.address
    assert plan._replace(row=np.arange(3)).address != before


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.zeros((2, 4), np.float32), "float64 array of 2 dimensions, not one of float32 with 2"),
        (np.zeros(4), "not one of float64 with 1"),
        (np.zeros((4, 2)).T, "C order"),
        ([[1.0, 0.0, 0.0, 0.0]], "has no attribute"),
    ],
)
def test_an_entry_refuses_what_it_would_misread(array: Any, said: str) -> None:
    with pytest.raises((TypeError, AttributeError), match=said):
        rotations(array, np.empty((3, 3, 3)))


def test_an_entry_reads_arrays_that_may_not_be_written_and_empty_ones() -> None:
    q, R = np.array([[0.0, 0.0, 1.0, 0.0]]), np.empty((2, 3, 3))
    q.flags.writeable = False
    rotations(q, R)
    assert_array_equal(R, [np.diag([-1.0, 1.0, -1.0]), np.eye(3)])
    rotations(np.zeros((0, 4)), alone := np.empty((1, 3, 3)))
    assert_array_equal(alone[0], np.eye(3))


def test_an_entry_refuses_a_wrong_table() -> None:
    no_tables: Any = (np.zeros(3), np.zeros(3), np.zeros(3))
    with pytest.raises(AttributeError, match="address"):
        repeats(*no_tables)


def test_a_bound_call_sees_what_its_arrays_hold_now() -> None:
    turn, spins, q = np.array([[1.0, 0, 0, 0]]), np.zeros((1, 3)), np.array([[0.6, 0.8, 0, 0]])
    out = np.empty((1, 4))
    call = spun.bound(turn, spins, q, 0.0, out)
    call()
    assert_array_equal(out, q)
    q[0] = [0.0, 1.0, 0.0, 0.0]
    call()
    assert_array_equal(out, q)


def test_the_library_is_named_by_its_sources_the_system_and_the_processor() -> None:
    assert library.name() == f"kernels-{library.stamp()}-{sys.platform}-{library.processor()}"


def test_every_module_with_kernels_or_with_their_constants_counts_as_a_source() -> None:
    files = set(library.sources())
    for entry in compiled.ENTRIES.values():
        assert Path(entry.py_func.__code__.co_filename).resolve() in files
    assert library.PACKAGE / "constraints" / "terms.py" in files


def test_kernels_are_kept_in_the_folder_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CADBRIDGE_KERNELS", raising=False)
    monkeypatch.setenv("CADBRIDGE_CACHE", str(tmp_path))
    assert library.kernel_folder() == tmp_path / "kernels"


def test_a_bare_object_serves_where_nothing_links(tmp_path: Path) -> None:
    """What a machine without a linker does: LLVM loads the object."""
    path = tmp_path / "kernels.o"
    # Numba can run nothing more in a process that has built kernels.
    code = (
        "import pathlib, sys; from solver.compilation import building, library\n"
        "from solver.constraints.kernels import rotations\n"
        "(code,) = building.objects_of([rotations], [library.processor()], far=True)\n"
        "pathlib.Path(sys.argv[1]).write_bytes(code)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    call = library.opened(path)(rotations.symbol)
    q, R = np.array([[np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]]), np.empty((2, 3, 3))
    words = struct.pack("=7q", q.ctypes.data, 1, 4, R.ctypes.data, 2, 3, 3)
    assert call(words + bytes(8)) == 0
    np.testing.assert_allclose(R[0], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
    assert_array_equal(R[1], np.eye(3))


def test_neither_runs_nor_methods_of_papers_import_numba_or_llvm() -> None:
    code = (
        "import sys; from solver import denoc, geared, simulate; from tests.solver.examples import pendulum\n"
        "assert simulate(pendulum(), duration=0.1, rate=10).status.ok\n"
        "link = denoc.Link('one', denoc.GROUND, 'revolute', armature=1.0)\n"
        "assert denoc.inertia_matrix(denoc.Tree((link,)), [0.0]).tolist() == [[1.0]]\n"
        "assert not {'numba', 'llvmlite'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_where_no_folder_can_be_written_what_is_compiled_serves_this_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such as an ordinary user with another's home."""
    (tmp_path / "file").write_text("a file where the folder should be")
    monkeypatch.delenv("CADBRIDGE_KERNELS", raising=False)
    monkeypatch.setenv("CADBRIDGE_CACHE", str(tmp_path / "file"))
    places = {library.writable_folder() for _ in range(2)}
    assert len(places) == 1
    assert not any(place.is_relative_to(tmp_path) for place in places)
    told = capsys.readouterr().err
    assert told.count("kernels serve this run alone. CADBRIDGE_CACHE may name another folder.") == 1


def test_every_public_kernel_says_what_it_takes_and_gives() -> None:
    """Where it takes arrays its docstring has shapes, for types say only how many dimensions an array has."""
    silent = []
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                continue
            marks = {ast.unparse(mark) for mark in node.decorator_list}
            if not marks & {"kernel", "inlined", "entry"}:
                continue
            said, takes = ast.get_docstring(node) or "", ast.unparse(node.args)
            shape = r"\([^)]*[\d,;…n][^)]*\)" if re.search(r"Array\d|Ints\d", takes) else r"\w"
            if not re.search(shape, said):
                silent.append(f"{path.name}: {node.name}")
    assert silent == []
