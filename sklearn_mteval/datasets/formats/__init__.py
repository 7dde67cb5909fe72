"""Formats of human judgements: a module each, which all that reads judgements is derived from.

A module has one name, ``FORMAT``, an entry as :mod:`._entry` describes it; putting it here is all
that a new format needs. ``--help`` reads them, so that none imports anything heavy before it reads.
"""
