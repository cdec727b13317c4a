"""Codes CB1420–CB1429, SDF."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB1420": Entry(
        Severity.ERROR,
        "not an SDF that can be read",
        "The root element is not <sdf>, or it holds no link, or far too many.",
        "Give an SDF with a world or a model.",
        '`<sdf version="1.9"/>` with nothing in it.',
    ),
    "CB1421": Entry(
        Severity.ERROR,
        "a value that cannot be read",
        "A name, pose, axis or number is missing, not finite or without meaning; what needs it is left out, or has "
        "the value that the format lays down.",
        "Correct the element at the place given.",
        "`<pose>0 0 1</pose>`, which lacks its three angles.",
    ),
    "CB1422": Entry(
        Severity.ERROR,
        "two of one name",
        "Links, frames, joints and models of one model share their names; the second one is left out.",
        "Rename one of them.",
        "Two links named wheel in one model.",
    ),
    "CB1423": Entry(
        Severity.ERROR,
        "a model that cannot be included",
        "The <include> names no model that can be read, or one that includes itself; it is left out.",
        "Correct <uri>, or name the folder of the models with --package-dir.",
        "`<include><uri>model://arm</uri></include>` where no folder arm is near.",
    ),
    "CB1424": Entry(
        Severity.WARNING,
        "a mass that nobody gave",
        "SDF gives a link without <inertial> 1 kg and 1 kg m², which is hardly meant.",
        "Add <inertial>.",
        "A link with a visual and no `<inertial>`.",
    ),
    "CB1425": Entry(
        Severity.ERROR,
        "a name that leads nowhere",
        "A link, frame or joint is named that does not exist, or that leads back to itself; what needs it is left out.",
        "Correct relative_to, attached_to, expressed_in, <parent>, <child> or <mimic>.",
        "`<child>gripper</child>` in a model without a gripper.",
    ),
    "CB1426": Entry(
        Severity.INFO,
        "a version or world that is not taken over",
        "The version is none that is known, or the file holds several worlds.",
        "Check that the file describes the intended model.",
        "A file with the worlds day and night: day is read.",
    ),
    "CB1427": Entry(
        Severity.INFO,
        "elements that were not read",
        "They say nothing that the mechanism needs.",
        "Nothing need be done.",
        "A plugin or a light.",
    ),
    "CB1428": Entry(
        Severity.WARNING,
        "geometry that gives no shape",
        "The mesh cannot be read, or the kind of geometry has no closed surface; the link is kept without it.",
        "Give a mesh, box, cylinder, capsule, ellipsoid or sphere.",
        "`<heightmap>` as terrain.",
    ),
    "CB1429": Entry(
        Severity.ERROR,
        "a joint type that is not known",
        "The joint is left out, so that its links move more freely than meant.",
        "Use revolute, continuous, prismatic, ball, universal, screw, gearbox or fixed.",
        '`<joint type="gear_train">`.',
    ),
    "CB1430": Entry(
        Severity.WARNING,
        "numbers with quotes or commas between them",
        "The format separates numbers by blanks. They are read without the quotes and commas.",
        "Write them with blanks between.",
        "`<pose>0, 0, 1, 0, 0, 0</pose>`.",
    ),
    "CB1431": Entry(
        Severity.WARNING,
        "a link without gravity",
        "Gravity acts on all bodies here; the link falls with the others, which it does not in Gazebo.",
        "Hold it by a force in the scenario of a simulation.",
        '`<link name="balloon"><gravity>false</gravity>`.',
    ),
    "CB1432": Entry(
        Severity.WARNING,
        "damping or friction of a second axis",
        "A joint of two axes has no place for what resists its turns; the loads named are left out.",
        "Part the joint into two of one axis with a light link between.",
        "`<axis2><dynamics><damping>1</damping></dynamics></axis2>`.",
    ),
}

FAMILIES = (Family("sdf", "SDF", Stage.READING, ENTRIES, errors_leave_out=True),)
