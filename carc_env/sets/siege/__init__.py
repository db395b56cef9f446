"""Siege: The Besiegers and The Cathars."""
