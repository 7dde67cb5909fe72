"""What texts are made of: tokens, word vectors, language models, parses."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "BeneparParser": "parsing.benepar_parser",
        "BracketTree": "parsing.brackets",
        "BracketedTrees": "parsing.bracketed_trees",
        "CachedParser": "parsing.cache",
        "FAILED": "parsing.parses",
        "FileModel": "language_models.file_model",
        "LinkGrammar": "parsing.link_grammar",
        "NgramModel": "language_models.model",
        "PARSED": "parsing.parses",
        "Parser": "parsing.parses",
        "Parses": "parsing.parses",
        "StanzaParser": "parsing.stanza_parser",
        "TIMEOUT": "parsing.parses",
        "WordVectors": "vectors.word_vectors",
        "escape_word": "parsing.brackets",
        "estimate": "language_models.estimation",
        "load_word_vectors": "vectors.word_vectors",
        "normalize_text": "normalization",
        "read_brackets": "parsing.brackets",
        "unescape_word": "parsing.brackets",
        "write_arpa": "language_models.arpa",
    },
)
