"""The rules as compiled kernels over one numpy record.

Of the rest of the package the engine imports only the compiled files of the sets' rooms
(``carc_env/sets``). Python calls its compiled functions through ``entry.py``; search and rooms have
kernels of their own, which compile against the engine's modules.
"""
