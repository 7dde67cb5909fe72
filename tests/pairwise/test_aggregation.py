from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval import aggregate_rankings, kendall_tau
from sklearn_mteval.datasets import load_wmt


def table(rows):
    """Make a table of (segment, ranking, system, rank); a translation is named after its system."""
    labels = [row[:3] for row in rows]
    index = pd.MultiIndex.from_tuples(labels, names=["segment", "ranking", "system"])
    columns = {
        "source": [f"source {segment}" for segment, *_ in labels],
        "hypothesis": [f"{segment} by {system}" for segment, _, system in labels],
    }
    return pd.DataFrame(columns, index=index), pd.Series([row[3] for row in rows], index=index)


def by_definition(rows):
    """Count votes in loops; return {(segment, system): rank}."""
    votes = {}
    for a, b in combinations(rows, 2):
        if a[:2] == b[:2]:
            for one, other in ((a, b), (b, a)):
                key = (one[0], one[2], other[2])
                votes[key] = votes.get(key, 0) + (one[3] < other[3]) - (one[3] > other[3])
    score = {}
    for segment, system in {(row[0], row[2]) for row in rows}:
        lost_won = [
            (v > 0) - (v < 0) for (s, a, _), v in votes.items() if (s, a) == (segment, system)
        ]
        score[segment, system] = Fraction(sum(lost_won), max(len(lost_won), 1))
    return {
        (segment, system): 1 + sum(v > own for (s, _), v in score.items() if s == segment)
        for (segment, system), own in score.items()
    }


def random_rows(seed):
    rng = np.random.default_rng(seed)
    return [
        (segment, f"j{ranking}", system, int(rank))
        for segment in range(4)
        for ranking in range(rng.integers(1, 5))
        for system, rank in zip(
            rng.choice(list("ABCDEFG"), size=5, replace=False),
            rng.integers(1, 5, size=5),
            strict=True,
        )
    ]


def test_a_majority_decides():
    rows = [(7, f"j{k}", system, rank) for k, order in enumerate(["ABC", "ABC", "CBA"])
            for rank, system in enumerate(order)]  # fmt: skip
    _, ranks = aggregate_rankings(*table(rows))
    assert ranks.to_dict() == {(7, "A"): 1, (7, "B"): 2, (7, "C"): 3}


def test_a_cycle_is_a_tie():
    rows = [(1, k, system, rank) for k, order in enumerate(["AB", "BC", "CA"])
            for rank, system in enumerate(order)]  # fmt: skip
    _, ranks = aggregate_rankings(*table(rows))
    assert set(ranks) == {1}


def test_how_often_a_system_was_judged_does_not_count():
    """A beats B three times and loses to C once; D beats B once: D is the one without a loss."""
    pairs = ["AB", "AB", "AB", "CA", "DB"]
    rows = [(1, k, s, rank) for k, pair in enumerate(pairs) for rank, s in enumerate(pair)]
    _, ranks = aggregate_rankings(*table(rows))
    assert ranks.droplevel("segment").to_dict() == {"A": 3, "B": 4, "C": 1, "D": 1}


@pytest.mark.parametrize("seed", range(20))
def test_against_loops_in_any_order(seed):
    rows = random_rows(seed)
    X, y = table(rows)
    found, ranks = aggregate_rankings(X, y)
    assert ranks.to_dict() == by_definition(rows)
    assert list(found.index.names) == ["segment", "system"] and found.index.is_unique
    pd.testing.assert_index_equal(found.index, ranks.index)
    for (segment, system), row in found.iterrows():
        assert row["hypothesis"] == f"{segment} by {system}"
    order = np.random.default_rng(seed).permutation(len(X))
    again = aggregate_rankings(X.iloc[order], y.iloc[order])[1]
    assert again.to_dict() == ranks.to_dict()


def test_a_single_ranking_stays_as_it_is():
    rows = [(1, "j", system, rank) for system, rank in zip("ABCDE", [4, 1, 1, 9, 2], strict=True)]
    X, y = table(rows)
    assert list(aggregate_rankings(X, y)[1]) == [4, 1, 1, 5, 3]
    assert list(aggregate_rankings(X.droplevel("ranking"), y.to_numpy())[1]) == [4, 1, 1, 5, 3]


def test_a_system_without_a_competitor_and_an_empty_table():
    X, y = table([(1, "j", "A", 3), (2, "j", "A", 1), (2, "j", "B", 2)])
    assert list(aggregate_rankings(X, y)[1]) == [1, 1, 2]
    X, y = aggregate_rankings(X.iloc[:0], y.iloc[:0])
    assert len(X) == len(y) == 0


def test_lists_and_missing_numbers_are_content_too():
    X, y = table(random_rows(0))
    kinds = [list, tuple] * len(X)
    references = [kinds[k]([f"r{s}", "other"]) for k, (s, *_) in enumerate(X.index)]
    X = X.assign(reference=references, score=np.nan)
    assert len(aggregate_rankings(X, y)[0]) == len(set(X.index.droplevel("ranking")))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda X: X.assign(hypothesis=[f"text {k}" for k in range(len(X))]),
            "differ in the column",
        ),
        (lambda X: X.assign(source=[f"text {k}" for k in range(len(X))]), "another source"),
        (lambda X: X.assign(score=np.arange(len(X))), "differ in the column 'score'"),
        (lambda X: X.assign(parse=[{"S": 1}] * len(X)), "'parse', row 0: .*found dict"),
        (lambda X: X.droplevel("system"), "index level 'system' is missing"),
        (lambda X: X.reset_index(drop=True), "nothing says which translations"),
    ],
)
def test_bad_tables(change, message):
    X, y = table(random_rows(0))
    X = change(X)
    with pytest.raises(ValueError, match=message):
        aggregate_rankings(X, pd.Series(y.to_numpy(), index=X.index))


def test_joined_language_pairs_are_noticed():
    one, _ = table([(1, "de:1", "A", 1), (1, "de:1", "B", 2)])
    other = one.assign(source="another").rename({"A": "C", "B": "D", "de:1": "fr:1"})
    with pytest.raises(ValueError, match="segment labels of their own"):
        aggregate_rankings(pd.concat([one, other]), [1, 2, 1, 2])


def test_real_data(data_dir):
    """One ranking for each segment agrees with the single judges far better than chance."""
    X, y = load_wmt(data_dir / "wmt12", "de-en", return_X_y=True)
    translations, ranks = aggregate_rankings(X, y)
    assert len(translations) == len(set(X.index.droplevel("ranking"))) == 5381
    strength = -ranks.reindex(X.index.droplevel("ranking")).to_numpy()
    groups = X.index.droplevel("system")
    assert 0.85 < kendall_tau(y, strength, groups=groups) < 0.88
