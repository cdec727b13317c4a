"""Codes: MJCF."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB1400": Entry(
        Severity.ERROR,
        "a model that MuJoCo rejects",
        "MuJoCo's own parser and compiler reject the model. The message quotes their reason.",
        "Correct what the message names, at the element or line that it gives. An unknown element may belong to "
        "another version of MuJoCo than the installed one.",
        "A body that moves without mass or inertia.",
    ),
    "CB1401": Entry(
        Severity.INFO,
        "several joints in series at one body",
        "MuJoCo allows several joints between two bodies, and SDF a range and loads of each axis of a universal joint. "
        "cadbridge keeps them as single joints with massless components between them, and the export to MJCF puts them "
        "back at one body. Joints without names, ranges and loads become the cylindrical, planar, universal or "
        "spherical pair that they form.",
        "No action is needed.",
        "Two slides and a hinge that carry a walking robot in its plane.",
    ),
    "CB1403": Entry(
        Severity.ERROR,
        "an unsupported equality",
        "Flexible bodies, spatial tendons and joints of several freedoms have no equivalent. cadbridge skips the "
        "equality, so the model moves more freely than in MuJoCo.",
        "Write the relation in a mates file.",
        "`<tendon>` in `<equality>` over a spatial tendon.",
    ),
    "CB1404": Entry(
        Severity.WARNING,
        "a spring with another rest pose",
        "cadbridge takes the spring of a ball or free joint as relaxed in the reference pose (qpos0). In the "
        "file it is relaxed in another pose.",
        "Use hinges and slides (cadbridge reads their springref), or put the spring into the scenario of a simulation.",
        "A ball joint with a stiffness in a model whose qpos_spring was set by a program.",
    ),
    "CB1405": Entry(
        Severity.INFO,
        "elements that act on no joint",
        "They do not affect the motion of the mechanism: pictures, sensors, contact, and the settings of MuJoCo's "
        "integrator and of its soft constraints, which are exact in cadbridge.",
        "No action is needed.",
        "A camera, a sensor, a limit that solref makes soft.",
    ),
    "CB1409": Entry(
        Severity.WARNING,
        "an actuator without a single-freedom joint",
        "Actuators of tendons, sites, bodies and joints with several freedoms have no equivalent. cadbridge "
        "skips the actuator.",
        "No action is needed unless the actuator moves the mechanism.",
        "A muscle on a tendon over three joints.",
    ),
    "CB1410": Entry(
        Severity.WARNING,
        "physics of the source that is omitted",
        "What is named acts in the source's own engine (MuJoCo, Gazebo, Drake) and has no equivalent in cadbridge or "
        "its exports. The model moves differently without it.",
        "Add it to the scenario of a simulation (springs, dampers, wrenches), or remove it from the source for a "
        "comparison.",
        "A spatial tendon with a spring, a body that a program moves (mocap), the buoyancy of an SDF.",
    ),
    "CB1411": Entry(
        Severity.INFO,
        "servo actuators",
        "Position, velocity and general actuators with a bias act on their joints even at a control of 0. "
        "cadbridge simulates them as MuJoCo does after a reset, at a control of 0 within its range, unless the "
        "scenario gives `controls`, and exports the law to MJCF.",
        "No action is needed. `servos: ignore` in the scenario leaves them out; a motor of the scenario on a joint "
        "replaces its servos.",
        '`<position joint="knee" kp="50"/>`.',
    ),
    "CB1412": Entry(
        Severity.WARNING,
        "an actuator law that is simplified",
        "cadbridge omits a law that is not linear in control, length and rate (a muscle, a motor with its own "
        "model); the export has a motor with the same gear instead. It also omits activation dynamics of such an "
        "actuator, so the control acts immediately.",
        "Add the actuator to the exported MJCF by hand.",
        "A muscle, or a DC motor.",
    ),
    "CB1246": Entry(
        Severity.WARNING,
        "MuJoCo physics that only an export to MJCF keeps",
        "cadbridge keeps what is named and writes it into an exported MJCF. Its own simulations and all other exports "
        "leave it out, so they move differently from MuJoCo. (CB1265 names what it simulates of fixed tendons.)",
        "Add it to the scenario of a simulation (springs, dampers, wrenches), or remove it from the MJCF for a "
        "comparison.",
        '`<option density="1.2" viscosity="2e-5"/>`, the range of a tendon, or damping by the square of the rate.',
    ),
    "CB1247": Entry(
        Severity.INFO,
        "named poses that only an export to MJCF keeps",
        "The keyframe called home is the home pose of the mechanism. cadbridge keeps all keyframes with their "
        "positions, and writes them into an exported MJCF.",
        "No action is needed.",
        '`<key name="crouch" qpos="0.3 -0.6"/>`.',
    ),
    "CB1265": Entry(
        Severity.INFO,
        "tendons and activations that only exports to MJCF and FMU keep",
        "cadbridge simulates what is named: springs, dampers and actuators of fixed tendons, and activation dynamics, "
        'except for what the message says after "not" (CB645 reports it in a run). Exports to MJCF and FMU keep it; '
        "all others omit it and report that (CB1266).",
        "No action is needed.",
        "A finger whose two joints one motor pulls by a tendon.",
    ),
    "CB1267": Entry(
        Severity.INFO,
        "loops that are open as drawn",
        "The two points of a `<connect>` or `<weld>` are apart in the reference pose, as the file rounds its numbers. "
        "MuJoCo pulls them together by soft forces; in cadbridge they stay as drawn if the gap is within rounding. "
        "Joints then differ between the two by about the gap divided by the length of the links.",
        "No action is needed; write the positions of the sites with more digits for a comparison with MuJoCo.",
        "The fingers of a hand whose sites are 6e-8 m apart: their joints differ by 6e-6 rad from MuJoCo's.",
    ),
    "CB1255": Entry(
        Severity.INFO,
        "a free joint beside an equality",
        "The body has a free joint, and equalities hold it. cadbridge joins the body by the equalities alone and "
        "exactly, so the free joint adds nothing; an exported MJCF has one of the equalities as a joint in its place.",
        "No action is needed.",
        "The platform of a Stewart platform: a free joint and six `<connect>`.",
    ),
    "CB1256": Entry(
        Severity.INFO,
        "keyframes of which only the positions are kept",
        "cadbridge keeps the positions of keyframes. It leaves out their velocities, controls, activations and times.",
        "Add them to an exported MJCF by hand.",
        '`<key name="home" qpos="0.3" ctrl="0.3"/>`.',
    ),
}

FAMILIES = (Family("mjcf", "MJCF", Stage.READING, ENTRIES, errors_leave_out=True),)
