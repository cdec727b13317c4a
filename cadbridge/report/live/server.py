"""The live view's server: the page, a socket for each browser that shows it, and files that are taken along."""

from __future__ import annotations

import asyncio
import errno
import http
import json
import logging
import secrets
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from cadbridge.errors import InputError, MissingExtraError
from cadbridge.report.live.guard import Guard, refuse_unusable

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

Told = tuple[str, str | bytes]
"""What is sent under a key: of two things under one key only the newer matters."""
PORTS = 50
"""Ports that are tried from the one that is wanted on."""
TAKEN = '{"taken": true}'
MOST_TEXT = 1 << 16
"""Bytes of one message of a browser."""
_LOG = logging.getLogger("cadbridge.view")
_LOG.setLevel(logging.CRITICAL)  # a stranger who knocks is no news


class Browser:
    """A page that is open: what is sent to it next.

    What was sent ends with `{"taken": ...}`, which the page says back; before that nothing more is sent, so that a slow
    page shows the newest and not all that was before.
    """

    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket
        self.waiting: dict[str, str | bytes] = {}
        self.wake = asyncio.Event()
        self.taken = asyncio.Event()

    def put(self, key: str, message: str | bytes) -> None:
        """Tell it soon; what waits under the same key is out of date."""
        self.waiting[key] = message
        self.wake.set()

    async def send(self) -> None:
        """Send what waits, as fast as the browser takes it."""
        while True:
            await self.wake.wait()
            self.wake.clear()
            waiting, self.waiting = self.waiting, {}
            self.taken.clear()
            for message in (*waiting.values(), TAKEN):
                await self.socket.send(message)
            await self.taken.wait()


class LiveServer:
    """Runs from the start in a thread of its own; `close` ends it.

    `page` makes the page, `greet` what a browser is sent first, given its path; `hear` gets each message of a browser,
    one after another in one thread, and `fail` what went wrong in it; `left` is called when the last one is gone.
    """

    def __init__(
        self, host: str, port: int, page: Callable[[], str], greet: Callable[[str], Iterable[Told]],
        hear: Callable[[dict[str, Any]], None], fail: Callable[[BaseException], None], left: Callable[[], None],
    ) -> None:  # fmt: skip
        try:
            import websockets  # noqa: F401 - only to know whether it is there
        except ImportError as fault:
            raise MissingExtraError('The live view needs websockets: pip install "cadbridge[view]".') from fault
        refuse_unusable(host)
        self.guard = Guard(host)
        self._page, self._greet, self._hear, self._fail, self._left = page, greet, hear, fail, left
        self._hand = ThreadPoolExecutor(1, "cadbridge view")
        self._newest: dict[str, dict[str, Any]] = {}
        self._browsers: set[Browser] = set()
        self._asking: Browser | None = None
        self._files: dict[str, tuple[str, bytes]] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="cadbridge server")
        self._thread.start()
        try:
            self._server, self.port = self._do(self._open(host, port))
        except (OSError, OverflowError) as fault:
            self._end()
            raise InputError(f"The view cannot be served at {host}:{port}: {fault}.") from fault
        name = f"[{host}]" if ":" in host else host
        self.address = f"http://{name}:{self.port}/?token={self.guard.token}"

    def post(self, key: str, message: dict[str, Any] | bytes) -> None:
        """Tell all browsers; of what waits under one key they get the newest."""
        text = message if isinstance(message, bytes) else json.dumps(message)
        self._soon(self._tell_all, key, text)

    def _soon(self, tell: Callable[..., None], *given: Any) -> None:
        """Tell in the server's thread; once it is closed nobody is there whom a work that goes on could tell."""
        try:
            self._loop.call_soon_threadsafe(tell, *given)
        except RuntimeError:
            if not self._loop.is_closed():
                raise

    def _tell_all(self, key: str, text: str | bytes) -> None:
        for browser in self._browsers:
            browser.put(key, text)

    def give(self, name: str, content: bytes) -> None:
        """Let the browser that asks save a file."""
        key, asking = secrets.token_urlsafe(12), self._asking
        if asking is not None:
            self._files[key] = name, content
            text = json.dumps({"file": f"/file/{key}?token={self.guard.token}", "name": name})
            self._soon(asking.put, f"file {key}", text)

    def close(self) -> None:
        """End the server."""
        if self._loop.is_running():
            self._hand.shutdown(wait=False, cancel_futures=True)
            self._do(self._shut())
            self._end()

    def _do(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _shut(self) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _open(self, host: str, port: int) -> tuple[Any, int]:
        from websockets.asyncio.server import serve

        for tried in range(port, min(port + PORTS, 1 << 16)):
            try:
                # The page of a large mechanism is made within the handshake, and may take minutes.
                server = await serve(
                    self._meet, host, tried, process_request=self._answer, max_size=MOST_TEXT, open_timeout=600,
                    logger=_LOG,
                )  # fmt: skip
            except OSError as fault:
                if fault.errno != errno.EADDRINUSE:
                    raise
            else:
                return server, tried
        raise OSError(f"the ports up to {min(port + PORTS, 1 << 16) - 1} are in use")

    async def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """The page or a file; None lets a socket open."""
        reason = self.guard.refusal(request.path, request.headers)
        if reason:
            return connection.respond(http.HTTPStatus.FORBIDDEN, f"{reason}\n")
        path = urlsplit(request.path).path
        if path == "/socket":
            return None
        response = connection.respond(http.HTTPStatus.OK, "")
        headers = response.headers
        # The page's address bears the token: it must neither go on with a link nor stay on the disk.
        headers["Referrer-Policy"], headers["Cache-Control"] = "no-referrer", "no-store"
        # `respond` sets them for a plain text, and headers of websockets keep both values.
        del headers["Content-Type"], headers["Content-Length"]
        if path == "/":
            response.body = (await self._loop.run_in_executor(None, self._page)).encode()
            headers["Content-Type"] = "text/html; charset=utf-8"
        else:
            name, response.body = self._files.pop(path.removeprefix("/file/"), ("", b""))
            if not name:
                return connection.respond(http.HTTPStatus.NOT_FOUND, "nothing is here\n")
            headers["Content-Type"] = "application/octet-stream"
            headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name)}"
        headers["Content-Length"] = str(len(response.body))
        return response

    async def _meet(self, socket: ServerConnection) -> None:
        """Speak with a browser until it goes."""
        from websockets.exceptions import ConnectionClosed

        browser = Browser(socket)
        self._browsers.add(browser)
        for key, message in self._greet(socket.request.path if socket.request else ""):
            browser.put(key, message)
        sending = self._loop.create_task(browser.send())
        try:
            async for text in socket:
                self._take(browser, text)
        except ConnectionClosed:
            pass
        finally:
            sending.cancel()
            self._browsers.discard(browser)
            if not self._browsers:
                self._hand.submit(self._left).add_done_callback(self._done)

    def _take(self, browser: Browser, text: str | bytes) -> None:
        """Let a message be heard; one with a key not before, if a newer one with the key came meanwhile."""
        try:
            message = json.loads(text)
        except ValueError:
            return
        if not isinstance(message, dict):
            return
        if "taken" in message:
            browser.taken.set()
            return
        key = message.get("key")
        if key is not None:
            self._newest[str(key)] = message
        self._hand.submit(self._heard, browser, message).add_done_callback(self._done)

    def _heard(self, browser: Browser, message: dict[str, Any]) -> None:
        key = message.get("key")
        if key is not None and self._newest.get(str(key)) is not message:
            return
        self._asking = browser
        try:
            self._hear(message)
        finally:
            self._asking = None

    def _done(self, future: Future[None]) -> None:
        fault = None if future.cancelled() else future.exception()
        if fault is not None:
            self._fail(fault)
