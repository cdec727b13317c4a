"""xacro expanded by forks of one process that has loaded what expands: a start and its imports take 85 ms each time.

A fork runs what the product starts for each file, confined as it is there. Tests by day ask it; those that put another
process in its place, all at night and commands in processes of their own start one for each file.
"""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from cadbridge import processes
from cadbridge.readers.xacro import process

LENGTH = struct.Struct("<Q")
ENDED = b"null"
"""What a fork said that ended before its answer."""

Answer = dict[str, Any]


class Forks:
    """Starts the process at the first file. Without fork, or where `python` was put in place, the product's own way."""

    def __init__(self, genuine: Callable[[Answer], Answer]) -> None:
        self._genuine = genuine
        self._server: subprocess.Popen[bytes] | None = None

    def answer(self, request: Answer) -> Answer:
        if vars(process)["python"] is not processes.python or not hasattr(os, "fork"):
            return self._genuine(request)
        if self._server is None:
            command, where = [sys.executable, "-P", __file__], processes.environment()
            self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=where)
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        put(self._server.stdin, json.dumps([request, processes.environment()]).encode())
        said: Answer | None = json.loads(taken(self._server.stdout))
        return self._genuine(request) if said is None else said

    def close(self) -> None:
        if self._server is not None:
            self._server.communicate()


def put(stream: Any, data: bytes) -> None:
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def taken(stream: Any) -> bytes:
    """The next piece; EOFError where there is none."""
    if len(head := stream.read(LENGTH.size)) < LENGTH.size:
        raise EOFError
    data: bytes = stream.read(LENGTH.unpack(head)[0])
    return data


def forked(asked: bytes) -> bytes:
    """What a fork answers, in the folder and with the environment that the process would have."""
    from cadbridge.readers.xacro import child

    request, environment = json.loads(asked)
    inward, outward = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            os.setsid()
            os.chdir(Path(request["path"]).parent)
            os.environ.clear()
            os.environ.update(environment)
            os.dup2(outward, 1)
            sys.stdin = io.TextIOWrapper(io.BytesIO(json.dumps(request).encode()))
            child.main()
            sys.stdout.flush()
        finally:
            os._exit(0)
    os.close(outward)
    with os.fdopen(inward, "rb") as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    return said or ENDED


def main() -> None:
    inward, outward = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    with suppress(EOFError):
        while True:
            put(outward, forked(taken(inward)))


if __name__ == "__main__":
    main()
