import numpy as np
import pandas as pd
import pytest
from encoder_model import one_layer_model
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline, make_union

from sklearn_mteval import (
    PairDifference,
    RankRecomposer,
    SegmentKFold,
    kendall_tau,
    kendall_tau_scorer,
    load_model,
    save_model,
)
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ChrFComp, ContrastiveScore, NISTScore, TokenAlignment
from sklearn_mteval.features.embeddings import _token_transformer


def table(*rows):
    """Make a table from (segment, system, text) or (segment, ranking, system, text)."""
    names = ["segment", "ranking", "system"] if len(rows[0]) == 4 else ["segment", "system"]
    index = pd.MultiIndex.from_tuples([row[:-1] for row in rows], names=names)
    return pd.DataFrame({"hypothesis": [row[-1] for row in rows]}, index=index, dtype=object)


def words_in_common(hypotheses, references):
    """Proportion of the hypothesis's words that are in the reference: easy by hand."""
    return [
        len(set(h.split()) & set(r.split())) / max(len(h.split()), 1)
        for h, r in zip(hypotheses, references, strict=True)
    ]


THREE = table((1, "A", "a b"), (1, "B", "a c"), (1, "C", "d"), (2, "A", "x"), (2, "B", "x y"))


def test_the_mean_over_competitors_by_hand():
    found = ContrastiveScore(words_in_common).set_output(transform="pandas").fit_transform(THREE)
    assert list(found) == ["contrastive_score"]
    assert found.index.equals(THREE.index)
    # a b: half of it is in "a c", nothing in "d"; x is wholly in "x y", half the other way round
    assert found["contrastive_score"].tolist() == [0.25, 0.25, 0, 1, 0.5]


def test_all_competitors_together_by_hand():
    def words_in_any(hypotheses, references):
        assert all(isinstance(cell, tuple) for cell in references)
        return words_in_common(hypotheses, [" ".join(cell) for cell in references])

    X = table((1, "A", "a b c d"), (1, "B", "a"), (1, "C", "b"), (1, "D", "b"))
    found = ContrastiveScore(words_in_any, references="all").fit_transform(X)
    assert found[:, 0].tolist() == [0.5, 1, 1, 1]


def test_equal_texts_are_competitors():
    X = table((1, "A", "a"), (1, "B", "a"), (1, "C", "b"), (1, "D", "a b"))
    found = ContrastiveScore(words_in_common).fit_transform(X)
    np.testing.assert_allclose(found[:, 0], [2 / 3, 2 / 3, 1 / 3, 1 / 2])


def test_the_competitors_are_those_of_the_segment_in_any_ranking():
    texts = {"A": "a b", "B": "a c", "C": "d", "D": "a"}
    once = table(*((1, system, text) for system, text in texts.items()))
    expected = dict(zip("ABCD", ContrastiveScore().fit_transform(once), strict=True))
    rankings = [(1, "r1", "A"), (1, "r1", "B"), (1, "r2", "B"), (1, "r2", "C"), (1, "r3", "D")]
    X = table(*((*row, texts[row[-1]]) for row in rankings))
    found = ContrastiveScore().fit_transform(X)
    np.testing.assert_array_equal(found, [expected[row[-1]] for row in rankings])


@pytest.mark.parametrize("references", ["each", "all"])
@pytest.mark.parametrize("metric", ["chrf", "ter", words_in_common, ChrFComp()])
def test_without_competitors_all_is_zero(metric, references):
    alone = table((1, "A", "a b"), (2, "A", "c"))
    found = ContrastiveScore(metric, references=references).fit_transform(alone)
    assert found.shape[0] == 2 and not found.any()


def brute_force(X, score, references):
    """Score by its definition, pair by pair, with another library."""
    result = []
    for (segment, *_, system), text in X["hypothesis"].items():
        same = X.index.get_level_values("segment") == segment
        texts = X[same].reset_index().drop_duplicates("system").set_index("system")["hypothesis"]
        competitors = texts.drop(system).tolist()
        if references == "all":
            result.append(score(text, competitors) if competitors else 0)
        else:
            scores = [score(text, [competitor]) for competitor in competitors]
            result.append(np.mean(scores) if scores else 0)
    return np.array(result)


BLEU_METRIC, TER_METRIC = BLEU(effective_order=True), TER()
ORACLES = {
    "bleu": lambda text, competitors: BLEU_METRIC.sentence_score(text, competitors).score,
    "chrf": lambda text, competitors: CHRF().sentence_score(text, competitors).score,
    "chrf++": lambda text, competitors: CHRF(word_order=2).sentence_score(text, competitors).score,
    "ter": lambda text, competitors: -TER_METRIC.sentence_score(text, competitors).score,
}
TEXTS = st.lists(
    st.sampled_from(["a", "b", "cat", "U.S.", "Été", "Жук", "1,000", '"so"', "-"]), max_size=6
).map(" ".join)


@pytest.mark.parametrize("references", ["each", "all"])
@pytest.mark.parametrize("metric", ORACLES)
@settings(max_examples=20, deadline=None)
@given(texts=st.lists(st.lists(TEXTS, min_size=1, max_size=5), min_size=1, max_size=3))
def test_equal_to_sacrebleu_on_odd_texts(metric, references, texts):
    X = table(*((s, k, text) for s, group in enumerate(texts) for k, text in enumerate(group)))
    found = ContrastiveScore(metric, references=references).fit_transform(X)[:, 0]
    np.testing.assert_allclose(found, brute_force(X, ORACLES[metric], references), atol=1e-9)


@pytest.mark.parametrize("references", ["each", "all"])
@pytest.mark.parametrize("metric", ["bleu", "chrf"])
def test_equal_to_sacrebleu_on_real_texts(metric, references, data_dir):
    X = load_wmt(data_dir / "wmt12", "de-en", return_X_y=True)[0].iloc[:300]
    found = ContrastiveScore(metric, references=references).fit_transform(X)[:, 0]
    np.testing.assert_allclose(found, brute_force(X, ORACLES[metric], references), atol=1e-9)


def test_tau_without_references(data_dir):
    """Mean chrF and multi-reference BLEU, as they were measured before the feature was written."""
    X, y = load_wmt(data_dir / "wmt12", "de-en", return_X_y=True)
    for metric, references, expected in (("chrf", "each", 0.207), ("bleu", "all", 0.168)):
        scores = ContrastiveScore(metric, references=references).fit_transform(X)[:, 0]
        tau = kendall_tau(y, scores, groups=X.index.droplevel("system"), statistic="wmt12")
        assert abs(tau - expected) < 0.001


def test_each_pair_is_scored_once():
    asked = []

    def remember(hypotheses, references):
        asked.extend(zip(hypotheses, references, strict=True))
        return [0.0] * len(hypotheses)

    texts = ["a", "b", "a", "c"]
    rows = [(s, r, k, text) for s in (1, 2) for r in (1, 2) for k, text in enumerate(texts)]
    ContrastiveScore(remember).fit_transform(table(*rows))
    assert len(asked) == len(set(asked))
    # Both orders of three texts, and "a" against its double; no text against itself.
    expected = {("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"), ("b", "c"), ("c", "b"), ("a", "a")}
    assert set(asked) == expected


def test_the_columns_of_a_transformer():
    X = THREE
    metric = ContrastiveScore(TokenAlignment(one_layer_model()))
    found = metric.set_output(transform="pandas").fit_transform(X)
    assert list(found) == [f"contrastive_tokenalignment_{p}" for p in ("precision", "recall", "f")]
    aligner = TokenAlignment(one_layer_model())
    pair = pd.DataFrame({"hypothesis": ["x", "x y"], "reference": ["x y", "x"]})
    np.testing.assert_array_equal(found.loc[2], aligner.fit_transform(pair))
    assert not hasattr(metric.metric, "fingerprint_")  # the user's own is not fitted
    metric.set_params(metric__batch_size=3)
    assert metric.fit(X).metric_.batch_size == 3
    together = ContrastiveScore(ChrFComp(), references="all").fit_transform(X)[:, -1]
    np.testing.assert_allclose(together, brute_force(X, ORACLES["chrf"], "all"))


def test_the_options_of_a_token_alignment():
    options = {"layers": [0, 1], "dtype": "bfloat16", "position_penalty": 0.5}
    found = ContrastiveScore(TokenAlignment(one_layer_model(), **options)).fit_transform(THREE)
    pair = pd.DataFrame({"hypothesis": ["x", "x y"], "reference": ["x y", "x"]})
    expected = TokenAlignment(one_layer_model(), **options).fit_transform(pair)
    np.testing.assert_array_equal(found[3:], expected)


def test_a_token_alignment_encodes_each_text_once(monkeypatch):
    monkeypatch.setattr(_token_transformer, "_BLOCK", 3)
    asked = []

    def letters(texts):
        asked.extend(texts)
        return [np.array([[ord(c), 1.0] for c in text]) for text in texts]

    rows = [(s, f"sys{k}", f"{s % 7}{'ab' * k}") for s in range(12) for k in range(5)]
    scorer = ContrastiveScore(TokenAlignment(letters)).fit(table(*rows))
    asked.clear()
    scorer.transform(table(*rows))
    assert sorted(asked) == sorted({text for *_, text in rows})


def test_nist_learns_its_weights_from_the_translations():
    found = ContrastiveScore("nist").fit(THREE).transform(THREE)[:, 0]
    texts = sorted(set(THREE["hypothesis"]))
    oracle = NISTScore().fit(pd.DataFrame({"hypothesis": texts, "reference": texts}))

    def score(text, competitors):
        return oracle.transform(pd.DataFrame({"hypothesis": [text], "reference": [competitors]}))[
            0, 0
        ]

    np.testing.assert_allclose(found, brute_force(THREE, score, "each"))
    assert found.any()


def test_options_are_those_of_the_metric():
    X = table((1, "A", "The cat"), (1, "B", "the CAT"))
    lower = ContrastiveScore(options={"lowercase": True}).fit_transform(X)
    assert lower[:, 0].tolist() == [100, 100]
    assert (ContrastiveScore().fit_transform(X) < 50).all()


def test_two_texts_of_one_system_are_refused():
    X = table((7, "r1", "A", "one"), (7, "r1", "B", "x"), (7, "r2", "A", "another"))
    for method in (ContrastiveScore().fit, ContrastiveScore().fit(X.iloc[:2]).transform):
        with pytest.raises(CandidateError, match="'A' has two translations of segment 7: 'one'"):
            method(X)


def test_a_lost_index_is_refused():
    fitted = ContrastiveScore().fit(THREE)
    for X in (THREE.reset_index(drop=True), THREE.droplevel("segment")):
        for method in (clone(fitted).fit, fitted.transform):
            with pytest.raises(CandidateError, match="'segment' and 'system'"):
                method(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"metric": "comet"}, r"metric .*\['bleu', .*found 'comet'"),
        ({"metric": 3}, "metric must be of"),
        ({"metric": ChrFComp}, r"a transformer \(an instance\)"),
        ({"references": "both"}, r"references .*\['all', 'each'\], found 'both'"),
        ({"options": ["lowercase"]}, "options must be None or a mapping"),
        ({"options": {"case": 1}}, "chrf has the options"),
        ({"metric": ChrFComp(), "options": {"beta": 1}}, "belong to a metric that is named"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        ContrastiveScore(**parameters).fit(THREE)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (lambda h, r: [0.5], r"shape \(8,\) for 8 pairs, found shape \(1,\)"),
        (lambda h, r: [float("nan")] * len(h), "8 NaN or infinite"),
    ],
)
def test_a_metric_that_misbehaves(metric, message):
    fitted = ContrastiveScore(metric).fit(THREE)
    with pytest.raises(ValueError, match=message):
        fitted.transform(THREE)


def test_a_function_of_ones_own_is_saved_by_name(tmp_path):
    fitted = ContrastiveScore(words_in_common).fit(THREE)
    name = f"{words_in_common.__module__}.words_in_common"
    save_model(fitted, tmp_path / "model", trusted=[name])
    again = load_model(tmp_path / "model", trusted=[name])
    np.testing.assert_array_equal(again.transform(THREE), fitted.transform(THREE))


def test_in_cross_validation(rankings):
    """Splits keep segments whole, so that competitors stay together."""
    X, y = rankings
    features = make_union(ContrastiveScore(), ContrastiveScore("bleu", references="all"))
    ranker = RankRecomposer(make_pipeline(PairDifference(), LogisticRegression()))
    pipe = make_pipeline(features, ranker).set_output(transform="pandas")
    found = cross_val_score(pipe, X, y, cv=SegmentKFold(3), scoring=kendall_tau_scorer)
    assert np.isfinite(found).all()


def test_joined_language_pairs_are_no_competitors():
    index = pd.MultiIndex.from_tuples([(1, "A"), (1, "B")], names=["segment", "system"])
    X = pd.DataFrame({"source": ["eins", "un"], "hypothesis": ["one", "one"]}, index=index)
    with pytest.raises(CandidateError, match="segment labels of their own"):
        ContrastiveScore().fit(X)


@pytest.mark.parametrize("metric", [len, lambda h, r: ["a"] * len(h), lambda h, r: [[1], 2]])
def test_functions_that_score_nothing(sample, metric):
    X = sample[0].iloc[:10]
    with pytest.raises((TypeError, ValueError), match=r"metric(, .*, does not take| must give)"):
        ContrastiveScore(metric).fit(X).transform(X)
