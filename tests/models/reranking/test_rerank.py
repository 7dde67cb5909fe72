"""Decisions against plain double loops, and what must hold of any list."""

from functools import partial
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from consensus_model import consensus_model
from sacrebleu.metrics import CHRF
from sklearn.compose import make_column_transformer
from sklearn.svm import LinearSVC

from sklearn_mteval import PairDifference, RankRecomposer, make_ranking_pipeline
from sklearn_mteval.classifiers import TiedPairClassifier
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import EmbeddingAverager, TERComp, WordVectorAlignment
from sklearn_mteval.models import bleu_pipeline, rank_candidates, score_candidates
from sklearn_mteval.models import rerank as rerank_sound
from sklearn_mteval.models.reranking import option_values
from sklearn_mteval.models.reranking import rerank as module
from sklearn_mteval.models.reranking.decisions import DECISIONS
from sklearn_mteval.models.reranking.minimum_risk import APPROXIMATIONS, completed, mean_places
from sklearn_mteval.models.reranking.utilities import UTILITIES
from sklearn_mteval.text import load_word_vectors

# Of random words, of any length: what looks suspicious is tested by itself.
rerank = partial(rerank_sound, drop_suspicious=False)
WORDS = ["a", "the", "cat", "dog", "sat", "sits", "on", "mat", "rug", "and", "barked", "loudly"]


def random_lists(n_lists, sizes, seed=0, words=WORDS):
    rng = np.random.default_rng(seed)
    return [
        [" ".join(rng.choice(words, rng.integers(1, 9))) for _ in range(rng.choice(sizes))]
        for _ in range(n_lists)
    ]


def chosen(found):
    """The place in its list, from 1, of what each list chooses."""
    assert (found.groupby(level="segment")["chosen"].sum() == 1).all()
    return found.index[found["chosen"]].get_level_values("system").tolist()


@pytest.fixture(scope="module")
def sample():
    return load_sample(return_X_y=True)


@pytest.fixture(scope="module")
def model(sample):
    X, y = sample
    return bleu_pipeline().fit(X, y)


def test_mbr_is_a_plain_double_loop_over_sacrebleu():
    lists = random_lists(12, [1, 2, 3, 7])
    metric, values, best = CHRF(), [], []
    for texts in lists:
        of_list = [np.mean([metric.sentence_score(h, [r]).score for r in texts]) for h in texts]
        values += of_list
        highest = max(of_list)
        best.append([v > highest - 1e-9 for v in of_list].index(True) + 1)
    found = rerank(lists)
    np.testing.assert_allclose(found["value"], values, rtol=1e-12)
    assert chosen(found) == best


def test_weights_are_probabilities():
    lists = random_lists(8, [3, 5], seed=1)
    index = [(k, n) for k, texts in enumerate(lists) for n, _ in enumerate(texts)]
    index = pd.MultiIndex.from_tuples(index, names=["segment", "system"])
    X = pd.DataFrame({"hypothesis": [t for texts in lists for t in texts]}, index)
    rng = np.random.default_rng(2)
    X["score"] = rng.normal(size=len(X)) - 700  # far below what exp can hold
    metric, values = CHRF(), []
    for texts, (_, scores) in zip(lists, X["score"].groupby(level="segment"), strict=True):
        p = np.exp(0.5 * (scores - scores.max()))
        p /= p.sum()
        values += [
            sum(w * metric.sentence_score(h, [r]).score for w, r in zip(p, texts, strict=True))
            for h in texts
        ]
    found = rerank(X, weights="softmax", scale=0.5)
    np.testing.assert_allclose(found["value"], values, rtol=1e-12)
    X["weight"] = np.exp(0.5 * (X["score"] + 700))
    np.testing.assert_allclose(rerank(X, weights="given")["value"], values, rtol=1e-12)


def test_equal_texts_are_one_candidate_that_weighs_more():
    texts = ["the cat sat", "a dog sat there", "the cat sits"]
    once = rerank([texts])
    again = rerank([[texts[0], *texts, texts[0]]])
    assert again["value"].iloc[0] == again["value"].iloc[1] == again["value"].iloc[4]
    assert again["rank"].tolist() == [1, 1, 3, 2, 1]
    assert again["chosen"].tolist() == [True, False, False, False, False]
    assert again["compared"].tolist() == [9] * 5
    assert again["value"].iloc[0] > once["value"].iloc[0]  # three of five are like itself


def test_nothing_but_the_lists_texts_matters(monkeypatch):
    """Order of rows, names, other lists and the size of blocks change no bit."""
    lists = random_lists(9, [1, 4, 20], seed=3)
    for options in (
        {}, {"utility": "alignment"}, {"utility": "vectors"}, {"utility": ["chrf", "bleu"]},
        *({"approximation": name} for name in APPROXIMATIONS),
    ):  # fmt: skip
        whole = rerank(lists, **options)
        alone = [rerank([texts], **options) for texts in lists]
        columns = list(whole)
        for k, part in enumerate(alone, 1):
            assert whole.loc[k][columns].equals(part.loc[1][columns]), options
        order = np.random.default_rng(4).permutation(len(whole))
        X = pd.DataFrame({"hypothesis": [t for texts in lists for t in texts]}, whole.index)
        mixed = rerank(X.iloc[order], **options)
        assert mixed.index.equals(X.index[order])
        back = mixed.loc[whole.index]
        assert back[["rank", "value", "compared"]].equals(whole[["rank", "value", "compared"]])
        monkeypatch.setattr(module, "BLOCK", 1)
        assert rerank(lists, **options).equals(whole), options
        monkeypatch.undo()


GOOD = [
    "The committee will meet on Tuesday to discuss the report.",
    "The committee meets on Tuesday to discuss the report.",
    "On Tuesday the committee will meet to discuss this report.",
    "The committee will be meeting on Tuesday to discuss the report.",
]
SOURCE = "Der Ausschuss trifft sich am Dienstag, um den Bericht zu besprechen."
REFERENCE = "The committee will meet on Tuesday in order to discuss the report."
GARBAGE = {
    "empty": "",
    "repeated": " ".join(GOOD[:1] * 10),
    "the source": SOURCE,
    "another segment": "The price of oil has fallen to its lowest level for years.",
    "white space": "  ",
}


@pytest.mark.parametrize(
    "options",
    [
        *({"utility": name} for name in UTILITIES),
        {"utility": ["chrf", "alignment", "bleu"]},
        {"utility": "static-en"},
        *({"approximation": name} for name in APPROXIMATIONS),
        {"decision": "strength", "model": "static-en"},
        {"decision": "strength", "model": "static-en", "approximation": "sparse"},
        {"decision": "score", "model": "static-en"},
    ],
    ids=str,
)
def test_garbage_loses(options):
    garbage = dict(GARBAGE)
    if options == {"utility": "vectors"}:
        del garbage["repeated"]  # a mean does not know how often: see the test below
    lists = [[text, *GOOD] for text in garbage.values()]
    lists += [texts[::-1] for texts in lists]
    given = [SOURCE] * len(lists), [REFERENCE] * len(lists)
    found = chosen(rerank(lists, *given, **options))
    wrong = [1] * len(garbage) + [len(GOOD) + 1] * len(garbage)
    kinds = [*garbage, *(f"{name}, last" for name in garbage)]
    assert [kind for kind, a, b in zip(kinds, found, wrong, strict=True) if a == b] == []


def test_a_mean_of_vectors_needs_company():
    texts = [GARBAGE["repeated"], *GOOD]
    assert chosen(rerank([texts], utility="vectors")) == [1]
    assert chosen(rerank([texts], utility=["vectors", "chrf"])) != [1]


def test_one_candidate_is_chosen(model):
    for text in ("a", ""):
        for options in ({}, {"decision": "strength", "model": model}):
            found = rerank([[text]], None, ["a"], **options)
            assert found["chosen"].tolist() == [True]
            assert found["rank"].tolist() == [1]
    for name in APPROXIMATIONS:
        assert chosen(rerank([["x"], ["a", "a"]], approximation=name)) == [1, 1]


def test_utilities_of_all_kinds_are_asked_alike(model):
    lists = random_lists(5, [2, 4], seed=5)
    found = {
        "a name": rerank(lists, utility="alignment"),
        "a function": rerank(lists, utility=_alignment),
    }
    assert found["a name"]["value"].tolist() == pytest.approx(found["a function"]["value"])
    table = pd.DataFrame({"hypothesis": ["a"], "reference": ["a"]})
    with pytest.raises(ValueError, match="one column"):
        rerank(lists, utility=TERComp().fit(table))
    by_model = rerank(lists, utility=model)["value"]
    loop = []
    for texts in lists:
        n = len(texts)
        rows = pd.MultiIndex.from_product([range(n), range(n)], names=["segment", "system"])
        X = pd.DataFrame({"hypothesis": texts * n, "reference": np.repeat(texts, n)}, rows)
        loop += score_candidates(model, X).groupby(level="system").mean().tolist()
    assert by_model.tolist() == pytest.approx(loop)
    averager = EmbeddingAverager("english", columns=["hypothesis"]).fit(table)
    one, other = rerank(lists, utility=averager), rerank(lists, utility="vectors")
    assert one["value"].tolist() == other["value"].tolist()


def _alignment(hypotheses, references):
    table = pd.DataFrame({"hypothesis": hypotheses, "reference": references})
    aligned = WordVectorAlignment(load_word_vectors("english"), idf=False).fit(table)
    lengths = [
        sorted((len(h.split()), len(r.split())))
        for h, r in zip(hypotheses, references, strict=True)
    ]
    return [
        f * min(1, 2 * a / b)
        for f, (a, b) in zip(aligned.transform(table)[:, 2], lengths, strict=True)
    ]


def test_cosines_are_linear():
    lists = random_lists(6, [1, 5, 9], seed=6)
    exact = rerank(lists, utility="vectors")
    linear = rerank(lists, utility="vectors", approximation="aggregate")
    assert linear["value"].tolist() == pytest.approx(exact["value"].tolist())
    assert linear["compared"].sum() < exact["compared"].sum()


def test_several_utilities_rank_by_mean_places():
    texts = ["a b c d", "a b c", "x y", "a b x y"]
    single = [rerank([texts], utility=name)["rank"].to_numpy() for name in ("chrf", "bleu")]
    both = rerank([texts], utility=["chrf", "bleu"])
    expected = np.mean([(4 - rank) / 3 for rank in single], axis=0)
    assert both["value"].tolist() == pytest.approx(expected.tolist())
    assert both["compared"].tolist() == [32] * 4


def test_strength_is_the_tournament_of_rank_candidates(sample):
    X, y = sample
    rest = X.index.get_level_values("segment") > 40
    model, X, rest = bleu_pipeline().fit(X[rest], y[rest]), X[~rest], (X[rest], y[rest])
    for recomposition in ("soft", "hard", "expected", "bradley-terry", "pagerank", "absolute"):
        ranker = bleu_pipeline(recomposition).fit(*rest)
        expected = rank_candidates(ranker, X)
        found = rerank(X, decision="strength", model=ranker)
        np.testing.assert_allclose(found["value"], expected["strength"], atol=1e-9)
        assert found["rank"].tolist() == expected["rank"].tolist()
        other = rerank(X, decision="strength", model=model, recomposition=recomposition)
        np.testing.assert_allclose(other["value"], found["value"], atol=1e-9)
    scored = rerank(X, decision="score", model=model)
    assert scored["value"].tolist() == score_candidates(model, X).tolist()


def test_models_of_ties_and_those_without_probabilities(sample):
    X, y = sample
    X, y, rest = X[:100], y[:100], X[100:200]
    tied = bleu_pipeline().set_params(
        rank=RankRecomposer(TiedPairClassifier(), recomposition="log-odds", ties="model")
    )
    plain = bleu_pipeline("hard")
    plain.named_steps["rank"].estimator.steps[:] = [("d", PairDifference()), ("s", LinearSVC())]
    for model in (tied.fit(X, y), plain.fit(X, y)):
        found = rerank(rest, decision="strength", model=model)
        expected = rank_candidates(model, rest)["strength"]
        np.testing.assert_allclose(found["value"], expected, atol=1e-9)
    assert found["intransitive"].isna().all()
    for options in ({"approximation": "sparse"}, {"recomposition": "hard"}):
        with pytest.raises(ValueError, match="predict_proba"):
            rerank(rest, decision="strength", model=model, **options)


def test_intransitive_triples_are_counted_by_hand():
    """A network-like classifier that plays paper, scissors, stone."""
    X, ranker = _paper_scissors_stone()
    found = rerank(X, decision="strength", model=ranker)
    beats = {(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)}
    triples = sum(
        {(a, b), (b, c), (c, a)} <= beats or {(b, a), (c, b), (a, c)} <= beats
        for a, b, c in combinations(range(4), 3)
    )
    assert triples == 1
    assert found["intransitive"].tolist() == [1.0] * 4
    assert found["rank"].tolist() == [1, 1, 1, 4]
    assert found["chosen"].tolist() == [True, False, False, False]


def _paper_scissors_stone(sure=0.9, first=0.0):
    """``sure``: P(better) of who wins; ``first``: what is added for who is named first."""

    class Game(LinearSVC):
        def fit(self, X, y):
            self.classes_ = np.array([0, 1])
            return self

        def predict_proba(self, X):
            a, b = np.asarray(X).T
            wins = np.where((a == 3) | (b == 3), b == 3, (a - b) % 3 == 2)
            better = first + np.where(a == b, 0.5, np.where(wins, sure, 1 - sure))
            return np.column_stack([1 - better, better])

        def predict(self, X):
            return (self.predict_proba(X)[:, 1] > 0.5).astype(int)

        def __sklearn_is_fitted__(self):
            return hasattr(self, "classes_")

    index = pd.MultiIndex.from_product([[1], list("abcd")], names=["segment", "system"])
    table = pd.DataFrame({"move": [0.0, 1, 2, 3]}, index)
    ranker = RankRecomposer(Game(), standalone=False).fit(table, [1, 2, 3, 4])
    X = table.assign(hypothesis=["p", "q", "r", "s"])
    columns = make_column_transformer(("passthrough", ["move"]), verbose_feature_names_out=False)
    pipeline = make_ranking_pipeline(columns.set_output(transform="pandas").fit(X), ranker)
    return X, pipeline


@pytest.mark.parametrize("proportion", [0.2, 1 / 3, 1])
def test_a_sparse_tournament_finds_the_order_of_a_consistent_model(sample, model, proportion):
    """Of a logistic regression on one segment's differences, strengths are one scale."""
    X, _ = sample
    lists = [X["hypothesis"].tolist()[:30]]
    given = lists, None, [X["reference"].iloc[0]]
    full = rerank(*given, decision="strength", model=model, recomposition="bradley-terry")
    sparse = rerank(
        *given, decision="strength", model=model, approximation="sparse", proportion=proportion
    )
    n = 30
    assert full["compared"].iloc[0] == n * (n - 1) / 2
    met = sparse["compared"].iloc[0] / full["compared"].iloc[0]
    assert met == pytest.approx(proportion, abs=0.07)
    order = [np.argsort(-found["value"].to_numpy(), kind="stable") for found in (full, sparse)]
    assert order[0][:3].tolist() == order[1][:3].tolist()
    if proportion == 1:
        np.testing.assert_allclose(sparse["value"], full["value"], atol=1e-6)


def test_approximations_choose_well_and_ask_less():
    """On lists of 60: what they lose of the best expected utility is little."""
    rng = np.random.default_rng(7)
    lists = []
    for k in range(6):  # variants of one sentence each, as n-best lists have
        words = rng.choice(WORDS + [f"w{k}{n}" for n in range(20)], 15)
        lists.append(
            [
                " ".join(w if rng.random() > 0.3 else rng.choice(WORDS) for w in words)
                for _ in range(60)
            ]
        )
    exact = rerank(lists)
    best = exact[exact["chosen"]]["value"].to_numpy()
    typical = exact["value"].groupby(level="segment").median().to_numpy()
    for name in APPROXIMATIONS:
        found = rerank(lists, approximation=name, proportion=0.25)
        reached = exact["value"][found["chosen"]].to_numpy()
        assert ((best - reached) <= 0.25 * (best - typical)).all(), name
        assert found["compared"].sum() < 0.75 * exact["compared"].sum(), name
    pruned = rerank(lists, approximation="prune")
    assert pruned["value"].isna().any()
    out = pruned[pruned["value"].isna()]
    left = pruned["value"].notna().groupby(level="segment").sum()
    assert (out["rank"] == 1 + left.loc[out.index.get_level_values("segment")].to_numpy()).all()


def noisy_lists(n_lists=6, size=40, seed=11):
    """Lists in which some texts are near each other, and some are not."""
    rng = np.random.default_rng(seed)
    lists = []
    for _ in range(n_lists):
        words = rng.choice(WORDS, 12)
        rates = rng.uniform(0.1, 0.6, size)
        lists.append(
            [" ".join(w if rng.random() > rate else rng.choice(WORDS) for w in words)
             for rate in rates]
        )  # fmt: skip
    return lists


@pytest.mark.parametrize("weights", ["count", "softmax"])
def test_what_pruning_leaves_has_its_expected_utility(weights):
    """Where several are left all references were looked at: their values are the exact ones."""
    lists = noisy_lists()
    index = [(k, n) for k, texts in enumerate(lists) for n, _ in enumerate(texts)]
    index = pd.MultiIndex.from_tuples(index, names=["segment", "system"])
    X = pd.DataFrame({"hypothesis": [t for texts in lists for t in texts]}, index)
    X["score"] = np.random.default_rng(1).normal(size=len(X))
    exact = rerank(X, weights=weights)
    pruned = rerank(X, weights=weights, approximation="prune")
    n_left = pruned["value"].groupby(level="segment").transform("nunique")
    several = pruned["value"].notna() & (n_left > 1)
    assert several.sum() > 2 and pruned["value"].isna().sum() > 100
    np.testing.assert_allclose(pruned["value"][several], exact["value"][several])
    short = [texts[:8] for texts in lists]  # not more than are looked at first
    np.testing.assert_allclose(
        rerank(short, approximation="prune")["value"], rerank(short)["value"]
    )


def test_what_is_pruned_first_by_hand():
    """One text is plainly best: its value is that of the 8 first references and of itself."""
    n, rng = 12, np.random.default_rng(3)
    weights = rng.dirichlet(np.ones(n))
    matrix = rng.uniform(0, 0.1, (n, n)) + np.eye(n)
    matrix[4] += 5
    asked = []

    class Utility:
        def cells(self, hypotheses, references):
            asked.extend(zip(hypotheses.tolist(), references.tolist(), strict=True))
            return matrix[hypotheses, references]

    lists = SimpleNamespace(
        weights=weights, sizes=np.array([n]), starts=np.array([0]),
        seeds=lambda seed: [(0, n, np.random.default_rng(seed))],
    )  # fmt: skip
    how = SimpleNamespace(random_state=0)
    values, compared = APPROXIMATIONS["prune"](Utility(), lists, how)
    assert np.flatnonzero(~np.isnan(values)).tolist() == [4]
    assert compared.tolist() == [n + 8 * n] == [len(asked)]
    assert asked[:n] == [(k, k) for k in range(n)]  # itself, whoever the references are
    seen = [r for h, r in asked[n:] if h == 4]
    assert len(set(seen)) == 8
    others = [r for r in seen if r != 4]
    of_others = np.average(matrix[4, others], weights=weights[others])
    assert values[4] == pytest.approx(weights[4] * matrix[4, 4] + (1 - weights[4]) * of_others)


def test_low_rank_with_all_pairs_is_exact():
    lists = random_lists(3, [9], seed=8)
    found = rerank(lists, approximation="low-rank", proportion=1)
    assert found["value"].tolist() == pytest.approx(rerank(lists)["value"].tolist())


def test_strengths_of_two_are_log_odds_whichever_is_named_first():
    for sure, first in ((0.9999, 0.0), (0.75, 0.1)):
        X, ranker = _paper_scissors_stone(sure, first)
        given = {"decision": "strength", "model": ranker, "approximation": "sparse"}
        other = X.iloc[:2].rename(index={1: 2}, level="segment")
        strengths = rerank(other, **given)["value"]
        expected = np.log(sure / (1 - sure))
        assert abs(strengths.iloc[0] - strengths.iloc[1]) == pytest.approx(expected, rel=1e-6)


def test_ties_are_no_cycle():
    X, ranker = _paper_scissors_stone()
    found = rerank(X.assign(move=0.0), decision="strength", model=ranker)
    assert found["intransitive"].tolist() == [0.0] * 4
    assert found["rank"].tolist() == [1] * 4


def test_places_of_equals_are_shared_and_what_was_pruned_is_last():
    """By hand, of lists of 3, 1 and 2 texts; the second utility has pruned one of the first."""
    lists = SimpleNamespace(sizes=np.array([3, 1, 2]))
    one = np.array([1.0, 1.0, 0.0, 5.0, 2.0, 3.0])
    other = np.array([1.0, 2.0, np.nan, 4.0, 7.0, 7.0])
    np.testing.assert_allclose(mean_places([one], lists), [0.75, 0.75, 0, 1, 0, 1])
    np.testing.assert_allclose(mean_places([other], lists), [0.5, 1, 0, 1, 0.5, 0.5])
    np.testing.assert_allclose(mean_places([one, other], lists), [0.625, 0.875, 0, 1, 0.25, 0.75])


def test_chrf_with_words_is_that_of_sacrebleu():
    (texts,) = random_lists(1, [5], seed=12)
    metric = CHRF(word_order=2)
    values = [np.mean([metric.sentence_score(h, [r]).score for r in texts]) for h in texts]
    np.testing.assert_allclose(rerank([texts], utility="chrf++")["value"], values, rtol=1e-12)


def test_weights_of_a_list_do_not_hang_on_scores_of_another():
    rows = pd.MultiIndex.from_product([[1, 2], [1, 2]], names=["segment", "system"])
    X = pd.DataFrame({"hypothesis": ["a b", "a c"] * 2, "score": [0.0, -1, -3000, -3001]}, rows)
    found = rerank(X, weights="softmax")["value"].to_numpy()
    assert found[:2].tolist() == found[2:].tolist()
    assert found[0] > found[1]


def test_low_rank_asks_for_two_of_each_text_at_least():
    (texts,) = random_lists(1, [9], seed=8)
    texts = list(dict.fromkeys(texts))
    n = len(texts)
    found = rerank([texts], approximation="low-rank", proportion=0.01)
    assert found["compared"].tolist() == [n + 2 * n] * n
    found = rerank([texts], approximation="low-rank", proportion=0.5)
    assert found["compared"].tolist() == [n + round(0.5 * n * (n - 1))] * n


def test_a_matrix_of_low_rank_is_completed():
    """Of two factors of 30 texts, half known: far nearer than the mean of what is known."""
    rng = np.random.default_rng(0)
    matrix = 50 + rng.normal(size=(30, 2)) @ rng.normal(size=(2, 30))
    known = (rng.random(matrix.shape) < 0.5) | np.eye(30, dtype=bool)
    found = completed(np.where(known, matrix, 0.0), known, rng)
    np.testing.assert_array_equal(found[known], matrix[known])
    off = np.abs(found - matrix)[~known].mean()
    assert off < 0.3 * np.abs(matrix - matrix[known].mean())[~known].mean()


@pytest.mark.parametrize(("lead", "left"), [(0.35, True), (1.0, True), (4.0, False)])
def test_who_wins_in_one_resample_of_a_hundred_is_kept(lead, left):
    """The second of two good texts is behind by so many errors of the mean of 8 references."""
    n = 20
    order = np.random.default_rng(0).permutation(n)
    best, second = order[-2:]
    matrix = np.zeros((n, n))
    matrix[best] = 10
    # Alternating, so that any resample has a mean near -lead errors.
    matrix[second, order] = 10 + np.where(np.arange(n) % 2, 1.0, -1.0) - lead / np.sqrt(8)
    matrix[second, second] = matrix[best, best]
    lists = SimpleNamespace(
        weights=np.full(n, 1 / n), sizes=np.array([n]), starts=np.array([0]),
        seeds=lambda seed: [(0, n, np.random.default_rng(seed))],
    )  # fmt: skip
    utility = SimpleNamespace(cells=lambda hypotheses, references: matrix[hypotheses, references])
    values = APPROXIMATIONS["prune"](utility, lists, SimpleNamespace(random_state=0))[0]
    kept = [best, second] if left else [best]
    assert np.flatnonzero(~np.isnan(values)).tolist() == sorted(kept)
    if left:
        np.testing.assert_allclose(values[kept], matrix[kept].mean(axis=1))


def test_consensus_ranks_without_references(sample):
    X, _ = sample
    X = X[X.index.get_level_values("segment") <= 5].drop(columns="reference")
    consensus = consensus_model()
    with pytest.warns(UserWarning, match="outliers lose"):
        expected = rank_candidates(consensus, X)
    found = rerank(X, decision="strength", model=consensus)
    assert found["rank"].tolist() == expected["rank"].tolist()


TABLE = pd.DataFrame(
    {"hypothesis": ["a", "b"], "score": [0.0, np.nan], "weight": [0.0, 0.0]},
    pd.MultiIndex.from_tuples([(1, 1), (1, 2)], names=["segment", "system"]),
)
BAD = {
    "a text": (CandidateError, ["abc"], {}, "list 1: expected a list"),
    "text": (CandidateError, "abc", {}, "must be a list"),
    "no list": (CandidateError, [], {}, "has no list"),
    "an empty list": (CandidateError, [["a"], []], {}, "list 2: expected .* an empty one"),
    "None": (CandidateError, [["a", None]], {}, "row 1"),
    "sources": (CandidateError, [["a"]], {"sources": ["x", "y"]}, "sources has 2 entries"),
    "a table and sources": (CandidateError, TABLE, {"sources": ["x"]}, "columns"),
    "NaN": (CandidateError, TABLE, {"weights": "softmax"}, "row 1 .* finite"),
    "no mass": (CandidateError, TABLE, {"weights": "given"}, "all 0"),
    "negative": (CandidateError, TABLE.assign(weight=-1.0), {"weights": "given"}, ">= 0"),
    "no score": (CandidateError, [["a"]], {"weights": "softmax"}, "no column 'score'"),
    "decision": (ValueError, [["a"]], {"decision": "vote"}, r"decision .*found "),
    "utility": (ValueError, [["a"]], {"utility": "comet"}, r"utility .*found "),
    "no utility": (ValueError, [["a"]], {"utility": []}, "at least one"),
    "utility class": (ValueError, [["a"]], {"utility": TERComp}, "instance"),
    "utility of score": (
        ValueError, [["a"]], {"decision": "score", "utility": "chrf"}, "is for decision='mbr'"
    ),
    "model of mbr": (ValueError, [["a"]], {"model": "static-en"}, "give it as utility="),
    "no mean": (
        ValueError, [["a"]], {"utility": "ter", "approximation": "aggregate"}, "no mean",
    ),
    "approximation": (
        ValueError, [["a"]], {"decision": "strength", "approximation": "prune"}, r"\['sparse'\]"
    ),
    "recomposition": (ValueError, [["a"]], {"recomposition": "soft"}, "decision='strength'"),
    "scale": (ValueError, [["a"]], {"scale": 0}, "scale must be"),
    "proportion": (ValueError, [["a"]], {"proportion": 2}, "proportion must be"),
    "NaN of a utility": (ValueError, [["a"]], {"utility": lambda h, r: [np.nan]}, "finite"),
    "length of a utility": (ValueError, [["a"]], {"utility": lambda h, r: [1, 2]}, "shape"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_is_refused(case):
    error, candidates, options, message = BAD[case]
    with pytest.raises(error, match=message):
        rerank(candidates, **options)


def test_registries_are_what_the_docstring_and_the_command_say():
    allowed = [name for entry in DECISIONS.values() for name in entry.approximations]
    registries = {"DECISIONS": DECISIONS, "UTILITIES": UTILITIES, "WEIGHTS": module.WEIGHTS}
    registries["APPROXIMATIONS"] = allowed
    for name, registry in registries.items():
        assert list(getattr(option_values, name)) == list(registry)
        for value in registry:
            assert f'"{value}"' in rerank_sound.__doc__, value
