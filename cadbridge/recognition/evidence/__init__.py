"""What speaks for a joint or a weld before anything is decided: lines that parts share, what spins, drives."""
