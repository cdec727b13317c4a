"""`scripts/fuzz`: so many broken files of each format, a table, and those that failed kept in a folder."""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fuzzing.case import KINDS, Outcome, Runner
from fuzzing.mutate import DEEPER, OF_STEP, STEP_WAYS, WAYS, within
from fuzzing.seeds import Seed, copied, seeds

ROUND = 50
"""Cases of a format before the next one's: a run that is stopped has seen all formats alike."""


@dataclass
class Row:
    """What became of the cases of a format."""

    kinds: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    largest: int = 0

    def add(self, outcome: Outcome) -> None:
        """Count a case."""
        self.join(Row(Counter([outcome.kind]), outcome.seconds, outcome.memory))

    def join(self, other: Row) -> None:
        """Count the cases of another row."""
        self.kinds += other.kinds
        self.slowest = max(self.slowest, other.slowest)
        self.largest = max(self.largest, other.largest)


def cases(
    kind: str, sound: Sequence[Seed], numbers: Sequence[int], seed: int
) -> Iterator[tuple[int, str, Seed, bytes]]:
    """Number, way, seed and content of each broken file; the same for the same `seed`."""
    known, often = (STEP_WAYS, OF_STEP) if kind.startswith("step") else (WAYS, ())
    for number in numbers:
        chance = random.Random(f"{seed} {kind} {number}")
        at, way = chance.choice(sound), chance.choice([*sorted(WAYS), *DEEPER, *often])
        data = (at.folder / at.broken).read_bytes()
        broken = known[way](data, chance) if at.inner is None else within(data, at.inner, known[way], chance)
        yield number, way, at, broken


def one(runner: Runner, content: bytes, seed: Seed) -> Outcome:
    """A broken file in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        folder = Path(name)
        copied(seed, folder)
        (folder / seed.broken).write_bytes(content)
        return runner.run(seed.way, folder, seed.source, seed.broken)


def warm(sound: dict[str, list[Seed]]) -> None:
    """Sound files once in every way: kernels that are compiled at first use, and kept, are no hang of a case."""
    runner, ways = Runner(seconds=900.0), {file.way: file for files in sound.values() for file in files}
    for file in ways.values():
        for ends in (b"", b"\n", b"\n\n", b"\n\n\n"):  # what is done with it goes by its content
            one(runner, (file.folder / file.broken).read_bytes() + ends, file)
    runner.close()


def fuzz(
    sound: dict[str, list[Seed]],
    count: int,
    seed: int,
    keep: Path,
    until: float = float("inf"),
    case: int | None = None,
    log: Path | None = None,
) -> dict[str, Row]:
    """Run `count` cases of each format, in turns, as long as the clock (time.monotonic) has not passed `until`.

    A `log` gains a line for each turn of a format; turns that it has are counted and not run again.
    """
    rows: dict[str, Row] = {kind: Row() for kind in sound}
    runner = Runner()
    done = _logged(log)
    try:
        for first in [case] if case is not None else range(0, count, ROUND):
            numbers = [case] if case is not None else range(first, min(first + ROUND, count))
            for kind, files in sound.items():
                name = f"{kind} {seed} {numbers[0]}-{numbers[-1]}"
                row = done.get(name, Row())
                for number, way, at, content in cases(kind, files, numbers, seed) if name not in done else ():
                    if time.monotonic() > until:
                        rows[kind].join(row)
                        return rows
                    outcome = one(runner, content, at)
                    row.add(outcome)
                    if outcome.kind not in ("fine", "refused"):
                        _keep(keep / f"{kind}-{seed}-{number}-{way}", at, content, outcome)
                rows[kind].join(row)
                if log is not None and name not in done:
                    with log.open("a", encoding="utf-8") as lines:
                        lines.write(json.dumps({"turn": name, **vars(row)}) + "\n")
            print(f"{min(first + ROUND, count)} of each", file=sys.stderr, flush=True)
    finally:
        runner.close()
    return rows


def _logged(log: Path | None) -> dict[str, Row]:
    """The turns of a log by their names; of those that stand there twice, the last."""
    lines = log.read_text(encoding="utf-8").splitlines() if log is not None and log.exists() else []
    return {(e := json.loads(line))["turn"]: Row(Counter(e["kinds"]), e["slowest"], e["largest"]) for line in lines}


def _keep(folder: Path, seed: Seed, content: bytes, outcome: Outcome) -> None:
    """The folder of a case that failed, and what was said."""
    shutil.rmtree(folder, ignore_errors=True)
    copied(seed, folder)
    (folder / seed.broken).write_bytes(content)
    (folder / "said.txt").write_text(outcome.said, encoding="utf-8", errors="backslashreplace")
    print(f"  {outcome.kind}: {folder} ({seed.broken}; {outcome.seconds:.1f} s, {outcome.memory >> 20} MB)", flush=True)
    print("    " + (outcome.said.strip().splitlines() or [""])[-1][:200], flush=True)


def table(rows: dict[str, Row]) -> str:
    """The rows as text."""
    lines = [f"{'format':18}{'cases':>7}" + "".join(f"{k:>10}" for k in KINDS) + f"{'slowest s':>11}{'most MB':>9}"]
    for kind, row in rows.items():
        counts = "".join(f"{row.kinds[k]:10}" for k in KINDS)
        lines.append(f"{kind:18}{row.kinds.total():7}{counts}{row.slowest:11.1f}{row.largest >> 20:9}")
    return "\n".join(lines)


def main() -> int:
    """1 where a case failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100, help="of each format (100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", help="one format, such as urdf; repeat it for several")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--keep", type=Path, default=Path("out/fuzz-failures"), help="where failing files are kept")
    parser.add_argument("--case", type=int, help="this case only, with its traceback")
    parser.add_argument("--log", type=Path, help="turns that this file has are not run again; take lines out to do so")
    asked = parser.parse_args()
    until = time.monotonic() + 60.0 * asked.minutes
    with tempfile.TemporaryDirectory(prefix="fuzz-seeds-") as name:
        corpus = os.environ.get("CADBRIDGE_CORPUS")
        sound = seeds(Path(name), Path(corpus) if corpus else None)
        unknown = sorted(set(asked.only or ()) - set(sound))
        if unknown:
            parser.error(f"no format {', '.join(unknown)}; formats are {', '.join(sound)}")
        sound = {kind: found for kind, found in sound.items() if asked.only is None or kind in asked.only}
        warm(sound)
        rows = fuzz(sound, asked.cases, asked.seed, asked.keep, until, asked.case, asked.log)
    print(table(rows))
    return int(any(row.kinds[k] for row in rows.values() for k in KINDS[2:]))


if __name__ == "__main__":
    raise SystemExit(main())
