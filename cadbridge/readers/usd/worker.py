"""USD's own library in a process of its own, which reads one stage: `python -m cadbridge.readers.usd.worker`.

It answers one request of `cadbridge.shapes.process.Worker` with plain arrays and texts. On Linux the kernel holds it to
the folders in which the source's layers may lie, wherever composition looks for them.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

from cadbridge.budget import allow, raised, with_option
from cadbridge.confinement import MEMORY, confine
from cadbridge.folders import Folders, folders_around
from cadbridge.shapes import protocol
from cadbridge.shapes.packing import receive, send
from cadbridge.units import GIGABYTE

SECONDS_OF_STAGE = 60
"""Processor seconds that a stage may take, before `--allow-larger`: composition and meshes. A choice, as MuJoCo's."""

_ELSEWHERE = ("PXR_PLUGINPATH_NAME", "PXR_AR_DEFAULT_SEARCH_PATH")
"""What makes USD look for plug-ins and layers beyond the source's folders."""

_NO_MEMORY = "bad_alloc"
"""In what the library of C++ says where it gets no more memory."""

MOST_QUOTED = 500
"""Characters of what USD says that are reported: some lines; it may say a page."""

_QUOTED = re.compile(r"Error in '[^']*' at line \d+ in file \S+ : '(.*?)'\s*$", re.DOTALL | re.MULTILINE)


def _answer(path: str, package_dirs: list[str], geometry: bool, larger: float) -> Any:
    allow(larger)
    source = Path(path)
    folders = Folders.of(source, map(Path, package_dirs))
    # USD looks for relative names in the current folder, too.
    os.chdir(source.parent)
    try:
        from cadbridge.readers.usd import stage
    except ModuleNotFoundError as error:
        return protocol.Failure("missing", str(error))
    # Plug-ins are read from the disk at their first use, which the confinement would refuse.
    stage.load_plugins()
    confine([*folders.roots, *folders_around(source.parent)], int(raised(SECONDS_OF_STAGE)), int(raised(MEMORY)))
    try:
        return stage.extract(source, folders, geometry)
    except MemoryError:
        return _full()
    except Exception as error:
        if _NO_MEMORY in str(error):
            return _full()
        quoted = _QUOTED.findall(str(error)) or [str(error)]
        return protocol.Failure("refused", " ".join(quoted[0].replace(f"{source.parent}/", "").split())[:MOST_QUOTED])


def _full() -> protocol.Failure:
    return protocol.Failure("refused", with_option(f"its stage takes more than {raised(MEMORY) / GIGABYTE:.1f} GB"))


def main() -> None:
    """Answer one request. USD writes what it finds wrong to stderr."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for name in _ELSEWHERE:
        os.environ.pop(name, None)
    # A confined process starts no thread.
    os.environ["PXR_WORK_THREAD_LIMIT"] = "1"
    _, arguments = receive(sys.stdin.buffer)
    send(answers, _answer(**arguments))


if __name__ == "__main__":
    main()
