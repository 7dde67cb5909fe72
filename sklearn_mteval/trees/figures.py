"""Measure a model on the documents of a treebank.

    python -m sklearn_mteval.trees.figures CORPUS [--model FOLDER] [--documents held-out]
    python -m sklearn_mteval.trees.figures CORPUS --folds 5

The second command measures tags, chunks and discourse by cross-validation: seven documents are few.
It trains on the documents that are CC BY, but for a fold of them.

Words, and for the discourse EDUs, are those of the treebank; tags and whatever else the parsers
look at are their own. Of the constituents all count but ROOT, punctuation included, as do all words
of the dependencies. Discourse is measured on sentences whose EDUs are a whole subtree of their
document's tree, at least two: of the inner nodes of the gold tree, the share found with the same
words (span), also the same nucleus (nuclearity), also the same relation (full).
"""

import argparse
import sys
from collections import Counter
from itertools import pairwise

import numpy as np

from sklearn_mteval.trees.analysis import Analysis
from sklearn_mteval.trees.corpus import CHOICES, chosen_documents, read_document
from sklearn_mteval.trees.grammars.chunks import chunk_spans, chunk_tags
from sklearn_mteval.trees.grammars.constituency import constituency_derivation, constituent_spans
from sklearn_mteval.trees.grammars.dependency import read_heads
from sklearn_mteval.trees.grammars.discourse import merges_of
from sklearn_mteval.trees.model import load_model_folder
from sklearn_mteval.trees.tokenizer import treebank_words
from sklearn_mteval.trees.training import train_model
from sklearn_mteval.trees.word_classes import hashed_classes
from sklearn_mteval.trees.words import WordColumns

__all__ = ["main", "measure"]


def measure(model, documents, *, beam):
    """Return the figures, each from 0 to 100, higher is better, as a dict."""
    sentences = [s for document in documents for s in document.sentences]
    trees = [tree for document in documents for tree in document.constituents]
    discourse = [found for document in documents for found in document.discourse]
    words = [s.words for s in sentences]
    analysis = Analysis(model, words, WordColumns(model.classes), beam=beam)
    gold_tags = [tag for s in sentences for tag in s.tags]
    figures = {
        "words": _f1(
            [_word_spans(s.words) for s in sentences],
            [_word_spans(treebank_words(s.text)) for s in sentences],
        ),
        "part of speech": 100 * np.mean(np.array(analysis.tag_names) == gold_tags),
        "chunks, F1": _f1(
            [_chunks(chunk_tags(tree)) for tree in trees],
            [_chunks(tags) for tags in _divided(analysis.chunk_names, analysis.bounds)],
        ),
    }
    if "constituents" in model.machines:
        figures["constituents, labelled F1"] = _f1(
            [constituent_spans(constituency_derivation(tree)) for tree in trees],
            [constituent_spans(actions) for actions in _constituents(analysis)],
        )
    if "dependencies" in model.machines:
        figures |= _attachment(analysis, sentences)
    gold = np.cumsum([0, *(n for found in discourse for n in found.lengths)])
    inside = lambda bounds: set(bounds.tolist()) - set(analysis.bounds.tolist())  # noqa: E731
    figures["EDU boundaries, F1"] = _f1([inside(gold)], [inside(analysis.edu_bounds)])
    analysis.edu_bounds = gold
    return figures | _relations(analysis, discourse)


def _f1(gold, found):
    """F1 of what sentences have, as far as both have it as often."""
    n_both = sum((Counter(a) & Counter(b)).total() for a, b in zip(gold, found, strict=True))
    return 200 * n_both / (sum(map(len, gold)) + sum(map(len, found)))


def _word_spans(words):
    ends = np.cumsum([0, *(len("".join(word.split())) for word in words)]).tolist()
    return list(pairwise(ends))


def _chunks(tags):
    return [span for span in chunk_spans(tags) if span[2] != "O"]


def _divided(values, bounds):
    return [values[start:end] for start, end in pairwise(bounds)]


def _constituents(analysis):
    actions = analysis.machine("constituents").actions
    derived, _ = analysis.parsed("constituents")
    steps = np.cumsum([0, *np.maximum(2 * np.diff(analysis.bounds) - 1, 0)])
    return [[actions[k] for k in own] for own in _divided(derived.tolist(), steps)]


def _attachment(analysis, sentences):
    """Unlabelled and labelled attachment scores."""
    machine = analysis.machine("dependencies")
    heads, joined = read_heads(*analysis.parsed("dependencies"), analysis.bounds, machine)
    names = [*machine.labels, "root"]
    right = heads == [head - 1 for s in sentences for head in s.heads]
    found = np.array([names[k] for k in joined.tolist()])
    same = found == [relation for s in sentences for relation in s.relations]
    return {
        "dependencies, UAS": 100 * right.mean(),
        "dependencies, LAS": 100 * (right & same).mean(),
    }


def _relations(analysis, discourse):
    """Shares of gold spans, spans with nuclearity, and with relation, that are found."""
    counts, total = np.zeros(3), 0
    for actions, gold in zip(analysis.discourse[1], discourse, strict=True):
        if gold.complete and len(gold.lengths) > 1:
            own = {(m.start, m.end): m for m in merges_of(actions)}
            total += len(gold.merges)
            for merge in gold.merges:
                found = own.get((merge.start, merge.end))
                if found is not None:
                    same = found.nuclearity == merge.nuclearity
                    counts += 1, same, same and found.relation == merge.relation
    return dict(
        zip(
            ("discourse, span", "discourse, nuclearity", "discourse, full"),
            (100 * counts / max(total, 1)).tolist(),
            strict=True,
        )
    )


def main(argv=None):
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("corpus", help="folder with dep/, const/ and rst/")
    parser.add_argument("--model", metavar="FOLDER", help="default: the shipped one")
    parser.add_argument("--documents", choices=CHOICES, default="held-out")
    parser.add_argument("--beam", type=int, default=6, help="of the deep parsers (default: 6)")
    parser.add_argument("--folds", type=int, metavar="K", help="cross-validation, without a model")
    arguments = parser.parse_args(argv)
    if arguments.folds:
        figures = _cross_validated(arguments.corpus, arguments.folds)
    else:
        names = chosen_documents(arguments.corpus, arguments.documents)
        sys.stdout.write(f"{len(names)} documents: {', '.join(names)}\n")
        documents = [read_document(arguments.corpus, name) for name in names]
        model = load_model_folder(arguments.model)
        figures = measure(model, documents, beam=arguments.beam)
    for name, value in figures.items():
        sys.stdout.write(f"{name:28}{value:6.1f}\n")


def _cross_validated(corpus, n_folds):
    """Return the means of folds, each measured by what was trained on the others."""
    names = sorted(chosen_documents(corpus, "shipped") + chosen_documents(corpus, "held-out"))
    documents = [read_document(corpus, name) for name in names]
    classes = hashed_classes()
    found = []
    for fold in range(n_folds):
        others = [d for k, d in enumerate(documents) if k % n_folds != fold]
        model = train_model(others, classes, log=lambda _: None, only=("boundaries", "discourse"))
        found.append(measure(model, documents[fold::n_folds], beam=1))
    return {name: np.mean([figures[name] for figures in found]) for name in found[0]}


if __name__ == "__main__":
    main()
