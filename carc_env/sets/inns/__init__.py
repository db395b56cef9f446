"""Inns, cathedrals and large meeples."""
