"""Libraries that take a second and more to load, loaded when a test first uses them, not when tests are collected.

`from tests.late import cq` in place of `import cadquery as cq`.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cache
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

__all__ = ["cq", "trimesh"]


class Late(ModuleType):
    """A module by its name, without its content until an attribute is asked for."""

    def __getattr__(self, name: str) -> Any:
        # pytest looks at all that a file of tests holds: it asks modules for none but such names.
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(loaded(self.__name__), name)


class Nothing(type):
    """The type of what stands for anything of a module that is not loaded."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing(name, (), {})


class Hollow(ModuleType):
    """In place of a module that is named where another is loaded, and not used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing(name, (), {})


class Without(MetaPathFinder, Loader):
    """Finds hollow modules in place of some packages."""

    def __init__(self, *packages: str) -> None:
        self.packages = packages

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        hollow = any(name == package or name.startswith(f"{package}.") for package in self.packages)
        return ModuleSpec(name, self, is_package=True) if hollow else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Hollow(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


@contextmanager
def without(*packages: str) -> Iterator[None]:
    """While what is loaded here names such packages, they are not loaded: who needs them later loads them anew."""
    finder = Without(*packages)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name, module in list(sys.modules.items()):
            if isinstance(module, Hollow):
                del sys.modules[name]


DRAWN = ("vtk", "vtkmodules", "OCP.IVtkOCC", "OCP.IVtkVTK", "ezdxf", "casadi", "nlopt")
"""What cadquery draws with, solves its own assemblies with and writes DXF with: half of the time that it takes to load.
No test makes solids by these."""


def loaded(name: str) -> ModuleType:
    """A module, loaded when it is first asked for; what it makes stays, and is not looked through for what is free."""
    if name in sys.modules:
        return sys.modules[name]
    gc.disable()
    try:
        with without(*(DRAWN if name == "cadquery" else ())):
            module = import_module(name)
        if name == "cadquery":
            keep_planes(module)
        gc.freeze()
    finally:
        gc.enable()
    return module


def keep_planes(cadquery: Any) -> None:
    """Have cadquery make each plane once, and copy it as it is.

    At each step of a workplane it makes twelve planes by name to take one, and computes the matrices of a copy anew: a
    third of the time that small solids take.
    """
    made = cache(cadquery.Plane.named)

    def named(name: str, origin: Any = (0, 0, 0)) -> Any:
        return copy(made(name, origin if isinstance(origin, tuple) else origin.toTuple()))

    def copied(plane: Any) -> Any:
        # What a plane holds is exchanged where it changes, never changed itself.
        twin = object.__new__(type(plane))
        twin.__dict__.update(plane.__dict__)
        return twin

    cadquery.Plane.named, cadquery.Plane.__copy__ = staticmethod(named), copied


if TYPE_CHECKING:
    import cadquery as cq
    import trimesh
else:
    cq = Late("cadquery")
    trimesh = Late("trimesh")
