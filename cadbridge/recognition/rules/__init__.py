"""Bodies and joints from the evidence, rule by rule, each with the strength by which it gives way to another."""
