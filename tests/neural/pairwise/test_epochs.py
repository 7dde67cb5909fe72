"""Which epoch is kept, when training ends: a solver and taus that follow a script."""

import numpy as np
import pytest
from network_by_hand import make_pairs

from sklearn_mteval import PairwiseNN
from sklearn_mteval.neural.pairwise.epochs import train
from sklearn_mteval.neural.pairwise.solvers import CompiledSolver
from sklearn_mteval.neural.pairwise.torch_solver import TorchSolver

SOLVERS = {"numba": CompiledSolver, "torch": TorchSolver}


class Script:
    """A solver whose weight is the list of epochs that led to it."""

    def __init__(self, taus=(), losses=(), interrupt=None):
        self.taus, self.losses, self.interrupt = list(taus), list(losses), interrupt
        self.path, self.epochs, self.orders, self.starts = (), 0, [], []

    @property
    def objective(self):
        return self.starts[-1][0]

    @objective.setter
    def objective(self, objective):
        self.starts.append((objective, self.path))

    def epoch(self, order):
        self.epochs += 1
        if self.epochs == self.interrupt:
            raise KeyboardInterrupt
        self.orders.append(order.tolist())
        self.path = (*self.path, self.epochs)
        return self.losses[self.epochs - 1] if self.losses else 1 / self.epochs

    def weights(self):
        return {"path": np.array(self.path, dtype=float)}

    def tau(self):
        return self.taus[self.epochs - 1]

    def state(self):
        return {"path": self.path}

    def restore(self, state):
        self.path = state["path"]


def run(script, objectives=("logistic",), *, tau=True, history=(), **options):
    net = PairwiseNN(**{"max_epochs": 10, "patience": None, **options})
    net.history_, net.best_epoch_ = history, 0
    rng, tau = np.random.RandomState(0), script.tau if tau else None
    return train(net, script, objectives, 5, rng, fresh=not history, one_epoch=False, tau=tau)


def test_the_best_epoch_is_kept():
    script = Script([0.1, 0.5, 0.4, 0.2])
    course = run(script, max_epochs=4)
    assert course.best_epoch == 2
    assert course.state == {"path": (1, 2)} == script.state()
    assert [epoch["tau"] for epoch in course.history] == [0.1, 0.5, 0.4, 0.2]


def test_of_equal_epochs_the_latest_is_kept():
    assert run(Script([0.5, 0.1, 0.5, 0.3]), max_epochs=4).best_epoch == 3


def test_negative_taus_too():
    assert run(Script([-0.9, -0.2, -0.4]), max_epochs=3).best_epoch == 2


def test_without_taus_the_last_epoch_is_kept():
    course = run(Script(), max_epochs=3, patience=1, tau=False)
    assert course.best_epoch == 3
    assert [epoch["tau"] for epoch in course.history] == [None] * 3


@pytest.mark.parametrize(
    ("taus", "patience", "n_epochs", "best"),
    [
        ([0.5, 0.4, 0.3, 0.9], 2, 3, 1),
        ([0.5, 0.4, 0.6, 0.3, 0.3, 0.9], 2, 5, 3),
        ([0.5, 0.5, 0.5, 0.9], 2, 3, 3),  # a tie is kept but is no progress
        ([0.5, 0.4, 0.3, 0.9], None, 4, 4),
        ([0.5, 0.6, 0.5], 1, 3, 2),
    ],
)
def test_patience_counts_epochs_without_a_higher_tau(taus, patience, n_epochs, best):
    course = run(Script(taus), max_epochs=len(taus), patience=patience)
    assert (len(course.history), course.best_epoch) == (n_epochs, best)


def test_the_second_objective_starts_from_the_best_epoch_of_the_first():
    script = Script([0.1, 0.7, 0.3, 0.2, 0.6, 0.8, 0.4, 0.5])
    course = run(script, ("logistic", "kendall"), patience=2)
    assert script.starts == [("logistic", ()), ("kendall", (1, 2))]
    assert course.state == {"path": (1, 2, 5, 6)}
    assert course.best_epoch == 6
    assert [epoch["objective"] for epoch in course.history] == ["logistic"] * 4 + ["kendall"] * 4


def test_a_second_objective_that_helps_nothing_is_forgotten():
    course = run(Script([0.1, 0.7, 0.3, 0.2, 0.6, 0.6]), ("logistic", "kendall"), patience=2)
    assert course.best_epoch == 2
    assert course.state == {"path": (1, 2)}


def test_history():
    history = [{"epoch": 1, "objective": "logistic", "loss": 9.0, "tau": 0.9, "seconds": 1.0}]
    course = run(Script([0.1, 0.2]), max_epochs=2, history=history)
    assert len(history) == 1
    assert course.history[0] == history[0]
    assert [(e["epoch"], e["loss"], e["tau"]) for e in course.history[1:]] == [
        (2, 1.0, 0.1),
        (3, 0.5, 0.2),
    ]
    assert all(set(epoch) == set(history[0]) for epoch in course.history)
    assert all(epoch["seconds"] >= 0 for epoch in course.history)
    assert course.best_epoch == 3  # of this course: the other's tau was of other weights


def test_every_epoch_has_all_rows_in_an_order_of_its_own():
    script = Script()
    run(script, max_epochs=20, tau=False)
    assert all(sorted(order) == list(range(5)) for order in script.orders)
    assert len({tuple(order) for order in script.orders}) > 10


@pytest.mark.parametrize(("interrupt", "best"), [(2, 1), (4, 2)])
def test_an_interrupt_keeps_the_best_epoch_so_far(interrupt, best):
    script = Script([0.2, 0.6, 0.3], interrupt=interrupt)
    message = rf"interrupted after {interrupt - 1} epoch\(s\); epoch {best} is kept"
    with pytest.warns(UserWarning, match=message):
        course = run(script)
    assert course.best_epoch == best
    assert script.path == tuple(range(1, best + 1))
    assert len(course.history) == interrupt - 1


def test_an_interrupt_before_there_is_anything_to_keep_is_one():
    with pytest.raises(KeyboardInterrupt):
        run(Script([0.2], interrupt=1))


@pytest.mark.parametrize("loss", [np.nan, np.inf])
def test_a_cost_that_is_no_number_is_an_error(loss):
    message = r"in epoch 3, .*: scale the features .* or lower learning_rate"
    with pytest.raises(FloatingPointError, match=message):
        run(Script(losses=[1.0, 1.0, loss]), tau=False)


@pytest.mark.parametrize("progress", [False, True])
def test_the_progress_bar_is_shown_only_on_demand(capsys, progress):
    run(Script([0.25, 0.5]), max_epochs=2, progress=progress)
    shown = capsys.readouterr().err
    assert (
        ("logistic" in shown and "2 of 2 epochs" in shown and "tau 0.5" in shown)
        if progress
        else not shown
    )


def interrupting(monkeypatch, solver, at):
    original, calls = SOLVERS[solver].epoch, []

    def epoch(self, order):
        calls.append(1)
        if len(calls) == at:
            raise KeyboardInterrupt
        return original(self, order)

    monkeypatch.setattr(SOLVERS[solver], "epoch", epoch)


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_interrupted_fit_is_a_fit_of_fewer_epochs(monkeypatch, solver):
    X, y = make_pairs(20)
    options = {"solver": solver, "random_state": 0, "patience": None}
    short = PairwiseNN(max_epochs=3, **options).fit(X, y)
    interrupting(monkeypatch, solver, at=4)
    with pytest.warns(UserWarning, match=r"interrupted after 3 epoch\(s\)") as caught:
        net = PairwiseNN(max_epochs=50, **options).fit(X, y)
    assert caught[0].filename == __file__
    assert len(net.history_) == 3
    assert net.best_epoch_ == short.best_epoch_
    np.testing.assert_array_equal(net.predict_proba(X), short.predict_proba(X))


@pytest.mark.parametrize("solver", SOLVERS)
def test_interrupted_in_the_middle_of_an_epoch_the_last_whole_one_is_kept(monkeypatch, solver):
    X, y = make_pairs(20)
    options = {"solver": solver, "random_state": 0, "validation_fraction": None}
    short = PairwiseNN(max_epochs=2, **options).fit(X, y)
    original, calls = SOLVERS[solver].epoch, []

    def epoch(self, order):
        calls.append(1)
        loss = original(self, order)
        if len(calls) == 3:  # weights have moved
            raise KeyboardInterrupt
        return loss

    monkeypatch.setattr(SOLVERS[solver], "epoch", epoch)
    with pytest.warns(UserWarning, match="epoch 2 is kept"):
        net = PairwiseNN(max_epochs=50, **options).fit(X, y)
    np.testing.assert_array_equal(net.predict_proba(X), short.predict_proba(X))


@pytest.mark.parametrize("solver", SOLVERS)
def test_divergence_is_an_error(solver):
    X, y = make_pairs(20)
    net = PairwiseNN(
        solver=solver, architecture="single-layer", learning_rate=1e30, validation_fraction=None
    )
    with pytest.raises(FloatingPointError, match="scale the features"):
        net.fit(X * 1e20, y)


@pytest.mark.parametrize("solver", SOLVERS)
def test_fit_shows_a_bar_for_each_objective(capsys, solver):
    X, y = make_pairs(6)
    net = PairwiseNN(loss="logistic+kendall", max_epochs=2, solver=solver, random_state=0)
    net.fit(X, y)
    assert capsys.readouterr() == ("", "")
    net.set_params(progress=True).fit(X, y)
    shown = capsys.readouterr().err
    assert "logistic" in shown and "kendall" in shown and "tau " in shown
