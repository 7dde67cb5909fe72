import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

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
from sklearn_mteval.features import (
    BLEUComp,
    METEORComp,
    MetricScores,
    NISTScore,
    TERComp,
    sentence_bleu,
)
from sklearn_mteval.metrics import kendall_tau_counts
from sklearn_mteval.text.wordnet import find_wordnet


def frame(pairs):
    hypotheses, references = zip(*pairs, strict=True)
    return pd.DataFrame({"hypothesis": hypotheses, "reference": references}, dtype=object)


def sacrebleus(X, ter=None, chrf=None):
    """BLEU, −TER, chrF and chrF++ of each row from sacreBLEU itself."""
    metrics = [BLEU(effective_order=True), TER(**(ter or {})), CHRF(**(chrf or {}))]
    metrics.append(CHRF(**{"word_order": 2, **(chrf or {})}))
    rows = []
    for hypothesis, cell in zip(X["hypothesis"], X["reference"], strict=True):
        references = [cell] if isinstance(cell, str) else list(cell)
        scores = [metric.sentence_score(hypothesis, references).score for metric in metrics]
        rows.append([scores[0], -scores[1], *scores[2:]])
    return np.array(rows)


def ours(X, **options):
    metrics = ["bleu", "ter", "chrf", "chrf++"]
    return MetricScores(metrics, options=options, language="en").fit_transform(X)


WORDS = st.sampled_from(["a", "b", "cat", "cats,", "U.S.", "Été", "日本", "1,000", '"so"', "-"])
TEXTS = st.lists(WORDS, min_size=1, max_size=9).map(" ".join)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(TEXTS, TEXTS | st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=4
    ),
    st.booleans(),
)
def test_equal_to_sacrebleu(pairs, flag):
    X = frame(pairs)
    np.testing.assert_allclose(ours(X), sacrebleus(X), rtol=1e-12, atol=1e-12)
    ter = {"normalized": flag, "case_sensitive": True}
    chrf = {"char_order": 3, "lowercase": flag, "beta": 1}
    found = ours(X, ter=ter, chrf=chrf, **{"chrf++": chrf})
    np.testing.assert_allclose(found, sacrebleus(X, ter, chrf), rtol=1e-12, atol=1e-12)


def test_columns_are_those_of_the_single_transformers(sample):
    X = sample[0].iloc[:200]
    found = MetricScores().set_output(transform="pandas").fit_transform(X)
    assert list(found) == [
        f"{m}_score" for m in ("bleu", "nist", "ter", "meteor", "chrf", "chrf++")
    ]
    assert found.index.equals(X.index)
    np.testing.assert_array_equal(found["bleu_score"], sentence_bleu(X))
    np.testing.assert_array_equal(found["nist_score"], NISTScore().fit_transform(X)[:, 0])
    np.testing.assert_array_equal(found["meteor_score"], METEORComp().fit_transform(X)[:, -1])
    some = MetricScores(("chrf", "bleu")).fit_transform(X)
    np.testing.assert_array_equal(some, found[["chrf_score", "bleu_score"]])


def test_a_perfect_translation_scores_highest(sample):
    X = sample[0].iloc[:40]
    fitted = MetricScores().fit(X)
    perfect = fitted.transform(X.assign(hypothesis=X["reference"]))
    assert (perfect >= fitted.transform(X)).all()
    assert perfect[:, 2].tolist() == [0] * 40
    np.testing.assert_allclose(perfect[:, [0, 4, 5]], 100)


def test_nist_keeps_the_weights_of_fit(sample):
    X = sample[0]
    fitted = MetricScores(["nist"]).fit(X)
    few = X.iloc[:10]
    np.testing.assert_array_equal(fitted.transform(few), fitted.transform(X)[:10])
    assert not np.allclose(MetricScores(["nist"]).fit_transform(few), fitted.transform(few))


def test_wordnet_is_settled_in_fit(tmp_path):
    folder = find_wordnet("auto")
    if folder is None:
        pytest.skip("no WordNet: apt-get install wordnet-base")
    X = frame([("the auto", "the car")])
    synonyms = MetricScores(["meteor"], options={"meteor": {"wordnet": "auto"}}).fit(X)
    without = MetricScores(["meteor"]).fit(X)
    assert without.options_["meteor"]["wordnet"] is None
    assert synonyms.transform(X) > without.transform(X)
    assert synonyms.options_["meteor"]["wordnet"] == folder
    save_model(synonyms, tmp_path / "model")
    again = load_model(tmp_path / "model")
    again.options_["meteor"]["wordnet"] = str(tmp_path / "gone")
    with pytest.raises(ValueError, match="gone"):
        again.transform(X)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metrics": "bleu"}, "metrics must be a non-empty list or tuple"),
        ({"metrics": []}, "metrics must be"),
        ({"metrics": ["bleu", "bleu"]}, "different names"),
        ({"metrics": [None]}, "metrics must be"),
        ({"metrics": ["bleu", "comet"]}, r"metrics must be of \['bleu'.*found 'comet'"),
        ({"options": ["bleu"]}, "options must map"),
        ({"options": {"bleu": True}}, "options must map"),
        ({"metrics": ["bleu"], "options": {"ter": {}}}, "options has 'ter', but the metrics are"),
        ({"options": {"bleu": {"smooth": 1}}}, r"bleu has the options \['tokenize', 'lowercase'\]"),
        ({"options": {"nist": {"weights": 1}}}, "nist has the options"),
        ({"options": {"nist": {"max_ngram_order": 0}}}, "max_ngram_order must be"),
        ({"options": {"ter": {"normalized": 3}}}, "normalized must be True or False"),
        ({"options": {"meteor": {"alpha": 2}}}, "alpha must be"),
        ({"options": {"meteor": {"wordnet": "nowhere"}}}, "nowhere"),
        ({"options": {"chrf": {"char_order": -1}}}, "char_order must be"),
        ({"options": {"chrf++": {"beta": "2"}}}, "beta must be"),
        ({"options": {"meteor": {"beta": 10**400}}}, "beta must be"),
        ({"options": {"bleu": {"tokenize": "14a"}}}, r"tokenize .*found "),
        ({"options": {"bleu": {"lowercase": "no"}}}, "lowercase must be True or False"),
        ({"options": {"nist": {"lowercase": 1}}}, "lowercase must be True or False"),
        ({"options": {"meteor": {"lowercase": None}}}, "lowercase must be True or False"),
        ({"options": {"chrf": {"whitespace": "no"}}}, "whitespace must be True or False"),
    ],
)
def test_bad_options(sample, arguments, message):
    with pytest.raises(ValueError, match=message):
        MetricScores(**arguments).fit(sample[0])


def test_grid_search(rankings):
    X, y = rankings
    ranker = RankRecomposer(make_pipeline(PairDifference(), LogisticRegression()))
    pipe = make_pipeline(MetricScores(), ranker).set_output(transform="pandas")
    grid = {
        "metricscores__metrics": [["bleu", "chrf"], ("ter",)],
        "metricscores__options": [None, {}],
    }
    search = GridSearchCV(pipe, grid, scoring=kendall_tau_scorer, cv=SegmentKFold(3), n_jobs=2)
    assert search.fit(X, y).best_score_ > 0.2


@pytest.mark.slow
@pytest.mark.parametrize(("pair", "bleu", "chrf"), [("cs-en", 15.71, 23.7), ("de-en", 18.32, 26.3)])
def test_tau_on_wmt12(data_dir, pair, bleu, chrf):
    """Figures of sacreBLEU's own scores (DESIGN, section 9); the rest are better than BLEU."""
    X, y = load_wmt(data_dir / "wmt12", pair, return_X_y=True)
    scores = MetricScores().set_output(transform="pandas").fit_transform(X)
    groups = X.index.droplevel("system")
    counts = {name: kendall_tau_counts(y, scores[name], groups=groups) for name in scores}
    strict = {name: 100 * kendall_tau(y, scores[name], groups=groups) for name in scores}
    assert strict["bleu_score"] == pytest.approx(bleu, abs=0.005)
    assert strict["chrf_score"] == pytest.approx(chrf, abs=0.05)
    ter = counts["ter_score"]
    share = ter.tied_metric / (ter.concordant + ter.discordant + ter.tied_metric)
    assert 0.15 < share < 0.185  # and a tie is discordant in the strict variant
    assert min(strict, key=strict.get) == "ter_score"
    del strict["ter_score"]
    assert min(strict, key=strict.get) == "bleu_score"


@pytest.mark.parametrize("order", [101, 10**9, 2**63, 10**30])
@pytest.mark.parametrize(
    ("metric", "option"),
    [("nist", "max_ngram_order"), ("chrf", "char_order"), ("chrf", "word_order")],
)
def test_n_grams_have_a_longest(sample, metric, option, order):
    scores = MetricScores([metric], options={metric: {option: order}})
    with pytest.raises(ValueError, match=f"{option} must be an integer >= . and <= 100, found"):
        scores.fit(sample[0][:5])


@pytest.mark.parametrize("order", [101, 2**63])
def test_n_grams_of_bleu_have_a_longest(sample, order):
    with pytest.raises(ValueError, match="max_ngram_order must be an integer"):
        BLEUComp(max_ngram_order=order).fit(sample[0][:5])


@pytest.mark.parametrize("n_jobs", ["2", 0, 1.5, True, [1]])
def test_n_jobs_is_a_number_of_processes(sample, n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None or an integer other than 0"):
        MetricScores(["chrf"], n_jobs=n_jobs).fit_transform(sample[0][:5])


ZH = [
    ("今天天气很好。", "今天的天气很好。"),
    ("我喜欢 BLEU 3.5", "我爱 BLEU 3.5！"),
    ("", "好的好的好的"),
]
TH = [("วันนี้อากาศดี", "วันนี้อากาศดีมาก"), ("ขอบคุณ", "ขอบคุณครับ")]


@pytest.mark.parametrize("language", ["zh", None])
def test_words_of_chinese_are_those_of_sacrebleu(language):
    X = frame(ZH)
    scorer = MetricScores(language=language).set_output(transform="pandas")
    found = scorer.fit_transform(X)
    bleu = BLEU(effective_order=True, tokenize="zh")
    ter = TER(normalized=True, asian_support=True)
    for row, (hypothesis, reference) in enumerate(ZH):
        expected = bleu.sentence_score(hypothesis, [reference]).score
        assert found["bleu_score"][row] == pytest.approx(expected, rel=1e-12)
        expected = -ter.sentence_score(hypothesis, [reference]).score
        assert found["ter_score"][row] == pytest.approx(expected, rel=1e-12)
    zh = {"tokenize": "zh"}
    given = {"nist": zh, "meteor": zh}
    explicit = MetricScores(["nist", "meteor"], options=given, language="en").fit_transform(X)
    np.testing.assert_array_equal(found[["nist_score", "meteor_score"]], explicit)
    words = {"bleu": "zh", "nist": "zh", "ter": "tercom-normalized-asian", "meteor": "zh"}
    assert scorer.tokenizers_ == words
    scores = found.drop(columns="nist_score").iloc[0]
    assert (scores != MetricScores(language="en").fit(X).transform(X)[0, [0, 2, 3, 4, 5]])[:3].all()


def test_words_of_thai_are_characters():
    X = frame(TH)
    bleu = BLEU(effective_order=True, tokenize="char")
    expected = [bleu.sentence_score(h, [r]).score for h, r in TH]
    scorer = MetricScores(["bleu", "chrf"])
    assert scorer.fit_transform(X)[:, 0].tolist() == pytest.approx(expected)
    assert scorer.tokenizers_ == {"bleu": "char"}
    with pytest.warns(UserWarning, match="TER parts words at spaces.*'th': leave it out"):
        assert MetricScores(["ter"]).fit(X).tokenizers_ == {"ter": "tercom"}
    with pytest.warns(UserWarning, match="'ja': use normalized=True, asian_support=True"):
        MetricScores(["ter"], language="ja", options={"ter": {"normalized": False}}).fit(X)


def test_options_of_a_metric_come_before_the_language():
    options = {"bleu": {"tokenize": "char"}}
    assert MetricScores(["bleu"], options=options, language="zh").fit(frame(ZH)).tokenizers_ == {
        "bleu": "char"
    }
    english = [("a", "a")]
    assert MetricScores(["bleu", "ter"]).fit(frame(english)).tokenizers_ == {
        "bleu": "13a", "ter": "tercom"
    }  # fmt: skip
    for language in (3, "", "zh_TW"):
        with pytest.raises(ValueError, match="language must be a code such as 'zh'"):
            MetricScores(language=language).fit(frame(english))


@pytest.mark.parametrize("transformer", [BLEUComp(), NISTScore(), METEORComp()])
def test_components_warn_of_a_tokeniser_that_takes_sentences_for_words(transformer):
    words = "tokenize='13a' is not for the references, .* in 'zh': use tokenize='zh'"
    with pytest.warns(UserWarning, match=words):
        transformer.fit(frame(ZH))
    transformer.set_params(tokenize="zh").fit(frame(ZH))
    with pytest.warns(UserWarning, match=words):
        sentence_bleu(frame(ZH))
    with pytest.warns(UserWarning, match="use normalized=True, asian_support=True"):
        TERComp(normalized=True).fit(frame(ZH))
    TERComp(normalized=True, asian_support=True).fit(frame(ZH))
