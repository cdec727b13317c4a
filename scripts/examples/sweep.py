#!/usr/bin/env python3
"""A sweep: one simulation for each value of a parameter, and a table of what came of it.

    sweep.py robot.step --joint A1 --torque 0 0.5 1 2 --duration 1 -o sweep

drives one joint by a constant torque (N m), and writes sweep.csv with the joint's value at the end, its largest
rate and the largest drift of the constraints. Values done before are not computed again. Copy this file and
change it to your needs: the scenario that is written below may vary anything.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import cadbridge as cb
from cadbridge.simulation import read_trajectory

SCENARIO = """\
format: cadbridge.scenario/1
duration: {duration}
motors:
  - {{joint: "{joint}", torque: {torque}}}
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--joint", required=True)
    parser.add_argument("--torque", type=float, nargs="+", required=True)
    parser.add_argument("--duration", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, help="so many at once; by default one for each core")
    parser.add_argument("-o", "--output", type=Path, default=Path("sweep"))
    given = parser.parse_args()

    scenarios = given.output / "scenarios"
    scenarios.mkdir(parents=True, exist_ok=True)
    jobs = []
    for torque in given.torque:
        path = scenarios / f"{torque:g}.yaml"
        path.write_text(SCENARIO.format(duration=given.duration, joint=given.joint, torque=torque), "utf-8")
        jobs.append(
            {
                "name": f"torque {torque:g}",
                "sources": str(given.source.absolute()),
                "do": "simulate",
                "scenario": str(path.absolute()),
            }
        )
    plan = cb.jobs.plan(jobs, output=given.output / "runs")

    rows = []
    for result in cb.jobs.run(plan, workers=given.jobs):
        print(f"{result.job.name}: {result.state} {result.reason}", flush=True)
        if result.ok:
            table = read_trajectory(result.job.folder / "run.parquet")
            q, rate = (table[f"joint.{given.joint}.{key}"].to_numpy() for key in ("q", "qd"))
            drift = table["constraint.position"].to_numpy()
            rows.append([float(result.job.name.split()[1]), q[-1], abs(rate).max(), drift.max()])
    with (given.output / "sweep.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["torque", "final value", "largest rate", "largest drift"])
        writer.writerows(sorted(rows))
    return 0 if len(rows) == len(jobs) else 1


if __name__ == "__main__":
    raise SystemExit(main())
