"""Mates and gears of any source that a mates file says do not hold."""

from __future__ import annotations

from cadbridge.readers.mates_file.draft import Draft


def leave_out(draft: Draft) -> None:
    """Take the mates and gears that `leave_out` names out; a name that is none is reported (CB785)."""
    for index, name in enumerate(draft.spec.leave_out):
        mates = [m for m in draft.mates if m.name != name]
        couplings = [c for c in draft.couplings if c.name != name]
        if len(mates) == len(draft.mates) and len(couplings) == len(draft.couplings):
            known = [m.name for m in draft.mates] + [c.name for c in draft.couplings]
            where = draft.place("leave_out", index)
            draft.findings.add("CB785", f"there is no mate or gear {name!r}{draft.near(name, known)}", where)
        draft.mates, draft.couplings = mates, couplings
