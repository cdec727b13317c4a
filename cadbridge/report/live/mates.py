"""The mates in the live view: a row each, redundant and conflicting ones first, and the one chosen lit at both ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cadbridge.assembly import Feature, Mate
from cadbridge.frames import Pose
from cadbridge.mechanism import GROUND_BODY, Mechanism
from cadbridge.report.html import el, join
from cadbridge.report.views.tables import gap
from cadbridge.visible import visible

if TYPE_CHECKING:
    import viser

    from cadbridge.diagnosis import Diagnosis
    from cadbridge.diagnosis.model import Redundancy

NONE = "– none –"
COLOURS = {"conflicting": (214, 41, 62), "redundant": (232, 134, 12), "": (30, 136, 255)}
"""Of a mate by its state, as on the report page."""
MOST_ROWS = 200
ROW = "color:rgb({},{},{});text-align:left;overflow-wrap:anywhere"


class MateList:
    """The rows in the panel, and the choice that lights one; `choice` is the choice's handle, by `labels`."""

    def __init__(
        self,
        server: viser.ViserServer,
        mechanism: Mechanism,
        diagnosis: Diagnosis | None,
        names: Sequence[str],
        tell: Callable[[str], None],
    ) -> None:
        self._server, self._mechanism, self._names, self._tell = server, mechanism, names, tell
        self._found = {r.mate: r for r in diagnosis.redundancies} if diagnosis is not None else {}
        order = {"conflicting": 0, "redundant": 1, "": 2}
        self._mates = sorted(mechanism.assembly.mates, key=lambda m: order[self.state(m.name)])
        self._lit: list[Any] = []
        self.labels = {f"{k + 1} {visible(m.name)}": m for k, m in enumerate(self._mates)}
        self.choice: Any
        self.folder = server.gui.add_folder("Mates")
        with self.folder:
            self.choice = server.gui.add_dropdown("light", (NONE, *self.labels), initial_value=NONE)
            self.all: Any = server.gui.add_checkbox("Light all that repeat or conflict", False)
            server.gui.add_html(self._rows())
        self.all.on_update(lambda _: self.light_all(self.all.value))
        self.choice.on_update(lambda _: self.light(self.labels.get(self.choice.value)))

    def offer(self, leave_out: Callable[[tuple[str, ...]], None], gone: tuple[str, ...]) -> None:
        """Buttons that leave the lit mate out of the mechanism, and put back those that are `gone`."""
        with self.folder:
            self.out = self._server.gui.add_button("Leave it out")
            self.back = self._server.gui.add_button(f"Put back {', '.join(gone)}"[:60], visible=bool(gone))

        @self.out.on_click
        def _(_: Any) -> None:
            mate = self.labels.get(self.choice.value)
            if mate is None:
                self._tell("Choose a mate to leave out.")
            else:
                leave_out((*gone, mate.name))

        self.back.on_click(lambda _: leave_out(()))

    def state(self, name: str) -> str:
        """ "conflicting", "redundant" or "" of a mate."""
        found = self._found.get(name)
        return "" if found is None else "conflicting" if found.kind == "conflicting" else "redundant"

    def light(self, mate: Mate | None) -> None:
        """Mark both features of a mate in the scene, and tell what it joins; None takes the marks away."""
        self._unlight()
        if mate is not None:
            self._mark_both(mate, "")
            self._tell(self._words(mate))

    def light_all(self, on: bool) -> None:
        """Mark all mates that repeat or contradict others, or none."""
        self._unlight()
        for k, mate in enumerate(m for m in self._mates[:MOST_ROWS] if on and self.state(m.name)):
            self._mark_both(mate, f" {k}")

    def _unlight(self) -> None:
        for node in self._lit:
            node.remove()
        self._lit = []

    def _mark_both(self, mate: Mate, ending: str) -> None:
        colour = COLOURS[self.state(mate.name)]
        for k, feature in enumerate((mate.a, mate.b)):
            self._mark(f"mate side {k + 1}{ending}", feature, colour)

    def _words(self, mate: Mate) -> str:
        joined = f"{mate.name} ({mate.kind.value.replace('_', ' ')}) joins {mate.a.component} and {mate.b.component}."
        found: Redundancy | None = self._found.get(mate.name)
        if found is None:
            return joined
        others = ", ".join(found.duplicates)
        if found.kind == "conflicting":
            return f"{joined}\nIt contradicts {others} by {gap(found.residual_mm, found.residual_deg)}."
        return f"{joined}\n{found.rows} of its {found.of} equations are held by {others} already."

    def _mark(self, name: str, feature: Feature, colour: tuple[int, int, int]) -> None:
        """A ball at a feature and a line along its direction, fixed in its body."""
        mechanism = self._mechanism
        body = mechanism.body_of.get(feature.component, GROUND_BODY)
        known = {c.name: c.X_WC for c in mechanism.assembly.components}
        X_WC = known.get(feature.component, Pose())
        X_BC = mechanism.bodies[body].X_WB.inverse() @ X_WC if body != GROUND_BODY else X_WC
        parent = f"/{self._names[body]}" if body != GROUND_BODY else "/ground"
        size = mechanism.length_scale
        at = X_BC.point(feature.point)
        scene = self._server.scene
        self._lit.append(scene.add_icosphere(f"{parent}/{name}", 0.015 * size, color=colour, position=at))
        if feature.direction is not None:
            along = 0.15 * size * X_BC.vector(feature.direction)
            ends = np.array([[at, at + along]])
            self._lit.append(scene.add_line_segments(f"{parent}/{name} axis", ends, colors=colour))

    def _rows(self) -> str:
        """The mates as a table."""
        rows = []
        for k, mate in enumerate(self._mates[:MOST_ROWS]):
            state = self.state(mate.name)
            style = ROW.format(*COLOURS[state]) if state else ROW.replace("color:rgb({},{},{});", "")
            cells = (str(k + 1), mate.name, mate.kind.value.replace("_", " "), state or "–")
            rows.append(el("tr", [el("td", cell, style=style) for cell in cells]))
        if len(self._mates) > MOST_ROWS:
            rows.append(el("tr", el("td", f"… and {len(self._mates) - MOST_ROWS} more")))
        heads = el("tr", [el("th", title, style="text-align:left") for title in ("", "mate", "type", "state")])
        return str(el("table", heads, join(rows), style="font-size:0.8em;width:100%"))
