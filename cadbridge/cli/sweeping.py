"""`cadbridge simulate --sweep`: many runs at once, one table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cadbridge.cli.options import Reading
    from cadbridge.run_options import RunOptions
    from cadbridge.sweeps import SweepTable


def refuse_others(others: dict[str, Any], options: RunOptions) -> None:
    """InputError for options that go with a single run."""
    from cadbridge.errors import InputError

    given = [flag for flag, value in others.items() if value]
    given += ["--columns"] if options.columns else []
    given += ["--column-units"] if options.column_units != "si" else []
    if given:
        raise InputError(
            f"{', '.join(given)} {'goes' if len(given) == 1 else 'go'} with a single run, not with --sweep. "
            "`keep:` in the sweep file chooses the columns."
        )


def run_sweep(
    reading: Reading, options: RunOptions, what: Path, output: Path, workers: int | None, keep_going: bool,
    limits: bool | None,
) -> SweepTable:  # fmt: skip
    """Read the source once, simulate all points with a progress bar, and write the table."""
    from cadbridge.cli.output import progress_bar, working
    from cadbridge.files import refuse_output
    from cadbridge.simulation.trajectory import check_ending
    from cadbridge.sweeps import sweep, write_sweep

    check_ending(output)
    refuse_output(output)
    mechanism = reading.limited_mechanism(keep_going, limits)
    with progress_bar("simulating the runs", 1.0) as progress:
        table = sweep(
            mechanism,
            what,
            options.scenario,
            duration=options.duration,
            collapse=options.collapse,
            method=options.method,
            workers=workers,
            progress=lambda done, total: progress(done / total),
        )
    with working("writing the table"):
        write_sweep(table, output)
    return table


def sweep_command(
    reading: Reading, options: RunOptions, what: Path, output: Path, workers: int | None, *, json: bool, strict: bool,
    keep_going: bool, limits: bool | None,
) -> int:  # fmt: skip
    """Run a sweep, say how it went, and return the exit status."""
    from cadbridge.cli.output import STOPPED_STATUS, exit_status, print_findings, print_json, print_next
    from cadbridge.report.sweeps import sweep_document, sweep_text
    from cadbridge.report.terminal import width

    table = run_sweep(reading, options, what, output, workers, keep_going, limits)
    if json:
        print_json(sweep_document(table, str(reading.source), output))
    else:
        print(sweep_text(table, output, width()))
        print_findings(table.findings)
        print_next(f"Next: cadbridge.load_sweep({str(output)!r}).to_pandas() in Python")
    if any(f.code == "CB654" for f in table.findings):
        return STOPPED_STATUS
    return exit_status(table.findings, strict)
