"""The fit file: what it gives, and every fault of it at its place."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cadbridge.cli.app import app
from cadbridge.errors import InputError
from cadbridge.mechanism import build
from cadbridge.misfit import Settings, fit, load_fit
from cadbridge.misfit.file import FORMAT, FitFile
from cadbridge.misfit.settings import Fitted, Rule
from cadbridge.report.misfit_text import fit_text
from cadbridge.report.views.misfit import assumed, drawing
from tests.diagnosis.pool import POOL
from tests.misfit.models import on_line, table

DOOR = Path(__file__).resolve().parents[2] / "fixtures" / "door"

WHOLE = """format: cadbridge.fit/1
iso: f
tolerances:
  - {components: ground, iso: c}
  - {mates: "hinge ?", across: 0.05, tilt: 0.5}
stiffness:
  - {mates: "*", force: 2e7, moment: 5e3}
  - {mates: "hinge 1", across: 1e6}
play:
  - {mates: "*", across: 0.1, along: 0.2, tilt: 2}
preload:
  - {mates: "hinge 2", along: 0.01}
draws: 500
seed: 3
distribution: uniform
"""


def loaded(tmp_path: Path, text: str) -> object:
    """The settings of a file for a door on three hinges."""
    path = tmp_path / "door.fit.yaml"
    path.write_text(text, encoding="utf-8")
    return load_fit(path, build(on_line((0.0, 0.3, 0.6))))


def test_the_published_schema_is_that_of_the_code() -> None:
    assert files("cadbridge.data").joinpath("schemas/fit-1.json").read_text("utf-8") == FitFile.schema_text(FORMAT)


def test_a_file_gives_tolerances_stiffness_play_and_preload(tmp_path: Path) -> None:
    path = tmp_path / "door.fit.yaml"
    path.write_text(WHOLE, encoding="utf-8")
    mechanism = build(on_line((0.0, 0.3, 0.6)))
    found = fit(mechanism, load_fit(path, mechanism))
    (group,) = found.groups
    tolerances = {(e.component, e.kind): e.tolerance for e in group.errors}
    assert tolerances[("door", "across")] == tolerances[("ground", "across")] == pytest.approx(5e-5)
    assert tolerances[("ground", "along")] == pytest.approx(1e-3)  # half of c, 600 mm
    assert tolerances[("door", "along")] == pytest.approx(0.15e-3)  # half of f
    stiffness = {(load.mate, load.kind): load.stiffness for load in group.loads}
    assert (stiffness["hinge 0", "across"], stiffness["hinge 1", "across"]) == (2e7, 1e6)
    assert stiffness["hinge 1", "tilt"] == 5e3
    # 10 µm between three springs in parallel pairs: 2/3 k δ in the one that is preloaded.
    designed = {(load.mate, load.kind): load.designed for load in group.loads}
    assert designed["hinge 2", "along"] == pytest.approx(2 / 3 * 2e7 * 1e-5)
    assert group.play.together is not None
    assert 0.0 < group.play.together < 1.0


def test_all_faults_are_told_at_once_each_at_its_place(tmp_path: Path) -> None:
    text = """format: cadbridge.fit/1
tolerances:
  - {mates: "hnge 1", across: 0.05}
  - {mates: "hinge 1", across: -1}
  - {mates: "hinge 1", components: door, across: 1}
stiffness:
  - {mates: "hinge 1", across: 0}
  - {mates: "hinge 1", sideways: 1}
play:
  - {mates: "hinge 1"}
"""
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, text)
    found = sorted((f.where.line, f.code) for f in caught.value.findings)
    assert found == [(line, "CB440") for line in (3, 4, 5, 7, 8, 10)]


@pytest.mark.parametrize("text", ["", "- 1\n", "format: cadbridge.mates/1\n", "format: [\n", "\x00"])
def test_what_is_no_fit_file_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, text)
    assert caught.value.findings


def test_the_command_tells_the_answer_first() -> None:
    done = CliRunner().invoke(app, ["fit", str(DOOR / "door.sdf")])
    assert done.exit_code == 0, done.output
    head, drawing = done.stdout.split("What goes on the drawing? One of:\n")
    assert head.startswith("door: bottom, middle, top ")
    assert len(head) < 400
    drawing = " ".join(drawing.split())  # lines end where the terminal does
    assert drawing.startswith("- Closer parts: keep the faces of bottom, middle, top within ±0.1 mm and ±0.12 mrad")
    assert "(--apply 1.1)" in drawing
    assert "What must agree" not in drawing  # tables are for those who ask
    assert "What must agree" in CliRunner().invoke(app, ["fit", str(DOOR / "door.sdf"), "--all"]).stdout
    assert "Which mates to weaken" in CliRunner().invoke(app, ["fit", str(DOOR / "door.sdf"), "--body", "leaf"]).stdout
    found = json.loads(CliRunner().invoke(app, ["fit", str(DOOR / "door.sdf"), "--json"]).stdout)
    assert found["format"] == "cadbridge.fit/1"
    (group,) = found["groups"]
    assert (group["redundant"], len(group["equations"])) == (10, 10)
    assert sum(e["share"] for e in group["errors"]) == pytest.approx(1.0)


def test_what_has_no_errors_of_its_own_is_told() -> None:
    """The inner parts of a sub-assembly, and the tilt of a bearing that a fit names."""
    model = on_line((0.0, 0.5))
    one = model.instances[0]
    (door_,) = model.components
    twice = replace(
        model,
        instances=(one, replace(one, name="inner")),
        components=(replace(door_, instances=(*door_.instances, "inner")),),
    )
    bearing = Fitted("hinge 0", "bearing C3", 0.02, None, 1e-5, 2e-5)
    found = fit(build(twice), Settings(fitted=[bearing], draws=100), releases=0)
    assert found.units == ("door",)
    text = assumed(found)
    assert "door: a sub-assembly is off as a whole" in text
    assert "hinge 0: a bearing's tilt and axial play are taken as none" in text
    plain = fit(build(model), Settings(draws=100), releases=0)
    assert plain.units == ()
    assert "sub-assembly" not in assumed(plain)


def test_parts_that_are_never_off_need_nothing_on_the_drawing() -> None:
    exact = Rule("mates", "*", {"across": 0.0, "along": 0.0, "tilt": 0.0})
    (group,) = fit(build(on_line((0.0, 0.5))), Settings(tolerances=[exact], draws=100)).groups
    assert group.play.worst == 0.0
    (text,) = drawing(group)
    assert text.startswith("Nothing")


def test_all_says_what_goes_on_the_drawing_of_each_group() -> None:
    found = fit(build(POOL["lattice"]()), Settings(draws=100), releases=1)
    assert len(found.groups) == 4
    lines = fit_text(found, "lattice", everything=True).splitlines()
    assert sum(line.startswith("What goes on the drawing") for line in lines) == 4
    labels = [f"(--apply {k}.1)" for k in range(1, 5)]
    assert all(sum(label in line for line in lines) == 1 for label in labels)


def test_nothing_binds_in_an_exact_design() -> None:
    found = fit(build(on_line((0.0,))))
    assert found.groups == ()
    assert [f.code for f in found.findings] == ["CB441"]


def test_a_design_that_contradicts_itself_is_the_first_error() -> None:
    found = fit(build(on_line((0.0, 0.3, 0.6), [(0.0, 0.0, 0.0), (1e-4, 0.0, 0.0), (0.0, 0.0, 0.0)])))
    (group,) = found.groups
    assert group.play.designed == pytest.approx(5e-5, rel=1e-6)
    assert [f.code for f in found.findings] == ["CB442"]
    designed = {(load.mate, load.kind): load.designed for load in group.loads}
    assert designed["hinge 1", "across"] == pytest.approx(2 / 3 * 1e7 * 1e-4, rel=1e-6)


def test_a_short_base_magnifies_errors_which_is_told() -> None:
    """A fourth leg 1 m from three that stand 10 mm apart feels what they are off a hundred times over."""
    found = fit(build(table([(0.0, 0.0), (0.01, 0.0), (0.0, 0.01), (1.0, 1.0)])))
    assert [f.code for f in found.findings] == ["CB443"]
    assert found.findings[0].items == ("foot 3",)
    assert [f.code for f in fit(build(table([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]))).findings] == []
