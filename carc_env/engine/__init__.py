"""The rules as compiled kernels over one numpy record.

From the rest of the package, the engine imports only the compiled files of ``carc_env/sets`` and
their list. Python calls its entry points in ``entry.py``. Search and sets compile kernels of their
own against the engine's modules, and Python reads its codes, tables and record layout.
"""
