"""What every script needs: a `.venv` with cadbridge in it, made once and renewed when it is out of date.

Runs on a bare Python 3.11 with nothing but the standard library.
"""

from __future__ import annotations

import hashlib
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import _packages

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / ".cadbridge-stamp"

SYSTEM_LIBRARIES = """OCCT, which reads STEP files, needs system libraries that are missing here:
    {error}
On Debian or Ubuntu:  apt-get install -y libgl1 libx11-6 libexpat1"""

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# The first test that exports an FMU would compile it for a minute, while those of other workers wait. Where this has no
# compiler those tests say so.
FMU_LIBRARY = "from cadbridge.exporters.fmu.binary import shared_library; shared_library()"

NO_BROWSER = """Tests in a browser will be skipped: no Chromium is here, nor could Playwright fetch one.
On Debian or Ubuntu:  apt-get install -y chromium
Elsewhere, name one:  CADBRIDGE_BROWSER=/path/to/chrome"""


def say(text: str) -> None:
    """Tell the person at the terminal what goes on."""
    print(f"==> {text}", file=sys.stderr, flush=True)


def stop(text: str) -> None:
    """End with a sentence and exit status 2."""
    print(text, file=sys.stderr)
    raise SystemExit(2)


def check_python() -> None:
    """Stop unless this Python can make a virtual environment for cadbridge."""
    if sys.version_info < (3, 11):
        stop(f"cadbridge needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        stop("Python's venv module is not installed.\nOn Debian or Ubuntu:  apt-get install -y python3-venv")


def run(*command: str | os.PathLike[str], env: dict[str, str] | None = None) -> None:
    """Run a command in the project's folder; end with its exit status where it fails.

    What it imports is compiled to bytecode, which no installer did, whatever PYTHONDONTWRITEBYTECODE says: else each
    command would compile it anew.
    """
    given = os.environ if env is None else env
    env = {name: value for name, value in given.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([os.fspath(c) for c in command], cwd=ROOT, env=env, check=False)
    if done.returncode != 0:
        raise SystemExit(done.returncode)


def begin(*command: str | os.PathLike[str]) -> None:
    """Start a command that nobody waits for and that says nothing."""
    silent = subprocess.DEVNULL
    subprocess.Popen([os.fspath(c) for c in command], cwd=ROOT, stdin=silent, stdout=silent, stderr=silent)


def fingerprint(extras: str) -> str:
    """What the environment depends on, as a hash."""
    text = (ROOT / "pyproject.toml").read_bytes() + extras.encode() + sys.version.encode()
    return hashlib.sha256(text).hexdigest()


def page_is_built() -> bool:
    """Whether the report page's code, which is bundled when the package is installed, is of the present sources."""
    return bool(runpy.run_path(str(ROOT / "hatch_build.py"))["is_built"]())


def check_system_libraries() -> None:
    """Stop with the line for apt where OCCT cannot be loaded."""
    done = subprocess.run([PYTHON, "-c", "import OCP.gp"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["the process died"]
        stop(SYSTEM_LIBRARIES.format(error=lines[-1]))


def ensure_browser() -> None:
    """Have Playwright fetch a browser where there is none; say what is skipped where it cannot."""
    found = os.environ.get("CADBRIDGE_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        say("fetching a browser for the tests of the report page")
        fetch = subprocess.run([PYTHON, "-m", "playwright", "install", "chromium"], check=False, capture_output=True)
        if fetch.returncode != 0:
            print(NO_BROWSER, file=sys.stderr, flush=True)


def ensure(extras: str = "") -> Path:
    """The Python of an up-to-date `.venv` with cadbridge and the extras, e.g. "[test]"."""
    check_python()
    wanted = fingerprint(extras)
    if not (PYTHON.exists() and STAMP.exists() and wanted in STAMP.read_text().split() and page_is_built()):
        if not PYTHON.exists():
            say("making .venv")
            run(sys.executable, "-m", "venv", VENV)
        say("installing cadbridge and what it needs (a few minutes the first time)")
        if status := _packages.install(PYTHON, "-e", f".{extras}", cwd=ROOT):
            raise SystemExit(status)
        check_system_libraries()
        say("compiling the solver's kernels")
        run(PYTHON, "-m", "solver.warm")
        if extras == "[test]":
            begin(PYTHON, "-c", FMU_LIBRARY)
        with STAMP.open("a") as stamp:
            stamp.write(wanted + "\n")
    return PYTHON
