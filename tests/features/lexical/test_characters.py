"""Columns of character n-grams, and weights by length in characters."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lexical_tables import lexical, table

from sklearn_mteval.features import LexicalFeatures
from sklearn_mteval.features.lexical import _counts_kernel
from sklearn_mteval.features.lexical._columns import GROUPS, OF_CHARACTERS

TEXTS = st.text(alphabet="abé \ud800日", max_size=8)


def ngrams(text, n):
    spaced = f" {' '.join(text.split())} "
    return Counter(spaced[k : k + n] for k in range(len(spaced) - n + 1))


def log_length(text):
    return math.log(max(ngrams(text, 3).total(), 1))


def by_loops(source, reference, hypothesis, others):
    """Compute columns from sets of n-grams as Python has them; others are distinct texts."""
    found = {}
    for n in range(3, 7):
        mine, theirs = ngrams(hypothesis, n), ngrams(reference, n)
        shared = (mine & theirs).total()
        found[f"{n}char_precision"] = shared / max(mine.total(), 1)
        found[f"{n}char_recall"] = shared / max(theirs.total(), 1)
        if others:
            support = sum(count for g, count in mine.items() for o in others if g in ngrams(o, n))
            found[f"competing_{n}char_support"] = support / (max(mine.total(), 1) * len(others))
    mine, theirs, original = (ngrams(text, 3) for text in (hypothesis, reference, source))
    size = max(mine.total(), 1)
    copied = {g: count for g, count in mine.items() if g in original}
    found["source_character_copied"] = sum(copied.values()) / size
    found["character_copied"] = sum(c for g, c in copied.items() if g not in theirs) / size
    found["character_repetition"] = (size - len(mine)) / size if mine else 0
    if theirs:
        found["character_repetition"] -= (theirs.total() - len(theirs)) / theirs.total()
    found["character_length"] = log_length(hypothesis) - log_length(reference)
    found["source_character_length"] = 0.0
    if original:
        found["source_character_length"] = log_length(hypothesis) - log_length(source)
    if others:
        unheard = [
            g for g in mine if g not in theirs and not any(g in ngrams(o, 3) for o in others)
        ]
        found["competing_character_unsupported"] = sum(mine[g] for g in unheard) / size
        missed = [
            count * sum(g in ngrams(o, 3) for o in others)
            for g, count in theirs.items()
            if g not in mine
        ]
        found["competing_character_missed"] = sum(missed) / (max(theirs.total(), 1) * len(others))
        mean = sum(map(log_length, others)) / len(others)
        found["competing_character_length"] = log_length(hypothesis) - mean
    for name in [name for name in found if name.endswith("character_length")]:
        found[f"{name}_difference"] = abs(found[name])
    return found


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS, st.lists(TEXTS, min_size=1, max_size=4)), min_size=1))
def test_equal_to_plain_loops(segments):
    rows = [
        (number, f"s{k}", source, reference, hypothesis)
        for number, (source, reference, said) in enumerate(segments)
        for k, hypothesis in enumerate(said)
    ]
    found = lexical(table(rows), features=["characters"])
    assert set(found) == set(OF_CHARACTERS.values())
    for (number, _, source, reference, hypothesis), (_, row) in zip(
        rows, found.iterrows(), strict=True
    ):
        others = set(segments[number][2]) - {hypothesis}
        expected = by_loops(source, reference, hypothesis, others)
        assert set(expected) == {name for name in row.index if others or "competing" not in name}
        np.testing.assert_allclose(row[list(expected)], list(expected.values()), atol=1e-12)


def test_by_hand():
    # " ab " has the trigrams " ab" and "ab "; " abc " has " ab", "abc" and "bc ".
    X = table([(0, "A", "", "ab", "abc"), (0, "B", "", "ab", "xy")])
    found = lexical(X, features=["characters"])
    assert found["3char_precision"].tolist() == pytest.approx([1 / 3, 0])
    assert found["3char_recall"].tolist() == [0.5, 0]
    assert found["character_length"].tolist() == pytest.approx([math.log(3 / 2), 0])
    assert found["competing_character_missed"].tolist() == [0, 0.5]


def test_only_where_asked_for():
    X = table([(0, "A", "x", "ab", "abc"), (0, "B", "x", "ab", "xy")])
    assert not set(lexical(X)) & set(OF_CHARACTERS.values())
    free = lexical(X.drop(columns="reference"), features=["characters"], use_references=False)
    assert list(free) == list(GROUPS["characters"][0])


def test_blocks_of_texts_change_nothing(sample, monkeypatch):
    X = sample[0].iloc[:60]
    expected = lexical(X, features=["characters"])
    for most in (1, 7):
        monkeypatch.setattr(_counts_kernel, "_MOST_TEXTS", most)
        pd.testing.assert_frame_equal(lexical(X, features=["characters"]), expected)


def test_weights_by_characters():
    # "a" weighs 0.1, a word of twelve characters 1; both are found or not.
    X = table([(0, "A", "", "a xxxxxxxxxxxx", "a"), (0, "B", "", "a xxxxxxxxxxxx", "xxxxxxxxxxxx")])
    vectors = {"a": [1.0, 0.0], "xxxxxxxxxxxx": [0.0, 1.0]}
    names = ["weighted_recall", "common_recall"]
    found = lexical(X, vectors, features=names, weights="characters")
    assert found["weighted_recall"].tolist() == pytest.approx([0.1 / 1.1, 1 / 1.1])
    assert found["common_recall"].tolist() == pytest.approx([1, 0])
    assert LexicalFeatures(weights="characters").fit(X).word_weights_ == {}
