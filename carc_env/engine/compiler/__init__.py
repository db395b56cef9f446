"""Compile, keep and link kernels; this package imports nothing of the rules."""
