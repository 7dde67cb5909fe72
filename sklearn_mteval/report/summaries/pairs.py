"""Which system is better, in words: the first line of every result of two systems or more."""

import numpy as np

from sklearn_mteval.report.summaries.phrases import listed, name_of


def answer(pairs, number, unit=""):
    """Return sentences on the best system of SystemPairs and those next to it, and how many pairs
    differ; ``number`` writes a difference, of a ``unit`` that follows it.
    """
    n = len(pairs.systems)
    if n < 2:
        return []
    if np.isnan(pairs.p_values).all():
        names = f"{name_of(pairs.systems[0])} and {name_of(pairs.systems[1])}" if n == 2 else "them"
        return [f"Which of {names} is better cannot be tested: too little is shared by any two."]

    best, p_values = name_of(pairs.systems[0]), pairs.p_values[0]
    # A difference may be infinite or unknown: where two systems are told apart the first is better.
    others, higher = np.arange(n) > 0, ~(pairs.differences[0] <= 0)
    better, worse = pairs.differ[0] & higher, pairs.differ[0] & ~higher
    untested = np.isnan(p_values) & others
    alike = others & ~better & ~worse & ~untested

    def difference(other):
        values = (part[0, other] for part in (pairs.differences, pairs.low, pairs.high))
        value, low, high = map(number, values)
        return f"{value} [{low}, {high}]{unit}"

    def better_than(other):
        by = f" by {difference(other)}" if np.isfinite(pairs.differences[0, other]) else ""
        return f"better than {name_of(pairs.systems[other])}{by}"

    def found(which):
        return f"{p_value(p_values[which.argmax()])}{_how_many(pairs)}"

    apart = f"cannot be told apart from {listed(pairs.systems[alike])}"
    if alike.sum() == 1:
        apart += f": the difference is {difference(alike.argmax())}"
    if better.any() and (better[1] or not alike.any()):
        sentence = f"{best} is {better_than(better.argmax())} ({found(better)})"
        sentence += f"; it {apart}" if alike.any() else ""
    elif alike.any():
        sentence = f"{best} {apart} ({found(alike)})"
        if better.any():
            first = better.argmax()
            sentence += f"; it is {better_than(first)} ({p_value(p_values[first])})"
    else:
        sentence = f"No system is surely worse than {best}, the first by its own mean"
    sentences = [f"{sentence}."]
    if worse.any():
        names = listed(pairs.systems[worse])
        sentences.append(f"On the segments of both, {names} did better than {best}.")
    if untested.any():
        names = listed(pairs.systems[untested])
        sentences.append(f"{best} and {names} share too little for a test.")
    return sentences


def p_value(p):
    """Write a p-value: "p < .001", "p = .04"."""
    return "p < .001" if p < 0.001 else f"p = {p:.2g}".replace("0.", ".")


def _how_many(pairs):
    """Say how many pairs differ, of more than one."""
    n_pairs = len(pairs.systems) * (len(pairs.systems) - 1) // 2
    return "" if n_pairs == 1 else f"; {int(pairs.differ.sum()) // 2} of {n_pairs} pairs differ"
