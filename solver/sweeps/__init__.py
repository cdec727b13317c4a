"""The linear algebra of the equations of motion, linear in the number of bodies: sweeps over a forest of joints."""
