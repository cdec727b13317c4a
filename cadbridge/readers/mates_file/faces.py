"""The line of YAML that names a face in a mates file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cadbridge.frames import Vector
from cadbridge.geometry import Face
from cadbridge.readers.mates_file.positions import scalar
from cadbridge.units import TO_MM

DIRECTION_KEY = {"plane": "normal", "cylinder": "axis", "cone": "axis", "torus": "axis"}


def yaml_for_face(component: str, part: str | None, face: Face, faces: Sequence[Face] = ()) -> str:
    """What names a face as a feature: `{component: Link1, part: Shaft, face: seat}`.

    `part` is the instance's path below the component, None for a component of one instance. By the
    face's STEP name where no other face of `faces` bears it and the face has a feature, else by point and
    normal or axis in mm, to 1e-6 mm, in the frame of the part.
    """
    items = [f"component: {yaml_text(component)}"]
    if part is not None:
        items.append(f"part: {yaml_text(part)}")
    usable = face.kind in DIRECTION_KEY or face.kind == "sphere"
    if face.name and usable and sum(f.name == face.name for f in faces) <= 1:
        items.append(f"face: {yaml_text(face.name)}")
        return "{" + ", ".join(items) + "}"
    # A face of no simple kind still has a point to go by.
    items.append(f"point: {yaml_vector((face.point if usable else face.centre) * 1e3, 6)}")
    key = DIRECTION_KEY.get(face.kind)
    if key is not None and face.direction is not None:
        items.append(f"{key}: {yaml_vector(face.direction, 12)}")
    if face.radius is not None and face.kind in ("cylinder", "cone", "torus", "sphere"):
        items.append(f"radius: {_number(face.radius * TO_MM, 6)}")
    return "{" + ", ".join(items) + "}"


def yaml_text(text: str) -> str:
    """Plain where YAML reads it back as the same text, else in quotes."""
    plain = re.fullmatch(r"[A-Za-z0-9_./+][A-Za-z0-9_./+ -]*", text) and text == text.strip()
    # Words such as `on`, `1e3` and `null` look plain and are read back as something else.
    if plain and isinstance(scalar(text), str) and text not in ("---", "..."):
        return text
    escapes = {'"': '\\"', "\\": "\\\\"}
    shown = (escapes.get(c) or (c if c.isprintable() else f"\\U{ord(c):08X}") for c in text)
    return '"' + "".join(shown) + '"'


def yaml_vector(values: Vector, digits: int) -> str:
    """Numbers as a list of YAML, to so many places, without trailing zeros."""
    return "[" + ", ".join(_number(float(v), digits) for v in values) + "]"


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
