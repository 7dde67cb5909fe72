"""Which system is better, in words: the first line of every result of two systems or more."""

import numpy as np

from sklearn_mteval.report.summaries.phrases import listed, name_of


def answer(pairs, number):
    """Return a sentence on the best system and the next, and how many pairs differ; a list.

    ``pairs`` are SystemPairs; ``number`` writes a difference.
    """
    n = len(pairs.systems)
    if n < 2:
        return []
    best, p = name_of(pairs.systems[0]), pairs.p_values[0, 1]
    if np.isnan(p):
        other = name_of(pairs.systems[1])
        return [f"Which of {best} and {other} is better cannot be tested: too little is shared."]
    differ = pairs.differ
    found = f"{p_value(p)}{_how_many(differ)}"
    if differ[0, 1]:
        by = _by(pairs, 1, number)
        return [f"{best} is better than {name_of(pairs.systems[1])} by {by} ({found})."]
    alike = pairs.systems[~differ[0] & (np.arange(n) > 0)]
    sentence = f"{best} cannot be told apart from {listed(alike)} ({found})."
    if not differ[0].any():
        return [sentence]
    worse = int(differ[0].argmax())
    by = _by(pairs, worse, number)
    return [
        f"{sentence[:-1]}; it is better than {name_of(pairs.systems[worse])} by {by} "
        f"({p_value(pairs.p_values[0, worse])})."
    ]


def p_value(p):
    """Write a p-value: "p < .001", "p = .04"."""
    return "p < .001" if p < 0.001 else f"p = {p:.2g}".replace("0.", ".")


def _by(pairs, other, number):
    """Write the difference of the best from another, with its interval."""
    values = (part[0, other] for part in (pairs.differences, pairs.low, pairs.high))
    value, low, high = map(number, values)
    return f"{value} [{low}, {high}]"


def _how_many(differ):
    """Say how many pairs differ, of more than one."""
    n_pairs = len(differ) * (len(differ) - 1) // 2
    return "" if n_pairs == 1 else f"; {int(differ.sum()) // 2} of {n_pairs} pairs differ"
