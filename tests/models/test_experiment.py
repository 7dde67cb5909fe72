from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from sklearn_mteval.models import bleu_pipeline
from sklearn_mteval.models.agreement import measure_agreement, pairs_decided_rightly
from sklearn_mteval.pairwise.folds import hold_out_segments

pytestmark = pytest.mark.usefixtures("one_blas_thread")


@pytest.fixture(scope="module")
def one_blas_thread():
    with threadpool_limits(1):  # the searches have threads of their own
        yield


def judged_twice(X, y):
    """The same candidates in two ranking tasks, the second judged the other way round."""
    X = pd.concat({"task 1": X, "task 2": X}, names=["ranking"])
    y = pd.concat({"task 1": y, "task 2": y.max() + 1 - y}, names=["ranking"])
    order = ["segment", "ranking", "system"]
    return X.reorder_levels(order), y.reorder_levels(order)


def test_agreement_by_hand():
    # Segment 1: two pairs agree, one opposes. Segment 2: the metric ties the only pair.
    # tau = (2 - 1 - 1) / 4. Segment 1 alone has 1/3, segment 2 alone -1: of two segments Student's
    # interval is as wide as tau can be.
    index = pd.MultiIndex.from_tuples(
        [(1, "a"), (1, "b"), (1, "c"), (2, "a"), (2, "b"), (2, "c")], names=["segment", "system"]
    )
    X = pd.DataFrame({"x": 0}, index=index).drop(index=(2, "c"))
    found = measure_agreement("name", X, [1, 2, 3, 1, 2], [3.0, 1.0, 2.0, 0.5, 0.5])
    assert found == ("name", 0, -1, 1, 1, 4, 0.5)
    assert measure_agreement("", X, [1, 2, 3, 1, 2], [3, 1, 2, 0, 0], accuracy=0.7).accuracy == 0.7


def test_agreement_compares_within_a_ranking_task_only(rankings):
    X, y = judged_twice(*rankings)
    found = measure_agreement("", X, y, -y.to_numpy())
    assert (found.tau, found.ties, found.accuracy) == (1, 0, 1)
    within = y.groupby(level=["segment", "ranking"])
    assert found.pairs == sum(a < b for _, ranks in within for a, b in permutations(ranks, 2))


def decided_rightly(model, X, y):
    """Ask the model about every ordered pair that the annotator decides, one at a time."""
    better = model[-1].compare(model[:-1].transform(X))["probability"]
    right = [
        (better[*group, first, second] > 0.5) == (rank < other)
        for group, ranks in y.groupby(level=y.index.names[:-1])
        for (first, rank), (second, other) in permutations(
            zip(ranks.index.get_level_values("system"), ranks, strict=True), 2
        )
        if rank != other
    ]
    return float(np.mean(right))


@pytest.mark.parametrize("tasks", [1, 2])
def test_pairs_are_decided_rightly_as_each_pair_says(rankings, tasks):
    X, y = rankings if tasks == 1 else judged_twice(*rankings)
    train, test = hold_out_segments(X, 0.5)
    model = bleu_pipeline().fit(X.iloc[train], y.iloc[train])
    X_test, y_test = X.iloc[test], y.iloc[test]
    found = pairs_decided_rightly(model[-1], model[:-1].transform(X_test), y_test)
    assert found.mean() == pytest.approx(decided_rightly(model, X_test, y_test))
