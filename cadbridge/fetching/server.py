"""Requests to a server: signed, counted, with time-outs, and repeated where the server asks for it."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

from cadbridge.errors import InputError
from cadbridge.fetching.address import checked_server
from cadbridge.findings import Findings
from cadbridge.units import GIGABYTE

TIMEOUT = 60.0
"""s without a byte after which a request counts as cut: a choice."""
ATTEMPTS = 5
"""Of one request, where the server asks to come later or the line is cut: with pauses that double from 1 s, 15 s in
all."""
LONGEST_WAIT = 120.0
"""s: a server that asks for a longer pause is not waited for: a person would not wait without knowing."""
LARGEST_ANSWER = 1 << 30
"""Bytes of an answer: it is held in memory."""
SLOWEST = 1000
"""Bytes a second of an answer that takes longer than TIMEOUT; a slower one counts as cut."""
MOST_REDIRECTS = 3
"""That are followed of one request; a circle ends here."""
_LATER = (429, 500, 502, 503, 504)
"""Statuses of HTTP by which a server asks to come again later: too many requests, and faults of its own."""
_READ_AT_ONCE = 1 << 20
"""Bytes of an answer that are read before its size and pace are looked at."""


class _EndlessError(Exception):
    """An answer of more than `LARGEST_ANSWER` bytes."""


@dataclass(frozen=True)
class Keys:
    """An access key and its secret; neither is ever shown."""

    access: str = field(repr=False)
    secret: str = field(repr=False)

    def header(self) -> str:
        """The value of the header Authorization."""
        return "Basic " + base64.b64encode(f"{self.access}:{self.secret}".encode()).decode()

    def hide(self, text: str) -> str:
        """A text without the keys, in whatever form they stand in it."""
        for secret in (self.header().partition(" ")[2], self.secret, self.access):
            text = text.replace(secret, "***") if secret else text
        return text


@dataclass
class OnshapeServer:
    """A server of Onshape's API; `requests` counts those that it was sent, repeated ones too."""

    url: str
    keys: Keys
    wait: Callable[[float], None] = time.sleep
    requests: int = 0

    def get(self, path: str, query: dict[str, str] | None = None) -> bytes:
        """The body of the answer to a GET. Raises InputError with a finding where there is none."""
        return self._answer("GET", path + (f"?{urlencode(query)}" if query else ""), None)

    def json(self, path: str, query: dict[str, str] | None = None) -> Any:
        """The answer to a GET as JSON."""
        return self.parsed(self.get(path, query), path)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The answer to a POST of JSON, as JSON."""
        return self.parsed(self._answer("POST", path, json.dumps(body).encode()), path)

    def parsed(self, data: bytes, what: str) -> Any:
        """JSON; InputError (CB1464) where it is none."""
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise self.failed("CB1464", f"{what}: the answer is not JSON") from None

    def failed(self, code: str, message: str) -> InputError:
        """The error with its finding; keys in the message are hidden."""
        findings = Findings()
        findings.add(code, self.keys.hide(message))
        return InputError(f"The answer of {self.url} is incomplete.", findings)

    def _answer(self, method: str, path: str, body: bytes | None) -> bytes:
        """Try until there is an answer; pauses double from 1 s unless the server names one."""
        fault = ""
        for attempt in range(ATTEMPTS):
            try:
                status, headers, data = self._follow(method, path, body)
            except ssl.SSLCertVerificationError as error:
                raise self.failed("CB1463", f"the certificate is refused: {error.verify_message}") from None
            except _EndlessError:
                raise self.failed("CB1464", f"the answer has more than {LARGEST_ANSWER / GIGABYTE:.1f} GB") from None
            except (OSError, http.client.HTTPException) as error:
                status, headers, data = 0, {}, b""
                fault = f"{type(error).__name__}: the connection was cut"
            if 200 <= status < 300:
                return data
            if status and status not in _LATER:
                raise self._refused(status, path)
            fault = f"status {status}" if status else fault
            pause = _requested_pause(headers.get("retry-after"), 2.0**attempt)
            if pause > LONGEST_WAIT:
                raise self.failed("CB1467", f"the server asks to wait for {pause:.0f} s")
            if attempt < ATTEMPTS - 1:
                self.wait(pause)
        raise self.failed("CB1463", f"{path.partition('?')[0]}: {fault} after {ATTEMPTS} attempts")

    def _follow(self, method: str, path: str, body: bytes | None) -> tuple[int, dict[str, str], bytes]:
        """One request and its redirections; another host than ours gets no keys."""
        url = self.url + path
        for _ in range(MOST_REDIRECTS + 1):
            own = checked_server(url) == self.url
            self.requests += own
            status, headers, data = _exchange(method, url, body, self.keys.header() if own else None)
            # Redirections; all that name another address.
            if status not in (301, 302, 303, 307, 308) or "location" not in headers:
                return status, headers, data
            url = urljoin(url, headers["location"])
            if urlsplit(url).scheme != urlsplit(self.url).scheme:
                break
        raise self.failed("CB1464", f"{path.partition('?')[0]}: it is redirected to where keys may not go, or for ever")

    def _refused(self, status: int, path: str) -> InputError:
        where = path.partition("?")[0]
        # Not known who asks; below: known, and not allowed, or nothing there for them.
        if status == 401:
            return self.failed("CB1461", "the server does not take the keys (status 401)")
        if status in (403, 404):
            return self.failed("CB1462", f"{where}: status {status}")
        return self.failed("CB1463", f"{where}: status {status}")


def _exchange(method: str, url: str, body: bytes | None, signed: str | None) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=TIMEOUT)
    headers = {"Accept": "*/*", "User-Agent": "cadbridge"}
    if signed is not None:
        headers["Authorization"] = signed
    if body is not None:
        headers["Content-Type"] = "application/json"
    try:
        connection.request(method, (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), body, headers)
        with connection.getresponse() as answer:
            data, began = bytearray(), time.monotonic()
            while chunk := answer.read1(_READ_AT_ONCE):
                data += chunk
                if len(data) > LARGEST_ANSWER:
                    raise _EndlessError
                if (gone := time.monotonic() - began) > TIMEOUT and len(data) < SLOWEST * gone:
                    raise TimeoutError
            # `read1` ends without an error where the line is cut: what is left of Content-Length tells.
            if answer.length:
                raise http.client.IncompleteRead(b"", answer.length)
            return answer.status, {key.lower(): value for key, value in answer.getheaders()}, bytes(data)
    finally:
        connection.close()


def _requested_pause(header: str | None, otherwise: float) -> float:
    """Seconds of Retry-After; dates and nonsense give our own pause."""
    try:
        pause = float(header or "")
    except ValueError:
        return otherwise
    return max(pause, 0.0) if pause == pause else otherwise
