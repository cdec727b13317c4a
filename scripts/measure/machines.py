#!/usr/bin/env python3
"""What recognition finds in public machines, held to what is true of them, in one table.

    python scripts/measure/machines.py FOLDER [NAME ...] [--truths FOLDER] [--misses] [--limit 300]

The truths are those of scripts/measure/machines; `source` in each says from which repository and commit its file is.
Nothing is fetched: FOLDER holds the files, as owner+name/path or as NAME.step. With `--truths` those of another folder
are read, also of the corpus. A pair is found where its two parts lie in two bodies with a joint of the true type
between them, its axis within 1 degree and 1 mm. Each machine is read in a process of its own, `--limit` seconds at
most; one that fails finds nothing. `--misses` says of each pair that is not found what there is instead,
and which bodies are wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from truths import Score, Truth, arguments_of, chosen, judge, load, source_of

from cadbridge.recognition import read_bare, recognise

HEAD = "| machine | population | pairs found/true/given | mobility found/true | bodies |\n|---|---|---|---|---|"


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    if arguments[:1] == ["--one"]:
        truth = load(Path(arguments[1]))
        print(json.dumps(asdict(judge(recognise(read_bare(arguments[2])), truth))))
        return
    parser = arguments_of(str(__doc__))
    parser.add_argument("--misses", action="store_true", help="say what there is instead of what is missed")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for a machine")
    told = parser.parse_intermixed_args(arguments)
    scores: list[tuple[Truth, Score]] = []
    print(HEAD)
    for truth in chosen(told):
        score = scored(truth, told)
        if isinstance(score, str):
            print(f"| {truth.name} | {truth.population} | 0/{len(truth.pairs)}/0 | -/{truth.freedoms} | {score} |")
            score = Score(0, len(truth.pairs), 0, None, truth.freedoms, False)
        else:
            print(line(f"{truth.name} | {truth.population}", [score], machine=True), flush=True)
            if told.misses:
                print("".join(f"    {miss}\n" for miss in score.misses), end="")
        scores.append((truth, score))
    for population in sorted({truth.population for truth, _ in scores}):
        own = [score for truth, score in scores if truth.population == population]
        print(line(f"{len(own)} machines | {population}", own))


def line(name: str, scores: Sequence[Score], machine: bool = False) -> str:
    """A row of the table: of a machine, or the sums of several."""
    found, true, given = (sum(column) for column in zip(*((s.found, s.true, s.given) for s in scores), strict=True))
    exact = sum(s.freedoms == s.true_freedoms for s in scores)
    either = sum(s.true_freedoms in (s.freedoms, (s.freedoms or 0) - s.spins) for s in scores)
    mobility = f"{exact} of {len(scores)} right, {either} with or without what only spins"
    bodies = f"{sum(s.bodies_right for s in scores)} of {len(scores)} right"
    if machine:
        less = f" (less {scores[0].spins} that only spin)" if scores[0].spins else ""
        mobility = f"{scores[0].freedoms}{less}/{scores[0].true_freedoms}"
        bodies = "right" if scores[0].bodies_right else "wrong"
    return f"| {name} | {found}/{true}/{given} | {mobility} | {bodies} |"


def scored(truth: Truth, told: argparse.Namespace) -> Score | str:
    """What is found of a machine, by a process of its own; else, why nothing is."""
    try:
        source = source_of(truth, told.folder)
    except ValueError as fault:
        return str(fault)
    if source is None:
        return "no file"
    command = [sys.executable, __file__, "--one", str(truth.file), str(source)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            out, err = process.communicate(timeout=told.limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return f"not done in {told.limit:g} s"
    if process.returncode:
        return f"failed: {(err.strip().splitlines() or [f'status {process.returncode}'])[-1]}"
    return Score(**json.loads(out.splitlines()[-1]))


if __name__ == "__main__":
    main(sys.argv[1:])
