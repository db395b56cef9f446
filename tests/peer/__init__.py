"""Games of an independent engine beside ours, see :mod:`tests.peer.replay`."""
