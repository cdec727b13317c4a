"""What a command loads before it answers: a small file must not wait for libraries that only others need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sweeps.conftest import written

DOOR = Path(__file__).resolve().parents[2] / "fixtures/door/door.sdf"

HEAVY = (
    "OCP", "cadquery", "numba", "llvmlite", "trimesh", "manifold3d", "scipy", "pandas", "matplotlib", "networkx",
    "shapely", "lxml.objectify", "yaml", "pyarrow", "numpy.ma", "numpy.f2py", "xml.etree.ElementTree",
    "solver.equations", "solver.runs", "cadbridge.simulation", "cadbridge.recognition", "cadbridge.shapes.worker",
    "cadbridge.jobs", "cadbridge.lowering", "cadbridge.cli.view", "psutil", "rich.console", "cadbridge.diagnosis",
    "pydantic", "email", "importlib.metadata",
)  # fmt: skip
"""Modules that take long to load, and rooms that only some commands have a use for."""
SIMULATED = [
    "pyarrow", "numpy.ma", "solver.equations", "solver.runs", "cadbridge.simulation", "cadbridge.lowering",
]  # fmt: skip

CODE = """
import io, json, sys
from contextlib import redirect_stdout
from cadbridge.cli import main
with redirect_stdout(io.StringIO()):
    status = main(sys.argv[2:])
print(json.dumps([status, [m for m in sys.argv[1].split(",") if m in sys.modules]]))
"""


def loaded(folder: Path, *arguments: str) -> tuple[int, list[str]]:
    """The exit status of a command in a process of its own, and which of HEAVY it loaded."""
    order = [sys.executable, "-c", CODE, ",".join(HEAVY), *arguments]
    done = subprocess.run(order, cwd=folder, capture_output=True, text=True, check=True)
    status, found = json.loads(done.stdout)
    return status, found


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        (("inspect", "pendulum.urdf"), []),
        (("check", "pendulum.urdf"), ["cadbridge.diagnosis"]),
        (("fit", "pendulum.urdf"), ["cadbridge.diagnosis", "numpy.ma", "scipy"]),
        (
            ("simulate", "pendulum.urdf", "--duration", "0.01", "-o", "run.parquet"),
            SIMULATED,
        ),
    ],
)
def test_a_small_robot_loads_nothing_that_only_others_need(
    tmp_path: Path, arguments: tuple[str, ...], allowed: list[str]
) -> None:
    written(tmp_path)
    status, found = loaded(tmp_path, *arguments)
    assert status == 0
    assert sorted(set(found) - set(allowed)) == []


def test_weights_of_few_mates_load_no_solver_of_scipy() -> None:
    code = CODE.replace("sys.argv[1]", "'scipy.linalg,scipy.sparse.linalg,cadbridge.misfit.analyse'")
    order = [sys.executable, "-c", code, "", "check", "--json", str(DOOR)]
    done = subprocess.run(order, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout) == [0, []], done.stderr


def test_numpy_lists_its_modules_again_after_scipy_is_loaded() -> None:
    code = (
        "import numpy\nbefore = numpy.__all__, numpy.__dir__\n"
        "from cadbridge.cli.lean import load_sparse\nload_sparse()\n"
        "assert (numpy.__all__, numpy.__dir__) == before\nassert numpy.testing.assert_allclose\n"
        "import scipy.optimize, scipy.stats\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
