"""Parsers behind one small protocol, and a cache of their parses on disk."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "BeneparParser": "benepar_parser",
        "BracketTree": "brackets",
        "BracketedTrees": "bracketed_trees",
        "CachedParser": "cache",
        "FAILED": "parses",
        "LinkGrammar": "link_grammar",
        "PARSED": "parses",
        "Parser": "parses",
        "Parses": "parses",
        "StanzaParser": "stanza_parser",
        "TIMEOUT": "parses",
        "escape_word": "brackets",
        "read_brackets": "brackets",
        "unescape_word": "brackets",
    },
)
