"""`cadbridge view SOURCE`: the mechanism live in a browser."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cadbridge.cli.options import Reading, reads_source
from cadbridge.errors import InputError

if TYPE_CHECKING:
    from cadbridge.mechanism import Mechanism
    from cadbridge.recognition.writing.deciding import MatesEditor
    from cadbridge.report.live import LiveView
    from cadbridge.simulation.scenario import Scenario


Played = Annotated[Path | None, typer.Option("--run", help="Play this trajectory of the source.")]
Acting = Annotated[
    Path | None,
    typer.Option("--scenario", help="Motors, loads and gravity for its simulation.", metavar="FILE"),
]
Host = Annotated[str, typer.Option("--host", help="Address of the server.")]
Port = Annotated[int, typer.Option("--port", min=1, max=65535, help="Port of the server.")]
Watch = Annotated[bool, typer.Option("--watch", help="Read again when a file of the model changes.")]


@reads_source
def view(
    reading: Reading, run: Played = None, scenario: Acting = None, host: Host = "127.0.0.1", port: Port = 8080,
    watch: Watch = False,
) -> None:  # fmt: skip
    """Open the mechanism in a browser: drag bodies, simulate, change joints during a run, inspect mates, play a run.

    SOURCE can also be a run (.parquet) with its source beside it.
    """
    import time

    from cadbridge.cli.output import print_findings, say, working
    from cadbridge.diagnosis import diagnose
    from cadbridge.mechanism import build
    from cadbridge.report.live import LiveView
    from cadbridge.report.page.motions import RunData

    if reading.source.suffix == ".parquet":
        reading, run = replace(reading, source=source_of(reading.source)), reading.source
    editor = _editor(reading)
    assembly = editor.assembly()
    with working("finding the joints"):
        mechanism = build(assembly)
        diagnosis = diagnose(mechanism)
    print_findings((*assembly.findings, *mechanism.findings))
    played = RunData(mechanism, run) if run is not None else None
    acting = _acting(scenario, mechanism)
    with working("opening the view"):
        live = LiveView(
            mechanism, run=played, diagnosis=diagnosis, scenario=acting, editor=editor, glb=_glb, host=host, port=port,
            say=typer.echo,
        )  # fmt: skip
    if live.server.port != port:
        say(f"Port {port} is in use; the view takes {live.server.port}.")
    say(f"The view is at {live.address} (nothing is answered without its token); Ctrl-C ends it.")
    try:
        while True:
            if watch:
                _reload_when_changed(reading, editor, live)
            else:
                time.sleep(1)
    except KeyboardInterrupt:
        say("")
    finally:
        live.close()


def _editor(reading: Reading) -> MatesEditor:
    """The source with its mates file, on which decisions are taken."""
    from cadbridge.cli.output import print_findings, working
    from cadbridge.cli.recognise import moved
    from cadbridge.readers.registry import openable
    from cadbridge.recognition.writing.deciding import MatesEditor

    recognised = reading.options.recognise
    if reading.mates is not None:
        if recognised:
            raise InputError("Give either a mates file or --recognise, not both: each supplies the mates.")
        openable(reading.mates)
    with working(f"{'recognising' if recognised else 'reading'} {reading.source.name}"):
        editor = MatesEditor(reading.source, reading.mates, reading.options, recognised, moved)
    if editor.found is not None:
        print_findings(editor.found.findings)
    return editor


def _glb(mechanism: Mechanism, run: Path | None) -> bytes:
    """A mechanism as binary glTF, with a run as its animation."""
    from cadbridge.exporters.glb import contents
    from cadbridge.exporters.options import ExportOptions
    from cadbridge.findings import Findings

    return contents(mechanism, "model", Findings(), ExportOptions(run=run))["model.glb"]


def _acting(path: Path | None, mechanism: Mechanism) -> tuple[Scenario, dict[str, Any]] | None:
    """A scenario, over what the source itself asks for, and its file as plain data."""
    from cadbridge.findings import Findings
    from cadbridge.readers.mates_file.positions import load_yaml
    from cadbridge.simulation import load_scenario
    from cadbridge.simulation.study import study_scenario

    if path is None:
        return None
    scenario = load_scenario(path, mechanism, study_scenario(mechanism, Findings()))
    data = load_yaml(path, Findings(), str(path)).data
    assert isinstance(data, dict)  # else it could not be read as a scenario
    return scenario, data


def _reload_when_changed(reading: Reading, editor: MatesEditor, live: LiveView) -> None:
    """Wait for a change of the model's files, then show what they say now; a file half edited keeps what is shown."""
    from cadbridge.cli.output import print_error, say
    from cadbridge.diagnosis import diagnose
    from cadbridge.errors import CadbridgeError
    from cadbridge.jobs.watching import changed_files
    from cadbridge.mechanism import build

    changed = changed_files(reading.source, reading.mates)
    say(f"changed: {', '.join(sorted(path.name for path in changed))}")
    try:
        editor.reread()
        mechanism = build(editor.assembly())
        live.load(mechanism, diagnosis=diagnose(mechanism))
    except CadbridgeError as fault:
        print_error(fault)


def source_of(run: Path) -> Path:
    """The source that a trajectory names, beside it or in the present folder; InputError where it is in neither."""
    from cadbridge.readers.paths import lies_beside
    from cadbridge.simulation import read_trajectory
    from cadbridge.simulation.trajectory import FORMAT

    document = json.loads(read_trajectory(run).schema.metadata[FORMAT.encode()])
    # The name alone: a run from elsewhere could name any file of the person who looks at it.
    name = Path(str(document["source"])).name
    for folder in (run.parent, Path()):
        if name and (folder / name).is_file() and lies_beside(folder / name, folder / run.name):
            return folder / name
    raise InputError(
        f"{run} is a run of {name}, which is not beside it nor here: cadbridge view PATH/TO/{name} --run {run}"
    )
