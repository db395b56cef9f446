"""Darmstadt."""
