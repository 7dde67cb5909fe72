"""Which system is better, in one sentence."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.metrics.system.paired import SystemPairs
from sklearn_mteval.report.summaries.pairs import answer


def pairs_of(differences, p_values):
    """Make pairs of the upper triangles of differences and p-values; intervals reach 0.02."""
    n = len(differences) + 1
    above = np.triu_indices(n, 1)
    arrays = []
    for rows, sign in ((differences, -1), (p_values, 1)):
        array = np.full((n, n), np.nan)
        array[above] = np.concatenate([[], *rows])
        array.T[above] = sign * array[above]
        arrays.append(array)
    values, p = arrays
    bounds, needed = (values - 0.02, values + 0.02), np.full((n, n), np.nan)
    return SystemPairs(pd.Index(list("ABCD")[:n]), values, *bounds, p, 0.05, needed)


@pytest.mark.parametrize(
    ("differences", "p_values", "said"),
    [
        ([[0.08]], [[0.0004]], "A is better than B by 0.08 [0.06, 0.10] (p < .001)."),
        (
            [[0.01]],
            [[0.123]],
            "A cannot be told apart from B: the difference is 0.01 [-0.01, 0.03] (p = .12).",
        ),
        (  # A won against all, C lost against all, and B has nothing to compare with
            [[np.nan, np.inf], [np.nan]],
            [[0.0001, 0.0002], [0.0001]],
            "A is better than B (p < .001; 3 of 3 pairs differ).",
        ),
        (
            [[0.0, 0.0], [0.0]],
            [[1.0, 1.0], [1.0]],
            "A cannot be told apart from B and C (p = 1; 0 of 3 pairs differ).",
        ),
        (
            [[0.08, 0.1], [0.02]],
            [[0.04, 0.001], [0.5]],
            "A is better than B by 0.08 [0.06, 0.10] (p = .04; 2 of 3 pairs differ).",
        ),
        (
            [[0.01, 0.3], [0.29]],
            [[0.2, 0.01], [0.02]],
            "A cannot be told apart from B: the difference is 0.01 [-0.01, 0.03] (p = .2; 2 of 3 "
            "pairs differ); it is better than C by 0.30 [0.28, 0.32] (p = .01).",
        ),
        (
            [[0.05, 0.06], [0.01]],
            [[0.01, 0.3], [0.9]],
            "A is better than B by 0.05 [0.03, 0.07] (p = .01; 1 of 3 pairs differ); it cannot be "
            "told apart from C: the difference is 0.06 [0.04, 0.08].",
        ),
        (
            [[-0.05]],
            [[0.01]],
            "No system is surely worse than A, the first by its own mean. On the segments of both, "
            "B did better than A.",
        ),
        (
            [[np.nan, 0.2], [np.nan]],
            [[np.nan, 0.01], [np.nan]],
            "A is better than C by 0.20 [0.18, 0.22] (p = .01; 1 of 3 pairs differ). A and B share "
            "too little for a test.",
        ),
        (
            [[np.nan]],
            [[np.nan]],
            "Which of A and B is better cannot be tested: too little is shared by any two.",
        ),
    ],
)
def test_the_answer(differences, p_values, said):
    assert " ".join(answer(pairs_of(differences, p_values), "{:.2f}".format)) == said


def test_names_that_are_long_or_odd():
    pairs = pairs_of([[0.01, 0.02], [0.01]], [[0.5, 0.5], [0.5]])
    pairs = pairs._replace(systems=pd.Index(["x" * 500, "a\nb", "\u202emirrored"]))
    (sentence,) = answer(pairs, "{:.2f}".format)
    assert sentence.isprintable() and len(sentence) < 300


def test_one_system_needs_no_answer():
    assert answer(pairs_of([], []), "{:.2f}".format) == []
