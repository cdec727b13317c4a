#!/usr/bin/env python3
"""What is left when commands are killed: `scripts/measure/kills.py [--moments 20] [--only WORD]`.

Each command is killed at moments spread over the time that it takes (SIGKILL, SIGTERM and Ctrl-C by turns; at every
fifth moment two run at once on the same output), and once more with files held to sizes that they outgrow, as a full
disk does. An output is the one of a whole run, byte for byte, or is not there; a file of another name is one
half-written. After the last kill the command must come to its end over what is left, the cache included. A line for
each command; the exit status is 1 where something was found.
"""

from __future__ import annotations

import argparse
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from cadbridge.processes import environment, python  # noqa: E402
from solver.compilation.library import kernel_folder  # noqa: E402

ROBOT = ROOT / "fixtures" / "four_bar" / "four_bar.urdf"
STEP = ROOT / "cadbridge" / "data" / "demo" / "demo.step"
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
JOBS = """format: cadbridge.jobs/1
defaults: {output: out}
jobs:
  - {name: checked, sources: robot.urdf, do: check}
  - {name: made, sources: robot.urdf, do: convert, to: mjcf}
  - {name: ran, sources: robot.urdf, do: simulate, duration: 0.05}
"""
COMMANDS = {
    "check": ("check", "robot.urdf", "--html", "out/page.html"),
    "recognise": ("recognise", "demo.step", "-o", "out/demo.mates.yaml"),
    "simulate": ("simulate", "robot.urdf", "--duration", "0.2", "-o", "out/run.parquet"),
    "convert": ("convert", "robot.urdf", "--to", "mjcf", "-o", "out"),
    "batch": ("batch", "jobs.yaml"),
}
VARYING = ("times.json",)
"""Of batches: what each job took and when; all else is the same byte for byte."""
STAGES = "out/.cadbridge/run-"
RECORDS = {"summary.json": b"}\n", "manifest.json": b"}\n", "index.html": b"</html>\n", "job.log": b"\n"}
"""What a batch writes of jobs that failed too, and how each file ends."""


def started(folder: Path, words: tuple[str, ...], largest: int | None = None) -> subprocess.Popen[bytes]:
    """A command in a folder, with a cache of its own; `largest` bytes of any file that it writes."""

    def held() -> None:
        if largest is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    apart = {"CADBRIDGE_CACHE": str(folder / "cache"), "CADBRIDGE_KERNELS": str(kernel_folder())}
    return subprocess.Popen(
        python("cadbridge", *words), cwd=folder, env=environment(apart),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=held,
    )  # fmt: skip


def outputs(folder: Path) -> dict[str, bytes]:
    """Files below `out` by their names, but those that tell of the run itself."""
    files = (p for p in (folder / "out").rglob("*") if p.is_file() and p.name not in VARYING)
    return {str(p.relative_to(folder)): p.read_bytes() for p in files}


def prepared(folder: Path) -> Path:
    """A robot, its jobs and a STEP file, and where outputs go."""
    (folder / "out").mkdir(parents=True)
    (folder / "robot.urdf").write_bytes(ROBOT.read_bytes())
    (folder / "demo.step").write_bytes(STEP.read_bytes())
    (folder / "jobs.yaml").write_text(JOBS, encoding="utf-8")
    return folder


def faults(folder: Path, whole: dict[str, bytes], full: bool = False) -> Counter[str]:
    """What is wrong with what is left after a kill; on a `full` disk jobs fail, and their records say so.

    The stages of a batch that was killed are removed by the next one.
    """
    found: Counter[str] = Counter()
    for name, data in outputs(folder).items():
        if name.startswith(STAGES):
            continue
        says_so = full and b"CB723" in data and data.endswith(RECORDS.get(Path(name).name, b"\0"))
        found[f"{'other' if name in whole else 'another file'} {name}"] += whole.get(name) != data and not says_so
    return +found


def measured(name: str, moments: int, base: Path) -> Counter[str]:
    """Kill a command at so many moments; what was found."""
    words = COMMANDS[name]
    home = prepared(base / f"{name}-whole")
    started(home, words).wait()
    (home / "out").rename(home / "first")
    (home / "out").mkdir()
    began = time.monotonic()
    started(home, words).wait()
    took, whole = time.monotonic() - began, outputs(home)
    found: Counter[str] = Counter({"ended before": 0})
    folder = prepared(base / f"{name}-killed")
    for k in range(moments):
        running = [started(folder, words) for _ in range(2 if k % 5 == 4 else 1)]
        time.sleep(took * (k + 0.5) / moments)
        for process in running:
            found["ended before"] += process.poll() is not None
            process.send_signal(SIGNALS[k % 3])
        for process in running:
            process.wait()
        time.sleep(0.1)  # children see that their parent is gone
        found += faults(folder, whole)
    for largest in (0, 100, 4_000):
        started(folder, words, largest).wait()
        found += faults(folder, whole, full=True)
    found["no end after all"] += started(folder, words).wait() not in (0, 1)
    found["not whole after all"] += outputs(folder) != whole
    return found


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=20, help="of each command")
    parser.add_argument("--only", default="")
    call, bad = parser.parse_args(), 0
    print("| command | moments | found |\n|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="kills-") as base:
        for name in (n for n in COMMANDS if call.only in n):
            found = measured(name, call.moments, Path(base))
            bad += found.total() - found["ended before"]
            said = ", ".join(f"{what}: {n}" for what, n in found.items() if n) or "nothing"
            print(f"| {name} | {call.moments} | {said} |", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
