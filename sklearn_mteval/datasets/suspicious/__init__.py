"""Texts that are hardly what was meant: each module notices one kind, ``findings`` all."""
