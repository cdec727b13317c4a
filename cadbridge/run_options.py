"""Options of a simulation, the same for the command line, jobs and Python."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cadbridge.options import option, words_of


@dataclass(frozen=True)
class RunOptions:
    """What is simulated, and how: the options of `cadbridge simulate`, jobs and sweeps.

    Attributes:
        scenario: The scenario's file; None takes gravity and what the source itself asks for.
        duration: s, in place of the scenario's.
        collapse: False passes every row of every mate to the solver, redundant ones too.
        method: "absolute" computes the pose of every body, "tree" the minimal coordinates of a spanning tree, "auto"
            the latter where loops or gears close the mechanism.
        columns: Groups and patterns of the columns that are written; none: all.
        column_units: "si" or "scenario" (degrees, mm, bar).
    """

    scenario: Path | None = option(
        None, "--scenario", Path, "Scenario file: gravity, motors, initial state, duration, tolerances."
    )
    duration: float | None = option(
        None, "--duration", float, "Duration in s, overriding the scenario.", least=1e-9, metavar="SECONDS"
    )
    collapse: bool = option(
        True, "--keep-redundant", bool, "Keep all rows of all mates, and give the wrench of each mate.",
        value=lambda keep: not keep,
    )  # fmt: skip
    method: str = option(
        "auto",
        "--method",
        ("auto", "absolute", "tree"),
        "Integrate the poses of all bodies (absolute), or joint coordinates of a spanning tree (tree); "
        "auto: the tree where loops or gears close the mechanism.",
    )
    columns: tuple[str, ...] = option(
        (),
        "--columns",
        str,
        "Write only these groups (bodies, joints, reactions, mates, motors, loads, gears, attachments, energy, "
        "checks) and column patterns such as 'joint.A1.*'; separate them by commas, or repeat the option.",
        many=True,
        value=lambda given: tuple(words_of("--columns", given)),
        metavar="NAMES",
    )
    column_units: str = option(
        "si", "--column-units", ("si", "scenario"), "Units of the columns: rad, m, Pa; or degrees, mm, bar."
    )
