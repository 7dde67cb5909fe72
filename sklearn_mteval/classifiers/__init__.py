"""Classifiers of pairs: the learners of Avramidis 2012, section 3.5."""

__all__ = []
