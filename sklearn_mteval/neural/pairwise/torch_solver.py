"""Training in torch, through skorch. Imported on first use: torch is slow to load.

Tensors are sliced into batches: torch's data loader takes longer than this small network.
"""

import numpy as np
import torch
from skorch import NeuralNet
from torch import nn

from sklearn_mteval.neural.pairwise.adagrad_state import TensorState
from sklearn_mteval.neural.pairwise.architectures import connections, zero_weights
from sklearn_mteval.neural.pairwise.input_rows import interleave
from sklearn_mteval.neural.pairwise.losses import pair_costs

# Batches that are cut together; those of texts after sorting by length, so that they pad little.
_BUCKET = 50


class PairNetwork(nn.Module):
    """Hidden units on pairs of embeddings, skip arcs, one output; ``both``: also of (t2, t1)."""

    # One masked matrix product computes all hidden units and the skip arcs: three separate layers
    # and a concatenation cost twice the time.

    def __init__(self, architecture, layout, hidden_units, *, both=False):
        super().__init__()
        connected = connections(architecture, layout, hidden_units)
        for name, values in zero_weights(connected).items():
            self.register_parameter(name, nn.Parameter(torch.from_numpy(values)))
        self.both = both
        self.register_buffer("connected", torch.from_numpy(connected).float(), persistent=False)
        # Weights of missing connections start at 0; without a gradient they stay there.
        self.weight.register_hook(lambda gradient: gradient * self.connected)
        self.register_buffer("swapped", torch.from_numpy(layout.swapped), persistent=False)

    def forward(self, X):
        """Compute z(t1, t2) and, if ``both``, z(t2, t1), else None, from input rows."""
        forth = self._output(X, self.weight)
        return forth, self._output(X, self.weight[self.swapped]) if self.both else None

    def _output(self, X, weight):
        """Run one direction."""
        sums = torch.addmm(self.bias, X, weight)  # few, fused operations: they are what costs
        hidden = torch.tanh(sums[:, :-1])
        return torch.addmv(sums[:, -1], hidden, self.output_weight)


class EncodedPairNetwork(PairNetwork):
    """A pair network on texts that a WordEncoder turns into vectors (2017 paper, section 5.6)."""

    def __init__(self, encoder, *network, **options):
        super().__init__(*network, **options)
        self.encoder = encoder

    def forward(self, numbers, tokens, lengths, texts):
        """Encode the batch's texts and run the network; ``texts`` says which are t1's and t2's."""
        encoded = self.encoder(tokens, lengths)
        vectors = [encoded[text] for text in texts.T]
        return super().forward(torch.cat(interleave(vectors, numbers), dim=1))


class Pairs(torch.utils.data.Dataset):
    """Input rows, float32, and signs; ``batches`` cuts them in the present ``order``."""

    def __init__(self, X, signs, batch_size, device):
        self.X = torch.from_numpy(X).to(device)
        self.signs = torch.from_numpy(signs.astype(np.float32)).to(device)
        self.batch_size = batch_size
        self.order = np.arange(len(signs))

    def __len__(self):
        return len(self.signs)

    def batches(self):
        """Yield arguments of the network, and signs."""
        order = torch.from_numpy(self.order).to(self.X.device)
        for rows in order.split(_BUCKET * self.batch_size):  # one copy for many batches
            inputs, signs = (
                values.index_select(0, rows).split(self.batch_size)
                for values in (self.X, self.signs)
            )
            yield from zip(zip(inputs), signs, strict=True)


class EncodedPairs(Pairs):
    """Numbers in four parts of ``widths``, signs, and Texts to encode, ``by_length`` or not."""

    def __init__(self, X, signs, batch_size, device, texts, *, widths, by_length):
        super().__init__(X, signs, batch_size, device)
        self.widths = widths
        lengths = np.diff(texts.bounds)
        self.of_pair, self.tokens, self.begins, self.lengths = (
            torch.from_numpy(values).to(device)
            for values in (texts.of_pair, texts.tokens, texts.bounds[:-1], lengths)
        )
        self.longest = lengths[texts.of_pair].max(axis=1) if by_length else None

    def batches(self):
        """Yield arguments of the network, the words of the batch's distinct texts among them."""
        for rows in self._cut():
            distinct, texts = torch.unique(self.of_pair[rows], return_inverse=True)
            lengths = self.lengths[distinct]
            # Positions of the texts' words: 0, 1, … over all, shifted to where each text begins.
            ends = torch.cumsum(lengths, 0)
            at = torch.arange(int(ends[-1]), device=ends.device)
            at += torch.repeat_interleave(self.begins[distinct] - ends + lengths, lengths)
            numbers = self.X[rows].split(self.widths, dim=1)
            yield (numbers, self.tokens[at], lengths, texts), self.signs[rows]

    def _cut(self):
        """Return the rows of each batch."""
        if self.longest is None:
            return torch.from_numpy(self.order).to(self.X.device).split(self.batch_size)
        batches = []
        bucket = _BUCKET * self.batch_size
        for some in np.split(self.order, range(bucket, len(self.order), bucket)):
            by_length = some[np.argsort(self.longest[some], kind="stable")]
            batches += torch.from_numpy(by_length).split(self.batch_size)
        # The order is random, so batches in the order of their first row's place are shuffled.
        place = np.empty(len(self.order), dtype=np.int64)
        place[self.order] = np.arange(len(self.order))
        batches.sort(key=lambda rows: place[rows[0]])
        return [rows.to(self.X.device) for rows in batches]


class SlicingNet(NeuralNet):
    """A net of skorch with sliced batches; ``cost`` gives a mean cost, and the same penalised."""

    def __init__(self, module, *, cost, **options):
        super().__init__(module, criterion=torch.nn.Identity, **options)
        self.cost = cost

    def get_iterator(self, dataset, training=False):
        """Slice, do not load."""
        return dataset.batches()

    def train_step(self, batch, **fit_params):
        """Take one step; return the batch's mean cost."""
        inputs, signs = batch
        for group in self.optimizer_.param_groups:
            for parameter in group["params"]:  # zero_grad() does the same, and much besides
                parameter.grad = None
        cost, penalised = self.cost(self.module_(*inputs), signs)
        penalised.backward()
        self.optimizer_.step()
        return cost.detach()

    def run_single_epoch(self, iterator, training, prefix, step_fn, **fit_params):
        """Run all batches; note the mean cost of a pair."""
        if iterator is None:
            return
        self._set_training(training)
        costs, sizes = [], []
        for batch in iterator:
            costs.append(step_fn(batch))
            sizes.append(len(batch[1]))
        cost = np.average(torch.stack(costs).cpu().numpy(), weights=sizes)
        self.history.record(f"{prefix}_loss", float(cost))


class TorchSolver(TensorState):
    """Train a pair network, with or without an encoder, on Pairs."""

    def __init__(self, module, pairs, *, costs, penalties, device, lr, l2):
        self._pairs, self._costs, self._penalties = pairs, costs, penalties
        dense = {"fused" if torch.device(device).type == "cpu" else "foreach": True}
        # L2 on weights but not on biases; changes of word vectors have sparse gradients.
        groups = [
            ("*bias*", {"weight_decay": 0.0, **dense}),
            ("*change", {"weight_decay": 0.0, "foreach": False, "fused": False}),
            ("*", {"weight_decay": l2, **dense}),
        ]
        self.net = SlicingNet(
            module, cost=self._cost, optimizer=torch.optim.Adagrad, optimizer__param_groups=groups,
            lr=lr, device=device, train_split=None, callbacks="disable", verbose=0
        ).initialize()  # fmt: skip

    def epoch(self, order):
        """Train on all rows once, in an order; return the mean cost."""
        self._pairs.order = order
        unchecked = torch.sparse.check_sparse_tensor_invariants(enable=False)  # else it warns
        with torch.enable_grad(), unchecked:
            self.net.fit_loop(self._pairs, epochs=1)
        return self.net.history[-1]["train_loss"]

    def weights(self):
        """Return the present weights, without an encoder's."""
        parameters = self.net.module_.named_parameters(recurse=False)
        return {name: values.detach().cpu().numpy() for name, values in parameters}

    def _tensors(self):
        """Yield names, parameters and their sums of squares."""
        for name, parameter in self.net.module_.named_parameters():
            yield name, parameter, self.net.optimizer_.state[parameter]["sum"]

    def _cost(self, outputs, signs):
        """Average the pairs' costs; add the penalty of word vectors."""
        cost = pair_costs(*outputs, signs, objective=self.objective, **self._costs).mean()
        encoder = getattr(self.net.module_, "encoder", None)
        return cost, cost if encoder is None else cost + encoder.penalty(*self._penalties)
