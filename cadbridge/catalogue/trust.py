"""Whether a run is what its tolerances promise, and what may make it wrong."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB627": Entry(
        Severity.ERROR,
        "a run that cannot be trusted",
        "The run reached its end, and something in it is not what its tolerances, or its fixed step, promise: the rows "
        "of a joint or gear, or their rates, are not closed at a sample; energy is missing; a joint's angle does not "
        "agree with its body or its rate; or the motion computed again from a sample does not end at the next one. The "
        "message gives the figure and the time. The column `check.trusted` of the table is 0 where a sample is wrong. "
        "Positions and forces there may be wrong by any amount.",
        "Reduce `tolerance` in the scenario a hundredfold, or shorten `step`, and check whether the deviation falls. "
        "If it does not, compute the run by another `--method`, and check for bodies that are far too light or springs "
        "that are far too stiff.",
        "A linkage that passes a dead point with a crank of 1 mg and a rocker of 1 kg.",
    ),
    "CB628": Entry(
        Severity.WARNING,
        "a run that rejected most of its steps",
        "The solver rejected more steps than it accepted. Something in the motion is unpredictable for the step "
        "control: a jump of a load, a singular pose or a very light body. The result is within its tolerances.",
        "Check for a jump of a load or a very light body. Give a jump a rise time.",
        "A force that switches a thousand times a second.",
    ),
    "CB629": Entry(
        Severity.WARNING,
        "masses far apart in one closed loop",
        "Within a closed loop one body has more than 1e7 times the mass of another. The motion of the lighter one "
        "loses as many digits, and near a dead point it may be faster than any step resolves. The run checks its "
        "energy balance and reports the result.",
        "Give the lighter body its real mass, or omit its mass if it is negligible.",
        "A link of 1e-9 kg, as exporters write it, between two cranks of 1 kg.",
    ),
    "CB680": Entry(
        Severity.WARNING,
        "accelerations that do not satisfy the joints",
        "The solver refines accelerations until they satisfy all joints. Here a residual of more than a thousandth "
        "remained: joints contradict each other, or the mechanism is at a dead point, where no acceleration "
        "satisfies all of them. Positions and velocities are still projected onto the joints after each step, and "
        "CB627 checks the energy balance of the run.",
        "Look at the redundant joints in `cadbridge check`, and at the pose where the motion comes to a stop.",
        "A parallelogram linkage that passes its flat pose.",
    ),
    "CB682": Entry(
        Severity.INFO,
        "steps far shorter than the samples",
        "The run took more than 100,000 steps, and more than 1,000 for each sample: something vibrates far faster than "
        "the samples show, and the steps follow it. The result is not wrong for that, but the number of steps grows "
        "with the duration, and a run that needs more than 2e7 ends early (CB611). The message gives the number of "
        "steps and their mean length, the lightest and the heaviest body if their masses differ by more than 1e7, the "
        "stiffest spring, and a damper, dry friction or servo that settles in less than 0.1 ms (with which MuJoCo's "
        "RK4 is unstable at its usual steps). Before a run that does not begin at rest and in balance, `simulate` says "
        "up to how many steps are ahead: as many as what vibrates or settles fastest about the first pose takes. What "
        "slides all the time takes fewer.",
        "If a spring is stiff, set `integrator: generalized_alpha`, or replace the spring by a joint. If light bodies "
        "hold a heavy one, give them their real mass, or fix them to a neighbour. If dry friction is far above the "
        "loads of its joint, correct it, or raise `friction_speed`: ten times larger, it takes a tenth of the steps, "
        "and a joint at rest creeps ten times as fast. If the integrator is `generalized_alpha` already, loosen "
        "`tolerance` (a hundred times larger, it takes a tenth of the steps), or remove `integrator`.",
        "A hinge with a spring of 1e12 N m/rad vibrates with 270,000 Hz, and 1 s takes millions of steps.",
    ),
    "CB683": Entry(
        Severity.ERROR,
        "a run that depends on its tolerance",
        "A second run at another tolerance, or in absolute coordinates, ends elsewhere: a value of this run is off by "
        "more than a hundred times its tolerance. The motion amplifies small errors, errors add up over many steps, or "
        "stiff loads vibrate so fast that the steps of `generalized_alpha` leave the vibration out. The message gives "
        "the largest estimated error in each unit and the value that has it. The column `check.trusted` of the table "
        "is 0 from the first such sample on.",
        "If an error in the message is too large for you, reduce `tolerance` in the scenario: the errors fall with it. "
        "In a motion that amplifies errors they stay the same multiple of the tolerance, so this finding remains; then "
        "judge by the error itself. `simulate --confirm` repeats the run at a tenth of the tolerance and compares "
        "every column.",
        "A falling delta robot: a deviation from its symmetry grows 75-fold each half second.",
    ),
    "CB684": Entry(
        Severity.WARNING,
        "a run that could not be tested",
        "Whether the run is right could not be tested, for the reason in the message: it has one sample, it stopped "
        "early, nothing moves, masses are unknown, or mates contradict each other. The run counts as neither right nor "
        "wrong: `trusted` is null, and the exit status is 4 unless something else is wrong.",
        "Give masses or densities; take more samples.",
        "A cam train of parts without material, whose motion is prescribed.",
    ),
    "CB685": Entry(
        Severity.ERROR,
        "a run that its repetition does not confirm",
        "`--confirm` repeated the run at a tenth of its tolerance (with a fixed step: at half of it). A column "
        "differs by more than a hundred times what the tolerance suggests (accelerations and forces: ten thousand "
        "times). The message names the worst columns.",
        "Reduce `tolerance`, or shorten `step`, until the repetition agrees. If it never does, the motion "
        "is chaotic, and its end cannot be computed.",
        "A double pendulum after ten seconds.",
    ),
    "CB686": Entry(
        Severity.WARNING,
        "a pose at which branches of the motion meet",
        "The run passed a pose at which the equations of the joints lose rank and two or more branches of the motion "
        "meet. It continued along the branch to which its velocities lead; a small disturbance, a clearance or an "
        "error of the size of the tolerance can lead along another. With `--method auto` cadbridge computes such a run "
        "in absolute coordinates, in which legs that are alike stay alike. It also computed the interval again with a "
        "smaller tolerance: if that leads elsewhere, the run is wrong from there on (CB627). In mechanisms with more "
        "than 400 rows the message names the times at which branches may meet.",
        "Look at the motion after that time with `tolerance` a hundred times smaller. In a real mechanism, keep away "
        "from such a pose, or guide it there.",
        "Three legs that lie flat at the same moment can each go on up or down.",
    ),
}

FAMILIES = (Family("trust", "whether a run can be trusted", Stage.SIMULATION, ENTRIES),)
