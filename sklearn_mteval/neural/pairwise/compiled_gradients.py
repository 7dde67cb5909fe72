"""The compiled solver: one epoch of mini-batch Adagrad with gradients derived by hand.

Imported on first use: numba is slow to load. The same steps in the same order as the torch
network takes them, in single precision; ``losses`` derives the slopes.
"""

import math

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

__all__ = ["KENDALL", "LOGISTIC", "run_epoch", "slope"]

LOGISTIC, KENDALL = 0, 1

_EPSILON = np.float32(1e-10)  # torch.optim.Adagrad's
# Sums may be reordered, so that they use the processor's vectors; infinities stay infinities.
_FAST = {"fastmath": {"reassoc", "contract", "nsz"}, "error_model": "numpy"}


@compiled(**_FAST)
def _sigmoid(z):
    """Compute 1 / (1 + exp(−z)) in double precision."""
    return 1.0 / (1.0 + math.exp(-z))


@compiled(**_FAST)
def slope(forth, back, sign, objective, symmetric, gamma, beta):
    """Compute one pair's cost and its slopes (the formulas: ``losses``).

    Parameters
    ----------
    forth, back : float
        Network's output for (t1, t2) and for (t2, t1).
    sign : float
        +1 if t1 is better, −1 if t2 is.
    objective : int
        LOGISTIC or KENDALL.
    symmetric : bool
        Whether the log-odds are forth − back.
    gamma, beta : float
        γ and β of the Kendall cost.

    Returns
    -------
    tuple of 3 floats
        The cost, its slope in ``forth``, its slope in ``back``.
    """
    odds = forth - back if symmetric else forth
    if objective == LOGISTIC:
        margin = sign * odds
        cost = math.log1p(math.exp(-abs(margin))) + max(-margin, 0.0)
        d_forth = -sign * _sigmoid(-margin)
        return cost, d_forth, -d_forth if symmetric else 0.0
    first = _sigmoid(odds)
    second = _sigmoid(-odds) if symmetric else _sigmoid(back)
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
def _adagrad(values, squares, gradient, rate, decay):
    """Take one step (Duchi et al. 2011)."""
    values, squares, gradient = values.ravel(), squares.ravel(), gradient.ravel()
    for at in range(len(values)):
        d = gradient[at] + decay * values[at]
        squares[at] += d * d
        values[at] -= rate * d / (np.sqrt(squares[at]) + _EPSILON)


@compiled(**_FAST)
def run_epoch(
    X,
    signs,
    order,
    batch_size,
    weights,
    squares,
    connected,
    swap,
    objective,
    symmetric,
    rates,
    cost,
):
    """Train for one epoch, in place.

    Parameters
    ----------
    X : ndarray of shape (n_pairs, n_inputs), float32
        Rows as the network reads them.
    signs : ndarray of shape (n_pairs,), float64
        +1 where t1 is better, −1 where t2 is.
    order : ndarray of shape (n_pairs,), int64
        Rows in the order of this epoch.
    batch_size : int
        Rows of a step; the last may have fewer.
    weights, squares : tuple of 3 ndarrays, float32
        weight, bias, output_weight, and Adagrad's sums of squares.
    connected : ndarray of shape (n_inputs, n_hidden + 1), float32
        1 where there is a connection.
    swap : ndarray of shape (n_inputs,), int64
        The order of inputs that exchanges t1 and t2.
    objective : int
        LOGISTIC or KENDALL.
    symmetric : bool
        Whether the log-odds are antisymmetric by construction.
    rates : tuple of 2 float32
        Learning rate, L2 penalty (of weights, not of biases).
    cost : tuple of 2 floats
        γ and β of the Kendall cost.

    Returns
    -------
    float
        Mean cost of a pair, each taken before its batch's step.
    """
    weight, bias, output_weight = weights
    rate, decay = rates
    zero = np.float32(0)
    both = symmetric or objective == KENDALL
    total = 0.0
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        n = len(rows)
        x = X[rows]
        forth, back = np.empty(n, np.float32), np.zeros(n, np.float32)
        hidden = np.dot(x, weight)
        _activate(hidden, bias, output_weight, forth)
        if both:
            hidden_back = np.dot(x, weight[swap])
            _activate(hidden_back, bias, output_weight, back)
        for row in range(n):
            value, d_forth, d_back = slope(
                forth[row], back[row], signs[rows[row]], objective, symmetric, cost[0], cost[1]
            )
            total += value
            forth[row], back[row] = d_forth / n, d_back / n
        d_bias, d_output_weight = np.zeros_like(bias), np.zeros_like(output_weight)
        _propagate(hidden, forth, output_weight, d_bias, d_output_weight)
        d_weight = np.dot(x.T, hidden)
        if both:
            _propagate(hidden_back, back, output_weight, d_bias, d_output_weight)
            d_weight += np.dot(x.T, hidden_back)[swap]
        if symmetric:  # the output's bias cancels out: rounding must not move it
            d_bias[-1] = zero
        d_weight *= connected
        _adagrad(weight, squares[0], d_weight, rate, decay)
        _adagrad(bias, squares[1], d_bias, rate, zero)
        _adagrad(output_weight, squares[2], d_output_weight, rate, decay)
    return total / len(order)
