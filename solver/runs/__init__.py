"""Whole runs: steps of controlled error, samples, events, changes of the model, and why a run ends."""
