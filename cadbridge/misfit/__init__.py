"""What redundant mates cost: errors of faces that they feel, play that they need, forces that they cause."""

from cadbridge.misfit.analyse import fit
from cadbridge.misfit.loading import load_fit
from cadbridge.misfit.model import Fit, GroupFit
from cadbridge.misfit.settings import Rule, Settings

__all__ = ["Fit", "GroupFit", "Rule", "Settings", "fit", "load_fit"]
