"""Codes CB160–CB179, Simscape Multibody XML and SimMechanics, its first generation."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB160": Entry(
        Severity.ERROR,
        "not a Simscape Multibody file",
        "The root element is that of neither generation of the format.",
        "Export the assembly again with Simscape Multibody Link.",
        "An XML of another program.",
    ),
    "CB161": Entry(
        Severity.ERROR,
        "a value that cannot be read",
        "Numbers are missing, too many, or not finite at the place given; what needs them is left out.",
        "Export the file again.",
        "`<Translation>0 0</Translation>`, which lacks a number.",
    ),
    "CB162": Entry(
        Severity.ERROR,
        "a reference to something that is not in the file",
        "An instance names a part, or a constraint names an instance, that the file does not have.",
        "Export the file again.",
        "A constraint of instance leg3, which was suppressed at the export.",
    ),
    "CB163": Entry(
        Severity.WARNING,
        "a part without mass",
        "The file gives the part a mass of zero, which no body has; it is taken as not known.",
        "Give the part a material in CAD, or a density or mass in the mates file.",
        "A part without a material in SolidWorks.",
    ),
    "CB164": Entry(
        Severity.WARNING,
        "a constraint that cannot be carried over",
        "Its kind is not known here, it lacks the geometry that its kind needs, or it holds the frame of a flexible "
        "sub-assembly in which nothing is fixed; it is left out.",
        "Write the mate in a mates file beside the source.",
        "A path mate along a curve.",
    ),
    "CB165": Entry(
        Severity.WARNING,
        "a limit mate without its range",
        "Limit mates arrive as a distance or angle with no range, known by their name. To lock it would change the "
        "motion, so it is left out.",
        "Give the limits to the joint, in a mates file beside the source.",
        "A limit mate of 0 to 30 mm.",
    ),
    "CB166": Entry(
        Severity.ERROR,
        "a placement that is no rigid motion",
        "The nine numbers of a rotation are not orthonormal.",
        "Export the assembly again.",
        "A rotation whose columns are not at right angles.",
    ),
    "CB167": Entry(
        Severity.WARNING,
        "a part's geometry file that gives no shape",
        "The STEP file beside the XML cannot be read or holds no solid; the part is kept without a shape.",
        "Export the part again as a solid.",
        "bracket.STEP beside the XML is empty.",
    ),
    "CB168": Entry(
        Severity.INFO,
        "a mate within one rigid component",
        "Both of its features belong to one rigid sub-assembly, so it moves nothing; it is left out.",
        "Make the sub-assembly flexible in a mates file if its parts are to move.",
        "A coincident mate between two parts of a rigid gripper.",
    ),
    "CB169": Entry(
        Severity.INFO,
        "a body that is only a frame",
        "SimMechanics writes a body without mass and geometry where joints refer to an assembly's own frame; it is a "
        "component without parts.",
        "Nothing need be done.",
        "A body named RootPart at the origin of the assembly.",
    ),
    "CB170": Entry(
        Severity.INFO,
        "a distance or angle without its value",
        "The exporter writes the mate without the number that CAD holds it at. The number is measured between the two "
        "features as they are placed, which CAD solved before the export.",
        "Nothing need be done; give the mate in a mates file where it should be free or have another value.",
        'An angle mate of Inventor, `<Angle name="Angle:1">` with two features and no number.',
    ),
    "CB171": Entry(
        Severity.INFO,
        "a sub-assembly with nothing in it",
        "The instance is of an assembly that has no parts, and no mate holds it; it is no body.",
        "Nothing need be done.",
        "A virtual sub-assembly of SolidWorks whose parts were deleted or suppressed.",
    ),
}

FAMILIES = (
    Family("simscape", "Simscape Multibody XML, both generations", Stage.READING, ENTRIES, errors_leave_out=True),
)
