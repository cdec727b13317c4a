"""The page's code is bundled where it can be, and a sentence says why where it cannot."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from cadbridge.diagnosis import diagnose
from cadbridge.mechanism import build
from cadbridge.report.page import write_page
from tests.report.page.models import door


def test_without_node_the_way_to_get_one_is_named(build_hook: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_hook, "node_commands", lambda: None)
    with pytest.raises(build_hook.PageError, match=r"there is none: install Node 18 or newer, or `pip install"):
        build_hook.build_page(force=True)


def test_without_node_the_types_are_left_out_and_that_is_told(
    build_hook: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build_hook, "node_commands", lambda: None)
    build_hook.check_types()
    assert capsys.readouterr().err == "left out: there is no Node 18 or newer\n"


def test_an_old_node_is_passed_over(build_hook: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_hook.shutil, "which", lambda name: f"/old/{name}")
    said = subprocess.CompletedProcess([], 0, stdout="v12.22.9\n")
    monkeypatch.setattr(build_hook.subprocess, "run", lambda *a, **k: said)
    assert build_hook.node_commands() is None or "/old/node" not in build_hook.node_commands()[0]


def test_a_registry_out_of_reach_is_a_sentence(
    build_hook: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "package-lock.json").write_text("{}")
    monkeypatch.setattr(build_hook, "WEB", tmp_path)
    monkeypatch.setattr(build_hook, "node_commands", lambda: (["node"], ["npm"]))
    failed = subprocess.CompletedProcess([], 1, stdout="", stderr="npm error network")
    monkeypatch.setattr(build_hook.subprocess, "run", lambda *a, **k: failed)
    with pytest.raises(build_hook.PageError, match=r"is its registry reachable from here\?.*\n    npm error network"):
        build_hook.check_types()


def test_the_lockfile_pins_contents_and_names_no_registry(build_hook: ModuleType) -> None:
    lock = json.loads((build_hook.WEB / "package-lock.json").read_text())
    packages = {name: it for name, it in lock["packages"].items() if name}
    assert "node_modules/three" in packages
    assert [name for name, it in packages.items() if not it.get("integrity")] == []
    assert [name for name, it in packages.items() if "resolved" in it] == []


def test_every_package_in_the_bundle_has_its_notice_in_all_that_is_passed_on(
    build_hook: ModuleType, page_code: None, tmp_path: Path
) -> None:
    """The packages are those of the lock file that are not for development alone; holders by their own licences."""
    lock = json.loads((build_hook.WEB / "package-lock.json").read_text())["packages"]
    bundled = {name.removeprefix("node_modules/") for name, it in lock.items() if name and not it.get("dev")}
    assert bundled >= {"three", "uplot"}
    mechanism = build(door())
    write_page(tmp_path / "report.html", mechanism, diagnose(mechanism))
    report = (tmp_path / "report.html").read_text("utf-8")
    built = [path.read_text("utf-8") for path in (build_hook.BUNDLE, build_hook.STYLE, build_hook.NOTICES)]
    for name in bundled:
        licence = build_hook.WEB / "node_modules" / name / "LICENSE"
        if not licence.is_file():
            pytest.skip("npm has not fetched what the page is bundled from: python hatch_build.py --force")
        (holder,) = re.findall(r"^Copyright .*$", licence.read_text("utf-8"), re.MULTILINE)
        for text in (*built, report):
            assert f"{name} {lock[f'node_modules/{name}']['version']}" in text
            assert holder in text
            assert "THE SOFTWARE IS PROVIDED" in text
    assert report.count("Leon Sorokin") >= 2  # of its script and its style


def test_a_package_without_a_licence_is_not_bundled(
    build_hook: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "node_modules" / "@who" / "knows" / "src").mkdir(parents=True)
    monkeypatch.setattr(build_hook, "WEB", tmp_path)
    inputs: dict[str, dict[str, str]] = {"src/main.ts": {}, "node_modules/@who/knows/src/a.js": {}}
    with pytest.raises(build_hook.PageError, match="@who/knows is bundled with the report page, and its package holds"):
        build_hook.notices_of({"inputs": inputs})


def test_the_kernels_compile_with_nothing_but_what_the_hook_asks_for(build_hook: ModuleType, tmp_path: Path) -> None:
    """pip builds where nothing else is: a wheel had no kernels since an import that every test's environment has."""
    script = tmp_path / "alone.py"
    script.write_text(ALONE)
    done = subprocess.run(
        [sys.executable, script, *build_hook.KERNELS_NEED], cwd=build_hook.ROOT, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(build_hook.ROOT), "CADBRIDGE_CACHE": str(tmp_path / "cache")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 20


def test_pip_is_given_metadata_without_building(build_hook: ModuleType, tmp_path: Path) -> None:
    """Hatchling has pip build the whole wheel for them, kernels and page and all, at each `pip install --dry-run`."""
    hooks = tmp_path / "hatchling" / "builders" / "hooks" / "plugin"
    hooks.mkdir(parents=True)
    (hooks / "interface.py").write_text("class BuildHookInterface(list): ...")
    (tmp_path / "hatchling" / "build.py").write_text(HATCHLING)
    ask = "import os, hatch_build as b; print(b.prepare_metadata_for_build_wheel(), os.environ['PIP_BUILD_TRACKER'])"
    done = subprocess.run(
        [sys.executable, "-c", ask], cwd=build_hook.ROOT, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": f"{build_hook.ROOT}{os.pathsep}{tmp_path}", "PIP_BUILD_TRACKER": "pip's"},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("metadata pip's\n", "")
    told = tomllib.loads((build_hook.ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]
    assert (told["build-backend"], told["backend-path"]) == ("hatch_build", ["."])


HATCHLING = """
import os
__all__ = ["build_wheel"]
def build_wheel(): pass
if "PIP_BUILD_TRACKER" not in os.environ:
    __all__ += ["prepare_metadata_for_build_wheel"]
    def prepare_metadata_for_build_wheel(): return "metadata"
"""


ALONE = """
import importlib, sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from packaging.requirements import Requirement

def with_needs(name):
    try:
        needs = [Requirement(r) for r in requires(name) or ()]
    except PackageNotFoundError:
        return set()
    return {name}.union(*(with_needs(r.name) for r in needs if r.marker is None or r.marker.evaluate({"extra": ""})))

there = set().union(*map(with_needs, sys.argv[1:]))
others = {top for top, of in packages_distributions().items() if not there & {name.lower() for name in of}}

class NotThere:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in others - {"solver"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

for loaded in [name for name in sys.modules if name.partition(".")[0] in others]:
    del sys.modules[loaded]
sys.meta_path.insert(0, NotThere())
from solver.compilation.building import modules
print(len([importlib.import_module(name) for name in modules()]))
"""
"""Imports all that the kernels' library is compiled from, where only the packages named in its arguments are."""
