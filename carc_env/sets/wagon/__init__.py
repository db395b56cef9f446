"""Wagons."""
