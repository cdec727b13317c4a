"""Two parts that were clicked: a joint on an axis that is chosen and tried, the split of a weld, or a weld."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cadbridge.assembly import GROUND, Assembly
from cadbridge.frames import Vector
from cadbridge.mechanism.joint_types import LEAVES
from cadbridge.readers.mates_file import editing
from cadbridge.readers.mates_file.faces import yaml_text, yaml_vector
from cadbridge.recognition.hints import KINDS, Told, triple
from cadbridge.recognition.questions.trying import Trial
from cadbridge.recognition.writing.deciding import Decision, MatesEditor
from cadbridge.report.html import el
from cadbridge.report.live.panel import Panel
from cadbridge.report.live.swaying import Pointed, pointed
from cadbridge.visible import visible

TYPES = ("revolute", "cylindrical", "prismatic", "spherical")
JOIN, FIX, PART = "Make a joint", "Fix to each other", "No joint between them"
NONE = "– click two parts –"


@dataclass(frozen=True, eq=False)
class Clicked:
    """A face that was clicked: its instance, and the axis of a round one, else the point and the normal, in W."""

    instance: str
    point: Vector
    direction: Vector


@dataclass(frozen=True, eq=False)
class _Axis:
    """A candidate: a point and a direction in W."""

    point: Vector
    direction: Vector


class Joining:
    """The panel of the two parts clicked last. `decide` takes a decision, `point` lights parts and shows a motion."""

    def __init__(
        self, panel: Panel, assembly: Assembly, editor: MatesEditor, decide: Callable[[Decision], None],
        point: Callable[[Pointed | None], None], notify: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._assembly, self._editor = assembly, editor
        self._decide, self._point, self._notify = decide, point, notify
        self._clicked: list[Clicked] = []
        self._axes: dict[str, _Axis] = {}
        self.parts = panel.text(str(el("p", "Click a face of one part, then a face of another.")))
        self.axis = panel.choice("axis", (NONE,), lambda _: self.show())
        self.kind = panel.choice("as", TYPES, lambda _: self.show())
        self.name = panel.entry("name of the joint", "", lambda _: None)
        kinds = (JOIN, FIX) if editor.inquiry is None else (JOIN, FIX, PART)
        panel.buttons("two parts", kinds, self.press)

    def picked(self, clicked: Clicked) -> None:
        """A face was clicked: its part is one of the two from now on, the one before the other."""
        others = [c for c in self._clicked if c.instance != clicked.instance]
        self._clicked = [*others[-1:], clicked]
        if len(self._clicked) == 2:
            first, second = self._clicked
            self._axes = self._candidates(first, second)
            self.axis.options = tuple(self._axes)
            self.axis.value = next(iter(self._axes))
            self.parts.content = str(el(
                "p", el("b", visible(first.instance), class_="first"), " and ",
                el("b", visible(second.instance), class_="second"), f" {self._held(first, second)}.",
            ))  # fmt: skip
            self.show()
        else:
            self.parts.content = str(el("p", el("b", visible(clicked.instance)), ": now click the other part."))

    def show(self) -> None:
        """Light the two parts, and move one on the axis that is chosen."""
        axis = self._axes.get(self.axis.value)
        if axis is None or len(self._clicked) < 2:
            return
        a, b = (c.instance for c in self._clicked)
        kind = str(self.kind.value)
        self._point(pointed(self._assembly, a, b, Trial(kind, axis.point, axis.direction, (b,))))

    def press(self, button: str) -> None:
        """Make a joint of the two parts, fix them to each other, or say that no joint is between them."""
        if len(self._clicked) < 2:
            self._notify("Click a face of one part, then a face of another.")
            return
        a, b = (c.instance for c in self._clicked)
        if button == FIX:
            self._decide(self._fixed(a, b))
            return
        if button == PART:
            title = f"{a} and {b} {KINDS['apart']}"
            self._decide(Decision(title, hints=lambda hints: hints.having("apart", [(a, b)])))
            return
        axis = self._axes[self.axis.value]
        self._decide(self._joined(a, b, axis, str(self.kind.value), str(self.name.value or "").strip()))

    def _candidates(self, first: Clicked, second: Clicked) -> dict[str, _Axis]:
        """The axes that both parts share, the widest first, then those of the faces that were clicked."""
        found: dict[str, _Axis] = {}
        inquiry = self._editor.inquiry
        shared = [] if inquiry is None else inquiry.axes(first.instance, second.instance)
        for k, (point, direction) in enumerate(shared):
            found[f"axis {k + 1} of {len(shared)} that both share"] = _Axis(point, direction)
        for clicked in (second, first):
            found[f"the face of {visible(clicked.instance)}"[:80]] = _Axis(clicked.point, clicked.direction)
        return found

    def _held(self, first: Clicked, second: Clicked) -> str:
        """How two parts are to each other now."""
        found = self._editor.found
        if found is None:
            return "are chosen"
        body_of = {name: k for k, body in enumerate(found.bodies) for name in body.instances}
        bodies = {body_of.get(c.instance) for c in (first, second)}
        if len(bodies) == 1:
            return "are one body; a joint splits it here"
        joint = next((j.name for j in found.joints if {j.a, j.b} == bodies), None)
        return "are two bodies" if joint is None else f"are joined by {visible(joint)}"

    def _fixed(self, a: str, b: str) -> Decision:
        title = f"{a} and {b} fixed to each other"
        if self._editor.inquiry is not None:
            return Decision(title, hints=lambda hints: hints.having("fixed", [(a, b)]))
        ends = [f"{{component: {yaml_text(self._component(name))}}}" for name in (a, b)]
        item = f"{{name: {yaml_text(f'{a} fixed to {b}')}, type: fixed, a: {ends[0]}, b: {ends[1]}}}"
        return Decision(title, lambda text: editing.add_mate(text, item))

    def _joined(self, a: str, b: str, axis: _Axis, kind: str, name: str) -> Decision:
        """A joint on an axis: a hint where the mates are recognised, else a mate; in the frame of a's part."""
        title = f"{kind} joint of {a} and {b}"
        instance = self._assembly.instance(a)
        if self._editor.inquiry is not None:
            X_AW = instance.X_WI.inverse()
            told = Told(kind, triple(X_AW.point(axis.point)), triple(X_AW.vector(axis.direction)), a, name)
            return Decision(title, hints=lambda hints: hints.having("joint", [(a, b)], told))
        factor = self._editor.units()[1]
        point, along = yaml_vector(np.asarray(axis.point) * factor, 6), yaml_vector(axis.direction, 12)
        axis_text = "" if LEAVES[kind].ball else f", axis: {along}"
        first = f"{{component: {yaml_text(self._component(a))}, point: {point}{axis_text}, in: world}}"
        label = yaml_text(name or f"{a} - {b}")
        second = f"{{component: {yaml_text(self._component(b))}}}"
        item = f"{{name: {label}, type: {kind}, a: {first}, b: {second}}}"
        return Decision(title, lambda text: editing.add_mate(text, item), (name or f"{a} - {b}",))

    def _component(self, instance: str) -> str:
        component = self._assembly.instance(instance).component
        return component if component != GROUND else instance
