"""Codes CB140–CB159, the mates file."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO

ENTRIES: dict[str, Entry] = {
    "CB140": Entry(
        _ERROR,
        "the mates file is not YAML",
        "The text breaks YAML's own rules at the place given; what follows it could not be read.",
        "Correct the place given: most often an indentation, a missing quote or an unclosed bracket.",
        "`- {name: A, type: insert` without its closing brace.",
    ),
    "CB141": Entry(
        _ERROR,
        "the mates file does not say its format",
        "The first key must be `format: cadbridge.mates/1`, so that a file of another kind or of a "
        "later form is never read by guessing.",
        "Write `format: cadbridge.mates/1` at the top.",
        "A mates file that begins with `mates:`.",
    ),
    "CB142": Entry(
        _ERROR,
        "YAML that contains itself, or grows without bound",
        "Anchors and aliases make the content endless or enormous, or the nesting is deeper than any mates file needs.",
        "Write the content out instead of repeating it by anchors.",
        "a: &a [*a]",
    ),
    "CB143": Entry(
        _ERROR,
        "a key given twice, or one that is not text",
        "Of two equal keys one would silently win, and keys are names; the later one is left out.",
        "Give each key once; put names that look like numbers in quotes.",
        "`offset: 2` and, in the same mate, `offset: 3`.",
    ),
    "CB144": Entry(
        _ERROR,
        "a key that has no meaning here",
        "Keys that nobody reads are most often misspelt; what holds the key is left out.",
        "See docs/mates-file.md for the keys of each item.",
        "ofset: 3  (offset was meant)",
    ),
    "CB145": Entry(
        _ERROR,
        "a value of the wrong kind",
        "A value is missing, of another type, not a finite number, or out of its range; the item that "
        "holds it is left out.",
        "Give the value as docs/mates-file.md describes it.",
        "`offset: two` where a number is needed.",
    ),
    "CB146": Entry(
        _ERROR,
        "a component or part that the source does not have",
        "The mates file names something that is not in the source, or a last name that several share; "
        "the item that names it is left out.",
        "Use one of the nearest names given, or list all with `cadbridge inspect`.",
        "`component: Trolly` where the source has a Trolley.",
    ),
    "CB147": Entry(
        _ERROR,
        "a face that cannot be found",
        "No face, or more than one, answers to the name or selector; the mate is left out.",
        "List the faces with `cadbridge inspect SOURCE --faces PART`.",
        '`face: ">Z"` of a part with two faces at the same height.',
    ),
    "CB148": Entry(
        _ERROR,
        "a feature that the face does not have",
        "Only cylinders, cones and tori have an axis, only planes a normal, only spheres a centre; "
        "the requested item does not exist, and nothing replaces it.",
        "Take another face, or give point and axis (or normal) in numbers.",
        "`axis` of a flat face.",
    ),
    "CB149": Entry(
        _ERROR,
        "gear numbers that cannot be",
        "Teeth, ratio and radii contradict each other, are zero or negative, or are missing; the gear is left out.",
        "Give teeth as whole numbers above 0. Where they are unknown, give a ratio or radii above 0 instead.",
        "teeth: [17, 51] with ratio: 2.5",
    ),
    "CB151": Entry(
        _WARNING,
        "a pattern that fits nothing",
        "Nothing in the source has a name that the pattern describes, so the line does nothing.",
        "List the names with `cadbridge inspect`; `*` and `?` are wildcards, capitals matter.",
        '`{parts: "Bolt*", to: Base}` in a source whose screws are named DIN912.',
    ),
    "CB152": Entry(
        _ERROR,
        "an unknown material",
        "The material is neither in the mates file nor in the built-in table, so the density stays unknown.",
        "Define it under `materials:` with its density, or use one of the nearest names.",
        "`material: unobtainium`.",
    ),
    "CB153": Entry(
        _INFO,
        "a loose part attached",
        "A part without mates was made one with the component named, so that it moves with it.",
        "If it belongs elsewhere, attach it by name: `attach: [{parts: NAME, to: COMPONENT}]`.",
        "A bolt in a hole of the base moves with the base.",
    ),
    "CB154": Entry(
        _WARNING,
        "a loose part that touches nothing",
        "The part has no mates, and no component is within the tolerance of contact; it stays free.",
        "Attach it by name, or give it mates.",
        "A sign that hangs 5 mm off the wall.",
    ),
    "CB155": Entry(
        _ERROR,
        "a mate or joint that does not exist",
        "The item refers to a mate or joint by a name that nothing bears; the item is left out.",
        "Use one of the nearest names given.",
        "`joint: A7` of a robot with six axes.",
    ),
    "CB156": Entry(
        _WARNING,
        "a material of the source is not in the table",
        "The source names a material for the part but no density, and the table does not know the name.",
        "Define it under `materials:` in the mates file, or give a density by pattern or --density.",
        "`EN AW-6082 T6 anodised` beside no density.",
    ),
    "CB157": Entry(
        _ERROR,
        "a mate of a component with itself",
        "Both features are on one rigid component, so the mate could hold nothing; it is left out.",
        "Name the other component, or make the sub-assembly flexible.",
        "A gear between two wheels on one shaft.",
    ),
    "CB158": Entry(
        _ERROR,
        "a sub-assembly that cannot be made flexible or rigid",
        "The name is not that of a sub-assembly of the source.",
        "Name a sub-assembly by its path, as `cadbridge inspect` shows it.",
        "`flexible: [Gripper]` where the sub-assembly is named Gripper_v2.",
    ),
    "CB159": Entry(
        _WARNING,
        "a joint value whose unit is open",
        "The joint type is unknown (revolute or prismatic), so the value was taken unchanged (rad or m).",
        "Say `type: revolute` or `type: prismatic` for the joint under `joints:`.",
        "`home: {Lift: 30}` of a cylindrical joint.",
    ),
}

FAMILIES = (Family("mates-file", "the mates file", Stage.READING, ENTRIES, errors_leave_out=True),)
