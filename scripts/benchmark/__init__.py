"""The same mechanisms in several engines, side by side: what `scripts/bench` runs."""
