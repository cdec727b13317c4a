"""MuJoCo's own parser and compiler in a process of its own: `python -m cadbridge.readers.mjcf.worker`.

It answers requests of `cadbridge.shapes.process.Worker` with plain arrays and texts. Each model is compiled by a
child of its own, which is held to the files that `files.check_files` has seen the model name.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from cadbridge.confinement import confine
from cadbridge.processes import end_with_caller
from cadbridge.shapes import protocol
from cadbridge.shapes.packing import receive, send

_TAKEN: dict[str, str] = {
    "body": "parentid weldid pos quat mass ipos iquat inertia jntadr jntnum gravcomp mocapid plugin",
    "jnt": "type bodyid pos axis range limited stiffness stiffnesspoly springyield dofadr qposadr actfrclimited "
    "actfrcrange actgravcomp margin solref solimp",
    "dof": "damping dampingpoly armature frictionloss jntid solref solimp",
    "qpos": "spring",
    "geom": "type bodyid pos quat size dataid contype conaffinity rgba fluid",
    "mesh": "vert vertadr vertnum face faceadr facenum",
    "eq": "type obj1id obj2id objtype active0 data solref solimp",
    "actuator": "trntype trnid gear dyntype gaintype gainprm biastype biasprm ctrllimited ctrlrange forcelimited "
    "forcerange armature damping dampingpoly delay plugin dynprm actlimited actrange actearly",
    "site": "bodyid pos quat",
    "tendon": "adr num stiffness stiffnesspoly damping dampingpoly frictionloss armature limited actfrclimited "
    "range actfrcrange lengthspring springyield margin solref_lim solimp_lim solref_fri solimp_fri",
    "wrap": "type objid prm",
    "key": "qpos qvel act ctrl time",
}
"""What is taken of the compiled model, under MuJoCo's names; some are of newer versions only."""

_OPTIONS = ("density", "viscosity", "wind", "disableflags", "enableflags", "disableactuator")
"""What acts; all other options than gravity are of the integration."""

MUJOCO_MEMORY = 4_000_000_000
"""Bytes that MuJoCo may take for a model, on Linux, before `--allow-larger`.

Twice what other readers get (`confinement.MEMORY`): its arena alone takes a GiB. A choice.
"""

ARENA = 2**30
"""Bytes for MuJoCo's constraints: nothing is simulated here, and its own estimate grows with the square of them."""

ANSWERS = {"compile": dict[str, np.ndarray | list[str] | str | dict[str, np.ndarray | str | int]]}
"""The types of what `compile_model` answers."""

_NAMED = ("bodies", "joints", "equalities", "actuators", "sites", "keys", "tendons")
_COUNTED = (
    "sensors", "tendons", "pairs", "excludes", "skins", "flexes", "hfields", "lights", "cameras", "plugins",
    "numerics", "texts", "tuples",
)  # fmt: skip


def compile_model(path: str) -> dict[str, Any]:
    """A file as compiled arrays, names, places (`info`) and counts. Raises ValueError with MuJoCo's reason."""
    import mujoco

    spec = mujoco.MjSpec.from_file(path)
    for option in ("fusestatic", "discardvisual", "usethread"):  # a confined process starts no thread
        if hasattr(spec.compiler, option):
            setattr(spec.compiler, option, False)
    # MuJoCo simulates muscles for their ranges of length, in vain at times; muscles are left out here (CB1409, CB1412).
    spec.compiler.LRopt.mode = int(mujoco.mjtLRMode.mjLRMODE_NONE)
    spec.memory = ARENA
    model = spec.compile()
    keys = ["qpos0", *(f"{kind}_{key}" for kind, names in _TAKEN.items() for key in names.split())]
    answer: dict[str, Any] = {key: np.array(getattr(model, key)) for key in keys if hasattr(model, key)}
    answer["gravity"] = np.array(model.opt.gravity)
    answer["options"] = {key: np.array(getattr(model.opt, key)) for key in _OPTIONS if hasattr(model.opt, key)}
    answer["stepping"] = _stepping(model.opt, mujoco.MjOption())
    answer["model"] = spec.modelname
    for kind in _NAMED:
        # The specification lists items as they were added, the compiled arrays are indexed by id.
        items = sorted(getattr(spec, kind), key=lambda item: item.id)
        answer[kind] = [item.name for item in items]
        answer[f"{kind}_info"] = [item.info for item in items]
    answer["counts"] = {kind: len(getattr(spec, kind)) for kind in _COUNTED if hasattr(spec, kind)}
    return answer


def _stepping(options: Any, usual: Any) -> dict[str, str]:
    """The settings of the integration that are not MuJoCo's own."""
    names = [name for name in dir(usual) if not name.startswith("_") and name not in (*_OPTIONS, "gravity")]
    values = [(name, getattr(options, name), getattr(usual, name)) for name in names]
    return {name: " ".join(f"{v:g}" for v in np.ravel(a)) for name, a, b in values if not np.array_equal(a, b)}


def _hold_memory(memory: int) -> None:
    """On Linux: a height field, a texture or a grid of any size is a few bytes of text."""
    if sys.platform == "linux":
        import resource

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _answer(arguments: dict[str, Any]) -> Any:
    try:
        return compile_model(**arguments)
    except ModuleNotFoundError as error:
        return protocol.Failure("missing", str(error))
    except Exception as error:
        return protocol.Failure("refused", " ".join(str(error).split()))


def _confined(answers: BinaryIO, files: list[str], memory: int, arguments: dict[str, Any]) -> None:
    """Answer from a child that can open these files alone and take so much memory; where it dies, so does this one."""
    try:
        import mujoco  # noqa: F401  (a confined process can import nothing, and would say that it is refused)
    except ModuleNotFoundError as error:
        send(answers, protocol.Failure("missing", str(error)))
        return
    sys.stdout.flush()  # what stands in the buffer would be written by parent and child, twice
    reading, writing = os.pipe()
    caller = os.getpid()
    child = os.fork()
    if child:
        os.close(writing)
        _hand_on(child, reading, answers)
        return
    code = 1
    try:
        end_with_caller(caller)
        # A model that takes over this process can say what it likes of itself, and of no other: the requests, and the
        # way to the caller, are its parent's.
        for each in (reading, sys.stdin.fileno(), answers.fileno()):
            os.close(each)
        _hold_memory(memory)
        confine(map(Path, files), None, None)
        send(os.fdopen(writing, "wb"), _answer(arguments))
        code = 0
    finally:
        os._exit(code)


def _hand_on(child: int, reading: int, answers: BinaryIO) -> None:
    """Give the caller what the child answers; where it dies without an answer, or says something else, so does this."""
    with os.fdopen(reading, "rb") as pipe:
        try:
            answer = receive(pipe)
        except (EOFError, ValueError):
            answer = None
    _, status = os.waitpid(child, 0)
    # The caller tells a crash or a lack of memory from a refusal by the way this process ends.
    if os.WIFSIGNALED(status):
        os.kill(os.getpid(), os.WTERMSIG(status))
    if status or answer is None:
        os._exit(os.waitstatus_to_exitcode(status) or 1)
    send(answers, answer)


def main() -> None:
    """Answer until the caller closes the pipe. MuJoCo writes its log where the process stands."""
    # MuJoCo prints warnings to stdout, and one of them amid the answers would break their framing.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        while True:
            try:
                _, arguments = receive(sys.stdin.buffer)
            except EOFError:
                os.chdir("/")
                return
            files, memory = arguments.pop("files"), arguments.pop("memory")
            if hasattr(os, "fork"):
                _confined(answers, files, memory, arguments)
            else:
                send(answers, _answer(arguments))


if __name__ == "__main__":
    main()
