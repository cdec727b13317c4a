"""Python files that stand in no package, as modules and as scripts."""

from __future__ import annotations

import importlib.util
import runpy
import sys
from pathlib import Path
from types import ModuleType

import pytest


def module_of(path: Path, name: str = "") -> ModuleType:
    """A file as the module `name` (by default its stem), which dataclasses in it look up by that name."""
    spec = importlib.util.spec_from_file_location(name or path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def run_script(path: Path, *arguments: Path) -> None:
    """Run a script as `python PATH ARGUMENTS` does, but in this process, which has imported what it needs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [str(path), *map(str, arguments)])
        patch.setattr(sys, "path", [str(path.parent), *sys.path])
        runpy.run_path(str(path), run_name="__main__")
