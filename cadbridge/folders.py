"""Which files belong to a source: the one rule that every reader, and every process that reads for one, asks.

A source may name what lies below its own folder, below the folders that the person gave, and below the packages that
these hold. In a home nothing hidden belongs to a source, and above a home (the disk's root, the folder of all homes)
nothing but what lies beside it. Shapes may also lie in the folders around (`around`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MESHES = (".stl", ".dae", ".obj", ".ply", ".glb", ".gltf", ".off")
"""Files that hold nothing but shapes: these may lie in the folders around the source's, as `../../meshes` does."""

MANIFEST = "package.xml"
"""What makes a folder a ROS package."""

_ABOVE = 3
"""So many folders above the source's belong to what it came with, where nothing marks the top of that."""

_TOPS = (".git", MANIFEST)
"""What marks the top folder of a repository or a ROS package."""


@dataclass(frozen=True)
class Folders:
    """The folder that a source lies in, and those that the person gave or that are packages; links resolved."""

    own: Path
    given: tuple[Path, ...] = ()

    @classmethod
    def of(cls, source: Path, given: Iterable[Path] = ()) -> Folders:
        """The folders of the source at a path."""
        return cls(source.resolve().parent, tuple(folder.resolve() for folder in given))

    @property
    def roots(self) -> tuple[Path, ...]:
        """All of them, the source's own first."""
        return (self.own, *self.given)

    def hold(self, real: Path) -> bool:
        """Whether a path, links resolved, belongs to the source."""
        return any(holds(root, real) for root in self.roots)

    def around(self, real: Path) -> bool:
        """Whether a path, links resolved, may be a shape that the source names."""
        return around(real, self.own)


def holds(root: Path, real: Path) -> bool:
    """Whether a path, links resolved, lies below a folder and may be read by a source that this folder belongs to."""
    if not real.is_relative_to(root):
        return False
    if not is_home_or_above(root):
        return True
    inner = real.relative_to(root).parts
    if any(name.startswith(".") for name in inner):
        return False
    return root == _home() or len(inner) <= 1 or real.suffix.lower() in MESHES


@cache
def _home() -> Path:
    try:
        return Path.home().resolve()
    except (OSError, RuntimeError, KeyError):  # a user without one
        return Path("/").resolve()


def is_home_or_above(folder: Path) -> bool:
    """Whether a folder, links resolved, is the home of the person, the folder of all homes or the disk's root."""
    return _home().is_relative_to(folder) or folder == Path(folder.anchor)


def opened_by(folder: Path) -> str:
    """What a source may name in a folder that the person gives, in words, where that is much; else "".

    Much is a home, what is above one, and what lies directly below the disk's root, as `/etc` and `/data` do.
    """
    root = folder.resolve()
    if not is_home_or_above(root):
        wide = root.parent == Path(root.anchor)
        return f"{folder} is a whole folder of the disk: the source may name every file in it" if wide else ""
    if root == _home():
        return f"{folder} is your home: the source may name every file in it that is not hidden"
    return f"{folder} holds your home: the source may name every file that lies directly in it, and all meshes below it"


def around(real: Path, folder: Path) -> bool:
    """Whether a path, links resolved, may be a shape that a source in `folder` names."""
    return any(real.is_relative_to(at) for at in folders_around(folder))


def folders_around(folder: Path) -> tuple[Path, ...]:
    """The repository or package that `folder` lies in, else itself, and the three folders above it.

    Neither the disk's root nor a folder that holds the homes of several people counts.
    """
    home = _home()
    above = [at for at in folder.parents if at != Path(at.anchor) and (at == home or not home.is_relative_to(at))]
    top = next((at for at in (folder, *above) if at != home and any((at / mark).exists() for mark in _TOPS)), folder)
    return (top, *above[:_ABOVE])
