"""Compact letter displays: what two share a letter means, and how many letters there are."""

import re

import numpy as np
import pytest

from sklearn_mteval.metrics.significance.letters import group_letters


def groups(letters):
    return [set(re.findall(r"[a-zA-Z]\d*", text)) for text in letters]


def symmetric(rng, n, p):
    differ = np.triu(rng.random((n, n)) < p, 1)
    return differ | differ.T


def test_two_share_a_letter_if_and_only_if_they_are_not_told_apart():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = rng.integers(1, 12)
        differ = symmetric(rng, n, rng.random())
        found = groups(group_letters(differ))
        assert all(found)
        for i in range(n):
            for j in range(n):
                assert i == j or bool(found[i] & found[j]) == (not differ[i, j])


def test_of_intervals_there_are_as_many_letters_as_left_ends_that_need_one():
    """Intervals of one width: a new group begins where the best that still overlaps changes."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        scores = np.sort(rng.normal(size=rng.integers(2, 30)))[::-1]
        differ = np.abs(scores[:, None] - scores) > 0.6
        last = np.array([np.flatnonzero(~row).max() for row in differ])  # of those like it
        n_groups = len(set(last))
        letters = group_letters(differ)
        assert len(set().union(*groups(letters))) == n_groups
        assert "a" in letters[0]


def test_many_groups_have_numbers_after_52_letters():
    letters = group_letters(~np.eye(60, dtype=bool))
    assert letters[0] == "a" and letters[51] == "Z" and letters[52] == "a1" and len(letters) == 60


@pytest.mark.parametrize("differ", [[[False, True], [False, False]], [True, False]])
def test_what_is_no_symmetric_matrix(differ):
    with pytest.raises(ValueError, match="symmetric matrix"):
        group_letters(differ)
