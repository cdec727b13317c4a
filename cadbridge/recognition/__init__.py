"""Mates, joints and gears recognised from bare geometry.

    recognise(assembly)        bodies, joints and gears with their evidence
    mates_text(found)          the mates file that says them
    read_recognised(source)    a source with them laid over it
    move_each(found)           each joint moved: what collides, and where it stops
    beside_own(found)          without what the source's own mates say already

Its rooms, by the way of the data; none imports one that comes after it:

    model, hints    what is found, and what a person knows; `groups`, `ties`, `part_names` beside them
    faces           of each distinct part: analytic surfaces, outlines, sections
    contacts        where those of two instances meet, and what a pair's contacts leave free (`judging`)
    wheels          teeth on the shape of a part, and which wheels mesh
    standard        fasteners and bearings by shape and by name: what is taken out first
    evidence        the `scene` and what speaks in it: lines by way of a third part, candidates, drives; `gathering`
    rules           what moves as one and what is a joint, by the strengths in `table`
    choice          `inferring`, `hypotheses` (second verdicts and their costs), `proving` by motion, `choosing`
    questions       what is asked (`questions`), answered (`inquiry`), and typed (`saying`)
    writing         the mates file and a person's decisions about it (`deciding`); `reading` a source with them

Numbers: below a threshold of shape stands what it was held against. "54 machines: 2.67 | 3.08" are the values nearest
to it on either side of all that it was compared with in 54 as-built assemblies of others (eight of them of
the corpus): between the two it changes nothing there. Where they are close, or not given, the
number is a choice. "Tests:" are the values nearest to it in the tests that are about it; most others do not depend on
it. What limits only time says so.
"""

from cadbridge.recognition.choice.choosing import recognise
from cadbridge.recognition.choice.sweep import move_each
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.writing.document import recognition_document
from cadbridge.recognition.writing.mates_text import mates_text
from cadbridge.recognition.writing.own_mates import beside_own
from cadbridge.recognition.writing.reading import read_bare, read_recognised, with_recognised

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
