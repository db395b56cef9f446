"""Tests of each rule in the catalogue: a position, a move, the expected numbers."""
