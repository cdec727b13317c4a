"""Mates and couplings of the file that its source has already: both hold, and their loads add up."""

from __future__ import annotations

from cadbridge.assembly import Coupling, Mate
from cadbridge.readers.mates_file.draft import Draft


def report_mate(draft: Draft, source: Mate, mate: Mate) -> None:
    """A mate that the source has by the same name, between the same components, and the file once more (CB786)."""
    ends = [{side.component for side in (m.a, m.b)} for m in (source, mate)]
    if ends[0] == ends[1]:
        loads = [what for what in ("damping", "friction") if getattr(source, what) and getattr(mate, what)]
        more = f"; its {' and '.join(loads)} counts twice" if loads else ""
        text = f"the source has a mate {mate.name!r} between the same components, and both hold{more}"
        draft.findings.add("CB786", text, mate.where)


def add_coupling(draft: Draft, coupling: Coupling) -> None:
    """Lay a coupling beside the others; CB786 where the source has one of its name that ties the same."""
    draft.couplings.append(coupling)
    for source in draft.assembly.couplings:
        if source.name == coupling.name and _tied(source) == _tied(coupling):
            what = "joints" if coupling.a is None else "components"
            text = f"the source has a coupling {coupling.name!r} of the same {what}, and both hold"
            draft.findings.add("CB786", text, coupling.where)
            return


def _tied(coupling: Coupling) -> set[str]:
    """The components whose axes it ties, or the mates whose values."""
    axes = {f.component for f in (coupling.a, coupling.b) if f is not None}
    return axes or {*(coupling.joints or ()), *(name for name, _ in coupling.factors)}
