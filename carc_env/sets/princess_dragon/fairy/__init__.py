"""The fairy."""
