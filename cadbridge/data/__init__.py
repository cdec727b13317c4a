"""Data that the package ships: schemas and the demo."""
