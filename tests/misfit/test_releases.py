"""Which freedom to give: every proposal is diagnosed anew, its stiffness computed by springs in one dense matrix."""

from __future__ import annotations

import shutil
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from cadbridge.assembly import Coupling, CouplingKind, Drive
from cadbridge.cli.app import app
from cadbridge.diagnosis import diagnose
from cadbridge.errors import InputError
from cadbridge.mechanism import build
from cadbridge.misfit import Fit, fit, proposing
from cadbridge.misfit.groups import constraints_of, groups_of, matrix
from cadbridge.misfit.options import options_of
from cadbridge.misfit.proposing import applied
from cadbridge.misfit.statics import Statics
from cadbridge.report.misfit_text import fit_text
from cadbridge.study import MotionLaw, Study
from tests.diagnosis.linkages import planar
from tests.diagnosis.pool import POOL, door
from tests.misfit.models import on_line

DOOR = Path(__file__).resolve().parents[2] / "fixtures" / "door"


@pytest.mark.parametrize("name", POOL)
def test_every_proposal_leaves_no_redundancy_and_keeps_the_mobility(name: str) -> None:
    model = POOL[name]()
    before = diagnose(build(model)).mobility
    found = fit(build(model), releases=3)
    for group in found.groups[:1]:
        for release in group.releases.found:
            after = diagnose(build(applied(model, release.changes))).mobility
            assert (after.dof, after.redundant) == (before.dof, before.redundant - group.redundant), release
            assert 0.0 < release.left <= 1.0 + 1e-9


def test_the_answer_needs_releases_of_the_costliest_group_alone() -> None:
    model = build(POOL["lattice"]())
    every, first = fit(model), fit(model, brief=True)
    assert len(first.groups) > 1
    assert [bool(group.releases.found) for group in first.groups] == [True, *[False] * (len(first.groups) - 1)]
    assert all(group.releases.found for group in every.groups)
    assert fit_text(first, "lattice", ranked=True) == fit_text(every, "lattice", ranked=True)
    assert "Weaker mates" in fit_text(first, "lattice")


def test_the_command_lists_releases_of_all_groups_where_they_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def noted(*args: Any) -> Fit:
        asked.append(args[-1])
        return fit(*args)

    monkeypatch.setattr("cadbridge.misfit.fit", noted)
    for more in ([], ["--all"], ["--json"]):
        done = CliRunner().invoke(app, ["fit", str(DOOR / "door.sdf"), *more])
        assert done.exit_code == 0, done.output
    assert asked == [True, False, False]


def test_the_stiffest_door_has_one_shoulder_and_two_hinges_that_align_themselves() -> None:
    """Reshetov's rule comes out by itself."""
    (group,) = fit(build(door(3))).groups
    first = {c.mate: [m.kind.value for m in c.mates] for c in group.releases.found[0].changes}
    assert group.releases.complete
    assert first == {"hinge 0": ["coincident"], "hinge 1": ["coincident"], "hinge 2": ["coincident"]}


def test_all_sets_are_the_bases_of_the_dual_matroid() -> None:
    """Single equations of the four-bar, three at a time: as many sets as there are square parts of N of full rank."""
    model = planar([(0, 0), (0.05, 0.2), (0.45, 0.35), (0.5, 0)])
    mechanism = build(model)
    constraints = constraints_of(mechanism)
    (group,) = groups_of(constraints)
    options = options_of(group, constraints.blocks.frames, model)
    N = group.N.toarray()
    singles = [o.stresses(N) for own in options.values() for o in own if o.count == 1]
    assert len(singles) == 12
    bases = sum(np.linalg.matrix_rank(np.vstack(three), tol=1e-9) == 3 for three in combinations(singles, 3))
    assert fit(mechanism).groups[0].releases.compared == bases == 164


def test_the_stiffness_left_is_that_of_springs_in_a_dense_matrix() -> None:
    """Compliance of the coupler with all hinges, and with a release: K of springs in all rows, pseudo-inverse."""
    model = planar([(0, 0), (0.05, 0.2), (0.45, 0.35), (0.5, 0)])
    mechanism = build(model)
    (group,) = fit(mechanism, body="link 2").groups
    before = compliance(model, "link 2")
    for release in group.releases.found:
        after = compliance(applied(model, release.changes), "link 2")
        assert group.releases.body == "link 2"
        for axis, k in (("z", 2), ("turn x", 3), ("turn y", 4)):
            assert release.along[axis] == pytest.approx(before[k, k] / after[k, k], rel=1e-6)


def compliance(model, component: str) -> np.ndarray:  # type: ignore[no-untyped-def]
    """The displacements (6, 6) of a component under unit forces and torques at its centre, all springs as assumed."""
    constraints = constraints_of(build(model))
    A = matrix(constraints).toarray()
    k = np.array([1e4 if u != "m" else 1e7 for u in constraints.rows.unit])
    unit = constraints.mechanism.units[component]
    centre = constraints.mechanism.X_WC[unit].p - constraints.rows.centre
    w = np.zeros((A.shape[1], 6))
    w[6 * unit : 6 * unit + 3, :3] = np.eye(3)
    w[6 * unit + 3 : 6 * unit + 6, :3] = np.cross(centre, np.eye(3)).T
    w[6 * unit + 3 : 6 * unit + 6, 3:] = np.eye(3)
    return np.asarray(w.T @ np.linalg.pinv(A.T @ (k[:, None] * A), rcond=1e-13, hermitian=True) @ w)


def test_a_joint_that_something_drives_keeps_its_one_freedom() -> None:
    from dataclasses import replace

    model = planar([(0, 0), (0.05, 0.2), (0.45, 0.35), (0.5, 0)])
    driven = replace(model, drives=(Drive("motor", "hinge 0"),))
    releases = fit(build(driven)).groups[0].releases
    assert releases.fixed == ("hinge 0",)
    assert all(c.mate != "hinge 0" for r in releases.found for c in r.changes)
    gear = Coupling("gear", CouplingKind.JOINTS, None, None, ratio=1.0, joints=("hinge 1", "hinge 3"))
    assert "hinge 1" in fit(build(replace(model, couplings=(gear,)))).groups[0].releases.fixed
    led = replace(model, drives=(), study=Study(motions=(MotionLaw("opens", "hinge 2", "angle", "t"),)))
    assert fit(build(led)).groups[0].releases.fixed == ("hinge 2",)


def test_statics_balance_the_body() -> None:
    constraints = constraints_of(build(on_line((0.0, 0.5))))
    carried = Statics(constraints).carried(0, np.array([0.4, 0.0, 1.0]), 1.0)
    assert set(carried.names) == {"x", "z", "turn x", "turn y"}  # across y the door swings
    balance = matrix(constraints).T @ carried.forces
    assert np.linalg.matrix_rank(balance) == 5


def test_a_body_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="did you mean door"):
        fit(build(door(2)), body="dor")


def test_a_release_is_written_into_the_mates_file(tmp_path: Path) -> None:
    for path in DOOR.iterdir():
        shutil.copy(path, tmp_path)
    source = tmp_path / "door.sdf"
    done = CliRunner().invoke(app, ["fit", str(source), "--apply", "1.1"])
    assert done.exit_code == 0, done.output
    text = (tmp_path / "door.mates.yaml").read_text("utf-8")
    assert "swing" in text
    again = CliRunner().invoke(app, ["fit", str(source)])
    assert again.exit_code == 0, again.output
    assert "Nothing binds" in again.stdout
    checked = CliRunner().invoke(app, ["check", str(source)])
    assert checked.exit_code == 0, checked.output
    for label in ("1", "7", "1.99"):  # not what the table has
        assert CliRunner().invoke(app, ["fit", str(source), "--apply", label]).exit_code != 0


def test_a_group_that_is_not_searched_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposing, "MOST_REDUNDANT", 2)
    found = fit(build(planar([(0.0, 0.0), (0.05, 0.2), (0.45, 0.35), (0.5, 0.0)])))
    why = "3 equations are redundant here, and sets are searched up to 2"
    assert found.groups[0].releases.reason == why
    text = " ".join(fit_text(found, "bars", everything=True).split())
    assert text.count(why) == 2
    assert f"Which mates to weaken: no set was looked for, since {why}." in text
    silent = fit(build(planar([(0.0, 0.0), (0.05, 0.2), (0.45, 0.35), (0.5, 0.0)])), releases=0)
    assert silent.groups[0].releases.reason == ""
