#!/usr/bin/env python3
"""Errors of the KR 15's twenty gears over the integrator's tolerance. Run it with the Python that has cadbridge.

    scripts/measure/gear_errors.py [-o out/measure] [--tolerances 1e-4,1e-6,1e-8,1e-10]

Two seconds under gravity and motor torques (Vlasenko & Kasper's run), with every redundant row of every mate, and with
one joint for all mates between two bodies. For each tolerance: the largest error of any gear at position level (rad)
and at velocity level (rad/s, and over the largest rate of a motor), and how far the axes are from those of the finest
tolerance. Writes gear_errors.json, gear_errors.png.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import cadbridge as cb  # noqa: E402
from cadbridge.simulation import trajectory_table  # noqa: E402

KR15 = ROOT / "fixtures" / "kr15"
AXES = [f"joint.A{k}.q" for k in range(1, 7)]


def run(mechanism: Any, tolerance: float, collapse: bool) -> dict[str, Any]:
    """The columns of a run at a tolerance, with its steps and seconds."""
    scenario = cb.load_scenario(KR15 / "kr15.scenario.yaml", mechanism)
    scenario = dataclasses.replace(scenario, rtol=tolerance, atol=tolerance)
    done = cb.simulate(mechanism, scenario, collapse=collapse)
    table = trajectory_table(done)
    columns = {name: np.array(table[name]) for name in table.column_names}
    statistics = done.result.statistics
    return {"columns": columns, "steps": statistics.steps, "seconds": statistics.seconds, "rows": done.summary["rows"]}


def largest(columns: dict[str, Any], pattern: str) -> float:
    """The largest size of the columns that a pattern fits."""
    return max(float(np.abs(v).max()) for name, v in columns.items() if re.fullmatch(pattern, name))


def measure(mechanism: Any, tolerances: list[float], collapse: bool) -> list[dict[str, Any]]:
    """A row for each tolerance, the finest last."""
    runs = {tolerance: run(mechanism, tolerance, collapse) for tolerance in sorted(tolerances, reverse=True)}
    finest = runs[min(tolerances)]["columns"]
    rows = []
    for tolerance, found in runs.items():
        columns = found["columns"]
        rate = largest(columns, r"gear\..*\.error_rate")
        rows.append(
            {
                "tolerance": tolerance,
                "rows": found["rows"],
                "position_rad": largest(columns, r"gear\..*\.error"),
                "velocity_rad_s": rate,
                "velocity_relative": rate / largest(columns, r"joint\..*Motor.*\.qd"),
                "axes_rad": max(float(np.abs(columns[a] - finest[a]).max()) for a in AXES),
                "steps": found["steps"],
                "seconds": round(found["seconds"], 3),
            }
        )
    return rows


def plot(rows: dict[str, list[dict[str, Any]]], path: Path) -> None:
    """Errors over tolerance, with the line on which both are the same."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for style, (name, found) in zip(("o-", "s--"), rows.items(), strict=True):
        x = [r["tolerance"] for r in found]
        for key, label in (("position_rad", "position"), ("velocity_relative", "velocity, relative")):
            axes.loglog(x, [r[key] for r in found], style, label=f"gears, {label} ({name})", ms=4)
        axes.loglog(
            x[:-1], [r["axes_rad"] for r in found][:-1], style, label=f"axes, from the finest run ({name})", ms=4
        )
    axes.loglog(x, x, "k:", label="the tolerance itself")
    axes.set_xlabel("relative and absolute tolerance of the integrator")
    axes.set_ylabel("largest error over 2 s, rad (velocity: 1)")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="x-small")
    figure.savefig(path, dpi=90, metadata={"Software": None})


def main() -> None:
    parser = argparse.ArgumentParser(description="Errors of the KR 15's gears over the integrator's tolerance.")
    parser.add_argument("-o", dest="out", type=Path, default=Path("out/measure"))
    parser.add_argument("--tolerances", default="1e-4,1e-5,1e-6,1e-7,1e-8,1e-9,1e-10")
    asked = parser.parse_args()
    mechanism = cb.build(cb.read(KR15 / "kr15.step"))
    tolerances = [float(t) for t in asked.tolerances.split(",")]
    rows = {
        "one joint a pair": measure(mechanism, tolerances, True),
        "every redundant row": measure(mechanism, tolerances, False),
    }
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "gear_errors.json").write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    plot(rows, asked.out / "gear_errors.png")
    for name, found in rows.items():
        print(f"\n{name} ({found[0]['rows']} rows)\ntolerance  position rad  velocity rad/s  relative  axes rad  steps")
        for r in found:
            print(
                f"{r['tolerance']:9.0e}  {r['position_rad']:12.2e}  {r['velocity_rad_s']:14.2e}  "
                f"{r['velocity_relative']:8.1e}  {r['axes_rad']:8.1e}  {r['steps']:5d}"
            )


if __name__ == "__main__":
    main()
