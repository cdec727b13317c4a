"""What is computed of a model beside a run: assembly, equilibrium, linearisation, inverse dynamics, wrenches."""
