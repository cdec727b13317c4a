"""A .FCStd as the zip that it is, from strangers: nothing is unpacked to a path of the archive's choosing."""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import Path

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where

MAX_XML = 256 * 1024 * 1024
MAX_MEMBER = 512 * 1024 * 1024
MAX_TOTAL = 2 << 30
"""Bytes that are unpacked at most: of Document.xml, of one shape, of all members that are read."""
MAX_RATIO = 1000
"""A member that unpacks to more times its size, and to more than a megabyte, is a bomb: XML packs 30 times."""
_BROKEN = (
    OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError, struct.error, ValueError,
)  # fmt: skip


class Archive:
    """The members of a file by name; every read is bounded by what really comes out, not by what the index claims."""

    def __init__(self, path: Path, findings: Findings) -> None:
        self.path = path
        self._findings = findings
        self._total = 0
        try:
            self._zip = zipfile.ZipFile(path)
        except _BROKEN as fault:
            findings.add("CB1221", f"{path.name} cannot be unpacked: {fault}", Where(file=str(path)))
            raise InputError(f"{path.name} cannot be unpacked", findings) from fault

    def close(self) -> None:
        """Close the file."""
        self._zip.close()

    def has(self, name: str) -> bool:
        """Whether there is a member of that name."""
        return name in self._zip.NameToInfo

    def size(self, name: str) -> int:
        """How many bytes the index says that a member has; 0 where it is missing."""
        return self._zip.NameToInfo[name].file_size if self.has(name) else 0

    def read(self, name: str, limit: int = MAX_MEMBER) -> bytes | None:
        """A member's bytes; a finding and None where it is missing, broken or too large."""
        where = Where(str(self.path), item=name)
        try:
            info = self._zip.getinfo(name)
            allowed = min(limit, MAX_TOTAL - self._total, max(1 << 20, info.compress_size * MAX_RATIO))
            with self._zip.open(info) as stream:
                data = stream.read(allowed + 1)
        except KeyError:
            self._findings.add("CB1222", f"{self.path.name} lacks {name}", where)
            return None
        except _BROKEN as fault:
            self._findings.add("CB1222", f"{name} in {self.path.name} cannot be unpacked: {fault}", where)
            return None
        self._total += len(data)
        if len(data) > allowed:
            self._findings.add("CB1223", f"{name} in {self.path.name} unpacks to more than {allowed:,} bytes", where)
            return None
        return data
