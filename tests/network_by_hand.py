"""The papers' network in plain loops, and pair tables to feed it: oracles of these tests."""

import math

import numpy as np
import pandas as pd

ARCHITECTURES = ("pairwise", "fully-connected", "single-layer")
OBJECTIVES = ("logistic", "kendall")

# 2015 paper, section 3.2: h12 sees both translations, h1r and h2r one and the reference.
GROUPS = {"pairwise": ("12", "1r", "2r"), "fully-connected": ("12r",) * 3, "single-layer": ()}


def sigmoid(z):
    return 1 / (1 + math.exp(-z)) if z > -700 else 0.0


def make_pairs(n_segments=10, n_systems=3, *, d=2, r=None, k=1, seed=0):
    """Every ordered pair of systems of each segment, and whether t1 is better.

    Columns of each half: similarity features, hypothesis's embedding, reference's.
    """
    rng = np.random.default_rng(seed)
    r = d if r is None else r
    names = [f"bleu{at}" for at in range(k)]
    names += [f"avg__hypothesis_emb{at}" for at in range(d)]
    names += [f"avg__reference_emb{at}" for at in range(r)]
    direction = rng.normal(size=len(names))
    rows, labels, index = [], [], []
    for segment in range(n_segments):
        values = rng.uniform(-1, 1, (n_systems, len(names)))
        if r:
            values[:, -r:] = values[0, -r:]
        quality = values @ direction + rng.normal(scale=0.3, size=n_systems)
        for i in range(n_systems):
            for j in range(n_systems):
                if i != j:
                    rows.append(np.concatenate([values[i], values[j]]))
                    labels.append(int(quality[i] > quality[j]))
                    index.append((segment, f"s{i}", f"s{j}"))
    columns = [f"t1__{name}" for name in names] + [f"t2__{name}" for name in names]
    levels = pd.MultiIndex.from_tuples(index, names=["segment", "system_1", "system_2"])
    X = pd.DataFrame(np.array(rows).reshape(len(rows), -1), index=levels, columns=columns)
    return X, np.array(labels)


def parts_of_row(row, d, r, k):
    """A row of make_pairs as x_t1, x_t2, x_r, s_t1, s_t2."""
    row = [float(value) for value in row]
    first, second = row[: k + d + r], row[k + d + r :]
    return first[k : k + d], second[k : k + d], first[k + d :], first[:k], second[:k]


def input_row(parts):
    """The row that the network reads."""
    return [value for part in parts for value in part]


def swap(parts):
    x1, x2, xr, s1, s2 = parts
    return x2, x1, xr, s2, s1


def paper_output(parts, weights, architecture, hidden_units):
    """z of 2015, eq. 3: w_v [phi, psi_1r, psi_2r] + b_v, one unit and one input at a time."""
    x1, x2, xr, s1, s2 = parts
    x = {"1": x1, "2": x2, "r": xr}
    first_row = {"1": 0, "2": len(x1), "r": 2 * len(x1)}
    weight, bias = weights["weight"], weights["bias"]
    z, unit = float(bias[-1]), 0
    for group in GROUPS[architecture]:
        if not any(x[part] for part in group):
            continue
        for _ in range(hidden_units):
            total = float(bias[unit])
            for part in group:
                for at, value in enumerate(x[part]):
                    total += float(weight[first_row[part] + at, unit]) * value
            z += float(weights["output_weight"][unit]) * math.tanh(total)
            unit += 1
    skipped = input_row((x1, x2, xr)) if architecture == "single-layer" else []
    first = 0 if skipped else 2 * len(x1) + len(xr)
    for at, value in enumerate([*skipped, *s1, *s2]):
        z += float(weight[first + at, -1]) * value
    return z


def paper_cost(forth, back, sign, objective, symmetric, *, gamma=100.0, beta=100.0):
    """The cost of one pair, from what the papers say that it must do."""
    logit = forth - back if symmetric else forth
    p = sigmoid(logit)
    if objective == "logistic":
        return -math.log(p if sign > 0 else 1 - p)
    reverse = 1 - p if symmetric else sigmoid(back)
    gap = p - reverse
    discordant = sigmoid(-gamma * gap) if sign > 0 else sigmoid(gamma * gap)
    return discordant + math.exp(-beta * gap**2 / 2)


def penalised_cost(rows, signs, weights, network, objective, symmetric, l2):
    """Mean cost of a batch, and half the L2 penalty of the weights but not of the biases."""
    total = 0.0
    for parts, sign in zip(rows, signs, strict=True):
        forth = paper_output(parts, weights, *network)
        back = paper_output(swap(parts), weights, *network)
        total += paper_cost(forth, back, sign, objective, symmetric)
    squares = float((weights["weight"] ** 2).sum() + (weights["output_weight"] ** 2).sum())
    return total / len(rows) + 0.5 * l2 * squares


def adagrad(rows, signs, weights, network, objective, symmetric, *, order, batch_size, lr, l2):
    """One epoch of Duchi et al. (2011), with gradients by central differences, in doubles.

    Weights are those that are not zero, and biases; changed in place, as is the returned
    dict of sums of squares. With ``symmetric`` the output's bias cancels out and stays.
    """
    free = {name: values != 0 for name, values in weights.items()}
    free["bias"] = np.ones(len(weights["bias"]), dtype=bool)
    free["bias"][-1] = not symmetric
    squares = {name: np.zeros_like(values) for name, values in weights.items()}
    for epoch in order:
        for start in range(0, len(epoch), batch_size):
            batch = epoch[start : start + batch_size]
            data = [rows[at] for at in batch], [signs[at] for at in batch]
            gradients = {name: np.zeros_like(values) for name, values in weights.items()}
            for name, values in weights.items():
                for at in zip(*np.nonzero(free[name]), strict=True):
                    kept, costs = values[at], []
                    for step in (1e-6, -1e-6):
                        values[at] = kept + step
                        costs.append(
                            penalised_cost(*data, weights, network, objective, symmetric, l2)
                        )
                    values[at] = kept
                    gradients[name][at] = (costs[0] - costs[1]) / 2e-6
            for name, gradient in gradients.items():
                squares[name] += gradient**2
                weights[name] -= lr * gradient / (np.sqrt(squares[name]) + 1e-10)
    return squares
