"""The solver with compiled gradients; ``torch_solver`` has the one through torch.

Both take the same mini-batches in the same order from the same start, and reach the same
parameters but for the rounding of single precision.
"""

import numpy as np

from sklearn_mteval.neural.pairwise.adagrad_state import ArrayState
from sklearn_mteval.neural.pairwise.architectures import connections
from sklearn_mteval.neural.pairwise.losses import needs_both_directions
from sklearn_mteval.neural.pairwise.weights import zero_weights

__all__ = ["CompiledSolver"]


class CompiledSolver(ArrayState):
    """Train with gradients derived by hand, compiled by numba.

    X are input rows, float32; ``network`` is what ``connections`` takes; ``costs`` are the keywords
    ``symmetric``, ``gamma`` and ``beta``.
    """

    def __init__(self, X, signs, batch_size, network, *, costs, lr, l2):
        self._batches = X, signs, batch_size
        connected = connections(*network)
        self._connections = connected.astype(np.float32), network[1].swapped
        self._symmetric, self._costs = costs["symmetric"], (costs["gamma"], costs["beta"])
        self._rates = np.float32(lr), np.float32(l2)
        self._weights = zero_weights(connected)
        self._squares = zero_weights(connected)

    def epoch(self, order):
        """Train on all rows once, in an order; return the mean cost."""
        from sklearn_mteval.neural.pairwise.compiled_gradients import CODES, run_epoch

        weights, squares = tuple(self._weights.values()), tuple(self._squares.values())
        both = needs_both_directions([self._objective], self._symmetric)
        cost = CODES[self._objective], self._symmetric, *self._costs
        return run_epoch(
            self._batches, order, weights, squares, self._connections, both, cost, self._rates
        )
