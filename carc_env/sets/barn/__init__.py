"""Barns."""
