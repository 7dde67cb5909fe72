"""Training in torch, level by level as the compiled code. Imported on first use."""

from itertools import pairwise

import numpy as np
import torch
from torch.nn import functional

from sklearn_mteval.linguistic.reval.weights import COMPOSITION
from sklearn_mteval.neural.pairwise.adagrad_state import TensorState


class TorchSolver(TensorState):
    """Train a ReValRegressor's weights on a device; arguments as ``CompiledSolver``'s."""

    def __init__(
        self, pairs, targets, forest, vectors, weights, *, batch_size, lr, l2, device="cpu"
    ):
        self._pairs, self._targets, self._forest = pairs, targets, forest
        self._vectors = torch.from_numpy(vectors).to(device)
        self._batch_size = batch_size
        self._weights = {
            name: torch.tensor(values, device=device, requires_grad=True)
            for name, values in weights.items()
        }
        self._optimizer = torch.optim.Adagrad(self._weights.values(), lr=lr, weight_decay=l2)

    def epoch(self, order):
        """Train on all pairs once, in an order; return the mean cost, each before its step."""
        costs, sizes = [], []
        for start in range(0, len(order), self._batch_size):
            rows = order[start : start + self._batch_size]
            self._optimizer.zero_grad()
            batch = self._pairs[rows], self._targets[rows], self._forest
            cost = batch_cost(*batch, self._vectors, self._weights)
            cost.backward()
            self._optimizer.step()
            costs.append(cost.detach())
            sizes.append(len(rows))
        return float(np.average(torch.stack(costs).cpu().numpy(), weights=sizes))

    def weights(self):
        """Return the present weights."""
        return {name: values.detach().cpu().numpy() for name, values in self._weights.items()}

    def _tensors(self):
        """Yield names, weights and their sums of squares."""
        for name, values in self._weights.items():
            yield name, values, self._optimizer.state[values]["sum"]


def batch_cost(pairs, targets, forest, vectors, weights):
    """Compute the mean KL(p || p̂) of pairs of texts, numbered in a forest, as a tensor."""
    from sklearn_mteval.linguistic.reval.compiled import assemble

    device = vectors.device
    texts, pairs = np.unique(pairs, return_inverse=True)
    words, word_of, parents, starts, roots = (
        torch.from_numpy(values).to(device) for values in assemble(texts, forest)
    )
    hidden = _hidden(vectors[words], word_of, parents, starts.tolist(), weights)
    # A text without words has the root -1, here the zeros behind all nodes.
    encoded = torch.cat([hidden, hidden.new_zeros(1, hidden.shape[1])])[roots]
    numbers = torch.from_numpy(pairs.reshape(-1, 2)).to(device)
    first, second = encoded[numbers[:, 0]], encoded[numbers[:, 1]]
    seen = torch.cat([first * second, (first - second).abs()], dim=1)
    units = torch.sigmoid(seen @ weights["similarity"] + weights["similarity_bias"])
    logits = units @ weights["output"] + weights["output_bias"]
    logs = torch.log_softmax(logits, dim=1)
    return functional.kl_div(logs, torch.from_numpy(targets).to(device), reduction="batchmean")


def _hidden(vectors, word_of, parents, starts, weights):
    """Compute the hidden states of all nodes of a forest."""
    weight, bias, hidden_weight, forget_weight, hidden_bias = (weights[n] for n in COMPOSITION)
    m, own = hidden_weight.shape
    inputs = vectors @ weight + (bias + hidden_bias)
    # What the children of each node of the next levels have given so far.
    memory = inputs.new_zeros(len(word_of), m)
    sums = inputs.new_zeros(len(word_of), m)
    found = []
    for a, b in pairwise(starts):
        gates = inputs[word_of[a:b], :own] + sums[a:b] @ hidden_weight
        c = torch.sigmoid(gates[:, :m]) * torch.tanh(gates[:, m : 2 * m]) + memory[a:b]
        h = torch.tanh(c)
        if own > 2 * m:
            h = h * torch.sigmoid(gates[:, 2 * m :])
        found.append(h)
        there = torch.nonzero(parents[a:b] >= 0)[:, 0]
        above = parents[a:b][there]
        forgets = torch.sigmoid(inputs[word_of[above], own:] + h[there] @ forget_weight)
        memory = memory.index_add(0, above, forgets * c[there])
        sums = sums.index_add(0, above, h[there])
    return torch.cat(found) if found else inputs.new_zeros(0, m)
