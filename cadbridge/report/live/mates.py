"""Mates in the live view: one is chosen here, in a table or in the picture, left out, and put back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cadbridge.diagnosis import Diagnosis
from cadbridge.mechanism import Mechanism
from cadbridge.report.live.panel import Panel
from cadbridge.report.page.items import Items
from cadbridge.visible import visible

NONE = "– none –"


class MateChoice:
    """The choice of a mate, those that conflict or repeat others first; `light` takes its reference on the page."""

    def __init__(
        self, panel: Panel, mechanism: Mechanism, diagnosis: Diagnosis, light: Callable[[str | None], None],
        leave_out: Callable[[Sequence[str]], None], gone: Sequence[str],
    ) -> None:  # fmt: skip
        refs = Items(mechanism).mates
        states = {r.mate: r.kind == "conflicting" for r in diagnosis.redundancies}
        names = sorted((m.name for m in mechanism.assembly.mates), key=lambda n: (n not in states, not states.get(n)))
        words = {True: " (conflicting)", False: " (redundant)", None: ""}
        self.labels = {f"{k + 1} {visible(n)}{words[states.get(n)]}": n for k, n in enumerate(names)}
        self._refs = {label: f"mate:{refs[name]}" for label, name in self.labels.items()}
        self._leave_out, self._gone = leave_out, gone
        self.choice = panel.choice("mate", (NONE, *self.labels), lambda label: light(self._refs.get(label)))
        panel.button("Leave it out", self.press)
        if gone:
            panel.button(f"Put back {', '.join(gone)}"[:60], lambda: leave_out(()))

    def chosen(self, ref: str | None) -> None:
        """A mate was chosen in a table or in the picture."""
        self.choice.value = next((label for label, own in self._refs.items() if own == ref), NONE)

    def press(self) -> None:
        """Leave the mate out that is chosen."""
        name = self.labels.get(self.choice.value)
        if name is not None:
            self._leave_out((*self._gone, name))
