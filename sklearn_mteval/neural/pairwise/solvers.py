"""Which solver trains a network, at its start."""

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval.neural.pairwise.compiled_solver import CompiledSolver
from sklearn_mteval.neural.pairwise.losses import LOSSES, needs_both_directions

__all__ = ["SOLVERS", "make_solver"]

SOLVERS = ("auto", "torch", "numba")


def make_solver(net, reader, X, signs, tensors):
    """Build what trains a PairwiseNN on a pair table and signs (+1 where t1 is better, −1).

    ``tensors`` are weights to start from and, to go on, the optimiser's sums of squares.
    """
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
    from sklearn_mteval.neural.pairwise.torch_batches import EncodedPairs, Pairs
    from sklearn_mteval.neural.pairwise.torch_network import EncodedPairNetwork, PairNetwork
    from sklearn_mteval.neural.pairwise.torch_solver import TorchSolver, check_device

    check_device(net.device)
    both = needs_both_directions(LOSSES[net.loss], net.symmetric)
    options = reader.options
    if reader.fixed:
        module = PairNetwork(*network, both=both)
        pairs = Pairs(reader.rows(numbers, texts), signs, net.batch_size, net.device)
        penalties = (0.0, 0.0)
    else:
        module = EncodedPairNetwork(reader.encoder, *network, both=both)
        parts = {"widths": reader.roles.widths, "by_length": reader.encoder.pads}
        pairs = EncodedPairs(numbers, signs, net.batch_size, net.device, texts, **parts)
        moderate = options.fine_tuning == "moderate"
        penalties = (0.0, options.distance_penalty) if moderate else (net.l2, 0.0)
    solver = TorchSolver(
        module, pairs, costs=costs, penalties=penalties, device=net.device, **rates
    )
    solver.restore({**solver.state(), **tensors})
    return solver
