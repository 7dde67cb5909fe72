"""Choices of segments: what they return, what changes nothing, what is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from selection_scores import chosen, scores

from sklearn_mteval.datasets.selections import check_selection, selection_text
from sklearn_mteval.evaluation import select_segments
from sklearn_mteval.evaluation.option_values import SELECTIONS
from sklearn_mteval.exceptions import CandidateError

CHANCE = ("spread", "random", "balanced")


def texts(table):
    """Texts of the rows of a table of scores."""
    words = [" ".join("abcde"[k % 5 :: 1 + k % 3]) + f" {k % 7}" for k in range(len(table))]
    return pd.DataFrame({"hypothesis": words}, table.index)


def choose(table, size=0.5, **options):
    """Choose, with translations for diversity."""
    return select_segments(table, size, translations=texts(table), **options)


def test_different_seeds_choose_others_the_same_seed_the_same():
    table = scores()
    for method in CHANCE:
        first = choose(table, random_state=1, method=method)
        assert first.equals(choose(table, random_state=1, method=method))
        assert not first.equals(choose(table, random_state=2, method=method))
        assert first.index.equals(pd.RangeIndex(60)) and first["chosen"].sum() == 30


@pytest.mark.parametrize("method", SELECTIONS)
def test_neither_order_nor_names_change_the_choice(method):
    table = scores(missing=0.1)
    documents = pd.Series(np.arange(60) // 7, range(60))
    given = {"method": method, "documents": documents, "judged": [3, 7]}
    given["translations"] = texts(table)
    found = select_segments(table, 0.4, **given)
    rows = np.random.default_rng(0).permutation(len(table))
    index = pd.MultiIndex.from_tuples(
        [(f"s{99 - s}", "wxyz"["ACBD".index(n)]) for s, n in table.index[rows]],
        names=table.index.names,
    )
    given["translations"] = given["translations"].iloc[rows].set_axis(index)
    given["documents"] = (9 - documents).rename(lambda s: f"s{99 - s}").sample(frac=1)
    given["judged"] = ["s96", "s92"]
    other = select_segments(table.iloc[rows].set_axis(index), 0.4, **given)
    renamed = found.rename(lambda s: f"s{99 - s}").loc[other.index]
    pd.testing.assert_frame_equal(renamed, other, check_names=False)
    assert found.attrs == other.attrs


@pytest.mark.parametrize("method", SELECTIONS)
def test_judged_segments_are_counted_and_chosen(method):
    found = choose(scores(), 20, method=method, judged=[0, 5, 59])
    assert found["chosen"].sum() == 20 and found["chosen"][[0, 5, 59]].all()
    if method in ("spread", "random"):
        assert (found["probability"][[0, 5, 59]] == 1).all()
        assert found["probability"].sum() == pytest.approx(20)
    else:
        assert found["probability"].isna().all()


def test_a_proportion_is_rounded_to_the_nearest_number():
    sizes = [select_segments(scores(9), size)["chosen"].sum() for size in (0.3, 0.38, 0.4)]
    assert sizes == [3, 3, 4]


def test_a_metric_that_is_constant_or_missing_says_nothing():
    table = scores()
    with_more = table.assign(flat=1.0, none=np.nan)
    for method in ("spread", "variance"):
        found = select_segments(with_more, 10, method=method)
        assert found["chosen"].sum() == 10
    pd.testing.assert_series_equal(
        select_segments(with_more, 10)["probability"], select_segments(table, 10)["probability"]
    )
    nothing = table.assign(m0=np.nan, m1=3.0)
    np.testing.assert_allclose(select_segments(nothing, 15)["probability"], 0.25)


@pytest.mark.parametrize("method", SELECTIONS)
def test_what_is_returned_can_be_written(method):
    documents = pd.Series([f"d{k // 9}" for k in range(60)], range(60))
    found = choose(scores(), method=method, documents=documents)
    check_selection(found)
    assert found.attrs["signature"].startswith(f"method:{method}|size:0.5|segments:60|chosen:30|")
    assert selection_text(found, "").count("\n") == 62


BAD = [
    ({"method": "information"}, ValueError, r"method .*found "),
    ({"size": 0}, ValueError, "size .*found 0"),
    ({"size": 1.5}, ValueError, "size .*found 1.5"),
    ({"size": True}, ValueError, "size .*found True"),
    ({"size": "half"}, ValueError, "size .*found 'half'"),
    ({"size": 61}, ValueError, "there are only 60 segments"),
    ({"size": 0.001}, ValueError, "leaves nothing to choose"),
    ({"size": 2, "judged": [1, 2]}, ValueError, "leaves nothing to choose: 2 are judged"),
    ({"judged": [77]}, ValueError, "judged has 77, which is no segment"),
    ({"documents": ["a"] * 60}, CandidateError, "documents must be a Series"),
    ({"documents": pd.Series(["a"], [0])}, CandidateError, "documents has no entry of segment"),
    ({"strata": ["a"] * 60}, CandidateError, "strata must be a Series"),
    ({"whole_documents": True}, ValueError, "needs documents"),
    ({"whole_documents": 1}, ValueError, "whole_documents"),
    ({"costs": pd.Series(0.0, range(60))}, CandidateError, "positive numbers, found 0 of segment"),
    ({"costs": pd.Series("a", range(60))}, CandidateError, "costs must be numbers"),
    ({"costs": pd.Series(2.0, range(60)), "size": 121}, ValueError, "together cost 120"),
    ({"costs": pd.Series(2.0, range(60)), "size": -1.0}, ValueError, "an amount of costs"),
    (
        {"costs": pd.Series(2.0, range(60)), "method": "variance"},
        ValueError,
        "costs is for the methods 'spread' and 'random'",
    ),
]


@pytest.mark.parametrize(("given", "error", "message"), BAD)
def test_bad_options(given, error, message):
    with pytest.raises(error, match=message):
        select_segments(scores(), **given)


def test_bad_tables():
    table = scores()
    with pytest.raises(CandidateError, match="scores must be a DataFrame"):
        select_segments(table["m0"])
    with pytest.raises(CandidateError, match="MultiIndex"):
        select_segments(table.reset_index(drop=True))
    with pytest.raises(CandidateError, match="infinite"):
        select_segments(table.replace(table.iloc[0, 0], np.inf))
    with pytest.raises(CandidateError, match="found the levels"):
        select_segments(table.set_index(np.arange(len(table)), append=True))
    with pytest.raises(CandidateError, match="texts"):
        select_segments(table.astype(str))


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(2, 30),
    method=st.sampled_from([*SELECTIONS]),
    size=st.floats(0.1, 0.95),
    seed=st.integers(0, 999),
)
def test_what_is_chosen_are_so_many_other_segments_whatever_scale(n, method, size, seed):
    # Two systems that are left correlate by 1 or -1, in many segments alike.
    table = scores(n, seed=seed, missing=0.0 if method == "disagreement" else 0.1)
    judged = np.random.default_rng(seed).permutation(n)[: n // 5].tolist()
    assume(round(size * n) > len(judged))
    given = {"method": method, "judged": judged, "random_state": seed}
    found = choose(table, size, **given)
    assert len(chosen(found)) == round(size * n) and set(judged) <= set(chosen(found))
    # Metrics count by their standardised scores: powers of two change no bit of them, but the
    # order of rows that seeds sample from, and that equal segments are taken in.
    if method in ("variance", "average", "disagreement"):
        assert found.equals(choose(table * [4.0, 0.5], size, **given))
