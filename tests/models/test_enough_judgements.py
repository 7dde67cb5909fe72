"""Whether judgements are enough to train on: the errors of few, tied, or single translations."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models import train_on_campaign
from sklearn_mteval.pairwise.folds import hold_out_segments


def judged(n_segments, n_systems=2, *, tied=()):
    """A table of so many segments, in which the first system is preferred but for tied segments."""
    rows = pd.MultiIndex.from_product(
        [range(n_segments), [f"sys{k}" for k in range(n_systems)]], names=["segment", "system"]
    )
    text = [f"a word {segment} of {system}" for segment, system in rows]
    X = pd.DataFrame({"reference": "a word", "hypothesis": text}, index=rows)
    ranks = np.tile(np.arange(1, n_systems + 1), n_segments)
    y = pd.Series(ranks, rows).where(~rows.get_level_values("segment").isin(tied), 1)
    return X, y


@pytest.mark.parametrize(
    ("given", "held_out", "message"),
    [
        # ceil(0.2 * 6) = 2 are held out of 6, 1 of 5.
        (judged(5), 0.2, r"needs 6 segments .*found 5, or hold more of them out \(held_out=0.5\)"),
        (
            judged(1),
            0.2,
            "needs 6 segments with a preference or more, 2 of which.*found 1[.] Judge",
        ),
        (judged(3), 0.5, "needs 4 segments .*found 3. Judge more, or take a ready-made model"),
        (judged(10), 0.05, "needs 21 segments"),
        (judged(8, tied=range(1, 8)), 0.2, "needs 6 segments .*found 1"),
        (judged(8, tied=range(8)), 0.2, "All translations that are compared are tied, in 8 seg"),
        (judged(8, n_systems=1), 0.2, "No two translations can be compared.*8 judged translations"),
    ],
)
def test_too_few(given, held_out, message):
    with pytest.raises(CandidateError, match=message):
        train_on_campaign(*given, held_out=held_out, progress=False)


def test_what_is_held_out_may_all_be_tied():
    X, y = judged(40, tied=range(6, 40))
    seed = next(  # one of which fewer than two of those six are held out
        seed
        for seed in range(100)
        if sum(X.index[row][0] < 6 for row in hold_out_segments(X, 0.2, random_state=seed)[1]) < 4
    )
    with pytest.raises(CandidateError, match=r"of the segments held out have a pref.*random_state"):
        train_on_campaign(X, y, random_state=seed, progress=False)
