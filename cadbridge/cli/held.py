"""What `--version -v` prints: how this system holds the processes that read files of others."""

from __future__ import annotations

import os
import platform

from cadbridge.confinement import in_force

_READERS = (("xacro", False), ("USD", False), ("MuJoCo (MJCF)", False), ("OCCT (STEP, FreeCAD's shapes)", True))
"""Each process, and whether it is held as a library of C++."""

_NAMES = {
    "landlock": "Landlock", "seccomp": "seccomp", "limits": "limits of memory, time and files", "audit": "audit hook",
}  # fmt: skip


def lines() -> list[str]:
    """The lines; those of a process that the kernel does not hold say what that means."""
    versions = {native: in_force(native) for native in (False, True)}
    found = [f"{platform.system()} {platform.release()} on {platform.machine()} holds the processes that read files:"]
    open_to_all = []
    for name, native in _READERS:
        layers = {} if name.startswith("MuJoCo") and not hasattr(os, "fork") else versions[native]
        held = [_NAMES[layer] + (f" {version}" if version else "") for layer, version in layers.items()]
        found.append(f"  {name}: {', '.join(held) or 'nothing'}")
        if "landlock" not in layers:
            open_to_all.append(name.partition(" ")[0])
    if open_to_all:
        found.append(
            f"Without Landlock the kernel does not keep {', '.join(open_to_all)} from any file that you can read; "
            "cadbridge's own checks of what a file names remain (docs/security.md)."
        )
    return found
