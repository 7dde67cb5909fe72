"""The structures of the 2014 paper, and the marks that relate a translation to its reference."""

from functools import partial

from sklearn_mteval.linguistic.trees.brackets import BracketTree, is_tag
from sklearn_mteval.linguistic.trees.matching import lower_case, matching_nodes

MARK = "-REL"
WORD = "WORD"  # above each word of a tree without tags: what its mark stands on
# What the shallow parser is to make for each structure.
STRUCTURES = {
    "SYN": "shallow",
    "DIS": "discourse",
    "DIS+POS": "discourse",
    "DIS+SYN": "shallow+discourse",
}
KEYS = ("lower", "lemma", "stem")


def mark(tree, other, structure, key):
    """Return a tree as a line of brackets, what matches the other tree marked (Figure 1).

    ``key(word, tag)`` tells what words must agree in to match.
    """
    matches = matching_nodes(tree, other, key)
    labels = [
        label + MARK if matched and children else label
        for label, matched, children in zip(tree.labels, matches, tree.children, strict=True)
    ]
    return str(structured(BracketTree(tuple(labels), tree.parents), structure))


def structured(tree, structure):
    """Return the tree of a structure, made from what the shallow parser makes for it.

    Without tags, there is one label above each word for its mark to stand on.
    """
    if structure != "DIS":
        return tree
    labels = [
        WORD + label[len(label.removesuffix(MARK)) :] if is_tag(tree, node) else label
        for node, label in enumerate(tree.labels)
    ]
    return BracketTree(tuple(labels), tree.parents)


def word_key(match, wordnet=None):
    """Return the function of a word and its tag that tells what it matches."""
    if match == "lower":
        return lower_case
    if match == "stem":
        from sklearn_mteval.text.stems import porter_stemmer

        return partial(_stem, porter_stemmer())
    from sklearn_mteval.text.wordnet import open_wordnet

    return partial(_lemma, open_wordnet(wordnet))


def _stem(stem, word, tag):
    return stem(word.lower())


def _lemma(wordnet, word, tag):
    return wordnet.base_form(word.lower(), tag)
