#!/usr/bin/env python3
"""A nightly job with a gate: run the jobs, compare mobility and mass with what was agreed, tell what changed.

    nightly.py jobs.yaml agreed.json            compare; exit status 1 where something changed or failed
    nightly.py jobs.yaml agreed.json --agree    take what is there as agreed (after looking at it)

`agreed.json` belongs under version control, beside the models. Copy this file and change it to your needs.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import cadbridge as cb

MASS_TOLERANCE = 1e-6
"""Relative; smaller differences of mass are none."""


def figures(result: cb.jobs.Result) -> dict[str, Any]:
    """What must not change unnoticed: mobility, and the mass of each body (kg; null where it is not known)."""
    check = result.read("check.json")
    return {
        "dof": check["mobility"]["dof"],
        "redundant": check["mobility"]["redundant"],
        "masses": {body["name"]: body["mass"] for body in check["bodies"]},
    }


def differences(agreed: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """In words, for one model."""
    said = [
        f"{key} was {agreed[key]}, is {found[key]}" for key in ("dof", "redundant") if agreed[key] != found[key]
    ]  # fmt: skip
    before, now = agreed["masses"], found["masses"]
    said += [f"body {name} is gone" for name in sorted(before.keys() - now.keys())]
    said += [f"body {name} is new" for name in sorted(now.keys() - before.keys())]
    for name in sorted(before.keys() & now.keys()):
        a, b = before[name], now[name]
        if (a is None) != (b is None) or (a is not None and abs(a - b) > MASS_TOLERANCE * max(abs(a), abs(b))):
            said.append(f"mass of {name} was {a} kg, is {b} kg")
    return said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", type=Path)
    parser.add_argument("agreed", type=Path)
    parser.add_argument("--agree", action="store_true")
    given = parser.parse_args()
    plan = cb.jobs.load(given.jobs)
    results = []
    for result in cb.jobs.run(plan):
        results.append(result)
        print(f"{result.job.name}: {result.state}{' (known)' if result.cached else ''} {result.reason}", flush=True)
    cb.jobs.write_summary(plan, results)

    found = {r.job.name: figures(r) for r in results if "check.json" in r.outputs}
    if given.agree:
        given.agreed.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n", "utf-8")
        return 0
    agreed = json.loads(given.agreed.read_text("utf-8")) if given.agreed.exists() else {}
    changed = {name: differences(agreed[name], found[name]) for name in agreed.keys() & found.keys()}
    changed |= {name: ["is new: agree to it with --agree"] for name in found.keys() - agreed.keys()}
    changed |= {name: ["gave no figures"] for name in agreed.keys() - found.keys()}
    for name, said in sorted(changed.items()):
        for line in said:
            print(f"CHANGED {name}: {line}")
    return 1 if any(changed.values()) or not all(r.ok for r in results) else 0


if __name__ == "__main__":
    raise SystemExit(main())
