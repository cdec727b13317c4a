"""Designs that others made: mobility and redundancy as known, or as one dense matrix gives them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cadbridge.diagnosis import diagnose
from cadbridge.diagnosis.diagnose import mate_rows
from cadbridge.mechanism import build
from cadbridge.reading import read
from tests.diagnosis.dense import matrix

EXPECTED = {
    # source: rows, rank, degrees of freedom, finite ones
    "quadruped_solidworks/Assem4.xml": (56, 40, 8, 8),
    "ondsel/fourbar.asmt": (20, 17, 1, 1),
    "ondsel/crank_slider.asmt": (19, 17, 1, 1),
    "ondsel/Schmidt_Coupling_Ass_1-1.asmt": (83, 71, 1, 1),
    "freecad/universal_joint_assembly.FCStd": (15, 15, 3, 3),
    "icub_simmechanics/LEGS_MECHANISM.xml": (183, 163, 11, 11),
}


@pytest.mark.parametrize("source", EXPECTED)
def test_mobility_of_designs_by_others(corpus: Path, source: str) -> None:
    mechanism = build(read(corpus / source))
    found = diagnose(mechanism)
    m = found.mobility
    assert (m.rows, m.rank, m.dof, m.finite) == EXPECTED[source]
    assert m.redundant == sum(r.rows for r in found.redundancies)
    # Placements are written with some six digits: what counts and what does not lies far apart all the same.
    s = np.linalg.svd(matrix(mate_rows(mechanism)), compute_uv=False)
    assert s[m.rank - 1] > 1e-3
    assert not np.any(s[m.rank :] > 1e-4)
    assert all(r.kind == "benign" for r in found.redundancies)


def test_each_hinge_of_the_quadruped_is_told_with_its_twin(corpus: Path) -> None:
    mechanism = build(read(corpus / "quadruped_solidworks" / "Assem4.xml"))
    found = diagnose(mechanism)
    assert len(found.redundancies) == 8
    hinges = {frozenset(j.mates) for j in mechanism.joints}
    for r in found.redundancies:
        assert (r.rows, r.of, len(r.duplicates)) == (2, 3, 1)
        assert frozenset((r.mate, *r.duplicates)) in hinges
        assert r.weaker == "point on plane instead of plane on plane"
    assert all(r.determined for r in found.reactions)
    assert all(f.kind == "turn" and len(f.rates) == 1 for f in found.freedoms)
