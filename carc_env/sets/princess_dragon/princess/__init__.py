"""Princesses."""
