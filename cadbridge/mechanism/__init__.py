"""How it moves: bodies, joints and couplings, from the mates of an assembly."""

from cadbridge.mechanism.build import build, joints_made
from cadbridge.mechanism.checks import residuals
from cadbridge.mechanism.model import GROUND_BODY, Body, BodyCoupling, Joint, MateRows, Mechanism

__all__ = [
    "GROUND_BODY", "Body", "BodyCoupling", "Joint", "MateRows", "Mechanism", "build", "joints_made", "residuals",
]  # fmt: skip
