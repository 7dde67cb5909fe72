"""Forward and backward passes over many trees at once, level by level, derived by hand.

The child-sum Tree-LSTM of Tai, Socher and Manning (2015, equations 2 to 8), of which ReVal (2015)
leaves out the output gate: h = tanh c; an LSTM is the same over chains. A *forest* is a batch of
trees whose nodes are sorted by height: each level is one product of matrices. Columns of gates:
input i, update u, output o if there is one, and forget f, of which a node has one for each child.
"""

# Nothing here is compiled with ``fastmath``: it lets copies of one function round differently, of
# which a process runs this or that one, depending on what it found in the cache.

import math

import numpy as np

from sklearn_mteval._helpers._kernels import add_row_products
from sklearn_mteval._helpers.compiled import compiled


@compiled(error_model="numpy")
def _tanh(x):
    """Approximate tanh by a ratio of polynomials, to 1e-7; unlike math's, it runs in vectors."""
    # Coefficients as in the library Eigen. Beyond the bounds float32 knows no more.
    kind = type(x)
    bound = kind(7.9053111)
    x = x if x < bound else bound
    x = x if x > -bound else -bound
    s = x * x
    p = kind(-2.76076847742355e-16) * s + kind(2.00018790482477e-13)
    p = p * s + kind(-8.60467152213735e-11)
    p = p * s + kind(5.12229709037114e-08)
    p = p * s + kind(1.48572235717979e-05)
    p = p * s + kind(6.37261928875436e-04)
    p = p * s + kind(4.89352455891786e-03)
    q = kind(1.19825839466702e-06) * s + kind(1.18534705686654e-04)
    q = q * s + kind(2.26843463243900e-03)
    q = q * s + kind(4.89352518554385e-03)
    return x * p / q


@compiled(error_model="numpy")
def _sigmoid(x):
    """Compute 1 / (1 + exp(−x)) = (1 + tanh(x / 2)) / 2."""
    half = type(x)(0.5)
    return half + half * _tanh(half * x)


@compiled
def heights_of(parents):
    """Compute the heights of nodes, 0 of leaves; parents, -1 of a root, stand before children."""
    heights = np.zeros(len(parents), np.int64)
    for node in range(len(parents) - 1, -1, -1):
        parent = parents[node]
        if parent >= 0:
            heights[parent] = max(heights[parent], heights[node] + 1)
    return heights


@compiled
def assemble(texts, forest):
    """Make one forest of some texts, given by number: its nodes, sorted by height.

    ``forest`` is (words, parents, heights, bounds) of all texts. Returned are the distinct words;
    each node's position among them; its parent's position or -1; where each level begins, and the
    last ends; and the position of each text's root, -1 where it has none. The order of nodes of
    equal height, and so that of a node's children, stays.
    """
    words, parents, heights, bounds = forest
    n, n_levels = 0, 0
    for text in texts:
        for node in range(bounds[text], bounds[text + 1]):
            n += 1
            n_levels = max(n_levels, heights[node] + 1)
    starts = np.zeros(n_levels + 1, np.int64)
    for text in texts:
        for node in range(bounds[text], bounds[text + 1]):
            starts[heights[node] + 1] += 1
    starts = np.cumsum(starts)
    free = starts.copy()  # where the next node of each height goes
    word_of, parent_of = np.empty(n, np.int64), np.empty(n, np.int64)
    roots = np.full(len(texts), -1, np.int64)
    place = np.empty(n, np.int64)  # of a text's nodes
    for k, text in enumerate(texts):
        begin = bounds[text]
        for node in range(begin, bounds[text + 1]):
            place[node - begin] = free[heights[node]]
            free[heights[node]] += 1
        for node in range(begin, bounds[text + 1]):
            at = place[node - begin]
            word_of[at] = words[node]
            if parents[node] < 0:
                parent_of[at] = -1
                roots[k] = at
            else:
                parent_of[at] = place[parents[node] - begin]
    distinct = np.unique(word_of)
    return distinct, np.searchsorted(distinct, word_of), parent_of, starts, roots


@compiled
def _product(a, b, out, by_rows):
    """Multiply matrices, ``by_rows`` singly: libraries add up otherwise for other sizes."""
    if by_rows:
        out[:] = 0
        add_row_products(a, b, out)
    else:
        np.dot(a, b, out)


@compiled(error_model="numpy")
def _activate(gates, memory, hidden, output_gate):
    """Turn sums into gates, in place; compute c, from what children gave to ``memory``, and h."""
    m = memory.shape[1]
    for row in range(len(gates)):
        g, c, h = gates[row], memory[row], hidden[row]
        for k in range(m):
            g[k] = _sigmoid(g[k])
        for k in range(m, 2 * m):
            g[k] = _tanh(g[k])
        for k in range(m):
            c[k] += g[k] * g[m + k]
            h[k] = _tanh(c[k])
        if output_gate:
            for k in range(m):
                g[2 * m + k] = _sigmoid(g[2 * m + k])
                h[k] *= g[2 * m + k]


@compiled(error_model="numpy")
def _forward(words, parents, starts, inputs, weights, by_rows):
    """Compute gates, forget gates, memory, hidden states and sums of children's hidden states."""
    hidden_weight, forget_weight = weights
    m, own = hidden_weight.shape
    n = len(words)
    gates = np.empty((n, own), inputs.dtype)
    forgets, hidden = np.empty((n, m), inputs.dtype), np.empty((n, m), inputs.dtype)
    memory, sums = np.zeros((n, m), inputs.dtype), np.zeros((n, m), inputs.dtype)
    for level in range(len(starts) - 1):
        a, b = starts[level], starts[level + 1]
        if level:
            _product(sums[a:b], hidden_weight, gates[a:b], by_rows)
            for row in range(a, b):
                x = inputs[words[row]]
                for k in range(own):
                    gates[row, k] += x[k]
        else:
            for row in range(a, b):
                gates[row] = inputs[words[row], :own]
        _activate(gates[a:b], memory[a:b], hidden[a:b], own > 2 * m)
        if level == len(starts) - 2:
            break
        _product(hidden[a:b], forget_weight, forgets[a:b], by_rows)
        for row in range(a, b):
            parent = parents[row]
            if parent < 0:
                continue
            x, f = inputs[words[parent]], forgets[row]
            c, h = memory[row], hidden[row]
            to_memory, to_sum = memory[parent], sums[parent]
            for k in range(m):
                f[k] = _sigmoid(f[k] + x[own + k])
                to_memory[k] += f[k] * c[k]
                to_sum[k] += h[k]
    return gates, forgets, memory, hidden, sums


@compiled(error_model="numpy")
def _backward(parents, starts, d_hidden, states, weights):
    """Compute the slopes of the sums of own and forget gates; ``d_hidden`` is written over."""
    hidden_weight, forget_weight = weights
    gates, forgets, memory, hidden, _ = states
    m, own = hidden_weight.shape
    d_gates, d_forgets = np.empty_like(gates), np.zeros_like(hidden)
    d_memory, d_sums = np.zeros_like(hidden), np.empty_like(hidden)
    returned = np.empty_like(hidden)
    for level in range(len(starts) - 2, -1, -1):
        a, b = starts[level], starts[level + 1]
        if level < len(starts) - 2:
            for row in range(a, b):
                parent = parents[row]
                if parent < 0:
                    continue
                f, d_c, d_parent = forgets[row], d_memory[row], d_memory[parent]
                for k in range(m):
                    one = type(f[k])(1)
                    d_forgets[row, k] = d_parent[k] * memory[row, k] * f[k] * (one - f[k])
                    d_c[k] = d_parent[k] * f[k]
                    d_hidden[row, k] += d_sums[parent, k]
            np.dot(d_forgets[a:b], forget_weight.T, returned[a:b])
            d_hidden[a:b] += returned[a:b]
        for row in range(a, b):
            g, d_g, d_h, d_c = gates[row], d_gates[row], d_hidden[row], d_memory[row]
            for k in range(m):
                h, one = hidden[row, k], type(d_h[k])(1)
                d_t = d_h[k]  # of tanh c
                if own > 2 * m:
                    t = _tanh(memory[row, k])
                    o = g[2 * m + k]
                    d_g[2 * m + k] = d_t * t * o * (one - o)
                    d_t *= o
                    h = t
                d = d_c[k] + d_t * (one - h * h)
                d_c[k] = d
                i, u = g[k], g[m + k]
                d_g[k] = d * u * i * (one - i)
                d_g[m + k] = d * i * (one - u * u)
        if level:
            np.dot(d_gates[a:b], hidden_weight.T, d_sums[a:b])
    return d_gates, d_forgets


@compiled(error_model="numpy")
def _head(pairs, texts, weights, by_rows):
    """Compute the similarity layers (2015, equation 2) of pairs of encoded texts."""
    weight, bias, output_weight, output_bias = weights
    n, m = len(pairs), texts.shape[1]
    seen = np.empty((n, 2 * m), texts.dtype)
    for row in range(n):
        first, second = texts[pairs[row, 0]], texts[pairs[row, 1]]
        for k in range(m):
            seen[row, k] = first[k] * second[k]
            seen[row, m + k] = abs(first[k] - second[k])
    units = np.empty((n, len(bias)), texts.dtype)
    _product(seen, weight, units, by_rows)
    logs = np.empty((n, len(output_bias)), texts.dtype)
    for row in range(n):
        for k in range(len(bias)):
            units[row, k] = _sigmoid(units[row, k] + bias[k])
    _product(units, output_weight, logs, by_rows)
    for row in range(n):
        highest = type(logs[0, 0])(-np.inf)
        for k in range(len(output_bias)):
            logs[row, k] += output_bias[k]
            highest = max(highest, logs[row, k])
        total = type(highest)(0)
        for k in range(len(output_bias)):
            total += math.exp(logs[row, k] - highest)
        for k in range(len(output_bias)):
            logs[row, k] -= highest + math.log(total)
    return seen, units, logs


@compiled
def _divergence(targets, logs):
    """Compute the sum of KL(p || p̂), and the slopes of its mean in the logits."""
    total, n = 0.0, len(logs)
    slopes = np.empty_like(logs)
    for row in range(n):
        for k in range(logs.shape[1]):
            p = targets[row, k]
            if p > 0:
                total += p * (math.log(p) - logs[row, k])
            slopes[row, k] = (math.exp(logs[row, k]) - p) / n
    return total, slopes


def encode(texts, forest, vectors, weights, by_rows):
    """Encode some texts as the hidden states of their roots, zeros for those without a word."""
    weight, bias, hidden_weight, forget_weight, hidden_bias = weights
    words, word_of, parents, starts, roots = assemble(texts, forest)
    inputs = np.empty((len(words), len(bias)), vectors.dtype)
    _product(vectors[words], weight, inputs, by_rows)
    inputs += bias + hidden_bias
    hidden = _forward(word_of, parents, starts, inputs, (hidden_weight, forget_weight), by_rows)[3]
    return _at_roots(hidden, roots)


def _at_roots(hidden, roots):
    """Return the hidden states of roots, zeros where there is none."""
    found = np.zeros((len(roots), hidden.shape[1]), hidden.dtype)
    found[roots >= 0] = hidden[roots[roots >= 0]]
    return found


def similarities(pairs, texts, weights):
    """Compute ŷ = rᵀp̂ of pairs of encoded texts, given by their numbers, float64."""
    return _expected(_head(pairs, texts, weights, True)[2])


@compiled
def _expected(logs):
    """Compute the expected class, from 1 on, of each row of logarithms of probabilities."""
    found = np.zeros(len(logs))
    for row in range(len(logs)):
        for k in range(logs.shape[1]):
            found[row] += (k + 1) * math.exp(np.float64(logs[row, k]))
    return found


@compiled
def _pair_slopes(pairs, encoded, d_seen):
    """Compute the slopes of encoded texts from those of their products and distances."""
    m = encoded.shape[1]
    d_encoded = np.zeros_like(encoded)
    for row in range(len(pairs)):
        i, j = pairs[row]
        for k in range(m):
            first, second = encoded[i, k], encoded[j, k]
            apart = d_seen[row, m + k] * np.sign(first - second)
            d_encoded[i, k] += d_seen[row, k] * second + apart
            d_encoded[j, k] += d_seen[row, k] * first - apart
    return d_encoded


@compiled
def _word_slopes(word_of, parents, d_gates, d_forgets, d_inputs):
    """Add the slopes of all gates to those of the words that they see."""
    own, m = d_gates.shape[1], d_forgets.shape[1]
    for row in range(len(word_of)):
        d_word = d_inputs[word_of[row]]
        for k in range(own):
            d_word[k] += d_gates[row, k]
        if parents[row] >= 0:
            d_word = d_inputs[word_of[parents[row]]]
            for k in range(m):
                d_word[own + k] += d_forgets[row, k]


def gradients(pairs, targets, forest, vectors, weights):
    """Compute the mean cost KL(p || p̂) of pairs of texts, and its slopes in all weights."""
    # Not compiled itself: numba would optimise all that it calls once more, in half of its time.
    weight, bias, hidden_weight, forget_weight, hidden_bias = weights[:5]
    similarity_weight, output_weight = weights[5], weights[7]
    composition = hidden_weight, forget_weight
    texts = np.unique(pairs)
    pairs = np.searchsorted(texts, pairs)
    words, word_of, parents, starts, roots = assemble(texts, forest)
    x = vectors[words]
    inputs = np.dot(x, weight) + (bias + hidden_bias)
    states = _forward(word_of, parents, starts, inputs, composition, False)
    hidden, sums = states[3], states[4]
    encoded = _at_roots(hidden, roots)
    seen, units, logs = _head(pairs, encoded, weights[5:], False)

    cost, d_logits = _divergence(targets, logs)
    d_units = np.dot(d_logits, output_weight.T)
    d_units *= units * (1 - units)
    d_seen = np.dot(d_units, similarity_weight.T)
    d_hidden = np.zeros_like(hidden)
    d_hidden[roots[roots >= 0]] = _pair_slopes(pairs, encoded, d_seen)[roots >= 0]
    d_gates, d_forgets = _backward(parents, starts, d_hidden, states, composition)
    d_inputs = np.zeros_like(inputs)
    _word_slopes(word_of, parents, d_gates, d_forgets, d_inputs)
    d_bias = d_inputs.sum(axis=0)
    return cost / len(pairs), (
        np.dot(x.T, d_inputs),
        d_bias,
        np.dot(sums.T, d_gates),
        np.dot(hidden.T, d_forgets),
        d_bias,  # every gate has both biases
        np.dot(seen.T, d_units),
        d_units.sum(axis=0),
        np.dot(units.T, d_logits),
        d_logits.sum(axis=0),
    )
