"""Codes CB1200–CB1219, OndselSolver's .asmt."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB1200": Entry(
        Severity.ERROR,
        "not an OndselSolver file",
        "The file is no text, or its first lines are not those of the format.",
        "Save the assembly again from FreeCAD or OndselSolver.",
        "A picture that was renamed to robot.asmt.",
    ),
    "CB1201": Entry(
        Severity.ERROR,
        "a line indented out of order",
        "The format nests by tabs, one level at a time; the line is taken to belong to what stands above it.",
        "Save the file again; edit it with tabs, not with spaces.",
        "A line three tabs in, below one that is one tab in.",
    ),
    "CB1202": Entry(
        Severity.ERROR,
        "a value that cannot be read",
        "Numbers are missing, too many, or not finite at the place given; what needs them is left out.",
        "Save the file again.",
        "`0.1 0.2` where a position needs three numbers.",
    ),
    "CB1203": Entry(
        Severity.ERROR,
        "a reference to something that is not in the file",
        "A joint names a marker, a motion names a joint, or a series names a part that the file does not have.",
        "Save the file again.",
        "A joint between /Assembly/Part1/Marker1 and a marker that was deleted.",
    ),
    "CB1204": Entry(
        Severity.WARNING,
        "an element that cannot be carried over",
        "Its kind has no equal here; it is left out, so the mechanism may have more freedom than in the file.",
        "Write the relation in a mates file beside the source.",
        "A contact between two surfaces.",
    ),
    "CB1212": Entry(
        Severity.WARNING,
        "a force or a motion that cannot be carried over",
        "Its kind has no equal here; it is left out. Joints, rows and freedoms are the same, but a run moves "
        "differently without it.",
        "Give springs, forces and motions of joints in a scenario (docs/scenario.md).",
        "A spring with a damper along the line between two markers.",
    ),
    "CB1205": Entry(
        Severity.WARNING,
        "a part without mass",
        "The file gives the part a mass of zero, which no body has; it is taken as not known.",
        "Give the mass in a mates file beside the source. Motion that is fully driven needs none.",
        "A part whose mass marker is `0`.",
    ),
    "CB1206": Entry(
        Severity.WARNING,
        "placeholder masses",
        "Every part has mass 1, density 1 and moments of inertia 1: FreeCAD writes these where it has not weighed.",
        "Give masses or densities in a mates file; do not use forces or free motion computed with these.",
        "An assembly of ten parts, each with a mass of 1.",
    ),
    "CB1207": Entry(
        Severity.ERROR,
        "a rotation that is no rotation",
        "The nine numbers are not orthonormal, or they mirror; what they place is left out.",
        "Save the file again.",
        "A matrix with the rows 1 0 0, 0 1 0, 0 0 -1: it mirrors.",
    ),
    "CB1208": Entry(
        Severity.ERROR,
        "an expression that cannot be read",
        "A motion or a limit is an expression of time that cannot be computed here; it is left out.",
        "Rewrite the expression with + − * / ^, parentheses, pi, and the usual functions of `time`.",
        "`sin(2*pi*time` without its closing bracket.",
    ),
    "CB1209": Entry(
        Severity.INFO,
        "no unit in the file",
        "The format states no unit: files by FreeCAD and OndselSolver are taken as mm, those of their forerunner as m.",
        "Say the unit with --units where that is wrong.",
        "A position of `0 0 150`: 150 mm by FreeCAD, 150 m by its forerunner.",
    ),
    "CB1210": Entry(
        Severity.WARNING,
        "a time series that cannot be used",
        "Its columns have other lengths than its times, or hold what is no number; it is left out of the reference.",
        "Compute the series again.",
        "A series of 100 times with 99 positions.",
    ),
    "CB1211": Entry(
        Severity.INFO,
        "a joint within one part",
        "Both of its markers belong to one part, so it holds nothing; it is left out.",
        "Save the file again.",
        "A revolute joint between two markers of one part.",
    ),
}

FAMILIES = (Family("ondsel", "OndselSolver's .asmt", Stage.READING, ENTRIES, errors_leave_out=True),)
