"""Parsers behind one small protocol, and a cache of their parses on disk."""

from sklearn_mteval.parsing.cache import CachedParser
from sklearn_mteval.parsing.link_grammar import LinkGrammar
from sklearn_mteval.parsing.parses import FAILED, PARSED, TIMEOUT, Parser, Parses

__all__ = ["FAILED", "PARSED", "TIMEOUT", "CachedParser", "LinkGrammar", "Parser", "Parses"]
