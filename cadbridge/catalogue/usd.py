"""Codes: OpenUSD."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB1440": Entry(
        Severity.ERROR,
        "a stage that cannot be read",
        "USD's own library rejects the file for the given reason, needs more time or memory than it is allowed, or the "
        "stage holds no robot.",
        "Open the file with `usdchecker`, and save it again. A robot has bodies with PhysicsRigidBodyAPI.",
        "A .usdc that was cut off on its way.",
    ),
    "CB1441": Entry(
        Severity.WARNING,
        "a stage without units",
        "metersPerUnit or upAxis is missing. USD then takes a centimetre, and y up, which files of robots seldom mean.",
        "State both in the root layer, or give the unit with `--units`.",
        "A stage without `metersPerUnit = 1`: its robot is 1.8 cm tall.",
    ),
    "CB1442": Entry(
        Severity.INFO,
        "a stage with y up",
        "The stage has y up. cadbridge turns it: its world has z up.",
        "No action is needed.",
        '`upAxis = "Y"`.',
    ),
    "CB1443": Entry(
        Severity.ERROR,
        "a part of the stage that is not composed",
        "A reference, payload or sub-layer names a file that is missing, an address, itself, or no layer of USD. What "
        "it brings is not in the model.",
        "Put the file where the stage looks for it, or save a flattened stage.",
        "`@https://…/ground.usd@`: cadbridge fetches nothing.",
    ),
    "CB1616": Entry(
        Severity.INFO,
        "a model from outside the source's folder",
        "Layers of a USD, models that an MJCF includes, and files that a FreeCAD file links to may lie in the folders "
        "around the source's, as shapes may (docs/security.md). This one lies there and brings bodies and joints.",
        "If you do not know the author of the file, copy it into a folder of its own and read it there.",
        "`@../../Props/gripper.usd@`.",
    ),
    "CB1444": Entry(
        Severity.ERROR,
        "a joint that is not read",
        "The joint names a body that does not exist, joins a body to itself, or is a rope or another kind that no mate "
        "can represent. The bodies move more freely than in the file.",
        "Correct the joint, or add it in a mates file.",
        "`rel physics:body1 = </robot/amr>` where the body is called `arm`.",
    ),
    "CB1446": Entry(
        Severity.WARNING,
        "a moving part of the stage that is not read",
        "It affects the motion in the engines that the file is for, and cadbridge has no equivalent.",
        "No action is needed if the mechanism alone is of interest.",
        "A cloth, a particle system, fixed tendons, a body with an initial velocity.",
    ),
    "CB1448": Entry(
        Severity.WARNING,
        "a mass from USD's default density",
        "Neither the body, nor its colliders, nor its material gives a mass or a density. UsdPhysics takes 1000 "
        "kg/m³, and so does cadbridge.",
        "Give the body a mass (PhysicsMassAPI), or override it in a mates file.",
        "A link with a collider and no PhysicsMassAPI.",
    ),
    "CB1449": Entry(
        Severity.WARNING,
        "a body without mass or inertia",
        "The body has a mass and no collider, so UsdPhysics defines no inertia. cadbridge computes it from the visible "
        "shape with one density, if that shape is closed; otherwise the inertia is unknown. A body with neither mass "
        "nor shape has no mass here; engines give it one of their own.",
        "Give diagonalInertia and principalAxes.",
        "`physics:mass = 1` on a body of visual meshes.",
    ),
    "CB1450": Entry(
        Severity.ERROR,
        "an unsupported coupling",
        "The coupling is not a constant ratio between two joints of one freedom each, or a gear of PhysX that names "
        "no two such joints. The model moves more freely than in the file.",
        "Write the relation in a mates file.",
        "A MjcEqualityJointAPI with `mjc:coef2`.",
    ),
    "CB1451": Entry(
        Severity.INFO,
        "drives with targets",
        "The drives of the file pull towards a target pose, or hold a velocity. Simulations start with these targets.",
        "No action is needed. The scenario's `controls` give them other targets, `servos: ignore` leaves them out.",
        "`drive:angular:physics:targetPosition = 45`.",
    ),
    "CB1452": Entry(
        Severity.WARNING,
        "a shape that is not read",
        "The mesh has no faces, its indices name no points, or the solid is tapered.",
        "Correct the mesh, or give the body its mass and inertia.",
        "A mesh whose faceVertexCounts do not add up to its faceVertexIndices.",
    ),
    "CB1453": Entry(
        Severity.INFO,
        "a variant",
        "The stage has variants. cadbridge reads the one that the file selects.",
        "Save the file with another selection if you need that.",
        "`Physics = PhysX (of None, PhysX)`.",
    ),
    "CB1454": Entry(
        Severity.WARNING,
        "a sheared body",
        "The transforms above the body scale it unevenly across its axes, so that its frame is not a rotation. "
        "cadbridge takes the nearest rotation; points and shapes stay where they are.",
        "Take the scale off the parents of the body.",
        "A scale of (2, 1, 1) above a body turned by 45°.",
    ),
    "CB1455": Entry(
        Severity.INFO,
        "a body or joint without effect",
        "The file switches it off, moves it by a program (kinematic), or locks none of its axes.",
        "No action is needed.",
        "`physics:jointEnabled = false`.",
    ),
    "CB1456": Entry(
        Severity.WARNING,
        "a joint whose frames lie apart",
        "The frame of the joint on the world and that on the body do not coincide, as in files whose robot was moved. "
        "Engines correct one or the other; cadbridge leaves the body in its place.",
        "Correct localPos and localRot of the joint if the body is meant to stand elsewhere.",
        "A hinge on the world with `localPos0 = (0, 0, 0)` on a robot that was moved by 3 m.",
    ),
    "CB1457": Entry(
        Severity.INFO,
        "several joints between two bodies",
        "Converters from MJCF write a stack of joints as several joints between the same bodies. UsdPhysics would "
        "hold the bodies by each; cadbridge reads them in series, with massless components between, as Newton does.",
        "No action is needed.",
        "Three hinges at the hip of a humanoid.",
    ),
}

FAMILIES = (Family("usd", "OpenUSD", Stage.READING, ENTRIES, errors_leave_out=True),)
