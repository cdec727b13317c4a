"""Codes: The mates file."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO

ENTRIES: dict[str, Entry] = {
    "CB140": Entry(
        _ERROR,
        "the mates file is not YAML",
        "The text breaks the rules of YAML at the given place. What follows it was not read.",
        "Correct the given place. The usual causes are indentation, a missing quote or an unclosed bracket.",
        "`- {name: A, type: insert` without its closing brace.",
    ),
    "CB141": Entry(
        _ERROR,
        "a mates file without its format",
        "The first key must be `format: cadbridge.mates/1`. It prevents a file of another kind, or of a later "
        "version, from being misread.",
        "Write `format: cadbridge.mates/1` at the top.",
        "A mates file that begins with `mates:`.",
    ),
    "CB142": Entry(
        _ERROR,
        "YAML that contains itself or grows without bound",
        "Anchors and aliases make the content endless or enormous, or the nesting is deeper than any mates file needs.",
        "Write the content out instead of repeating it by anchors.",
        "a: &a [*a]",
    ),
    "CB143": Entry(
        _ERROR,
        "a duplicate key, or a key that is not text",
        "Two equal keys contradict each other, and keys are names. cadbridge ignores the later one.",
        "Write each key once. Put names that look like numbers in quotes.",
        "`offset: 2` and, in the same mate, `offset: 3`.",
    ),
    "CB144": Entry(
        _ERROR,
        "an unknown key",
        "The key does not exist here. It is probably misspelt, so cadbridge skips the item that contains it.",
        "See docs/mates-file.md for the keys of each item.",
        "ofset: 3  (offset was meant)",
    ),
    "CB145": Entry(
        _ERROR,
        "an invalid value",
        "The value is missing, has the wrong type, is not finite or is out of range. cadbridge skips the item "
        "that contains it.",
        "Write the value as docs/mates-file.md describes it.",
        "`offset: two` where a number is needed.",
    ),
    "CB146": Entry(
        _ERROR,
        "a component or part that the source does not have",
        "The mates file names a component or part that the source does not have, or a short name that several "
        "share. cadbridge skips the item that names it.",
        "Correct the name; `cadbridge inspect` lists all of them.",
        "`component: Trolly` where the source has a Trolley.",
    ),
    "CB147": Entry(
        _ERROR,
        "a face that is not found",
        "No face, or more than one, matches the name or selector. cadbridge skips the mate.",
        "List the faces with `cadbridge inspect SOURCE --faces PART`.",
        '`face: ">Z"` of a part with two faces at the same height.',
    ),
    "CB148": Entry(
        _ERROR,
        "a feature that the face does not have",
        "Only cylinders, cones and tori have an axis, only planes a normal, and only spheres a centre. cadbridge "
        "skips the mate.",
        "Choose another face, or write point and axis (or normal) as numbers.",
        "`axis` of a flat face.",
    ),
    "CB149": Entry(
        _ERROR,
        "impossible gear values",
        "Teeth, ratio, radii or angles contradict each other, are out of range or are missing, or no mate of a coupled "
        "joint says about or along what it moves. cadbridge skips the gear.",
        "Write the value that the message names within its bounds. Of teeth (whole numbers above 0), ratio and radii "
        "one is enough.",
        "teeth: [17, 51] with ratio: 2.5",
    ),
    "CB151": Entry(
        _WARNING,
        "a pattern that matches nothing",
        "No name in the source matches the pattern, so the line has no effect.",
        "List the names with `cadbridge inspect`. `*` and `?` are wildcards, and case matters.",
        '`{parts: "Bolt*", to: Base}` in a source whose screws are named DIN912.',
    ),
    "CB152": Entry(
        _ERROR,
        "an unknown material",
        "Neither the mates file nor the built-in table has this material, so the density stays unknown.",
        "Define it under `materials:` with its density, or use one of the nearest names.",
        "`material: unobtainium`.",
    ),
    "CB153": Entry(
        _INFO,
        "an unmated part attached",
        "The part has no mates. cadbridge attached it to the component named, so it moves with that component.",
        "If it belongs elsewhere, attach it by name: `attach: [{parts: NAME, to: COMPONENT}]`.",
        "A bolt in a hole of the base moves with the base.",
    ),
    "CB154": Entry(
        _WARNING,
        "an unmated part without contact",
        "The part has no mates, and no component touches it within the contact tolerance. It stays free.",
        "Attach it by name, or give it mates.",
        "A sign that hangs 5 mm off the wall.",
    ),
    "CB155": Entry(
        _ERROR,
        "a mate or joint that does not exist",
        "No mate or joint has this name. cadbridge skips the item that refers to it.",
        "Use one of the nearest names given.",
        "`joint: A7` of a robot with six axes.",
    ),
    "CB156": Entry(
        _WARNING,
        "an unknown material in the source",
        "The source names a material for the part but no density, and the built-in table does not have the material.",
        "Define it under `materials:` in the mates file, or give a density by pattern or --density.",
        "`EN AW-6082 T6 anodised` beside no density.",
    ),
    "CB157": Entry(
        _ERROR,
        "a mate between a component and itself",
        "Both features belong to one rigid component, so the mate constrains nothing. cadbridge skips it.",
        "Name the other component, or make the sub-assembly flexible.",
        "A gear between two wheels on one shaft.",
    ),
    "CB158": Entry(
        _ERROR,
        "a sub-assembly that cannot be made flexible or rigid",
        "The source has no sub-assembly of this name.",
        "Write the path of the sub-assembly as `cadbridge inspect` shows it.",
        "`flexible: [Gripper]` where the sub-assembly is named Gripper_v2.",
    ),
    "CB159": Entry(
        _WARNING,
        "a joint value with an ambiguous unit",
        "The joint is neither revolute nor prismatic, so cadbridge uses the value unchanged (rad or m).",
        "Write `type: revolute` or `type: prismatic` for the joint under `joints:`.",
        "`home: {Lift: 30}` of a cylindrical joint.",
    ),
    "CB785": Entry(
        _WARNING,
        "nothing to leave out",
        "`leave_out` names a mate or gear that neither the source nor the mates file has. cadbridge ignores the line.",
        "Delete the line, or correct the name: `cadbridge inspect SOURCE` lists the mates.",
        "`leave_out: [Insert:7]` after the mate was renamed.",
    ),
    "CB786": Entry(
        _WARNING,
        "a mate or coupling that the source has already",
        "The mates file lays its mates and gears beside those of the source. Both of one name hold between the same "
        "components or joints: the equations repeat each other, and damping, friction, springs and rotor inertias add "
        "up; couplings of unequal ratios lock each other.",
        "Delete the mate or gear in the mates file, or lay the file over a source of the same parts without mates, "
        "such as STEP. To change a joint of the source, name it under `overrides`.",
        "A mates file that was exported from a URDF, laid over that URDF.",
    ),
    "CB1471": Entry(
        _WARNING,
        "two values for attached components",
        "`attach` makes one rigid component of two, which can have one given mass and one share of gravity "
        "compensation. The message says which value now holds for both, and which is dropped.",
        "Give the masses of their parts, or one mass for both, in the mates file.",
        "`attach: [{to: arm, components: [motor]}]` beside a mass given for the arm and one for the motor.",
    ),
    "CB1473": Entry(
        _WARNING,
        "an attachment that changes nothing",
        "An earlier line of `attach` gave the part to a component already, or the line attaches it to itself or to a "
        "part of its own. The earlier line holds: a part listed under two components does not join these.",
        "Delete the line; if the part belongs to the component of this line, delete the earlier one instead. To make "
        "one body of two components, attach the one to the other by its own name.",
        "`attach: [{parts: Pin, to: Hub}, {parts: Pin, to: Arm}]`.",
    ),
    "CB1472": Entry(
        _WARNING,
        "a density of a part that declares a mass",
        "The source declares a mass for the part, and that mass is used: the density of the mates file does not "
        "change it.",
        "To weigh all parts by their shapes and densities, pass --mass from-mesh. Otherwise give the part's mass under "
        "`mass:` in the mates file, or narrow the pattern of the density to parts without a mass.",
        '`density: [{parts: "*", density: 2700}]` beside a URDF, whose links have their own masses.',
    ),
}

FAMILIES = (Family("mates-file", "the mates file", Stage.READING, ENTRIES, errors_leave_out=True),)
