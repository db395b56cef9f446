"""Algorithms in one file each, made to be copied: ``carc-env recipe NAME > file.py``."""
