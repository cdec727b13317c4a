"""The notebooks run as Jupyter runs them, in a kernel of their own: what they show, and that it is right."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest

pytest.importorskip("nbclient", reason="no nbclient, which runs notebooks: pip install '.[test]'")
pytest.importorskip("ipykernel", reason="no ipykernel, the kernel of notebooks: pip install '.[test]'")
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NAMES = ("convert_a_folder", "diagnose_and_mend", "simulate_and_compare", "what_redundant_mates_cost")


@dataclass(frozen=True)
class Ran:
    """A notebook after its last cell: the outputs of its cells, and what was asked of its kernel then."""

    outputs: list[list[Any]]
    answers: dict[str, Any]

    def shown(self, kind: str) -> list[str]:
        """All that its cells show of a kind, such as "text/html"."""
        return ["".join(o.data[kind]) for cell in self.outputs for o in cell if kind in o.get("data", {})]

    @property
    def printed(self) -> str:
        """What its cells print."""
        return "".join(
            o.text for cell in self.outputs for o in cell if o.output_type == "stream" and o.name == "stdout"
        )


@pytest.fixture(scope="module", autouse=True)
def jupyter_keeps_nothing_in_the_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What Jupyter and IPython write beside a notebook goes into a folder of the tests; a home may be closed.

    Matplotlib lists the fonts of the machine there: for all notebooks once.
    """
    folder = tmp_path_factory.mktemp("jupyter")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")
        for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(variable, str(folder / variable.lower()))
        patch.setenv("MPLCONFIGDIR", str(tmp_path_factory.getbasetemp() / "matplotlib"))
        yield


@pytest.fixture(scope="module")
def kernel(jupyter_keeps_nothing_in_the_home: None) -> Iterator[KernelManager]:
    """One kernel for notebooks that ask nothing of the state of a new one: to start it and load all takes seconds."""
    manager = KernelManager()
    yield manager
    manager.shutdown_kernel(now=True)


def written(name: str) -> Any:
    """The notebook as it is shipped."""
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def run(name: str, kernel: KernelManager | None = None, **asked: str) -> Ran:
    """Run a notebook, in a kernel of its own or without the names of another, and evaluate expressions at its end."""
    book = copy.deepcopy(written(name))
    code = f"import json; print(json.dumps({{name: eval(text) for name, text in {asked!r}.items()}}))"
    book.cells.append(nbformat.v4.new_code_cell(code))
    book.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))
    client = NotebookClient(book, km=kernel, timeout=600, resources={"metadata": {"path": str(FOLDER)}})
    client.execute()
    if kernel is not None and client.kc is not None:
        client.kc.stop_channels()
    _, *cells, last = [cell.outputs for cell in book.cells if cell.cell_type == "code"]
    return Ran(cells, json.loads(last[0].text))


def test_every_notebook_is_run_here_and_holds_no_output() -> None:
    assert tuple(sorted(p.stem for p in FOLDER.glob("*.ipynb"))) == NAMES
    for name in NAMES:
        assert all(not cell.get("outputs") for cell in written(name).cells), name


def test_a_wrong_mate_is_found_and_mended(kernel: KernelManager) -> None:
    ran = run(
        "diagnose_and_mend", kernel,
        dof="[diagnosis.mobility.dof, mended.mobility.dof]", conflicts="[[r.mate, r.residual_mm] for r in conflicts]",
        left="[r.mate for r in mended.redundancies if r.kind == 'conflicting']",
    )  # fmt: skip
    assert ran.answers == {"dof": [2, 2], "conflicts": [["Flush:1", pytest.approx(3.0)]], "left": []}
    assert "contradicts Insert:1 by 3 mm" in ran.printed
    tables = ran.shown("text/html")
    assert len(tables) == 5
    assert "data:image/png;base64," in tables[0]


def test_the_simulation_agrees_with_the_closed_form_and_the_last_cell_shows_its_plot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Showing a run took the figures of all later cells away: its drawing chose a backend for the whole process."""
    ran = run(
        "simulate_and_compare",
        error="error", drift="drift", work="energy['motor_work'].max()", ok="run.result.status.ok", table="repr(table)",
    )  # fmt: skip
    assert ran.answers["error"] < 1e-6
    assert ran.answers["drift"] < 1e-6
    assert ran.answers["work"] > 0.1
    assert ran.answers["ok"]
    assert ran.answers["table"].startswith("<LoadedTrajectory 'crank_slider.urdf': 2 s, 201 samples, ")
    assert "<svg" in ran.shown("text/html")[1]
    pictures = [output.data["image/png"] for output in ran.outputs[-1] if "image/png" in output.get("data", {})]
    assert len(pictures) == 1
    assert base64.b64decode(pictures[0]).startswith(b"\x89PNG")


def test_a_folder_is_converted_and_loads_in_the_engine(kernel: KernelManager) -> None:
    ran = run("convert_a_folder", kernel, rows="rows", sources="len(sources)", loaded="loaded")
    rows = ran.answers["rows"]
    assert len(rows) == ran.answers["sources"] >= 4
    assert all(row["files"] for row in rows)
    assert ran.answers["loaded"].keys() == {row["source"] for row in rows}
    assert ran.answers["loaded"]["puma560.urdf"] == 6


def test_what_redundant_mates_cost_agrees_with_closed_forms(kernel: KernelManager) -> None:
    """Hinges: 2/3 k δ and 1/3 k δ, a third of the weight each. Rails: half of the stiffness. One hinge takes all up."""
    ran = run(
        "what_redundant_mates_cost", kernel,
        forces="forces", carried="carried", left="best.left", together="together", freed="[left for left, _ in freed]",
        alone="[name for name, _ in alone]", first="first", redundant="[f.redundant for f in (found, rails, linkage)]",
    )  # fmt: skip
    k = 1e7 * 1e-4
    assert ran.answers["forces"] == pytest.approx({"bottom": k / 3, "middle": 2 * k / 3, "top": k / 3})
    assert ran.answers["carried"] == pytest.approx(dict.fromkeys(("bottom", "middle", "top"), 10 * 9.81), rel=1e-4)
    assert ran.answers["left"] == pytest.approx(0.5, abs=0.01)
    assert 0.5 < ran.answers["together"] <= 1.0
    assert ran.answers["redundant"] == [10, 5, 3]
    assert ran.answers["freed"] == sorted(ran.answers["freed"], reverse=True)
    assert len(ran.answers["alone"]) == 3
    assert abs(ran.answers["first"]) == pytest.approx(60.0)
    assert any("image/png" in o.get("data", {}) for cell in ran.outputs for o in cell)
