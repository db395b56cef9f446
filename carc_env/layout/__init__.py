"""Action and observation layouts for given rules, and the record of a new game."""
