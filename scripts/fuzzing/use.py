"""All that is done with a broken file: the way its users would, to the end.

Each way takes the folder, the model in it and the broken file, and says "fine" or "refused" (an error that names the
input). Whatever else it raises is a fault of ours.
"""

from __future__ import annotations

import contextlib
import io
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cadbridge.readers import ReadOptions

TARGETS = ("urdf", "mjcf", "sdf")
ENDINGS = (".urdf", ".xml", ".sdf")
"""Of exports that are read again."""


def use(way: str, folder: Path, source: Path, broken: Path) -> str:
    """Use a model with a broken file in one of the ways of WAYS."""
    from cadbridge.errors import CadbridgeError

    try:
        return WAYS[way](folder, source, broken)
    except CadbridgeError as error:
        return _refused(error)


def parts(folder: Path, source: Path, broken: Path) -> str:
    """`model` of bare shapes: their joints are recognised and their masses are those of a material."""
    from cadbridge.readers import ReadOptions

    return model(folder, source, broken, ReadOptions(density=2700.0, recognise=True))


def model(folder: Path, source: Path, broken: Path, options: ReadOptions | None = None) -> str:
    """Check and a short run; the page or one of the exports, which is read again, by the content of the file."""
    import cadbridge as cb
    from cadbridge.report.page import write_page
    from cadbridge.simulation import Scenario

    turn = _turn(broken, len(TARGETS) + 1)
    mechanism = cb.build(cb.read(source, options=options))
    diagnosis = cb.diagnose(mechanism)
    cb.check_document(mechanism, diagnosis)
    with _refusal() as said:
        cb.simulate(mechanism, Scenario(duration=0.02, rate=100, rtol=1e-5, atol=1e-5))
    if turn == len(TARGETS):
        write_page(folder / "page.html", mechanism, diagnosis)
        return "refused" if said else "fine"
    with _refusal():
        for file in cb.export(mechanism, folder / TARGETS[turn], TARGETS[turn]).files:
            if file.suffix in ENDINGS:
                cb.build(cb.read(file))
    return "refused" if said else "fine"


def weighed(folder: Path, source: Path, broken: Path) -> str:
    """A model whose masses come from its meshes."""
    return _one_of(
        folder,
        broken,
        ("check", source, "--mass", "from-mesh", "--density", 1000, "--json"),
        ("check", source, "--html", "p.html"),
    )


def scenario(folder: Path, source: Path, broken: Path) -> str:
    """A run by a broken scenario: read as it stands, run for a moment."""
    return _command(folder, "simulate", source, "--scenario", broken, "--duration", 0.07, "-o", "r.csv")


def motion(folder: Path, source: Path, broken: Path) -> str:
    """Efforts along a broken motion."""
    return _one_of(
        folder, broken, ("inverse", source, "--motion", broken, "-o", "i.csv"), ("matrices", source, "--motion", broken)
    )


def sweep(folder: Path, source: Path, broken: Path) -> str:
    """Runs of a broken sweep: the first, all where they are few; their table is read again."""
    import cadbridge as cb

    mechanism, scenario = cb.build(cb.read(source)), {"format": "cadbridge.scenario/1", "rate": 100}
    first = cb.sweep(mechanism, broken, scenario, duration=0.02, workers=1, part=(1, _MOST_RUNS))
    if len(first["run"]) > _FEW_RUNS:
        return "fine"
    table = cb.sweep(mechanism, broken, scenario, duration=0.02, workers=1)
    cb.write_sweep(table, folder / "sweep.parquet")
    cb.load_sweep(folder / "sweep.parquet")
    return "fine"


_MOST_RUNS, _FEW_RUNS = 1_000_000, 20
"""Runs that a sweep has at most; runs that a case computes."""


def jobs(folder: Path, source: Path, broken: Path) -> str:
    """A broken jobs file, planned; the jobs themselves are other formats' business."""
    return _one_of(folder, broken, ("batch", broken, "--dry-run"), ("batch", broken, "--dry-run", "--json"))


def config(folder: Path, source: Path, broken: Path) -> str:
    """A folder's broken options."""
    return _command(folder, "check", source, "--json")


def run(folder: Path, source: Path, broken: Path) -> str:
    """A broken trajectory on the page, as an animation, and in Python."""
    import cadbridge as cb

    with _refusal():
        cb.load_trajectory(broken)
    return _one_of(
        folder,
        broken,
        ("check", source, "--html", "page.html", "--run", broken),
        ("convert", source, "--to", "glb", "-o", "glb", "--run", broken),
    )


def compare(folder: Path, source: Path, broken: Path) -> str:
    """What changed since a broken check document."""
    return _one_of(
        folder,
        broken,
        ("check", source, "--compare", broken),
        ("check", source, "--compare", broken, "--html", "page.html"),
    )


def edited(folder: Path, source: Path, broken: Path) -> str:
    """What recognition found, added to a broken mates file."""
    from cadbridge.recognition.writing.edited import write_mates

    write_mates(broken, _RECOGNISED, overwrite=False)
    return "fine"


_RECOGNISED = """format: cadbridge.mates/1
mates:
  - name: A1  # 90 %
    type: revolute
  - name: "A 3"  # 70 %
    type: ball
"""

WAYS: dict[str, Callable[[Path, Path, Path], str]] = {
    f.__name__: f for f in (model, parts, weighed, scenario, motion, sweep, jobs, config, run, compare, edited)
}


def _turn(broken: Path, of: int) -> int:
    """Which of several things is done with a broken file: by its content, so that a file that failed fails again."""
    return zlib.crc32(broken.read_bytes()) % of


def _one_of(folder: Path, broken: Path, *commands: tuple[object, ...]) -> str:
    return _command(folder, *commands[_turn(broken, len(commands))])


def _command(folder: Path, *words: object) -> str:
    """A command typed in the folder; "refused" where it ends with status 2. RuntimeError with what it said at 3."""
    from cadbridge.cli import main

    os.environ["CADBRIDGE_DEBUG"] = "1"
    said, here = io.StringIO(), Path.cwd()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        os.chdir(folder)
        try:
            status = main([str(word) for word in words])
        finally:
            os.chdir(here)
    if status > 2 or "Traceback" in said.getvalue():
        raise RuntimeError(f"status {status} of {words}:\n{said.getvalue()}")
    if status == 2 and not said.getvalue().strip():
        raise RuntimeError(f"status 2 of {words}, and nothing said")
    return "refused" if status == 2 else "fine"


def _refused(error: Exception) -> str:
    from cadbridge.errors import InternalError

    if isinstance(error, InternalError) or not str(error).strip():
        raise error
    return "refused"


@contextlib.contextmanager
def _refusal() -> Iterator[list[str]]:
    """Errors of ours that name the input are an answer."""
    from cadbridge.errors import CadbridgeError

    said: list[str] = []
    try:
        yield said
    except CadbridgeError as error:
        said.append(_refused(error))
