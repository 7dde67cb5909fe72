"""Parsers behind one small protocol, and a cache of their parses on disk."""

from sklearn_mteval.parsing.link_grammar import LinkGrammar
from sklearn_mteval.parsing.parses import FAILED, PARSED, TIMEOUT, Parser, Parses

__all__ = ["FAILED", "PARSED", "TIMEOUT", "LinkGrammar", "Parser", "Parses"]
