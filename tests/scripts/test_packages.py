"""uv installs what pip would, from where pip would; where it cannot, pip does."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.loading import module_of

PACKAGES = module_of(Path(__file__).resolve().parents[2] / "scripts" / "_packages.py", "cadbridge_packages")
CONFIG = """\
:env:.disable-pip-version-check='1'
:env:.find-links='/opt/wheels /srv/wheels'
global.constraint='/etc/constraints.txt'
global.extra-index-url='https://a.example/simple https://b.example/simple'
install.index-url='https://mirror.example/simple'
"""


def test_what_pip_is_told_uv_is_told() -> None:
    assert PACKAGES.settings(CONFIG) == {
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_FIND_LINKS": "/opt/wheels, /srv/wheels",
        "UV_CONSTRAINT": "/etc/constraints.txt",
        "UV_INDEX": "https://a.example/simple https://b.example/simple",
        "UV_DEFAULT_INDEX": "https://mirror.example/simple",
    }


def test_the_words_are_those_of_pips_own_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.example/simple")
    (tmp_path / "pip.conf").write_text(
        "[install]\nextra-index-url =\n    https://a.example/simple\n    https://b.example/simple\n"
    )
    said = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True)
    told = PACKAGES.settings(said.stdout)
    assert told["UV_DEFAULT_INDEX"] == "https://mirror.example/simple"
    assert told["UV_INDEX"] == "https://a.example/simple https://b.example/simple"


@pytest.mark.parametrize(
    ("fails", "last", "status"),
    [
        ("nothing", "-m uv pip install --quiet --python {python} -e .[test]", 0),
        ("-m uv", "-m pip install --quiet --disable-pip-version-check -e .[test]", 0),
        ("uv", "-m pip install --quiet --disable-pip-version-check -e .[test]", 0),
        ("install", "-m pip install --quiet --disable-pip-version-check -e .[test]", 7),
    ],
)
def test_where_uv_cannot_pip_installs(fails: str, last: str, status: int, tmp_path: Path) -> None:
    """A Python that writes down what it is asked to do, and fails at what it is told to fail at."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\necho "$*" >> {tmp_path}/asked\ncase "$*" in *"{fails}"*) exit 7;; esac\n')
    python.chmod(0o755)
    assert PACKAGES.install(python, "-e", ".[test]", cwd=tmp_path) == status
    assert (tmp_path / "asked").read_text().splitlines()[-1] == last.format(python=python)
