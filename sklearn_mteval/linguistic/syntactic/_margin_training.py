"""Training of the network on trees (Socher et al. 2013): categories of nodes, and a margin."""

from collections import Counter
from itertools import chain

import numpy as np

from sklearn_mteval._helpers.products import row_products
from sklearn_mteval._helpers.progress import tracked
from sklearn_mteval.linguistic.syntactic import _kernel
from sklearn_mteval.linguistic.syntactic._network import Network, binary_nodes, centred_rows, plant
from sklearn_mteval.linguistic.trees.brackets import read_brackets
from sklearn_mteval.linguistic.trees.shipped.parsers import alternative_trees

N_DIMENSIONS = 25
_MIN_COUNT = 20  # of a pair of categories that has a matrix of its own
# The start: a node is about the sum of its words, small enough for tanh to be nearly straight.
_WORD_LENGTH = 0.3  # root mean square length of a running word's vector
_NOISE = 0.02
_LEARNING_RATE = 0.001  # with larger steps, roots come to tell their categories, not their words
_BATCH = 25
_L2 = 1e-4
_MARGIN = 0.1  # for each constituent that the treebank's tree does not have


def with_alternatives(trees, *, n_alternatives=10, parser_model=None):
    """Return, for each BracketTree with words, its Nodes and those of the parser's other trees."""
    gold = [nodes for nodes in map(binary_nodes, trees) if nodes.words]
    if not n_alternatives:
        return [[nodes] for nodes in gold]
    sentences = [[word for word in reversed(nodes.words) if word is not None] for nodes in gold]
    found = alternative_trees(sentences, beam=n_alternatives, parser_model=parser_model)
    groups = []
    for nodes, lines in zip(gold, found, strict=True):
        others = [binary_nodes(tree) for line in lines for tree in read_brackets(line)]
        groups.append([nodes, *(other for other in others if other != nodes)])
    return groups


def initial_network(trees, vectors, rng):
    """Return the network that training on the Nodes of trees begins with."""
    names = set(chain.from_iterable(nodes.categories for nodes in trees))
    categories = ["", *sorted(names - {""})]
    number = {name: k for k, name in enumerate(categories)}
    counts = Counter(
        (number[nodes.categories[one]], number[nodes.categories[other]])
        for nodes in trees
        for one, other in zip(nodes.left, nodes.right, strict=True)
        if one >= 0
    )
    pairs = sorted(pair for pair, count in counts.items() if count >= _MIN_COUNT)
    mean, axes = _principal_components(trees, vectors)
    n = axes.shape[1]
    matrices = rng.uniform(-_NOISE, _NOISE, (len(pairs) + 1, 2 * n + 1, n))
    matrices[:, : 2 * n] += np.vstack([np.eye(n)] * 2)
    pairs = np.array(pairs, dtype=np.int64).reshape(len(pairs), 2)
    weights = (array.astype(np.float32) for array in (matrices, mean, axes))
    return Network(categories, pairs, *weights)


def _principal_components(trees, vectors):
    """Return the mean vector of running words and a projection to their principal components."""
    counts = Counter(word for nodes in trees for word in nodes.words if word is not None)
    words = sorted(counts)
    rows = centred_rows(words, vectors, np.zeros(vectors.matrix.shape[1]))
    weights = np.array([counts[word] for word in words]) * rows.any(axis=1)
    weights = weights / max(weights.sum(), 1)
    mean = (weights[:, np.newaxis] * rows).sum(axis=0)
    rows = rows - mean
    values, axes = np.linalg.eigh(rows.T @ (rows * weights[:, np.newaxis]))
    n = min(N_DIMENSIONS, len(values))
    axes = axes[:, : -n - 1 : -1]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(n)])
    variance = values[-n:].sum()
    return mean, axes * (_WORD_LENGTH / np.sqrt(variance) if variance > 0 else 0)


def train_network(
    groups, network, vectors, rng, *, max_epochs=6, label_weight=0.01, progress=False
):
    """Train a network on groups of trees; return it and the mean loss in each epoch."""
    trees = list(chain.from_iterable(groups))
    tree_bounds = np.cumsum([0, *map(len, groups)])
    words = sorted({word for nodes in trees for word in nodes.words if word is not None})
    forest = plant(trees, network, {word: k for k, word in enumerate(words)})
    margins = _margins(groups, forest)
    inputs = centred_rows(words, vectors, network.mean).astype(np.float32)
    n_matrices, _, n = network.matrices.shape
    scorers = rng.uniform(-0.05, 0.05, (n_matrices, n)).astype(np.float32)
    labels = rng.uniform(-0.05, 0.05, (len(network.categories), n + 1)).astype(np.float32)
    weights = [network.projection.copy(), network.matrices.copy(), scorers, labels]
    squares = [np.zeros_like(array) for array in weights]
    losses, room = [], forest.room(weights[1][0])
    for _ in tracked(range(max_epochs), "training", "epochs", shown=progress):
        order, loss = rng.permutation(len(groups)), 0.0
        for start in range(0, len(order), _BATCH):
            chosen = order[start : start + _BATCH]
            now = (row_products(inputs, weights[0]), *weights[1:])
            slopes = tuple(np.zeros_like(array) for array in now)
            loss += _kernel.learn(
                chosen, tree_bounds, margins, tuple(forest), label_weight, now, slopes, room
            )
            slopes = (input_slopes(inputs, slopes[0]), *slopes[1:])
            for values, slope, squared in zip(weights, slopes, squares, strict=True):
                slope = slope / np.float32(len(chosen)) + np.float32(_L2) * values
                squared += slope * slope
                values -= np.float32(_LEARNING_RATE) * slope / (np.sqrt(squared) + 1e-6)  # AdaGrad
        losses.append(loss / len(groups))
    trained = Network(network.categories, network.pairs, weights[1], network.mean, weights[0])
    return trained, losses


def input_slopes(rows, slopes):
    """Return the slopes of the matrix that rows were multiplied by, from those of the results."""
    some = slopes.any(axis=1)  # few words are in a batch
    return row_products(rows[some].T, slopes[some])


def _margins(groups, forest):
    """Return how far a tree is from its sentence's first, 0 if the network sees no difference."""
    margins, tree = [], 0
    for group in groups:
        spans = [Counter(_spans(nodes)) for nodes in group]
        parts = (slice(*forest.bounds[tree + k : tree + k + 2]) for k in range(len(group)))
        arrays = forest.left, forest.right, forest.source  # all that vectors and score depend on
        joins = [[array[part].tolist() for array in arrays] for part in parts]
        margins += [
            _MARGIN * (own - spans[0]).total() * (seen != joins[0])
            for own, seen in zip(spans, joins, strict=True)
        ]
        tree += len(group)
    return np.array(margins)


def _spans(nodes):
    """Yield (start, end, category) of the nodes that have children, places from the end."""
    first, last, place = [], [], 0
    for one, other, name in zip(nodes.left, nodes.right, nodes.categories, strict=True):
        if one < 0:
            first.append(place)
            place += 1
            last.append(place)
        else:  # words are numbered from the last to the first
            first.append(first[other])
            last.append(last[one])
            yield first[-1], last[-1], name
