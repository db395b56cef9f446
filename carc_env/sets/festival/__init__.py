"""The Festival."""
