"""Why a mobility that is told is not reached, where equal pairs are decided alike: the numbers next to it that are."""

from __future__ import annotations

from collections.abc import Sequence

from cadbridge.recognition.choice.freedoms import freedoms
from cadbridge.recognition.choice.hypotheses import Hypothesis, otherwise
from cadbridge.recognition.model import Recognition
from cadbridge.wording import count, listed

Chosen = tuple[Hypothesis, ...]


def beside(found: Recognition, known: Sequence[Hypothesis], wanted: int) -> tuple[str, str]:
    """What to say of a mobility that lies between those that the decisions give, and its cure; empty where it does not.

    Which of equal pairs are to be otherwise no evidence says: any choice would be as good as another, and mostly wrong.
    """
    sums: dict[int, Chosen] = {found.freedoms or 0: ()}
    for h in sorted((h for h in known if h.change), key=lambda h: h.cost):
        for number, taken in list(sums.items()):
            sums.setdefault(number + (h.change or 0), (*taken, h))
    below, above = [n for n in sums if n < wanted], [n for n in sums if n > wanted]
    if not (below and above):
        return "", ""
    given = {n: sums[n] for n in (max(below), min(above)) if not sums[n] or freedoms(otherwise(found, sums[n])) == n}
    groups = dict.fromkeys(h for taken in given.values() for h in taken if len(h.equal) > 1)
    if not groups:
        return "", ""
    text = (
        f"equal pairs are decided alike, which gives {' or '.join(map(str, given))}: {listed(list(map(alike, groups)))}"
    )
    first = next(iter(groups))
    example = f"{first.other}: [{', '.join(first.equal[0])}]"
    return text, f"Say of each pair that is otherwise what it is, in a hint of its own, such as `{example}`."


def alike(h: Hypothesis) -> str:
    """A decision, and how many more it is."""
    more = len(h.equal) - 1
    return f"{h.a} - {h.b}" + (f" and {count(more, 'pair')} like it" if more else "")
