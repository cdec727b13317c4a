"""Codes CB160–CB179, Simscape Multibody XML and SimMechanics, its first generation."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB160": Entry(
        Severity.ERROR,
        "not a Simscape Multibody file",
        "The root element belongs to neither generation of the format.",
        "Export the assembly again with Simscape Multibody Link.",
        "An XML of another program.",
    ),
    "CB161": Entry(
        Severity.ERROR,
        "a value that cannot be read",
        "Numbers are missing, too many, or not finite at the given place. cadbridge skips the element that needs them.",
        "Correct the given place, or export the file again.",
        "`<Translation>0 0</Translation>`: a number is missing.",
    ),
    "CB162": Entry(
        Severity.ERROR,
        "a reference without its target",
        "An instance names a part, or a constraint names an instance, that the file does not have.",
        "Unsuppress the target in the CAD system and export again.",
        "A constraint of instance leg3, which was suppressed during the export.",
    ),
    "CB163": Entry(
        Severity.WARNING,
        "a part without mass",
        "The file gives the part a mass of zero. cadbridge takes the mass as unknown.",
        "Assign a material in CAD, or give a density or mass in the mates file.",
        "A part without a material in SolidWorks.",
    ),
    "CB164": Entry(
        Severity.WARNING,
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
    "CB166": Entry(
        Severity.ERROR,
        "a placement that is not rigid",
        "The nine numbers of the rotation are not orthonormal.",
        "Correct the rotation, or export the assembly again.",
        "A rotation with columns that are not perpendicular.",
    ),
    "CB167": Entry(
        Severity.WARNING,
        "a geometry file without a shape",
        "The STEP file beside the XML cannot be read or has no solid. The part has no shape.",
        "Export the part again as a solid.",
        "bracket.STEP beside the XML is empty.",
    ),
    "CB168": Entry(
        Severity.INFO,
        "a mate within one rigid component",
        "Both features belong to one rigid sub-assembly, so the mate has no effect. cadbridge skips it.",
        "If the parts move, make the sub-assembly flexible in a mates file.",
        "A coincident mate between two parts of a rigid gripper.",
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
