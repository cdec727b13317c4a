"""`cadbridge recognise --ask`: the questions in the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

from cadbridge.errors import InputError

if TYPE_CHECKING:
    from cadbridge.recognition import Recognition
    from cadbridge.recognition.inquiry import Inquiry

HOW = "y: they move, n: they are fixed, Enter: I do not know, q: end"


def ask(inquiry: Inquiry) -> Recognition:
    """The recognition with a person's answers. InputError if stdin is not a terminal."""
    from cadbridge.cli.output import say
    from cadbridge.recognition.questions import NOTHING_LEFT
    from cadbridge.wording import count

    if inquiry.unknowable:
        return inquiry.found  # which a finding says
    try:
        found = inquiry.found
        if found.freedoms is not None:
            reply = _reply(
                f"{count(found.freedoms, 'degree')} of freedom found. How many should it have? [Enter: unknown]"
            )
            if reply.isdecimal():
                _take(inquiry, lambda: inquiry.freedoms(int(reply)))
        while (question := inquiry.next) is not None:
            say(f"\n{question.text}\n  {question.situation(inquiry.found.freedoms)}")
            answer = _reply(f"  [{HOW}]").lower()
            if answer in ("q", "quit"):
                break
            if answer[:1] not in ("y", "n"):
                inquiry.skip(question)
                continue
            moves = answer.startswith("y")
            _take(inquiry, lambda question=question, moves=moves: inquiry.answer(question, moves))  # type: ignore[misc]
        else:
            say(NOTHING_LEFT)
    except (EOFError, typer.Abort) as ended:
        raise InputError("--ask needs a terminal to answer in; --questions prints the questions as JSON.") from ended
    return inquiry.found


def _take(inquiry: Inquiry, answer: Callable[[], None]) -> None:
    """Take an answer, and say what it makes."""
    from cadbridge.cli.output import say
    from cadbridge.recognition.inquiry import told_by
    from cadbridge.wording import count

    before = inquiry.found
    answer()
    if inquiry.found.freedoms is not None:
        say(f"  {count(inquiry.found.freedoms, 'degree')} of freedom now.")
    for text in told_by(before, inquiry.found):
        say(f"  {text}")


def _reply(text: str) -> str:
    return str(typer.prompt(text, default="", show_default=False, err=True)).strip()
