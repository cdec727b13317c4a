"""Packages into a virtual environment: by uv, which fetches and unpacks on all processors, else by pip.

Runs on a bare Python 3.11 with nothing but the standard library.
"""

from __future__ import annotations

import ast
import os
import subprocess
from pathlib import Path

# What a person or a company has told pip, in uv's words: uv reads neither pip.conf nor PIP_….
UV_WORDS = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "constraint": "UV_CONSTRAINT",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}


def install(python: Path, *wanted: str, cwd: Path) -> int:
    """Install into the environment of `python`; the exit status, 0 where all is there.

    uv takes a tenth of pip's time: the tests need 4 GB of packages. Where there is no uv for this machine, or where it
    ends otherwise than with 0, pip does the same and says what is wrong.
    """
    pip = [os.fspath(python), "-m", "pip"]
    quiet = ["install", "--quiet", "--disable-pip-version-check"]
    if subprocess.run([*pip, *quiet, "uv>=0.9,<1"], check=False, capture_output=True).returncode == 0:
        told = subprocess.run([*pip, "config", "list"], check=False, capture_output=True, text=True).stdout
        command = [os.fspath(python), "-m", "uv", "pip", "install", "--quiet", "--python", os.fspath(python), *wanted]
        done = subprocess.run(command, cwd=cwd, check=False, capture_output=True, env={**settings(told), **os.environ})
        if done.returncode == 0:
            return 0
    return subprocess.run([*pip, *quiet, *wanted], cwd=cwd, check=False).returncode


def settings(pip_config: str) -> dict[str, str]:
    """Variables for uv that say what `pip config list` prints, e.g. "global.index-url='https://…'"."""
    told = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # as pip: the newest of all indexes
    for line in pip_config.splitlines():
        name, _, value = line.partition("=")
        variable = UV_WORDS.get(name.rpartition(".")[2])
        if variable:
            told[variable] = (", " if variable == "UV_FIND_LINKS" else " ").join(ast.literal_eval(value).split())
    return told
