#!/usr/bin/env python3
"""Runs of mechanisms made at random, held against the tightest absolute run at random times, by kind.

    scripts/measure/oracle.py [--cases 5] [--first 0] [--ways 6] [--only KIND …] [--log FILE]

Run it with the Python that has cadbridge. Each case follows from its kind and its seed (`tests/oracle`); it is run in
several ways: methods, integrators, tolerances 1e-3 to 1e-10. A row for each kind: runs; runs whose reference is not
known well enough; right runs that say so; wrong ones, by more than 100 tolerances in any column, that say so; wrong
ones that do not (silent), and of those how many are beyond 100 times what the motion itself multiplies; right runs that
say they are wrong (false alarms), those of them that ended early, and runs of which nothing is said (not tested); the
worst ratio of error to tolerance among runs that call themselves right, of motion and of accelerations. With `--log`
each run is a line of JSON there.
Exit status 1 where any run is wrong and says nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from cadbridge.errors import CadbridgeError  # noqa: E402
from tests.oracle.comparing import MARGIN, held, reference, ways  # noqa: E402
from tests.oracle.machines import ALL_KINDS, case  # noqa: E402

Line = dict[str, Any]
HEADS = (
    "| kind | runs | unclear | right | wrong | silent | beyond growth | false alarms | ended early | untested "
    "| worst | forces |"
)


def lines(kind: str, seed: int, count: int) -> list[Line]:
    """What the runs of a case came to."""
    made = case(kind, seed)
    known = reference(made)
    found = []
    for how in ways(seed, count, made):
        began = time.process_time()
        verdict = held(made, known, how)
        silent = verdict.wrong and not verdict.told
        facts = {"kind": kind, "seed": seed, "name": made.name, "how": str(how), "tolerance": how.tolerance}
        about = {"growth": known.growth if silent else None, "known": known.known, "cpu_s": time.process_time() - began}
        found.append({**facts, **about, **asdict(verdict), "told": verdict.told, "wrong": verdict.wrong})
    return found


def unclear(line: Line) -> bool:
    """Whether the reference itself is not known well enough to judge a run."""
    return bool(line["known"] > 0.1 * MARGIN * line["tolerance"])


def row(kind: str, found: list[Line]) -> str:
    """A kind's line of the table."""
    judged = [line for line in found if not unclear(line)]
    right, wrong = ([line for line in judged if line["wrong"] is bad] for bad in (False, True))
    silent = [line for line in wrong if not line["told"]]
    grave = [line for line in silent if not line["ratio"] <= MARGIN * line["growth"]]
    alarms = [line for line in right if line["told"]]
    calm = [line for line in judged if line["trusted"]]
    worst = max((line["ratio"] for line in calm), default=0.0)
    forces = max((line["forces"] for line in calm), default=0.0)
    good = sum(bool(line["trusted"]) for line in right)
    untested = len(right) - good - len(alarms)
    early = sum(line["status"] != "ok" for line in alarms)
    called = (
        f"{good} | {len(wrong) - len(silent)} | {len(silent)} | {len(grave)} | {len(alarms)} | {early} | {untested}"
    )
    return f"| {kind} | {len(found)} | {len(found) - len(judged)} | {called} | {worst:.3g} | {forces:.3g} |"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=5, help="cases of each kind")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--ways", type=int, default=6, help="runs of each case")
    parser.add_argument("--only", nargs="*", default=None, help="kinds")
    parser.add_argument("--log", type=Path, default=None, help="a file for a line each run")
    call = parser.parse_args()
    table: dict[str, list[Line]] = defaultdict(list)
    print(HEADS, "|---" * (HEADS.count("|") - 1) + "|", sep="\n")
    began, failed = time.perf_counter(), 0
    for kind in call.only or ALL_KINDS:
        for seed in range(call.first, call.first + call.cases):
            try:
                found = lines(kind, seed, call.ways)
            except (CadbridgeError, AssertionError, TimeoutError) as fault:
                print(f"{kind} {seed}: {type(fault).__name__}: {str(fault)[:200]}", file=sys.stderr)
                failed += 1
                continue
            table[kind] += found
            if call.log is not None:
                with call.log.open("a", encoding="utf-8") as log:
                    log.writelines(json.dumps(line) + "\n" for line in found)
        print(row(kind, table[kind]), flush=True)
    every = [line for found in table.values() for line in found]
    print(row("all", every))
    print(
        f"{len(every)} runs in {time.perf_counter() - began:.0f} s; {failed} cases could not be made", file=sys.stderr
    )
    return int(any(line["wrong"] and not line["told"] and not unclear(line) for line in every))


if __name__ == "__main__":
    sys.exit(main())
