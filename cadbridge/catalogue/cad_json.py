"""Codes CB1300–CB1319, assemblies that CAD systems save as JSON (Onshape, Fusion, sw2robot) or Python (Chrono)."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB1300": Entry(
        Severity.ERROR,
        "not a document of this form",
        "The file cannot be parsed, or it lacks what makes it an assembly of this format.",
        "Save the document again as docs/formats.md describes.",
        "An assembly.json of another program.",
    ),
    "CB1301": Entry(
        Severity.ERROR,
        "a value that cannot be read",
        "A value is missing, of another type, not finite or beyond any sensible size; what needs it is left out.",
        "Save the document again, or correct the place given.",
        '`"offset": "twelve"` where a number is needed.',
    ),
    "CB1302": Entry(
        Severity.ERROR,
        "a reference to something that is not in the file",
        "An instance, occurrence, part, sub-assembly or mate is named that the file does not have, or that is "
        "suppressed.",
        "Save the document again, with all that it refers to.",
        "A mate of occurrence M4xQ, which was deleted.",
    ),
    "CB1303": Entry(
        Severity.WARNING,
        "a mate that cannot be carried over",
        "Its kind is not known here, it lacks the geometry that its kind needs, or it holds the frame of a flexible "
        "sub-assembly in which nothing is fixed; it is left out.",
        "Write the mate in a mates file beside the source.",
        "A tangent mate between two freeform faces.",
    ),
    "CB1304": Entry(
        Severity.INFO,
        "suppressed or disabled",
        "The CAD system has switched it off, so it is not read.",
        "Unsuppress it in the CAD system if it is to count.",
        "A mate that was suppressed to try something.",
    ),
    "CB1305": Entry(
        Severity.WARNING,
        "a limit that cannot be carried over",
        "It is of a freedom beside the joint's first one, of a joint without a single axis, or it cannot be read; the "
        "joint moves freely there.",
        "Give the limit to a joint in a mates file beside the source.",
        "A cylindrical mate with a limit of its turn as well as of its travel.",
    ),
    "CB1306": Entry(
        Severity.WARNING,
        "a part without geometry",
        "The file beside the source holds no part of that name and place, so the part has neither shape nor volume.",
        "Export the geometry from the same assembly, in the same position.",
        "assembly.step was exported before the part was added.",
    ),
    "CB1307": Entry(
        Severity.INFO,
        "two features of the file become one mate",
        "A screw relation and its cylindrical mate are one screw joint here, which bears the mate's name.",
        "Nothing need be done.",
        "Screw 1 between cylindrical mates of nut and spindle.",
    ),
    "CB1308": Entry(
        Severity.INFO,
        "a mate within one rigid component",
        "Both of its sides belong to one rigid sub-assembly, so it moves nothing; it is left out.",
        "Make the sub-assembly flexible in a mates file if its parts are to move.",
        "A fastened mate between two parts of a rigid gripper.",
    ),
    "CB1309": Entry(
        Severity.WARNING,
        "the drawn position does not agree with the mate",
        "The frames of a joint do not meet as the mate's own offset and angle say. The position as drawn is kept, and "
        "the joint is held as drawn.",
        "Update the assembly in the CAD system and save it again.",
        "A revolute mate with an angle of 30° on parts drawn at 0°.",
    ),
    "CB1310": Entry(
        Severity.INFO,
        "mates that are listed twice",
        "The exporter writes a mate once for each of its components; of mates alike in every number one is kept.",
        "Nothing need be done.",
        "Concentric1 once with the shaft and once with the hub.",
    ),
    "CB1311": Entry(
        Severity.WARNING,
        "a distance or an angle that may be a limit mate",
        "This version of the exporter writes limit mates as plain ones, without value or range. To lock it could "
        "change the motion, so it is left out.",
        "Export again with a newer version, or write the mate or the limit in a mates file beside the source.",
        "A limit distance of 0 to 50 mm arrives as a distance of 20 mm.",
    ),
    "CB1312": Entry(
        Severity.WARNING,
        "held by mates that are not in the file",
        "The component is mated to the assembly's own planes, and the exporter does not say how; it is not grounded "
        "here.",
        "Name it under `ground` in a mates file beside the source, if it stands still.",
        "A base whose front plane is coincident with the assembly's.",
    ),
    "CB1313": Entry(
        Severity.WARNING,
        "a key given twice",
        "An object of the file has two values of one key; the last one is read, as everywhere.",
        "Export the file again, or remove one of the two.",
        '`{"mass": 1, "mass": 2}`.',
    ),
    "CB1314": Entry(
        Severity.WARNING,
        "a mass that cannot be read",
        "Mass, centre or inertia of the part are missing, no numbers, or computed in the file, which is not "
        "run. The part is read without a mass; mates and freedoms are the same.",
        "Write the numbers into the file, or give the mass in a mates file.",
        "`body_1.SetMass(1.1*c)` in a file that was edited by hand.",
    ),
    "CB1315": Entry(
        Severity.WARNING,
        "a mate that the exporter did not write",
        "The file names the mate in a comment, but holds no link for it: the exporter knows no link of its kind. The "
        "mechanism has more freedom than in CAD, unless it is a limit.",
        "Write the mate, or the limits of the joint, in a mates file beside the source.",
        "A limit mate of SolidWorks (MateLimitDistanceDim) in a file of Chrono::SolidWorks.",
    ),
    "CB1316": Entry(
        Severity.WARNING,
        "shapes in a format of Autodesk's own",
        "Fusion writes bodies as .smt, which Autodesk's programs alone read, beside their STEP form; the STEP files "
        "are not there. The bodies are read without shapes: joints, freedoms and declared masses are the same.",
        "Export each body as STEP from Fusion, under the name that its `step` has in assembly.json, beside that file.",
        "An assembly of the Fusion 360 Gallery of which only assembly.json and the .smt files were copied.",
    ),
    "CB1317": Entry(
        Severity.WARNING,
        "a body without a place",
        "The file gives no position for a body that has a mass. Chrono puts such a body at the origin, and so does "
        "cadbridge; a misspelt call looks the same.",
        "Check that the body belongs at the origin; else write `body.SetPos(...)` into the file.",
        "A body of which the line with SetPos was lost when the file was edited.",
    ),
}

FAMILIES = (Family("cad-json", "Onshape, Fusion, sw2robot, Chrono", Stage.READING, ENTRIES, errors_leave_out=True),)
