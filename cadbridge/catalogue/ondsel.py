"""Codes: OndselSolver's .asmt."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB1201": Entry(
        Severity.ERROR,
        "a wrongly indented line",
        "The format nests by tabs, one level at a time. cadbridge assigns the line to the line above it.",
        "Indent the line with tabs, not spaces, or save the file again.",
        "A line three tabs in, below one that is one tab in.",
    ),
    "CB1204": Entry(
        Severity.ERROR,
        "an unsupported element",
        "This kind of element has no equivalent. cadbridge skips it, so the mechanism may have more freedom than "
        "in the file.",
        "Write the relation in a mates file beside the source.",
        "A contact between two surfaces.",
    ),
    "CB1212": Entry(
        Severity.WARNING,
        "an unsupported force or motion",
        "This kind of force or motion has no equivalent. cadbridge skips it. Joints, rows and freedoms are the "
        "same, but a simulation moves differently.",
        "Add springs, forces and motions of joints in a scenario (docs/scenario.md).",
        "A spring with a damper along the line between two markers.",
    ),
    "CB1257": Entry(
        Severity.INFO,
        "a prescribed pose",
        "The file moves one marker against another by expressions of time: three distances and three angles. "
        "`simulate` follows them with drivers. Drivers count neither in the rows nor in the degrees of freedom.",
        "No action is needed. A scenario with `motors` replaces the motions of the file.",
        "A ship that heaves and rolls, with a crane on it that swings freely.",
    ),
    "CB1206": Entry(
        Severity.WARNING,
        "placeholder masses",
        "Every part has mass 1, density 1 and moments of inertia 1. FreeCAD writes these values for parts that "
        "it has not weighed.",
        "Give masses or densities in a mates file. Do not use forces or free motion computed with the placeholders.",
        "An assembly of ten parts, each with a mass of 1.",
    ),
    "CB1208": Entry(
        Severity.ERROR,
        "an expression that cannot be read",
        "A motion or limit is an expression of time that cadbridge cannot compute. It skips the motion or limit.",
        "Rewrite the expression with + − * / ^, parentheses, pi, and the usual functions of `time`.",
        "`sin(2*pi*time` without its closing bracket.",
    ),
    "CB1209": Entry(
        Severity.INFO,
        "a file without a unit",
        "The format has no unit. cadbridge reads files by FreeCAD and OndselSolver in mm, those of their "
        "predecessor in m.",
        "If this is wrong, pass --units.",
        "A position of `0 0 150`: 150 mm by FreeCAD, 150 m by its forerunner.",
    ),
    "CB1210": Entry(
        Severity.WARNING,
        "an invalid time series",
        "Its columns differ in length from its times, or contain something that is not a number. cadbridge omits "
        "it from the reference.",
        "Compute the series again in the program that wrote the file.",
        "A series of 100 times with 99 positions.",
    ),
}

FAMILIES = (Family("ondsel", "OndselSolver's .asmt", Stage.READING, ENTRIES, errors_leave_out=True),)
