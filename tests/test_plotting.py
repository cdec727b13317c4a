"""Figures in one style: a panel for each unit, no noise, labels apart, the same bytes each time."""

import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadbridge.plotting import LABEL_GAP, PlottedCurve, _apart, _panels, write_figure

T = np.linspace(0.0, 1.0, 20)


def curve(name: str, size: float, unit: str = "N") -> PlottedCurve:
    return PlottedCurve(name, size * np.sin(T + 1.0), unit)


def test_a_figure_is_written_as_png_and_svg_with_the_same_bytes_each_time(tmp_path: Path) -> None:
    curves = [curve("a$b", 1.0), curve("c", 2.0), curve("turn", 3.0, "N m")]
    first = [p.read_bytes() for p in write_figure(tmp_path / "one", "forces", "Forces", T, curves)]
    second = [p.read_bytes() for p in write_figure(tmp_path / "two", "forces", "Forces", T, curves)]
    assert first == second
    assert first[0].startswith(b"\x89PNG")
    assert first[1].startswith(b"<?xml")


def test_a_figure_is_laid_out_once_and_drawn_once_for_each_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    done = []
    for owner, name in ((ConstrainedLayoutEngine, "execute"), (Figure, "draw")):
        real = getattr(owner, name)

        def noted(self: object, *given: object, real: Callable[..., object] = real, name: str = name) -> object:
            done.append(name)
            return real(self, *given)

        monkeypatch.setattr(owner, name, noted)
    write_figure(tmp_path, "forces", "Forces", T, [curve("a name that takes room", 1.0), curve("c", 2.0, "N m")])
    assert done == ["execute", "draw", "draw"]


def test_a_figure_leaves_the_figures_of_the_process_alone(tmp_path: Path) -> None:
    """In a process of its own: this one may have chosen how it shows figures already."""
    code = (
        "import sys; from pathlib import Path; import numpy as np;"
        "from cadbridge.plotting import PlottedCurve, write_figure;"
        "write_figure(Path(sys.argv[1]), 'a', 'A', np.arange(3.0), [PlottedCurve('c', np.arange(3.0), 'N')]);"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    assert (tmp_path / "a.png").is_file()


def test_what_is_rounding_beside_the_largest_is_not_drawn(tmp_path: Path) -> None:
    ((only,),) = _panels([curve("large", 1.0), curve("noise", 1e-13)])
    assert only.name == "large"
    assert write_figure(tmp_path, "empty", "Nothing", T, [PlottedCurve("none", T * np.nan, "N")]) == ()
    assert list(tmp_path.iterdir()) == []


def test_each_unit_has_panels_of_at_most_eight_lines_that_differ_in_colour() -> None:
    panels = _panels([curve(f"f{k}", 1.0) for k in range(20)] + [curve("t", 1.0, "N m")])
    assert [len(p) for p in panels] == [7, 7, 6, 1]
    assert sorted(c.name for p in panels for c in p) == sorted([f"f{k}" for k in range(20)] + ["t"])


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8))
def test_labels_keep_their_order_and_stand_apart(places: list[float]) -> None:
    found = _apart(places)
    order = sorted(range(len(places)), key=lambda k: places[k])
    assert all(found[b] - found[a] >= LABEL_GAP - 1e-12 for a, b in pairwise(order))
    assert max(found) <= 1.0 + 1e-12
