#!/usr/bin/env python3
"""Errors of runs over the ratio of masses in a mechanism. Run it with the Python that has cadbridge.

    scripts/measure/mass_ratios.py [--ratios 1e-12,1,1e12] [--tolerance 1e-8] [--duration 1] [--only WORD]

Each mechanism falls from rest; its positions are held against equations in the fewest coordinates, integrated by SciPy
to 1e-13 (`tests/simulation/masses.py`). A line for each ratio: the largest error (m), the steps taken and rejected, the
processor seconds, how the run ended, and the findings. A run that is wrong by more than a hundred tolerances and of
which nothing is said is marked SILENT; then the exit status is 1.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.simulation.masses import CASES, ran  # noqa: E402

RATIOS = [10.0**k for k in range(-12, 13, 3)]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ratios", type=lambda s: [float(r) for r in s.split(",")], default=RATIOS)
    parser.add_argument("--tolerance", type=float, default=1e-8)
    parser.add_argument("--duration", type=float, default=1.0)
    parser.add_argument("--patience", type=float, default=60.0, help="processor seconds after which a run is stopped")
    parser.add_argument("--only", default="", help="mechanisms with this word in their names")
    call = parser.parse_args()
    silent = 0
    print("| mechanism | ratio | error m | steps | rejected | s | end | findings |\n|---|---|---|---|---|---|---|---|")
    for name, make in CASES.items():
        for ratio in call.ratios if call.only in name else ():
            found = ran(make(ratio), duration=call.duration, tolerance=call.tolerance, patience=call.patience)
            honest = found.honest(call.tolerance)
            silent += not honest
            said = " ".join(found.codes) or "-"
            cost = f"{found.steps} | {found.rejected} | {found.seconds:.2f}"
            end = f"{found.status} | {said}{'' if honest else ' SILENT'}"
            print(f"| {name} | {ratio:.0e} | {found.error:.1e} | {cost} | {end} |", flush=True)
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
