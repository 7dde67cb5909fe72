"""What is flagged loses: within its segment only, in its own order, by hand and by brute force."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.features import content_flags
from sklearn_mteval.models import bleu_pipeline, rank, rank_candidates, score, score_candidates

REFERENCES = ["It is on Monday at 9.", "The bank sued the customer.", "Nobody came."]
TRANSLATIONS = {
    "right": ["Monday nine", "The customer was sued by the bank.", ""],
    "wrong": ["It is on Friday at 9.", "The customer sued the bank.", "Nobody came."],
    "again": ["It is on Friday at 9.", "The bank was sued by the customer.", "Somebody came."],
}


@pytest.fixture(scope="module")
def model():
    X, y = load_sample(return_X_y=True)
    seen = X.index.get_level_values("segment") > 60
    return bleu_pipeline().fit(X[seen], y[seen])


def test_by_hand(model):
    found = rank(None, TRANSLATIONS, REFERENCES, model=model, flagged_lose=True)
    assert found.loc[1, "rank"].to_dict() == {"right": 1, "wrong": 2, "again": 2}
    assert found.loc[(2, "right"), "rank"] == 1
    usual = rank(None, TRANSLATIONS, REFERENCES, model=model)
    assert usual.loc[(1, "right"), "rank"] == 2  # wording decides
    assert found.loc[3, "rank"].to_dict() == {"right": 2, "wrong": 1, "again": 3}
    pd.testing.assert_series_equal(found.loc[(3, "wrong")], usual.loc[(3, "wrong")])
    scores = score(None, TRANSLATIONS, REFERENCES, model=model, flagged_lose=True)["score"]
    np.testing.assert_allclose(scores, found["score"])
    assert scores[(1, "wrong")] == pytest.approx((usual.loc[(1, "wrong"), "score"] - 3) / 4)


def test_flagged_stand_below_all_others_of_their_segment_in_their_order(model):
    X = load_sample(return_X_y=True)[0]
    X = X[X.index.get_level_values("segment") <= 60]
    flagged = content_flags(X).map(bool)
    assert 3 < flagged.sum() < len(X) / 2
    usual, found = (rank_candidates(model, X, flagged_lose=lose) for lose in (False, True))
    for segment, rows in found.groupby(level="segment"):
        texts, marks = X.loc[rows.index, "hypothesis"], flagged[rows.index]
        before = usual.loc[rows.index, "rank"]
        for one in rows.index:
            better = {
                texts[other]
                for other in rows.index
                if (marks[other], before[other]) < (marks[one], before[one])
            }
            assert rows.loc[one, "rank"] == 1 + len(better), segment
        if marks.nunique() == 2:
            assert rows["strength"][marks].max() < rows["strength"][~marks].min()
        assert (rows["strength"][~marks] == usual.loc[rows.index, "strength"][~marks]).all()
    assert (found["score"][flagged] <= -0.5).all() and (found["score"] >= -1).all()
    assert (found["score"][flagged] <= usual["score"][flagged]).all()
    # Neighbours change nothing.
    some = X[X.index.get_level_values("segment") <= 9]
    pd.testing.assert_frame_equal(
        rank_candidates(model, some, flagged_lose=True), found.loc[some.index]
    )
    pd.testing.assert_series_equal(score_candidates(model, X, flagged_lose=True), found["score"])


def test_a_bad_option_is_refused(model):
    X = load_sample(return_X_y=True)[0]
    for function in (rank_candidates, score_candidates):
        with pytest.raises(ValueError, match="flagged_lose must be True or False"):
            function(model, X, flagged_lose="yes")
