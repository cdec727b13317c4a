"""Codes: Simscape Multibody XML and SimMechanics, its first generation."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB164": Entry(
        Severity.ERROR,
        "an unsupported constraint",
        "The kind of constraint is unknown, its geometry is missing, or it refers to the frame of a flexible "
        "sub-assembly in which nothing is fixed. cadbridge skips it.",
        "Write the mate in a mates file beside the source.",
        "A path mate along a curve.",
    ),
    "CB165": Entry(
        Severity.WARNING,
        "a limit mate without its range",
        "The exporter writes limit mates as a distance or angle without a range; their name identifies them. "
        "Locking the mate would change the motion, so cadbridge skips it.",
        "Add the limits to the joint in a mates file beside the source.",
        "A limit mate of 0 to 30 mm.",
    ),
    "CB169": Entry(
        Severity.INFO,
        "a body that is a frame",
        "SimMechanics writes a body without mass and geometry when joints refer to the frame of an assembly. It "
        "becomes a component without parts.",
        "No action is needed.",
        "A body named RootPart at the origin of the assembly.",
    ),
    "CB170": Entry(
        Severity.INFO,
        "a distance or angle without its value",
        "The exporter writes the mate without its number. cadbridge measures it between the two features as "
        "placed, which CAD solved before the export.",
        "No action is needed. If the mate is free or has another value, write it in the mates file.",
        'An angle mate of Inventor, `<Angle name="Angle:1">` with two features and no number.',
    ),
    "CB171": Entry(
        Severity.INFO,
        "an empty sub-assembly",
        "The instance belongs to an assembly without parts, and no mate refers to it. It is not a body.",
        "No action is needed.",
        "A virtual sub-assembly of SolidWorks whose parts were deleted or suppressed.",
    ),
}

FAMILIES = (
    Family("simscape", "Simscape Multibody XML, both generations", Stage.READING, ENTRIES, errors_leave_out=True),
)
