"""The command line: what a person types. Results to stdout, everything else to stderr."""

from __future__ import annotations

import gc
import os
import sys

_YOUNG = 100_000
"""Objects made between two searches for circular garbage: modules that load make many and drop none."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status.

    0 fine; 1 the model has errors; 2 the input or the call cannot be used; 3 a fault of ours;
    130 stopped by Ctrl-C.
    """
    from cadbridge.touched import forget, remember
    from cadbridge.visible import keep_stdout, shown

    remember()
    often = gc.get_threshold()
    gc.set_threshold(_YOUNG, *often[1:])
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # pydantic looks for them in every package there is
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small: further threads cost more than they give
    if arguments is None:
        keep_stdout()
    try:
        with shown():
            return _run(arguments)
    finally:
        forget()
        gc.set_threshold(*often)


def _run(arguments: list[str] | None) -> int:
    """`main`, its streams made safe."""
    from cadbridge.cli.app import application
    from cadbridge.cli.output import STOPPED_STATUS, print_error
    from cadbridge.errors import CadbridgeError

    try:
        application(sys.argv[1:] if arguments is None else arguments)(arguments)
    except SystemExit as stop:
        if stop.code == STOPPED_STATUS:  # the application's framework turns Ctrl-C into this, and says nothing
            print("stopped", file=sys.stderr)
        return stop.code if isinstance(stop.code, int) else 0
    except CadbridgeError as error:
        print_error(error)
        return error.exit_status
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return STOPPED_STATUS
    except OSError as error:
        print(f"error: {error.strerror or error}: {error.filename or ''}".rstrip(": "), file=sys.stderr)
        return 2
    except Exception as error:
        if os.environ.get("CADBRIDGE_DEBUG"):
            import traceback

            traceback.print_exc()
        print(
            f"This is a fault of cadbridge, not of your file: {type(error).__name__}: {error}\n"
            "Set CADBRIDGE_DEBUG=1 to see where, and please report it.",
            file=sys.stderr,
        )
        return 3
    return 0
