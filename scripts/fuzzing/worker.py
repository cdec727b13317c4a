"""The process in which broken files are used, one after the other: `python -m fuzzing.worker`.

Requests are lines of JSON on stdin: {"way", "folder", "source", "broken"}; answers lines of JSON on stdout: {"kind",
"said", "peak"}. On SIGUSR1 it writes where it stands to stderr. Loading everything takes seconds, a case
milliseconds; whoever asks watches its time and memory (`fuzzing.case`) and ends it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import json
import os
import resource
import signal
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any


def main() -> None:
    """Serve until stdin ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _hold_memory(int(sys.argv[1]))
    _spare()
    for line in sys.stdin:
        answers.write(json.dumps(_answer(json.loads(line))) + "\n")
        answers.flush()


def _hold_memory(more: int) -> None:
    """A net below the one who watches: a single huge request fails here, before the machine does."""
    resource.setrlimit(resource.RLIMIT_DATA, (more, more))


def _spare() -> None:
    """Less of what each case would pay for again and no broken file alters: command trees, sharp pictures, OCCT."""
    import typer.main

    from cadbridge.report.page import page
    from fuzzing.forked import fork_occt

    fork_occt()
    typer.main.get_command = functools.cache(typer.main.get_command)
    page.STILL_PICTURE = (96, 64)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    from fuzzing.use import use

    folder = Path(request["folder"])
    _forget_peak()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            kind, said = use(request["way"], folder, folder / request["source"], folder / request["broken"]), ""
        except BaseException:
            kind, said = "exception", traceback.format_exc()
    return {"kind": kind, "said": said, "peak": _peak()}


def _forget_peak() -> None:
    """Linux counts the highest use of memory from here on."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    """The highest use of memory since `_forget_peak`, bytes."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
