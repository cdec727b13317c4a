"""Whether an export moves as the mechanism does, in the engine that it was written for."""

from __future__ import annotations

from cadbridge.verification.compare import Verification, verification_document, verify

__all__ = ["Verification", "verification_document", "verify"]
