"""Layouts of tables of judgements: each module here is one, and holds its entry, ``LAYOUT``."""
