"""Trees of sentences and documents: treebanks, parsers, and what is learnt from their trees."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "BeneparParser": "external.benepar_parser",
        "BracketTree": "brackets",
        "BracketedTrees": "external.bracketed_trees",
        "CachedParser": "cache",
        "ConstituencyParser": "shipped.parsers",
        "DependencyParser": "shipped.parsers",
        "LinkGrammar": "external.link_grammar",
        "Parser": "parses",
        "Parses": "parses",
        "ShallowParser": "shipped.parsers",
        "StanzaParser": "external.stanza_parser",
        "Trees": "transformer",
        "dependencies": "treebanks.dependency",
        "read_brackets": "brackets",
        "read_conllu": "treebanks.conllu",
        "read_penn": "treebanks.penn",
        "read_rst": "treebanks.rst",
        "write_conllu": "treebanks.conllu",
        "write_penn": "treebanks.penn",
        "write_rst": "treebanks.rst",
    },
)
