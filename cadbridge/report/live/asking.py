"""The questions of recognition in the live view: the two parts are lit, the motion is shown, an answer is a hint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cadbridge.assembly import Assembly
from cadbridge.errors import CadbridgeError, InputError
from cadbridge.recognition.hints import KINDS
from cadbridge.recognition.questions.alike import and_alike
from cadbridge.recognition.questions.changes import Page, Verdicts
from cadbridge.recognition.questions.questions import Question
from cadbridge.recognition.questions.saying import parts_text
from cadbridge.recognition.writing.deciding import Decision, MatesEditor
from cadbridge.report.html import Html, el, join
from cadbridge.report.live.panel import Panel
from cadbridge.report.live.swaying import Pointed, pointed
from cadbridge.visible import visible
from cadbridge.wording import count

MOVE, FIXED, APART, NEXT = "They move", "They are fixed", "No joint between them", "I do not know"
RIGHT, WRONG = "They are all right", "They are all wrong"
_KINDS = {MOVE: "joint", FIXED: "fixed", APART: "apart"}


class Asking:
    """The panel of the questions about what an editor recognised; `point` lights parts and shows a motion.

    `assembly` is the one that is shown, whose instances may stand in another order. It is made anew after each answer,
    as all of it may ask something else then.
    """

    def __init__(
        self, panel: Panel, assembly: Assembly, editor: MatesEditor, decide: Callable[[Decision], None],
        point: Callable[[Pointed | None], None], notify: Callable[[str], None],
    ) -> None:  # fmt: skip
        assert editor.inquiry is not None
        self._assembly, self._inquiry, self._decide, self._point, self._notify = (
            assembly, editor.inquiry, decide, point, notify,
        )  # fmt: skip
        found = self._inquiry.found
        if self._inquiry.unknowable:
            panel.text(str(el("p", f"Nothing can be known of how it moves: {self._inquiry.unknowable}.")))
        told = found.hints.freedoms
        ways = "an unknown number of degrees" if found.freedoms is None else count(found.freedoms, "degree")
        asked = "as you said." if found.as_told else "as recognised. How many should it have?"
        panel.text(str(el("p", f"It has {ways} of freedom, {asked}")))
        self.freedoms = panel.entry("degrees of freedom, if known", "" if told is None else str(told), self.tell)
        self.question = panel.text()
        self.buttons = panel.buttons("answer", (MOVE, FIXED, APART, NEXT), self.answer)
        self.again = panel.button("Show the motion again", lambda: self._point(self._shown))
        self.words = panel.entry("or in words: fixed A, B; slide A, B along C; parts …", "", self.say)
        self.listed = panel.text()
        self.asked: Question | None = None
        self.changes: Page | None = None
        self._shown: Pointed | None = None
        self.ask()

    def tell(self, text: str) -> None:
        """Take a number of degrees of freedom; nothing where it is not known."""
        if text.strip() and not (text.strip().isdecimal() and len(text.strip()) < 5):
            self._notify(f"{text} is not a number of degrees of freedom.")
            return
        wanted = int(text) if text.strip() else None
        title = "degrees of freedom unknown" if wanted is None else f"{count(wanted, 'degree')} of freedom"
        self._decide(Decision(title, hints=lambda hints: replace(hints, freedoms=wanted)))

    def answer(self, button: str) -> None:
        """Take the answer to what is asked."""
        question, changes = self.asked, self.changes
        if changes is not None:
            if button == NEXT:
                self._inquiry.skip(changes)
                self.ask()
            else:
                self._sort_out(changes, changes.verdicts("y" if button == RIGHT else "n") or {})
        elif question is None:
            self._notify("Nothing is asked.")
        elif button == NEXT:
            self._inquiry.skip(question)
            self.ask()
        else:
            kind = _KINDS[button]
            title = f"{' and '.join(question.names)} {KINDS[kind]}{and_alike(question.equal)}"
            self._decide(Decision(title, hints=lambda hints: hints.having(kind, question.equal)))

    def _sort_out(self, changes: Page, verdicts: Verdicts) -> None:
        """Take which of the changed decisions are wrong."""
        wrong = sum(kind != entry.now for entry, kind in zip(changes.entries, verdicts.values(), strict=True))
        title = f"of {count(len(changes.entries), 'changed decision')} {wrong or 'none'} wrong"
        self._decide(Decision(title, hints=lambda hints: changes.answered(hints, verdicts)))

    def say(self, text: str) -> None:
        """Take what a person says in words, as `cadbridge recognise --ask` does."""
        verb, _, rest = text.strip().partition(" ")
        if verb.lower() == "parts":
            self.listed.content = str(el("pre", visible(parts_text(self._inquiry.found, rest.strip()))))
            return
        if not verb:
            return
        try:
            verdicts = None if self.changes is None else self.changes.verdicts(text.strip())
            if self.changes is not None and verdicts is not None:
                self._sort_out(self.changes, verdicts)
                return
            statement = self._inquiry.heard(text)
        except InputError as fault:
            self._notify(str(fault))
            return
        self._decide(Decision(statement.title, hints=statement.hints))

    def ask(self) -> None:
        """Ask the next question, and show what it is about."""
        self.changes = self._inquiry.changes
        if self.changes is not None:
            self.asked, self._shown, self.again.visible = None, None, False
            self.buttons.options, self.buttons.visible = (RIGHT, WRONG, NEXT), True
            self.question.content = str(_changed(self.changes))
            self._point(None)
            return
        self.asked = question = self._inquiry.next
        self.buttons.options, self.buttons.visible = (MOVE, FIXED, APART, NEXT), question is not None
        if question is None:
            self.question.content = str(el("p", self._inquiry.ended))
            self.again.visible, self._shown = False, None
            self._point(None)
            return
        try:
            trial = self._inquiry.trial(question)
        except CadbridgeError:
            trial = None
        words = _words(question, trial is not None, self._inquiry.found.freedoms)
        self.question.content = str(
            join([words, el("p", f"{count(self._inquiry.left, 'question')} left.", class_="note")])
        )
        self.again.visible = trial is not None
        self._shown = pointed(self._assembly, question.a, question.b, trial)
        self._point(self._shown)


def _changed(changes: Page) -> Html:
    """The decisions that were changed for the mobility, numbered."""
    note = "If some are wrong, write their numbers below: 1 3."
    lines = [el("li", visible(line)) for line in changes.lines]
    return el("div", el("p", changes.title, class_="asked"), el("ol", *lines), el("p", note, class_="note"))


def _words(question: Question, moving: bool, freedoms: int | None) -> Html:
    """A question with what is known of it; the names are in the colours of the picture."""
    a, b = (el("b", visible(name), class_=side) for name, side in zip(question.names, ("first", "second"), strict=True))
    alike = len(question.equal) - 1
    lines = [el("p", "Does ", a, " move against ", b, "?", class_="asked")]
    lines += [el("p", f"Your answer holds for {count(alike, 'pair')} alike too.")] if alike else []
    lines.append(el("p", visible(question.situation(freedoms))))
    if not moving:
        lines.append(el("p", "No axis is known on which they could turn, so no motion is shown."))
    return el("div", *lines)
