"""`cadbridge batch jobs.yaml`: many jobs, each in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cadbridge.cli.options import Json

if TYPE_CHECKING:
    from cadbridge.jobs import Plan


def batch(
    jobs_file: Annotated[Path, typer.Argument(help="The jobs file (docs/jobs.md).", metavar="JOBS.YAML")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The folder of outputs, instead of the file's.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the jobs and run none.")] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="A job by name, or a pattern of names; may be repeated.")
    ] = None,
    timeout: Annotated[float | None, typer.Option("--timeout", min=1e-3, help="Seconds a job may take.")] = None,
    memory: Annotated[str | None, typer.Option("--memory", help="What a job may use, such as 2GB.")] = None,
    json: Json = False,
) -> None:
    """Run the jobs of a file; one bad job never stops the rest."""
    from cadbridge.cli.output import say_findings
    from cadbridge.errors import InputError
    from cadbridge.jobs import load
    from cadbridge.jobs.schema import memory_bytes

    overrides = {key: value for key, value in (("timeout", timeout), ("memory", memory)) if value is not None}
    if memory is not None:
        try:
            memory_bytes(memory)
        except ValueError as error:
            raise InputError(f"--memory: {error}") from None
    plan = load(jobs_file, output, overrides)
    if only:
        plan = plan.only(only)
    say_findings(plan.findings)
    if dry_run:
        _list(plan, json)
        return


def _list(plan: Plan, json: bool) -> None:
    """The jobs as they would be run."""
    from cadbridge.cli.output import print_json
    from cadbridge.jobs.model import shown

    if json:
        jobs = [
            {"name": j.name, **j.order, "folder": str(j.folder), "timeout": j.timeout, "memory": j.memory}
            for j in plan.jobs
        ]
        print_json({"format": "cadbridge.batch/1", "output": str(plan.output), "jobs": jobs})
        return
    for job in plan.jobs:
        to = f" to {job.options['to']}" if "to" in job.options else ""
        typer.echo(f"{shown(job.name)}: {job.do} {shown(job.source)}{to}")
