"""Codes CB120–CB139, reading STEP."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB120": Entry(
        Severity.ERROR,
        "this is not a STEP file",
        "A STEP file is a text that begins with ISO-10303-21; this one does not, so nothing in it can "
        "be trusted to be geometry.",
        "Export the assembly as STEP (AP203, AP214 or AP242) again.",
        "A file of another format whose name was changed to end in .step.",
    ),
    "CB121": Entry(
        Severity.ERROR,
        "the packed STEP file cannot be unpacked",
        "A .stpZ file is a gzip or zip archive with one STEP file in it; this one is damaged or empty.",
        "Copy or export the file again, or unpack it yourself and give the .stp.",
        "A download of robot.stpZ that broke off half way.",
    ),
    "CB122": Entry(
        Severity.WARNING,
        "the archive holds several STEP files",
        "Only the first one is read, since nothing identifies the intended one.",
        "Unpack the archive and name the file that you mean.",
        "robots.stpZ with left.step and right.step in it.",
    ),
    "CB123": Entry(
        Severity.ERROR,
        "the STEP file is cut off",
        "Its end is missing: parts or placements may be missing with it. What could be read was read.",
        "Copy or export the file again; compare the sizes.",
        "A download that broke off leaves a file without END-ISO-10303-21.",
    ),
    "CB124": Entry(
        Severity.ERROR,
        "the geometry kernel crashed on this file",
        "OCCT, which reads STEP, ended or took too long. It runs in a process of its own, so nothing "
        "else is harmed; but of this file nothing is known.",
        "Export the file again with another STEP version (AP214 instead of AP242), or leave out the part "
        "that breaks it. A large file may need more time: set CADBRIDGE_OCCT_TIME_LIMIT (seconds).",
        "A file whose faces fold into themselves without end.",
    ),
    "CB125": Entry(
        Severity.ERROR,
        "the STEP file holds no shape",
        "The file is STEP, but no product with geometry could be made of it.",
        "Export solids, not only drawings, sketches or product structure; show what is hidden or suppressed before "
        "you export.",
        "The STEP file of a part whose only body is suppressed.",
    ),
    "CB126": Entry(
        Severity.ERROR,
        "the memory did not suffice for this file",
        "The geometry kernel ran out of memory.",
        "Simplify the assembly, or read it on a machine with more memory.",
        "A plant with all its pipes on a machine with 2 GB.",
    ),
    "CB127": Entry(
        Severity.WARNING,
        "a product has no shape",
        "It is kept as a part without geometry: it has a place and may bear mates, but no mass.",
        "Export it with its solid, or give its mass in the mates file.",
        "A skeleton part with sketches only.",
    ),
    "CB128": Entry(
        Severity.WARNING,
        "a part has no solid",
        "The part is made of sheets or wires only; they enclose no volume, so there is no mass.",
        "Export it as a solid, or give its mass in the mates file.",
        "A part imported as surfaces that were never sewn together.",
    ),
    "CB129": Entry(
        Severity.WARNING,
        "a part has loose sheets beside its solids",
        "The solids are weighed; the loose faces are shown but weigh nothing.",
        "Delete construction surfaces before the export.",
        "A housing with a construction plane left visible.",
    ),
    "CB130": Entry(
        Severity.INFO,
        "a part consists of several solids",
        "They are one part, rigid in itself, weighed together; where they overlap, the overlap counts twice.",
        "Nothing need be done; export the solids as products of their own if they move.",
        "A bearing with rings and balls drawn as one part.",
    ),
    "CB131": Entry(
        Severity.INFO,
        "an instance is mirrored",
        "Its placement mirrors the part. Placements here are rigid motions, so the mirrored instance has "
        "a part of its own, mirrored at the plane x = 0 of the original.",
        "Nothing need be done.",
        "A left door made by mirroring the right one.",
    ),
    "CB132": Entry(
        Severity.WARNING,
        "an instance is scaled",
        "Its placement changes the size of the part. The instance got a scaled part of its own.",
        "Check that the scale is meant; it often stems from a wrong unit.",
        "A logo placed at half its size.",
    ),
    "CB133": Entry(
        Severity.ERROR,
        "the placement of an instance cannot be kept",
        "It shears the part (the nearest rotation was taken), or it mirrors or scales one of several "
        "instances of one name, of which none was changed.",
        "Correct the placement in the CAD system.",
        "A placement that leans a cube into a rhomboid.",
    ),
    "CB134": Entry(
        Severity.WARNING,
        "the geometry does not match the file's validation properties",
        "The writer stored volume, area or centroid of the shape, and what was read differs by more "
        "than 0.5 %: the shape was damaged on the way.",
        "Export the file again, perhaps with another STEP version; compare the part in a viewer.",
        "The file states 1,000 mm³, and the shape read has 940 mm³: a hole was lost.",
    ),
    "CB135": Entry(
        Severity.WARNING,
        "a density without a unit",
        "The file gives a number but no unit; the unit was taken from its size (7.85 must be g/cm³, 7850 kg/m³).",
        "Check the density shown; set it in the mates file if it is wrong.",
        "A density of 7.85 without unit.",
    ),
    "CB136": Entry(
        Severity.WARNING,
        "a density that no material has",
        "In no usual unit is this number a density; it was not used.",
        "Give the density in the mates file or with --density.",
        "A density of 0.",
    ),
    "CB137": Entry(
        Severity.INFO,
        "a name was replaced",
        "Instances without a name, or with a mere number, are named by their product and a count.",
        "Name the instance in the CAD system if mates or reports should name it otherwise.",
        "An instance named NAUO12 of the product bolt becomes bolt:3.",
    ),
    "CB138": Entry(
        Severity.ERROR,
        "too many instances",
        "The product structure unfolds into more instances than are read: a product that holds itself "
        "several times over, level by level, grows without bound.",
        "Check the product structure; split the assembly.",
        "A product that contains itself, by a fault of the writer.",
    ),
    "CB139": Entry(
        Severity.INFO,
        "a solid is inside out",
        "Its faces point inwards, as some writers leave them; it was turned outside out.",
        "Nothing need be done.",
        "A sphere whose normals point to its centre.",
    ),
}

FAMILIES = (Family("step", "STEP files", Stage.READING, ENTRIES, errors_leave_out=True),)
