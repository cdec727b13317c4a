"""Codes: Reading in general: faults that any format can have."""

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
        "Two parts, occurrences, mates or joints have the same name. cadbridge numbers the later ones, so that every "
        "name is one item's; with other items before it, an item may get another number.",
        "Give one of them another name in the source. Until then write the names as the findings and tables have them.",
        "Two instances named screw: the second becomes screw (2).",
    ),
    "CB108": Entry(
        Severity.ERROR,
        "the file is too large",
        "The file exceeds the size limit of its format, or expands to more data than a machine can hold.",
        "Check that this is the file you mean. If it is, split it, or use the option that the message names.",
        "A log of 30 GB that was renamed to robot.urdf.",
    ),
    "CB109": Entry(
        Severity.ERROR,
        "values outside the plausible range",
        "A length, mass, limit or ratio is not finite, or reaches the bound that the message names (1e15 in SI units). "
        "What is computed from such a number is noise.",
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
        "an unterminated string or comment in a STEP file",
        "A quote opens a string, and the statement ends before another quote closes it; or /* begins a comment, and no "
        "*/ ends it. The statements after it cannot be separated, and the geometry kernel may not terminate on such a "
        "file.",
        "Close the string or comment at the given line, or export the file again.",
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
        "lines before the declaration, -- within a comment, no blank between attributes, an undeclared prefix. "
        "cadbridge reads it as they do.",
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
    "CB117": Entry(
        Severity.WARNING,
        "a --package-dir that opens too much",
        "A source may name files in the folders that --package-dir gives. This one is your home folder, contains it, "
        "or is a top-level folder of the disk. A source from a stranger could copy text files from there into names, "
        "and so into files that you pass on.",
        "Name the folders of the packages themselves.",
        "`--package-dir ~` for a robot whose meshes lie in ~/ws/src/robot.",
    ),
    "CB116": Entry(
        Severity.ERROR,
        "an invalid cadbridge.toml",
        "The file cadbridge.toml beside the source, or in the current folder, is not TOML, has an unknown key, "
        "or has a value of the wrong type. Its options would change the model, so nothing was read.",
        "Correct the given line. docs/config.md lists the keys and their values.",
        "`densty = 2700` in cadbridge.toml.",
    ),
    "CB180": Entry(
        Severity.ERROR,
        "not a file of this format",
        "The file does not begin as files of its format do, or it lacks what every model of the format has: the root"
        " element, links, parts.",
        "Check what the file is; save or export it again in the format that its ending names.",
        "An SDF file renamed to arm.urdf; a picture renamed to robot.step.",
        formerly=(
            "CB1300",
            "CB1220",
            "CB1200",
            "CB1900",
            "CB1420",
            "CB160",
            "CB120",
        ),
    ),
    "CB181": Entry(
        Severity.ERROR,
        "a value that cannot be read",
        "A name or number is missing, has another type, is not finite, or the count of numbers is wrong. cadbridge "
        "skips the element that needs it.",
        "Correct the value at the given place, or save the file again.",
        '`<origin xyz="0 0"/>` has two numbers instead of three.',
        formerly=(
            "CB1301",
            "CB1225",
            "CB1202",
            "CB1421",
            "CB161",
        ),
    ),
    "CB162": Entry(
        Severity.ERROR,
        "a reference without its target",
        "A joint, mate, link or instance names something that the file does not have, or that is suppressed.",
        "Correct the name, or restore what it names, and save the file again.",
        "A mate of instance leg3, which was suppressed during the export.",
        formerly=(
            "CB1302",
            "CB1226",
            "CB1203",
        ),
    ),
    "CB168": Entry(
        Severity.INFO,
        "a mate within one rigid component",
        "Both sides belong to one rigid component, so the mate has no effect. cadbridge skips it.",
        "If the parts move, make the sub-assembly flexible in the CAD system or in a mates file.",
        "A coincident mate between two parts of a rigid gripper.",
        formerly=(
            "CB1308",
            "CB1230",
            "CB1211",
        ),
    ),
    "CB193": Entry(
        Severity.WARNING,
        "geometry without a shape",
        "The file of the shape cannot be read or has no solid, or this kind of geometry (a plane, a height field) "
        "has no closed surface. The part has no shape.",
        "Correct what the message says of the file, or use another mesh or solid, a box, a cylinder or a sphere. No "
        "action is needed if masses are declared.",
        '`<geom type="plane"/>` as the floor; an empty bracket.STEP beside the XML.',
        formerly=(
            "CB1407",
            "CB1428",
            "CB167",
        ),
    ),
    "CB163": Entry(
        Severity.WARNING,
        "a part without mass",
        "The file gives the part a mass of zero. cadbridge takes the mass as unknown.",
        "Assign a material in CAD, or give a density or mass in the mates file. Fully driven motion needs no masses.",
        "A part without a material in SolidWorks.",
        formerly=("CB1205",),
    ),
    "CB187": Entry(
        Severity.ERROR,
        "an unknown joint type",
        "The format does not have this joint type, or cadbridge does not read it. It skips the joint, so its bodies "
        "move more freely than intended.",
        "Use one of the types that the message names, or write the joint in a mates file beside the source.",
        '`<joint type="gear_train">`.',
        formerly=("CB1429",),
    ),
    "CB1923": Entry(
        Severity.WARNING,
        "numbers with quotes or commas between them",
        "The format separates numbers with blanks. cadbridge ignores the quotes and commas.",
        "Separate the numbers with blanks.",
        "`<pose>0, 0, 1, 0, 0, 0</pose>`.",
        formerly=("CB1430",),
    ),
    "CB1304": Entry(
        Severity.INFO,
        "a suppressed or inactive feature",
        "The feature is switched off in the file, so cadbridge does not read it.",
        'If it belongs to the mechanism, switch it on in the CAD system (in MJCF: active="true").',
        "A mate that was suppressed for a test.",
        formerly=(
            "CB1229",
            "CB1408",
        ),
    ),
    "CB133": Entry(
        Severity.ERROR,
        "a placement that is not rigid",
        "The nine numbers of the rotation are not orthonormal: the placement shears, mirrors or scales. cadbridge "
        "uses the nearest rotation, or leaves out what it places, as the message says.",
        "Correct the placement in the CAD system and save the file again.",
        "A placement that shears a cube into a rhomboid.",
        formerly=(
            "CB166",
            "CB1207",
        ),
    ),
    "CB1320": Entry(
        Severity.WARNING,
        "a colour that is none",
        "A colour is four numbers from 0 to 1: red, green, blue and opacity. Numbers beyond are taken as 0 or 1; "
        "what holds no such numbers is left out. Masses and motion do not depend on it.",
        "Write four numbers from 0 to 1; divide those from 0 to 255 by 255.",
        '`<color rgba="255 128 0 1"/>`',
    ),
    "CB1305": Entry(
        Severity.WARNING,
        "limits, drives or friction without a coordinate",
        "A joint of several freedoms has no range, drive or dry friction in cadbridge, and a joint has one maximum "
        "effort for both directions. cadbridge omits the item named, or reads it as the message says; a run holds no "
        "range of such a joint.",
        "No action is needed unless the motion reaches the range. A range needs single hinges and slides, with a light "
        "part between those of one joint; a drive or friction can be put into a mates file or the scenario.",
        "A ball joint with a range; a cylindrical mate with limits of its turn and of its travel.",
        formerly=(
            "CB1232",
            "CB784",
            "CB1402",
            "CB1445",
        ),
    ),
    "CB138": Entry(
        Severity.ERROR,
        "too many instances or objects",
        "The file expands to more instances, copies or objects than cadbridge reads. A product that contains itself "
        "several times on each level grows without bound.",
        "Check the product structure and the counts of arrays, or split the assembly.",
        "A link array of a billion elements.",
        formerly=("CB1227",),
    ),
    "CB190": Entry(
        Severity.INFO,
        "ignored elements",
        "The elements do not affect the motion of the mechanism, or they are extensions of other programs.",
        "No action is needed.",
        'Cameras, lights, sensors, plugins; `<gazebo reference="arm">` with colours.',
        formerly=(
            "CB1427",
            "CB1447",
        ),
    ),
}

FAMILIES = (Family("general", "any file", Stage.READING, ENTRIES, errors_leave_out=True),)
