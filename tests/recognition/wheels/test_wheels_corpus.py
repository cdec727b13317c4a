"""Wheels in STEP files of others: spur, inner and bevel wheels, two on one part."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cadbridge.recognition.wheels.finding import find_wheels
from cadbridge.shapes import load_shapes

FILES = ("cq_spur_z19_m1", "cq_ring_z60_m1", "cq_bevel_z31_m1", "chess_ratio2_z40_z20_m1", "chess_wormwheel_z15_m1")


@pytest.mark.parametrize("name", FILES)
def test_teeth_of_real_wheels(corpus: Path, name: str) -> None:
    folder = corpus / "gears"
    truth = {g["file"]: g for g in json.loads((folder / "gears.json").read_text())["gears"]}[f"{name}.step"]
    path = folder / f"{name}.step"
    found = [w for w in find_wheels(load_shapes([path])[path]) if w.sure]
    teeth = truth["teeth"] if isinstance(truth["teeth"], list) else [truth["teeth"]]
    assert sorted(w.teeth or 0 for w in found) == sorted(teeth)
    assert all(w.internal == truth["internal"] for w in found)
    assert all(w.module * 1e3 == pytest.approx(truth["module_mm"], rel=0.02) for w in found)
