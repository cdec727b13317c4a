"""Libraries that take a second and more to load, loaded when a test first uses them, not when tests are collected.

`from tests.late import cq` in place of `import cadquery as cq`.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module
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


def loaded(name: str) -> ModuleType:
    """A module, loaded when it is first asked for; what it makes stays, and is not looked through for what is free."""
    if name in sys.modules:
        return sys.modules[name]
    gc.disable()
    try:
        module = import_module(name)
        gc.freeze()
    finally:
        gc.enable()
    return module


if TYPE_CHECKING:
    import cadquery as cq
    import trimesh
else:
    cq = Late("cadquery")
    trimesh = Late("trimesh")
