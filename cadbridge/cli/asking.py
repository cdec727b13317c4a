"""`cadbridge recognise --ask`: the questions in the terminal, and what a person says without being asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cadbridge.errors import InputError
from cadbridge.visible import visible

if TYPE_CHECKING:
    from cadbridge.recognition import Recognition
    from cadbridge.recognition.questions.changes import Page
    from cadbridge.recognition.questions.inquiry import Inquiry
    from cadbridge.recognition.questions.questions import Question

HOW = "y: they move, n: they are fixed, a: apart, no joint between them, Enter: I do not know, u: undo, ?: more, q: end"
WRONG = (
    "y: all are right, n: all are wrong, or the numbers of the wrong ones (3a: no joint between them, 3?: I do not "
    "know); Enter: ask one by one, u: undo, ?: more, q: end"
)
KINDS = {"y": "joint", "yes": "joint", "n": "fixed", "no": "fixed", "a": "apart"}
DIGITS = tuple("+-.0123456789")
"""What a number begins with, and no word."""
DONE = "Enter: done, or what else you know; u: undo, ?: what can be said"


def answered(inquiry: Inquiry) -> Recognition:
    """The recognition with a person's answers. InputError if stdin gives none."""
    if inquiry.unknowable:
        return inquiry.found  # which a finding says
    replies = _Replies()
    try:
        going = _ask_freedoms(inquiry, replies)
        while going:
            going = _ask_next(inquiry, replies)
    except EOFError as ended:
        if not replies.given:
            text = "--ask needs a terminal to answer in; --questions prints the questions as JSON."
            raise InputError(text) from ended
    return inquiry.found


class _Replies:
    """What a person types, line by line."""

    def __init__(self) -> None:
        self.given = 0

    def next(self, text: str) -> str:
        """The reply to a text. EOFError where there is none."""
        reply = _reply(text)
        self.given += 1
        return reply


def _ask_freedoms(inquiry: Inquiry, replies: _Replies) -> bool:
    """Ask how many degrees of freedom it should have; False where the person ends it."""
    from cadbridge.cli.output import say
    from cadbridge.wording import count

    found = inquiry.found
    if found.freedoms is None:
        return True
    wanted = found.hints.freedoms
    unknown = "unknown" if wanted is None else f"{wanted}, as you said"
    known = count(found.freedoms, "degree").capitalize()
    question = f"{known} of freedom found. How many should it have? [Enter: {unknown}]"
    reply = replies.next(question)
    while reply.lower() in KINDS or (reply[:1] in DIGITS and not (reply.isdecimal() and len(reply) < 5)):
        say(f"  This asks for one number, such as 6, or Enter; {visible(reply)!r} is none.")
        reply = replies.next(question)
    if not reply.isdecimal():
        return not reply or _heard(inquiry, reply, None)
    _take(inquiry, lambda: inquiry.freedoms(int(reply)))
    return True


def _ask_next(inquiry: Inquiry, replies: _Replies) -> bool:
    """Ask one question, or what else is to say where none is left; False where the person ends it."""
    from cadbridge.cli.output import say

    page = inquiry.page
    if page is not None:
        say(visible(f"\n{page.text}"))
        return _sorted_out(inquiry, replies.next(f"  [{WRONG}]"), page)
    question = inquiry.next
    if question is None:
        say(f"\n{inquiry.ended}")
    else:
        say(visible(f"\n{question.text}\n  {question.situation(inquiry.found.freedoms)}"))
    return _heard(inquiry, replies.next(f"  [{DONE if question is None else HOW}]"), question)


def _sorted_out(inquiry: Inquiry, reply: str, page: Page) -> bool:
    """Take which of several decisions are wrong, or what else is said. False where all is said."""
    from cadbridge.cli.output import say

    try:
        verdicts = page.verdicts(reply)
    except InputError as fault:
        say(f"  {fault}")
        return True
    if verdicts is not None:
        _take(inquiry, lambda: inquiry.sort_out(page, verdicts))
    elif not reply:
        inquiry.skip(page)
    else:
        return _heard(inquiry, reply, None)
    return True


def _heard(inquiry: Inquiry, reply: str, question: Question | None) -> bool:
    """Take a reply: an answer to a question, or something said without being asked. False where all is said."""
    from cadbridge.cli.output import say
    from cadbridge.recognition.questions.saying import WAYS, parts_text

    word = reply.lower()
    if word in ("q", "quit", "end") or (not reply and question is None):
        return False
    if question is not None and not reply:
        inquiry.skip(question)
    elif question is not None and word in KINDS:
        _take(inquiry, lambda: inquiry.answer(question, KINDS[word]))
    elif word in KINDS:
        say("  Nothing is asked now that this could answer.")
    elif word in ("u", "undo"):
        if inquiry.undo():
            _say_freedoms(inquiry)
        else:
            say("  Nothing was said yet.")
    elif word in ("?", "h", "help"):
        say("  " + WAYS.replace("\n", "\n  "))
    elif word.split()[0] == "parts":
        say(visible(parts_text(inquiry.found, reply[5:].strip())))
    else:
        _take_statement(inquiry, reply)
    return True


def _take_statement(inquiry: Inquiry, line: str) -> None:
    """Take what a person says in words; where it says nothing, say why."""
    from cadbridge.cli.output import say

    try:
        statement = inquiry.heard(line)
    except InputError as fault:
        say(f"  {visible(str(fault))}")
        return
    _take(inquiry, lambda: inquiry.say(statement.hints(inquiry.found.hints)), statement.title)


def _take(inquiry: Inquiry, answer: Callable[[], None], title: str = "") -> None:
    """Take an answer, and say what it makes; `title` is what was said, unless no axis was found for it (CB1642)."""
    from cadbridge.cli.output import say, working
    from cadbridge.recognition.questions.inquiry import told_by

    before = inquiry.found
    with working("recognising again"):
        answer()
    if title and not any(f.code == "CB1642" and f not in before.findings for f in inquiry.found.findings):
        say(f"  {visible(title)}.")
    _say_freedoms(inquiry)
    for text in told_by(before, inquiry.found):
        say(f"  {visible(text)}")


def _say_freedoms(inquiry: Inquiry) -> None:
    from cadbridge.cli.output import say
    from cadbridge.wording import count

    if inquiry.found.freedoms is not None:
        say(f"  {count(inquiry.found.freedoms, 'degree').capitalize()} of freedom now.")


def _reply(text: str) -> str:
    """What is typed on stdin, asked for on stderr. EOFError at its end."""
    import sys

    print(text, end=": ", file=sys.stderr, flush=True)
    return input().strip()
