"""The table of efficiencies: kind of gear, arrangement, driving side, through the command line against closed forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.loading import module_of

EFFICIENCIES = module_of(Path(__file__).resolve().parents[2] / "scripts" / "measure" / "efficiencies.py")
CASES = list(EFFICIENCIES.cases())


def test_the_table_has_every_kind_arrangement_and_side() -> None:
    kinds = {"spur", "internal", "bevel", "rack", "worm", "belt", "crossed helical"}
    single = {(c.kind, c.arrangement, c.drives) for c in CASES if "planetary" not in c.arrangement}
    assert single == {(k, a, s) for k in kinds for a in ("simple", "on a carrier") for s in "ab"}
    members = {"sun", "arm", "ring"}
    planetary = {
        (c.arrangement.split()[1], c.driver) for c in CASES if c.kind == "bevel" and "planetary" in c.arrangement
    }
    assert planetary == {(held, drives) for held in members for drives in members - {held}}


def each_case() -> list[Any]:
    """Every case; a day has each kind by both sides, one of them on a carrier, and all planetary trains."""
    kinds = sorted({c.kind for c in CASES})

    def at_night(c: Any) -> bool:
        return "planetary" not in c.arrangement and bool(
            (kinds.index(c.kind) + (c.drives == "b") + (c.arrangement == "simple")) % 2
        )

    return [pytest.param(c, marks=pytest.mark.nightly if at_night(c) else ()) for c in CASES]


@pytest.mark.parametrize("case", each_case(), ids=lambda c: f"{c.kind}, {c.arrangement}, {c.drives}")
def test_the_efficiency_is_the_closed_form(case: Any) -> None:
    assert EFFICIENCIES.measure(case) == pytest.approx(case.expected, rel=1e-9)
