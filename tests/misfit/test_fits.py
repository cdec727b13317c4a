"""Fits by name: the tables of the standards at values that every handbook prints, and bores of STEP parts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cadbridge.assembly import Assembly
from cadbridge.errors import InputError
from cadbridge.geometry import Face, Shape
from cadbridge.mechanism import build
from cadbridge.misfit import load_fit
from cadbridge.misfit.bores import bore_of
from cadbridge.misfit.iso286 import (
    BEARINGS,
    BORES,
    GRADES,
    LOWER,
    SIZES,
    UPPER,
    bearing_clearance,
    fit_clearance,
    rail_play,
)
from tests.misfit.models import on_line


@pytest.mark.parametrize(
    ("fit", "mm", "least", "most"),
    [
        ("H7/g6", 20, 7, 41), ("H7/h6", 20, 0, 34), ("H7/f7", 50, 25, 75), ("H8/e8", 10, 25, 69),
        ("H11/d11", 3, 20, 140),
        ("H7/k6", 20, -15, 19), ("H7/p6", 30, -35, -1), ("H7/n6", 100, -45, 12), ("G7/h6", 40, 9, 50),
        ("JS7/h6", 18, -9, 20), ("H6/h5", 500, 0, 67), ("F8/h6", 120, 36, 112),
    ],
)  # fmt: skip
def test_clearances_of_iso_286(fit: str, mm: float, least: float, most: float) -> None:
    assert fit_clearance(fit, mm * 1e-3) == pytest.approx((least * 1e-6, most * 1e-6), abs=1e-12)


HOLES = {
    3: "0 -6, 0 -10, 0 -14, -2 -8, -2 -12, -2 -16, -4 -10, -4 -14, -4 -18",
    6: "2 -6, 3 -9, 5 -13, -1 -9, 0 -12, 2 -16, -5 -13, -4 -16, -2 -20",
    10: "2 -7, 5 -10, 6 -16, -3 -12, 0 -15, 1 -21, -7 -16, -4 -19, -3 -25",
    18: "2 -9, 6 -12, 8 -19, -4 -15, 0 -18, 2 -25, -9 -20, -5 -23, -3 -30",
    30: "2 -11, 6 -15, 10 -23, -4 -17, 0 -21, 4 -29, -11 -24, -7 -28, -3 -36",
    50: "3 -13, 7 -18, 12 -27, -4 -20, 0 -25, 5 -34, -12 -28, -8 -33, -3 -42",
    80: "4 -15, 9 -21, 14 -32, -5 -24, 0 -30, 5 -41, -14 -33, -9 -39, -4 -50",
    120: "4 -18, 10 -25, 16 -38, -6 -28, 0 -35, 6 -48, -16 -38, -10 -45, -4 -58",
    180: "4 -21, 12 -28, 20 -43, -8 -33, 0 -40, 8 -55, -20 -45, -12 -52, -4 -67",
    250: "5 -24, 13 -33, 22 -50, -8 -37, 0 -46, 9 -63, -22 -51, -14 -60, -5 -77",
}
"""Limits (µm) of the holes K6 K7 K8 M6 M7 M8 N6 N7 N8 by size (mm), as DME prints them ("Tables for determining metric
tolerances", table 6); M8 up to 3 mm, which it does not have, by ISO 286-2."""


@pytest.mark.parametrize("mm", HOLES)
def test_holes_k_m_and_n_have_the_limits_that_a_catalogue_prints(mm: int) -> None:
    names = [letter + grade for letter in "KMN" for grade in "678"]
    for name, printed in zip(names, HOLES[mm].split(", "), strict=True):
        upper, lower = map(float, printed.split())
        # Against a shaft h: from h's upper deviation, 0, and from its lower one, less than 0 by its grade.
        shaft = GRADES[5][SIZES.index(mm)]
        assert fit_clearance(f"{name}/h5", mm * 1e-3) == pytest.approx((lower * 1e-6, (upper + shaft) * 1e-6)), name


def test_deviations_are_those_that_others_print() -> None:
    """Of ISO 286-1 N and P of holes as usefastener.com prints them (1 to 250 mm); K, M and N of holes, and D to G, as
    Narayana, Machine Drawing, table 15.3 does (120 to 500 mm)."""
    assert LOWER["p"][:10] == (6, 12, 15, 18, 22, 26, 32, 37, 43, 50)
    assert LOWER["n"][:10] == (4, 8, 10, 12, 15, 17, 20, 23, 27, 31)
    for letter, values in (("k", (3, 4, 4, 4, 5)), ("m", (15, 17, 20, 21, 23)), ("n", (27, 31, 34, 37, 40))):
        assert LOWER[letter][8:] == values
    for letter, values in (("d", (145, 170, 190, 210, 230)), ("e", (85, 100, 110, 125, 135)),
                           ("f", (43, 50, 56, 62, 68)), ("g", (14, 15, 17, 18, 20))):  # fmt: skip
        assert UPPER[letter][8:] == values


@pytest.mark.parametrize(("fit", "mm", "least", "most"), [
    ("P7/h6", 25, -35, -1), ("P6/h5", 16, -26, -7), ("P9/h9", 25, -74, 30), ("N9/h9", 25, -52, 52),
    ("M6/h5", 300, -41, 14),
])  # fmt: skip
def test_holes_on_the_shaft_basis(fit: str, mm: float, least: float, most: float) -> None:
    """P7/h6 is as tight as H7/p6; N9 ends at its size; M6 of 250 to 315 mm is the standard's exception."""
    assert fit_clearance(fit, mm * 1e-3) == pytest.approx((least * 1e-6, most * 1e-6), abs=1e-12)


def test_grades_follow_the_standards_own_formula() -> None:
    """IT7 = 16 i with i = 0.45 ∛D + 0.001 D µm, D the geometric mean of a range above 3 mm; the table is rounded."""
    for grade, factor in ((6, 10), (7, 16), (8, 25), (9, 40), (10, 64), (11, 100)):
        for a, b, value in zip(SIZES, SIZES[1:], GRADES[grade][1:], strict=False):
            D = np.sqrt(a * b)
            assert value == pytest.approx(factor * (0.45 * np.cbrt(D) + 0.001 * D), rel=0.06, abs=1.5)


def test_clearances_of_bearings_grow_with_class_and_bore() -> None:
    assert bearing_clearance("C3", 0.030) == pytest.approx((13e-6, 28e-6))
    assert bearing_clearance("CN", 0.050) == pytest.approx((6e-6, 23e-6))
    for bore in (8e-3, 40e-3, 150e-3):
        found = [bearing_clearance(c, bore) for c in BEARINGS]
        assert found == sorted(found)
    assert all(len(table) == len(BORES) for table in BEARINGS.values())


@pytest.mark.parametrize(
    ("call", "arguments"),
    [(fit_clearance, ("H7g6", 0.02)), (fit_clearance, ("H7/z6", 0.02)), (fit_clearance, ("H99/g6", 0.02)),
     (fit_clearance, ("H7/g6", 0.6)), (fit_clearance, ("H7/k9", 0.02)), (fit_clearance, ("R7/h6", 0.02)),
     (fit_clearance, ("K9/h6", 0.02)), (fit_clearance, ("N4/h6", 0.02)),
     (bearing_clearance, ("C9", 0.02)), (bearing_clearance, ("C4", 0.004)), (bearing_clearance, ("C3", 0.3)),
     (rail_play, (17, False))],
)  # fmt: skip
def test_what_the_tables_do_not_have_is_refused(call: object, arguments: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match=r"is no|not known|has no|there are|known here"):
        call(*arguments)  # type: ignore[operator]


def bored(radius: float, length: float) -> Assembly:
    """A door on two hinges whose leaf has the bores as cylinders."""
    model = on_line((0.0, 0.5))
    part = model.parts[0]
    X = model.component("door").X_WC.inverse()
    z = np.array([0.0, 0.0, 1.0])
    places = [X.point(h * z) for h in (0.0, 0.5) for _ in range(2)]  # each bore in two halves
    faces = tuple(Face("cylinder", at, z, radius, area=np.pi * radius * length, centre=at) for at in places)
    return replace(model, parts=(replace(part, shape=Shape("door", None, None, faces=faces)), *model.parts[1:]))


def test_a_bore_has_the_diameter_and_length_of_its_cylinders() -> None:
    model = bored(0.010, 0.040)
    for mate in model.mates:
        found = bore_of(model, mate)
        assert found is not None
        assert found.diameter == pytest.approx(0.020)
        assert found.length == pytest.approx(0.040)  # not of both bores on the axis
    assert bore_of(on_line((0.0, 0.5)), model.mates[0]) is None


def write(folder: Path, text: str) -> Path:
    path = folder / "door.fit.yaml"
    path.write_text("format: cadbridge.fit/1\n" + text, "utf-8")
    return path


def test_fits_become_play_and_interference_becomes_preload(tmp_path: Path) -> None:
    mechanism = build(bored(0.010, 0.040))
    path = write(tmp_path, "fits:\n  - {mates: hinge 0, fit: H7/g6}\n  - {mates: hinge 1, fit: H7/p6}\n")
    found = load_fit(path, mechanism)
    (play,), (preload,) = found.play, found.preloads
    assert play.pattern == "hinge 0"
    assert play.values == pytest.approx({"across": 3.5e-6, "tilt": 7e-6 / 0.040})
    assert preload.values == pytest.approx({"across": 17.5e-6})
    assert [(f.name, f.least) for f in found.fitted] == [
        ("H7/g6", pytest.approx(7e-6)),
        ("H7/p6", pytest.approx(-35e-6)),
    ]


def test_what_is_given_holds_before_the_part_and_play_before_the_fit(tmp_path: Path) -> None:
    mechanism = build(on_line((0.0, 0.5)))
    text = "fits: [{mates: '*', fit: H7/g6, diameter: 20, length: 10}]\nplay: [{mates: hinge 1, across: 0.1}]\n"
    found = load_fit(write(tmp_path, text), mechanism)
    from cadbridge.misfit.groups import constraints_of
    from cadbridge.misfit.settings import play_of

    blocks = {(b.mate, b.kind): b for b in constraints_of(mechanism).blocks.blocks}
    assert play_of(found, blocks["hinge 0", "across"]) == pytest.approx(3.5e-6)
    assert play_of(found, blocks["hinge 0", "tilt"]) == pytest.approx(7e-4)
    assert play_of(found, blocks["hinge 1", "across"]) == pytest.approx(1e-4)


@pytest.mark.parametrize(
    "text",
    [
        "fits: [{mates: hinge 0, fit: H7/g6}]\n",  # no bore in the parts
        "fits: [{mates: hinge 0}]\n",
        "fits: [{mates: hinge 0, fit: H7/g6, bearing: C3, diameter: 20}]\n",
        "fits: [{mates: hinge 0, bearing: C9, diameter: 20}]\n",
        "fits: [{mates: nothing, rail: 20}]\n",
        "fits: [{mates: hinge 0, rail: 21}]\n",
        "rating: [{mates: hinge 0, force: -1}]\n",
        "shared: [{components: nothing}]\n",
    ],
)
def test_faults_have_their_place(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as caught:
        load_fit(write(tmp_path, text), build(on_line((0.0, 0.5))))
    (finding,) = caught.value.findings
    assert finding.code == "CB440"
    assert finding.where.line == 2
