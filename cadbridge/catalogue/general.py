"""Codes CB100–CB119 and CB1438, reading in general."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB100": Entry(
        Severity.ERROR,
        "the file cannot be opened",
        "The source does not exist, is a folder, or cannot be read with your permissions.",
        "Check the path and its permissions.",
        "`cadbridge check robot.step` in a folder that holds robot.STEP only.",
    ),
    "CB101": Entry(
        Severity.ERROR,
        "no reader for this file",
        "Neither the file extension nor the first bytes match a format that cadbridge reads.",
        "Use a file in one of the formats that docs/formats.md lists.",
        "`cadbridge check arm.sldasm`: save it as STEP, or export it for Simscape Multibody.",
    ),
    "CB102": Entry(
        Severity.ERROR,
        "a path leads outside the folder of the source",
        "Files may refer to others only inside their own folder (or the package folders that you name); shapes also "
        "in the repository or the three folders above. Anything else could read files that the author of the source "
        "must not see.",
        "Move the referenced file beside the source, or name its folder with --package-dir.",
        'An MJCF with `<include file="/home/me/notes.xml"/>`.',
    ),
    "CB1438": Entry(
        Severity.WARNING,
        "a shape file outside the source's folder",
        "Files may refer to others only inside their own folder (or the package folders that you name), and to "
        "shapes also in the repository or the three folders above. The part has no shape; with declared masses its "
        "motion is unaffected.",
        "Copy the mesh beside the source, or name its folder with --package-dir.",
        'A URDF with `<mesh filename="/home/me/arm.stl"/>`.',
    ),
    "CB103": Entry(
        Severity.ERROR,
        "XML with entities or a document type",
        "Entity declarations can make a small file expand without bound, or read other files. No format that "
        "cadbridge reads needs them.",
        "Remove the DOCTYPE and the entities from the file.",
        '`<!DOCTYPE robot [<!ENTITY a "…">]>` at the top of a URDF.',
    ),
    "CB104": Entry(
        Severity.ERROR,
        "the XML is not well-formed",
        "The parser stopped at the given line. Nothing after it was read.",
        "Correct the given line, or export the file again.",
        '`<link name="arm">` without its `</link>`.',
    ),
    "CB105": Entry(
        Severity.WARNING,
        "the size makes the unit doubtful",
        "The model is larger than 200 m or smaller than 0.1 mm across. The usual cause is a misread unit: "
        "millimetres read as metres.",
        "Check the unit in the file; override it with `units:` in the mates file or --units.",
        "A model drawn in mm and read as m is a thousand times as large: a robot of 1,500 m.",
    ),
    "CB106": Entry(
        Severity.ERROR,
        "a referenced file is missing",
        "The source refers to a file that does not exist. Its content is missing from the mechanism.",
        "Copy the file to where the source expects it.",
        "A FreeCAD assembly with a link into another document that was not copied with it.",
    ),
    "CB107": Entry(
        Severity.WARNING,
        "duplicate names",
        "Two instances, mates or joints have the same name. cadbridge numbers the later ones, so every name is unique.",
        "Rename one of them in the CAD system.",
        "Two instances named screw: the second becomes screw (2).",
    ),
    "CB108": Entry(
        Severity.ERROR,
        "the file is too large",
        "The file exceeds the size limit of its format.",
        "Check that this is the file you mean. Split it if it is.",
        "A log of 30 GB that was renamed to robot.urdf.",
    ),
    "CB109": Entry(
        Severity.ERROR,
        "values outside the plausible range",
        "A length, mass, limit or ratio is not finite or exceeds 1e15 in SI units. Nothing can be computed with it.",
        "Correct the number in the file, or export it again.",
        "A joint limit of 1e308 rad, or a mass of infinity.",
    ),
    "CB110": Entry(
        Severity.ERROR,
        "two STEP entities with one number",
        "References to this number are ambiguous, and OCCT may search without end.",
        "Export the file again. If it was edited by hand, give the later entity its own number.",
        "`#12=CARTESIAN_POINT(…);` and, further down, `#12=DIRECTION(…);`.",
    ),
    "CB111": Entry(
        Severity.ERROR,
        "an unterminated string in a STEP file",
        "A quote opens a string, and the statement ends before another quote closes it. The statements after it "
        "cannot be separated, and the geometry kernel may not terminate on such a file.",
        "Close the string at the given line, or export the file again.",
        "`#12 = PRODUCT('Arm, '', '', (#3));`",
    ),
    "CB112": Entry(
        Severity.WARNING,
        "a missing shape file",
        "The source refers to a file with the shape of a part, and the file does not exist. The part is read "
        "without a shape. Mates, freedoms and declared masses are unaffected. Weighing, pictures and exported "
        "meshes skip the part and report it.",
        "Copy the file to where the source expects it.",
        '`<mesh filename="meshes/arm.stl"/>` where the folder meshes was not copied along.',
    ),
    "CB114": Entry(
        Severity.INFO,
        "a mesh found beside the source",
        "No package of that name is known. The same path below the source's folder, or the three folders above it, "
        "leads to a mesh, and cadbridge uses that mesh.",
        "If you mean another file, name the package's folder with --package-dir.",
        "`package://arm/meshes/base.stl` of robot/urdf/arm.urdf, found at robot/meshes/base.stl.",
    ),
    "CB115": Entry(
        Severity.WARNING,
        "XML with a tolerated fault",
        "The text breaks a rule of XML that the programs of its format ignore: a version that does not exist, "
        "lines before the declaration, -- within a comment, an undeclared prefix. cadbridge reads it as they do.",
        "Correct what the message names. Other programs may refuse the file.",
        '`<?xml version="0.0"?>`.',
    ),
    "CB113": Entry(
        Severity.ERROR,
        "an option that has no effect on this format",
        "The reader of this format has no use for this option, so the model is not the one that was asked for. A URDF, "
        "for example, is in metres by definition.",
        "Remove the option. If the lengths in the file are wrong, correct them in the program that wrote it.",
        "`cadbridge check arm.urdf --units mm`.",
        leaves_out=True,
    ),
    "CB116": Entry(
        Severity.ERROR,
        "an invalid cadbridge.toml",
        "The file cadbridge.toml beside the source, or in the current folder, is not TOML, has an unknown key, "
        "or has a value of the wrong type. Its options would change the model, so nothing was read.",
        "Correct the given line. The keys are density, material, mass, units, package_dirs, floating, arguments, "
        "recognise, select and ignore (docs/config.md).",
        "`densty = 2700` in cadbridge.toml.",
    ),
}

FAMILIES = (Family("general", "any file", Stage.READING, ENTRIES, errors_leave_out=True),)
