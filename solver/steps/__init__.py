"""One step of an integrator, explicit or implicit, and the states within it."""
