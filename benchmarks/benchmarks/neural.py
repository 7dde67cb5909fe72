"""PairwiseNN against skorch as it comes: 40,000 pairs, 3 × 75 inputs, 8 skip features, H = 4."""

import numpy as np
import pandas as pd
import torch
from skorch import NeuralNetBinaryClassifier
from torch import nn

from sklearn_mteval import PairwiseNN
from sklearn_mteval.neural import EncoderOptions
from sklearn_mteval.pairwise import decompose

from .common import seconds

BATCH = 30
N_PAIRS, EMBEDDING, SIMILARITY, HIDDEN = 40_000, 75, 4, 4
_HALF = 2 * EMBEDDING + SIMILARITY
_COLUMN_ROLES = {
    "hypothesis": slice(0, EMBEDDING),
    "reference": slice(EMBEDDING, 2 * EMBEDDING),
    "similarity": slice(2 * EMBEDDING, _HALF),
}


class AsInThePaper(nn.Module):
    """The network as one would write it down: three layers, a concatenation, an output."""

    def __init__(self):
        super().__init__()
        self.groups = nn.ModuleList(nn.Linear(2 * EMBEDDING, HIDDEN) for _ in range(3))
        self.output = nn.Linear(3 * HIDDEN + 2 * SIMILARITY, 1)

    def forward(self, X):
        """Compute the log-odds of rows [x_t1 | x_r | s_t1 | x_t2 | x_r | s_t2]."""
        t1, r, s1, t2, _, s2 = X.split([EMBEDDING, EMBEDDING, SIMILARITY] * 2, dim=1)
        seen = [torch.cat(pair, dim=1) for pair in ((t1, t2), (t1, r), (t2, r))]
        hidden = [torch.tanh(layer(x)) for layer, x in zip(self.groups, seen, strict=True)]
        return self.output(torch.cat([*hidden, s1, s2], dim=1)).squeeze(1)


def pair_table(dtype=np.float32):
    """Draw a pair table whose halves share their references, and labels."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (N_PAIRS, 2 * _HALF)).astype(dtype)
    X[:, _HALF + EMBEDDING : _HALF + 2 * EMBEDDING] = X[:, EMBEDDING : 2 * EMBEDDING]
    return X, (X[:, _HALF - 1] > X[:, -1]).astype(np.float32)


def as_it_comes():
    """Build skorch's own classifier with the papers' settings."""
    return NeuralNetBinaryClassifier(
        AsInThePaper,
        optimizer=torch.optim.Adagrad,
        lr=0.01,
        optimizer__weight_decay=1e-4,
        batch_size=BATCH,
        iterator_train__shuffle=True,
        train_split=None,
        verbose=0,
    )


def epoch_in_a_plain_loop(X, y):
    """Time an epoch of the network in torch and nothing else, the fastest of five."""
    X, y, net = torch.from_numpy(X), torch.from_numpy(y), AsInThePaper()
    optimizer = torch.optim.Adagrad(net.parameters(), lr=0.01, weight_decay=1e-4)

    def epoch():
        for rows in torch.randperm(len(X)).split(BATCH):
            optimizer.zero_grad()
            cost = nn.functional.binary_cross_entropy_with_logits(net(X[rows]), y[rows])
            cost.backward()
            optimizer.step()

    return seconds(epoch, repeat=5)


def ours(solver, **options):
    """Build PairwiseNN with nothing held out."""
    return PairwiseNN(
        solver=solver,
        column_roles=_COLUMN_ROLES,
        validation_fraction=None,
        random_state=0,
        **options,
    )


def epoch_of_ours(X, y, solver, **options):
    """Time an epoch, the fastest of five."""
    net = ours(solver, max_epochs=5, **options).fit(X, y)
    return min(epoch["seconds"] for epoch in net.history_)


class Training:
    """Seconds of an epoch, batches of 30."""

    timeout = 300
    unit = "times as fast as skorch's default"

    def setup_cache(self):
        torch.set_num_threads(1)
        X, y = pair_table()
        net = as_it_comes().set_params(max_epochs=3)
        net.fit(X, y)
        return min(epoch["dur"] for epoch in net.history)

    def setup(self, default):
        self.X, self.y = pair_table()

    def track_seconds_of_skorchs_default(self, default):
        return default

    track_seconds_of_skorchs_default.unit = "seconds"

    def track_torch_through_skorch(self, default):
        return default / epoch_of_ours(self.X, self.y, "torch")

    def track_torch_against_a_plain_loop(self, default):
        return epoch_in_a_plain_loop(self.X, self.y) / epoch_of_ours(self.X, self.y, "torch")

    track_torch_against_a_plain_loop.unit = "times as fast as a plain loop"

    def track_numba(self, default):
        return default / epoch_of_ours(self.X, self.y, "numba")

    def track_numba_symmetric(self, default):
        return default / epoch_of_ours(self.X, self.y, "numba", symmetric=True)


class EncodersOnTheFly:
    """A batch of 30 pairs whose texts are encoded in training, word vectors trained as well."""

    unit = "milliseconds a batch"
    params = ("average", "cnn", "lstm", "bilstm")
    param_names = ("kind",)
    timeout = 300

    def setup(self, kind):
        torch.set_num_threads(1)
        X, y = make_rankings_of_texts()
        self.pairs, self.labels = decompose(X, y)

    def track_training(self, kind):
        encoder = EncoderOptions(kind, n_dimensions=50, n_units=30)
        net = PairwiseNN(encoder=encoder, max_epochs=3, validation_fraction=None, random_state=0)
        net.fit(self.pairs, self.labels)
        n_batches = -(-len(self.labels) // net.batch_size)
        return 1000 * min(epoch["seconds"] for epoch in net.history_) / n_batches


def make_rankings_of_texts(n_segments=150, n_systems=5, n_words=25):
    """Draw sentences of a Zipf-like vocabulary, and ranks."""
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product(
        [range(n_segments), range(n_systems)], names=["segment", "system"]
    )
    words = np.array([f"w{k}" for k in range(5000)])
    drawn = words[np.minimum(rng.zipf(1.3, (2, len(index), n_words)), 5000) - 1]
    hypothesis, reference = ([" ".join(line) for line in text] for text in drawn)
    reference = [reference[row - row % n_systems] for row in range(len(index))]
    X = pd.DataFrame({"hypothesis": hypothesis, "reference": reference}, index=index, dtype=object)
    return X, pd.Series(rng.permutation(len(index)), index=index)


class Prediction:
    """Decisions on a pair table."""

    unit = "million pairs a second"
    params = ("float32", "float64")
    param_names = ("dtype",)

    def setup(self, dtype):
        torch.set_num_threads(1)
        self.X, self.y = pair_table(np.dtype(dtype))
        self.net = ours("numba", max_epochs=1).fit(self.X, self.y)

    def track_ours(self, dtype):
        return N_PAIRS / seconds(lambda: self.net.predict(self.X)) / 1e6

    def track_symmetric(self, dtype):
        self.net = ours("numba", max_epochs=1, symmetric=True).fit(self.X, self.y)
        return self.track_ours(dtype)

    def track_skorchs_default(self, dtype):
        net = as_it_comes().set_params(max_epochs=1).initialize()
        X = self.X.astype(np.float32)
        return N_PAIRS / seconds(lambda: net.predict(X)) / 1e6
