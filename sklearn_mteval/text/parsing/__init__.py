"""Parsers behind one small protocol, and a cache of their parses on disk."""

from sklearn_mteval.text.parsing.benepar_parser import BeneparParser
from sklearn_mteval.text.parsing.bracketed_trees import BracketedTrees
from sklearn_mteval.text.parsing.brackets import BracketTree, read_brackets
from sklearn_mteval.text.parsing.cache import CachedParser
from sklearn_mteval.text.parsing.link_grammar import LinkGrammar
from sklearn_mteval.text.parsing.parses import FAILED, PARSED, TIMEOUT, Parser, Parses
from sklearn_mteval.text.parsing.stanza_parser import StanzaParser

__all__ = [
    "FAILED",
    "PARSED",
    "TIMEOUT",
    "BeneparParser",
    "BracketTree",
    "BracketedTrees",
    "CachedParser",
    "LinkGrammar",
    "Parser",
    "Parses",
    "StanzaParser",
    "read_brackets",
]
