"""The Phantom."""
