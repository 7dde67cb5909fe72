"""The solver with compiled gradients, and which solver trains a network.

``torch_solver`` has the one through torch. Both take the same batches in the same order from the
same start, and reach the same weights but for the rounding of single precision.
"""

import numpy as np

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval.neural.pairwise.adagrad_state import ArrayState


class CompiledSolver(ArrayState):
    """Train with gradients derived by hand; arguments as of ``compiled.gradients``."""

    def __init__(self, pairs, targets, forest, vectors, weights, *, batch_size, lr, l2):
        self._data = pairs, targets
        self._texts = forest, vectors
        self._batch_size = batch_size
        self._rates = np.float32(lr), np.float32(l2)
        self._weights = {name: values.copy() for name, values in weights.items()}
        self._squares = {name: np.zeros_like(values) for name, values in weights.items()}

    def epoch(self, order):
        """Train on all pairs once, in an order; return the mean cost, each before its step."""
        from sklearn_mteval.linguistic.reval.compiled import gradients
        from sklearn_mteval.neural.pairwise.compiled_gradients import adagrad

        total = 0.0
        for start in range(0, len(order), self._batch_size):
            rows = order[start : start + self._batch_size]
            batch = [values[rows] for values in self._data]
            cost, slopes = gradients(*batch, *self._texts, tuple(self._weights.values()))
            for name, slope in zip(self._weights, slopes, strict=True):
                adagrad(self._weights[name], self._squares[name], slope, *self._rates)
            total += cost * len(rows)
        return total / len(order)


def make_solver(net, pairs, targets, forest, vectors, weights):
    """Build what trains a ReValRegressor: compiled code on the CPU, torch on other devices."""
    options = {"batch_size": net.batch_size, "lr": net.learning_rate, "l2": net.l2}
    if net.device == "cpu":
        return CompiledSolver(pairs, targets, forest, vectors, weights, **options)
    for library in ("torch", "skorch"):  # the second for the check of devices
        import_extra(library, "neural", f"ReValRegressor's device={net.device!r}")
    from sklearn_mteval.linguistic.reval.torch_solver import TorchSolver
    from sklearn_mteval.neural.pairwise.torch_solver import check_device

    check_device(net.device)
    return TorchSolver(pairs, targets, forest, vectors, weights, device=net.device, **options)
