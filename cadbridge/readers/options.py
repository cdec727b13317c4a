"""Options of reading, the same for every reader."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from cadbridge.errors import InputError
from cadbridge.options import option
from cadbridge.units import LENGTH


def _arguments(given: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """(name, value) pairs of texts NAME:=VALUE; InputError for a text of another form."""
    pairs = [text.partition(":=") for text in given]
    wrong = [text for text, (name, mark, _) in zip(given, pairs, strict=True) if not (mark and name.strip())]
    if wrong:
        raise InputError(f"A xacro argument is written NAME:=VALUE, not {', '.join(map(repr, wrong))}.")
    return tuple((name.strip(), value) for name, _, value in pairs)


@dataclass(frozen=True)
class ReadOptions:
    """Options of `cadbridge.read`.

    Attributes:
        density: kg/m³ of parts that have neither a density nor a material; None leaves their masses unknown.
        material: Name of the material of such parts.
        mass_from: "declared" takes the masses that the file declares; "mesh" ignores them and weighs the meshes.
        length_unit: The unit of length of the source (mm, m, in …), in place of the one that it states.
        package_dirs: Folders that hold ROS packages, or files that a FreeCAD file links to.
        floating: Whether the root link of a URDF is free, and not fixed to the ground.
        hidden: Whether hidden parts of a FreeCAD document without an assembly are read too.
        arguments: (name, value) of the arguments of a xacro file.
        recognise: Whether mates are found from the geometry; no mates file beside the source is read then.
        no_cache: Whether what OCCT answered is neither used nor kept.
        overrides: A file that is laid over all else; None takes NAME.cadbridge.yaml beside the source, where there is
            one.
        larger: Multiplies the limits on the size of inputs (docs/security.md).
        geometry: False leaves shapes unread where a format allows it.

    Raises:
        InputError: The unit of length is not known.
    """

    density: float | None = option(
        None, "--density", float, "Density in kg/m³ for parts without one.", least=1e-3, metavar="KG/M3"
    )
    material: str | None = option(None, "--material", str, "Material for parts without a density.", metavar="NAME")
    mass_from: str = option(
        "declared",
        "--mass",
        ("declared", "from-mesh"),
        "Take the declared masses, or compute them from meshes and densities.",
        value=lambda given: "mesh" if given == "from-mesh" else "declared",
    )
    length_unit: str | None = option(
        None, "--units", str, "Length unit of the source (mm, m, in …), overriding the stated one.", metavar="UNIT"
    )
    package_dirs: tuple[Path, ...] = option(
        (),
        "--package-dir",
        Path,
        "Folder with ROS packages, or with the files that a FreeCAD file links to; may be repeated.",
        key="package_dirs",
        many=True,
        metavar="FOLDER",
    )
    floating: bool = option(False, "--floating", bool, "Leave the root link of a URDF free instead of fixing it.")
    hidden: bool = option(
        False, "--hidden", bool, "Read hidden parts of a FreeCAD document too, where it has no assembly."
    )
    arguments: tuple[tuple[str, str], ...] = option(
        (), "--arg", str, "Argument of a xacro file, NAME:=VALUE; may be repeated.", key="arguments", many=True,
        value=_arguments, metavar="NAME:=VALUE",
    )  # fmt: skip
    recognise: bool = option(
        False,
        "--recognise",
        bool,
        "Recognise bodies, joints and gears from the geometry of a source without mates; joints get no limits.",
    )
    no_cache: bool = option(
        False, "--no-cache", bool, "Read the source again, and store nothing of it for the next command."
    )
    overrides: Path | None = option(
        None, "--overrides", Path, "File that overrides all else; by default NAME.cadbridge.yaml beside the source.",
        metavar="FILE",
    )  # fmt: skip
    larger: float = option(
        1.0, "--allow-larger", float, "Multiply the limits on the size of inputs (docs/security.md).", least=1.0,
        metavar="TIMES",
    )  # fmt: skip
    geometry: bool = True

    def __post_init__(self) -> None:
        if self.length_unit is None:
            return
        unit = self.length_unit.strip().lower()
        if unit not in LENGTH:
            near = difflib.get_close_matches(unit, LENGTH, n=2)
            nearest = f" Nearest: {', '.join(near)}." if near else ""
            raise InputError(
                f"{self.length_unit!r} is not a unit of length.{nearest} Known units: {', '.join(sorted(LENGTH))}."
            )
        object.__setattr__(self, "length_unit", unit)
