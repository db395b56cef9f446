"""Castles."""
