"""The public names are an agreement with whoever imports them."""

import inspect
import subprocess
import sys
from importlib.resources import files

import cadbridge


def test_every_public_name_resolves() -> None:
    assert {name: getattr(cadbridge, name) is not None for name in cadbridge.__all__} == dict.fromkeys(
        [
            "CadbridgeError",
            "InputError",
            "ModelError",
            "ReadOptions",
            "build",
            "check_document",
            "diagnose",
            "export",
            "fit",
            "inverse",
            "jobs",
            "load_fit",
            "load_motion",
            "load_scenario",
            "load_sweep",
            "load_trajectory",
            "read",
            "recognise",
            "simulate",
            "sweep",
            "transmission",
            "write_inverse",
            "write_sweep",
            "write_trajectory",
        ],
        True,
    )


def test_the_types_of_both_packages_are_for_their_users() -> None:
    assert all((files(package) / "py.typed").is_file() for package in ("cadbridge", "solver"))


def test_dir_shows_the_public_names_alone() -> None:
    shown = {name for name in dir(cadbridge) if not name.startswith("_")}
    assert shown == set(cadbridge.__all__)


def test_importing_cadbridge_and_its_command_line_loads_nothing_heavy() -> None:
    code = (
        "import sys, cadbridge.cli.app;"
        "heavy = ('OCP', 'cadquery', 'numba', 'trimesh', 'scipy', 'pyarrow', 'matplotlib', 'pydantic');"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_path_may_be_given_as_text() -> None:
    """`write_trajectory(run, "run.parquet")` ended in an AttributeError."""
    functions = [f for f in (getattr(cadbridge, name) for name in cadbridge.__all__) if inspect.isfunction(f)]
    parameters = [(f.__name__, p) for f in functions for p in inspect.signature(f).parameters.values()]
    paths = [(name, p.name, str(p.annotation)) for name, p in parameters if "Path" in str(p.annotation)]
    assert len(paths) > 5
    assert [told for told in paths if "str" not in told[2]] == []
