"""A small network that tells, of a word's description, whether annotators mark it."""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from sklearn_mteval._helpers.restored import is_array

_HIDDEN = 32
_EPOCHS, _STEPS = 8, 1000  # at least
_PENALTY = 10.0  # of squared weights
_BATCH = 512  # words
_LARGEST = 1e6  # of a weight that is loaded
_SUMMED = 3  # numbers that the words of a translation are summed up by
_SURE = 1e-4  # probabilities are at least so far from 0 and 1
_ARRAYS = (
    "hidden", "hidden_bias", "output", "output_bias", "calibration", "free", "free_bias"
)  # fmt: skip


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
    bounds, batch_size = np.cumsum(shares[:, ::-1], axis=1), min(_BATCH, len(words))
    network = MLPClassifier(
        (_HIDDEN,), activation="tanh", alpha=_PENALTY, batch_size=batch_size,
        random_state=int(rng.integers(2**31)),
    )  # fmt: skip
    for _ in range(max(_EPOCHS, _STEPS * batch_size // len(words))):
        # What a third of the annotators marked is wrong in a third of the epochs: 2 is a major
        # error, 1 a minor one, 0 none.
        drawn = rng.random((len(words), 1))
        network.partial_fit(words, (drawn < bounds).sum(axis=1), classes=[0, 1, 2])
    weight, bias = network.coefs_[0].astype(np.float64), network.intercepts_[0]
    arrays = {
        "hidden": weight / scale[:, None],
        "hidden_bias": bias - (mean / scale) @ weight,
        "output": network.coefs_[1],
        "output_bias": network.intercepts_[1],
        "calibration": np.array([1.0, 0.0]),
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
    none, minor, major = (hidden @ arrays["output"] + arrays["output_bias"]).astype(np.float64).T
    slope, shift = arrays["calibration"].astype(np.float64)
    return np.column_stack([slope * (np.logaddexp(minor, major) - none) + shift, major - minor])


def calibrate(arrays, logits, shares):
    """Stretch and shift the logits of errors so that they are right on words held out."""
    errors = shares.sum(axis=1)
    slope, shift = weighted_logistic(logits[:, :1], errors, 1 - errors)
    arrays["calibration"] = np.array([slope[0], shift], np.float32)


def best_threshold(error, shares, lengths):
    """Return the probability at and above which marked words have the highest F of characters."""
    order = np.argsort(-error, kind="stable")
    error, right = error[order], np.cumsum((lengths * shares.sum(axis=1))[order])
    found = 2 * right / (np.cumsum(lengths[order]) + right[-1])
    last = np.append(error[1:] != error[:-1], True)  # of equal ones
    best = np.where(last, found, -1).argmax()
    # In the middle between the last word that is marked and the next.
    return float((error[best] + (error[best + 1] if best + 1 < len(error) else 0)) / 2)


def summary_of(logits, judged):
    """Describe a translation by its words' logits and what the reader says of it."""
    error = np.clip(expit(logits[:, 0]), _SURE, 1 - _SURE)
    return np.array(
        [np.log1p(-error).sum(), logit(error.max()), np.log(len(error)), *judged], np.float64
    )


def judge_words(arrays, ranges, words, judged, *, blank):
    """Judge a translation by the descriptions of its words; ``blank``: there is none to do."""
    if not len(words):
        return JudgedWords(ranges, np.empty(0), np.empty(0), float(blank))
    logits = word_logits(arrays, words)
    error, major = expit(logits.T)
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
    if type(arrays) is not dict or set(arrays) != {*_ARRAYS}:
        return False
    n_inputs, n_hidden = arrays["hidden"].shape
    (n_said,) = arrays["free"].shape
    shapes = (n_inputs, n_hidden), (n_hidden,), (n_hidden, 3), (3,), (2,), (n_said,), (1,)
    return all(
        is_array(arrays[name], shape, np.float32, low=-_LARGEST, high=_LARGEST)
        for name, shape in zip(_ARRAYS, shapes, strict=True)
    )


def fit_together(arrays, n_inputs, n_outputs):
    """Tell whether these arrays are of words so described, and of a reader with so many outputs."""
    return len(arrays["hidden"]) == n_inputs and len(arrays["free"]) == _SUMMED + n_outputs
