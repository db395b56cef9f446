"""The rule catalogue, entry by entry: position, move, expected figures."""
