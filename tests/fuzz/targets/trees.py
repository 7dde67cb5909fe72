"""Trees in columns, as text and as pictures, with hostile labels."""

import warnings

import pandas as pd
from matplotlib import pyplot

from fuzz import call, check, target
from fuzz.draw import WORDS
from sklearn_mteval.linguistic.pictures.text import tree_report
from sklearn_mteval.linguistic.trees.brackets import escape_word
from sklearn_mteval.linguistic.trees.shipped.kinds import KINDS
from sklearn_mteval.linguistic.trees.tokenizer import treebank_words
from sklearn_mteval.linguistic.trees.treebanks.dependency import dependency_tree
from sklearn_mteval.plots import TreeDisplay
from sklearn_mteval.trees import (
    BracketedTrees,
    BracketTree,
    ConstituencyParser,
    DependencyParser,
    ShallowParser,
    Trees,
    dependencies,
    read_brackets,
)

_LABELS = ["S", "NP", "DIS:x", "EDU:NUCLEUS", "root#2", "$", "-LRB-", *WORDS]
_LABELS = [escape_word(label) for label in _LABELS if label]


def grown(draw):
    """Grow a tree: each node hangs on one before it, mostly the last."""
    n = draw.one([1, 2, 3, 30, 300]) if draw.chance(0.3) else draw.integer(2, 25)
    labels, parents = ["S"], [-1]
    for k in range(1, n):
        back = draw.integer(0, k - 1) if draw.chance(0.6) else k - 1
        while draw.chance(0.5) and parents[back] >= 0:
            back = parents[back]
        labels.append(draw.one(_LABELS))
        parents.append(back)
    order = [0]  # left before right
    waiting = [[k for k in range(n) if parents[k] == 0][::-1]]
    while waiting:
        if not waiting[-1]:
            waiting.pop()
            continue
        node = waiting[-1].pop()
        order.append(node)
        waiting.append([k for k in range(n) if parents[k] == node][::-1])
    place = {node: k for k, node in enumerate(order)}
    return BracketTree(
        tuple(labels[node] for node in order),
        (-1, *(place[parents[node]] for node in order[1:])),
    )


@target(weight=3)
def columns_of_trees(draw):
    X = draw.texts()
    texts = [text for text in WORDS if draw.chance()]
    known = {text: grown(draw) for text in texts[:9]}
    known = {text: str(tree) for text, tree in known.items() if tree.children[0]}  # with words
    chosen = call(Trees, BracketedTrees(known), n_jobs=draw.one([None, 1]))
    found = call(chosen.fit_transform, X, legal=True)
    check(found.index.equals(X.index), found.index, X.index)
    check(list(found) == [*X, "hypothesis_tree", "reference_tree"], list(found))
    for column in ("hypothesis", "reference"):
        for cell, trees in zip(X[column], found[f"{column}_tree"], strict=True):
            several = not isinstance(cell, str)
            pairs = zip(cell, trees, strict=True) if several else [(cell, trees)]
            for text, tree in pairs:
                check(tree == known.get(str(text), "()"), text, tree, known)
    if draw.chance(0.7):
        return
    bad = draw.spoiled_texts(X)
    call(draw.one([Trees(BracketedTrees(known)).fit, chosen.transform]), bad)
    option = {draw.one(["kind", "columns", "n_jobs", "parser_model"]): draw.option([None])[0]}
    call(Trees(**{"kind": BracketedTrees(known), **option}).fit, X)


@target(weight=3)
def shipped_parsers(draw):
    structure, legal = draw.option(KINDS[:3])
    beam, legal_beam = draw.option([1, 2, 8])
    deep = draw.one([ConstituencyParser, DependencyParser])
    parser = ShallowParser(structure) if draw.chance() else deep(beam=beam)
    legal = legal if isinstance(parser, ShallowParser) else legal_beam
    texts = [draw.text() for _ in range(draw.size())]
    lines = call(parser.parse, texts, legal=legal)
    check(legal, parser, lines)
    check(len(lines) == len(texts), texts, lines)
    for text, line in zip(texts, lines, strict=True):
        words = call(treebank_words, text.encode("utf-8", "replace").decode(), legal=True)
        [tree] = call(read_brackets, line, legal=True)
        check(str(tree) == line and (line == "()") == (not words), text, line)
        check([word for _, word in tree.tagged_words()] == words, text, line)
        if isinstance(parser, DependencyParser):
            parts = call(dependencies, tree, legal=True)
            check(str(call(dependency_tree, *parts, legal=True)) == line, text, line)
    n = draw.integer(1, 9)
    found = call(lambda: list(parser.parse_nbest(texts[::-1], n)), legal=True)
    check([parses.tree for parses in found] == lines[::-1], texts, lines, found)
    for parses in found:
        scores = parses.scores.tolist()
        check(1 <= parses.count <= n and len(scores) <= parses.count, parses)
        check(all(-1e9 < s <= 0 for s in scores), parses)  # in the search's order, the tree's first
    if draw.chance(0.3):
        wrong = {"parser_model": draw.option([None])[0]} if draw.chance() else {}
        call(parser.set_params(**wrong).parse, draw.one([[5], [None], "a", ["a", b"b"], ["a"]]))


def plotted(trees, **options):
    """Draw trees and throw the picture away; return the display."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        try:
            display = TreeDisplay(*trees, arcs=options.pop("arcs")).plot(**options)
            display.figure_.canvas.draw()
        finally:
            pyplot.close("all")
    return display


@target(weight=2)
def drawn_trees(draw):
    trees = [grown(draw) for _ in range(draw.integer(1, 2))]
    lines = [call(str, tree) for tree in trees]
    for tree, line in zip(trees, lines, strict=True):
        if tree.children[0]:
            check([tree] == call(read_brackets, line, legal=True), tree, line)
    text = call(tree_report, trees[0], legal=True)
    check(text.endswith("\n") and text.replace("\n", "").isprintable(), text)
    options = {
        "orientation": draw.one([None, "down", "right"]),
        "fontsize": draw.one([5, 10.0, 40]),
        "arcs": draw.chance(0.2),
    }
    small = max(len(tree.labels) for tree in trees) <= 30 and options["fontsize"] < 40
    display = call(plotted, trees, legal=small and not options["arcs"], **options)
    for tree, texts in zip(trees, display.texts_, strict=True):
        check(options["arcs"] or len(texts) == len(tree.labels), tree, texts)
    if draw.chance(0.7):
        return
    spoiled = draw.one([None, "", "x", "(S", "()()", pd.NA, 5, BracketTree(("a", "b"), (-1, 5)),
                        BracketTree(("a",), ()), BracketTree((1, 2), (-1, 0))])  # fmt: skip
    call(TreeDisplay, spoiled)
