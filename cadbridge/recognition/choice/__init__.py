"""One recognition of all that is possible: inferred, moved, and changed where the mobility asks for it."""
