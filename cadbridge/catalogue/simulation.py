"""Codes CB6xx, simulation."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB601": Entry(
        Severity.ERROR,
        "a fault of form in the scenario file",
        "The scenario file has an unknown key, a missing key or a wrong value at the place given.",
        "See docs/scenario.md for the keys and their units.",
        "`durration: 5`.",
    ),
    "CB602": Entry(
        Severity.ERROR,
        "a joint that cannot be driven",
        "The scenario names a joint, mate or drive that does not exist, or one without a single freedom.",
        "Name one of the revolute or prismatic joints that `cadbridge check` lists.",
        "`motors: {A7: 1.5}` of a robot with six axes.",
    ),
    "CB603": Entry(
        Severity.ERROR,
        "a function of time that cannot be read",
        "A motor's value is a number, an expression of t, or a table of [time, value]; this one is none.",
        'Write a number, an expression such as "0.4*sin(2*pi*t)", or {table: [[0, 0], [1, 90]]}.',
        '`value: "sin(2*pi*t"` without its closing bracket.',
    ),
    "CB604": Entry(
        Severity.ERROR,
        "a component that is not there",
        "A load of the scenario names a component that does not exist, or a last name that several have.",
        "Name a component as `cadbridge inspect` does, or `ground`.",
        "A load on component Grippr.",
    ),
    "CB605": Entry(
        Severity.ERROR,
        "a load that can do nothing",
        "Both ends of a spring or bushing are on one rigid body, a wrench acts on the ground or is none, axes have no "
        "direction, or a stop has no range.",
        "Name two components that move against each other, or give what is missing.",
        "A spring whose two ends are both on the base.",
    ),
    "CB610": Entry(
        Severity.ERROR,
        "a body without a mass",
        "Without mass properties there is no motion to compute, and none are made up.",
        "Give a density (--density, --material, or `density:` in the mates file) or a mass.",
        "An arm without a density: give --density or a material.",
    ),
    "CB611": Entry(
        Severity.ERROR,
        "the run did not come to its end",
        "The solver stopped at the time given; what was computed up to there is kept.",
        "Follow the advice of the message.",
        "A linkage that was driven on to a pose that its bars do not reach.",
    ),
    "CB612": Entry(
        Severity.WARNING,
        "a joint beyond its limits",
        "The joint passed one of its limits. Nothing stops it there unless the scenario sets `limits: stop`.",
        "Say `limits: stop`, change the motors or the initial state, or take the run as one without stops.",
        "A hinge of ±90° that falls to 120°.",
    ),
    "CB613": Entry(
        Severity.WARNING,
        "friction or damping that is not simulated",
        "The scenario says `friction: ignore`, or the joint has several turns, so that one number does not say "
        "how each of them is resisted; or no body carries both wheels of a gear pair with an efficiency by turns "
        "about their axes, so that it is not known against what they lose. Motors found without it are too small.",
        "Take it for nothing, or say springs, bushings and friction in the scenario; look at the `carrier` of a gear.",
        "A cylindrical joint with one coefficient for turn and travel.",
    ),
    "CB614": Entry(
        Severity.ERROR,
        "an initial state that the mechanism cannot take",
        "No pose fulfils the constraints and all the requested joint values.",
        "Give fewer values, or values that fit each other.",
        "`initial: {A: 30, B: 40}` where a gear makes B −60 for 30 of A.",
    ),
    "CB615": Entry(
        Severity.WARNING,
        "a motion of the file that is not followed",
        "The source prescribes a motion or a velocity that the mechanism cannot follow; it is left out.",
        "Give the motion on a joint of one freedom, in a scenario.",
        "A file that prescribes both cranks of one four-bar.",
    ),
    "CB616": Entry(
        Severity.ERROR,
        "a run that differs from its reference",
        "Positions or velocities leave the trajectory that the source holds by more than the tolerance that it states.",
        "Tighten the tolerance of the run; else look for mates, masses or velocities that were not understood.",
        "Positions differ by 3 mm after one second; the file states an error of 1e-6.",
    ),
    "CB617": Entry(
        Severity.WARNING,
        "motion without masses",
        "Masses are not known, but drivers prescribe every motion, so that positions do not depend on them. Forces "
        "and energies are not computed.",
        "Give the masses where forces are wanted.",
        "A crank driven at constant speed in a file without masses.",
    ),
    "CB618": Entry(
        Severity.WARNING,
        "a reference that does not hold its own tolerance",
        "Nothing drives or damps the motion, so its energy must stay; that of the reference strays by more than "
        "the tolerance that it states, so that no exact solution can lie within that tolerance of it.",
        "Compare at the size of the reference's real error, or have it computed again more finely.",
        "A pendulum without friction whose energy grows by 1 % in the file's own run.",
    ),
    "CB619": Entry(
        Severity.ERROR,
        "a run that the tree method cannot compute",
        "The tree method takes collapsed joints and explicit integrators only.",
        "Leave out `--method tree`, or the option that the message names.",
        "`--method tree` with an implicit integrator.",
    ),
    "CB620": Entry(
        Severity.ERROR,
        "a change that has no meaning",
        "An event at a time attaches what is attached, releases or locks what is not there, welds a body to itself, or "
        "comes after the end of the run.",
        "Look at what is attached and locked at that time; see docs/scenario.md.",
        "`release: gripper` at 2 s, of a gripper that was never attached.",
    ),
    "CB621": Entry(
        Severity.ERROR,
        "parts that do not meet",
        "A change attaches parts that are not where they would be held; the run ends there, with what was computed.",
        "Lead the parts to where they meet, or change the time.",
        "A part to be gripped that lies 40 mm from the gripper.",
    ),
    "CB622": Entry(
        Severity.ERROR,
        "a change that needs an impulse",
        "The rates at that time do not fit what is attached or locked: they would have to jump, by an impulse of the "
        "size in the message. The run ends there.",
        "Let the parts meet without a jump of their rates, or say `impact: plastic`.",
        "A gripper that closes on a moving part.",
    ),
    "CB623": Entry(
        Severity.ERROR,
        "a change that leaves nothing to compute",
        "What is left after the release has a freedom without inertia. The run ends there.",
        "Give the body a mass, or hold it before.",
        "The last mate of a weightless link is released.",
    ),
    "CB624": Entry(
        Severity.WARNING,
        "couplings that come apart",
        "A joint that is released carried gears or other couplings; they cease to act with it. They do not mesh again "
        "when the joint is attached, since the meshing tooth is unknown.",
        "Take it so, or lock what should keep its gears.",
        "The hinge of a gear wheel is released.",
    ),
    "CB625": Entry(
        Severity.INFO,
        "mates that contradict each other by rounding",
        "Mates that repeat others cannot all hold exactly, as a CAD file rounds its dimensions. They differ by less "
        "than the scenario's `gap`, so that the nearest mechanism is computed in which they all hold along the whole "
        "motion: its joints sit elsewhere on their parts by the amount in the message.",
        "Take it so; or leave out the mates that `cadbridge check` calls repeated, or set `gap` smaller.",
        "A Bennett linkage whose twists are written with six digits.",
    ),
    "CB626": Entry(
        Severity.WARNING,
        "mates that jam",
        "Mates that repeat others contradict them by little as designed, but no mechanism within the scenario's `gap` "
        "was found in which all hold along the motion (or too many hang together to look for it): built so, it would "
        "jam or bend. It is computed as it is, and may not move.",
        "Look at the mates named; or allow a larger `gap`.",
        "A Bennett linkage whose twists are written with three digits.",
    ),
    "CB627": Entry(
        Severity.ERROR,
        "a run that cannot be trusted",
        "The run came to its end, but its energy balance or its joints are off by more than its tolerances, or its "
        "fixed step, allow: positions and forces may be wrong by any amount.",
        "Set `rtol` and `atol` a hundred times smaller, or a shorter `step`, and see whether the figure falls with it; "
        "else look for bodies that are far too light or springs that are far too stiff.",
        "A linkage that passes a dead point with a crank of 1 mg and a rocker of 1 kg.",
    ),
    "CB628": Entry(
        Severity.WARNING,
        "a run that rejected most of its steps",
        "More steps were tried and rejected than taken: the motion has something that the step control cannot foresee, "
        "such as a jump of a load, a singular pose or a very light body. The result holds its tolerances.",
        "Look for a load that jumps or a very light body; give a jump a rise time.",
        "A force that switches a thousand times a second.",
    ),
    "CB629": Entry(
        Severity.WARNING,
        "masses far apart in one closed loop",
        "Within a closed loop one body has more than 1e7 times the mass of another. The lighter one's motion is "
        "computed with as many digits fewer, and near a dead point it may be faster than any step resolves. The run "
        "checks its energy balance and tells what it finds.",
        "Give the lighter body its real mass, or leave the mass out where it is to count for nothing.",
        "A link of 1e-9 kg, as exporters write it, between two cranks of 1 kg.",
    ),
    "CB1240": Entry(
        Severity.WARNING,
        "a reference that stands still",
        "All samples of the time series that the source holds have the same poses, while the run moves: the series was "
        "written before the motion was computed. Nothing can be compared.",
        "Compute the series again in the program that wrote the file; look at the run itself for its own checks.",
        "A file saved by FreeCAD after the assembly was solved, but not simulated.",
    ),
    "CB1241": Entry(
        Severity.INFO,
        "a reference without velocities",
        "Parts move in the time series that the source holds, and their velocities are missing or all 0. Positions and "
        "orientations are compared, velocities are not.",
        "Nothing, where positions are enough; else compute the series again with a program that writes velocities.",
        "A series of positions that were computed pose by pose.",
    ),
    "CB1242": Entry(
        Severity.WARNING,
        "a reference that breaks its own mates",
        "The time series that the source holds does not fulfil the mates and motions of the same file: its solver gave "
        "up equations that it took for redundant, or its tolerance was loose. No run that fulfils them can lie within "
        "the tolerance of such a series.",
        "Mend the joint that is named, in the program that wrote the file, and compute the series again; what agrees "
        "apart from it is said in the message.",
        "A shaft that leaves its cylindrical joint by 14°, since one of the joint's equations repeats others at the "
        "first pose.",
    ),
    "CB1243": Entry(
        Severity.WARNING,
        "a reference computed with what is left out here",
        "The source has joints, forces or motions that are not carried over, and its time series was computed with "
        "them. That the run differs is no fault of the run, and nothing is known of the rest.",
        "Give what is left out in a mates file or a scenario, where it has an equal there; see the finding of each.",
        "A cam and its follower, whose contact is left out: the follower falls in the run.",
    ),
}

FAMILIES = (Family("simulation", "simulation", Stage.SIMULATION, ENTRIES),)
