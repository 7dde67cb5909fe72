"""Scores from rankings, against hand-worked tables and a plain loop."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.datasets import load_wmt, similarity_from_rankings
from sklearn_mteval.exceptions import CandidateError


def table(judgements):
    """A table of (segment, ranking, system, text, rank)."""
    columns = ["segment", "ranking", "system", "hypothesis", "rank"]
    rows = pd.DataFrame(judgements, columns=columns)
    rows = rows.set_index(["segment", "ranking", "system"])
    return rows[["hypothesis"]], rows["rank"]


def judged(ranks_of):
    """Rankings in which system k of a segment gets the k-th list's ranks, one a ranking."""
    return table(
        [
            (segment, f"{segment}-{task}", f"s{k}", f"text {segment} {k}", rank)
            for segment, lists in ranks_of.items()
            for k, ranks in enumerate(lists)
            for task, rank in enumerate(ranks)
        ]
    )


def test_scores_by_hand():
    X, y = judged({1: [[1, 1, 2, 2], [5, 4, 5, 5]], 2: [[3, 3, 3], [2, 4, 5]]})
    found = similarity_from_rankings(X, y, thresholds=None)
    assert found.y.tolist() == [4.5, 1.25]
    assert found.n_judgements.tolist() == [4, 4]
    assert found.variances.tolist() == pytest.approx([0.25, 0.1875])
    assert found.X.index.tolist() == [(1, "s0"), (1, "s1")]
    assert found.X["hypothesis"].tolist() == ["text 1 0", "text 1 1"]
    assert found.thresholds is None
    found = similarity_from_rankings(X, y, thresholds=None, min_judgements=3)
    assert found.y.tolist() == pytest.approx([4.5, 1.25, 3.0, 6 - 11 / 3])


def test_printed_thresholds_are_upper_bounds_of_population_variances():
    # Variances of three ranks: 2/9 and 2/3 next to the printed 0.65; of four: 1, which is printed.
    X, y = judged({1: [[1, 1, 2], [1, 2, 3]], 2: [[1, 1, 3, 3], [1, 1, 2, 3]]})
    found = similarity_from_rankings(X, y, thresholds="printed", min_judgements=3)
    assert found.X["hypothesis"].tolist() == ["text 1 0", "text 2 1"]


def test_a_mapping_stands_for_more_judgements_too():
    X, y = judged({1: [[1] * 9, [1, 5] * 5, [1, 5]]})
    found = similarity_from_rankings(X, y, thresholds={3: 0.3}, min_judgements=1)
    assert found.X["hypothesis"].tolist() == ["text 1 0"]


def test_systems_with_one_text_are_one_judgement():
    X, y = table(
        [
            (1, "a", "x", "same", 1), (1, "a", "y", "same", 2), (1, "a", "z", "other", 3),
            (1, "b", "y", "same", 3), (1, "b", "z", "other", 4),
            (2, "c", "x", "same", 5), (2, "d", "x", "same", 5),
        ]
    )  # fmt: skip
    found = similarity_from_rankings(X, y, thresholds=None, min_judgements=2)
    assert found.X.index.tolist() == [(1, "x"), (1, "z"), (2, "x")]
    assert found.y.tolist() == [6 - 2.25, 6 - 3.5, 1.0]
    assert found.n_judgements.tolist() == [2, 2, 2]


def test_algorithm_1_by_hand():
    # Three judgements each. Segment 1: variances 0 and 2/9, and all three rankings agree with the
    # scores. Segment 2: variances 2/3 and 8/9; scores 4 and 3.67, of three rankings one agrees, two
    # oppose: (2, 1) and (1, 3) and (3, 2) gives +1 once, −1 twice.
    X, y = judged({1: [[1, 1, 1], [2, 2, 3]], 2: [[2, 1, 3], [1, 4, 2]]})
    # Up to v = 0.65 tau is 3/3. At 0.7 the first of segment 2 is kept, alone, and changes nothing.
    # From 0.9, both: variances of [1, 4, 2] is 14/9, so that it comes at 1.6.
    found = similarity_from_rankings(X, y, min_judgements=3)
    assert found.thresholds == {3: 1.55}
    assert found.X["hypothesis"].tolist() == ["text 1 0", "text 1 1", "text 2 0"]
    # Then tau is (3 + 1 − 2) / 6: 2's first is better in the second ranking only.
    found = similarity_from_rankings(X, y, min_judgements=3, min_tau=0.33)
    assert found.thresholds == {3: 1.6}
    assert len(found.y) == 4


def test_algorithm_1_by_a_loop():
    rng = np.random.default_rng(1)
    rows = [
        (s, t, f"s{k}", f"text {s} {k}", int(np.clip(round(rng.normal(1 + k, 1.2)), 1, 5)))
        for s in range(20)
        for t in range(rng.integers(3, 12))
        for k in range(4)
        if rng.random() < 0.8
    ]
    rows = [(s, f"{s}-{t}", k, text, rank) for s, t, k, text, rank in rows]
    X, y = table(rows)
    of_text = {}
    for *_, text, rank in rows:
        of_text.setdefault(text, []).append(rank)

    def threshold(n):
        texts = [t for t, r in of_text.items() if len(r) == n or (n == 8 and len(r) > 8)]
        best, v = -1, 0.25
        while v <= 4.05:
            kept = {t for t in texts if np.var(of_text[t]) < v - 1e-9}
            points, pairs = 0, 0
            for _, task, _, text, rank in rows:
                for _, other_task, _, other, other_rank in rows:
                    if task == other_task and rank < other_rank and {text, other} <= kept:
                        pairs += 1
                        points += np.sign(np.mean(of_text[other]) - np.mean(of_text[text]))
            if pairs and points / pairs < 0.78:
                break
            best = v if pairs else best
            v = round(v + 0.05, 2)
        return best

    found = similarity_from_rankings(X, y, min_judgements=3)
    numbers = {min(len(ranks), 8) for ranks in of_text.values() if len(ranks) >= 3}
    for n in numbers:
        expected = threshold(n)
        # What is computed stops when all are kept; the loop goes on.
        every = max(np.var(r) for r in of_text.values() if min(len(r), 8) == n)
        assert found.thresholds[n] == expected or found.thresholds[n] > every
    assert len(set(found.thresholds.values())) > 2


def test_order_of_rows_and_names_do_not_matter():
    X, y = judged({1: [[1, 1, 2, 2], [5, 4, 5, 5]], 2: [[1, 2, 1, 1, 1], [2, 2, 3, 2, 2]]})
    expected = similarity_from_rankings(X, y).y.tolist()
    order = np.random.default_rng(0).permutation(len(X))
    found = similarity_from_rankings(X.iloc[order], y.iloc[order], return_X_y=True)
    assert sorted(found[1].tolist()) == sorted(expected)
    assert found[0].index.equals(found[1].index)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"No translation was judged 4 times or more \(judgements: translations; 2: 2\)"),
        ({"min_judgements": 1, "min_tau": 1.0}, "a variance below the threshold"),
    ],
)
def test_nothing_is_left(options, message):
    X, y = judged({1: [[2, 2], [2, 2]]})  # all ranks equal: no pair counts
    with pytest.raises(CandidateError, match=message):
        similarity_from_rankings(X, y, **options)


@pytest.mark.parametrize("bad", [0, 6, np.nan])
def test_bad_ranks(bad):
    X, _ = judged({1: [[2, 2], [2, 2]]})
    with pytest.raises(CandidateError, match=r"row 1|from 1 to n_classes=5, found"):
        similarity_from_rankings(X, [1, bad, 2, 2])


@pytest.mark.parametrize(
    "options",
    [
        {"min_judgements": 0}, {"thresholds": "algorithm"}, {"thresholds": {}},
        {"thresholds": {0: 1.0}}, {"thresholds": {3: np.nan}}, {"min_tau": 2}, {"n_classes": 1},
        {"return_X_y": 1},
    ],
)  # fmt: skip
def test_bad_options(options):
    X, y = judged({1: [[1] * 4, [2] * 4]})
    with pytest.raises(ValueError, match=next(iter(options))):
        similarity_from_rankings(X, y, **options)


def test_wmt13_comes_near_table_1(data_dir):
    X, y = load_wmt(data_dir / "wmt13", "fr-en", return_X_y=True)
    found = similarity_from_rankings(X, y, min_judgements=3)
    # One of the five language pairs that the paper had.
    for n, printed in {4: 1.0, 5: 1.2, 6: 1.2, 7: 1.3, 8: 0.85}.items():
        assert found.thresholds[n] == pytest.approx(printed, abs=0.3)
    assert len(similarity_from_rankings(X, y, thresholds=None).y) == 3448
