"""Control characters made visible, in one place for terminal, logs and pages.

Names, keys and the texts of libraries come from strangers. An escape sequence in one would change colours, titles or
the screen above it, a bidirectional override would turn the text around it, and a line break would forge a line. Such
characters are shown as JSON writes them (`\\u001b`), so that a document of JSON stays what it was.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from typing import Any, TextIO

_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
_ASTRAL = "\U000e0000-\U000e0fff"
_HIDDEN = re.compile(f"[{_CONTROL}{_ASTRAL}\ud800-\udfff]")
_HIDDEN_IN_LINE = re.compile(f"[{_CONTROL}{_ASTRAL}\ud800-\udfff\n\t]")


def visible(text: str, lines: bool = True) -> str:
    """The text with its control characters, marks of direction and lone surrogates written out.

    Line breaks and tabs stay where the text may have `lines`.
    """
    return (_HIDDEN if lines else _HIDDEN_IN_LINE).sub(lambda found: _escaped(found[0]), text)


def _escaped(letter: str) -> str:
    code = ord(letter)
    # JSON's way: above 16 bits a pair of surrogates.
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


class Visible:
    """A text stream that shows what is written to it by `visible`, and letters that its encoding lacks likewise.

    A reader that went away (`| head`) is no fault: what is written after that is dropped. `plain` is the stream
    itself, for what draws on a terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self.plain = stream
        self._gone = False

    def write(self, text: str) -> int:
        """Write; the number of characters of `text`."""
        if not self._gone:
            shown = visible(text)
            encoding = getattr(self.plain, "encoding", None) or "utf-8"
            try:
                shown.encode(encoding)
            except UnicodeEncodeError:
                shown = "".join(c if _holds(encoding, c) else _escaped(c) for c in shown)
            with self._open():
                self.plain.write(shown)
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write each."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Hand on what is written."""
        if not self._gone:
            with self._open():
                self.plain.flush()

    @contextlib.contextmanager
    def _open(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            self._gone = True
            with contextlib.suppress(OSError, ValueError, AttributeError):
                nowhere = os.open(os.devnull, os.O_WRONLY)  # what is still in the stream's buffer goes there at the end
                os.dup2(nowhere, self.plain.fileno())
                os.close(nowhere)

    def isatty(self) -> bool:
        """Whether a terminal shows it."""
        return self.plain.isatty()

    def fileno(self) -> int:
        """The stream's."""
        return self.plain.fileno()

    @property
    def encoding(self) -> str:
        """The stream's."""
        return getattr(self.plain, "encoding", None) or "utf-8"

    @property
    def errors(self) -> str:
        """Nothing is lost: see `write`."""
        return "strict"

    @property
    def closed(self) -> bool:
        """The stream's."""
        return self.plain.closed


def _holds(encoding: str, letter: str) -> bool:
    try:
        letter.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


_STYLES = {"error": "1;31", "warning": "33", "info": "36", "bad": "1;31", "mark": "33", "good": "32", "bold": "1"}
"""Severities and levels of a verdict, as a terminal's colours."""


def colours(stream: Any) -> bool:
    """Whether a stream shows colours: a terminal, unless NO_COLOR is set or the terminal is a dumb one."""
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def write_styled(stream: Any, text: str, style: str) -> None:
    """Write a text in the colour of a severity or level where the stream shows colours; else the bare text.

    Only our own escape sequences reach the terminal: the text itself goes through `Visible` where the stream is one.
    """
    if not colours(stream):
        stream.write(text)
        return
    plain(stream).write(f"\x1b[{_STYLES[style]}m")
    stream.write(text)
    plain(stream).write("\x1b[0m")


def plain(stream: Any) -> Any:
    """The stream behind a `Visible`, or itself."""
    return stream.plain if isinstance(stream, Visible) else stream


@contextlib.contextmanager
def shown() -> Iterator[None]:
    """Within the block, standard output and standard error are `Visible`."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (s if s is None or isinstance(s, Visible) else Visible(s) for s in before)
    try:
        yield
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    finally:
        sys.stdout, sys.stderr = before


def keep_stdout() -> None:
    """Keep standard output for what Python writes, to the end of the process: other code's output goes to stderr.

    HiGHS prints a line of its own now and then, which would stand among the JSON that a program reads. What C's library
    still holds is written when the process ends, so there is no way back.
    """
    own = sys.__stdout__
    try:
        if own is None or own is not sys.stdout or own.fileno() != 1:
            return
        own.flush()
        kept = os.dup(1)
        os.dup2(2, 1)
    except (OSError, ValueError):  # it is closed, or stderr is
        return
    buffering = 1 if own.line_buffering else -1
    stream = os.fdopen(kept, "w", buffering=buffering, encoding=own.encoding, errors=own.errors)
    sys.stdout = sys.__stdout__ = stream  # type: ignore[misc]  # shutil asks the latter for a terminal's width
