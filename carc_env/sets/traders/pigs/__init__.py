"""Pigs."""
