"""A naive reading of the rules in plain Python, to compare the engine with."""
