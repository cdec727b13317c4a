"""`cadbridge view`: the mechanism live, moved by hand through its constraints."""

from cadbridge.report.live.session import LiveView

__all__ = ["LiveView"]
