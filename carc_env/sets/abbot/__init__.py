"""The abbot."""
