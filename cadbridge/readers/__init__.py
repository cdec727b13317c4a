"""From files of any format to an Assembly: `registry.load` finds the format's reader.

`cadbridge.reading` lays the mates file over what the source says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cadbridge.readers.options import ReadOptions

if TYPE_CHECKING:
    from cadbridge.readers.mates_file import yaml_for_face

__all__ = ["ReadOptions", "yaml_for_face"]

MATES_ENDING = ".mates.yaml"
OVERRIDES_ENDING = ".cadbridge.yaml"
"""Of a file like a mates file that is laid over a source last, whatever mates file there is."""


def __getattr__(name: str) -> Any:
    # The models of the mates file load pydantic, which most commands do without.
    if name == "yaml_for_face":
        from cadbridge.readers.mates_file import yaml_for_face

        return yaml_for_face
    raise AttributeError(f"module 'cadbridge.readers' has no attribute {name!r}")
