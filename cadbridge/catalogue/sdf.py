"""Codes: SDF."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB1413": Entry(
        Severity.WARNING,
        "a joint controller that is simplified",
        "cadbridge simulates Gazebo's joint position controllers as a spring and damper towards their target. It "
        "leaves out what the message names (an integral part, velocity commands): the joint rests elsewhere or moves "
        "freely.",
        "Set <i_gain> to 0 and <use_velocity_commands> to false, or drive the joint by a motor of the scenario.",
        "A JointPositionController without <i_gain>, whose default is 0.1.",
    ),
    "CB1414": Entry(
        Severity.WARNING,
        "a saved state with models elsewhere",
        "The world has a <state>, as a simulator saves it, with models or links in other places than their own "
        "elements say. Gazebo Classic starts from the state, and in its later versions makes the joints there, so that "
        "they are at zero in the state. cadbridge reads the elements: joints are at zero where these place the links.",
        "Copy the poses of the <state> into the <pose> of the models and links; or delete the <state> if it no longer "
        "counts.",
        "`<state world_name='w'><model name='arm'><pose>2 0 0 0 0 0</pose></model></state>` of a model at the origin.",
    ),
    "CB1422": Entry(
        Severity.ERROR,
        "a duplicate name",
        "Links, frames, joints and models of one model share a namespace. cadbridge skips the second one.",
        "Rename one of them.",
        "Two links named wheel in one model.",
    ),
    "CB1269": Entry(
        Severity.INFO,
        "a joint or frame with the name of a link",
        "Before SDF 1.7, links, joints and frames of a model had names of their own kind each. From 1.7 on they share "
        "a namespace, so cadbridge calls the joint NAME_joint and the frame NAME_frame, as sdformat does.",
        "Use the new name in mates files and scenarios, or rename the joint in the file.",
        "The joint wrist_1 that carries the link wrist_1, in a file of SDF 1.5.",
    ),
    "CB1423": Entry(
        Severity.ERROR,
        "a model that cannot be included",
        "The <include> names no readable model, or a model that includes itself. cadbridge skips it.",
        "Correct <uri>, or name the folder of the models with --package-dir.",
        "`<include><uri>model://arm</uri></include>` without a folder arm nearby.",
    ),
    "CB1424": Entry(
        Severity.WARNING,
        "a default mass",
        "SDF gives a link without <inertial> a mass of 1 kg and moments of inertia of 1 kg m², which is rarely "
        "intended.",
        "Add <inertial> to the link.",
        "A link with a visual and no `<inertial>`.",
    ),
    "CB1425": Entry(
        Severity.ERROR,
        "an unresolved name",
        "The named link, frame or joint does not exist, or refers back to itself. cadbridge skips the element "
        "that needs it.",
        "Correct relative_to, attached_to, expressed_in, canonical_link, <parent>, <child> or <mimic>.",
        "`<child>gripper</child>` in a model without a gripper.",
    ),
    "CB1426": Entry(
        Severity.INFO,
        "a version or world that is ignored",
        "The version is unknown, or the file has several worlds and cadbridge reads one.",
        "Check that the file describes the intended model.",
        "A file with the worlds day and night: cadbridge reads day.",
    ),
    "CB1431": Entry(
        Severity.INFO,
        "a link without gravity",
        "In simulations and in exports to SDF and MJCF a force holds the weight of the link. Drake ignores the "
        "element, so its accelerations differ.",
        "No action is needed.",
        '`<link name="balloon"><gravity>false</gravity>`.',
    ),
    "CB1253": Entry(
        Severity.WARNING,
        "a deformable body",
        "cadbridge reads rigid bodies only. It leaves out a link with <drake:deformable_properties>, which Drake moves "
        "by the elasticity of its mesh.",
        "Delete the element if the link is to be rigid.",
        "The soft pads of a gripper.",
    ),
    "CB1432": Entry(
        Severity.WARNING,
        "loads of a ball joint",
        "cadbridge has no dry friction and no spring for a joint with three freedoms. It omits what the message names.",
        "Split the joint into single-axis joints with light links between them.",
        "`<dynamics><friction>1</friction></dynamics>` of a ball.",
    ),
    "CB1274": Entry(
        Severity.WARNING,
        "what sdformat refuses",
        "The file breaks a rule of SDF. The library with which Gazebo and Drake read it refuses it, or takes a part of "
        "it with an error: the message says which. cadbridge reads all of it.",
        "Correct what the message names.",
        "A file with two models outside a world.",
    ),
    "CB1262": Entry(
        Severity.WARNING,
        "an element that SDF does not have",
        "SDF has no element of this name at this place, and cadbridge does not read it. It is misspelt, or it is an "
        "extension of another program (which should give it a prefix).",
        "Correct its name, or delete it.",
        "`<limit><upperX>1.2</upperX></limit>`: the joint has no upper limit.",
    ),
}

FAMILIES = (Family("sdf", "SDF", Stage.READING, ENTRIES, errors_leave_out=True),)
