"""The solver with compiled gradients, and which solver trains a network, at its start.

Those of ``torch_solver`` take the same batches: the weights agree but for rounding.
"""

import numpy as np

from sklearn_mteval._helpers.extras import check_device, import_extra
from sklearn_mteval.neural.pairwise.adagrad_state import ArrayState
from sklearn_mteval.neural.pairwise.architectures import connections, zero_weights
from sklearn_mteval.neural.pairwise.losses import LOSSES, needs_both_directions

SOLVERS = ("auto", "torch", "numba")


class CompiledSolver(ArrayState):
    """Train with gradients derived by hand, compiled by numba, on input rows in float32."""

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
        both = needs_both_directions([self.objective], self._symmetric)
        cost = CODES[self.objective], self._symmetric, *self._costs
        return run_epoch(
            self._batches, order, weights, squares, self._connections, both, cost, self._rates
        )


def make_solver(net, reader, X, signs, tensors):
    """Build what trains a PairwiseNN from ``tensors``: weights and, to go on, sums of squares."""
    network = (net.architecture, reader.layout, net.hidden_units)
    costs = {"symmetric": net.symmetric, "gamma": float(net.gamma), "beta": float(net.beta)}
    rates = {"lr": net.learning_rate, "l2": net.l2}
    numbers, texts = reader.read(X)
    if net.solver == "numba" or (net.solver == "auto" and net.device == "cpu" and reader.fixed):
        if not reader.fixed:
            raise ValueError(
                "solver='numba' trains no encoder: use solver='auto', or "
                "EncoderOptions('average', fine_tuning='frozen')."
            )
        rows = reader.rows(numbers, texts)
        solver = CompiledSolver(rows, signs, net.batch_size, network, costs=costs, **rates)
        solver.restore(tensors)
        return solver
    for library in ("torch", "skorch"):
        import_extra(library, "neural", "PairwiseNN's torch solver")
    from sklearn_mteval.neural.pairwise import torch_solver

    check_device(net.device)
    both = needs_both_directions(LOSSES[net.loss], net.symmetric)
    options = reader.options
    if reader.fixed:
        module = torch_solver.PairNetwork(*network, both=both)
        pairs = torch_solver.Pairs(reader.rows(numbers, texts), signs, net.batch_size, net.device)
        penalties = (0.0, 0.0)
    else:
        module = torch_solver.EncodedPairNetwork(reader.encoder, *network, both=both)
        parts = {"widths": reader.roles.widths, "by_length": reader.encoder.pads}
        pairs = torch_solver.EncodedPairs(
            numbers, signs, net.batch_size, net.device, texts, **parts
        )
        moderate = options.fine_tuning == "moderate"
        penalties = (0.0, options.distance_penalty) if moderate else (net.l2, 0.0)
    solver = torch_solver.TorchSolver(
        module, pairs, costs=costs, penalties=penalties, device=net.device, **rates
    )
    solver.restore({**solver.state(), **tensors})
    return solver
