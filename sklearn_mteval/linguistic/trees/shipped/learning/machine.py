"""A transition machine: what it predicts, and its training by a structured perceptron in a beam."""

from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sklearn_mteval.linguistic.trees.shipped.learning import _kernel
from sklearn_mteval.linguistic.trees.shipped.learning.templates import compile_templates

KINDS = {"shift": _kernel.SHIFT, "right": _kernel.HEAD_RIGHT, "left": _kernel.HEAD_LEFT}
_LEVELS = 127  # of a weight, on either side of 0
_MOST_OF_FEATURE = 255  # weights, which are counted in 8 bits


class Action(NamedTuple):
    """A step: "shift" the next unit; join two items, "left" or "right" one the head; ``is_open``:
    the result is part of an incomplete constituent of that label.
    """

    kind: str
    label: str = ""
    is_open: bool = False


class Machine:
    """Actions, feature templates and sparse weights: feature k, of the 32-bit hash ``keys[k]``, has
    from ``bounds[k]`` on ``classes``, numbers of actions, and ``weights``, int8.
    """

    def __init__(self, actions, templates, columns, tagging, keys, bounds, classes, weights,
                 temperature=1.0):  # fmt: skip
        self.actions = [Action(*action) for action in actions]
        self.templates, self.columns = list(templates), list(columns)
        self.tagging, self.temperature = tagging, temperature
        self.keys, self.bounds, self.classes, self.weights = keys, bounds, classes, weights
        slots = slots_of(keys, bounds[:-1], np.diff(bounds))
        table = slots, classes, weights, np.zeros((0, 0), dtype=np.float32)
        arrays = action_arrays(self.actions, tagging)
        self._arrays = compile_templates(templates, columns), arrays, table

    @cached_property
    def labels(self):
        """The label of each action."""
        return [action.label for action in self.actions]

    def predict(self, units, bounds, *, beam=1, n_best=1):
        """Return the n best derivations of each sentence, as :func:`_kernel.parse_batch` does."""
        return _kernel.parse_batch(units, bounds, self._arrays, max(beam, n_best), n_best)

    def tag(self, units, bounds):
        """Return the action of each unit, by a tagging machine."""
        return self.predict(units, bounds)[0]

    def derive(self, units, bounds, *, beam):
        """Return the best derivation of each sentence, a list of Action."""
        derived, _ = self.predict(units, bounds, beam=beam)
        return self.divide(derived, _kernel.n_steps(bounds, self.tagging))

    def divide(self, derived, steps):
        """Divide numbers of actions into lists of Action, of so many steps each."""
        actions = [self.actions[k] for k in derived.tolist()]
        ends = np.cumsum([0, *steps]).tolist()
        return [actions[start:end] for start, end in pairwise(ends)]

    def log_likelihoods(self, units, bounds, derived, derived_bounds, sentences):
        """Return the log-probability of derivations, each of one of the sentences given."""
        return _kernel.log_likelihoods(
            units, bounds, derived, derived_bounds, sentences, self._arrays, self.temperature
        )


def action_arrays(actions, tagging):
    """Return kinds, labels as features see them, labels of wholes, openness, and ``tagging``."""
    numbers = {label: k for k, label in enumerate(sorted({action.label for action in actions}))}
    bases = np.array([numbers[action.label] for action in actions], dtype=np.int64)
    opens = np.array([action.is_open for action in actions], dtype=np.bool_)
    kinds = np.array([KINDS[action.kind] for action in actions], dtype=np.int64)
    return kinds, bases + len(numbers) * opens, bases, opens, tagging


def slots_of(keys, starts, sizes):
    """Return the hash table of keys, at most half full; starts are below 2^24, sizes below 256."""
    if len(starts) and starts[-1] >= 1 << 24:
        raise ValueError(f"expected at most 2^24 features or weights, found {starts[-1]}.")
    slots = np.zeros((1 << (2 * len(keys) + 1).bit_length(), 2), dtype=np.uint32)
    _kernel.fill_slots(keys, starts, sizes, slots)
    return slots


def train_machine(
    units, bounds, derivations, templates, columns, *, tagging=False, beam=4, n_epochs=8,
    min_count=1, n_runs=1, max_entries=None
):  # fmt: skip
    """Train a structured perceptron (Collins 2002), max-violation in a beam (Huang, Fayong and Guo
    2012), on gold derivations, lists of Action, none where left out. Weights are averaged over time
    and runs; features rarer than ``min_count``, and all but the largest ``max_entries`` weights,
    go.
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
        for _ in range(n_epochs):
            _kernel.train_epoch(
                units, bounds, gold, gold_bounds, gold_keys,
                order.permutation(len(derivations)), machine, beam, sums, clock,
            )  # fmt: skip
            clock += len(derivations)
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
