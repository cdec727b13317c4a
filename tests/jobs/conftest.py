"""A cache of its own for every test, poisoned sources, and one warm process for many runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cadbridge.jobs.local import Local
from tests.jobs.making import poison_path


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Cache folder."""
    folder = tmp_path / "the cache"
    monkeypatch.setenv("CADBRIDGE_CACHE", str(folder))
    return folder


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Runs jobs, whose processes can read .poison files, as copies of one warm process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", poison_path(tmp_path_factory.mktemp("poison") / "path"))
        executor = Local()
        yield executor
        executor.close()


@pytest.fixture
def by_warm(warm: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command `batch` runs its jobs as copies of that process too, which it leaves to others when it ends."""
    monkeypatch.setattr(warm, "close", warm.cancel)
    monkeypatch.setattr("cadbridge.jobs.batch.Local", lambda: warm)
