"""Decisions in the live view: joints are tried, accepted, left out, re-typed; the ground and the home pose chosen.

All of it is written to the mates file with one button, after a look at the lines that change; until then it can be
undone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from cadbridge.assembly import GROUND, Assembly
from cadbridge.errors import CadbridgeError, InputError
from cadbridge.mechanism import GROUND_BODY, Joint, Mechanism
from cadbridge.mechanism.joint_types import LEAVES
from cadbridge.readers.mates_file import editing
from cadbridge.readers.mates_file.faces import yaml_text, yaml_vector
from cadbridge.recognition.choice.hypotheses import parts_of
from cadbridge.recognition.hints import Hints
from cadbridge.recognition.questions.inquiry import told_by
from cadbridge.recognition.writing.deciding import Decision, MatesEditor
from cadbridge.report.html import el
from cadbridge.report.live.panel import Panel
from cadbridge.visible import visible

TYPES = ("revolute", "cylindrical", "prismatic", "spherical", "planar", "fixed")
"""What a joint can be made."""
NONE = "– none –"
MOST_NAME = 80
"""Letters of a joint's name."""
_PLAIN = frozenset({"name", "type", "a", "b"})
"""Keys of a mate that mean the same for every type."""


class Deciding:
    """The panel of a mates editor. `show` takes an assembly to show, and says what became of it in words.

    The panel is made anew after each decision: `before` is the one whose place it takes, with what is chosen there.
    """

    def __init__(
        self, panel: Panel, mechanism: Mechanism, editor: MatesEditor, show: Callable[[Assembly, str], None],
        notify: Callable[[str], None], attempt: Callable[[str], None], pose: Callable[[], dict[str, float]],
        before: Deciding | None = None,
    ) -> None:  # fmt: skip
        self._mechanism, self._editor = mechanism, editor
        self._show, self._notify, self._attempt, self._pose = show, notify, attempt, pose
        self._joints = {visible(j.name): j for j in mechanism.joints}
        self._gears = {visible(c.name): c.name for c in mechanism.couplings}
        self._next: tuple[str, ...] = ()
        self._names = (*self._joints, *self._gears) or (NONE,)
        first = None if before is None else before._following(self._names)
        self.choice = panel.choice("joint or gear", self._names, lambda _: self._say_choice(), first)
        self.evidence = panel.text()
        panel.buttons("decide", ("Try", "Accept", "Reject", "Make rigid"), self.decide)
        self.name = panel.entry("name", "", self.rename)
        self.kind = panel.choice("type", TYPES, lambda _: None)
        panel.button("Change the type", lambda: self.change_type(self.kind.value))
        self._bodies = {visible(b.name): b.components[0] for b in mechanism.bodies}
        panel.choice("ground", (NONE, *self._bodies), self.choose_ground)
        panel.button("Take this pose as home", self.take_home)
        panel.buttons("decisions", ("Undo", "Redo"), self.step)
        self.preview = panel.text()
        panel.button(f"Write {editor.path.name}"[:60], self.save)
        self.again = panel.button("Read the file again", self.read_again, shown=False)
        self._say_choice()
        self._say_preview()

    def decide(self, button: str) -> None:
        """Try, Accept, Reject or Make rigid what is chosen."""
        name = self._chosen()
        if name is None:
            self._notify("There is no joint to decide about.")
        elif button == "Try":
            self._attempt(name)
        elif button == "Accept":
            self.take(self._hinted(f"{name} accepted", name) or _accepted(name))
        elif button == "Reject":
            mates = self._mates_of(name)
            self.take(Decision(f"{name} rejected", lambda text: editing.leave_out(text, mates), (name,)))
        else:
            self.change_type("fixed")

    def change_type(self, kind: str) -> None:
        """Give the joint that is chosen another type."""
        joint = self._joints.get(self.choice.value)
        if joint is None:
            self._notify("Only a joint has a type that can be changed: choose one.")
            return
        title = f"{joint.name} made {kind if LEAVES[kind].axes else 'rigid'}"
        told = self._hinted(title, joint.name, kind) if 0 not in LEAVES[kind].slides else None
        if told is not None:
            self.take(told)
            return
        factor = self._editor.units()[1]
        about = (joint.name, f"{joint.name}, {kind}")
        self.take(Decision(title, lambda text: retyped(text, self._mechanism, joint, kind, factor), about))

    def rename(self, new: str) -> None:
        """Give the joint that is chosen another name."""
        joint, new = self._joints.get(self.choice.value), new.strip()
        if joint is None or not new or new == joint.name:
            return
        if new in {j.name for j in self._joints.values()} or len(new) > MOST_NAME:
            self._notify(f"{new} is the name of another joint, or too long.")
            return
        title, about = f"{joint.name} called {new}", (joint.name, new)
        told = self._hinted(title, joint.name, name=new)
        self.take(told or Decision(title, lambda text: editing.rename(text, joint.name, new), about))

    def choose_ground(self, label: str) -> None:
        """Let a body stand still."""
        component = self._bodies.get(label)
        if component is None:
            return
        if self._editor.inquiry is None:
            self.take(Decision(f"ground: {label}", lambda text: editing.set_ground(text, component)))
            return
        body = next(b for b in self._mechanism.bodies if b.components[0] == component)
        part = max(body.instances, key=len, default=component) if component not in body.instances else component
        self.take(Decision(f"ground: {label}", hints=lambda hints: replace(hints, ground=part)))

    def take_home(self) -> None:
        """The joint values as they stand become the home pose."""
        angle, length = self._editor.units()
        joints = {j.name: j for j in self._mechanism.joints}
        values = {
            name: value * (angle if joints[name].coordinate == "angle" else length)
            for name, value in self._pose().items()
        }
        if not values:
            self._notify("There is no joint whose value could be kept.")
            return
        self.take(Decision("home pose", lambda text: editing.set_home(text, values)))

    def leave_out(self, names: Sequence[str]) -> None:
        """Mates hold no more."""
        kept = tuple(names)
        self.take(Decision(f"without {', '.join(kept)}", lambda text: editing.leave_out(text, kept)))

    def put_back(self, names: Sequence[str]) -> None:
        """Mates that were left out hold again."""
        kept = tuple(names)
        self.take(Decision(f"{', '.join(kept)} put back", lambda text: editing.put_back(text, kept)))

    def step(self, button: str) -> None:
        """Undo or Redo a decision; what it is about is chosen then."""
        undone = self._editor.last
        made = self._editor.undo() if button == "Undo" else self._editor.redo()
        decision = undone if button == "Undo" else self._editor.last
        if made is None or decision is None:
            self._notify(f"There is nothing to {button.lower()}.")
            return
        self._next = decision.about if button == "Undo" else decision.about[::-1]
        self._show(made, f"{'Undone' if button == 'Undo' else 'Done again'}: {decision.title}.")

    def save(self) -> None:
        """Write the mates file."""
        try:
            self._editor.write()
        except InputError as fault:
            self.again.visible = True
            self._notify(str(fault))
            return
        self._say_preview()
        self._notify(f"Wrote {self._editor.path.name}.")

    def read_again(self) -> None:
        """Take the file as it is on the disk now, with the decisions over it."""
        try:
            self._editor.reload()
            made = self._editor.assembly()
        except CadbridgeError as fault:
            self._notify(str(fault))
            return
        self._show(made, f"{self._editor.path.name} is read again; the decisions stand over it.")

    def choose(self, name: str) -> None:
        """Choose a joint or gear, as one that is clicked in a table."""
        if visible(name) in self._names:
            self.choice.value = visible(name)
            self._say_choice()

    def take(self, decision: Decision) -> None:
        """Take a decision, show what it makes, and go on to the next joint that is undecided."""
        path, void, before = self._editor.path, self._editor.void, self._editor.found
        try:
            made = self._editor.decide(decision)
        except CadbridgeError as fault:
            self._notify(f"Not done. {fault}")
            return
        self._next = (*self._undecided()[:1], *decision.about[::-1]) if decision.about else ()
        lost = [title for title in self._editor.void if title not in void]
        notes = [f"{decision.title}."]
        notes += [f"No longer of use, as what they are about is gone: {'; '.join(lost)}."] if lost else []
        if before is not None and self._editor.found is not None:
            notes += told_by(before, self._editor.found)
        notes += [self._editor.moved] if self._editor.path != path else []
        self._show(made, "\n".join(notes))

    def _hinted(self, title: str, joint_name: str, kind: str = "", name: str = "") -> Decision | None:
        """A decision about a joint that was recognised, as a hint; None where the file has it otherwise."""
        found = self._editor.found
        joint = None if found is None else next((j for j in found.joints if j.name == joint_name), None)
        if found is None or joint is None or joint.free.pitched:
            return None
        pair = parts_of(found, joint)
        about = (joint_name, name or joint_name)
        if kind == "fixed":
            return Decision(title, about=about, hints=lambda hints: hints.having("fixed", [pair]))

        def joined(hints: Hints) -> Hints:
            told = hints.told_of(pair)
            return hints.having("joint", [pair], replace(told, type=kind or told.type, name=name or told.name))

        return Decision(title, about=about, hints=joined)

    def _undecided(self) -> list[str]:
        """The joints and gears that nothing is decided about, from what is chosen on.

        Of what was recognised those that are not sure come first, the least certain at the head.
        """
        settled = {visible(name) for name in self._editor.settled}
        at = self._names.index(self.choice.value)
        following = [name for name in (*self._names[at + 1 :], *self._names[:at]) if name not in settled]
        found = self._editor.found
        sure = {} if found is None else {visible(x.name): x.confidence for x in (*found.joints, *found.gears)}
        return sorted(following, key=lambda name: sure.get(name, 1.0))

    def _following(self, names: Sequence[str]) -> str | None:
        """What is chosen of the names of the panel that takes the place of this one; None is the first."""
        at = self._names.index(self.choice.value)
        near = (*map(visible, self._next), *self._names[at:], *reversed(self._names[:at]))
        return next((name for name in near if name in names), None)

    def _chosen(self) -> str | None:
        label = self.choice.value
        joint = self._joints.get(label)
        return joint.name if joint is not None else self._gears.get(label)

    def _mates_of(self, name: str) -> tuple[str, ...]:
        joint = next((j for j in self._joints.values() if j.name == name), None)
        return (name,) if joint is None else joint.mates

    def _say_choice(self) -> None:
        """The evidence for what is chosen, where it was recognised; else its mates."""
        name = self._chosen()
        joint = self._joints.get(self.choice.value)
        lines = [] if joint is None else [f"{joint.type}; mates: {', '.join(joint.mates)}"]
        if name is not None:
            lines += found_words(self._editor, {name, *self._mates_of(name)})
        if joint is not None and joint.type in TYPES:
            self.kind.value = joint.type
        self.name.value = "" if joint is None else joint.name
        self.evidence.content = str(el("div", "\n".join(lines), class_="lines"))

    def _say_preview(self) -> None:
        changes = self._editor.preview() or "The mates file is as it was: no decision to write."
        done = "".join(f"{k + 1}. {title}\n" for k, title in enumerate(self._editor.decided))
        self.preview.content = str(el("div", el("div", done), el("code", changes), class_="lines"))


def _accepted(name: str) -> Decision:
    return Decision(f"{name} accepted", lambda text: editing.accept(text, name), (name,))


def found_words(editor: MatesEditor, names: set[str]) -> list[str]:
    """What speaks for and against what was recognised under some names."""
    if editor.found is None:
        return []
    lines = []
    for item in (*editor.found.joints, *editor.found.gears):
        if item.name in names:
            lines.append(f"{100 * item.confidence:.0f} % sure")
            lines += [f"for: {text}" for text in item.evidence]
            lines += [f"against: {text}" for text in getattr(item, "against", ())]
    return lines


def retyped(text: str, mechanism: Mechanism, joint: Joint, kind: str, factor: float) -> str:
    """The mates file in which a joint has another type; `factor` turns m into its lengths.

    The type of a mate of the file is changed where it stands, if nothing else of the mate depends on it. Else its mates
    are left out, and a new one stands where the joint is.
    """
    if (
        len(joint.mates) == 1
        and editing.keys_of(text, joint.mates[0])
        and editing.keys_of(text, joint.mates[0]) <= _PLAIN
    ):
        changed = editing.set_type(text, joint.mates[0], kind)
        if changed is not None:
            return changed
    name = joint.name if joint.name not in joint.mates else f"{joint.name}, {kind}"
    ends = [GROUND if k == GROUND_BODY else mechanism.bodies[k].components[0] for k in (joint.a, joint.b)]
    X = mechanism.ground.X_WB @ joint.X_AJ if joint.a == GROUND_BODY else joint.X_AJ
    a = [f"component: {yaml_text(ends[0])}"]
    leaves = LEAVES[kind]
    if leaves.axes:
        a.append(f"point: {yaml_vector(np.asarray(X.p) * factor, 6)}")
    if leaves.directed:
        a.append(f"{'normal' if 0 in leaves.slides else 'axis'}: {yaml_vector(X.R[:, 2], 12)}")
    item = f"{{name: {yaml_text(name)}, type: {kind}, a: {{{', '.join(a)}}}, b: {{component: {yaml_text(ends[1])}}}}}"
    return editing.add_mate(editing.leave_out(text, joint.mates), item)
