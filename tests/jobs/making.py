"""Robots quick to read, poisoned sources, and a look at everything that a batch wrote."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROBOT = """<robot name="arm{n}">
  <link name="base"/>
  <link name="one"><inertial><mass value="{mass}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry>{geometry}</geometry></visual></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="one"/><axis xyz="0 1 0"/>
    <origin xyz="0 0 0.{n}"/></joint>
</robot>
"""

POISON = '''
"""A reader of .poison files, put among cadbridge's own by every Python that finds this on its path."""
import ctypes, os, subprocess, sys, time

def read(path, options):
    words = path.read_text().split()
    what = words[1]
    if what == "crash":
        ctypes.string_at(0)
    if what == "exit":
        os._exit(7)
    if what == "hang":
        while True:
            time.sleep(1)
    if what == "spin":
        while True:
            pass
    if what == "children":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", path.name], start_new_session=True)
        time.sleep(60)
    if what == "ask":
        bytearray(10 << 30)
    if what == "grow":
        kept = []
        while True:
            kept.append(b"x" * (32 << 20))
    if what == "raise":
        raise RuntimeError("poisoned")
    if what == "slow":
        time.sleep(float(words[2]))
    from cadbridge.readers.urdf import read as read_urdf
    return read_urdf(path.parent / "behind.urdf", options)
'''

REGISTER = """
from cadbridge.readers import registry
poisonous = lambda start: start.raw[:6] == b"POISON"
registry.FORMATS += (registry.Format("poison", (".poison",), poisonous, "poison", "none"),)
"""


def robot(path: Path, n: int = 1, mass: float = 1.0, geometry: str = '<box size="1 2 3"/>') -> Path:
    """A URDF of one joint."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(ROBOT.format(n=n, mass=mass, geometry=geometry), encoding="utf-8")
    return path


def poisoned(path: Path, what: str) -> Path:
    """A source that does something bad to the process that reads it (or nothing, slowly: "slow 0.5")."""
    path.write_text(f"POISON {what}\n", encoding="utf-8")
    behind = path.parent / "behind.urdf"
    if not behind.exists():
        robot(behind)
    return path


def poison_path(folder: Path) -> str:
    """A PYTHONPATH by which every Python that is started knows poisoned sources."""
    folder.mkdir(exist_ok=True)
    (folder / "poison.py").write_text(POISON, encoding="utf-8")
    (folder / "sitecustomize.py").write_text(REGISTER, encoding="utf-8")
    known = os.environ.get("PYTHONPATH")
    root = str(Path(__file__).resolve().parents[2])
    return os.pathsep.join(p for p in (str(folder), root, known) if p)


def written(folder: Path) -> dict[str, bytes]:
    """All that a batch wrote but times and its own folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "times.json" and ".cadbridge" not in path.parts
    }


def batch(jobs: Path, *more: str, **how: object) -> subprocess.Popen[str]:
    """`cadbridge batch` as a process of its own."""
    command = [sys.executable, "-m", "cadbridge", "batch", str(jobs), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)  # type: ignore[call-overload,no-any-return]
