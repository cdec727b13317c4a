"""What all tests share."""

from __future__ import annotations

import importlib.util
import os
import pickle
import signal
from pathlib import Path
from types import ModuleType

import pytest
from filelock import FileLock
from hypothesis import settings

from cadbridge.mechanism import Mechanism
from solver.compilation.library import kernel_folder

KR15 = Path(__file__).resolve().parents[1] / "fixtures" / "kr15"

# No deadline: the first example of a property may compile a kernel. Derandomised: a run can be repeated.
settings.register_profile("cadbridge", deadline=None, derandomize=True)
settings.load_profile("cadbridge")


# Tests with a cache folder of their own share the compiled kernels: nothing of those depends on the test.
os.environ.setdefault("CADBRIDGE_KERNELS", str(kernel_folder()))

# A test sees what is computed now, not what an earlier run kept; tests of the cache take this away.
os.environ.setdefault("CADBRIDGE_NO_CACHE", "1")

# What a shell starts in the background ignores Ctrl-C, and so would all that it starts: tests send it, and wait.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real inputs: CADBRIDGE_CORPUS, else ../shared/corpus beside the project."""
    named = os.environ.get("CADBRIDGE_CORPUS")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "corpus"
    if not folder.is_dir():
        pytest.fail(f"no corpus at {folder}: set CADBRIDGE_CORPUS to the folder of real inputs")
    return folder


@pytest.fixture(scope="session")
def kr15(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Mechanism:
    """The mechanism of fixtures/kr15, read (for about half a minute) by one of pytest's workers for all."""
    from cadbridge.mechanism import build
    from cadbridge.readers import read

    base = tmp_path_factory.getbasetemp()
    kept = (base if worker_id == "master" else base.parent) / "kr15.pickle"
    with FileLock(f"{kept}.lock"):
        if not kept.is_file():
            mechanism = build(read(KR15 / "kr15.step"))
            kept.write_bytes(pickle.dumps(mechanism))
    mechanism = pickle.loads(kept.read_bytes())
    assert isinstance(mechanism, Mechanism)
    return mechanism


@pytest.fixture(scope="session")
def build_hook() -> ModuleType:
    """hatch_build.py, which bundles the code of the report page."""
    path = Path(__file__).resolve().parents[1] / "hatch_build.py"
    spec = importlib.util.spec_from_file_location("hatch_build", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def page_code(build_hook: ModuleType) -> None:
    """The report page's code, built from the present sources where it is not."""
    build_hook.build_page()
