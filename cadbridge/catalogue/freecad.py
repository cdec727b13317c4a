"""Codes CB1220–CB1239, FreeCAD's .FCStd."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

_AGAIN = "Open the file in FreeCAD 1.0 or newer, recompute, and save it again."

ENTRIES: dict[str, Entry] = {
    "CB1220": Entry(
        Severity.ERROR,
        "not a FreeCAD document",
        "The archive's Document.xml lacks the list of objects or their data.",
        _AGAIN,
        "A zip of pictures that was renamed to robot.FCStd.",
    ),
    "CB1221": Entry(
        Severity.ERROR,
        "an archive that cannot be opened",
        "A .FCStd is a zip; this one is cut off, or something else.",
        _AGAIN,
        "A .FCStd whose copying broke off.",
    ),
    "CB1222": Entry(
        Severity.ERROR,
        "a member of the archive that cannot be read",
        "The document names it, but it is missing, damaged or encrypted; what needs it is left out.",
        _AGAIN,
        "Document.xml names PartShape3.brp, which the zip does not hold.",
    ),
    "CB1223": Entry(
        Severity.ERROR,
        "a member of the archive that is too large",
        "It unpacks to far more than its size or than a model needs, as archives made to exhaust a machine do.",
        "Do not trust the file; where you do, save it again from FreeCAD.",
        "A .FCStd of 1 MB that unpacks to 100 GB of zeros.",
    ),
    "CB1224": Entry(
        Severity.ERROR,
        "a link in a circle",
        "An object holds itself by way of links, groups or sub-assemblies; the inner one is left out.",
        "Remove one of the links.",
        "A link to an assembly inside the same assembly.",
    ),
    "CB1225": Entry(
        Severity.ERROR,
        "a value that cannot be read",
        "A placement, a number or a list is missing or not finite; what needs it is left out.",
        _AGAIN,
        "A placement whose quaternion is `nan`.",
    ),
    "CB1226": Entry(
        Severity.ERROR,
        "a reference to something that is not there",
        "A link, a joint or a group names an object, a face or an edge that the file does not have.",
        "Repair the link or the joint in FreeCAD and save again.",
        "A joint to Face7 of a box that has six faces.",
    ),
    "CB1227": Entry(
        Severity.ERROR,
        "more than can be read",
        "Files, copies or objects beyond a sane number; the rest is left out.",
        "Split the assembly, or look for a link array with a wrong count.",
        "A link array of a billion elements.",
    ),
    "CB1228": Entry(
        Severity.WARNING,
        "a joint of a type that is not known",
        "It is none of FreeCAD's thirteen joints; it is left out, so the mechanism may have more freedom.",
        "Write the relation in a mates file beside the source.",
        "A joint type of a newer FreeCAD.",
    ),
    "CB1229": Entry(
        Severity.INFO,
        "a joint that is switched off",
        "It is suppressed or not activated in FreeCAD, so it holds nothing; it is left out.",
        "Activate it in FreeCAD if it is to count.",
        "A joint that was suppressed by a right click in the tree.",
    ),
    "CB1230": Entry(
        Severity.INFO,
        "a joint within one component",
        "Both of its connectors belong to one rigid component, so it holds nothing; it is left out.",
        "Make the sub-assembly flexible in FreeCAD if its parts are to move.",
        "A joint between two bodies of one rigid sub-assembly.",
    ),
    "CB1231": Entry(
        Severity.INFO,
        "a distance between elements without a rule",
        "FreeCAD has no rule for a distance between these kinds and holds the connectors as two planes; so here.",
        "Refer to planes, cylinders, spheres, lines, circles or vertices.",
        "A distance between a cone and a torus.",
    ),
    "CB1232": Entry(
        Severity.WARNING,
        "limits of a joint with two freedoms",
        "A cylindrical joint slides and turns; a limit of one of the two cannot be placed and is left out.",
        "Use a slider or a revolute joint where limits matter.",
        "A cylindrical joint with a range of its length.",
    ),
    "CB1233": Entry(
        Severity.WARNING,
        "a document without an assembly",
        "The file has parts, but no assembly with joints; the visible parts are read, each for itself.",
        "Give mates in a mates file beside the source.",
        "A document of two bodies beside each other.",
    ),
    "CB1234": Entry(
        Severity.WARNING,
        "several assemblies in one file",
        "One is read, that with the most in it; the others are left out.",
        "Save each assembly in a file of its own, or put them into one.",
        "Two assemblies, of 3 and of 12 parts: that of 12 is read.",
    ),
    "CB1235": Entry(
        Severity.WARNING,
        "a component without a shape",
        "Joints hold it, so it takes part in the motion, but it is a body without features, or a link to one: it has "
        "no shape and no mass.",
        "Give its mass in a mates file, or give the body its features in FreeCAD.",
        "A link to an empty body that stands behind a gear.",
    ),
    "CB1236": Entry(
        Severity.WARNING,
        "a mesh instead of a solid",
        "The object is a mesh; FreeCAD's B-Rep shapes are read, meshes are not, so it has neither shape nor mass here.",
        "Make a solid of it in FreeCAD (Part: shape from mesh), or give its mass in a mates file.",
        "An STL that was imported into the assembly.",
    ),
    "CB1237": Entry(
        Severity.INFO,
        "an empty object",
        "It has no shape and no joint holds it, so it is no part; it is left out.",
        "Nothing need be done.",
        "A new body without features.",
    ),
    "CB1238": Entry(
        Severity.WARNING,
        "a joint that is not complete",
        "One of its two references is empty, so it holds nothing, in FreeCAD too; it is left out.",
        "Give the joint its second element in FreeCAD, or delete it.",
        "A fixed joint whose part was deleted.",
    ),
}

FAMILIES = (Family("freecad", "FreeCAD's .FCStd", Stage.READING, ENTRIES, errors_leave_out=True),)
