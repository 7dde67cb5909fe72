"""Parsers of other projects, and trees that other programs have made."""
