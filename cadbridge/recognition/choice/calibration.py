"""From the strength of evidence, which ranks it, to the confidence that is given: how often it was right.

The rows were counted by `scripts/reliability` over assemblies with known mates, and over machines when they were new,
and drawn together so that they rise; docs/recognition.md has the counts. A strength is what a rule writes beside its
evidence.
"""

from __future__ import annotations

import numpy as np

from cadbridge.recognition.contacts.walls import Witness

WELDS = ((0.2, 0.24), (0.3, 0.6), (0.4, 0.84), (0.65, 0.86), (0.7, 0.88), (0.8, 0.95), (0.95, 0.95))
"""Strength of a weld's evidence, and the share of such welds that was right on 78 machines when they were new: 578 of
677 from 0.4 to 0.65 (what rests on another or reaches into it), 543 of 571 from 0.8 on (lines and bolts); up to 0.2
(what touches nothing, or is blocked) 21 of 86, with three sets more. At 0.3 and 0.7 there are few counts: they lie
between. The first were 73 % of those of one set of machines and 96 % of those of the next: machines differ by more than
rules do."""
JOINTS_OF_LINKS = 0.87
"""The share of joints that was right where the model shows links alone, without a fastener and a drive: 33 of 38 on 86
machines when they were new."""
JOINTS_AS_BUILT = {
    Witness.DRIVE: 0.78,
    Witness.BOLT: 0.78,
    Witness.RODS: 0.78,
    Witness.BALL: 0.78,
    Witness.SHAFT: 0.68,
    Witness.HOLES: 0.58,
    Witness.OTHER: 0.36,
}
"""The share of joints that was right in all other models, with 18 more when they were new, by what shows the joint: 57
of 73 by a drive, one bolt or rods; 118 of 174 by a shaft in its bore (of a machine 62 % in the mean); 50 of 86 by holes
in line, which are as often those of a screw that is not drawn; 27 of 76 by anything else, with two sets more, and
without 22 magnets and coils that are set in since. Balls in sockets, 9 of 9 but nearly all in models of links, count as
sure as drives. By machines left out, the shares of before foretold what is right better (0.62 nats a joint) than one
share for all (0.66)."""
BY_NAME = 0.5
"""The confidence of a joint for which a name alone speaks: a choice. On the machines whose names were read for this, 30
of 36 were right, and five of the others are of one machine; on 17 machines since, no part was held so."""
DOUBTED_OF_LINKS, DOUBTED_AS_BUILT = 0.52, 0.42
"""The share of joints of strengths up to 0.45 that was right on 164 machines when they were new: 32 of 72 as built."""
ON_BALLS = ((0.98, 0.97), (0.99, 0.99))
"""Strength of a joint on the balls of a bearing, and the share that was right."""

MOBILITIES = ((0.0, 0.19), (0.3, 0.19), (0.4, 0.64), (0.99, 0.64), (1.0, 1.0))
"""Product of the confidences of all decisions on which the mobility depends, and the share of such mobilities that was
right on 85 machines when they were new, none of which is 0: 11 of 57 up to 0.35, 14 of 22 above. The decisions of a
machine are right or wrong together, and one of few misses what nobody decided: so it rises no further."""
NOTHING_MOVES = 0.1
"""The share of mobilities of 0 that was right: none of 10 machines when they were new. Who asks how an assembly moves
has mostly one that does."""


def of_weld(strength: float) -> float:
    """The confidence of a weld; what a person said is certain."""
    return _share(strength, WELDS)


def of_joint(strength: float, witness: Witness = Witness.OTHER, links: bool = False) -> float:
    """The confidence of a joint; what a person said is certain.

    `links`: whether the model shows links alone, without a fastener and a drive.
    """
    share, doubted = (JOINTS_OF_LINKS, DOUBTED_OF_LINKS) if links else (JOINTS_AS_BUILT[witness], DOUBTED_AS_BUILT)
    return _share(strength, ((0.45, min(doubted, share)), (0.5, share), (0.85, share), *ON_BALLS))


def of_mobility(product: float, freedoms: int) -> float:
    """How sure a mobility is, from the product of the confidences of the decisions behind it."""
    share = _share(product, MOBILITIES)
    return share if freedoms else min(share, NOTHING_MOVES)


def _share(strength: float, rows: tuple[tuple[float, float], ...]) -> float:
    strengths, shares = zip(*(*rows, (1.0, 1.0)), strict=True)
    return round(float(np.interp(strength, strengths, shares)), 3)
