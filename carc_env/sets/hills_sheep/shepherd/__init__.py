"""Shepherds."""
