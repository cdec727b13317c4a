"""`cadbridge recognise --ask`: the questions in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from cadbridge.errors import InputError

if TYPE_CHECKING:
    from cadbridge.recognition import Recognition
    from cadbridge.recognition.inquiry import Inquiry

HOW = "y: they move, n: they are fixed, Enter: next, q: end"


def ask(inquiry: Inquiry) -> Recognition:
    """The recognition with a person's answers. InputError if stdin is not a terminal."""
    from cadbridge.wording import count

    try:
        found = inquiry.found
        if found.freedoms is not None:
            reply = _reply(
                f"{count(found.freedoms, 'degree')} of freedom found. How many should it have? [Enter: unknown]"
            )
            if reply.isdigit():
                inquiry.freedoms(int(reply))
        while (question := inquiry.next) is not None:
            typer.echo(f"{question.now} now, {100 * question.confidence:.0f} %: {question.reason}", err=True)
            reply = _reply(f"{question.text} [{HOW}]").lower()
            if reply in ("q", "quit"):
                break
            if reply[:1] not in ("y", "n"):
                inquiry.skip(question)
                continue
            inquiry.answer(question, reply.startswith("y"))
            if inquiry.found.freedoms is not None:
                typer.echo(f"{count(inquiry.found.freedoms, 'degree')} of freedom.", err=True)
    except (EOFError, typer.Abort) as ended:
        raise InputError("--ask needs a terminal to answer in; --questions prints the questions as JSON.") from ended
    return inquiry.found


def _reply(text: str) -> str:
    return str(typer.prompt(text, default="", show_default=False, err=True)).strip()
