#!/usr/bin/env python3
"""How long a file of many mates takes to read, in every format. Run it with the Python that has cadbridge and pytest.

    scripts/measure/readers.py [--mates 5000] [-o out/measure] [FORMAT …]

The mechanism of tests/readers/same_mechanism, with chains of fifty hinged bodies hung on its base until there are
so many mates, is written by the tests' own writers. Told for each format: the file's size, the processor's seconds that
`cadbridge.read` takes in its own process (the second time, so that modules are loaded), the seconds on the clock, and
how many of these OCCT's or MuJoCo's process took.
Writes readers.json.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import cadbridge as cb  # noqa: E402
from cadbridge.frames import Pose  # noqa: E402
from cadbridge.shapes.process import Worker  # noqa: E402
from tests.readers.same_mechanism import model  # noqa: E402

CHAIN = 50
"""Bodies of a chain."""

LIMIT = 3.0
"""Seconds that a file of 5,000 mates may take, apart from OCCT's."""


def enlarge(mates: int) -> None:
    """Make the tests' mechanism so large; before their writers are imported, which build tables of it."""
    more = []
    inertia = 0.1 * np.array([[4e-3, 2e-4, -1e-4], [2e-4, 5e-3, 3e-4], [-1e-4, 3e-4, 6e-3]])
    for k in range(mates - len(model.HINGES) - 2):
        chain, link = divmod(k, CHAIN)
        point = np.array([0.02 * link, 0.02 * chain, 0.05])
        X = Pose.from_rpy(point + np.array([0.01, 0.0, 0.0]), (0.1, 0.2, 0.01 * link))
        body = model.Body(f"Link {chain} {link}", X, 0.1, np.array([0.01, -0.02, 0.005]), inertia)
        model.BODIES[body.name] = body
        parent = f"Link {chain} {link - 1}" if link else "Base"
        more.append(model.Hinge(f"Hinge {chain} {link}", parent, body.name, point))
    model.HINGES = (*model.HINGES, *more)  # type: ignore[assignment]


class Abroad:
    """The seconds that the processes of OCCT and MuJoCo take."""

    def __init__(self) -> None:
        self.seconds = 0.0
        ask = Worker.request

        def timed(worker: Worker, *arguments: Any) -> Any:
            began = time.perf_counter()
            try:
                return ask(worker, *arguments)
            finally:
                self.seconds += time.perf_counter() - began

        Worker.request = timed  # type: ignore[method-assign, assignment]


def measure(name: str, write: Callable[[Path], Path], abroad: Abroad) -> dict[str, Any]:
    """One format: written, and read as often as it takes to have all modules loaded."""
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            source = write(Path(folder))
            size = sum(p.stat().st_size for p in Path(folder).iterdir() if p.is_file())
            abroad.seconds = 0.0
            began, spent = time.perf_counter(), time.process_time()
            assembly = cb.read(source)
            seconds, spent = time.perf_counter() - began, time.process_time() - spent
    errors = [f.message for f in assembly.findings if f.severity.value == "error"]
    return {
        "format": name,
        "megabytes": size / 1e6,
        "mates": len(assembly.mates) + len(assembly.couplings),
        "processor_seconds": spent,
        "seconds": seconds,
        "other_process_seconds": abroad.seconds,
        "errors": errors[:3],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="keys of tests.readers.same_mechanism.formats")
    parser.add_argument("--mates", type=int, default=5000)
    parser.add_argument("-o", "--out", type=Path, default=ROOT / "out" / "measure")
    asked = parser.parse_args()
    enlarge(asked.mates)
    from tests.readers.same_mechanism.formats import FORMATS

    abroad = Abroad()
    rows = []
    print(f"{'format':22} {'MB':>6} {'mates':>6} {'processor s':>12} {'clock s':>8} {'OCCT, MuJoCo s':>15}")
    for name in asked.formats or [name for name in FORMATS if name != "ap242 written"]:
        row = measure(name, FORMATS[name].write, abroad)
        rows.append(row)
        # Some formats say each hinge by two mates.
        late = "" if row["processor_seconds"] < LIMIT * max(1.0, row["mates"] / 5000) else "  too slow"
        print(
            f"{name:22} {row['megabytes']:6.1f} {row['mates']:6d} {row['processor_seconds']:12.2f} "
            f"{row['seconds']:8.2f} {row['other_process_seconds']:15.2f}{late} {'; '.join(row['errors'])}",
            flush=True,
        )
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "readers.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
