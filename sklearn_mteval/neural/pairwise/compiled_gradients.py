"""The compiled solver: an epoch of mini-batch Adagrad, the torch network's steps in their order."""

import math

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

# Of losses.OBJECTIVES; numbers that stand here, because cached machine code knows of no other file.
CODES = {"logistic": 0, "kendall": 1}
_LOGISTIC = CODES["logistic"]


_EPSILON = np.float32(1e-10)  # torch.optim.Adagrad's
# Sums may be reordered, so that they use the processor's vectors; infinities stay infinities.
_FAST = {"fastmath": {"reassoc", "contract", "nsz"}, "error_model": "numpy"}


@compiled(**_FAST)
def _sigmoid(z):
    """Compute 1 / (1 + exp(−z)) in double precision."""
    return 1.0 / (1.0 + math.exp(-z))


@compiled(**_FAST)
def slope(forth, back, sign, objective, symmetric, gamma, beta):
    """Compute one pair's cost, one of CODES, and its slopes in both directions' outputs."""
    # With p = sig(z), dp/dz = p (1 − p). Where symmetric, z = forth − back enters both f(t1, t2)
    # = p and f(t2, t1) = 1 − p, so that Δ = 2 p − 1 and dΔ/dz is twice as much; back's slope is
    # forth's with the opposite sign.
    logit = forth - back if symmetric else forth
    if objective == _LOGISTIC:
        margin = sign * logit
        cost = math.log1p(math.exp(-abs(margin))) + max(-margin, 0.0)
        d_forth = -sign * _sigmoid(-margin)
        return cost, d_forth, -d_forth if symmetric else 0.0
    first = _sigmoid(logit)
    second = _sigmoid(-logit) if symmetric else _sigmoid(back)
    gap = first - second
    discordance = _sigmoid(-gamma * sign * gap)
    tie = math.exp(-0.5 * beta * gap * gap)
    d_gap = -gamma * sign * discordance * (1.0 - discordance) - beta * gap * tie
    if symmetric:
        d_forth = 2.0 * d_gap * first * (1.0 - first)
        return discordance + tie, d_forth, -d_forth
    d_forth = d_gap * first * (1.0 - first)
    return discordance + tie, d_forth, -d_gap * second * (1.0 - second)


@compiled(**_FAST)
def _activate(sums, bias, output_weight, output):
    """Replace the hidden units' sums by their tanh; fill in the outputs."""
    one, two = np.float32(1), np.float32(2)
    n_hidden = len(output_weight)
    for row in range(len(sums)):
        total = sums[row, n_hidden] + bias[n_hidden]
        for unit in range(n_hidden):
            # The same as tanh, and four times faster than the C library's.
            value = one - two / (one + math.exp(two * (sums[row, unit] + bias[unit])))
            sums[row, unit] = value
            total += output_weight[unit] * value
        output[row] = total


@compiled(**_FAST)
def _propagate(hidden, d_output, output_weight, d_bias, d_output_weight):
    """Turn hidden units into the slopes of their sums; add to the other gradients."""
    one = np.float32(1)
    n_hidden = len(output_weight)
    for row in range(len(hidden)):
        d = d_output[row]
        hidden[row, n_hidden] = d
        d_bias[n_hidden] += d
        for unit in range(n_hidden):
            value = hidden[row, unit]
            d_output_weight[unit] += d * value
            hidden[row, unit] = d * output_weight[unit] * (one - value * value)
            d_bias[unit] += hidden[row, unit]


@compiled(**_FAST)
def adagrad(values, squares, gradient, rate, decay):
    """Take one step (Duchi et al. 2011), with the slope of the L2 penalty, in place."""
    values, squares, gradient = values.ravel(), squares.ravel(), gradient.ravel()
    for at in range(len(values)):
        d = gradient[at] + decay * values[at]
        squares[at] += d * d
        values[at] -= rate * d / (np.sqrt(squares[at]) + _EPSILON)


@compiled(**_FAST)
def run_epoch(pairs, order, weights, squares, connections, both_directions, cost, rates):
    """Train for one epoch, in place; return the mean cost, of each pair before its batch's step.

    ``pairs`` are rows, signs and the size of a batch; ``weights`` and ``squares`` weight, bias,
    output_weight and Adagrad's sums; ``connections`` 1 where there is one, and the inputs' order
    that exchanges t1 and t2; ``cost`` what ``slope`` is told; ``rates`` learning rate, L2 penalty.
    """
    X, signs, batch_size = pairs
    weight, bias, output_weight = weights
    connected, swapped = connections
    rate, decay = rates
    zero = np.float32(0)
    total = 0.0
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        n = len(rows)
        x = X[rows]
        forth, back = np.empty(n, np.float32), np.zeros(n, np.float32)
        hidden = np.dot(x, weight)
        _activate(hidden, bias, output_weight, forth)
        if both_directions:
            hidden_back = np.dot(x, weight[swapped])
            _activate(hidden_back, bias, output_weight, back)
        for row in range(n):
            value, d_forth, d_back = slope(forth[row], back[row], signs[rows[row]], *cost)
            total += value
            forth[row], back[row] = d_forth / n, d_back / n
        d_bias, d_output_weight = np.zeros_like(bias), np.zeros_like(output_weight)
        _propagate(hidden, forth, output_weight, d_bias, d_output_weight)
        d_weight = np.dot(x.T, hidden)
        if both_directions:
            _propagate(hidden_back, back, output_weight, d_bias, d_output_weight)
            # The gradient of x W[swapped] in W; the permutation is its own inverse.
            d_weight += np.dot(x.T, hidden_back)[swapped]
        if cost[1]:  # symmetric: the output's bias cancels out: rounding must not move it
            d_bias[-1] = zero
        d_weight *= connected  # missing connections start at 0, and so stay there
        adagrad(weight, squares[0], d_weight, rate, decay)
        adagrad(bias, squares[1], d_bias, rate, zero)
        adagrad(output_weight, squares[2], d_output_weight, rate, decay)
    return total / len(order)
