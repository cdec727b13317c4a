"""Libraries that take a second and more to load, loaded when a test first uses them, not when tests are collected.

`from tests.late import cq` in place of `import cadquery as cq`.
"""

from __future__ import annotations

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
        return getattr(import_module(self.__name__), name)


if TYPE_CHECKING:
    import cadquery as cq
    import trimesh
else:
    cq = Late("cadquery")
    trimesh = Late("trimesh")
