"""Many runs of one mechanism: what they vary, the processes that compute them, their dataset."""

from cadbridge.sweeps.running import sweep
from cadbridge.sweeps.table import SweepTable, load_sweep, write_sweep

__all__ = ["SweepTable", "load_sweep", "sweep", "write_sweep"]
