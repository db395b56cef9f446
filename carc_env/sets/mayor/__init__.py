"""Mayors."""
