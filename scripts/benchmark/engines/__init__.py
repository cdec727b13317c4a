"""One engine a file; each is left out, and said to be, where it is not installed."""

from __future__ import annotations

from importlib import import_module

from benchmark.engines.base import Engine

FILES = {
    "cadbridge": "own",
    "cadbridge-tree": "own_tree",
    "pinocchio": "pinocchio_",
    "mujoco": "mujoco_",
    "exudyn": "exudyn_",
    "drake": "drake_",
    "simbody": "simbody_",
}
OWN = "cadbridge"
TREE = "cadbridge-tree"


def load(name: str) -> type[Engine]:
    """The engine's class; ImportError where it is not installed."""
    found: type[Engine] = import_module(f"benchmark.engines.{FILES[name]}").Engine
    return found
