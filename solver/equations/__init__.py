"""The equations of motion of a model: rows, loads, accelerations, multipliers, projection."""
