"""Inputs that are broken at random, and what cadbridge makes of them."""
