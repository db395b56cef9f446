"""Corn Circles."""
