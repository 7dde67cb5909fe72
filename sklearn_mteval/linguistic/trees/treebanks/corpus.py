"""A treebank in the layout of GUM: folders ``dep``, ``const``, ``rst`` with a file a document."""

from pathlib import Path
from typing import NamedTuple

from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.linguistic.trees.treebanks.conllu import conllu_sentences
from sklearn_mteval.linguistic.trees.treebanks.discourse import sentence_discourse
from sklearn_mteval.linguistic.trees.treebanks.penn import read_penn
from sklearn_mteval.linguistic.trees.treebanks.rst import read_rst

_CC_BY = ("academic", "court", "interview", "news")  # genres of GUM whose texts are CC BY


class Document(NamedTuple):
    """The sentences of a document: ConlluSentence, BracketTree and SentenceDiscourse of each."""

    name: str
    sentences: list
    constituents: list
    discourse: list


def document_names(corpus):
    """List the documents that all three folders have, sorted."""
    parts = []
    for folder, ending in (("dep", ".conllu"), ("const", ".ptb"), ("rst", ".dis")):
        files = Path(corpus, folder).glob(f"*{ending}")
        parts.append({file.name.removesuffix(ending) for file in files})
    names = sorted(set.intersection(*parts))
    if not names:
        raise DataFileError(
            corpus,
            "expected documents as dep/NAME.conllu, const/NAME.ptb and rst/NAME.dis, found none.",
        )
    return names


def chosen_documents(corpus, choice):
    """List one of ``DOCUMENTS``: CC BY texts by genre, of which every tenth is held out."""
    names = document_names(corpus)
    cc_by = [name for name in names if name.split("_")[1:2] and name.split("_")[1] in _CC_BY]
    held_out = cc_by[4::10]
    chosen = {
        "all": names,
        "held-out": held_out,
        "shipped": [name for name in cc_by if name not in held_out],
        "others": [name for name in names if name not in cc_by],
        "all-but-held-out": [name for name in names if name not in held_out],
    }[choice]
    if not chosen:
        raise DataFileError(corpus, f"has no documents of the choice {choice!r}.")
    return chosen


def read_document(corpus, name):
    """Read a document; the words must be those of the dependency file in all three files."""
    sentences = list(conllu_sentences(Path(corpus, "dep", f"{name}.conllu")))
    path = Path(corpus, "const", f"{name}.ptb")
    trees = read_penn(path)
    if [[word for _, word in tree.tagged_words()] for tree in trees] != [
        list(sentence.words) for sentence in sentences
    ]:
        raise DataFileError(path, f"has other words than dep/{name}.conllu.")
    path = Path(corpus, "rst", f"{name}.dis")
    try:
        words = [sentence.words for sentence in sentences]
        discourse = sentence_discourse(read_rst(path), words)
    except ValueError as error:
        raise DataFileError(path, str(error)) from None
    return Document(name, sentences, trees, discourse)
