"""The ceiling of judgements as the commands load them: what is known of annotators and texts."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.datasets import Judgements
from sklearn_mteval.evaluation.ceiling import ceiling_of_judgements
from sklearn_mteval.metrics import annotator_ceiling

DRAWN = {"confidence": 0.95, "n_resamples": 20, "random_state": 0}


def judged(n_segments):
    """Two systems, judged by x and y on each segment; they disagree on every fourth."""
    names = ["segment", "ranking", "system"]
    index = pd.MultiIndex.from_product([range(n_segments), ["r", "s"], ["A", "B"]], names=names)
    y = pd.Series([1, 2, 1, 2] * n_segments, index)
    y.loc[(slice(None, None, 4), "s")] = 1
    y.loc[(slice(None, None, 4), "s", "A")] = 2
    X = pd.DataFrame({"hypothesis": [f"{s} {n}" for s, _, n in index]}, index)
    judges = pd.Series(["x", "x", "y", "y"] * n_segments, index)
    return Judgements(X, y, X.droplevel("ranking"), judges=judges)


def test_annotators_and_texts_are_used_where_all_are_known():
    given = judged(40)
    found = ceiling_of_judgements(given, statistic="wmt12", **DRAWN)
    options = {"annotators": given.judges, "texts": given.X["hypothesis"], **DRAWN}
    assert found == annotator_ceiling(given.y, **options)
    assert 0 < found.ceiling < 1 and found.n_pairs == 40
    unknown = given.judges.copy()
    for label in (None, np.nan, ""):
        unknown.iloc[0] = label
        some = given._replace(judges=unknown)
        assert ceiling_of_judgements(some, statistic="wmt12", **DRAWN) == found
    same = given._replace(judges=given.judges.replace("y", "x"))
    assert ceiling_of_judgements(same, statistic="wmt12", **DRAWN) is None
    one_text = given._replace(X=given.X.assign(hypothesis="one"))
    assert ceiling_of_judgements(one_text, statistic="wmt12", **DRAWN) is None
    no_texts = given._replace(X=given.X.assign(hypothesis=None))
    assert ceiling_of_judgements(no_texts, statistic="wmt14", **DRAWN) == found


@pytest.mark.parametrize("statistic", ["acc_eq", "tau-b", "pearson", "eq"])
def test_other_statistics_have_none(statistic):
    assert ceiling_of_judgements(judged(40), statistic=statistic, **DRAWN) is None


def test_little_data_say_nothing():
    assert ceiling_of_judgements(judged(20), statistic="wmt12", **DRAWN) is not None
    assert ceiling_of_judgements(judged(19), statistic="wmt12", **DRAWN) is None
    given = judged(40)
    y = given.y.xs("r", level="ranking")  # scores, of which each translation has one
    means = given._replace(X=given.X.xs("r", level="ranking"), y=y, judges=None)
    assert ceiling_of_judgements(means, statistic="wmt12", **DRAWN) is None
