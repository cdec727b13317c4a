"""`cadbridge demo`: the whole way on an example, from CAD to simulation and exports."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from cadbridge.findings import Finding
    from cadbridge.mechanism import Mechanism


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Write the results into this folder.", metavar="FOLDER")
    ] = Path("cadbridge-demo"),
    source: Annotated[
        Path | None, typer.Option("--source", help="Use this source instead of the built-in example.")
    ] = None,
    scenario: Annotated[Path | None, typer.Option("--scenario", help="Scenario file for this source.")] = None,
) -> None:
    """Run the shipped example: read, check, simulate, export."""
    if source is not None:
        _whole_way(source, scenario, output)
        return
    with as_file(files("cadbridge.data") / "demo") as folder:
        _whole_way(folder / "demo.step", folder / "demo.scenario.yaml", output)


def _whole_way(source: Path, scenario: Path | None, output: Path) -> None:
    """Read, check, simulate and export, reporting what each step found and how long it took."""
    from cadbridge.cli.options import Reading
    from cadbridge.cli.output import exit_status, print_findings, print_next, say, typed, working
    from cadbridge.cli.running import run_mechanism
    from cadbridge.diagnosis import diagnose
    from cadbridge.mechanism import build
    from cadbridge.report import all_findings, check_document, check_text, run_text, write_json
    from cadbridge.report.page import Extras, require_built, write_page
    from cadbridge.report.provenance import provenance
    from cadbridge.report.terminal import width
    from cadbridge.run_options import RunOptions

    require_built()
    start = time.perf_counter()

    def step(what: str) -> None:
        say(f"[{time.perf_counter() - start:5.1f} s] {what}")

    step(f"reading {source.name}")
    assembly = Reading(source).assembly()
    step("finding bodies, joints and redundant mates")
    with working("checking"):
        mechanism = build(assembly)
        diagnosis = diagnose(mechanism)
    document = check_document(mechanism, diagnosis)
    typer.echo(check_text(mechanism, document, width()))
    findings = list(all_findings(mechanism, diagnosis))
    output.mkdir(parents=True, exist_ok=True)
    write_json(output / "check.json", document)
    step("simulating")
    table, plots = output / "run.parquet", output / "plots"
    run = run_mechanism(mechanism, table, RunOptions(scenario), plots=plots)
    typer.echo(run_text(run, table, plots=plots, columns=width()))
    findings += run.findings
    step("drawing the page")
    write_page(output / "report.html", mechanism, diagnosis, Extras(table, findings, provenance=provenance(assembly)))
    findings += _exported(mechanism, output, step)
    print_findings(findings)
    step(f"done; everything is in {output}")
    print_next(
        f"Next: open {typed(output / 'report.html')} in a browser;",
        f"      python -m mujoco.viewer --mjcf={typed(output / 'mjcf' / 'scene.xml')}",
    )
    raise typer.Exit(exit_status(findings))


def _exported(mechanism: Mechanism, output: Path, step: Callable[[str], None]) -> Iterator[Finding]:
    """Write the mechanism as URDF and as MJCF, say how many files each has, and give the findings."""
    from cadbridge.exporters import export
    from cadbridge.wording import count

    for target in ("urdf", "mjcf"):
        step(f"writing {target.upper()}")
        result = export(mechanism, output / target, to=target)
        typer.echo(f"{target.upper()}: {count(len(result.files), 'file')} in {output / target}")
        yield from result.findings
    typer.echo(_loads_in_mujoco(output / "mjcf"))


def _loads_in_mujoco(folder: Path) -> str:
    """Say whether MuJoCo, where it is installed, loads the MJCF that was written."""
    try:
        import mujoco
    except ImportError:
        return "MuJoCo is not installed here, so the MJCF was not loaded (pip install mujoco)."
    model = mujoco.MjModel.from_xml_path(str(folder / "scene.xml"))
    size = f"{model.nbody - 1} bodies, {model.njnt} joints, {model.neq} equalities"
    return f"MuJoCo {mujoco.__version__} loads it: {size}."
