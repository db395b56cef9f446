"""Compile, cache and link kernels; this package imports nothing from the rules."""
