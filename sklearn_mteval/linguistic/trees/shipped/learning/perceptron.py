"""Training of a machine: structured perceptron in a beam, averaged, pruned to 8-bit weights."""

import numpy as np

from sklearn_mteval.linguistic.trees.shipped.learning import _kernel
from sklearn_mteval.linguistic.trees.shipped.learning.machine import (
    Machine,
    action_arrays,
    slots_of,
)
from sklearn_mteval.linguistic.trees.shipped.learning.templates import compile_templates

_LEVELS = 127  # of a weight, on either side of 0
_MOST_OF_FEATURE = 255  # weights, which are counted in 8 bits


def train_machine(
    units, bounds, derivations, templates, columns, *, tagging=False, beam=4, n_epochs=8,
    min_count=1, n_runs=1, max_entries=None, log=None,
):  # fmt: skip
    """Train a machine on the gold derivations of sentences, lists of Action, none where left out.

    A structured perceptron (Collins 2002) in a beam with max-violation updates (Huang, Fayong and
    Guo 2012): where the best state leads over gold most, the weights of its features fall by one
    and those of gold rise by one. The weights are averaged over time, and over runs that see the
    sentences in other orders. Features that the gold states have less often than ``min_count`` are
    left out; the largest ``max_entries`` weights are kept. Units and bounds are as of
    :meth:`Machine.predict`, templates and columns as of ``templates.py``.
    """
    actions = sorted({action for derivation in derivations for action in derivation})
    number = {action: k for k, action in enumerate(actions)}
    gold = np.array([number[a] for derivation in derivations for a in derivation], dtype=np.int64)
    gold_bounds = np.cumsum([0, *map(len, derivations)])
    if not tagging and {action.kind for action in actions}.isdisjoint(("left", "right")):
        raise ValueError("The sentences to train on have one unit each, expected some with more.")
    features = compile_templates(templates, columns)
    arrays = action_arrays(actions, tagging)
    gold_keys = _kernel.collect_keys(units, bounds, gold, gold_bounds, features, arrays)
    keys, counts = np.unique(gold_keys, return_counts=True)
    keys = keys[counts >= min_count]
    slots = slots_of(keys, np.arange(len(keys)), np.zeros(len(keys), dtype=np.int64))
    nothing = np.zeros(0, np.uint16), np.zeros(0, np.int8)
    mean = np.zeros((len(keys), len(actions)), dtype=np.float32)
    for run in range(n_runs):
        weights, sums = np.zeros_like(mean), np.zeros_like(mean)
        machine = features, arrays, (slots, *nothing, weights)
        order = np.random.RandomState(run)
        clock = 0.0
        for epoch in range(n_epochs):
            updates = _kernel.train_epoch(
                units, bounds, gold, gold_bounds, gold_keys,
                order.permutation(len(derivations)), machine, beam, sums, clock,
            )  # fmt: skip
            clock += len(derivations)
            if log is not None:
                log(f"run {run + 1}, epoch {epoch + 1}: {updates} updates")
        # A change c at time t is in all weights from then on: their mean over the times 0 to T - 1
        # is the last w less Σ c t / T, T being clock + 1.
        mean += (weights - sums / np.float32(clock + 1)) / n_runs
    return Machine(actions, templates, columns, tagging, *_pruned(keys, mean, max_entries))


def _pruned(keys, dense, max_entries):
    """Turn dense weights into sparse whole numbers: keys, bounds, classes, weights."""
    scale = max(np.abs(dense).max(initial=0), 1) / _LEVELS  # to cut the largest would cost points
    whole = np.rint(dense / scale).astype(np.int8)
    smallest = 1
    if max_entries is not None:
        at_least = np.bincount(np.abs(whole).ravel(), minlength=_LEVELS + 2)[::-1].cumsum()[::-1]
        smallest = max(1, int((at_least > max_entries).sum()))
    whole[np.abs(whole) < smallest] = 0
    for row in np.flatnonzero(np.count_nonzero(whole, axis=1) > _MOST_OF_FEATURE):
        whole[row, np.argsort(-np.abs(whole[row]), kind="stable")[_MOST_OF_FEATURE:]] = 0
    used = whole.any(axis=1)
    rows, classes = np.nonzero(whole[used])
    bounds = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=used.sum()))])
    weights = whole[used][rows, classes]
    return keys[used], bounds.astype(np.int64), classes.astype(np.uint16), weights
