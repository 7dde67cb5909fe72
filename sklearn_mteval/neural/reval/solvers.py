"""Which solver trains a network."""

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval.neural.reval.compiled_solver import CompiledSolver

__all__ = ["make_solver"]


def make_solver(net, pairs, targets, forest, vectors, weights):
    """Build what trains a ReValRegressor: compiled code on the CPU, torch on other devices."""
    options = {"batch_size": net.batch_size, "lr": net.learning_rate, "l2": net.l2}
    if net.device == "cpu":
        return CompiledSolver(pairs, targets, forest, vectors, weights, **options)
    for library in ("torch", "skorch"):  # the second for the check of devices
        import_extra(library, "neural", f"ReValRegressor's device={net.device!r}")
    from sklearn_mteval.neural.pairwise.torch_solver import check_device
    from sklearn_mteval.neural.reval.torch_solver import TorchSolver

    check_device(net.device)
    return TorchSolver(pairs, targets, forest, vectors, weights, device=net.device, **options)
