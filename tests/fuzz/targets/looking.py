"""What a report shows of texts: places of words, spoilt texts, n-grams; of hostile texts."""

import numpy as np

from fuzz import call, check, target
from fuzz.targets.content import PIECES
from sklearn_mteval._helpers.error_spans import unit_places, unit_ranges
from sklearn_mteval.evaluation.characteristic_ngrams import characteristic_ngrams
from sklearn_mteval.evaluation.themes import FAULTS, spoilt_texts
from sklearn_mteval.models.explanations.words import marked_words, unmatched_words
from sklearn_mteval.text import load_word_vectors

MORE = ["&quot;", "&amp;", "<skipped>", "-\n", "\n", "\U0001f600", "狗", "ขอ", "่", "x" * 100, "dog"]


@target(weight=4)
def places_of_words(draw):
    text = lambda: "".join(  # noqa: E731
        piece + draw.one([" ", "", " "]) for piece in draw.some(PIECES + MORE, draw.integer(0, 30))
    )
    vectors = draw.one([None, load_word_vectors("english")])
    references = [[text() for _ in range(draw.integer(0, 2))] for _ in range(draw.integer(0, 4))]
    hypotheses = [draw.one([text(), *some]) for some in references]
    found = call(marked_words, references, hypotheses, vectors, legal=True)
    for some, hypothesis, marks in zip(references, hypotheses, found, strict=True):
        if not some:
            check(marks == ([], [], [], None), marks)
            continue
        nearest = some[marks.reference]
        for whole, ranges in (
            (hypothesis, marks.own), (nearest, marks.missing), (hypothesis, marks.moved)
        ):  # fmt: skip
            places = np.array([0, *(place for one in ranges for place in one), len(whole)])
            check((np.diff(places) >= 0).all(), whole, ranges)
            check(all(any(map(str.isalnum, whole[s:e])) for s, e in ranges), whole, ranges)
            units = unit_ranges(whole, ranges)
            of_units = unit_places(whole)
            check([of_units[s] for s, _ in units] == [s for s, _ in ranges], whole, ranges)
        if hypothesis in some:
            check(not marks.own and not marks.missing and not marks.moved, some, hypothesis)
        missing, own = call(unmatched_words, nearest, hypothesis, vectors, legal=True)
        check(bool(missing) == bool(marks.missing) and bool(own) == bool(marks.own), marks)


@target(weight=3)
def spoilt_and_characteristic(draw):
    X = draw.texts(8)
    found = call(spoilt_texts, X, legal=True)
    check(found["translations"].sum() <= len(X), X, found)
    check((found[list(FAULTS)].max(axis=1) <= found["translations"]).all(), X, found)
    systems = X.index.get_level_values("system").unique()
    first, second = draw.one(systems), draw.one(systems)
    ngrams = call(characteristic_ngrams, X, first, second, legal=True)
    check(np.isfinite(ngrams["z"]).all() and (ngrams["z"] != 0).all(), X, ngrams)
    check(first != second or not len(ngrams), X, ngrams)
    order = draw.rng.permutation(len(X))
    again = call(spoilt_texts, X.iloc[order], legal=True)
    check(sorted(again.to_numpy().tolist()) == sorted(found.to_numpy().tolist()), X, again)


@target
def spoiled_tables_to_look_at(draw):
    X = draw.texts()
    systems = [*X.index.get_level_values("system"), "A"]
    X = draw.spoiled_texts(X)
    call(spoilt_texts, X)
    call(characteristic_ngrams, X, systems[0], systems[-1])
