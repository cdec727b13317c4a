#!/usr/bin/env python3
"""Robots of others, read by cadbridge and by the engine of their format, as a table by format.

    python scripts/measure/robots.py FOLDER [--formats mjcf,urdf,xacro,sdf] [--every N] [--at-most N] [--shapes]
                                     [--seconds 60] [--packages FOLDER …] [--json table.json]

FOLDER holds repositories and is searched for MJCF (bodies in <mujoco>), URDF, xacro and SDF files. The engine is
MuJoCo for MJCF, Pinocchio for URDF and for what ROS' own xacro makes of a xacro file, Drake for SDF. A line a file:
repository, file, format, the freedoms that the engine counts and those that cadbridge counts, whether it is read
without an error, and how far the accelerations are from the engine's at a random state (`tests/readers/engines.py`;
of MJCF also what is exported again, field by field, `tests/readers/compiled.py`), with the codes that tell why.
Each file runs in a process of its own. Shapes are read with --shapes only; no package folders are given but by
--packages, as a plain `cadbridge check FILE` has them.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

EXACT = 1e-8
"""Relative difference of accelerations up to which they are equal."""

EXPLAINING = {
    "CB191", "CB1246", "CB1249", "CB1250", "CB1254", "CB1255", "CB1260", "CB1261", "CB1410", "CB1431",
    "CB1432", "CB1433",
}  # fmt: skip
"""Codes of findings that say why an engine accelerates otherwise, or why nothing can be computed."""

FORMATS = ("mjcf", "urdf", "xacro", "sdf")
_ENDINGS = (".xml", ".urdf", ".sdf", ".world", ".xacro")


@dataclass(frozen=True)
class Task:
    """A file, its format, how it is to be read."""

    kind: str
    path: Path
    packages: tuple[Path, ...] = ()
    shapes: bool = False


def files(folder: Path, formats: set[str]) -> Iterator[tuple[str, Path]]:
    """The robots below a folder, with their formats."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in _ENDINGS or not path.is_file():
            continue
        text = path.read_bytes()[:400_000]
        kind = None
        if b"<mujoco" in text and b"<worldbody" in text and b"<body" in text:
            kind = "mjcf"
        elif b"<robot" in text and (path.suffix.lower() == ".xacro" or b"<xacro:" in text):
            kind = "xacro"
        elif b"<robot" in text and b"<link" in text and path.suffix.lower() == ".urdf":
            kind = "urdf"
        elif b"<sdf" in text and b"<link" in text:
            kind = "sdf"
        if kind in formats:
            yield kind, path


# --- what an engine says of a file: (the file read otherwise) → Answer ---


def _mujoco(task: Task, mimic: bool) -> Any:
    import mujoco

    from tests.readers.compiled import _named, original
    from tests.readers.engines import by_mujoco

    mujoco.MjModel.from_xml_path(str(task.path))
    model = original(task.path)
    return by_mujoco(model, _named(model).bodies)


def _pinocchio(task: Task, mimic: bool) -> Any:
    from tests.readers.engines import by_pinocchio

    return by_pinocchio(task.path, text=_expanded(task) if task.kind == "xacro" else None, mimic=mimic)


def _drake(task: Task, mimic: bool) -> Any:
    from tests.readers.engines import by_drake

    return by_drake(task.path)


_ENGINES: dict[str, Callable[[Task, bool], Any]] = {
    "mjcf": _mujoco,
    "urdf": _pinocchio,
    "xacro": _pinocchio,
    "sdf": _drake,
}


def _expanded(task: Task) -> str:
    """What ROS' own xacro makes of a file; ValueError where that holds no link."""
    import xacro
    import xacro.substitution_args

    from cadbridge.folders import Folders
    from cadbridge.readers.paths import package_folder

    def find(name: str) -> str:
        folder = package_folder(name, Folders.of(task.path, task.packages))
        if folder is None:
            raise ValueError(f"no package {name}")
        return str(folder)

    xacro.substitution_args._eval_find = find
    os.chdir(task.path.parent)
    text: str = xacro.process_file(str(task.path)).toxml()
    if "<link" not in text:
        raise ValueError("holds macros only")
    return text


def examined(task: Task) -> dict[str, Any]:
    """What engine and cadbridge make of a file."""
    row: dict[str, Any] = {"format": task.kind, "file": str(task.path), "engine": "", "read": False, "codes": []}
    answer = None
    try:
        answer = _ENGINES[task.kind](task, False)
    except Exception as error:
        row["engine"] = " ".join(str(error).split())[:160] or type(error).__name__
    else:
        row["expected"] = answer.freedoms
    found, mechanism = _read(task)
    row |= found
    if answer is not None and mechanism is not None and row["read"]:
        row |= _moved(task, mechanism, answer)
        row |= _compared(task.path) if task.kind == "mjcf" else {}
    return row


def _read(task: Task) -> tuple[dict[str, Any], Any]:
    from cadbridge.errors import CadbridgeError
    from cadbridge.mechanism import build
    from cadbridge.readers import ReadOptions
    from cadbridge.reading import read

    mechanism = None
    try:
        options = ReadOptions(package_dirs=task.packages, geometry=task.shapes)
        mechanism = build(read(task.path, options=options))
    except CadbridgeError as error:
        found = tuple(error.findings)
    else:
        found = (*mechanism.assembly.findings, *mechanism.findings)
    errors = [f for f in found if f.severity.value == "error"]
    said = [f"{f.code} {f.message}"[:160] for f in errors]
    told = sorted({f.code for f in found if f.severity.value != "info"})
    why = sorted({f.code for f in found} & EXPLAINING)
    read_whole = mechanism is not None and not errors
    return {"read": read_whole, "codes": told, "explained": why, "errors": said[:5]}, mechanism


def _moved(task: Task, mechanism: Any, answer: Any) -> dict[str, Any]:
    """Our freedoms, and the difference of accelerations; of a URDF with mimics against an engine that has them too."""
    from cadbridge.errors import CadbridgeError
    from tests.readers.engines import GRAVITY, gap

    try:
        if mechanism.couplings and task.kind in ("urdf", "xacro"):
            answer = _ENGINES[task.kind](task, True)
        gravity = mechanism.gravity if task.kind == "mjcf" else GRAVITY
        free = _uncoupled(mechanism) if task.kind in ("mjcf", "sdf") else mechanism
        found: dict[str, Any] = {"gap": gap(free, answer, gravity)}
        if task.kind == "mjcf" and len(mechanism.joints) + len(mechanism.floats) > _joints(task.path):
            found = {"gap": math.nan, "why": ["loops, which MuJoCo holds softly"]}
    except CadbridgeError as error:
        found = {"gap": math.nan, "why": sorted({f.code for f in error.findings})}
    except Exception as error:
        found = {"gap": math.nan, "why": [" ".join(str(error).split())[:120]]}
    return found | {"expected": answer.freedoms, "got": _freedoms(mechanism)}


def _joints(path: Path) -> int:
    from tests.readers.compiled import original

    return int(original(path).njnt)


def _uncoupled(mechanism: Any) -> Any:
    """The mechanism without couplings, which MuJoCo holds softly and Drake's continuous plant not at all."""
    from dataclasses import replace

    return replace(mechanism, couplings=())


def _freedoms(mechanism: Any) -> int:
    from cadbridge.diagnosis import diagnose

    return int(diagnose(mechanism).mobility.dof)


def _compared(path: Path) -> dict[str, Any]:
    from tests.readers.compiled import compare

    with tempfile.TemporaryDirectory() as scratch:
        try:
            found = compare(path, Path(scratch) / "x")
        except Exception as error:
            return {"compared": " ".join(str(error).split())[:160]}
    codes = sorted({f.code for f in found.findings if f.severity.value != "info"})
    return {"acceleration": found.acceleration, "fields": found.fields, "exported": found.exported, "codes": codes}


def _child(task: Task, pipe: Connection) -> None:
    warnings.simplefilter("ignore")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    os.chdir(tempfile.gettempdir())  # where MuJoCo writes its log
    row = {"format": task.kind, "file": str(task.path), "engine": "", "read": False}
    try:
        row = examined(task)
    except BaseException as error:
        row["errors"] = [f"FAULT {error!r}"]
    pipe.send(row)


def guarded(task: Task, seconds: float) -> dict[str, Any]:
    """`examined` in a process of its own that may take so long."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_child, args=(task, there))
    process.start()
    there.close()
    try:
        row = here.recv() if here.poll(seconds) else None
    except EOFError:
        row = None
    process.kill()
    process.join()
    lost = {"format": task.kind, "file": str(task.path), "engine": "", "read": False}
    return row or lost | {"errors": [f"no answer in {seconds:g} s"]}


def main() -> None:
    """The table; exit status 0 where every file that its engine loads is read without an error."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument("--every", type=int, default=1, help="take each Nth file only")
    parser.add_argument("--at-most", type=int, default=10**6, help="so many files of a format and repository")
    parser.add_argument("--shapes", action="store_true")
    parser.add_argument("--packages", type=Path, nargs="*", default=[])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = []
    _preload()
    taken: Counter[tuple[str, str]] = Counter()
    for kind, path in list(files(arguments.folder, set(arguments.formats.split(","))))[:: arguments.every]:
        repository, file = path.relative_to(arguments.folder).parts[0], path.relative_to(arguments.folder)
        taken[kind, repository] += 1
        if taken[kind, repository] > arguments.at_most:
            continue
        task = Task(kind, path, tuple(arguments.packages), arguments.shapes)
        row = {"repository": repository} | guarded(task, arguments.seconds)
        rows.append(row)
        print(line_of(row, file), flush=True)
        if arguments.json:
            arguments.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    sys.exit(0 if summary(rows) else 1)


def line_of(row: dict[str, Any], file: Path) -> str:
    """A row of the table as text."""
    said = [f"{row['format']} {file}", "ok" if row["read"] else "; ".join(row.get("errors", []))]
    counted = f"dof {row.get('got', '?')}/{row.get('expected', '?')}"
    said.append(f"engine: {row['engine']}" if row["engine"] else counted)
    if "gap" in row:
        said.append(f"gap {row['gap']:.1e} {' '.join(row.get('why', []))}")
    if "acceleration" in row:
        said.append(f"exported {row['acceleration']:.1e} {row['fields'] or ''}")
    if "compared" in row:
        said.append(str(row["compared"]))
    return " | ".join([*said, " ".join(row.get("codes", []))])


def _preload() -> None:
    """Import once, before the processes of the files part from this one."""
    from importlib import import_module

    names = (
        "mujoco", "pinocchio", "pydrake.multibody.parsing", "xacro", "cadbridge.mechanism", "cadbridge.diagnosis",
        "cadbridge.readers.mjcf", "cadbridge.readers.urdf", "cadbridge.readers.sdf", "cadbridge.mass",
        "tests.readers.compiled", "tests.readers.engines",
    )  # fmt: skip
    for name in names:
        import_module(name)


def equal(row: dict[str, Any]) -> bool:
    """Whether the accelerations are the engine's: ours, or of what is exported where ours were not compared."""
    return bool(row.get("gap", math.nan) < EXACT or by_export(row))


def by_export(row: dict[str, Any]) -> bool:
    """Whether only the accelerations of what is exported are the engine's, since ours were not compared."""
    return bool(math.isnan(row.get("gap", math.nan)) and row.get("acceleration", math.nan) < EXACT)


def summary(rows: list[dict[str, Any]]) -> bool:
    """Print the shares by format; whether all is read that engines load."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["format"]].append(row)
    for kind, group in sorted(groups.items()):
        loaded = [r for r in group if not r["engine"]]
        good = [r for r in loaded if r["read"]]
        share = 100.0 * len(good) / max(1, len(loaded))
        counted = sum(r.get("got") == r.get("expected") for r in good)
        print(
            f"{kind}: {len(group)} files of {len({r['repository'] for r in group})} repositories, {len(loaded)} load "
            f"in the engine, {len(good)} of these without error ({share:.1f} %); freedoms equal in {counted}, "
            f"accelerations in {sum(map(equal, good))} of {len(good)} ({sum(by_export(r) for r in good)} of these by "
            f"what is exported alone), explained by a finding in "
            f"{sum(not equal(r) and bool(r['explained']) for r in good)}"
        )
        for row in good:
            if not equal(row) and not row["explained"]:
                print(f"    unexplained: {row['file']}")
    return all(r["read"] for r in rows if not r["engine"])


if __name__ == "__main__":
    main()
