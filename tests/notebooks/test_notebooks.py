"""The notebooks run from top to bottom, and their results are what they say.

Their cells are run here one after another, as a kernel runs them: the last expression of a cell is shown.
"""

import ast
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"


def cells(name: str, kind: str) -> list[str]:
    """The sources of a notebook's cells of one kind."""
    document = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    assert document["nbformat"] == 4
    return ["".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == kind]


def run(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], list[str]]:
    """The names that a notebook leaves, and the HTML that its cells show."""
    monkeypatch.chdir(FOLDER)
    mpl.use("Agg")
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for k, source in enumerate(cells(name, "code")):
        tree = ast.parse(source)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"{name}:{k}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"{name}:{k}", "eval"), names)
            if hasattr(value, "_repr_html_"):
                shown.append(value._repr_html_())
    plt.close("all")
    return names, shown


def test_every_notebook_is_run_here_and_holds_no_output() -> None:
    assert sorted(p.stem for p in FOLDER.glob("*.ipynb")) == [
        "convert_a_folder",
        "diagnose_and_mend",
        "simulate_and_compare",
    ]
    for path in FOLDER.glob("*.ipynb"):
        document = json.loads(path.read_text(encoding="utf-8"))
        assert all(not cell.get("outputs") for cell in document["cells"]), path.name


def test_a_wrong_mate_is_found_and_mended(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    names, shown = run("diagnose_and_mend", monkeypatch)
    assert names["diagnosis"].mobility.dof == names["mended"].mobility.dof == 2
    assert [r.mate for r in names["conflicts"]] == ["Flush:1"]
    assert names["conflicts"][0].residual_mm == pytest.approx(3.0)
    assert not [r for r in names["mended"].redundancies if r.kind == "conflicting"]
    assert "contradicts Insert:1 by 3 mm" in capsys.readouterr().out
    assert len(shown) == 5
    assert "data:image/png;base64," in shown[0]


def test_the_simulation_agrees_with_the_closed_form(monkeypatch: pytest.MonkeyPatch) -> None:
    names, shown = run("simulate_and_compare", monkeypatch)
    assert names["error"] < 1e-6
    assert names["drift"] < 1e-6
    assert names["energy"]["motor_work"].max() > 0.1
    assert names["run"].result.status.ok
    assert repr(names["table"]).startswith("<LoadedTrajectory 'crank_slider.urdf': 2 s, 201 samples, ")
    assert "<svg" in shown[1]


def test_a_folder_is_converted_and_loads_in_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    names, _ = run("convert_a_folder", monkeypatch)
    rows = names["rows"]
    assert len(rows) == len(names["sources"]) >= 4
    assert all(row["files"] for row in rows)
    assert names["loaded"].keys() == {row["source"] for row in rows}
    assert names["loaded"]["puma560.urdf"] == 6
