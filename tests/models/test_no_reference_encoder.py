"""The model that judges translations by their sources: tests of what it says are skipped where
multilingual-e5-small is not on the machine."""

from functools import cache

import pandas as pd
import pytest
from encoder_model import multilingual_model, one_layer_model

from sklearn_mteval import load_pretrained
from sklearn_mteval.datasets import corrupt
from sklearn_mteval.models import rank_candidates, score_candidates

TEXTS = {  # from the best to the worst
    "de-en": (
        "Der Arzt kommt um 9 Uhr, aber die Schwester ist schon da.",
        "The doctor comes at 9 o'clock, but the nurse is already here.",
        "The doctor comes at 7 o'clock, but the nurse is already here.",
        "Doctor 9 comes the already, nurse but is at o'clock here.",
        "",
    ),
    "en-de": (
        "The doctor comes at 9 o'clock, but the nurse is already here.",
        "Der Arzt kommt um 9 Uhr, aber die Krankenschwester ist schon da.",
        "Der Arzt kommt um 7 Uhr, aber die Krankenschwester ist schon da.",
        "Arzt 9 kommt schon der, aber Krankenschwester um ist Uhr da.",
        "",
    ),
}


@cache
def model():
    return load_pretrained("no-reference-encoder", encoder=multilingual_model())


def table(*pairs):
    rows = [
        (pair, str(k), TEXTS[pair][0], text)
        for pair in pairs
        for k, text in enumerate(TEXTS[pair][1:])
    ]
    found = pd.DataFrame(rows, columns=["segment", "system", "source", "hypothesis"])
    return found.set_index(["segment", "system"])


def test_another_encoder_is_refused():
    with pytest.raises(ValueError, match=r"multilingual-e5-small; .* is another model"):
        load_pretrained("no-reference-encoder", encoder=one_layer_model())


@pytest.mark.slow
@pytest.mark.parametrize("pair", TEXTS)
def test_the_worse_loses(pair):
    X = table(pair)
    scores = score_candidates(model(), X)
    assert scores.is_monotonic_decreasing and scores.is_unique
    assert rank_candidates(model(), X)["rank"].iloc[0] == 1


def test_a_score_is_of_one_translation_and_its_source_alone():
    X = table(*TEXTS)
    expected = score_candidates(model(), X)
    for some in (X.iloc[[2]], X.iloc[::-1], pd.concat([X, garbled(X)])):
        found = score_candidates(model(), some)
        known = found.index.isin(expected.index)
        assert found[known].tolist() == expected[found.index[known]].tolist()
    assert score_candidates(model(), X.assign(reference="nonsense")).tolist() == expected.tolist()
    other = score_candidates(model(), X.assign(source="It rains."))
    assert (other.xs("0", level="system") < expected.xs("0", level="system")).all()


def garbled(X):
    found = corrupt(X, "garbage").droplevel("corruption").reset_index()
    return found.assign(system="garbled " + found["system"]).set_index(["segment", "system"])
