"""Codes: FreeCAD's .FCStd."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

_AGAIN = "Open the file in FreeCAD 1.0 or newer, recompute, and save it again."

ENTRIES: dict[str, Entry] = {
    "CB1221": Entry(
        Severity.ERROR,
        "an archive that cannot be opened",
        "A .FCStd file is a zip archive. This one is truncated, or not a zip.",
        "Copy the file again, or save it again in FreeCAD 1.0 or newer.",
        "A .FCStd file that was copied incompletely.",
    ),
    "CB1222": Entry(
        Severity.ERROR,
        "a member of the archive that cannot be read",
        "The document refers to this file of the archive, but it is missing, damaged or encrypted. cadbridge "
        "skips what needs it.",
        _AGAIN,
        "Document.xml names PartShape3.brp, which the zip does not hold.",
    ),
    "CB1223": Entry(
        Severity.ERROR,
        "a member of the archive that is too large",
        "It unpacks to far more than its size, or than a model needs, as archives made to exhaust a machine do.",
        "Do not trust the file. If you do, save it again from FreeCAD.",
        "A .FCStd of 1 MB that unpacks to 100 GB of zeros.",
    ),
    "CB1224": Entry(
        Severity.ERROR,
        "a link loop",
        "An object contains itself through links, groups or sub-assemblies. cadbridge skips the inner one.",
        "Remove one of the links.",
        "A link to an assembly inside the same assembly.",
    ),
    "CB1228": Entry(
        Severity.ERROR,
        "a joint of a newer FreeCAD",
        "It is not one of FreeCAD's thirteen joints. cadbridge skips it, so the mechanism may have more freedom.",
        "Write the relation in a mates file beside the source.",
        "A joint type of a newer FreeCAD.",
    ),
    "CB1231": Entry(
        Severity.INFO,
        "a distance between elements without a rule",
        "FreeCAD has no rule for a distance between these kinds of elements and treats the connectors as two "
        "planes. cadbridge does the same.",
        "Refer to planes, cylinders, spheres, lines, circles or vertices.",
        "A distance between a cone and a torus.",
    ),
    "CB1233": Entry(
        Severity.WARNING,
        "a document without an assembly",
        "The file has parts, but no assembly with joints. cadbridge reads each visible part as a component.",
        "Give mates in a mates file beside the source.",
        "A document of two bodies beside each other.",
    ),
    "CB1244": Entry(
        Severity.WARNING,
        "an assembly of another workbench",
        "A2plus, Assembly3 and Assembly4 are add-ons of FreeCAD with joints of their own, which cadbridge does not "
        "read. It reads the parts in their places, without these joints.",
        "Make the joints in FreeCAD's own Assembly workbench (1.0 or newer), give mates in a mates file beside the "
        "source, or let `cadbridge recognise` find them from the shapes.",
        "An assembly of A2plus with six constraints.",
    ),
    "CB1270": Entry(
        Severity.INFO,
        "joints in a rigid sub-assembly",
        "A sub-assembly that is rigid moves as one body, in FreeCAD too: the joints within it hold nothing and let "
        "nothing move.",
        "If its parts are to move, insert it as a sub-assembly (not as a link), set its property Rigid to false in "
        "FreeCAD and save the file again.",
        "A gripper, inserted as a link, whose two fingers slide in its own file.",
    ),
    "CB1271": Entry(
        Severity.WARNING,
        "a screw without a slider",
        "FreeCAD's solver leaves such a screw out, so that its two parts turn and slide there as their other joints "
        "let them. cadbridge couples the two motions by the pitch.",
        "To have the same in FreeCAD, hold one of the two parts by a slider along the screw's axis. To have no screw "
        "here either, suppress the joint.",
        "A nut on a spindle, held by a cylindrical joint and a screw alone.",
    ),
    "CB1272": Entry(
        Severity.WARNING,
        "a joint on an attached datum",
        "FreeCAD's solver takes a datum of the assembly that is attached to something for a body of its own, and then "
        "puts it back where it is attached: the joint holds nothing. cadbridge leaves it out.",
        "Join the part that the datum is attached to, or a datum within that part; or detach the datum (map mode "
        "Deactivated), and it is the ground.",
        "A coordinate system in the assembly, attached to a hole of a plate, and a shaft's revolute joint on it.",
    ),
    "CB1273": Entry(
        Severity.ERROR,
        "a distance to a shape that is not there",
        "What a distance holds depends on the elements that it names: planes, cylinders, points. The shape of one of "
        "them cannot be read, as its file is missing. cadbridge leaves the joint out.",
        "Copy the file that the part is linked from to where the assembly expects it.",
        "A distance from a plate to a shaft whose file was not copied with the assembly.",
    ),
    "CB1234": Entry(
        Severity.WARNING,
        "several assemblies in one file",
        "cadbridge reads the largest assembly only.",
        "Save each assembly in its own file, or combine them.",
        "Two assemblies, of 3 and of 12 parts: cadbridge reads the one of 12.",
    ),
    "CB1235": Entry(
        Severity.WARNING,
        "a component without a shape",
        "Joints refer to this component, so it takes part in the motion. It is a body without features, or a "
        "link to one, so it has no shape and no mass.",
        "Give its mass in a mates file, or give the body its features in FreeCAD.",
        "A link to an empty body behind a gear.",
    ),
    "CB1236": Entry(
        Severity.WARNING,
        "a mesh instead of a solid",
        "cadbridge reads FreeCAD's B-Rep shapes, not its meshes. The object has neither shape nor mass.",
        "Convert it to a solid in FreeCAD (Part: shape from mesh), or give its mass in a mates file.",
        "An STL imported into the assembly.",
    ),
    "CB1237": Entry(
        Severity.INFO,
        "an empty object",
        "The object has no shape, and no joint refers to it. cadbridge skips it.",
        "No action is needed.",
        "A new body without features.",
    ),
    "CB1238": Entry(
        Severity.WARNING,
        "an incomplete joint",
        "One of the joint's two references is empty, so the joint has no effect, in FreeCAD too. cadbridge skips it.",
        "Give the joint its second element in FreeCAD, or delete it.",
        "A fixed joint whose part was deleted.",
    ),
    "CB1239": Entry(
        Severity.INFO,
        "hidden parts of a document without an assembly",
        "Of a document without an assembly, cadbridge reads what is visible. If nothing is, it reads what is hidden, "
        "but not what a link shows in another place.",
        "Pass --hidden to read hidden parts too, or show the parts of the mechanism in FreeCAD, hide all else, and "
        "save the document.",
        "The cover of a gearbox, hidden to look into it.",
    ),
}

FAMILIES = (Family("freecad", "FreeCAD's .FCStd", Stage.READING, ENTRIES, errors_leave_out=True),)
