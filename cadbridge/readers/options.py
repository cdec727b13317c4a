"""What a person may ask of any reader."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ReadOptions:
    """Options of `cadbridge.read`.

    `package_dirs`: folders that hold ROS packages. `density` (kg/m³) and `material` serve parts
    for which nothing else gives one. `mass_from` "mesh" sets aside the masses that the file declares
    and weighs the meshes. `length_unit` overrides the unit a file claims. `geometry` False leaves
    shapes unread where a format allows it. `arguments` are the (name, value) pairs of a xacro file's arguments.
    """

    package_dirs: tuple[Path, ...] = ()
    density: float | None = None
    material: str | None = None
    mass_from: str = "declared"
    length_unit: str | None = None
    geometry: bool = True
    floating: bool = False
    arguments: tuple[tuple[str, str], ...] = ()
