"""Errors that parts of a pattern have in common: holes drilled by one jig, castings of one mould.

Faces at the same place of components of one pattern have one error instead of one each: their columns become one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from cadbridge.misfit.blocks import Errors, InexactFace, ToleranceZone, line_of
from cadbridge.misfit.groups import DependentMates
from cadbridge.misfit.settings import Settings, matches


def with_shared(group: DependentMates, settings: Settings) -> DependentMates:
    """The group with one column for each error that faces share by the patterns of `settings.shared`."""
    first = _firsts(group.errors, settings)
    if all(first[z] == z for z in range(len(first))):
        return group
    zones, columns, count = [], np.zeros(group.errors.count, np.int64), 0
    new = {}
    for z, zone in enumerate(group.errors.zones):
        if first[z] == z:
            new[z] = np.arange(count, count + len(zone.columns))
            count += len(zone.columns)
            zones.append(replace(zone, columns=new[z]))
        columns[zone.columns] = new[first[z]]
    to_new = csr_array((np.ones(len(columns)), (np.arange(len(columns)), columns)), shape=(len(columns), count))
    errors = replace(
        group.errors, faces=_named(group.errors, first), zones=tuple(zones), column=columns[group.errors.column],
        count=count,
    )  # fmt: skip
    return replace(group, errors=errors, B=csr_array(group.B @ to_new))


def _firsts(errors: Errors, settings: Settings) -> list[int]:
    """For each zone the first one that has the same error."""
    known: dict[tuple[object, ...], int] = {}
    return [known.setdefault(_key(errors, z, zone, settings), z) for z, zone in enumerate(errors.zones)]


def _key(errors: Errors, z: int, zone: ToleranceZone, settings: Settings) -> tuple[object, ...]:
    face = None if zone.face is None else errors.faces[zone.face]
    pattern = None if face is None else next((p for p in settings.shared if matches(p, face.component)), None)
    if face is None or pattern is None:
        return (z,)
    f = face.feature
    return (pattern, zone.kind, f.kind, tuple(np.round(f.point, 7)), line_of(f))


def _named(errors: Errors, first: list[int]) -> tuple[InexactFace, ...]:
    """The faces, of which the first of a pattern names the mates of all."""
    faces = list(errors.faces)
    for z, zone in enumerate(errors.zones):
        one = errors.zones[first[z]].face
        if zone.face is not None and one is not None and one != zone.face:
            merged = dict.fromkeys((*faces[one].mates, *errors.faces[zone.face].mates))
            faces[one] = replace(faces[one], mates=tuple(merged))
    return tuple(faces)
