"""ReVal's network written out as its equations read, one node at a time, by recursion.

A tree is (word, [trees]); a text without words is None. Weights are those of the package;
everything is computed in double precision.
"""

import numpy as np


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def compose(tree, vectors, w):
    """Return c and h of a tree's root (Tai et al. 2015, equations 2 to 8)."""
    word, children = tree
    below = [compose(child, vectors, w) for child in children]
    m = len(w["forget"])
    x = vectors[word].astype(float) @ w["input"] + w["input_bias"]
    h_sum = sum((h for _, h in below), np.zeros(m))
    own = h_sum @ w["hidden"] + w["hidden_bias"][:-m]
    i, u = sigmoid(x[:m] + own[:m]), np.tanh(x[m : 2 * m] + own[m : 2 * m])
    c = i * u
    for c_k, h_k in below:
        c = c + sigmoid(x[-m:] + h_k @ w["forget"] + w["hidden_bias"][-m:]) * c_k
    if len(x) == 4 * m:
        return c, sigmoid(x[2 * m : 3 * m] + own[2 * m :]) * np.tanh(c)
    return c, np.tanh(c)


def encode(tree, vectors, w):
    return np.zeros(len(w["forget"])) if tree is None else compose(tree, vectors, w)[1]


def distribution(tree, reference, vectors, w):
    """Return p̂ of a pair (2015, equation 2)."""
    h, r = encode(tree, vectors, w), encode(reference, vectors, w)
    seen = np.concatenate([h * r, abs(h - r)])
    units = sigmoid(seen @ w["similarity"] + w["similarity_bias"])
    logits = units @ w["output"] + w["output_bias"]
    return np.exp(logits) / np.exp(logits).sum()


def mean_cost(pairs, targets, vectors, w):
    """Average KL(p || p̂) over pairs of trees."""
    total = 0.0
    for (tree, reference), p in zip(pairs, targets, strict=True):
        q = distribution(tree, reference, vectors, w)
        total += sum(a * np.log(a / b) for a, b in zip(p, q, strict=True) if a > 0)
    return total / len(pairs)


def line_of(tree):
    """Write a tree as a dependency tree in brackets, half of the children before the word."""
    if tree is None:
        return "()"
    word, children = tree
    parts = [line_of(child) for child in children]
    half = len(parts) // 2
    word = {"(": "-LRB-"}.get(word, word)
    return f"(dep {' '.join([*parts[:half], f'(XX {word})', *parts[half:]])})"


def random_tree(rng, n_nodes, words):
    """Draw a tree of so many nodes; None for 0."""
    nodes = [(str(rng.choice(words)), []) for _ in range(n_nodes)]
    for k in range(1, n_nodes):
        nodes[rng.integers(k)][1].append(nodes[k])
    return nodes[0] if nodes else None


def chain_of(words):
    """Make the tree that an LSTM walks up."""
    tree = None
    for word in words:
        tree = (word, [] if tree is None else [tree])
    return tree
