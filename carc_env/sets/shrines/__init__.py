"""Shrines."""
