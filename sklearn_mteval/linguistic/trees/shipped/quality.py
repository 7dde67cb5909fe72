"""How good the parsers are on the documents of a treebank, with its words but their own tags.

All constituents but ROOT, and all words, count. Discourse, given the EDUs, is measured on sentences
of at least two EDUs that are a whole subtree: which gold spans are found, with the same nucleus,
with the same relation.
"""

from collections import Counter
from itertools import chain, pairwise

import numpy as np

from sklearn_mteval.linguistic.trees.shipped.analysis import Analysis
from sklearn_mteval.linguistic.trees.shipped.grammars.chunks import chunk_spans, chunk_tags
from sklearn_mteval.linguistic.trees.shipped.grammars.constituency import (
    constituency_derivation,
    constituent_spans,
)
from sklearn_mteval.linguistic.trees.shipped.grammars.dependency import built_dependencies
from sklearn_mteval.linguistic.trees.shipped.grammars.discourse import merges_of
from sklearn_mteval.linguistic.trees.shipped.stages import gathered, train_model
from sklearn_mteval.linguistic.trees.shipped.words import WordColumns, hashed_classes
from sklearn_mteval.linguistic.trees.tokenizer import treebank_words
from sklearn_mteval.linguistic.trees.treebanks.corpus import chosen_documents, read_document


def parser_quality(model, documents, *, beam):
    """Return a dict of percentages, higher is better."""
    sentences, trees, discourse = gathered(documents)
    words = [s.words for s in sentences]
    analysis = Analysis(model, words, WordColumns(model.classes), beam=beam)
    gold_tags = [*chain.from_iterable(s.tags for s in sentences)]
    tags_of_chunks = (tags for *_, tags in analysis.by_sentence(analysis.names("chunks")))
    quality = {
        "words": _f1(
            map(_word_spans, words), [_word_spans(treebank_words(s.text)) for s in sentences]
        ),
        "part of speech": 100 * np.mean(np.array(analysis.names("tags")) == gold_tags),
        "chunks, F1": _f1(map(_chunks, map(chunk_tags, trees)), map(_chunks, tags_of_chunks)),
    }
    if "constituents" in model.machines:
        quality["constituents, labelled F1"] = _f1(
            map(constituent_spans, map(constituency_derivation, trees)),
            map(constituent_spans, analysis.derive("constituents")),
        )
    if "dependencies" in model.machines:
        quality |= _attachment(analysis, sentences)
    gold = np.cumsum([0, *chain.from_iterable(found.lengths for found in discourse)])
    outer = set(analysis.bounds.tolist())
    inside = [set(bounds.tolist()) - outer for bounds in (gold, analysis.edu_bounds)]
    quality["EDU boundaries, F1"] = _f1(inside[:1], inside[1:])
    analysis.edu_bounds = gold
    return quality | _relations(analysis, discourse)


def cross_validate_parsers(corpus, n_folds):
    """Return the means of folds, each measured by what was trained on the others."""
    names = sorted(chosen_documents(corpus, "shipped") + chosen_documents(corpus, "held-out"))
    documents = [read_document(corpus, name) for name in names]
    classes = hashed_classes()
    found = []
    for fold in range(n_folds):
        others = [d for k, d in enumerate(documents) if k % n_folds != fold]
        model = train_model(others, classes, log=lambda _: None, only=("boundaries", "discourse"))
        found.append(parser_quality(model, documents[fold::n_folds], beam=1))
    return {name: np.mean([quality[name] for quality in found]) for name in found[0]}


def _f1(gold, found):
    """F1 of what sentences have, as far as both have it as often."""
    gold, found = list(gold), list(found)
    n_both = sum((Counter(a) & Counter(b)).total() for a, b in zip(gold, found, strict=True))
    return 200 * n_both / (sum(map(len, gold)) + sum(map(len, found)))


def _word_spans(words):
    ends = np.cumsum([0, *(len("".join(word.split())) for word in words)]).tolist()
    return list(pairwise(ends))


def _chunks(tags):
    return [span for span in chunk_spans(tags) if span[2] != "O"]


def _attachment(analysis, sentences):
    """Unlabelled and labelled attachment scores."""
    found = [built_dependencies(actions) for actions in analysis.derive("dependencies")]
    heads, relations, _ = (list(chain.from_iterable(part)) for part in zip(*found, strict=True))
    right = np.array(heads) == [head - 1 for s in sentences for head in s.heads]
    same = np.array(relations) == [relation for s in sentences for relation in s.relations]
    return {
        "dependencies, UAS": 100 * right.mean(),
        "dependencies, LAS": 100 * (right & same).mean(),
    }


def _relations(analysis, discourse):
    """Proportions of gold spans, spans with nuclearity, and with relation, that are found."""
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
    names = ("discourse, span", "discourse, nuclearity", "discourse, full")
    return dict(zip(names, (100 * counts / max(total, 1)).tolist(), strict=True))
