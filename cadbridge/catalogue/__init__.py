"""The catalogue of finding codes: one file a subject, one table for all."""

from __future__ import annotations

from cadbridge.catalogue import (
    cad_json,
    compare,
    efforts,
    exports,
    freecad,
    general,
    jobs,
    kinematics,
    mass,
    mates,
    mates_file,
    mjcf,
    mobility,
    ondsel,
    page,
    plain,
    sdf,
    simscape,
    simulation,
    step,
    transmission,
    urdf,
)
from cadbridge.findings import Entry

CATALOGUE: dict[str, Entry] = {}
for _table in (
    general,
    step,
    mates_file,
    simscape,
    urdf,
    mjcf,
    sdf,
    kinematics,
    ondsel,
    cad_json,
    freecad,
    mates,
    mass,
    mobility,
    compare,
    page,
    efforts,
    exports,
    simulation,
    transmission,
    jobs,
    plain,
):
    for _code, _entry in _table.ENTRIES.items():
        if _code in CATALOGUE:
            raise KeyError(f"finding code {_code} is used twice")
        CATALOGUE[_code] = _entry
