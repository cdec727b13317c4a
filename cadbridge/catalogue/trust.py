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
        "The run took more than 100,000 steps, and more than 1,000 for each sample: something vibrates far faster "
        "than the samples show, and the tolerances resolve it. `simulate` says so before it begins where the "
        "fastest vibration about the first pose is known. The message gives the number of steps and their mean "
        "length, the masses if they differ by more than 1e7, the stiffest spring, and what its dampers or servos let "
        "settle in less than 0.1 ms. With the latter MuJoCo's RK4 is not stable at its usual steps; its implicit "
        "integrators are, and smooth it. This does not make the result wrong; the number of steps grows with the "
        "duration, and a run that needs more than 2e7 ends early (CB611).",
        "If a spring is stiff, set `integrator: generalized_alpha`, or replace the spring by a joint. If light bodies "
        "hold a heavy one, give them their real mass, or fix them to a neighbour. If it is `generalized_alpha` "
        "already, whose steps go with the root of the tolerance, loosen `tolerance`, or remove `integrator`.",
        "A hinge with a spring of 1e12 N m/rad vibrates with 270,000 Hz, and 1 s takes millions of steps.",
    ),
    "CB683": Entry(
        Severity.ERROR,
        "a run that depends on its tolerance",
        "A second run at another tolerance, or in absolute coordinates, ends elsewhere: some value of this one is off "
        "by more than a hundred times its tolerance. The motion amplifies small errors, or errors add up over many "
        "steps. Or stiff loads vibrate so fast that the steps of `generalized_alpha` leave the vibration out. The "
        "message gives the estimated largest error in each unit, and the value that has it. The column "
        "`check.trusted` of the table is 0 from the sample on at which that is so.",
        "Look at the figures. If an error is too large for you, reduce `tolerance` in the scenario: errors fall with "
        "it. In a motion that amplifies them they stay as many tolerances, however small those are; then the error "
        "itself counts. `simulate --confirm` repeats the run at a tenth of the tolerance and compares every column.",
        "A falling delta robot: a deviation from its symmetry grows 75-fold each half second.",
    ),
    "CB684": Entry(
        Severity.WARNING,
        "a run that could not be tested",
        "Whether the run is right could not be tested, for the reason in the message: it has one sample, it did not"
        " come to its end, masses are not known, or mates contradict each other. It is neither right nor wrong; "
        "`trusted` is then null and the exit status is 4, unless something else is wrong.",
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
        "The run passed a pose at which the equations of the joints lose rank, and at which two or more branches of "
        "the motion meet. It went on along the one that its speeds lead to; a small disturbance, a clearance or "
        "an error of the size of the tolerance can lead along another. With `--method auto` such a run is computed in "
        "the poses of the bodies, where legs that are alike stay alike. The interval was computed again with a smaller "
        "tolerance: if that leads elsewhere, the run is wrong from there on (CB627). Of mechanisms with more than 400 "
        "rows the message names the times at which branches may meet.",
        "Look at the motion after that time with `tolerance` a hundred times smaller. In a real mechanism, keep away "
        "from such a pose, or guide it there.",
        "Three legs that lie flat at the same moment can each go on up or down.",
    ),
}

FAMILIES = (Family("trust", "whether a run can be trusted", Stage.SIMULATION, ENTRIES),)
