"""`cadbridge batch jobs.yaml`: many jobs, each in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cadbridge.cli.failing import prints_errors
from cadbridge.cli.options import Json
from cadbridge.documents import FORMATS

if TYPE_CHECKING:
    from cadbridge.jobs import Plan, Result
    from cadbridge.jobs.distributed import Dask
    from cadbridge.jobs.local import Local


class Ship(StrEnum):
    """What goes to the workers of a scheduler."""

    PATHS = "paths"
    CONTENT = "content"


JobsFile = Annotated[Path, typer.Argument(help="The jobs file (docs/jobs.md).", metavar="JOBS.YAML")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write outputs into this folder instead of the file's.", metavar="FOLDER"),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="List the jobs without running them.")]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", help="Run only this job, or jobs that match this pattern; may be repeated."),
]
Workers = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Number of parallel jobs; by default one for each core.")
]
FailFast = Annotated[bool, typer.Option("--fail-fast", help="Start no further jobs after a failure.")]
Timeout = Annotated[float | None, typer.Option("--timeout", min=1e-3, help="Time limit of a job in processor seconds.")]
Memory = Annotated[str | None, typer.Option("--memory", help="Memory limit of a job, such as 2GB.")]
Cache = Annotated[Path | None, typer.Option("--cache", help="Cache folder.", metavar="FOLDER")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Ignore the cache: compute everything and store nothing.")]
Scheduler = Annotated[str | None, typer.Option("--scheduler", help="A Dask scheduler (tcp://…) or its scheduler file.")]
Shipped = Annotated[
    Ship, typer.Option("--ship", help="Send the scheduler's workers file paths (shared disk) or file contents.")
]
Watch = Annotated[bool, typer.Option("--watch", help="Keep running, and run jobs again when their files change.")]


@prints_errors("batch", "jobs_file")
def batch(
    jobs_file: JobsFile, output: Output = None, dry_run: DryRun = False, only: Only = None, workers: Workers = None,
    fail_fast: FailFast = False, timeout: Timeout = None, memory: Memory = None, cache: Cache = None,
    no_cache: NoCache = False, scheduler: Scheduler = None, ship: Shipped = Ship.PATHS, watch: Watch = False,
    json: Json = False,
) -> None:  # fmt: skip
    """Run many jobs from a file; a failing job does not stop the others.

    Exit status 0: all is well; 1: some job failed, or a pattern matches no file; 2: the jobs file cannot be used.
    """
    from cadbridge.cli.output import print_findings
    from cadbridge.jobs import load

    def planned() -> Plan:
        plan = load(jobs_file, output, overrides(timeout, memory))
        return plan.only(only) if only else plan

    plan = planned()
    print_findings(plan.findings)
    if dry_run:
        _list(plan, json)
        return
    how = {"workers": workers, "fail_fast": fail_fast, "cache": cache or not no_cache}
    with executor_of(scheduler, ship, keep=watch) as executor:
        results = run_plan(plan, json, {**how, "executor": executor})
        if watch:
            _stay(plan, results, planned, {**how, "executor": executor})
    unmatched = any(finding.code == "CB704" for finding in plan.findings)
    raise typer.Exit(0 if all(result.ok for result in results) and not unmatched else 1)


def _stay(plan: Plan, results: list[Result], planned: Callable[[], Plan], how: dict[str, Any]) -> None:
    """Run again after each change, until Ctrl-C."""
    from cadbridge.cli.output import print_error, say
    from cadbridge.errors import InputError
    from cadbridge.jobs.model import shown
    from cadbridge.jobs.watching import changes

    while True:
        say("watching; Ctrl-C ends it")
        changed = changes(plan, results)
        say(f"changed: {', '.join(shown(str(path)) for path in sorted(changed)[:5])}")
        try:
            plan = planned()
            results = run_plan(plan, False, how)
        except InputError as error:
            print_error(error)  # a jobs file half edited; the next change may mend it


@contextmanager
def executor_of(scheduler: str | None, ship: Ship, keep: bool) -> Iterator[Dask | Local | None]:
    """Where the jobs run: on a scheduler's workers where one is named, else here; `keep` warm for several runs."""
    if scheduler is None and not keep:
        yield None
        return
    executor: Dask | Local
    if scheduler is None:
        from cadbridge.jobs.local import Local

        executor = Local()
    else:
        from cadbridge.jobs.distributed import Dask

        executor = Dask(scheduler, ship.value)
    try:
        yield executor
    finally:
        executor.close()


def overrides(timeout: float | None, memory: str | None) -> dict[str, Any]:
    """Options of the command line that replace those of every job; InputError for a size that is none."""
    from cadbridge.errors import InputError
    from cadbridge.jobs.schema import memory_bytes

    if memory is not None:
        try:
            memory_bytes(memory)
        except ValueError as error:
            raise InputError(f"--memory: {error}") from None
    return {key: value for key, value in (("timeout", timeout), ("memory", memory)) if value is not None}


def run_plan(plan: Plan, json: bool, how: dict[str, Any]) -> list[Result]:
    """Run a plan with its progress shown, write and print the summary."""
    from cadbridge.cli.output import print_json, say
    from cadbridge.cli.progress import shown_progress
    from cadbridge.jobs import run, write_summary
    from cadbridge.jobs.summary import document, table

    results: list[Result] = []
    with shown_progress() as progress:
        for result in run(plan, progress=progress.update, **how):
            results.append(result)
            progress.ended(result)
    _, index = write_summary(plan, results)
    if json:
        print_json(document(plan, results))
    else:
        typer.echo(table(plan, results))
        say(f"{index} links the reports")
    return results


def _list(plan: Plan, json: bool) -> None:
    """The jobs as they would be run."""
    from cadbridge.cli.output import print_json
    from cadbridge.jobs.model import shown

    if json:
        jobs = [
            {"name": j.name, **j.order, "folder": str(j.folder), "timeout": j.timeout, "memory": j.memory}
            for j in plan.jobs
        ]
        print_json({"format": FORMATS["batch"], "output": str(plan.output), "jobs": jobs})
        return
    for job in plan.jobs:
        to = f" to {job.options['to']}" if "to" in job.options else ""
        typer.echo(f"{shown(job.name)}: {job.do} {shown(job.source)}{to}")
