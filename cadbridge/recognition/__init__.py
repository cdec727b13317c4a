"""Mates, joints and gears recognised from bare geometry.

    recognise(assembly)        bodies, joints and gears with their evidence
    mates_text(found)          the mates file that says them
    read_recognised(source)    a source with them laid over it
    move_each(found)           each joint moved: what collides, and where it stops
    beside_own(found)          without what the source's own mates say already

The steps: `faces` (analytic surfaces of each distinct part), `contacts` (where surfaces of two instances meet),
`fasteners` (what is taken out first), `bolts` and `pins` (lines shared by way of a third part), `actuators` (joints
inside one solid), `bodies` (what moves as one), `guides` (what a pair's contacts leave free), `joints` (which pairs are
joints), `turntables` and `subassemblies` (joints that no shaft shows, and spins that move nothing), `whole` (what is
left over, and the ground), `attaching` (where fasteners go), `sweep` (each freedom moved), `write` (the mates file).
"""

from cadbridge.recognition.document import recognition_document
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.own_mates import beside_own
from cadbridge.recognition.reading import read_bare, read_recognised, with_recognised
from cadbridge.recognition.recogniser import recognise
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
