"""What a person decides about the mates of a source, held against the source, and written to its mates file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from cadbridge.assembly import Assembly
from cadbridge.errors import InputError
from cadbridge.files import renewing
from cadbridge.readers import MATES_ENDING, ReadOptions
from cadbridge.readers.finish import finish
from cadbridge.readers.mates_file import editing, load_document
from cadbridge.recognition.hints import NO_HINTS, Hints
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.questions.inquiry import Inquiry
from cadbridge.recognition.writing.decided_text import changed_lines, units_of_text
from cadbridge.recognition.writing.edited import marked, renewed, text_of, unedited
from cadbridge.recognition.writing.hints_text import hints_of
from cadbridge.recognition.writing.mates_text import mates_text
from cadbridge.recognition.writing.reading import laid_over, read_bare, without_frames
from cadbridge.storage import use_cache

RECOGNISED = ".recognised" + MATES_ENDING
"""The end of the name of what is written where the mates file of the source is somebody's own."""


@dataclass(frozen=True, eq=False)
class Decision:
    """One decision: what it is called, the text of the mates file after it from the one before, what it is about.

    `about` names joints or gears; of one that is given another type also the name that it may have then. A decision of
    which recognition makes a hint has `hints`, the hints after it from those before: all is inferred anew with them.
    """

    title: str
    apply: Callable[[str], str] = str
    about: tuple[str, ...] = ()
    hints: Callable[[Hints], Hints] | None = None


class MatesEditor:
    """The mates file of a source with the decisions of a person over it, which can be undone until they are written.

    `path` is the file that is written; it need not be there yet. With `recognised`, what was recognised is written
    first, with what `finished` adds to it; decisions may be hints then. A decision that the file cannot take raises
    InputError and leaves all as it was.
    """

    def __init__(
        self,
        source: Path,
        mates: Path | None = None,
        options: ReadOptions | None = None,
        recognised: bool = False,
        finished: Callable[[Recognition], Recognition] = lambda found: found,
    ) -> None:
        self._source, self._given, self._recognised = source, options or ReadOptions(), recognised
        self._finished = finished
        self.path = mates or source.with_name(source.stem + MATES_ENDING)
        self._decided: list[Decision] = []
        self._undone: list[Decision] = []
        self._written: frozenset[str] = frozenset()
        self._known: str | None = None
        self._base = ""
        self._hints = NO_HINTS
        self.moved = ""
        self.reread()

    def reread(self) -> None:
        """Read source and file again; the decisions stand over them."""
        self.options = self._given
        use_cache(not self.options.no_cache)
        if not self._recognised and self.path.is_file():
            spec = load_document(self.path).spec
            if self.options.length_unit is None and spec is not None:
                self.options = replace(self.options, length_unit=spec.source_units)
        self._bare = read_bare(self._source, self.options)
        self.inquiry: Inquiry | None = None
        if self._recognised:
            self.inquiry = Inquiry(self._bare, True, (), hints_of(self.path))
            self._bare = without_frames(self._bare)
        self.reload()

    @property
    def found(self) -> Recognition | None:
        """What is recognised with the decisions that are hints; None where nothing was to be recognised."""
        return None if self.inquiry is None else self.inquiry.found

    def reload(self) -> None:
        """Take the file as it is on the disk now; the decisions stand over it."""
        self._known = text_of(self.path)
        self._hints = hints_of(self.path)
        self._base = self._known if self._known is not None else editing.EMPTY
        self._infer()

    def _infer(self) -> None:
        """Recognise anew with the hints of the file and of the decisions, and take what that makes of the file."""
        if self.inquiry is None:
            return
        hints = self._hints
        for decision in self._decided:
            hints = decision.hints(hints) if decision.hints is not None else hints
        self.inquiry.take(hints)
        if hints != self._hints and self._known is not None and not unedited(self._known):
            self._base = marked(mates_text(self.inquiry.found))
            self._beside(f"{self.path.name} was edited by hand and keeps every line.")
            return
        try:
            self._base = self._merged(self.inquiry.found)
        except InputError as fault:
            # The file there is somebody's own: what was recognised goes beside it.
            if not self._beside(str(fault)):
                raise

    def _beside(self, why: str) -> bool:
        """Write to a file beside the source from now on; False where that is the one already."""
        beside = self._source.with_name(self._source.stem + RECOGNISED)
        if self.path == beside:
            return False
        self.path, self.moved = beside, f"{why} Decisions are written to {beside.name}."
        self._known = text_of(self.path)
        if self.inquiry is not None:
            self._base = self._merged(self.inquiry.found)
        return True

    def _merged(self, found: Recognition) -> str:
        """What `recognise` would leave in the file."""
        return renewed(self._known, mates_text(found), self.path)[0]

    @property
    def decided(self) -> tuple[str, ...]:
        """The decisions that stand."""
        return tuple(d.title for d in self._decided)

    @property
    def undone(self) -> tuple[str, ...]:
        """The decisions that can be done again, the next one last."""
        return tuple(d.title for d in self._undone)

    @property
    def last(self) -> Decision | None:
        """The decision that undo takes back."""
        return self._decided[-1] if self._decided else None

    @property
    def settled(self) -> frozenset[str]:
        """The names that decisions are about which stand or are written."""
        return self._written.union(*(d.about for d in self._decided))

    @property
    def text(self) -> str:
        """The mates file with all decisions."""
        return self._applied()[0]

    @property
    def void(self) -> tuple[str, ...]:
        """The decisions of which nothing is left to apply to, since a later answer changed what they are about."""
        return self._applied()[1]

    def _applied(self) -> tuple[str, tuple[str, ...]]:
        text, void = self._base, []
        answered = any(d.hints is not None for d in self._decided)
        for decision in self._decided:
            try:
                text = decision.apply(text)
            except InputError:
                # An answer may have taken away the joint that a later edit is about; without one the edit itself is at
                # fault.
                if not answered:
                    raise
                void.append(decision.title)
        return text, tuple(void)

    def decide(self, decision: Decision) -> Assembly:
        """Take a decision, and the assembly with it; InputError where that brings a new error."""
        before = {f.message for f in self.assembly().findings if f.severity.value == "error"}
        self._decided.append(decision)
        try:
            if decision.hints is not None:
                self._infer()
            made = self.assembly()
            new = [f for f in made.findings if f.severity.value == "error" and f.message not in before]
            if new:
                raise InputError(f"The mates file would have an error: {new[0].message}.")
        except InputError:
            self._decided.pop()
            if decision.hints is not None:
                self._infer()
            raise
        self._undone.clear()
        return made

    def undo(self) -> Assembly | None:
        """Take the last decision back; None where there is none."""
        return self._taken(self._decided, self._undone)

    def redo(self) -> Assembly | None:
        """Take the decision that was undone last again; None where there is none."""
        return self._taken(self._undone, self._decided)

    def _taken(self, before: list[Decision], after: list[Decision]) -> Assembly | None:
        """Take the last of some decisions to others, and the assembly with it."""
        if not before:
            return None
        after.append(before.pop())
        if after[-1].hints is not None:
            self._infer()
        return self.assembly()

    def assembly(self) -> Assembly:
        """The source with the file and all decisions laid over it."""
        return finish(laid_over(self._bare, self.text, self.path.name), self.options)

    def preview(self) -> str:
        """What would be written, as the lines that change; what was recognised is one line."""
        new = self.found is not None and self._base != self._known
        return changed_lines(self._base, self.text, new)

    def write(self) -> None:
        """Write the file; InputError where it was changed on the disk meanwhile, or cannot be written.

        The decisions are then those of the file: none is left to undo.
        """
        now = text_of(self.path)
        if now != self._known:
            raise InputError(
                f"{self.path.name} has changed on disk and was not overwritten. "
                "Reload it; your decisions are applied to the new text."
            )
        # Only now, and not at each answer: what is added may be the limits, for which each joint is swept.
        if self.inquiry is not None and (self._known is None or unedited(self._known)):
            self._base = self._merged(self._finished(self.inquiry.found))
        text = self.text
        with renewing(self.path) as temporary:
            temporary.write_text(text, encoding="utf-8")
        self._known, self._base, self._written = text, text, self.settled
        self._decided, self._undone = [], []
        self._hints = hints_of(self.path)

    def units(self) -> tuple[float, float]:
        """rad and m to the units of the file."""
        return units_of_text(self._base, self.path.name)
