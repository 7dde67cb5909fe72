"""Tree kernels against SVM-Light-TK, against fragments that are listed one by one, and hostile."""

import csv
from itertools import combinations

import numpy as np
import pytest
from random_trees import forest, partial_trees

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.kernels import PartialTreeKernel, SubsetTreeKernel, SubtreeKernel
from sklearn_mteval.linguistic.kernels import tree_kernels
from sklearn_mteval.linguistic.trees.brackets import read_brackets

ALL = [PartialTreeKernel, SubsetTreeKernel, SubtreeKernel]


@pytest.mark.parametrize(
    ("name", "kernel"),
    [("ptk", PartialTreeKernel), ("sst", SubsetTreeKernel), ("st", SubtreeKernel)],
)
def test_values_of_svm_light_tk(data_dir, name, kernel):
    with open(data_dir / "kernels" / "tree_kernels.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    rows = [row for row in rows if row["kernel"] == name]
    assert len(rows) >= 400
    for row in rows:
        decays = [float(row[name]) for name in ("lambda", "mu") if row[name]]
        found = kernel(*decays, normalize=False)([row["tree1"]], [row["tree2"]])
        np.testing.assert_allclose(found, float(row["value"]), rtol=1e-9, atol=1e-12)


def product(one, other):
    return sum(worth * other[shape] for shape, worth in one.items())


@pytest.mark.parametrize(("lam", "mu"), [(0.4, 0.4), (1, 1), (0.3, 0.9)])
@pytest.mark.parametrize("reach", [2, 7])
def test_partial_trees_listed_one_by_one(lam, mu, reach):
    trees = forest(1, 25, most=7, labels="AB", reach=reach)
    trees.append(read_brackets("(A a b a a b a)")[0])  # six children
    features = [partial_trees(tree, lam, mu) for tree in trees]
    expected = [[product(one, other) for other in features] for one in features]
    found = PartialTreeKernel(lam, mu, normalize=False)(trees)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def plain(kernel, one, other):
    """Compute a kernel by its recursion, node pair by node pair."""

    def production(tree, node):
        return tree.labels[node], tuple(tree.labels[child] for child in tree.children[node])

    def delta(a, b):
        below_a, below_b = one.children[a], other.children[b]
        if isinstance(kernel, PartialTreeKernel):
            if one.labels[a] != other.labels[b]:
                return 0.0
            total = kernel.lam**2
            for size in range(1, min(len(below_a), len(below_b)) + 1):
                for i in combinations(range(len(below_a)), size):
                    for j in combinations(range(len(below_b)), size):
                        gaps = i[-1] - i[0] + j[-1] - j[0] + 2 - 2 * size
                        parts = [delta(below_a[x], below_b[y]) for x, y in zip(i, j, strict=True)]
                        total += kernel.lam**gaps * np.prod(parts)
            return kernel.mu * total
        if not below_a or production(one, a) != production(other, b):
            return 0.0
        result = kernel.lam
        for x, y in zip(below_a, below_b, strict=True):
            if one.children[x] or other.children[y]:
                result *= (0 if type(kernel) is SubtreeKernel else 1) + delta(x, y)
        return result

    pairs = [(a, b) for a in range(len(one.labels)) for b in range(len(other.labels))]
    return sum(delta(a, b) for a, b in pairs)


@pytest.mark.parametrize("kind", ALL)
def test_plain_recursion(kind):
    kernel = kind(0.6, normalize=False)
    trees, others = forest(2, 12, most=14), forest(3, 12, most=14)
    expected = [[plain(kernel, one, other) for other in others] for one in trees]
    np.testing.assert_allclose(kernel(trees, others), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("normalize", [False, True])
def test_gram_is_symmetric_positive_and_normalised(kind, normalize):
    trees = [*forest(4, 60), *forest(5, 3, most=1), read_brackets("()")[0]]
    gram = kind(normalize=normalize)(trees)
    assert (gram == gram.T).all()
    assert gram.min() >= 0
    assert np.linalg.eigvalsh(gram).min() > -1e-10 * np.abs(gram).max()
    if normalize:
        np.testing.assert_allclose(np.diagonal(gram), 1, rtol=1e-14)
        assert gram.max() <= 1 + 1e-12
    else:
        assert (kind(normalize=False).diagonal(trees) == np.diagonal(gram)).all()


@pytest.mark.parametrize("kind", ALL)
def test_neither_order_nor_threads_nor_parts_change_a_bit(kind, monkeypatch):
    trees = forest(6, 50) + forest(6, 10)  # some twice
    others = forest(7, 30)
    gram, cross = kind()(trees), kind()(trees, others)
    order = np.random.default_rng(0).permutation(len(trees))
    shuffled = [trees[k] for k in order]
    assert (kind(n_jobs=2)(shuffled) == gram[np.ix_(order, order)]).all()
    assert (kind(n_jobs=2)(shuffled, others) == cross[order]).all()
    lines = [str(tree) for tree in trees if len(tree.labels) > 1]
    assert (kind()(lines) == kind()([read_brackets(line)[0] for line in lines])).all()
    for name, limit in (("_MOST_NODES", 60), ("_MOST_PAIRS", 30)):
        with monkeypatch.context() as patched:
            patched.setattr(tree_kernels, name, limit)
            np.testing.assert_array_equal(kind()(trees), gram)
            np.testing.assert_array_equal(kind()(trees, others), cross)


@pytest.mark.parametrize("kind", ALL)
def test_a_tree_that_is_too_large_by_itself_is_not_divided(kind, monkeypatch):
    large, few = forest(6, 1), forest(7, 5)
    down, across = kind()(large, few), kind()(few, large)
    monkeypatch.setattr(tree_kernels, "_MOST_NODES", 2)
    np.testing.assert_array_equal(kind()(large, few), down)
    np.testing.assert_array_equal(kind()(few, large), across)


@pytest.mark.parametrize("kind", ALL)
def test_pairs_are_entries_of_the_matrix(kind):
    trees, others = forest(8, 70), forest(9, 70)
    np.testing.assert_allclose(
        kind().of_pairs(trees, others), np.diagonal(kind()(trees, others)), rtol=1e-13
    )
    with pytest.raises(ValueError, match="must be as many, found 70 and 69"):
        kind().of_pairs(trees, others[1:])


def test_trees_without_fragments_are_like_their_like():
    trees = ["()", "(A b)", "()"]
    assert SubsetTreeKernel()(trees).tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]
    assert SubsetTreeKernel()(trees[:2], ["()"]).tolist() == [[1], [0]]
    assert SubsetTreeKernel(normalize=False)(trees).tolist() == [[0] * 3, [0, 0.4, 0], [0] * 3]
    assert PartialTreeKernel()(["()"], ["(A b)"]).tolist() == [[0]]
    assert PartialTreeKernel()([""], ["()"]).tolist() == [[1]]


@pytest.mark.parametrize("kind", ALL)
def test_no_trees(kind):
    assert kind()([]).shape == (0, 0)
    assert kind()([], ["(A b)"]).shape == (0, 1)
    assert kind()(["(A b)"], []).shape == (1, 0)
    assert kind().diagonal([]).shape == (0,)


def test_large_and_deep_trees():
    flat = "(S " + " ".join(f"(T{k % 40} w{k})" for k in range(1000)) + ")"
    deep = "(A " * 2000 + "a" + ")" * 2000
    gram = PartialTreeKernel()([flat, deep])
    np.testing.assert_allclose(gram, np.eye(2), atol=1e-12)
    # A chain of n equal labels over a word: Δ of nodes with k and m nodes below, by hand.
    lam, mu, n = 0.5, 0.8, 30
    chain = "(A " * n + "a" + ")" * n
    table = np.zeros((n + 1, n + 1))
    table[0, 0] = mu * lam**2
    for k in range(1, n + 1):
        for m in range(1, n + 1):
            table[k, m] = mu * (lam**2 + table[k - 1, m - 1])
    found = PartialTreeKernel(lam, mu, normalize=False)([chain])
    np.testing.assert_allclose(found, table.sum(), rtol=1e-12)


@pytest.mark.parametrize(
    ("trees", "problem"),
    [
        (["(A b)", "(A b"], "tree in row 1 must be a tree in brackets"),
        (["(A b) (A b)"], "tree in row 0 must be one tree in brackets, found 2"),
        (["(A b)", None], "tree in row 1 must be a BracketTree or a line of brackets, found None"),
        (["It works."], "tree in row 0 must be a tree in brackets"),
        ([" "], "tree in row 0 must be one tree in brackets, found 0"),
    ],
)
def test_what_is_no_tree_is_named(trees, problem):
    with pytest.raises(CandidateError, match=problem):
        PartialTreeKernel()(trees)


def test_one_text_is_no_list():
    with pytest.raises(TypeError, match="must be a list of trees, found one"):
        PartialTreeKernel()("(A b)")


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("options", [{"lam": 0}, {"lam": 1.5}, {"lam": np.nan}, {"normalize": 2}])
def test_options_out_of_range(kind, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        kind(**options)(["(A b)"])


def test_mu_out_of_range():
    with pytest.raises(ValueError, match="mu must be a number > 0 and <= 1"):
        PartialTreeKernel(mu=0)(["(A b)"])


def test_numbers_that_no_double_holds_are_refused():
    wide = "(S " + " ".join(["(A (A (A a)))"] * 700) + ")"
    with pytest.raises(OverflowError, match="more fragments in common than a double counts"):
        PartialTreeKernel(1, 1)([wide])


def test_what_does_not_fit_into_memory_is_refused(monkeypatch):
    monkeypatch.setattr(tree_kernels, "free_memory", lambda: 1000)
    with pytest.raises(MemoryError, match="20 by 20 distinct trees needs"):
        PartialTreeKernel()([f"(A b{k})" for k in range(20)])
    with pytest.raises(MemoryError, match="41 and 41 nodes have 421 pairs of nodes"):
        PartialTreeKernel()(["(A " + " ".join(f"(B c{k})" for k in range(20)) + ")"])
