"""Whether a run's numbers are what its tolerances or its step promise, and how far its end depends on them."""
