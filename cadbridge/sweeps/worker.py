"""A process that computes runs of a sweep: the task first, then a point for a row, until its input ends.

Run as `python -m cadbridge.sweeps.worker` by `cadbridge.sweeps.crew` alone: messages are pickles of its own parent.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys

from cadbridge.processes import end_with_caller
from cadbridge.sweeps.messages import read_message, write_message


def main() -> None:
    """Take the task, then work until the input ends."""
    end_with_caller()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, who ends this process
    # What is printed on the way must not get between the messages.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    task = read_message(sys.stdin.buffer)
    if task is None:
        return
    from cadbridge.sweeps.one import one_run

    base, sweep, how = pickle.loads(task)
    gc.collect()
    gc.freeze()  # the model stays; looking through it after every run would be for nothing
    while (message := read_message(sys.stdin.buffer)) is not None:
        run, values = pickle.loads(message)
        write_message(answers, pickle.dumps(one_run(base, sweep, how, run, values)))


if __name__ == "__main__":
    main()
