"""Trees of sentences and documents: treebanks, and what is learnt from them."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "treebank_words": "tokenizer",
        "parser_of": "parsers",
        "ShallowParser": "parsers",
        "DependencyParser": "parsers",
        "ConstituencyParser": "parsers",
        "ConlluSentence": "conllu",
        "DiscourseMerge": "discourse",
        "SentenceDiscourse": "discourse",
        "Trees": "transformer",
        "conllu_sentences": "conllu",
        "dependencies": "dependency",
        "dependency_tree": "dependency",
        "discourse_merges": "discourse",
        "discourse_tree": "discourse",
        "edus": "rst",
        "format_conllu": "conllu",
        "read_conllu": "conllu",
        "read_penn": "penn",
        "read_rst": "rst",
        "sentence_discourse": "discourse",
        "write_conllu": "conllu",
        "write_penn": "penn",
        "write_rst": "rst",
    },
)
