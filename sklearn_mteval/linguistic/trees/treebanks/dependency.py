"""Dependency trees: words and their heads as a bracketed tree, and back."""

import re
from bisect import bisect_left

from sklearn_mteval.linguistic.trees.brackets import BracketTree, escape_word, is_tag, unescape_word

_MARK = re.compile(r"#[0-9]+$")
EMPTY = BracketTree(("",), (-1,))


def dependency_tree(words, tags, heads, relations):
    """Make a tree of words and heads, 1-based, 0 for the root, that have no ``head_fault``."""
    if not len(words):
        return EMPTY
    dependents = [[] for _ in range(len(words) + 1)]
    for word, head in enumerate(heads, 1):
        dependents[head].append(word)
    labels, parents, nodes, order = [], [], [], []
    waiting = [(dependents[0][0], -1, False)]
    while waiting:
        word, parent, is_leaf = waiting.pop()
        node = len(labels)
        if is_leaf:
            labels += escape_word(tags[word - 1]), escape_word(words[word - 1])
            parents += parent, node
            order.append(word)
            continue
        labels.append(escape_word(relations[word - 1]))
        parents.append(parent)
        nodes.append((node, word))
        below = [(dependent, node, False) for dependent in dependents[word]]
        below.insert(bisect_left(dependents[word], word), (word, node, True))
        waiting += below[::-1]
    # A relation that itself ends like a mark must bear one, or it would be read as one.
    if order != sorted(order) or any(_MARK.search(labels[node]) for node, _ in nodes):
        for node, word in nodes:
            labels[node] += f"#{word}"
    return BracketTree(tuple(labels), tuple(parents))


def dependencies(
    tree: BracketTree,
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...], tuple[str, ...]]:
    """Return the words, tags, heads and relations of a dependency tree.

    Parameters
    ----------
    tree : BracketTree
        A dependency tree.

    Returns
    -------
    words, tags : tuple of n_words str
        Words and their parts of speech.
    heads : tuple of n_words int
        1-based position of each word's head; 0 for the root.
    relations : tuple of n_words str
        Relation of each word to its head.

    Raises
    ------
    ValueError
        If the tree is no dependency tree: a node has not exactly one word of its own, or its marks
        do not count the words.
    """
    if tree == EMPTY:
        return (), (), (), ()
    nodes = word_nodes(tree)
    position = {node: place for place, (node, _, _) in enumerate(nodes, 1)}
    rows = []
    for node, tag, relation in nodes:
        word = tree.labels[tree.children[tag][0]]
        texts = map(unescape_word, (word, tree.labels[tag], relation))
        rows.append((*texts, position.get(tree.parents[node], 0)))
    words, tags, relations, heads = zip(*rows, strict=True)
    return words, tags, heads, relations


def word_nodes(tree):
    """List for each word of the sentence the nodes of its relation and tag, and the relation."""
    own = own_words(tree)
    relations = [tree.labels[node] for node in own]
    nodes = list(zip(own, own.values(), relations, strict=True))
    if not any(map(_MARK.search, relations)):
        return nodes
    bare, _, marks = zip(*(label.rpartition("#") for label in relations), strict=True)
    place_of = {str(place): place for place in range(1, len(own) + 1)}
    if set(marks) != set(place_of) or not all(bare):
        raise ValueError(
            f"expected relations with the marks #1 to #{len(own)} behind them, as a tree has "
            f"them that is not projective, found {str(tree)[:80]!r}."
        )
    found = [None] * len(own)
    for (node, tag, _), relation, mark in zip(nodes, bare, marks, strict=True):
        found[place_of[mark] - 1] = node, tag, relation
    return found


def own_words(tree):
    """Map the nodes of relations to those of their words' tags, in the order of the words."""
    children, own = tree.children, {}
    for node, below in enumerate(children):
        if not tree.labels[node]:
            raise ValueError("expected a dependency tree, found a node without a label.")
        if not below or is_tag(tree, node):
            continue
        tags = [child for child in below if is_tag(tree, child)]
        if len(tags) != 1 or not all(children[child] for child in below):
            raise ValueError(
                "expected a dependency tree, every node with one word (TAG word) of its own, "
                f"found {len(tags)} below {tree.labels[node][:40]!r}."
            )
        own[node] = tags[0]
    if 0 not in own:
        raise ValueError(f"expected a dependency tree, found {str(tree)[:80]!r}.")
    return dict(sorted(own.items(), key=lambda item: item[1]))


def head_fault(heads):
    """Return the word at which heads make no tree, and why; None if they do."""
    for word, head in enumerate(heads, 1):
        if not 0 <= head <= len(heads):
            return word, f"expected a head from 0 to {len(heads)}, found {head}."
    roots = [word for word, head in enumerate(heads, 1) if head == 0]
    if len(roots) > 1:
        return roots[1], f"a second root, after word {roots[0]}: expected one word with head 0."
    if not roots and heads:
        return 1, "no word of the sentence has head 0: expected one root."
    # Each word is entered once: linear. A walk that ends in a word it has seen itself is a cycle.
    seen = [0] * (len(heads) + 1)  # the word from which on the way led here
    for start in range(1, len(heads) + 1):
        word = start
        while word and not seen[word]:
            seen[word] = start
            word = heads[word - 1]
        if word and seen[word] == start:
            return word, f"its head is {heads[word - 1]}, and heads lead back to it: a cycle."
    return None
