"""Shapes, materials and densities from the STEP file that Onshape exports of the same assembly."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np

from cadbridge.assembly import Assembly, Instance, Part
from cadbridge.frames import Pose
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.paths import lies_beside

ENDINGS = (".step", ".stp", ".STEP", ".STP", ".stpZ")

SAME_PLACE = 1e-5
"""m, and entries of rotations: how far the JSON's placement and the STEP's of one instance may be apart.

A choice. Of two equal parts so near to each other either may be taken for the other, which changes nothing.
"""


def step_beside(path: Path) -> Path | None:
    """The STEP file beside a document, by its name."""
    named = (path.with_name(path.stem + ending) for ending in ENDINGS)
    return next((file for file in named if file.is_file() and lies_beside(file, path)), None)


def with_geometry(
    parts: dict[str, Part], instances: list[Instance], step: Path, options: ReadOptions
) -> tuple[tuple[Part, ...], tuple[Instance, ...], list[str], Assembly]:
    """Parts and instances with what the STEP file has of them; the names of instances that it has not.
    Raises InputError where the STEP file cannot be read.

    An instance is found by its place, and by its name where that is unique on both sides. It then takes the STEP
    part's own frame, in which the shape is. The STEP's assembly carries its findings and its units.
    """
    from cadbridge.readers.step import read

    found = read(step, options)
    match = _matches(instances, found)
    made: dict[str, Part] = {}
    done, missing = [], []
    for instance in instances:
        like = match.get(instance.name)
        if like is None:
            missing.append(instance.name)
            made.setdefault(instance.part, parts[instance.part])
            done.append(instance)
        else:
            part = found.part(like.part)
            made.setdefault(part.name, part)
            done.append(replace(instance, part=part.name, X_WI=like.X_WI, colour=like.colour))
    return tuple(made.values()), tuple(done), missing, found


def _matches(instances: list[Instance], found: Assembly) -> dict[str, Instance]:
    """The STEP's instance of each instance."""
    free = {i.name: i for i in found.instances}
    cells: dict[tuple[int, ...], list[Instance]] = defaultdict(list)
    for like in found.instances:
        cells[_cell(like.X_WI)].append(like)
    match: dict[str, Instance] = {}
    for instance in instances:
        here = [i for i in _near(cells, instance.X_WI) if i.name in free]
        # Two parts may share a place (a bearing's rings): the name decides among them.
        here.sort(key=lambda i: _base(i.product_path[-1] if i.product_path else i.name) != _base(instance.name))
        if here:
            match[instance.name] = free.pop(here[0].name)
    left: dict[str, list[Instance]] = defaultdict(list)
    for like in free.values():
        left[_base(like.product_path[-1] if like.product_path else like.name)].append(like)
    # By name only what stands alone on both sides: of several equal parts that have moved since, any choice may be
    # wrong.
    lonely = [i for i in instances if i.name not in match]
    names = Counter(_base(i.name) for i in lonely)
    for instance in lonely:
        base = _base(instance.name)
        if names[base] == 1 and len(left[base]) == 1:
            match[instance.name] = left[base][0]
    return match


def _base(name: str) -> str:
    """The part's name in an instance's path: 'Arm <1>/Plate <2>' is Plate."""
    return name.rsplit("/", 1)[-1].partition(" <")[0].strip().lower()


def _cell(X: Pose) -> tuple[int, ...]:
    return tuple(int(v) for v in np.floor(X.p / (4 * SAME_PLACE)))


def _near(cells: dict[tuple[int, ...], list[Instance]], X: Pose) -> list[Instance]:
    home = _cell(X)
    steps = [(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]
    # A place near the side of a cell has its equal in the next one, perhaps.
    around = [i for s in steps for i in cells.get((home[0] + s[0], home[1] + s[1], home[2] + s[2]), ())]
    return [i for i in around if float(np.abs(i.X_WI.matrix() - X.matrix()).max()) < SAME_PLACE]
