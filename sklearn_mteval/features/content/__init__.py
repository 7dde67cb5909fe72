"""Exactness of content: numbers, names, negation and untranslated words."""
