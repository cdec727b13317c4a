#!/usr/bin/env python3
"""What `cadbridge batch` costs beyond the jobs themselves. Run it with the Python that has cadbridge.

    scripts/measure/jobs.py busy [--jobs 200] [--poisoned 20]     wall time against processor seconds / cores
    scripts/measure/jobs.py idle [--jobs 1000]                    a second run of an unchanged set

`busy` takes generated robots, copies of the example that cadbridge ships and, where CADBRIDGE_CORPUS names them,
real files; the poisoned ones are cut off, bombs, or hang, crash and eat memory by a reader made for it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.jobs.making import poison_path, poisoned, robot, written  # noqa: E402

KINDS = ("do: check", "do: convert, to: mjcf", "do: convert, to: urdf", "do: report")


def make_sources(folder: Path, count: int) -> None:
    """A third of robots in URDF, a third of STEP assemblies, a third of real files, where there are any."""
    demo = ROOT / "cadbridge" / "data" / "demo"
    named = os.environ.get("CADBRIDGE_CORPUS")
    real = [] if not named else [p for p in (Path(named) / "quadruped_solidworks", Path(named) / "so100") if p.is_dir()]
    for i in range(count):
        if i % 3 == 0:
            robot(folder / f"robot{i}.urdf", i, mass=1.0 + i)
        elif i % 3 == 1 or not real:
            text = (demo / "demo.step").read_text()
            (folder / f"demo{i}.step").write_text(text.replace("Desk crane", f"Desk crane {i}"))
            shutil.copy(demo / "demo.mates.yaml", folder / f"demo{i}.mates.yaml")
        else:
            shutil.copytree(real[i % len(real)], folder / f"real{i}")


def jobs_file(folder: Path, poison: int) -> Path:
    """One job a source, its kind by turns."""
    sources = sorted(folder.glob("*.urdf")) + sorted(folder.glob("*.step"))
    for place in sorted(folder.glob("real*")):
        sources += [p for name in ("Assem4.xml", "so100.urdf") for p in place.rglob(name)][:1]
    lines = [
        f"  - {{sources: {json.dumps(str(p.relative_to(folder)))}, {KINDS[i % len(KINDS)]}}}"
        for i, p in enumerate(sources)
    ]
    bad = ("crash", "exit", "hang", "grow", "ask", "raise", "children", "spin")
    for i in range(poison):
        if i % 10 == 8:
            (folder / f"cut{i}.step").write_bytes((sources[-1]).read_bytes()[:2000])
            lines.append(f"  - {{sources: cut{i}.step}}")
        else:
            poisoned(folder / f"bad{i}.poison", bad[i % len(bad)])
            lines.append(f"  - {{sources: bad{i}.poison, timeout: 3, memory: 1 GB}}")
    path = folder / "jobs.yaml"
    path.write_text("defaults: {timeout: 300}\njobs:\n" + "\n".join(lines) + "\n")
    return path


def batch(path: Path, *more: str) -> tuple[float, dict[str, int]]:
    """Wall time of a run, and its counts."""
    start = time.perf_counter()
    command = [sys.executable, "-P", "-m", "cadbridge", "batch", str(path), "--json", *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - start
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return wall, json.loads(done.stdout)["counts"]


def processors() -> tuple[float, float]:
    """Seconds that all processors of the machine were busy, and idle, so far (Linux)."""
    values = [int(v) for v in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    tick = os.sysconf("SC_CLK_TCK")
    idle = (values[3] + values[4]) / tick
    return sum(values) / tick - idle, idle


def busy(folder: Path, count: int, poison: int) -> None:
    """The 200-job measurement, without and with poisoned jobs."""
    cores = os.cpu_count() or 1
    make_sources(folder, count)
    path = jobs_file(folder, 0)
    for name, bad in (("clean", 0), ("poisoned", poison)):
        path = jobs_file(folder, bad)
        before, machine = os.times(), processors()
        wall, counts = batch(path, "-o", str(folder / name), "--cache", str(folder / f"cache-{name}"))
        after, later = os.times(), processors()
        own = (after.children_user + after.children_system) - (before.children_user + before.children_system)
        cpu = sum(json.loads(p.read_bytes())["cpu_s"] for p in (folder / name).rglob("times.json"))
        print(f"{name}: {counts}")
        print(f"  wall {wall:.1f} s; the jobs' processor seconds {cpu:.1f} on {cores} cores: ideal {cpu / cores:.1f} s")
        others = max(later[0] - machine[0] - own, 0.0)
        left = wall * cores - others
        print(f"  wall / ideal {wall / (cpu / cores):.2f}; with all that the batch does {own:.1f} processor seconds")
        print(
            f"  others used {others:.1f} s and {later[1] - machine[1]:.1f} s stood idle: of what was left for it "
            f"({left:.1f} s) the batch needed {left / cpu:.2f} times the jobs' own"
        )
    clean, mixed = written(folder / "clean"), written(folder / "poisoned")
    jobs = {k: v for k, v in clean.items() if "/" in k}
    differ = [name for name, content in jobs.items() if mixed.get(name) != content]
    print(f"the good jobs' bytes are the same beside poisoned ones: {not differ} ({len(jobs)} files)")
    for name in differ[:20]:
        old, new = (files.get(name, b"").splitlines() for files in (jobs, mixed))
        lines = [(a, b) for a, b in zip(old, new, strict=False) if a != b][:2]
        print(f"  {name}: {len(old)} and {len(new)} lines, first {lines}"[:600])


def idle(folder: Path, count: int) -> None:
    """A second run of an unchanged set."""
    for i in range(count):
        robot(folder / f"robot{i}.urdf", i, mass=1.0 + i)
    path = folder / "jobs.yaml"
    path.write_text("jobs: [{sources: '*.urdf'}]\n")
    for name in ("first", "second", "third"):
        before = os.times()
        wall, counts = batch(path, "--cache", str(folder / "cache"))
        after = os.times()
        own = (after.children_user + after.children_system) - (before.children_user + before.children_system)
        print(f"{name} run: {wall:.2f} s, {own:.2f} processor seconds, {counts}, load {os.getloadavg()[0]:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("busy", "idle"))
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--poisoned", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cadbridge-measure-") as name:
        folder = Path(name) / "set"
        folder.mkdir()
        os.environ["PYTHONPATH"] = poison_path(Path(name) / "poison")
        if given.what == "busy":
            busy(folder, given.jobs or 200, given.poisoned)
        else:
            idle(folder, given.jobs or 1000)


if __name__ == "__main__":
    main()
