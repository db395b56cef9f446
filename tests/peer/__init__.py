"""Comparisons with games of an independent engine; see :mod:`tests.peer.replay`."""
