"""Codes CB100–CB119, reading in general."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB100": Entry(
        Severity.ERROR,
        "the file cannot be opened",
        "The source does not exist, is a folder, or may not be read.",
        "Check the path and its permissions.",
        "`cadbridge check robot.step` in a folder that holds robot.STEP only.",
    ),
    "CB101": Entry(
        Severity.ERROR,
        "no reader takes this file",
        "Neither the ending of the name nor the first bytes fit a format that cadbridge reads.",
        "Give a file of one of the formats in docs/formats.md.",
        "`cadbridge check arm.sldasm`: save it as STEP, or export it for Simscape Multibody.",
    ),
    "CB102": Entry(
        Severity.ERROR,
        "a path leads outside the folder of the source",
        "Files may name others only inside their own folder (or the package folders given); "
        "anything else could read what the author of the file must not see.",
        "Put the referenced file beside the source, or name its folder with --package-dir.",
        'A URDF with `<mesh filename="../../secret.stl"/>`.',
    ),
    "CB103": Entry(
        Severity.ERROR,
        "XML with entities or a document type",
        "Entity declarations can make a small file expand without bound or read other files; "
        "no format read here needs them.",
        "Remove the DOCTYPE and the entities from the file.",
        '`<!DOCTYPE robot [<!ENTITY a "…">]>` at the top of a URDF.',
    ),
    "CB104": Entry(
        Severity.ERROR,
        "the XML is not well-formed",
        "The parser stopped at the place given; nothing after it was read.",
        "Export the file again, or correct the place given.",
        '`<link name="arm">` without its `</link>`.',
    ),
    "CB105": Entry(
        Severity.WARNING,
        "the size makes the unit doubtful",
        "The model is larger than 200 m or smaller than 0.1 mm across: most often a unit was "
        "misread (millimetres taken for metres).",
        "Check the unit in the file; override it with `units:` in the mates file or --units.",
        "A model drawn in mm and read as m is a thousand times as large: a robot of 1,500 m.",
    ),
    "CB106": Entry(
        Severity.ERROR,
        "a referenced file is missing",
        "The source names a file that is not there, so its content is missing from the mechanism.",
        "Put the file where the source expects it.",
        "A FreeCAD assembly with a link into another document, which was not copied along.",
    ),
    "CB107": Entry(
        Severity.WARNING,
        "duplicate names",
        "Two instances, mates or joints have the same name. The later ones got a number, so every name is unique.",
        "Rename one of them in the CAD system.",
        "Two instances named screw: the second is read as screw (2).",
    ),
    "CB108": Entry(
        Severity.ERROR,
        "the file is too large",
        "The file is larger than cadbridge reads of this format.",
        "Split it, or check that it is what you think.",
        "A log of 30 GB that was renamed to robot.urdf.",
    ),
    "CB109": Entry(
        Severity.ERROR,
        "values outside the plausible range",
        "A length, mass, limit or ratio is not finite or beyond 1e15 in SI; nothing can be computed with it.",
        "Correct the number in the file, or export it again.",
        "A joint limit of 1e308 rad, or a mass of infinity.",
    ),
    "CB110": Entry(
        Severity.ERROR,
        "two STEP entities of one number",
        "References to the number can mean either of the two, and OCCT may look for the right one without end.",
        "Export the file again; if it was edited by hand, give the later entity a number of its own.",
        "`#12=CARTESIAN_POINT(…);` and, further down, `#12=DIRECTION(…);`.",
    ),
    "CB111": Entry(
        Severity.ERROR,
        "a text in a STEP file that is not closed",
        "A quote opens a text and the statement ends before another closes it, so the statements after it "
        "cannot be separated; the geometry kernel may work on such a file without end.",
        "Close the text at the line given, or export the file again.",
        "`#12 = PRODUCT('Arm, '', '', (#3));`",
    ),
    "CB112": Entry(
        Severity.WARNING,
        "the file of a shape is missing",
        "The source names a file that holds the shape of a part, and it is not there. The part is read without it: "
        "mates, freedoms and the masses that the source declares are the same. What needs the shape (weighing, "
        "pictures, meshes for another program) does without it and reports that.",
        "Put the file where the source expects it.",
        '`<mesh filename="meshes/arm.stl"/>` where the folder meshes was not copied along.',
    ),
    "CB114": Entry(
        Severity.INFO,
        "a shape found beside the source",
        "No package of that name is known, but the same path below the source's folder, or the folder above, leads to "
        "a mesh, which is taken.",
        "Name the package's folder with --package-dir if another file is meant.",
        "`package://arm/meshes/base.stl` of robot/urdf/arm.urdf, found at robot/meshes/base.stl.",
    ),
    "CB115": Entry(
        Severity.WARNING,
        "XML that is not quite well-formed",
        "The text breaks a rule of XML that the programs of its format let pass: a version that does not exist, lines "
        "before the declaration, -- within a comment, a prefix that is not declared. It is read as they read it.",
        "Correct it as the message says: other programs refuse such a file.",
        '`<?xml version="0.0"?>`.',
    ),
    "CB113": Entry(
        Severity.WARNING,
        "an option that has no effect on this format",
        "An option of reading was given that the reader of this format does not use, so the model is as it would be "
        "without it. A URDF, for example, is in metres by definition.",
        "Leave the option out; if the lengths of the file are wrong, correct them in the program that wrote it.",
        "`cadbridge check arm.urdf --units mm`.",
    ),
    "CB116": Entry(
        Severity.ERROR,
        "a cadbridge.toml that cannot be used",
        "The file cadbridge.toml beside the source, or in the current folder, is no TOML, has an unknown key or a "
        "value of the wrong kind. Its options would change the model, so nothing is read.",
        "Correct the line given. The keys are density, material, mass, units, package_dirs, floating, arguments, "
        "recognise, select and ignore (docs/config.md).",
        "`densty = 2700` in cadbridge.toml.",
    ),
}

FAMILIES = (Family("general", "any file", Stage.READING, ENTRIES, errors_leave_out=True),)
