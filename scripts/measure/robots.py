#!/usr/bin/env python3
"""Robots of others, read by cadbridge and by the engine of their format, as a table by format.

    python scripts/measure/robots.py FOLDER [--formats mjcf,urdf,sdf] [--every N] [--seconds 60] [--json table.json]

FOLDER is searched for MJCF (bodies in <mujoco>), URDF and SDF files. An engine is MuJoCo for MJCF, Pinocchio for URDF,
Drake for SDF. A line a file: whether the engine loads it, whether cadbridge reads it without an error, its codes,
and for MJCF how far the accelerations and the compiled fields of what is exported again are from the original's
(`tests/readers/compiled.py`). Each file runs in a process of its own. Shapes are not loaded.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

EXACT = 1e-8
"""Relative difference of accelerations up to which they are equal."""


def files(folder: Path, formats: set[str]) -> Iterator[tuple[str, Path]]:
    """The robots below a folder, with their formats."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in (".xml", ".urdf", ".sdf", ".world") or not path.is_file():
            continue
        text = path.read_bytes()[:400_000]
        kind = None
        if b"<mujoco" in text and b"<worldbody" in text and b"<body" in text:
            kind = "mjcf"
        elif b"<robot" in text and b"<link" in text and path.suffix.lower() == ".urdf":
            kind = "urdf"
        elif b"<sdf" in text and b"<link" in text:
            kind = "sdf"
        if kind in formats:
            yield kind, path


def _mujoco(path: Path) -> None:
    import mujoco

    mujoco.MjModel.from_xml_path(str(path))


def _pinocchio(path: Path) -> None:
    import pinocchio

    pinocchio.buildModelFromUrdf(str(path))


def _drake(path: Path) -> None:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.001)
    Parser(plant).AddModels(str(path))
    plant.Finalize()


ENGINES: dict[str, Callable[[Path], None]] = {"mjcf": _mujoco, "urdf": _pinocchio, "sdf": _drake}


def examined(kind: str, path: Path) -> dict[str, Any]:
    """What engine and cadbridge make of a file."""
    row: dict[str, Any] = {"format": kind, "file": str(path), "engine": "", "read": False, "codes": []}
    try:
        ENGINES[kind](path)
    except Exception as error:
        row["engine"] = " ".join(str(error).split())[:160] or type(error).__name__
    row |= _read(path)
    if kind == "mjcf" and row["read"]:
        row |= _compared(path)
    return row


def _read(path: Path) -> dict[str, Any]:
    from cadbridge.errors import CadbridgeError
    from cadbridge.mechanism import build
    from cadbridge.readers import ReadOptions, read

    packages = tuple(p for p in list(path.parents)[1:4])
    try:
        mechanism = build(read(path, options=ReadOptions(package_dirs=packages, geometry=False)))
    except CadbridgeError as error:
        found = tuple(error.findings)
    else:
        found = (*mechanism.assembly.findings, *mechanism.findings)
    errors = [f for f in found if f.severity.value == "error"]
    said = [f"{f.code} {f.message}"[:160] for f in errors]
    return {"read": not errors, "codes": sorted({f.code for f in found}), "errors": said[:5]}


def _compared(path: Path) -> dict[str, Any]:
    from tests.readers.compiled import compare

    with tempfile.TemporaryDirectory() as scratch:
        try:
            found = compare(path, Path(scratch) / "x")
        except Exception as error:
            return {"compared": " ".join(str(error).split())[:160]}
    return {"acceleration": found.acceleration, "fields": found.fields, "exported": found.exported}


def _child(kind: str, path: Path, pipe: Connection) -> None:
    try:
        pipe.send(examined(kind, path))
    except BaseException as error:
        pipe.send({"format": kind, "file": str(path), "engine": "", "read": False, "errors": [f"FAULT {error!r}"]})


def guarded(kind: str, path: Path, seconds: float) -> dict[str, Any]:
    """`examined` in a process of its own that may take so long."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_child, args=(kind, path, there))
    process.start()
    there.close()
    try:
        row = here.recv() if here.poll(seconds) else None
    except EOFError:
        row = None
    process.kill()
    process.join()
    lost = {"format": kind, "file": str(path), "engine": "", "read": False, "errors": [f"no answer in {seconds:g} s"]}
    return row or lost


def main() -> None:
    """The table; exit status 0 where every file that its engine loads is read without an error."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--formats", default="mjcf,urdf,sdf")
    parser.add_argument("--every", type=int, default=1, help="take each Nth file only")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = []
    _preload()
    for kind, path in list(files(arguments.folder, set(arguments.formats.split(","))))[:: arguments.every]:
        row = guarded(kind, path, arguments.seconds)
        rows.append(row)
        verdict = "ok" if row["read"] else "; ".join(row.get("errors", []))
        said = [verdict, f"engine: {row['engine'] or 'ok'}"]
        if "acceleration" in row:
            said.append(f"acceleration {row['acceleration']:.1e} {row['fields'] or ''}")
        elif "compared" in row:
            said.append(row["compared"])
        print(f"{kind} {path.relative_to(arguments.folder)}: {' | '.join(said)}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    sys.exit(0 if summary(rows) else 1)


def _preload() -> None:
    """Import once, before the processes of the files part from this one."""
    from importlib import import_module

    for name in ("mujoco", "pinocchio", "cadbridge.mechanism", "cadbridge.readers.mjcf", "tests.readers.compiled"):
        import_module(name)


def summary(rows: list[dict[str, Any]]) -> bool:
    """Print the shares by format; whether all is read that engines load."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["format"]].append(row)
    for kind, group in sorted(groups.items()):
        loaded = [r for r in group if not r["engine"]]
        good = [r for r in loaded if r["read"]]
        moved = [r for r in good if r.get("acceleration", float("nan")) == r.get("acceleration")]
        moved = [r for r in moved if "acceleration" in r]
        equal = sum(r["acceleration"] < EXACT for r in moved)
        more = f"; accelerations equal in {equal} of {len(moved)}" if moved else ""
        print(f"{kind}: {len(group)} files, {len(loaded)} load in the engine, {len(good)} of these without error{more}")
    return all(r["read"] for r in rows if not r["engine"])


if __name__ == "__main__":
    main()
