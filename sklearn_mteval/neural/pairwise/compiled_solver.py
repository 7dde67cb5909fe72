"""The solver with compiled gradients; ``_skorch`` has the one through torch.

Both take the same mini-batches in the same order from the same start, and reach the same
parameters but for the rounding of single precision.
"""

from contextlib import nullcontext

import numpy as np

from sklearn_mteval.neural.pairwise.architecture import connections, swapped, zero_weights

__all__ = ["CompiledSolver"]


class CompiledSolver:
    """Train with gradients derived by hand, compiled by numba.

    Parameters
    ----------
    X : ndarray of shape (n_pairs, n_inputs), float32
        Rows as the network reads them.
    signs : ndarray of shape (n_pairs,), float64
        +1 where t1 is better, −1 where t2 is.
    network : tuple
        Architecture, InputShape and hidden units, as
        :func:`~sklearn_mteval.neural.pairwise.architecture.connections` takes them.
    symmetric : bool
        Whether the log-odds are antisymmetric by construction.
    costs : tuple of 2 float
        γ and β of the Kendall cost.
    batch_size : int
        Pairs of a step.
    lr, l2 : float
        Learning rate; L2 penalty.
    """

    name = "numba"

    def __init__(self, X, signs, network, *, symmetric, costs, batch_size, lr, l2):
        self._X, self._signs = X, signs
        connected = connections(*network)
        self._connected = connected.astype(np.float32)
        self._swap = swapped(network[1])
        self._symmetric, self._costs, self._batch_size = symmetric, costs, batch_size
        self._rates = np.float32(lr), np.float32(l2)
        self._weights = zero_weights(connected)
        self._squares = zero_weights(connected)
        self._objective = None

    def start(self, objective):
        """Begin to minimise an objective.

        Parameters
        ----------
        objective : {"logistic", "kendall"}
            The optimiser's memory stays: it has learnt how far to step, and a fresh one would
            undo in its first steps what was trained before.
        """
        self._objective = objective

    def epoch(self, order):
        """Train on all rows once.

        Parameters
        ----------
        order : ndarray of shape (n_pairs,), int64
            In which order.

        Returns
        -------
        float
            Mean cost.
        """
        from sklearn_mteval.neural.pairwise.compiled_gradients import KENDALL, LOGISTIC, run_epoch

        return run_epoch(
            self._X,
            self._signs,
            order,
            self._batch_size,
            tuple(self._weights.values()),
            tuple(self._squares.values()),
            self._connected,
            self._swap,
            KENDALL if self._objective == "kendall" else LOGISTIC,
            self._symmetric,
            self._rates,
            self._costs,
        )

    def weights(self):
        """Return the network's present weights.

        Returns
        -------
        dict of ndarray
            Not a copy.
        """
        return self._weights

    def threads(self, n):
        """Do nothing: the compiled solver has one thread.

        Parameters
        ----------
        n : int or None
            Not used.

        Returns
        -------
        context manager
            Empty.
        """
        return nullcontext()

    def state(self):
        """Return a copy of weights and sums of squares.

        Returns
        -------
        dict of ndarray
            Names of weights, and ``squares.NAME``.
        """
        squares = {f"squares.{name}": values for name, values in self._squares.items()}
        return {name: values.copy() for name, values in {**self._weights, **squares}.items()}

    def restore(self, state):
        """Go back to a state.

        Parameters
        ----------
        state : dict of ndarray
            What ``state`` returned; without squares, the optimiser starts afresh.
        """
        for name, values in self._weights.items():
            values[:] = state[name]
            self._squares[name][:] = state.get(f"squares.{name}", 0)
