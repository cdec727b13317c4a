"""The process of a job that is a copy of none: `python -m cadbridge.jobs.cold`, the request as JSON on stdin."""

from __future__ import annotations

import json
import sys

from cadbridge.jobs import child

if __name__ == "__main__":
    request = json.loads(sys.stdin.buffer.read())
    child.load()
    child.main(request)
