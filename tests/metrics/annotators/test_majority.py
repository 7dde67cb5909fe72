"""The ceiling against integrals, a search over scipy's beta-binomial, and simulated annotators."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import beta, betabinom

from sklearn_mteval import kendall_tau
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import annotator_ceiling

FEW = {"n_resamples": 2}


def judged(counts):
    """Judgements of two systems: for each segment how many annotators prefer A, and B."""
    rows, ranks = [], []
    for segment, (k, rest) in enumerate(counts):
        for task in range(k + rest):
            rows += [(segment, f"{segment}:{task}", system) for system in "AB"]
            ranks += [1, 2] if task < k else [2, 1]
    index = pd.MultiIndex.from_tuples(rows, names=["segment", "ranking", "system"])
    return pd.Series(ranks, index=index)


def simulated(a, n_segments, n_annotators, seed=0):
    rng = np.random.default_rng(seed)
    k = rng.binomial(n_annotators, rng.beta(a, a, n_segments))
    return judged(zip(k, n_annotators - k, strict=True))


def expected_majority(a):
    """The mean of 2 max(p, 1 - p) - 1, by numerical integration."""
    return 2 * quad(lambda p: (2 * p - 1) * beta.pdf(p, a, a), 0.5, 1)[0]


@pytest.mark.parametrize("agreeing", [11, 13, 15, 19])
def test_by_hand_two_judgements_each(agreeing):
    # Two annotators agree with probability (1 + rho) / 2, which the likelihood fits exactly.
    found = annotator_ceiling(judged([(2, 0)] * agreeing + [(1, 1)] * (20 - agreeing)), **FEW)
    rho = agreeing / 10 - 1
    assert (found.agreed, found.n_pairs, found.n_judgements) == (agreeing / 20, 20, 40)
    assert found.annotator == pytest.approx(rho, abs=1e-6)
    assert found.a == pytest.approx((1 / rho - 1) / 2, rel=1e-4)
    assert found.ceiling == pytest.approx(expected_majority(found.a), rel=1e-6)
    squares = quad(lambda p: (2 * p - 1) ** 2 * beta.pdf(p, found.a, found.a), 0, 1)[0]
    assert found.annotator == pytest.approx(squares, rel=1e-6)


def test_the_ends():
    found = annotator_ceiling(judged([(2, 0), (0, 3), (4, 0)]), **FEW)
    assert (found.annotator, found.agreed, found.a) == (1, 1, 0)
    assert (found.ceiling, found.low, found.high) == pytest.approx((1, 1, 1))
    found = annotator_ceiling(judged([(1, 1), (2, 2)]), **FEW)
    assert (found.ceiling, found.annotator, found.a) == (0, 0, np.inf)
    assert found.agreed == (0 + 4) / (2 + 12)
    assert np.isnan(annotator_ceiling(judged([(2, 1)])).low)  # one segment


def test_the_likelihood_is_the_beta_binomials():
    rng = np.random.default_rng(1)
    for a in (0.2, 0.7, 3.0):
        n = rng.integers(1, 9, size=80)  # some are judged once, which says nothing
        k = rng.binomial(n, rng.beta(a, a, size=80))

        def loss(log_a, n=n, k=k):
            return -betabinom.logpmf(k, n, np.exp(log_a), np.exp(log_a)).sum()

        grid = np.linspace(-5, 5, 201)
        start = grid[np.argmin([loss(x) for x in grid])]
        best = np.exp(minimize_scalar(loss, bracket=(start - 0.1, start, start + 0.1)).x)
        found = annotator_ceiling(judged(zip(k, n - k, strict=True)), **FEW)
        assert found.a == pytest.approx(best, rel=1e-4)
        assert found.ceiling == pytest.approx(expected_majority(best), rel=1e-4)
        assert (found.n_pairs, found.n_judgements) == ((n > 1).sum(), n[n > 1].sum())


@pytest.mark.parametrize("a", [0.3, 0.9, 4.0])
def test_simulated_annotators(a):
    found = annotator_ceiling(simulated(a, 3000, 3))
    assert found.a == pytest.approx(a, rel=0.15)
    assert found.low < expected_majority(a) < found.high
    assert found.annotator_low < 1 / (2 * a + 1) < found.annotator_high
    assert found.agreed_low < (a + 1) / (2 * a + 1) < found.agreed_high
    assert found.high - found.low < 0.1
    # What it says of models holds for tau: a fresh annotator, the majority, another annotator.
    rng = np.random.default_rng(7)
    p = rng.beta(a, a, size=4000)
    first, second = (rng.random(4000) < p for _ in range(2))
    y = np.column_stack([2 - first, 1 + first]).ravel()
    groups = np.repeat(np.arange(4000), 2)
    for prefers, expected in ((p > 0.5, found.ceiling), (second, found.annotator)):
        scores = np.column_stack([prefers, ~prefers]).ravel().astype(float)
        assert kendall_tau(y, scores, groups=groups) == pytest.approx(expected, abs=0.05)


def test_the_ceiling_lies_between_its_bounds_in_a_mixed_population():
    """Half of the pairs are clear, half a toss of a coin: the ceiling is r, not that of Beta."""
    rng = np.random.default_rng(0)
    clear = rng.integers(0, 2, 2000)
    p = np.where(rng.random(2000) < 0.5, clear, 0.5)
    k = rng.binomial(2, p)
    found = annotator_ceiling(judged(zip(k, 2 - k, strict=True)), **FEW)
    truth = np.abs(2 * p - 1).mean()
    assert found.lowest == pytest.approx(truth, abs=0.05)
    assert found.highest == pytest.approx(np.sqrt(found.annotator))
    assert found.ceiling - truth > 0.08
    assert found.lowest <= found.ceiling <= found.highest


def test_intervals_cover():
    bounds = [
        annotator_ceiling(simulated(0.6, 150, 2, seed), n_resamples=200) for seed in range(40)
    ]
    inside = np.mean([found.low <= expected_majority(0.6) <= found.high for found in bounds])
    assert 0.85 <= inside <= 1


def test_an_annotators_repeated_judgements_count_once():
    y = judged([(3, 1), (2, 1), (2, 0)])
    who = ["x", "x", "x", "y", "x", "y", "x", "z", "z"]
    # x prefers A, y B; x says both, so that y is alone; z alone.
    found = annotator_ceiling(y, annotators=np.repeat(who, 2), **FEW)
    assert (found.n_pairs, found.n_judgements, found.agreed) == (1, 2, 0)
    found = annotator_ceiling(y, annotators=np.repeat([*"abcdefghi"], 2), **FEW)
    assert found == annotator_ceiling(y, **FEW)
    assert (found.n_pairs, found.n_judgements) == (3, 9)
    with pytest.raises(CandidateError, match=r"two annotators have a preference.*judged once"):
        annotator_ceiling(y, annotators=["x"] * len(y))


def test_ties_do_not_count():
    y = judged([(2, 0), (1, 1), (2, 1)])
    tied = judged([(1, 0), (2, 0)] * 3)
    tied = tied.set_axis(tied.index.map(lambda label: (label[0] % 3, f"t{label[1]}", label[2])))
    tied.index.names = y.index.names
    assert (
        annotator_ceiling(pd.concat([y, tied * 0]), **FEW)[3::3]
        == (annotator_ceiling(y, **FEW)[3::3])
    )
    with pytest.raises(CandidateError, match="two ranking tasks have a preference"):
        annotator_ceiling(tied * 0)


def test_equal_texts():
    # A and C are one text: rank 1 for both is one judgement; 1 and 3 no model can follow.
    names = ["segment", "ranking", "system"]
    index = pd.MultiIndex.from_product([[1, 2], ["r", "s"], ["A", "B", "C"]], names=names)
    texts = ["one", "two", "one"] * 4
    y = pd.Series([1, 2, 1, 1, 2, 1, 2, 1, 2, 1, 2, 1], index=index)
    found = annotator_ceiling(y, texts=texts, **FEW)
    assert (found.n_pairs, found.n_judgements, found.agreed) == (2, 4, 0.5)
    assert annotator_ceiling(y, **FEW).n_pairs == 4
    y.loc[(1, "r", "C")] = 3  # one of nine decided judgements
    found = annotator_ceiling(y, texts=texts, **FEW)
    # Its A > B and B > C are one annotator's contradiction.
    assert (found.n_pairs, found.n_judgements, found.agreed) == (1, 2, 0)
    assert found.ceiling == pytest.approx(-1 / 9)
    assert annotator_ceiling(y, texts=texts, statistic="wmt14", **FEW).ceiling == 0


def test_order_names_and_scale_do_not_matter():
    y = simulated(0.5, 60, 4)
    who = pd.Series(np.repeat(np.random.default_rng(0).integers(9, size=len(y) // 2), 2), y.index)
    expected = annotator_ceiling(y, annotators=who, n_resamples=50)
    shuffled = y.sample(frac=1, random_state=0)
    found = annotator_ceiling(shuffled, annotators=who.loc[shuffled.index], n_resamples=50)
    assert found == expected
    renamed = shuffled.rename({k: f"s{7 * k % 61}" for k in range(60)}, level="segment")
    renamed = renamed.rename({"A": "Z", "B": "C"}, level="system")
    labels = [f"p{97 * k % 13}" for k in who.loc[shuffled.index]]
    assert annotator_ceiling(np.exp(renamed), annotators=labels, n_resamples=50) == expected
    assert expected.low < expected.ceiling < expected.high


def test_bad_input():
    y = simulated(0.5, 10, 3)
    with pytest.raises(CandidateError, match=r"judged once.*several annotators"):
        annotator_ceiling(judged([(1, 0)] * 9))
    with pytest.raises(CandidateError, match="none"):
        annotator_ceiling(y[:0])
    with pytest.raises(CandidateError, match="Series of ranks"):
        annotator_ceiling([1, 2])
    with pytest.raises(CandidateError, match="another annotator than"):
        annotator_ceiling(y, annotators=range(len(y)))
    with pytest.raises(CandidateError, match="empty labels"):
        annotator_ceiling(y, annotators=[""] * len(y))
    with pytest.raises(CandidateError, match="texts has 1 entries"):
        annotator_ceiling(y, texts=["a"])
    for options in ({"statistic": "acc_eq"}, {"confidence": 2}, {"n_resamples": 0}):
        with pytest.raises(ValueError, match=next(iter(options))):
            annotator_ceiling(y, **options)


def test_campaigns(data_dir):
    # As the issue states them for orientation.
    for campaign, pair, ceiling in (("wmt12", "cs-en", 51), ("wmt12", "de-en", 62)):
        data = load_wmt(data_dir / campaign, pair)
        found = annotator_ceiling(data.y, annotators=data.judges, texts=data.X["hypothesis"])
        assert 100 * found.ceiling == pytest.approx(ceiling, abs=1.5)
        assert 100 * found.low > ceiling - 6 and 100 * found.high < ceiling + 6
        assert found.annotator == pytest.approx(2 * found.agreed - 1, abs=0.03)
