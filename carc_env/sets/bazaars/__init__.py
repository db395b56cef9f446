"""Bazaars."""
