"""The live view answers its own page only."""

from __future__ import annotations

import contextlib
import http.client
import socket
import time
from collections.abc import Iterator

import pytest
from websockets.exceptions import InvalidHandshake
from websockets.sync.client import connect
from websockets.typing import Origin

from cadbridge.cli import main
from cadbridge.errors import InputError
from cadbridge.mechanism import build
from cadbridge.readers import read
from cadbridge.report.live import LiveView
from cadbridge.report.live.guard import Guard
from tests.report.live.test_live import DEMO


@pytest.fixture(scope="module")
def view() -> Iterator[LiveView]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    live = LiveView(build(read(DEMO)), port=port, say=lambda line: None)
    yield live
    live.close()


def _get(view: LiveView, path: str, headers: dict[str, str]) -> tuple[int, str]:
    """Status and cookie of an answer."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", view.server.get_port(), timeout=10)) as connection:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status, (answer.getheader("Set-Cookie") or "").partition(";")[0]


def test_the_page_opens_by_its_address_and_a_cookie_keeps_the_token(view: LiveView) -> None:
    path = "/" + view.address.partition("/?")[2].join(("?", ""))
    status, cookie = _get(view, path, {})
    assert status == 200
    assert _get(view, "/", {"Cookie": cookie})[0] == 200
    host = f"127.0.0.1:{view.server.get_port()}"
    with connect(f"ws://{host}", origin=Origin(f"http://{host}"), additional_headers={"Cookie": cookie}):
        pass


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {}),
        ("/?token=", {}),
        ("/?token=guessed", {}),
        ("/", {"Cookie": "cadbridge-view=guessed"}),
        ("/?TOKEN", {"Host": "evil.example:8080"}),
        ("/?TOKEN", {"Origin": "http://evil.example"}),
        ("/?TOKEN", {"Origin": "null"}),
    ],
)
def test_others_are_refused(path: str, headers: dict[str, str], view: LiveView) -> None:
    path = path.replace("TOKEN", view.address.partition("?")[2])
    assert _get(view, path, headers)[0] == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", None])
def test_a_stranger_s_page_gets_no_socket(origin: str | None, view: LiveView) -> None:
    token = view.address.partition("?")[2]
    began = time.monotonic()
    with pytest.raises(InvalidHandshake):
        connect(f"ws://127.0.0.1:{view.server.get_port()}/?{token}", origin=origin)  # type: ignore[arg-type]
    assert time.monotonic() - began < 10


def test_each_view_has_a_token_of_its_own() -> None:
    assert len({Guard("127.0.0.1").token for _ in range(10)}) == 10


@pytest.mark.parametrize("host", ["nowhere.invalid", "203.0.113.7", "", "a b", "x" * 300])
def test_a_wrong_host_ends_at_once(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    if host:
        began = time.monotonic()
        assert main(["view", str(DEMO), "--host", host]) == 2
        assert "cannot be served" in capsys.readouterr().err
        assert time.monotonic() - began < 30
    else:
        with pytest.raises(InputError, match="cannot be served"):
            LiveView(build(read(DEMO)), host=" ", port=8080)
