"""The rules as compiled kernels over one numpy record.

The engine imports nothing from the rest of the package, except the compiled files of
``carc_env/sets`` and the list of sets. Python calls its entry points in ``entry.py``. The search
and the sets compile their own kernels against the engine's modules, and Python code reads its
codes, tables and record layout.
"""
