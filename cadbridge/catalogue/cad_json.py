"""Codes: Assemblies that CAD systems save as JSON (Onshape, Fusion, sw2robot) or Python (Chrono)."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB1303": Entry(
        Severity.ERROR,
        "an unsupported mate",
        "The kind of mate is unknown, its geometry is missing, or it refers to the frame of a flexible "
        "sub-assembly in which nothing is fixed. cadbridge skips it.",
        "Write the mate in a mates file beside the source.",
        "A tangent mate between two freeform faces.",
    ),
    "CB1306": Entry(
        Severity.WARNING,
        "a part without geometry",
        "The geometry file beside the source has no part of that name and placement, so the part has neither "
        "shape nor volume.",
        "Export the geometry from the same assembly, in the same position.",
        "assembly.step was exported before the part was added.",
    ),
    "CB1307": Entry(
        Severity.INFO,
        "two features read as one mate",
        "A screw relation and its cylindrical mate become one screw joint with the name of the mate.",
        "No action is needed.",
        "Screw 1 between the cylindrical mates of nut and spindle.",
    ),
    "CB1309": Entry(
        Severity.WARNING,
        "a drawn position that contradicts the mate",
        "The frames of a joint do not meet as the offset and angle of the mate require. cadbridge keeps the "
        "drawn position as the reference of the joint.",
        "Update the assembly in the CAD system and save it again.",
        "A revolute mate with an angle of 30° on parts drawn at 0°.",
    ),
    "CB1310": Entry(
        Severity.INFO,
        "duplicate mates",
        "The exporter writes a mate once for each of its components. cadbridge keeps one of several identical mates.",
        "No action is needed.",
        "Concentric1 once with the shaft and once with the hub.",
    ),
    "CB1311": Entry(
        Severity.WARNING,
        "a possible limit mate",
        "This version of the exporter writes limit mates as plain ones, without value or range. Locking the mate "
        "could change the motion, so cadbridge skips it.",
        "Export again with a newer version, or write the mate or the limit in a mates file beside the source.",
        "A limit distance of 0 to 50 mm arrives as a distance of 20 mm.",
    ),
    "CB1312": Entry(
        Severity.WARNING,
        "a component mated to the assembly's planes",
        "The component is mated to planes of the assembly itself, and the exporter does not write how. cadbridge "
        "does not ground it.",
        "If the component is fixed, list it under `ground` in a mates file beside the source.",
        "A base whose front plane is coincident with the assembly's.",
    ),
    "CB1313": Entry(
        Severity.WARNING,
        "a duplicate key",
        "An object of the file has two values for one key. cadbridge reads the last one, as JSON parsers do.",
        "Remove one of the two, or export the file again.",
        '`{"mass": 1, "mass": 2}`.',
    ),
    "CB1314": Entry(
        Severity.WARNING,
        "a mass that cannot be read",
        "Mass, centre or inertia of the part are missing, are not numbers, or are computed by code in the file, "
        "which cadbridge does not run. The part has no mass; mates and freedoms are unaffected.",
        "Write the numbers into the file, or give the mass in a mates file.",
        "`body_1.SetMass(1.1*c)` in a file that was edited by hand.",
    ),
    "CB1315": Entry(
        Severity.WARNING,
        "a mate missing from the export",
        "The file names the mate in a comment but has no link for it, because the exporter does not support its "
        "kind. The mechanism has more freedom than in CAD, unless it is a limit.",
        "Write the mate, or the limits of the joint, in a mates file beside the source.",
        "A limit mate of SolidWorks (MateLimitDistanceDim) in a file of Chrono::SolidWorks.",
    ),
    "CB1316": Entry(
        Severity.WARNING,
        "shapes in a proprietary format",
        "Fusion writes bodies as .smt, which only Autodesk programs read, and as STEP. The STEP files are "
        "missing. The bodies have no shapes; joints, freedoms and declared masses are unaffected.",
        "Export each body as STEP from Fusion, under the name that its `step` has in assembly.json, beside that file.",
        "An assembly of the Fusion 360 Gallery of which only assembly.json and the .smt files were copied.",
    ),
    "CB1317": Entry(
        Severity.WARNING,
        "a body without a position",
        "The file gives no position for a body that has a mass. Chrono puts such a body at the origin, and so "
        "does cadbridge. A misspelt call has the same effect.",
        "Check that the body belongs at the origin. Otherwise add `body.SetPos(...)` to the file.",
        "The line with SetPos was lost when the file was edited.",
    ),
    "CB1318": Entry(
        Severity.WARNING,
        "two links of one mate that contradict each other",
        "Chrono::SolidWorks writes some mates as two links: one holds a point, the other a direction. Here the second "
        "is between other bodies, or along another direction, than the first.",
        "Export the assembly again, or correct the second link.",
        "A concentric mate whose second link was edited by hand.",
    ),
    "CB1319": Entry(
        Severity.WARNING,
        "a key that is probably misspelt",
        "cadbridge does not know this key, so its value has no effect. The object lacks a key of nearly the same name, "
        "which cadbridge looked for: probably a misspelling.",
        "Correct the key.",
        "`fixd: true` of a component, which is therefore not fixed.",
    ),
}

FAMILIES = (Family("cad-json", "Onshape, Fusion, sw2robot, Chrono", Stage.READING, ENTRIES, errors_leave_out=True),)
