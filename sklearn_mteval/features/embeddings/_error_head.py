"""A small network that tells, of a word's description, whether annotators mark it."""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from sklearn_mteval._helpers.restored import is_array

_HIDDEN = 32
_EPOCHS = 8
_PENALTY = 10.0  # of squared weights
_BATCH = 512  # words
_LARGEST = 1e6  # of a weight that is loaded
_SURE = 1e-4  # probabilities are at least so far from 0 and 1
WORD_ARRAYS = ("hidden", "hidden_bias", "output", "output_bias")
FREE_ARRAYS = ("free", "free_bias")


class JudgedWords(NamedTuple):
    """What is said of a translation's words, and of all of it."""

    ranges: np.ndarray  # (n_words, 2): characters, the end excluded
    error: np.ndarray  # (n_words,): the probability that a word is in an error
    major: np.ndarray  # (n_words,): that it is a major one, if it is one
    free: float  # the probability that nothing is wrong


def learn_words(words, shares, rng):
    """Learn from descriptions (n_words, n_inputs) which share of annotators marks words.

    ``shares`` are of minor and of major errors, (n_words, 2). Return arrays by name.
    """
    mean, scale = words.mean(axis=0, dtype=np.float64), words.std(axis=0, dtype=np.float64)
    scale[scale == 0] = 1
    words = ((words - mean) / scale).astype(np.float32)
    errors = shares.sum(axis=1)
    network = MLPClassifier(
        (_HIDDEN,), activation="tanh", alpha=_PENALTY, batch_size=min(_BATCH, len(words)),
        random_state=int(rng.integers(2**31)),
    )  # fmt: skip
    for _ in range(_EPOCHS):
        # A word that a third of the annotators marked is wrong in a third of the epochs.
        network.partial_fit(words, rng.random(len(words)) < errors, classes=[False, True])
    weight, bias = network.coefs_[0].astype(np.float64), network.intercepts_[0]
    marked = errors > 0
    hidden = np.tanh(words[marked] @ weight + bias)
    severity = weighted_logistic(hidden, shares[marked, 1], shares[marked, 0])
    output = np.column_stack([network.coefs_[1][:, 0], severity[0]])
    arrays = {
        "hidden": weight / scale[:, None],
        "hidden_bias": bias - (mean / scale) @ weight,
        "output": output,
        "output_bias": np.array([network.intercepts_[1][0], severity[1]]),
    }
    return {name: np.ascontiguousarray(array, np.float32) for name, array in arrays.items()}


def weighted_logistic(rows, positive, negative):
    """Fit a logistic curve to weights of both labels; return coefficients and intercept."""
    scale = rows.std(axis=0)
    scale[scale == 0] = 1
    if not positive.sum() or not negative.sum():
        sure = np.array([positive.sum(), negative.sum()]) + 0.5
        return np.zeros(rows.shape[1]), np.log(sure[0] / sure[1])
    labels = np.repeat([True, False], len(rows))
    fitted = LogisticRegression(max_iter=1000).fit(
        np.concatenate([rows, rows]) / scale, labels, np.concatenate([positive, negative])
    )
    return fitted.coef_[0] / scale, fitted.intercept_[0]


def word_logits(arrays, words):
    """Return of each word the logits of an error, and of a major one if it is one: (n_words, 2)."""
    hidden = np.tanh(words @ arrays["hidden"] + arrays["hidden_bias"])
    return hidden @ arrays["output"] + arrays["output_bias"]


def calibrate(arrays, logits, shares):
    """Stretch and shift the logits of errors so that they are right on words held out."""
    errors = shares.sum(axis=1)
    slope, shift = weighted_logistic(logits[:, :1], errors, 1 - errors)
    arrays["output"][:, 0] *= slope[0]
    arrays["output_bias"][0] = arrays["output_bias"][0] * slope[0] + shift


def best_threshold(error, shares, lengths):
    """Return the probability at and above which marked words have the highest F of characters."""
    order = np.argsort(-error, kind="stable")
    right = np.cumsum((lengths * shares.sum(axis=1))[order])
    found = 2 * right / (np.cumsum(lengths[order]) + right[-1])
    return float(error[order][found.argmax()])


def summary_of(logits, judged):
    """Describe a translation by its words' logits and what the reader says of it."""
    error = np.clip(expit(logits[:, 0].astype(np.float64)), _SURE, 1 - _SURE)
    return np.array(
        [np.log1p(-error).sum(), logit(error.max()), np.log(len(error)), *judged], np.float64
    )


def judge_words(arrays, ranges, words, judged, *, blank):
    """Judge a translation by the descriptions of its words; ``blank``: there is none to do."""
    if not len(words):
        return JudgedWords(ranges, np.empty(0), np.empty(0), float(blank))
    logits = word_logits(arrays, words)
    error, major = expit(logits.T.astype(np.float64))
    free = summary_of(logits, judged) @ arrays["free"] + arrays["free_bias"][0]
    return JudgedWords(ranges, error, major, float(expit(free)))


def spans_of(found, threshold):
    """List errors, (start, end, severity, probability): runs of words from a threshold on."""
    marked = np.concatenate([[False], found.error >= threshold, [False]])
    spans = []
    for first, end in np.flatnonzero(marked[1:] != marked[:-1]).reshape(-1, 2):
        error, major = found.error[first:end], found.major[first:end]
        severity = "major" if 2 * (error @ major) >= error.sum() else "minor"
        start, stop = int(found.ranges[first, 0]), int(found.ranges[end - 1, 1])
        spans.append((start, stop, severity, float(error.mean())))
    return spans


def are_arrays(arrays):
    """Tell whether these are the arrays of a head, of shapes that fit together."""
    if type(arrays) is not dict or set(arrays) != {*WORD_ARRAYS, *FREE_ARRAYS}:
        return False
    n_inputs, n_hidden = arrays["hidden"].shape
    shapes = {
        "hidden": (n_inputs, n_hidden), "hidden_bias": (n_hidden,), "output": (n_hidden, 2),
        "output_bias": (2,), "free": arrays["free"].shape, "free_bias": (1,),
    }  # fmt: skip
    return arrays["free"].ndim == 1 and all(
        is_array(arrays[name], shape, arrays[name].dtype, low=-_LARGEST, high=_LARGEST)
        and arrays[name].dtype in (np.float32, np.float64)
        for name, shape in shapes.items()
    )
