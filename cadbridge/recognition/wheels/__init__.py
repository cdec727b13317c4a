"""Teeth: wheels, racks, worms and sprockets counted on the shape of a part, and which of them mesh."""
