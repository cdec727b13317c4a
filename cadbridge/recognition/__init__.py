"""Mates, joints and gears recognised from bare geometry.

    recognise(assembly)        bodies, joints and gears with their evidence
    mates_text(found)          the mates file that says them
    read_recognised(source)    a source with them laid over it
    move_each(found)           each joint moved: what collides, and where it stops
    beside_own(found)          without what the source's own mates say already

Evidence: `faces` and `surfaces` (analytic surfaces of each distinct part), `contacts` (the questions that all rules ask
of these: parallel, on one line, beside each other, in common), `touching` (where those of two instances meet),
`fasteners` (what is taken out first), `bolts` and `pins` (lines shared by way of a third part), `wheels` and `meshing`,
gathered by `evidence`. Inference: `rules` with their strengths, on a `scene`: `actuators` and `motors` (joints inside
one solid), `bodies` (what moves as one), `bearings` and `hubs` (what turns with a shaft), `judging` (what a pair's
contacts leave free), `joints`, `turntables`, `subassemblies`, `whole` (what is left over), `grounds`, `attaching`
(where fasteners go). Choice: `hypotheses` (second verdicts and their costs), `drives`, `choosing`. Questions:
`questions`, `inquiry`, `hints`. Writing: `write`, `document`.

Numbers: below a threshold of shape stands what it was held against. "54 machines: 2.67 | 3.08" are the values nearest
to it on either side of all that it was compared with in 54 as-built assemblies of others (eight of them of
the corpus): between the two it changes nothing there. Where they are close, or not given, the
number is a choice. "Tests:" are the values nearest to it in the tests that are about it; most others do not depend on
it. What limits only time says so.
"""

from cadbridge.recognition.choosing import recognise
from cadbridge.recognition.document import recognition_document
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.own_mates import beside_own
from cadbridge.recognition.reading import read_bare, read_recognised, with_recognised
from cadbridge.recognition.sweep import move_each
from cadbridge.recognition.write import mates_text

__all__ = [
    "Recognition",
    "beside_own",
    "mates_text",
    "move_each",
    "read_bare",
    "read_recognised",
    "recognise",
    "recognition_document",
    "with_recognised",
]
