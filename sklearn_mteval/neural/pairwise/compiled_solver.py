"""The solver with compiled gradients; ``torch_solver`` has the one through torch.

Both take the same mini-batches in the same order from the same start, and reach the same
parameters but for the rounding of single precision.
"""

from contextlib import nullcontext

import numpy as np

from sklearn_mteval.neural.pairwise.architectures import connections
from sklearn_mteval.neural.pairwise.losses import needs_both_directions
from sklearn_mteval.neural.pairwise.weights import zero_weights

__all__ = ["CompiledSolver"]


class CompiledSolver:
    """Train with gradients derived by hand, compiled by numba.

    X are input rows, float32; ``network`` is what ``connections`` takes; ``costs`` are the keywords
    ``symmetric``, ``gamma`` and ``beta``.
    """

    name = "numba"

    def __init__(self, X, signs, batch_size, network, *, costs, lr, l2):
        self._batches = X, signs, batch_size
        connected = connections(*network)
        self._connections = connected.astype(np.float32), network[1].swapped
        self._symmetric, self._costs = costs["symmetric"], (costs["gamma"], costs["beta"])
        self._rates = np.float32(lr), np.float32(l2)
        self._weights = zero_weights(connected)
        self._squares = zero_weights(connected)
        self._objective = None

    def start(self, objective):
        """Begin to minimise an objective."""
        # The optimiser's memory stays: it has learnt how far to step, and a fresh one would undo in
        # its first steps what was trained before.
        self._objective = objective

    def epoch(self, order):
        """Train on all rows once, in an order; return the mean cost."""
        from sklearn_mteval.neural.pairwise.compiled_gradients import CODES, run_epoch

        return run_epoch(
            *self._batches,
            order,
            tuple(self._weights.values()),
            tuple(self._squares.values()),
            *self._connections,
            CODES[self._objective],
            self._symmetric,
            needs_both_directions([self._objective], self._symmetric),
            self._rates,
            self._costs,
        )

    def weights(self):
        """Return the present weights, not copied."""
        return self._weights

    def threads(self, n):
        """Do nothing: there is one thread."""
        return nullcontext()

    def state(self):
        """Return a copy of weights and, as ``squares.NAME``, of Adagrad's sums of squares."""
        squares = {f"squares.{name}": values for name, values in self._squares.items()}
        return {name: values.copy() for name, values in {**self._weights, **squares}.items()}

    def restore(self, state):
        """Go back to a state; without squares, the optimiser starts afresh."""
        for name, values in self._weights.items():
            values[:] = state[name]
            self._squares[name][:] = state.get(f"squares.{name}", 0)
