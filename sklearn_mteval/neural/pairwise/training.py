"""The course of training: epochs, the best of them, early stopping, interruption.

The same for every solver. A solver takes one epoch at a time and can tell and restore
its state.
"""

import warnings
from time import perf_counter
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

__all__ = ["Course", "train"]


class Course(NamedTuple):
    """What training came to.

    Attributes
    ----------
    state : dict
        Of the best epoch, or of the last where nothing was held out.
    history : list of dict
        One for each epoch: ``epoch``, ``objective``, ``loss``, ``tau`` (None where nothing was
        held out), ``seconds``.
    best_epoch : int
        Its number, from 1; 0 if not one was finished.
    """

    state: dict
    history: list
    best_epoch: int


def train(
    solver,
    objectives,
    *,
    max_epochs,
    patience,
    n_rows,
    rng,
    tau=None,
    verbose=0,
    history=(),
    best_epoch=0,
):
    """Train until no better epoch comes, and keep the best.

    Parameters
    ----------
    solver : CompiledSolver or TorchSolver
        What trains: ``start(objective)`` begins; ``epoch(order)`` takes all rows in that order
        and returns the mean cost; ``state()`` copies weights and optimiser; ``restore(state)``
        goes back.
    objectives : sequence of str
        One after another, each from the best epoch so far ("pre-train, then switch").
    max_epochs : int
        Epochs of each objective at most.
    patience : int or None
        Epochs without a higher tau after which an objective ends.
    n_rows : int
        Training pairs.
    rng : RandomState
        Draws the order of each epoch.
    tau : callable, optional
        Computes Kendall's tau of held-out segments from the solver's present weights. The
        epoch with the highest is kept, the latest of equals (2015 paper, section 4).
    verbose : int, default=0
        Whether to show a progress bar.
    history : sequence of dict, default=()
        Epochs already trained, to continue.
    best_epoch : int, default=0
        The one among them that was kept.

    Returns
    -------
    Course
        The best state, and what happened.

    Raises
    ------
    FloatingPointError
        If cost or weights are no longer finite.
    KeyboardInterrupt
        If it came before the first epoch was finished.

    Warns
    -----
    UserWarning
        If a keyboard interrupt ended training; the best epoch so far is kept.
    """
    history = list(history)
    best = solver.state()
    best_tau = tau() if tau is not None and history else -np.inf
    try:
        for objective in objectives:
            solver.restore(best)
            solver.start(objective)
            waited = 0
            bar = tqdm(total=max_epochs, desc=objective, unit="epoch", disable=not verbose)
            with bar:
                for _ in range(max_epochs):
                    began = perf_counter()
                    loss = solver.epoch(rng.permutation(n_rows))
                    finite = all(np.isfinite(values).all() for values in solver.weights().values())
                    if not (np.isfinite(loss) and finite):
                        raise FloatingPointError(
                            f"Training diverged in epoch {len(history) + 1}, with the cost {loss}: "
                            "scale the features (MinMaxScaler(feature_range=(-1, 1))) or lower lr."
                        )
                    reached = None if tau is None else tau()
                    history.append(
                        {
                            "epoch": len(history) + 1,
                            "objective": objective,
                            "loss": float(loss),
                            "tau": reached,
                            "seconds": perf_counter() - began,
                        }
                    )
                    bar.update()
                    bar.set_postfix({k: history[-1][k] for k in ("loss", "tau")}, refresh=False)
                    waited = 0 if reached is None or reached > best_tau else waited + 1
                    if reached is None or reached >= best_tau:
                        best, best_epoch = solver.state(), len(history)
                        best_tau = -np.inf if reached is None else reached
                    if patience is not None and waited >= patience:
                        break
    except KeyboardInterrupt:
        if not best_epoch:
            raise
        warnings.warn(
            f"Training was interrupted after {len(history)} epoch(s); epoch {best_epoch} is kept.",
            stacklevel=4,
        )
    solver.restore(best)
    return Course(best, history, best_epoch)
