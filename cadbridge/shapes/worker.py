"""The worker process: OCCT on one side of a pipe. Run as `python -m cadbridge.shapes.worker FOLDER [CALLER]`.

It can open files of FOLDER alone, where the system can hold it to that (`cadbridge.confinement`).
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from cadbridge.confinement import confine, libraries
from cadbridge.processes import data_size, end_with_caller
from cadbridge.shapes import protocol
from cadbridge.shapes.packing import receive, send
from cadbridge.units import GIGABYTE

if TYPE_CHECKING:
    from cadbridge.shapes.document import StepDocument

_DOCUMENTS_KEPT = 4
"""Documents kept for later questions about their faces: each takes several times its file of memory."""
_LEAST_MEMORY = 900 << 20
"""Bytes of address space that OCCT needs to be loaded and to read a small file."""


class OcctServer:
    """Answers requests; keeps the last few documents."""

    def __init__(self, memory: _Memory) -> None:
        self._memory = memory
        self._documents: OrderedDict[tuple[str, int], StepDocument] = OrderedDict()
        self._verbs: dict[str, Callable[..., Any]] = {
            "read": self.read,
            "whole": self.whole,
            "refine": self.refine,
            "select": self.select,
            "breps": self.breps,
            "features": self.features,
            "brep_features": self.brep_features,
            "ping": os.getpid,
        }

    def answer(self, verb: str, arguments: dict[str, Any]) -> Any:
        """The result of a request, or a Failure."""
        from cadbridge.shapes.document import UnreadableError

        try:
            return self._verbs[verb](**arguments)
        except UnreadableError as error:
            return protocol.Failure("unreadable", str(error))
        except MemoryError:
            return _no_memory()
        except OverflowError:
            return protocol.Failure("occt", "it holds numbers too large to compute with")
        except Exception as error:
            # OCCT's own exceptions come in here: each is a fault of the file, reported with its name.
            if type(error).__name__ == "Standard_OutOfMemory":
                return _no_memory()
            return protocol.Failure("occt", f"{type(error).__name__}: {error}")

    def read(self, path: str, memory: int, length_unit: float | None, geometry: bool) -> protocol.Document:
        """A file as product graph; `length_unit` (m) replaces the file's; `memory` bytes are what it may take."""
        from cadbridge.shapes.document import read_document

        source = self._document(path, memory)
        return read_document(source, source.scale(length_unit), geometry)

    def whole(self, path: str, memory: int, length_unit: float | None) -> protocol.ShapeData | None:
        """A file as one shape."""
        from cadbridge.shapes.document import read_whole

        source = self._document(path, memory)
        return read_whole(source, source.scale(length_unit))

    def refine(self, rough: protocol.Rough) -> protocol.MeshArrays | None:
        """The fine mesh of a shape."""
        from cadbridge.shapes.meshing import refined

        return refined(rough)

    def select(self, path: str, memory: int, label: str, mirrored: bool, selector: str) -> list[int] | protocol.Failure:
        """Indices of the faces that a cadquery selector picks."""
        from cadbridge.shapes.selecting import select

        return select(self._document(path, memory).shape(label, mirrored), selector)

    def features(self, path: str, memory: int, labels: list[tuple[str, bool]]) -> list[protocol.FeatureTable | str]:
        """The features of the faces of products, by (label, mirrored); a text in place of one that fails."""
        document = self._document(path, memory)
        return [_features(document.shape, label, mirrored) for label, mirrored in labels]

    def brep_features(self, paths: list[str]) -> list[protocol.FeatureTable | str]:
        """The features of the faces of files of one shape each; a text in place of one that fails."""
        from cadbridge.shapes.brep import load

        return [_features(load, path) for path in paths]

    def breps(self, paths: list[str], scale: float) -> list[protocol.BrepData | str]:
        """Files of one shape each; a text in place of one that cannot be read."""
        from cadbridge.shapes.brep import read_breps

        return read_breps(paths, scale)

    def _document(self, path: str, memory: int) -> StepDocument:
        from cadbridge.shapes.document import StepDocument

        key = (path, os.stat(path).st_mtime_ns)
        if key not in self._documents:
            # Before OCCT reads: a file of brackets takes gigabytes while it is parsed.
            self._memory.hold(memory)
            self._documents[key] = StepDocument(path)
            while len(self._documents) > _DOCUMENTS_KEPT:
                self._documents.popitem(last=False)
        self._documents.move_to_end(key)
        return self._documents[key]


def _features(load: Callable[..., Any], *arguments: Any) -> protocol.FeatureTable | str:
    from cadbridge.shapes.features import extract

    try:
        return extract(load(*arguments))
    except Exception as error:
        # OCCT's own exceptions come in here: each is a fault of this one shape.
        return f"{type(error).__name__}: {error}"


def main() -> None:
    """Serve until the caller closes the pipe."""
    # OCCT prints to stdout: the answers get a descriptor of their own, and 1 becomes the log.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the caller's, who ends this process
    folder, *caller = sys.argv[1:]
    if caller:
        end_with_caller(int(caller[0]))
    allowed = _limit_memory()
    if allowed is not None and allowed < _LEAST_MEMORY:  # libraries that find no room may wait for it for ever
        text = (
            f"this process may use {allowed >> 20} MiB of address space (ulimit -v); OCCT needs {_LEAST_MEMORY >> 20}"
        )
        _serve(answers, lambda *_: protocol.Failure("machine", text))
        return
    _load()
    memory = _Memory()
    hold(Path(folder))
    _serve(answers, OcctServer(memory).answer)


def _load() -> None:
    """Load OCCT, which is what takes long, and all of ours, before the process is held.

    OCCT's binding makes some hundred thousand objects, which stay to the end: to look through them for what could be
    freed is a tenth of loading it, and would come again.
    """
    gc.disable()
    from cadbridge.shapes import brep, document, features, selecting  # noqa: F401 - only to be loaded

    gc.freeze()
    gc.enable()


def hold(folder: Path) -> tuple[str, ...]:
    """Hold this process to the files of a folder; the layers in force.

    The machine's libraries stay readable: a selector loads cadquery, which takes longer than most files, when the first
    one is asked for.
    """
    return confine([folder, *libraries()], None, None, native=True)


def _serve(answers: BinaryIO, answer: Callable[[str, dict[str, Any]], Any]) -> None:
    while True:
        try:
            verb, arguments = receive(sys.stdin.buffer)
        except EOFError:
            return
        send(answers, answer(verb, arguments))


def _limit_memory() -> int | None:
    """Where the system can: no more memory than the machine has, so that it fails here and not there; the limit."""
    try:
        import resource
    except ImportError:  # not POSIX
        return None
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY or soft > physical:  # a lower one is the person's, as by `ulimit -v`
        resource.setrlimit(resource.RLIMIT_AS, (physical, hard))
        return physical
    return soft


class _Memory:
    """On Linux: what this process has of memory, and the limit of what it may have; made before it is held."""

    def __init__(self) -> None:
        self._sizes = os.open("/proc/self/statm", os.O_RDONLY) if sys.platform == "linux" else None
        self._at_first = self._data()

    def hold(self, allowed: int) -> None:
        """From now on no more than so many bytes, beside what documents that are kept take already.

        OCCT keeps a text for each fault of syntax, as long as the statement: 90 kB of brackets took 3 GB.
        """
        if self._sizes is not None:
            import resource

            hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
            soft = allowed + self._data() - self._at_first
            soft = soft if hard == resource.RLIM_INFINITY else min(soft, hard)
            resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))

    def _data(self) -> int:
        """Bytes of data and stack."""
        return 0 if self._sizes is None else data_size(os.pread(self._sizes, 200, 0))


def _no_memory() -> protocol.Failure:
    """Which limit of memory was reached: that for the file ("memory"), or the person's or the machine's ("machine")."""
    if sys.platform != "linux":
        return protocol.Failure("machine", "the machine's memory did not suffice")
    import resource

    for_file, of_all = (resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_DATA, resource.RLIMIT_AS))
    if resource.RLIM_INFINITY in (for_file, of_all) or for_file < of_all:
        return protocol.Failure(
            "memory", f"{for_file / GIGABYTE:.1f} GB, what OCCT may take for such a file, did not suffice"
        )
    return protocol.Failure("machine", f"{of_all / GIGABYTE:.1f} GB of address space did not suffice")


if __name__ == "__main__":
    main()
