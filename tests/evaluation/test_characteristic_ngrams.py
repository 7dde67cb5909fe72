"""Characteristic n-grams against the formulas of Monroe et al., worked by hand and by loops."""

from collections import Counter
from math import log, sqrt

import pandas as pd
import pytest

from sklearn_mteval.evaluation.characteristic_ngrams import characteristic_ngrams


def table(**systems):
    """A candidate table of the texts of systems; None: not translated."""
    rows = {(k, name): t for name, ts in systems.items() for k, t in enumerate(ts) if t is not None}
    index = pd.MultiIndex.from_tuples(rows, names=["segment", "system"])
    return pd.DataFrame({"hypothesis": list(rows.values())}, index, dtype=object)


def by_formula(texts, first, second, n):
    """Log-odds and z of the n-grams of texts of words, by system."""
    grams = {
        name: Counter(
            " ".join(words[k : k + n])
            for words in map(str.split, of_system)
            for k in range(len(words) - n + 1)
        )
        for name, of_system in texts.items()
    }
    prior = Counter()
    for counts in grams.values():
        prior.update(counts)
    prior = {gram: count / len(texts) for gram, count in prior.items()}
    total = sum(prior.values())
    found = {}
    for gram in grams[first] | grams[second]:
        delta, variance = 0.0, 0.0
        for sign, name in ((1, first), (-1, second)):
            own = grams[name][gram] + prior[gram]
            delta += sign * log(own / (grams[name].total() + total - own))
            variance += 1 / own
        found[gram] = delta, delta / sqrt(variance)
    return found


def test_the_formulas():
    texts = {
        "A": ["the big dog barks", "a cat", "the dog"],
        "B": ["the large dog barks loud", "a cat", "a dog"],
        "C": ["big dog", "the cat", "the large dog"],
    }
    found = characteristic_ngrams(table(**texts), "A", "B", n_each=100)
    # What is said as often within a longer n-gram is not said again.
    assert "large" not in found.index and {"the big dog", "the large dog"} <= set(found.index)
    for n in (1, 2, 3):
        expected = by_formula(texts, "A", "B", n)
        for gram in (gram for gram in found.index if len(gram.split()) == n):
            assert tuple(found.loc[gram, ["log_odds", "z"]]) == pytest.approx(expected[gram])
    assert found["z"].is_monotonic_decreasing
    assert found.loc["the big dog", ["of_first", "of_second"]].tolist() == [1, 0]


def test_exchanging_systems_changes_signs():
    X = table(A=["the dog", "a dog", "x"], B=["a dog", "a dog", "y z"], C=["dog", "b", "c"])
    found, turned = characteristic_ngrams(X, "A", "B"), characteristic_ngrams(X, "B", "A")
    assert set(found.index) == set(turned.index) and len(found)
    assert found["z"].to_dict() == pytest.approx((-turned["z"]).to_dict())


def test_only_segments_of_both_count_and_no_ngram_has_punctuation():
    X = table(A=["yes , sir", "only here"], B=["no , sir", None])
    found = characteristic_ngrams(X, "A", "B")
    assert set(found.index) == {"yes", "no"}
    assert found.loc["yes", ["of_first", "of_second"]].tolist() == [1, 0]


def test_lone_surrogates_are_words():
    found = characteristic_ngrams(table(A=["a\ud800 b"], B=["c d"]), "A", "B")
    assert found.index.tolist() == ["a\ud800 b", "c d"]


@pytest.mark.parametrize("texts", [["", ""], ["the dog", "the dog"], ["!", "?"], ["word", ""]])
def test_where_there_is_nothing_to_say(texts):
    found = characteristic_ngrams(table(A=texts[:1], B=texts[1:]), "A", "B")
    assert len(found) == 0 and list(found) == ["of_first", "of_second", "log_odds", "z"]


def test_an_unknown_system_is_named():
    with pytest.raises(ValueError, match="no system 'C'"):
        characteristic_ngrams(table(A=["a"], B=["b"]), "A", "C")
