"""A trained transition machine: actions, templates and sparse weights, and what it predicts."""

from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sklearn_mteval.linguistic.trees.shipped.learning import _kernel
from sklearn_mteval.linguistic.trees.shipped.learning.templates import compile_templates

KINDS = {"shift": _kernel.SHIFT, "right": _kernel.HEAD_RIGHT, "left": _kernel.HEAD_LEFT}


class Action(NamedTuple):
    """What a machine does in a step.

    ``kind`` is "shift": push the next unit with a label; "left" or "right": join the two topmost
    items, the left or the right one the head. ``is_open``: the result is part of a constituent of
    that label which is not complete.
    """

    kind: str
    label: str = ""
    is_open: bool = False


class Machine:
    """Actions, feature templates over columns of units, and weights.

    Weights are sparse: feature k, with the 32-bit hash ``keys[k]``, has the entries ``bounds[k]``
    to ``bounds[k + 1] - 1`` of ``classes``, numbers of actions, and ``weights``, int8. A tagging
    machine only shifts. ``temperature`` is what scores are divided by for probabilities.
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
        """Return the n best derivations of each sentence, as :func:`_kernel.parse_batch` does.

        ``units`` (n_units, n_columns), int32; sentence k has those from ``bounds[k]`` on.
        """
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
