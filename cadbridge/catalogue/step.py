"""Codes: Reading STEP."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB121": Entry(
        Severity.ERROR,
        "a compressed STEP file that cannot be unpacked",
        "A .stpZ file is a gzip or zip archive with one STEP file. This one is damaged or empty.",
        "Copy or export the file again, or unpack it and pass the .stp file.",
        "An incomplete download of robot.stpZ.",
    ),
    "CB122": Entry(
        Severity.WARNING,
        "the archive holds several STEP files",
        "cadbridge reads the first file only, because nothing marks the intended one.",
        "Unpack the archive and pass the file that you mean.",
        "robots.stpZ with left.step and right.step in it.",
    ),
    "CB123": Entry(
        Severity.ERROR,
        "a truncated STEP file",
        "The end of the file is missing. Parts or placements may be missing with it. cadbridge read what it could.",
        "Copy or export the file again; compare the sizes.",
        "An incomplete download: the file does not end with END-ISO-10303-21.",
    ),
    "CB124": Entry(
        Severity.ERROR,
        "the geometry kernel crashed on this file",
        "OCCT, the library that reads STEP, crashed or took too long. It runs in a process of its own, so nothing else "
        "is affected, but cadbridge read nothing of this file.",
        "Export the file again with another STEP version (AP214 instead of AP242), or remove the part that "
        "causes the crash. If OCCT was stopped at its time limit and the file is sound, --allow-larger 10 allows ten "
        "times as long (or set CADBRIDGE_OCCT_TIME_LIMIT, in seconds).",
        "A file with self-intersecting faces.",
    ),
    "CB125": Entry(
        Severity.ERROR,
        "a STEP file without a shape",
        "The file is valid STEP, but no product in it has geometry.",
        "Export solids, not only drawings, sketches or product structure. Show or unsuppress hidden bodies "
        "before the export.",
        "The STEP file of a part whose only body is suppressed.",
    ),
    "CB126": Entry(
        Severity.ERROR,
        "not enough memory for this file",
        "The geometry kernel ran out of the machine's memory, or of what it may take for such a file: 1.2 GB up to 46 "
        "MB of text, above that 0.6 GB and 13 bytes for each byte.",
        "Export the file again if its text is damaged. Otherwise --allow-larger 2 allows twice as much; simplify the "
        "assembly, or read it on a machine with more memory.",
        "A complete plant with all its pipes on a machine with 2 GB.",
    ),
    "CB127": Entry(
        Severity.WARNING,
        "a product without a shape",
        "cadbridge keeps it as a part without geometry. It has a placement and can have mates, but no mass.",
        "Export it with its solid, or give its mass in the mates file.",
        "A skeleton part with sketches only.",
    ),
    "CB128": Entry(
        Severity.WARNING,
        "a part without a solid",
        "The part consists of surfaces or wires only. They enclose no volume, so the part has no mass.",
        "Export it as a solid, or give its mass in the mates file.",
        "A part imported as surfaces that were never sewn together.",
    ),
    "CB129": Entry(
        Severity.WARNING,
        "a part with loose surfaces beside its solids",
        "Only the solids are weighed. The loose faces are shown and weigh nothing.",
        "Delete construction surfaces before the export.",
        "A housing with a construction plane left visible.",
    ),
    "CB130": Entry(
        Severity.INFO,
        "a part consists of several solids",
        "They form one rigid part and are weighed together. If they overlap, the overlap counts twice.",
        "No action is needed. Export the solids as separate products if they move relative to each other.",
        "A bearing with rings and balls drawn as one part.",
    ),
    "CB131": Entry(
        Severity.INFO,
        "a mirrored instance",
        "The placement mirrors the part. cadbridge uses rigid motions only, so this instance has a part of its "
        "own, mirrored at the plane x = 0 of the original.",
        "No action is needed.",
        "A left door made by mirroring the right one.",
    ),
    "CB132": Entry(
        Severity.WARNING,
        "a scaled instance",
        "The placement changes the size of the part. This instance has a scaled part of its own.",
        "Check that the scale is intended. The usual cause is a wrong unit.",
        "A logo placed at half size.",
    ),
    "CB134": Entry(
        Severity.WARNING,
        "the geometry does not match the file's validation properties",
        "The file stores volume, area or centroid of the shape. The shape as read differs by more than 0.5 %, so "
        "the export or the import damaged it.",
        "Export the file again, if necessary with another STEP version. Compare the part in a viewer.",
        "The file states 1,000 mm³, the shape has 940 mm³: a hole is missing.",
    ),
    "CB135": Entry(
        Severity.WARNING,
        "a density without a unit",
        "The file gives a number without a unit. cadbridge derives the unit from its size: 7.85 is g/cm³, 7850 "
        "is kg/m³.",
        "Check the density in the report. If it is wrong, set it in the mates file.",
        "A density of 7.85 without unit.",
    ),
    "CB136": Entry(
        Severity.WARNING,
        "a density that no material has",
        "This number is not a density in any common unit, so cadbridge ignores it.",
        "Give the density in the mates file or with --density.",
        "A density of 0.",
    ),
    "CB137": Entry(
        Severity.INFO,
        "a name was replaced",
        "Instances without a name, or with a number as a name, are named after their product, with a count.",
        "To choose the name yourself, name the instance in the CAD system.",
        "An instance named NAUO12 of the product bolt becomes bolt:3.",
    ),
    "CB139": Entry(
        Severity.INFO,
        "an inside-out solid",
        "Its faces point inwards, as some exporters write them. cadbridge reversed them.",
        "No action is needed.",
        "A sphere whose normals point to its centre.",
    ),
    "CB549": Entry(
        Severity.INFO,
        "names in an older encoding",
        "Names with letters beyond ASCII are written in the code page of the machine that exported the file, which the "
        "file does not name. cadbridge chose one for all names: the one in which they are likeliest to be names, by "
        "which letters of a language are usual and where they stand. In any other they are a hundred times less "
        "likely.",
        "If names are wrong, export the file again as AP242 or in UTF-8, or give names in the mates file.",
        "Parts called Gehäuse in a file of an older CAD system.",
    ),
    "CB548": Entry(
        Severity.WARNING,
        "names whose encoding is not certain",
        "As CB549, but in the encodings that the message names they are other names that are nearly as likely. A few "
        "short names may be too little to tell them apart.",
        "Look whether the names are right. If not, export the file again as AP242 or in UTF-8.",
        "One part called Lås, which in another encoding is Lĺs.",
    ),
    "CB542": Entry(
        Severity.WARNING,
        "parts with a coarse mesh only",
        "The geometry kernel did not finish a finer mesh of the parts in time: some spline faces, such as "
        "modelled threads and coils, have none. Overlaps, teeth and collision geometry are taken from their coarse "
        "mesh; mass, centre and inertia come from the exact shape.",
        "If a fine mesh matters, set CADBRIDGE_OCCT_TIME_LIMIT to more seconds, such as 300, or leave the thread or "
        "the coil out in the CAD system.",
        "A screw whose thread is 20 spline faces.",
    ),
}

FAMILIES = (Family("step", "STEP files", Stage.READING, ENTRIES, errors_leave_out=True),)
