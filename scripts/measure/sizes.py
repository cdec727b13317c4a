#!/usr/bin/env python3
"""How time and memory of a command grow with the number of bodies. Run it with the Python that has cadbridge.

    scripts/measure/sizes.py [--sizes 1000,2000,4000,10000] [--shapes chain,star,lattice] [COMMAND …]

A chain and a star are URDF. A lattice is SDF: bars pinned to a grid of four-bars ten wide, hung from the world; a
`square` one grows both ways. COMMAND is of `check`, `simulate` (10 ms) and the formats of `convert --to`, each run in a
process of its own. A line for each: processor seconds and the largest memory, with all processes that it
starts, and the exit status; then the exponents of both, fitted over all sizes. Status 1 where an exponent is
above 1.15 or a command takes more than 2 GB.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from cadbridge.processes import environment, python  # noqa: E402
from cadbridge.targets import target_names  # noqa: E402

EXPONENT, MEMORY = 1.15, 2e9
CELL = 0.1
INERTIA = "".join(f"<{k}>{v}</{k}>" for k, v in zip(("ixx", "iyy", "izz"), ("1e-4", "1e-3", "1e-3"), strict=True))


def urdf(parents: list[int]) -> str:
    """Links hinged to their parents, by number; those on the base stand on a grid."""
    inertia = '<inertia ixx="1e-4" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/>'
    inertial = f'<inertial><origin xyz="0.05 0 0"/><mass value="1"/>{inertia}</inertial>'
    lines = ['<robot name="r"><link name="base"/>']
    for k, parent in enumerate(parents):
        at = f"{CELL} 0 0" if parent >= 0 else f"{2 * CELL * (k % 100):g} {2 * CELL * (k // 100):g} 0"
        lines.append(f'<link name="l{k}">{inertial}</link><joint name="j{k}" type="continuous"><origin xyz="{at}"/>')
        lines.append(f'<parent link="{f"l{parent}" if parent >= 0 else "base"}"/><child link="l{k}"/>')
        lines.append('<axis xyz="0 1 0"/></joint>')
    return "\n".join([*lines, "</robot>"])


def lattice(rows: int, columns: int) -> str:
    """A bar down to each node of a grid, and one along it to the next node; all pins turn about y."""
    lines = ['<sdf version="1.9"><model name="r">']

    def link(name: str, x: float, z: float) -> None:
        inertial = f"<inertial><mass>1</mass><inertia>{INERTIA}</inertia></inertial>"
        lines.append(f'<link name="{name}"><pose>{x:.9g} 0 {z:.9g} 0 0 0</pose>{inertial}</link>')

    def pin(name: str, parent: str, child: str, x: float, z: float) -> None:
        pose = f'<pose relative_to="__model__">{x:.9g} 0 {z:.9g} 0 0 0</pose>'
        lines.append(f'<joint name="{name}" type="continuous">{pose}<parent>{parent}</parent><child>{child}</child>')
        lines.append("<axis><xyz>0 1 0</xyz></axis></joint>")

    for r in range(rows):
        for c in range(columns + 1):
            x, z = CELL * (c + 0.3 * r), -CELL * r
            link(f"v{r}-{c}", x + 0.15 * CELL, z - CELL / 2)
            pin(f"d{r}-{c}", f"v{r - 1}-{c}" if r else "world", f"v{r}-{c}", x, z)
        for c in range(columns):
            x, z = CELL * (c + 0.3 * (r + 1)), -CELL * (r + 1)
            link(f"h{r}-{c}", x + CELL / 2, z)
            pin(f"a{r}-{c}", f"v{r}-{c}", f"h{r}-{c}", x, z)
            pin(f"b{r}-{c}", f"v{r}-{c + 1}", f"h{r}-{c}", x + CELL, z)
    return "\n".join([*lines, "</model></sdf>"])


SHAPES: dict[str, tuple[str, Callable[[int], str]]] = {
    "chain": ("urdf", lambda n: urdf([k - 1 for k in range(n)])),
    "star": ("urdf", lambda n: urdf([-1] * n)),
    "lattice": ("sdf", lambda n: lattice(round(n / 21), 10)),
    "square": ("sdf", lambda n: lattice(round((n / 2) ** 0.5), round((n / 2) ** 0.5))),
}
COMMANDS = {
    "check": ["check", "--json"],
    "simulate": ["simulate", "--duration", "0.01", "-o", "run.parquet"],
    **{to: ["convert", "--to", to, "-o", "out"] for to in target_names()},
}


def measured(command: list[str], source: Path, limit: float) -> tuple[float, float, int]:
    """Processor seconds and peak memory (bytes) of a command with its processes, and its exit status."""
    call = python("cadbridge", command[0], str(source), *command[1:])
    with (source.parent / "said").open("w") as said:
        process = psutil.Popen(call, cwd=source.parent, env=environment(), stdout=said, stderr=subprocess.STDOUT)
        peak = seconds = 0.0
        while process.poll() is None:
            try:
                family = [process, *process.children(recursive=True)]
                peak = max(peak, sum(p.memory_info().rss for p in family))
                seconds = sum(sum(p.cpu_times()[:4]) for p in family)
            except psutil.Error:
                continue
            if seconds > limit:
                process.kill()
            time.sleep(0.2)
    return seconds, peak, process.returncode


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="*", metavar="COMMAND")
    parser.add_argument("--sizes", type=lambda s: [int(n) for n in s.split(",")], default=[1000, 2000, 4000, 10000])
    parser.add_argument("--shapes", type=lambda s: s.split(","), default=["chain", "star", "lattice"])
    parser.add_argument("--limit", type=float, default=600.0, help="processor seconds after which a command is killed")
    call, worse = parser.parse_args(), False
    print("| command | shape | bodies | s | MB | status |\n|---|---|---|---|---|---|")
    for command in call.commands or COMMANDS:
        for shape in call.shapes:
            ending, make = SHAPES[shape]
            found = []
            for n in call.sizes:
                with tempfile.TemporaryDirectory() as folder:
                    source = Path(folder) / f"{shape}.{ending}"
                    source.write_text(make(n))
                    found.append(measured(COMMANDS[command], source, call.limit))
                seconds, peak, status = found[-1]
                print(f"| {command} | {shape} | {n} | {seconds:.1f} | {peak / 1e6:.0f} | {status} |", flush=True)
            if len(found) < 2:
                continue
            time_grows, memory_grows = np.polyfit(np.log(call.sizes), np.log([f[:2] for f in found]), 1)[0]
            print(f"| {command} | {shape} | n^ | {time_grows:.2f} | {memory_grows:.2f} | |", flush=True)
            worse |= max(time_grows, memory_grows) > EXPONENT or max(f[1] for f in found) > MEMORY
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
