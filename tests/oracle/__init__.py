"""A naive implementation of the rules in plain Python, for comparison with the engine."""
