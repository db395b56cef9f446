"""Abbeys."""
