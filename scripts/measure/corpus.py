#!/usr/bin/env python3
"""What cadbridge reads of many files of others, beside counts made independently from the raw files.

    python scripts/measure/corpus.py FOLDER [--json table.json] [--only TEXT] [--formats simscape,step]

FOLDER holds a folder for each repository. Prints a line a file: format, status, what was expected and what differs;
at the end the share of files that hold, by format. The counters share no code with the readers: they look at
elements and lines only; where ranks.py covers the mates, rows, rank and freedoms are held against NumPy's too.
Exit status 0 where all hold.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from counters import COUNTERS, format_of
from ranks import RANKS

import cadbridge as cb
from cadbridge.diagnosis import diagnose, settled
from cadbridge.errors import CadbridgeError
from cadbridge.findings import exit_status
from cadbridge.mechanism import build
from cadbridge.readers.options import ReadOptions
from cadbridge.report import all_findings, check_document

LEFT_OUT = {
    "simscape": ("CB162", "CB164", "CB165", "CB168"),
    "simmechanics": ("CB181", "CB162", "CB164", "CB168"),
    "chrono": ("CB181", "CB162", "CB1303", "CB168", "CB1315"),
    "freecad": ("CB162", "CB1238", "CB1228", "CB1304", "CB168"),
    "ondsel": ("CB181", "CB162", "CB1204", "CB168"),
    "onshape": ("CB162", "CB1303", "CB1304", "CB168"),
    "fusion": ("CB162", "CB1303", "CB1304", "CB168"),
}
"""Findings that each stand for a mate that is told and left out."""


def files(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files of a known format, with the format; hidden folders are left."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            name = format_of(path)
            if name is not None:
                yield name, path


def run(path: Path, timeout: float, geometry: bool) -> tuple[int, dict[str, Any], str]:
    """Exit status and document as `cadbridge check --json` gives them, and the last line said; 3 for a traceback.

    In one process: what a file needs is reading, not importing. Without geometry the shapes beside a file are not read.
    """
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(int(timeout))
    try:
        assembly = cb.read(path, options=ReadOptions(geometry=geometry))
        mechanism = settled(build(assembly))
        diagnosis = diagnose(mechanism)
        findings = all_findings(mechanism, diagnosis)
        return exit_status(findings), check_document(mechanism, diagnosis, findings), ""
    except CadbridgeError as error:
        said = "; ".join(f"{f.code} {f.message[:80]}" for f in error.findings[:2])
        return 2, {}, f"{error} ({said})"
    except TimeoutError:
        return 124, {}, f"no answer in {timeout:g} s"
    except Exception as fault:
        return 3, {}, f"fault of ours: {fault!r}"
    finally:
        signal.alarm(0)


def _late(*_: object) -> None:
    raise TimeoutError


def compared(name: str, expected: dict[str, int], document: dict[str, Any]) -> tuple[dict[str, int], list[str]]:
    """What was found of what was counted, and what differs; mates that a finding names count as found."""
    found = {**document.get("counts", {}), **document.get("mobility", {})}
    codes = Counter(f["code"] for f in document.get("findings", []))
    found["told"] = sum(codes[c] for c in LEFT_OUT.get(name, ()))
    if "joints_in_file" in expected:
        found["joints_in_file"] = found.get("mates", 0) + found["told"]
    got = {key: found.get(key, -1) for key in (*expected, "told")}
    return got, [f"{key} {got[key]} for {value}" for key, value in expected.items() if got[key] != value]


def row(name: str, path: Path, folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    """The line of a file."""
    counter: Callable[[Path], dict[str, int]] = COUNTERS[name]
    try:
        expected = counter(path)
        if name in RANKS:
            expected = {**expected, **(RANKS[name](path)[0] or {})}
    except Exception as fault:
        expected = {}
        print(f"    cannot count {path.name}: {fault!r}")
    geometry = given.geometry or (name == "step" and not given.plain)
    status, document, last = run(path, given.timeout, geometry)
    got, wrong = compared(name, expected, document)
    errors = sorted({f["code"] for f in document.get("findings", []) if f["severity"] == "error"})
    if not document:
        wrong = [last[:150]]
    place = path.relative_to(folder)
    return {
        "format": name, "repository": place.parts[0], "file": str(Path(*place.parts[1:])), "status": status,
        "expected": expected, "got": got, "errors": errors, "wrong": wrong,
    }  # fmt: skip


def main() -> int:
    """Print the table; 0 where all files hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--geometry", action="store_true", help="Read the shapes beside other formats than STEP too.")
    parser.add_argument("--plain", action="store_true", help="Read no shape at all.")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--formats", default="")
    parser.add_argument("--timeout", type=float, default=300)
    given = parser.parse_args()
    rows = []
    share: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    wanted = set(filter(None, given.formats.split(",")))
    for name, path in files(given.folder):
        if given.only not in str(path) or (wanted and name not in wanted):
            continue
        found = row(name, path, given.folder, given)
        rows.append(found)
        count = share[name]
        count[0] += 1
        count[1] += not found["wrong"]
        count[2] += found["status"] < 2
        mark = "ok " if not found["wrong"] else "NOT"
        print(f"{mark} {name:12s} {found['status']} {found['repository'][:30]}/{found['file'][-60:]}  "
              f"{found['got']} {' '.join(found['errors'])} {'; '.join(found['wrong'])}", flush=True)  # fmt: skip
    for name, (total, held, read) in sorted(share.items()):
        print(f"{name:12s} {held} of {total} hold, {read} read without status 2")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if any(r["wrong"] for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
