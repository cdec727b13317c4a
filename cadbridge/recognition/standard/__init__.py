"""Screws, nuts, washers, pins, rings, bearings and springs, known by their shape and by what they are called."""
