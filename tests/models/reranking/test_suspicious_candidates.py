"""Blanks and refusals never win, and sound lists choose as before."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.models import rerank
from sklearn_mteval.models.reranking.utilities import UTILITIES

SOUND = [
    "The council has passed the new budget by a narrow majority.",
    "The council passed the new budget with a narrow majority.",
    "The new budget was passed by the council with a small majority.",
]
REFUSALS = [
    "I'm sorry, but I can't translate this text.",
    "I'm sorry, but I can't translate that text.",
    "Sorry, but I can't translate this text.",
    "I'm sorry, but I cannot translate this text.",
]
GARBAGE = {
    "empty": ["", " ", "\n"],
    "a refusal": REFUSALS,
    "words around a translation": [f"Sure! Here is the translation: {text}" for text in SOUND],
    "of odd length": [" ".join([SOUND[0]] * 5)],
    "in another script": ["Рада ухвалила новий бюджет незначною більшістю голосів."],
}


def chosen(texts, **options):
    found = rerank([texts], **options)
    return texts[int(np.flatnonzero(found["chosen"])[0])], found


@pytest.mark.parametrize("utility", UTILITIES)
@pytest.mark.parametrize("reason", GARBAGE)
def test_garbage_never_wins(utility, reason):
    best, found = chosen([*GARBAGE[reason], *SOUND], utility=utility)
    assert best in SOUND
    n = len(GARBAGE[reason])
    assert found["suspicious"].tolist() == [reason] * n + [""] * len(SOUND)
    assert found["value"].isna().tolist() == [True] * n + [False] * len(SOUND)
    assert (found["rank"].iloc[:n] > found["rank"].iloc[n:].max()).all()
    alone = rerank([SOUND], utility=utility)
    np.testing.assert_array_equal(found["value"].to_numpy()[n:], alone["value"].to_numpy())


@pytest.mark.parametrize("decision", ["strength", "score"])
def test_models_do_not_see_what_is_left_out(decision):
    texts = [*REFUSALS, *SOUND]
    options = {"decision": decision, "model": "static-en"}
    sources, references = ["Der Rat hat den Haushalt verabschiedet."], [SOUND[0]]
    found = rerank([texts], sources, references, **options)
    alone = rerank([SOUND], sources, references, **options)
    np.testing.assert_array_equal(found["value"].to_numpy()[4:], alone["value"].to_numpy())
    assert not found["chosen"].iloc[:4].any()


def test_with_the_source():
    source = "Am 4. Mai 2019 kamen 250 Leute in den Saal, in dem 90 Platz haben."
    texts = [source, "On that day people came to the hall, and it was full of them.", SOUND[0]]
    texts.append("On 4 May 2019, 250 people came to the hall, in which 90 have room.")
    found = rerank([texts], [source])
    assert found["suspicious"].tolist() == [
        "the source", "no number of the source", "no number of the source", ""
    ]  # fmt: skip
    assert found["chosen"].tolist() == [False, False, False, True]


def test_the_answer_to_different_sources():
    stock = "The company said that it had no comment on that."
    lists = [[stock.upper() if k else stock, f"{text} It is so.", text] for k, text in
             enumerate(SOUND)]  # fmt: skip
    found = rerank(lists, ["eins und zwei", "drei und vier", "sieben"])
    assert found.xs(1, level="system")["suspicious"].eq("the answer to different sources").all()
    same = rerank(lists, ["eins"] * 3)
    assert same["suspicious"].eq("").all()


def test_where_nothing_else_remains_or_it_is_to_stay():
    best, found = chosen(REFUSALS)
    assert best in REFUSALS and found["value"].notna().all()
    _, found = chosen(["", " "])
    assert found["chosen"].sum() == 1
    best, found = chosen([*REFUSALS, SOUND[0]], drop_suspicious=False)
    assert best in REFUSALS
    assert chosen(["", "", "", *SOUND[:1]], drop_suspicious=False)[0] == SOUND[0]


def test_sound_lists_are_as_before():
    X, _ = load_sample(return_X_y=True)
    one, other = (rerank(X, drop_suspicious=drop) for drop in (True, False))
    assert one.equals(other) and one["suspicious"].eq("").all()


def test_the_order_of_rows_and_lists_means_nothing():
    X, _ = load_sample(return_X_y=True)
    X.iloc[::7, X.columns.get_loc("hypothesis")] = "I cannot translate this text."
    found = rerank(X)
    order = np.random.default_rng(0).permutation(len(X))
    # Of equal candidates the first is chosen.
    again = rerank(X.iloc[order]).drop(columns="chosen")
    pd.testing.assert_frame_equal(again, found.iloc[order].drop(columns="chosen"))
    assert found["suspicious"].ne("").sum() == len(X.iloc[::7])
