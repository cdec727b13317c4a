"""The command line of `scripts/bench`."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Collection
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmark import imports, longrun, report
from benchmark.cases import CASES
from benchmark.comparing import compare
from benchmark.engines import FILES, OWN
from cadbridge.version import __version__

QUICK = ("chain 6", "chain 43", "four-bars 2", "redundant four-bar", "Bricard")
PACKAGES = {
    "cadbridge": "cadbridge",
    "cadbridge-tree": "cadbridge",
    "pinocchio": "pin",
    "mujoco": "mujoco",
    "exudyn": "exudyn",
    "drake": "drake",
    "simbody": "opensim",
}


def main(arguments: list[str] | None = None) -> None:
    """Compare, print the tables, and write them with the data and the plot."""
    asked = _parse(arguments)
    if asked.long_run:
        longrun.main(asked.long_run)
        return
    asked.out.mkdir(parents=True, exist_ok=True)
    results = []
    heading = _heading(asked.engines)
    read: dict[str, Any] = {}
    for name in asked.cases:
        if name == imports.NAME:
            print(f"{name}: some minutes", file=sys.stderr)
            with tempfile.TemporaryDirectory() as folder:
                read = imports.compare(Path(folder))
        else:
            results.append(compare(CASES[name](), asked.engines, asked.seconds, lambda s: print(s, file=sys.stderr)))
        # Rewritten after every case: a run that is stopped keeps what it has done.
        data = {"heading": heading, "results": results, "import": read}
        (asked.out / "bench.json").write_text(json.dumps(data, indent=1, ensure_ascii=False), encoding="utf-8")
        tables = report.text(results, asked.engines, heading, read)
        (asked.out / "bench.md").write_text(tables, encoding="utf-8")
    if results:
        report.plot(results, asked.engines, asked.out / "bench.png")
    print(tables)
    print(f"written to {asked.out}: bench.md, bench.json, bench.png")


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench", description="The solver beside its peers.")
    parser.add_argument("--quick", action="store_true", help="small cases and 5 s an engine")
    every = (*CASES, imports.NAME)
    parser.add_argument("--cases", type=_some(every), help=f"comma-separated, of: {', '.join(every)}")
    parser.add_argument("--engines", type=_some(FILES), help=f"comma-separated, of: {', '.join(FILES)}")
    parser.add_argument("--seconds", type=float, help="after so many an engine starts no finer run of a case")
    parser.add_argument(
        "--long-run", type=int, metavar="STEPS", help="only this: so many steps, and what memory they hold"
    )
    parser.add_argument("-o", dest="out", type=Path, default=Path("out/bench"), help="the folder to write to")
    asked = parser.parse_args(arguments)
    asked.cases = asked.cases or (QUICK if asked.quick else every)
    asked.engines = asked.engines or list(FILES)
    asked.seconds = asked.seconds or (5.0 if asked.quick else 30.0)
    return asked


def _some(names: Collection[str]) -> Callable[[str], list[str]]:
    def chosen(text: str) -> list[str]:
        found = [part.strip() for part in text.split(",") if part.strip()]
        wrong = [part for part in found if part not in names]
        if wrong or not found:
            raise argparse.ArgumentTypeError(f"there is no {', '.join(wrong) or 'name'}")
        return found

    return chosen


def _heading(engines: list[str]) -> str:
    told = []
    for name in engines:
        if PACKAGES[name] == OWN:  # the code that runs: metadata of an editable install may be of an older one
            told.append(f"{name} {__version__}")
            continue
        try:
            told.append(f"{name} {version(PACKAGES[name])}")
        except PackageNotFoundError:
            told.append(f"{name} (not installed)")
    when = datetime.datetime.now(datetime.UTC)
    return (
        f"{when:%Y-%m-%d %H:%M} UTC, {_processor()}, {os.cpu_count()} cores (one used), {platform.system()}, "
        f"Python {platform.python_version()}; {', '.join(told)}.\n"
    )


def _processor() -> str:
    """The processor's name as the system tells it."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
