"""The course of training: epochs, the best of them, early stopping, interruption.

A solver has an ``objective``, ``epoch(order)``, which returns the mean cost, ``weights()``,
``state()`` and ``restore(state)``.
"""

import warnings
from time import perf_counter
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.progress import working


class Course(NamedTuple):
    """What training came to; ``best_epoch`` counts from 1, 0 if not one was finished."""

    state: dict
    history: list
    best_epoch: int


def seeded(random_state, history):
    """Seed the random numbers; of another epoch, if training goes on."""
    if history and isinstance(random_state, int | np.integer):
        random_state = (int(random_state) + len(history)) % 2**32
    return check_random_state(random_state)


def train(net, solver, objectives, n_rows, rng, *, fresh, one_epoch, tau=None, measure="tau"):
    """Train until no better epoch comes, by ``tau``, for each objective from the best so far."""
    history, best_epoch = ([], 0) if fresh else (list(net.history_), net.best_epoch_)
    max_epochs, patience = (1, None) if one_epoch else (net.max_epochs, net.patience)
    best = _Best(solver, best_epoch, tau() if tau is not None and history else -np.inf)
    try:
        for objective in objectives:
            solver.restore(best.state)
            # The optimiser's memory stays: it has learnt how far to step, and a fresh one would in
            # its first steps undo what was trained before.
            solver.objective = objective
            best.waited = 0
            with working(objective, max_epochs, "epochs", shown=net.progress) as step:
                for _ in range(max_epochs):
                    began, number = perf_counter(), len(history) + 1
                    loss = _train_epoch(solver, rng.permutation(n_rows), number)
                    reached = None if tau is None else tau()
                    found = {"loss": loss, measure: reached}
                    seconds = {"seconds": perf_counter() - began}
                    history.append({"epoch": number, "objective": objective, **found, **seconds})
                    note = "" if reached is None else f", {measure} {reached:.3g}"
                    step.advance(note=f"loss {loss:.3g}{note}")
                    best.compare(number, reached)
                    if patience is not None and best.waited >= patience:
                        break
    except KeyboardInterrupt:
        if not best.epoch:
            raise
        warnings.warn(
            f"Training was interrupted after {len(history)} epoch(s); epoch {best.epoch} is kept.",
            stacklevel=5,
        )
    solver.restore(best.state)
    return Course(best.state, history, best.epoch)


class _Best:
    """The best epoch so far, and how many have passed since its tau was reached."""

    def __init__(self, solver, epoch, tau):
        self._solver, self._tau = solver, tau
        self.state, self.epoch, self.waited = solver.state(), epoch, 0

    def compare(self, epoch, tau):
        """Take an epoch, the present one, if it is at least as good; without tau it is."""
        # The latest of equal epochs is kept (2015 paper, section 4), but only a higher tau is
        # progress.
        self.waited = 0 if tau is None or tau > self._tau else self.waited + 1
        if tau is None or tau >= self._tau:
            self.state, self.epoch = self._solver.state(), epoch
            self._tau = -np.inf if tau is None else tau


def _train_epoch(solver, order, number):
    """Train for one epoch; return the mean cost, which is finite, as all weights are."""
    loss = solver.epoch(order)
    finite = all(np.isfinite(values).all() for values in solver.weights().values())
    if not (np.isfinite(loss) and finite):
        raise FloatingPointError(
            f"Training diverged in epoch {number}, with the cost {loss}: scale the features "
            "(MinMaxScaler(feature_range=(-1, 1))) or lower learning_rate."
        )
    return float(loss)
