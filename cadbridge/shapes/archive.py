"""A .FCStd as the zip that it is, from strangers: nothing is unpacked to a path of the archive's choosing."""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import Path

from cadbridge.budget import allowed, beyond
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where

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
            # What was broken off before its first byte, or not yet fetched, is no other kind of file.
            empty = path.is_file() and not path.stat().st_size
            why = "the file is empty" if empty else str(fault)
            findings.add("CB1221", f"{path.name} cannot be unpacked: {why}", Where(file=str(path)))
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

    def read(self, name: str, kind: str = "member bytes") -> bytes | None:
        """A member's bytes; a finding and None where it is missing, broken or larger than budget.LIMITS[kind]."""
        where = Where(str(self.path), item=name)
        try:
            info = self._zip.getinfo(name)
            plausible = max(1 << 20, info.compress_size * MAX_RATIO)
            most = min(allowed(kind), allowed("archive bytes") - self._total, plausible)
            with self._zip.open(info) as stream:
                # One byte more than is allowed tells whether there is more, whatever the index claims.
                data = stream.read(most + 1)
        except KeyError:
            self._findings.add("CB1222", f"{self.path.name} lacks {name}", where)
            return None
        except _BROKEN as fault:
            self._findings.add("CB1222", f"{name} in {self.path.name} cannot be unpacked: {fault}", where)
            return None
        self._total += len(data)
        if len(data) <= most:
            return data
        subject, size = f"{name} in {self.path.name}", max(len(data), info.file_size)
        why = beyond(kind, size, subject) or beyond("archive bytes", self._total, self.path.name)
        bomb = f"{subject} unpacks to more than {most:,} bytes, {MAX_RATIO} times what it takes in the archive"
        self._findings.add("CB1223", why or bomb, where)
        return None
