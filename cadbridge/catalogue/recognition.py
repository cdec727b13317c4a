"""Codes CB16xx, recognition of mates from bare geometry."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB1600": Entry(
        Severity.INFO,
        "bodies and joints recognised from the geometry",
        "cadbridge found these bodies and joints from the shapes and placements of the parts. The file itself does "
        "not contain them.",
        "Look through the mates file of `cadbridge recognise`: each line has its evidence.",
        "`9 bodies and 8 joints recognised in 9 parts`.",
    ),
    "CB1601": Entry(
        Severity.WARNING,
        "uncertain joints",
        "The geometry allows these joints but does not prove them: a shaft without a shoulder, holes without a pin, a "
        "slide that could be a fit. The mates file lists the evidence for and against each.",
        "Look at each in the mates file; correct its type, or delete it where the parts are fixed to each other.",
        "A bore in two brackets that meet, with no pin drawn.",
    ),
    "CB1602": Entry(
        Severity.WARNING,
        "parts without contact",
        "These parts neither touch nor overlap another part, so whatever holds them is not modelled. "
        "They are attached to the ground at their placement.",
        "Attach them to their component under `attach` in the mates file.",
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
        "No two bodies are left with a freedom between them: one part only, parts that all hold each other fast, or "
        "parts without exact faces.",
        "Write the joints by hand in a mates file; `cadbridge inspect SOURCE --faces A B` prints what fits.",
        "A single casting.",
    ),
    "CB1605": Entry(
        Severity.INFO,
        "placements that are not exact",
        "Axes that belong together do not lie on one line as in assemblies that CAD solved; a looser tolerance was "
        "used, within which two axes count as one.",
        "Where the CAD system can export the solved assembly, use that.",
        "An assembly of scanned or printed parts, placed by hand.",
    ),
    "CB1606": Entry(
        Severity.INFO,
        "a mates file left aside",
        "Beside the source lies a mates file; with --recognise the mates are recognised anew and it is not read.",
        "Leave --recognise out to use the mates file.",
        "`cadbridge check robot.step --recognise` beside robot.mates.yaml.",
    ),
    "CB1607": Entry(
        Severity.WARNING,
        "a wheel that is not sure",
        "The part looks like a wheel with teeth, but its teeth could not be counted beyond doubt; no gear was made of "
        "it.",
        "Write the gear by hand in the mates file, with the teeth of the drawing.",
        "A pulley with a belt profile that could be a spline.",
    ),
    "CB1608": Entry(
        Severity.INFO,
        "a wheel without a partner",
        "The teeth of a wheel were counted, but no other wheel of its module stands where they would mesh: its partner "
        "is a belt or chain, is not in the file, or stands too far away in the pose that was saved.",
        "Write the gear by hand in the mates file where there is one.",
        "The pinion of a motor whose rack was left out of the file.",
    ),
    "CB1609": Entry(
        Severity.WARNING,
        "wheels that mesh without a carrier",
        "Two wheels mesh, but no body was found on which both turn: a joint between a wheel and its bearing was not "
        "recognised. The gear stands in the mates file commented out.",
        "Write the missing joint in the mates file, then take the comment marks from the gear.",
        "A planet whose pin has no hole in the carrier.",
    ),
}

FAMILIES = (Family("recognition", "Mates recognised from the geometry", Stage.MATES, ENTRIES),)
