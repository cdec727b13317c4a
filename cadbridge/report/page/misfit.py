"""The section on redundant mates: what they need, what they carry, and a slider that puts one of them off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from cadbridge.assembly import GROUND
from cadbridge.mechanism.model import GROUND_BODY, Mechanism
from cadbridge.misfit.influences import Influences, Off, influences
from cadbridge.misfit.model import Fit
from cadbridge.misfit.settings import ratings_of
from cadbridge.report.html import Html, el, embedded
from cadbridge.report.misfit_along import along_answer, plot_lines
from cadbridge.report.page.items import Items
from cadbridge.report.page.plots import PlotLine, plot_figure, plot_of
from cadbridge.report.page.tables import draw
from cadbridge.report.views.misfit import answers, assumed, direction, headline, loads_table
from cadbridge.sweeps.fits import Along
from cadbridge.units import TO_MILLI
from cadbridge.wording import listed

GROUPS = 6
"""Groups, the costliest, that the slider knows."""
TOLERANCES = 2.0
"""The slider goes to so many times the largest tolerance of what is off."""
LEAST = {False: 1e-4, True: 1e-3}
"""m and rad to which it goes at least, of places and turns."""
LIVE = " The tab Fit beside the picture has them for the pose that is shown."
"""What a live view adds."""


@dataclass(frozen=True, eq=False)
class FitShown:
    """What the page shows of redundant mates; `along` where a joint was moved."""

    fit: Fit
    along: Along | None = None


def fit_section(mechanism: Mechanism, items: Items, shown: FitShown, live: bool = False) -> Html:
    """The sentences for the drawing, the slider with its arrows, the forces as a table, and plots along a motion."""
    found = shown.fit
    if not found.groups:
        return Html("") if shown.along is None else _along_alone(shown.along)
    data = [_group(mechanism, items, found, own) for own in influences(mechanism, found.settings, GROUPS)]
    figures = [] if shown.along is None else _plots(shown.along)
    return el(
        "section",
        el("h2", "Redundant mates: play and forces", id="fit-h"),
        el("p", headline(found)),
        el("dl", [el("div", el("dt", asked), *_ways(texts)) for asked, texts in answers(found)], class_="answers"),
        el("p", assumed(found), class_="note"),
        el("p", "Choose what is off, and move the slider: the forces that parts carry when they are put together "
           f"without play grow with it. To first order, at the designed pose.{LIVE if live else ''}", class_="note"),
        el("div", el("p", "The slider needs JavaScript; the table below has the worst case.", class_="note"),
           class_="carried"),
        embedded(data),
        *(draw(items, loads_table(group, found.settings)) for group in found.groups[:1]),
        None if shown.along is None else el("p", along_answer(shown.along)),
        el("div", figures, class_="plots") if figures else None,
        id="fit", aria_labelledby="fit-h",
    )  # fmt: skip


def _along_alone(along: Along) -> Html:
    """What is to be told of a motion of a mechanism in which nothing binds as designed."""
    figures = _plots(along)
    return el(
        "section",
        el("h2", "Redundant mates: play and forces", id="fit-h"),
        el("p", "As designed, no equation of the mates is redundant: nothing binds."),
        el("p", along_answer(along)),
        el("div", figures, class_="plots") if figures else None,
        id="fit", aria_labelledby="fit-h",
    )  # fmt: skip


def _ways(texts: Sequence[str]) -> list[Html]:
    """An answer: a text, or a list of which one is enough."""
    if len(texts) == 1:
        return [el("dd", texts[0])]
    return [el("dd", "One of:", el("ul", [el("li", text) for text in texts]))]


def _group(mechanism: Mechanism, items: Items, found: Fit, own: Influences) -> dict[str, Any]:
    numbers = {mate.name: k for k, mate in enumerate(items.all_mates)}
    second = {m.name: m.b.component for m in mechanism.assembly.mates}
    mates = []
    for name, point in zip(own.mates, own.points, strict=True):
        component = second.get(name, GROUND)
        force, moment = ratings_of(found.settings, name)
        mates.append({
            "name": name, "ref": f"mate:{numbers[name]}", "point": [float(x) for x in point],
            "body": GROUND_BODY if component == GROUND else mechanism.body_of[component],
            "force": force, "moment": moment,
        })  # fmt: skip
    weights = None if own.weights is None else [[float(f"{x:.5g}") for x in w] for w in own.weights]
    largest = _tolerances(found)
    return {
        "title": listed(own.mates, 4),
        "mates": mates,
        "weights": weights,
        "offs": [_off(off, largest.get((off.mate, off.kind), 0.0)) for off in own.offs],
    }


def _tolerances(found: Fit) -> dict[tuple[str, str], float]:
    """The largest tolerance of an error of a kind at a mate."""
    largest: dict[tuple[str, str], float] = {}
    for error in (e for group in found.groups for e in group.errors):
        for mate in error.mates:
            largest[mate, error.kind] = max(largest.get((mate, error.kind), 0.0), error.tolerance)
    return largest


def _off(off: Off, tolerance: float) -> dict[str, Any]:
    """One thing that can be off; effects are for 1 mm or 1 mrad."""
    most = TO_MILLI * max(TOLERANCES * tolerance, LEAST[off.turns])
    return {
        "label": f"{off.mate}, {off.kind} ({direction(off.direction)})",
        "unit": "mrad" if off.turns else "mm",
        "most": float(f"{most:.3g}"),
        # Five digits: the page adds them up and shows three.
        "effects": [[float(f"{1e-3 * x:.5g}") + 0.0 for x in w] for w in off.wrenches],
    }


def _plots(along: Along) -> list[Html]:
    """Play, forces and moments over the joint's value."""
    values, unit, lines = plot_lines(along)
    drawn = [plot_of(title, axis, [PlotLine(title, own)]) for title, axis, own in lines]
    over = f"{along.joint.name} in {unit}"
    return [plot_figure(values, replace(p, over=over)) for p in drawn if p is not None]
