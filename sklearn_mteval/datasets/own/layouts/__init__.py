"""Layouts of tables of judgements: each module here is one, and holds its entry, ``LAYOUT``."""

import sys

from sklearn_mteval.datasets._entries import entries_in

LAYOUTS = entries_in(sys.modules[__name__], "LAYOUT")
