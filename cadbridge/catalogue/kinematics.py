"""Codes CB780–CB799, kinematics in STEP files, read and written."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB780": Entry(
        Severity.INFO,
        "the STEP file holds kinematics",
        "Mates and couplings were read from the file's own links, joints and pairs (ISO 10303-105).",
        "Nothing need be done; a mates file laid over adds what is missing.",
        "An AP242 file with five revolute pairs.",
    ),
    "CB781": Entry(
        Severity.ERROR,
        "a kinematic pair that cannot be read",
        "An attribute, link, joint or placement is missing or wrong; the pair is left out, so that its links move more "
        "freely than meant.",
        "Correct the entity named, or give the mate in a mates file.",
        "A revolute pair without its second placement.",
    ),
    "CB782": Entry(
        Severity.WARNING,
        "a link that is bound to no occurrence",
        "The file does not say, or not clearly, which part moves as this link; its pairs are left out.",
        "Export again with the links bound to occurrences, or give the mates in a mates file.",
        "A link whose representation two parts share.",
    ),
    "CB783": Entry(
        Severity.ERROR,
        "a pair that has no mate",
        "Pairs of higher order (points and curves on surfaces, flexible links) and odd combinations of freedoms have "
        "no counterpart; the pair is left out.",
        "Give what holds the parts in a mates file.",
        "A point on a curve.",
    ),
    "CB784": Entry(
        Severity.WARNING,
        "a range that a joint has no place for",
        "A joint with several freedoms has no ranges here; what is named is left out.",
        "Nothing need be done unless the range is reached.",
        "Ranges of a spherical pair.",
    ),
    "CB790": Entry(
        Severity.ERROR,
        "kinematics need a STEP file to stand in",
        "The pairs are bound to the products of the STEP file that the assembly came from; another source has none, "
        "and a file with external references keeps its products elsewhere.",
        "Convert an assembly that was read from one STEP file.",
        "`--to step` of a URDF.",
        stage=Stage.EXPORT,
        leaves_out=False,
    ),
    "CB791": Entry(
        Severity.WARNING,
        "a relation that AP242 has no pair for",
        "ISO 10303-105 has lower pairs, gears, racks and screws; what is named has no pair and is left out.",
        "Keep the mates file beside the STEP file.",
        "A belt.",
        stage=Stage.EXPORT,
    ),
    "CB792": Entry(
        Severity.INFO,
        "what AP242's kinematics do not carry",
        "Damping, friction, efforts, velocities, drives, masses, frames and home poses have no place in the pairs.",
        "Keep the mates file beside the STEP file.",
        "A hinge with damping.",
        stage=Stage.EXPORT,
    ),
    "CB793": Entry(
        Severity.WARNING,
        "mates written as the joint they make",
        "A mate without a pair of its own stands with others between the same two parts; all of them are written as "
        "their joint, so that what is redundant among them is lost.",
        "Nothing need be done; the motion is the same.",
        "A concentric and a coincident mate, written as one revolute pair.",
        stage=Stage.EXPORT,
    ),
    "CB794": Entry(
        Severity.INFO,
        "the schema named in the file was changed",
        "The header now names AP242, because pairs of its edition are in the file; all else is as it was.",
        "Nothing need be done.",
        "AUTOMOTIVE_DESIGN (AP214) becomes AP242.",
        stage=Stage.EXPORT,
    ),
    "CB795": Entry(
        Severity.WARNING,
        "what a mates file has no place for",
        "Limits, friction and damping stand at mates that leave a freedom; couplings of axes that slide, or with an "
        "offset from the designed pose, have no form there, nor have rotors and springs of joints and laws of servos. "
        "What is named is left out.",
        "Put the limit on the joint by hand, under `joints`; write the coupling as another kind.",
        "A prismatic joint that follows a revolute one with an offset of 0.1 m.",
        stage=Stage.EXPORT,
    ),
}

FAMILIES = (Family("kinematics", "kinematics in STEP files", Stage.READING, ENTRIES, errors_leave_out=True),)
