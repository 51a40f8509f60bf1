"""The rules. Pure values and functions: no clock, no randomness, no I/O.

A folder is a rule book; a file is vocabulary that rule books share.
"""
