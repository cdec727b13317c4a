"""What a job does, in its own process: the same calls as the commands make, into a folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cadbridge.errors import refuse_incomplete
from cadbridge.findings import Finding, Findings
from cadbridge.options import from_given
from cadbridge.run_options import RunOptions
from cadbridge.visible import visible

if TYPE_CHECKING:
    from cadbridge.mechanism.model import Mechanism


@dataclass(frozen=True)
class Order:
    """What is asked of a job's process: paths count from the current folder, outputs go to `out`.

    `cache`: the folder of caches for what is kept between jobs, None for none.
    """

    do: str
    source: str
    options: dict[str, Any]
    out: Path
    cache: Path | None = None


def perform(order: Order) -> tuple[Finding, ...]:
    """Read the source, do what is asked, write the outputs; returns all findings, each once.

    Raises what reading, building and writing raise (InputError, ModelError, OSError).
    """
    from cadbridge.mechanism import build
    from cadbridge.readers import ReadOptions
    from cadbridge.reading import read

    say = order.options
    assembly = read(order.source, mates=say.get("mates"), options=from_given(ReadOptions, say))
    mechanism = build(assembly)
    if order.do in MOVING:
        refuse_incomplete((*assembly.findings, *mechanism.findings), say.get("keep_going", False))
        limits, recognised = say.get("limits"), say.get("recognise", False)
        if recognised if limits is None else limits:
            # It loads recognition and SciPy's trees: nine tenths of a small job that has no need of them.
            from cadbridge.simulation.limits import with_wished_limits

            mechanism = with_wished_limits(mechanism, limits, recognised)
    own = VERBS[order.do](mechanism, order)
    return tuple(dict.fromkeys((*assembly.findings, *mechanism.findings, *own)))


def _check(mechanism: Mechanism, order: Order) -> tuple[Finding, ...]:
    """check.json, the text that `cadbridge check` prints, and for a report its page."""
    from cadbridge.diagnosis import diagnose, settled
    from cadbridge.report import all_findings, check_document, check_text, write_json

    mechanism = settled(mechanism)
    diagnosis = diagnose(mechanism)
    document = check_document(mechanism, diagnosis)
    write_json(order.out / "check.json", document)
    _write_text(order.out / "check.txt", check_text(mechanism, document))
    if order.do == "report":
        from cadbridge.report.page import Extras, write_page
        from cadbridge.report.provenance import provenance

        extras = Extras(provenance=provenance(mechanism.assembly))
        write_page(order.out / "report.html", mechanism, diagnosis, extras)
    return all_findings(mechanism, diagnosis)


def _convert(mechanism: Mechanism, order: Order) -> tuple[Finding, ...]:
    """The export in a folder by the format's name, and convert.json."""
    from cadbridge.exporters import ExportOptions, export
    from cadbridge.report import export_document, write_json

    to = order.options["to"]
    chosen = {key: order.options[key] for key in ("collision", "collision_tolerance") if key in order.options}
    result = export(mechanism, order.out / to, to=to, options=ExportOptions(cache=order.cache, **chosen))
    # Files are named from the job's folder on: where that lies must not change the bytes.
    files = tuple(path.relative_to(order.out) for path in result.files)
    write_json(order.out / "convert.json", export_document(mechanism, replace(result, files=files), to))
    return result.findings


def _simulate(mechanism: Mechanism, order: Order) -> tuple[Finding, ...]:
    """The trajectory, run.json, and plots where requested."""
    from cadbridge.report import run_document, run_text, write_json
    from cadbridge.simulation import requested_scenario, simulate, trajectory_table, write_plots
    from cadbridge.simulation.groups import check_choice, report_unmatched
    from cadbridge.simulation.trajectory import write_table

    say = order.options
    collected = Findings()
    options = from_given(RunOptions, say)
    check_choice(options.columns)
    what = requested_scenario(mechanism, collected, options.scenario, options.duration)
    run = simulate(mechanism, what, collapse=options.collapse, method=options.method)
    name = Path(f"run.{say.get('trajectory', 'parquet')}")
    table = trajectory_table(run, options.columns, options.column_units)
    write_table(table, order.out / name)
    report_unmatched(table.column_names, options.columns, collected)
    run = replace(run, findings=(*collected, *run.findings))
    write_json(order.out / "run.json", run_document(run, name))
    _write_text(order.out / "run.txt", run_text(run, name))
    if say.get("plots"):
        write_plots(run, order.out / "plots")
    return run.findings


def _write_text(path: Path, text: str) -> None:
    path.write_text(visible(text).rstrip("\n") + "\n", encoding="utf-8", newline="\n")


def _report(mechanism: Mechanism, order: Order) -> tuple[Finding, ...]:
    """All that is known without a simulation: what the source holds, the diagnosis, and the page that shows both."""
    from cadbridge.report import inspect_document, write_json

    write_json(order.out / "inspect.json", inspect_document(mechanism.assembly, mechanism.part_masses))
    return _check(mechanism, order)


MOVING = ("convert", "simulate")
"""Verbs whose outputs move: what an input lost would make them move differently."""

VERBS: dict[str, Callable[[Mechanism, Order], tuple[Finding, ...]]] = {
    "check": _check,
    "convert": _convert,
    "simulate": _simulate,
    "report": _report,
}
