"""Bennett's linkage: its redundant equations are the first order of Bennett's own conditions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cadbridge.misfit.blocks import TURNS
from tests.diagnosis.linkages import bennett
from tests.misfit.models import group

Array = NDArray[np.float64]

A, ALPHA, B = 0.3, 0.7, 0.2
BETA = float(np.arcsin(B * np.sin(ALPHA) / A))


def normals(theta: float) -> list[Array]:
    """The common normals (4) between the hinges, from each to the next."""
    phi = 2 * np.arctan(np.sin((ALPHA + BETA) / 2) / np.sin((BETA - ALPHA) / 2) / np.tan(theta / 2))
    R, found = np.eye(3), []
    for alpha, turn in zip((ALPHA, BETA, ALPHA, BETA), (theta, phi, -theta, -phi), strict=True):
        R = R @ np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
        found.append(R[:, 0])
        R = R @ np.array([[1, 0, 0], [0, np.cos(alpha), -np.sin(alpha)], [0, np.sin(alpha), np.cos(alpha)]])
    return found


def felt(theta: float) -> Array:
    """What the three redundant equations feel (3, 8) of four lengths and four twists of the links."""
    found = group(bennett(A, ALPHA, B, theta))
    columns = np.zeros((found.B.shape[1], 8))
    for link, x in enumerate(normals(theta)):
        hinge, owner = (link + 1) % 4, f"link {link + 1}" if link < 3 else None
        for zone in found.errors.zones:
            face = found.errors.faces[zone.face if zone.face is not None else -1]
            if face.mates != (f"hinge {hinge}",) or (face.component != owner if owner else "link" in face.component):
                continue
            seen = face.X_WF.R.T @ x
            parts = {"across": seen[:2], "along": seen[2:], "tilt": seen[:2], "turn": seen[2:]}[zone.kind]
            columns[zone.columns, link + 4 * (zone.kind in TURNS)] = parts
    return np.asarray((found.N.T @ found.B) @ columns)


def test_links_that_fulfil_bennetts_conditions_bind_at_no_pose() -> None:
    """Opposite links alike and a / sin α = b / sin β: five conditions on eight numbers, found from poses to 1e-9.

    (G. T. Bennett, "A new mechanism", Engineering 76, 1903.)
    """
    M = np.vstack([felt(theta) / np.abs(felt(theta)).max() for theta in (0.4, 0.9, 1.4, 1.9, 2.4)])
    conditions = np.zeros((5, 8))
    for row, (i, j) in enumerate(((0, 2), (1, 3), (4, 6), (5, 7))):
        conditions[row, [i, j]] = 1.0, -1.0
    # d (a sin β − b sin α) = 0 of the first two links.
    conditions[4, [0, 1, 4, 5]] = np.sin(BETA), -np.sin(ALPHA), -B * np.cos(ALPHA), A * np.cos(BETA)
    allowed = np.linalg.svd(conditions)[2][5:]
    assert np.abs(M @ allowed.T).max() < 1e-9
    s = np.linalg.svd(M, compute_uv=False)
    assert s[4] > 1e-3
    assert s[5] < 1e-9
