"""`scripts/fuzz`: so many broken files of each format, a table, and those that failed kept in a folder."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from fuzzing.case import Outcome, run
from fuzzing.mutate import WAYS

ROOT = Path(__file__).resolve().parents[2]
ENDINGS = (".urdf", ".xacro", ".sdf", ".xml", ".mjcf", ".json", ".asmt", ".yaml", ".slx", ".py", ".fcstd")
LARGEST = 200_000
"""Bytes of a seed."""
KINDS = ("fine", "refused", "exception", "hang", "crash")


def seeds() -> dict[str, list[Path]]:
    """Sound files by ending: the fixtures, and the folder of CADBRIDGE_CORPUS where it is set."""
    found: dict[str, list[Path]] = defaultdict(list)
    folders = [ROOT / "fixtures", *(Path(p) for p in [os.environ.get("CADBRIDGE_CORPUS")] if p)]
    for path in sorted(p for folder in folders for p in folder.rglob("*")):
        ours = path.suffix == ".yaml" and not path.name.endswith(".mates.yaml")
        if path.suffix.lower() not in ENDINGS or ours or (path.suffix == ".py" and path.is_relative_to(ROOT)):
            continue
        if path.is_file() and 0 < path.stat().st_size <= LARGEST:
            found[path.suffix.lower()].append(path)
    return dict(found)


def _source(broken: Path, seed: Path) -> Path:
    """What is read: the broken file itself, or the source that a broken mates file lies over."""
    if not seed.name.endswith(".mates.yaml"):
        return broken
    stem = seed.name.removesuffix(".mates.yaml")
    beside = [p for p in sorted(seed.parent.glob(f"{stem}.*")) if p.suffix in (".urdf", ".sdf", ".xml")]
    if not beside:
        return broken
    shutil.copy(beside[0], broken.parent)
    return broken.parent / beside[0].name


def cases(ending: str, files: list[Path], count: int, seed: int) -> Iterator[tuple[int, str, Path, bytes]]:
    """Number, way, seed and content of each broken file; the same for the same `seed`."""
    for number in range(count):
        chance = random.Random(f"{seed} {ending} {number}")
        path, way = chance.choice(files), chance.choice(sorted(WAYS))
        yield number, way, path, WAYS[way](path.read_bytes(), chance)


def one(content: bytes, seed: Path) -> Outcome:
    """A broken file in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        broken = Path(name) / seed.name
        broken.write_bytes(content)
        out = Path(name) / "out"
        out.mkdir()
        return run(_source(broken, seed), out)


def main() -> int:
    """The number of failures, 1 at most."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100, help="of each format (100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one ending, such as .urdf")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"), help="where failing files are kept")
    parser.add_argument("--case", type=int, help="this case only, with its traceback")
    asked = parser.parse_args()
    import cadbridge as cb  # once, for all children

    cb.simulate(cb.build(cb.read(ROOT / "fixtures/four_bar/four_bar.urdf")), duration=0.01)
    failed = False
    print(f"{'format':8}" + "".join(f"{kind:>11}" for kind in KINDS) + f"{'slowest s':>11}")
    for ending, files in sorted(seeds().items()):
        if asked.only not in (None, ending):
            continue
        counted, slowest = Counter[str](), 0.0
        for number, way, path, content in cases(ending, files, asked.cases, asked.seed):
            if asked.case not in (None, number):
                continue
            outcome = one(content, path)
            counted[outcome.kind] += 1
            slowest = max(slowest, outcome.seconds)
            if outcome.kind in ("exception", "hang", "crash"):
                failed = True
                folder = asked.keep / f"{ending[1:]}-{asked.seed}-{number}-{way}"
                folder.mkdir(parents=True, exist_ok=True)
                (folder / path.name).write_bytes(content)
                (folder / "said.txt").write_text(outcome.said, encoding="utf-8")
                print(f"  {ending} {number} ({way} of {path.name}): {outcome.kind}; kept in {folder}")
                print("    " + (outcome.said.strip().splitlines() or [""])[-1])
        print(f"{ending:8}" + "".join(f"{counted[kind]:11}" for kind in KINDS) + f"{slowest:11.1f}", flush=True)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
