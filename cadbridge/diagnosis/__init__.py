"""How many freedoms there are, which mates repeat which, and which reactions a rigid model determines."""

from cadbridge.diagnosis.diagnose import diagnose
from cadbridge.diagnosis.model import Diagnosis, Group, Mobility, Reaction, Redundancy
from cadbridge.diagnosis.settle import settled

__all__ = ["Diagnosis", "Group", "Mobility", "Reaction", "Redundancy", "diagnose", "settled"]
