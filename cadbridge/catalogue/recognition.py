"""Codes: Recognition of mates from bare geometry."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB1600": Entry(
        Severity.INFO,
        "bodies and joints recognised from the geometry",
        "cadbridge found these bodies and joints from the shapes and placements of the parts. The file itself does "
        "not contain them.",
        "Check the mates file of `cadbridge recognise`. Each line has its evidence.",
        "`9 bodies and 8 joints recognised in 9 parts`.",
    ),
    "CB1601": Entry(
        Severity.WARNING,
        "uncertain joints and welds",
        "The geometry allows these joints but does not prove them: a shaft without a shoulder, holes without a pin, a "
        "slide that could be a fit. A weld is named if its two parts share an axis about which they could turn, and "
        "the evidence for the weld is weak. The mates file lists the evidence for and against each.",
        "Answer questions beside the picture (`cadbridge view SOURCE --recognise`) or in the terminal (`cadbridge "
        "recognise SOURCE --ask`); or write `joint: [A, B]` or `fixed: [A, B]` under `hints` in the mates file and "
        "recognise again. If a joint does not move, write `type: fixed` on its line (without `pitch` and `limits`); if "
        "you delete the line, its parts float.",
        "A bore in two brackets that meet, with no pin drawn.",
    ),
    "CB1602": Entry(
        Severity.WARNING,
        "parts without contact",
        "These parts, alone or with what is joined to them, neither touch nor overlap the others, so the model lacks "
        "whatever holds them. cadbridge fixes them to the ground where they are.",
        "In the mates file move their lines under `attach` to the part that holds them. They stand under the ground "
        "now; where a part stands under two, the first line holds.",
        "A sensor that floats 2 mm over its bracket.",
    ),
    "CB1603": Entry(
        Severity.WARNING,
        "a part without exact faces",
        "Recognition reads planes, cylinders, cones, spheres and tori of a B-Rep. A mesh has triangles only, and a "
        "part whose shape is missing has none: such a part is joined to what it reaches into, or stays loose.",
        "Use the STEP file instead of a mesh, or write the mates of this part by hand.",
        "A purchased motor that came as STL.",
    ),
    "CB1604": Entry(
        Severity.WARNING,
        "no joint recognised",
        "No two bodies are left with a freedom between them: there is one part only, all parts are fixed to each "
        "other, or parts lack exact faces.",
        "Write the joints by hand in a mates file; `cadbridge inspect SOURCE --faces A B` prints what fits.",
        "A single casting.",
    ),
    "CB1605": Entry(
        Severity.INFO,
        "placements that are not exact",
        "Axes that belong together are not exactly collinear, as they are in assemblies that CAD solved. "
        "cadbridge used a looser tolerance for equal axes.",
        "If the CAD system can export the solved assembly, use that export.",
        "An assembly of scanned or printed parts, placed by hand.",
    ),
    "CB1606": Entry(
        Severity.INFO,
        "a mates file that is ignored",
        "A mates file lies beside the source. With --recognise, cadbridge recognises the mates anew and does not "
        "read it.",
        "To use the mates file, remove --recognise.",
        "`cadbridge check robot.step --recognise` beside robot.mates.yaml.",
    ),
    "CB1487": Entry(
        Severity.WARNING,
        "a part too detailed to look for teeth",
        "The mesh of the part has so many triangles that counting teeth on it would take minutes.",
        "If the part is a gear, write the gear by hand in the mates file. If many bodies were exported as one part, "
        "export them as separate parts.",
        "A grid of 33,000 pins exported as one part.",
    ),
    "CB1607": Entry(
        Severity.WARNING,
        "an uncertain wheel",
        "The part looks like a toothed wheel that reaches between the teeth of another, but its teeth could not be "
        "counted reliably; or the modules or helices of the two do not fit. cadbridge did not create a gear.",
        "Write the gear by hand in the mates file, with the teeth of the drawing.",
        "A pulley with a belt profile that could be a spline.",
    ),
    "CB1608": Entry(
        Severity.INFO,
        "a wheel without a partner",
        "cadbridge counted the teeth of the wheel, and found no other wheel of its module (of teeth of its size) near "
        "enough to mesh with it. The partner may be a belt or chain, may be missing from the file, or may be too far "
        "away in the pose of the file. cadbridge writes no gear for the wheel.",
        "If the wheel drives another, add the gear to the mates file by hand.",
        "The pinion of a motor whose rack was left out of the file.",
    ),
    "CB1609": Entry(
        Severity.WARNING,
        "wheels that mesh without a carrier",
        "Two wheels mesh, but no body carries both: a joint between a wheel and its bearing was not recognised. "
        "The gear is in the mates file, commented out.",
        "Write the hint `joint: [wheel, what holds its axis]` under `hints` in the mates file and recognise again: "
        "the gear follows.",
        "A planet whose pin has no hole in the carrier.",
    ),
    "CB1610": Entry(
        Severity.WARNING,
        "a joint that cannot move",
        "Moved by a degree (or half a millimetre) either way, a part on this joint runs into another at once. "
        "The two may be fixed to each other, the joint may be of another type, or the shapes overlap.",
        "If the two are fixed to each other, write `type: fixed` for the joint in the mates file (without `pitch` "
        "and `limits`); else correct its type or axis.",
        "A key in its groove that was taken for a hinge.",
    ),
    "CB1611": Entry(
        Severity.INFO,
        "joints that were not tested for motion",
        "A joint in a closed loop moves only with the other joints of the loop; where a hint takes one of these, what "
        "the loop is drawn with still holds the others. Parts without closed meshes cannot be tested, and the number "
        "of tests is limited.",
        "Check the motion with `cadbridge view SOURCE --recognise`.",
        "The four hinges of a four-bar linkage.",
    ),
    "CB1612": Entry(
        Severity.INFO,
        "an edited mates file kept",
        "The mates file was edited after `cadbridge recognise` wrote it, so cadbridge keeps every line. It appended "
        "the mates and gears that it recognised now and that the file does not name, commented out; a mate that was "
        "deleted by hand comes back there too.",
        "Uncomment what you want, or pass --overwrite to write the file anew.",
        "`robot.mates.yaml was edited and keeps every line; 2 mates recognised now and not in it stand at its end`.",
    ),
    "CB1613": Entry(
        Severity.INFO,
        "a source with mates of its own",
        "The source has mates, so recognition proposes only what these mates leave out: joints of parts without a "
        "mate, and the bodies to which such parts belong. A component that a mate names stays whole. Joints between "
        "parts that have mates, and gears, are not proposed, and the degrees of freedom are counted by `check`.",
        "To see what recognition finds in the geometry alone, export the assembly as STEP and recognise that.",
        "`cadbridge check arm.xml --recognise` of a Simscape file that has 14 mates.",
    ),
    "CB1661": Entry(
        Severity.WARNING,
        "hints without effect beside the source's mates",
        "The mates of the source take precedence over recognition, and what they hold is left as it is (CB1613). "
        "These hints are about such parts, about the ground, or about the mobility, which is counted by `check` there.",
        "Change the mates of the source, or write mates of your own under `mates:` in the mates file.",
        "`joint: [left, base]`, and a mate of the file is between the two.",
    ),
    "CB1662": Entry(
        Severity.WARNING,
        "hints that were changed after the file was written",
        "Hints are heeded by `cadbridge recognise`, which writes the joints. Commands that read the mates file take "
        "its joints as they stand: hints that were added, changed or deleted since change none of them.",
        "Run `cadbridge recognise` on the source again. Of a file whose other lines you edited, too, it changes none: "
        "correct the joints yourself there, or pass --overwrite to write the file anew by its hints.",
        "`apart: [lever, frame]` was written into robot.mates.yaml, and then `cadbridge check robot.step`.",
    ),
    "CB1614": Entry(
        Severity.WARNING,
        "a part twice in the same place",
        "Two occurrences of equal shape stand in the same place: one was probably pasted or exported twice. "
        "Recognition makes them one body. Both count in the mass.",
        "Delete one of the two in CAD and export again.",
        "A lever that was pasted twice: `lever_copy stands where an equal part stands`.",
    ),
    "CB1615": Entry(
        Severity.WARNING,
        "a lead screw whose pitch is not known",
        "By their names two parts are a lead screw and its nut, but no ridges are modelled, and no name gives a pitch, "
        "as Tr8x2 or SFU1605 do. Without the pitch there is no screw joint, and turning the screw moves nothing.",
        "Write a mate of `type: screw` with the `pitch` of its data sheet between the two in the mates file.",
        "A plain rod lead_screw in a block lead_screw_nut.",
    ),
    "CB1655": Entry(
        Severity.WARNING,
        "a belt that couples nothing",
        "By its name a part is a belt, but its shape shows no wheels in its loop. It is left out of what holds parts "
        "together, and couples no wheels.",
        "Write the two wheels under `gears:` with `type: belt` and their `radii` in the mates file.",
        "A strip GT2_belt beside two pulleys.",
    ),
    "CB1640": Entry(
        Severity.WARNING,
        "a hint that names no part",
        "A hint in the mates file names a part that does not exist in the source, or a last name that several parts "
        "share. The hint has no effect.",
        "Write the part's name as `cadbridge inspect SOURCE` prints it, with its sub-assemblies.",
        "`joint: [base, arn]` where the part is called `arm`.",
    ),
    "CB1641": Entry(
        Severity.WARNING,
        "hints that contradict each other",
        "One hint says that two parts are joined by a joint, or are separate bodies; other hints fix them to each "
        "other. Or two hints give different types of the joint of the same two parts. cadbridge uses none of these "
        "hints.",
        "Delete the hint that is wrong from the mates file.",
        "`fixed: [a, b]`, `fixed: [b, c]` and `joint: [a, c]`.",
    ),
    "CB1642": Entry(
        Severity.WARNING,
        "a joint without an axis",
        "A hint says that two parts are joined by a joint, but they have no round faces about a common axis or nearly "
        "so, none of them alone is a round part, they do not both touch one round part, and no faces of two directions "
        "guide a slide (of a ball: no ball or socket of one is near the other); or one of them, or the part of "
        "`about`, has no face to go by; or a hint `apart` says that the same two bodies have no joint. The hint is not "
        "used, and stays in the file.",
        "Name a part whose axis it is (`about: pin`; in words `hinge A, B about pin` or `slide A, B along rail`), or "
        "give the hint a `point` and an `axis`. Of two bodies that are said to be apart, give up one of the hints.",
        "Two cranks whose pin was not drawn.",
    ),
    "CB1656": Entry(
        Severity.INFO,
        "a hint that moves more than its parts",
        "A hint says of a part that it has a joint to another, or is apart from it. The part is held to others, and "
        "they move as one body, so that the hint is about all of them.",
        "No action is needed if they move as one. Else write the hint `joint` or `apart` for the part and the one that "
        "it is held to.",
        "`joint: [horn, case]`, and an arm is screwed to the horn.",
    ),
    "CB1657": Entry(
        Severity.WARNING,
        "a hint in place of another joint",
        "A hint gives the type or axis of the joint of two parts. Other parts of the same two bodies show a joint, or "
        "another hint gives one, and two bodies have one joint: the hint took its place.",
        "If the part of the hint moves by itself, write the hint `apart` for it and the part that it is held to. If "
        "the hint meant the joint that is shown, take `type`, `point`, `axis` and `about` from it.",
        "`joint: [plate, base]` with `type: prismatic`, and the plate lies on an arm that turns on the base.",
    ),
    "CB1658": Entry(
        Severity.WARNING,
        "bodies that no joint holds",
        "These bodies have no joint that leads to the ground, and may not be fixed to what they touch, as a hint or "
        "the teeth of wheels keep them apart. They float with six degrees of freedom.",
        "Write the hint `joint` or `fixed` for such a part and what it moves on or is held by, or take back a hint "
        "`apart` that keeps it off, where there is one: the one that the message names, or the last one given.",
        "`apart: [arm, base]`, and the arm touches nothing else.",
    ),
    "CB1659": Entry(
        Severity.WARNING,
        "a hint on a sub-assembly that moves inside",
        "A hint names a sub-assembly. It is about the whole where that moves as one body; the parts of this one are "
        "several bodies, so that it is not known which is meant. The hint is not used, and stays in the file.",
        "Name the part of the sub-assembly that the hint is about; the message names the bodies.",
        "`joint: [gripper, arm]`, and the gripper's two jaws move against its case.",
    ),
    "CB1643": Entry(
        Severity.INFO,
        "decisions changed to reach the given mobility",
        "The mates file gives the mobility of the machine (`hints`, `freedoms`). cadbridge changed the decisions with "
        "the least evidence until the mechanism has that many degrees of freedom.",
        "Check the decisions that the message names: each is a weld that could be a joint, or the reverse.",
        "`6 degrees of freedom given, 6 found; decisions changed to reach this: horn - case (fixed before, 60 %)`.",
    ),
    "CB1644": Entry(
        Severity.WARNING,
        "a mobility that is not reached",
        "The mates file gives the mobility of the machine (`hints`, `freedoms`), and changing uncertain decisions does "
        "not bring the mechanism to it.",
        "Answer questions with `cadbridge recognise SOURCE --ask`; what no question asks can be said there in words. "
        "Or write the hint `joint: [a, b]`.",
        "`6 degrees of freedom given, 5 found`.",
    ),
    "CB1660": Entry(
        Severity.INFO,
        "a mobility that what only spins makes up",
        "The mates file gives the mobility of the machine (`hints`, `freedoms`). That number was found, but some of "
        "these freedoms only spin a body about its own axis, which moves nothing. If you did not count them, something "
        "that moves was taken to be fixed.",
        "No action is needed if you counted them. Otherwise write the hint `joint: [a, b]` for what moves, or `fixed: "
        "[a, b]` for the parts that only spin.",
        "`freedoms: 1`, and a round knob in its bore is all that turns.",
    ),
    "CB1651": Entry(
        Severity.INFO,
        "names in hints that are those of parts but for counters",
        "A hint names a part that does not exist, and one part has the same name except for the counter, version or "
        "ending that CAD systems append. cadbridge takes that part.",
        "No action is needed if the names are right. Otherwise correct the hint.",
        "`horn v3:1` in the hint, `horn v4:1` in the file.",
    ),
    "CB1652": Entry(
        Severity.WARNING,
        "a file in which nothing can be recognised",
        "Recognition compares the faces of parts. One part has nothing to compare, and meshes have no faces. Nothing "
        "is asked, and no joint is proposed beside those that the file may have.",
        "Export the assembly as STEP with its parts as solids of their own.",
        "A robot that was exported as one solid.",
    ),
    "CB1653": Entry(
        Severity.WARNING,
        "a pattern of `--ignore` that no part has",
        "No instance and no part of the source has a name that matches the pattern, so nothing was left out by it.",
        "Write the name as `cadbridge inspect SOURCE` prints it; `*` is any text, `?` one character.",
        "`--ignore 'cabel*'` where the parts are called cable_1 and cable_2.",
    ),
    "CB1654": Entry(
        Severity.ERROR,
        "patterns of `--ignore` that leave no part",
        "Every part of the source has a name that one of the patterns matches: nothing is left to find joints in.",
        "Write narrower patterns: only what transmits no motion is left out.",
        "`--ignore '*'`.",
    ),
    "CB1650": Entry(
        Severity.INFO,
        "joints whose limits were not searched for",
        "`cadbridge recognise` moves each joint until two parts meet and writes its limits. It stops after a fixed "
        "amount of work, the same on every machine, so these joints have no limits.",
        "Pass `--limits`, which allows more work, or `--no-limits`; or write `limits` by hand.",
        "An arm of a thousand parts.",
    ),
    "CB1486": Entry(
        Severity.INFO,
        "parts that overlap and have nothing else to hold them",
        "These parts take up the same space, and no contact of their faces says how they are held: recognition makes "
        "them one body. Pressed and simplified parts overlap by design; so do parts in a pose that was never solved.",
        "If one of them moves, solve the assembly in CAD and export it again, or write its mate in the mates file.",
        "A motor whose casing is modelled into its bracket.",
    ),
}

FAMILIES = (Family("recognition", "mates recognised from the geometry", Stage.MATES, ENTRIES),)
