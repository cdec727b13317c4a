"""Our USD in Newton, by a Python that has it: Newton goes with an older MuJoCo than the other tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "CADBRIDGE_NEWTON"
MADE = ROOT / ".venv-newton" / "bin" / "python"
MODELS, DELTA = ("four_bar", "branched", "planetary", "geared_pair"), "fixtures/delta/delta.sdf"
DURATIONS = {**dict.fromkeys(MODELS, 0.5), DELTA: 0.02}
LACKING = "no Newton, which needs an older MuJoCo than the other tests: scripts/newton makes a Python that has it"
VERIFY = """
import json, sys
import cadbridge as cb
from cadbridge.verification import verify
from tests.exporters import models

for asked in sys.argv[1:]:
    name, duration = asked.split(":")
    model = cb.build(cb.read(name)) if "." in name else getattr(models, name)()
    r = verify(model, "usd", duration=float(duration))
    off = max(r.mass, r.inertia, r.centre, r.pose)
    print(json.dumps([name, r.verdict, r.moved, off, [f.code for f in r.findings]]))
"""


@pytest.fixture(scope="module")
def python() -> str:
    """A Python that can import Newton: the one that is named, else the one that scripts/newton made; else skipped."""
    named = os.environ.get(VARIABLE)
    if named and not shutil.which(named):
        pytest.fail(f"{VARIABLE} names {named}, which is no program", pytrace=False)
    if not named and not MADE.exists():
        pytest.skip(LACKING)
    return named or str(MADE)


def verified(python: str, *names: str) -> dict[str, tuple[str, float, float, list[str]]]:
    """By model: the verdict, how far it moved, how far what is compared at rest is off, the findings.

    All in one process: loading the engine takes longer than most models.
    """
    command = [python, "-c", VERIFY, *(f"{name}:{DURATIONS[name]}" for name in names)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[Any] = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row[0] for row in found] == list(names)
    return {name: rest for name, *rest in found}


def test_usd_swings_the_same_in_newton(python: str) -> None:
    for name, (verdict, moved, off, findings) in verified(python, *MODELS).items():
        assert (verdict, findings) == ("same", []), name
        assert off < 1e-6, name
        assert moved > 0.1, name


@pytest.mark.nightly
def test_kamino_swings_a_delta_the_same(python: str) -> None:
    """Where its kernels are not kept, Newton compiles them for a minute."""
    verdict, moved, _, _ = verified(python, DELTA)[DELTA]
    assert verdict == "same"
    assert moved > 0.01
