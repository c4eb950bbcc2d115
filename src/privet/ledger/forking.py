"""Transactions and forks: a process is forked only while none of its threads is within a transaction of a ledger.

A child that is forked within a transaction of another thread would inherit what only its parent may use: SQLite's notes
of locks, with which it could read without a lock, or the connection to a server.
"""

import os
import threading

TURN = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=TURN.acquire, after_in_parent=TURN.release, after_in_child=TURN.release)
