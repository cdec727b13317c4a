"""Who may speak to the live view: the page that was opened from the address printed, and nothing else.

Any page in the same browser can reach a server on this machine. So each request must bear the token, which the address
printed for the person holds; its Host must be an address or the host given (a name of a stranger's
that leads here is none); and a web socket's Origin must be the view itself.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cadbridge.errors import InputError


def refuse_unusable(host: str) -> None:
    """InputError unless this machine can serve at `host`."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as tried:
            tried.bind(address)
    except (OSError, UnicodeError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or fault
        raise InputError(
            f"The view cannot be served at {host!r}: {reason}. --host takes an address of this machine."
        ) from fault


class Guard:
    """The check of every request; `token` is new for each view."""

    def __init__(self, host: str) -> None:
        self.token = secrets.token_urlsafe(24)
        self._host = host.lower()

    def refusal(self, path: str, headers: Any) -> str:
        """Why a request is refused; "" where it is not. `headers` as of websockets, or any mapping."""
        host = headers.get("Host") or ""
        if not self._ours(host):
            return "the view is not served under this name"
        origin = headers.get("Origin")
        socket_asked = (headers.get("Upgrade") or "").lower() == "websocket"
        # A browser tells no origin when a person opens an address, but does with every web socket.
        if (socket_asked or origin is not None) and origin != f"http://{host}":
            return "only the view's own page may speak to it"
        given = parse_qs(urlsplit(path).query).get("token", ())
        if not any(hmac.compare_digest(text.encode(), self.token.encode()) for text in given):
            return "open the address that cadbridge view tells; it holds the view's token"
        return ""

    def _ours(self, host: str) -> bool:
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        if name in ("localhost", self._host) and name:
            return True
        try:
            # A stranger's page reaches this machine by a name that its owner lets lead here (DNS rebinding), and the
            # browser sends that name as Host; an address there is the one that was connected to.
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True
