import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import ChrFComp
from sklearn_mteval.features.overlap.chrf import chrf_counts, chrf_scores, prepare_chrf

COMP = {"char_order": 6, "word_order": 0, "beta": 2, "lowercase": False, "whitespace": False}


def assert_equal_to_sacrebleu(sets, **options):
    """Compare scores to the last bit and counts to the integer."""
    metric = CHRF(**options)
    scores, counts = [], []
    for references, group in sets:
        for hypothesis in group:
            scores.append(metric.sentence_score(hypothesis, list(references)).score)
            columns = [[text] for text in references]
            statistics = metric._extract_corpus_statistics([hypothesis], columns)[0]
            counts.append([*statistics[2::3], *statistics[::3], *statistics[1::3]])
    np.testing.assert_array_equal(chrf_scores(sets, **prepare_chrf((), **options)), scores)
    np.testing.assert_array_equal(chrf_counts(sets, **{**COMP, **options}), counts)


CHARACTERS = "abAÉßİΣς1.,-'\"&(){}$%…„🙂 \t\n\r\x00\x0b\x1c\x85\xa0\u2028\u3000\u200b\u0301\ud800"
PIECES = st.sampled_from([*CHARACTERS, "  ", "(hi)", "日本", "한국", "ก็", "word", "x.y", "U.S."])
TEXTS = st.lists(PIECES, max_size=12).map("".join)
SETS = st.lists(
    st.tuples(
        st.lists(TEXTS, min_size=1, max_size=3).map(tuple),
        st.lists(TEXTS, min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=3,
)
OPTIONS = st.fixed_dictionaries(
    {
        "char_order": st.integers(0, 8),
        "word_order": st.integers(0, 3),
        "beta": st.sampled_from([0, 1, 2, 3, 0.5]),
        "lowercase": st.booleans(),
        "whitespace": st.booleans(),
        "eps_smoothing": st.booleans(),
    }
).filter(lambda options: options["char_order"] + options["word_order"])


@settings(max_examples=400, deadline=None)
@example(sets=[(("ab", "ba", "ab "), ["ab", "ba"])], options={"char_order": 2, "word_order": 1})
@given(sets=SETS, options=OPTIONS)
def test_equal_to_sacrebleu_on_odd_texts(sets, options):
    assert_equal_to_sacrebleu(sets, **options)


@settings(max_examples=200, deadline=None)
@given(
    sets=st.lists(
        st.tuples(
            st.lists(st.text("ab ", max_size=12), min_size=1, max_size=5).map(tuple),
            st.lists(st.text("ab ", max_size=12), min_size=1, max_size=3),
        ),
        min_size=1,
        max_size=4,
    ),
    eps_smoothing=st.booleans(),
)
def test_several_references(sets, eps_smoothing):
    """Two letters only, so that references are often equally good."""
    assert_equal_to_sacrebleu(sets, char_order=3, word_order=1, eps_smoothing=eps_smoothing)


def test_the_first_of_equally_good_references_counts():
    options = {**COMP, "char_order": 1}
    assert chrf_counts([(("xyz", "xy"), ["ab"])], **options).tolist() == [[0, 2, 3]]  # both 0
    assert chrf_counts([(("xy", "ab", "xyz"), ["ab"])], **options).tolist() == [[2, 2, 2]]


def test_long_texts():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["a.", "b", "(c"], size=size)) for size in (2000, 1500, 1, 40)]
    assert_equal_to_sacrebleu([((text,), texts) for text in texts], word_order=2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("campaign", "pair", "options"),
    [
        ("wmt12", "en-de", {}),
        ("wmt15", "ru-en", {"word_order": 2}),
        ("wmt15", "fi-en", {"lowercase": True, "whitespace": True, "eps_smoothing": True}),
    ],
)
def test_equal_to_sacrebleu_on_real_data(data_dir, campaign, pair, options):
    X, _ = load_wmt(data_dir / campaign, pair, return_X_y=True)
    sets = [((r,), [h]) for r, h in X[["reference", "hypothesis"]].drop_duplicates()[:1500].values]
    assert_equal_to_sacrebleu(sets, **options)


def frame(pairs):
    hypotheses, references = zip(*pairs, strict=True)
    return pd.DataFrame({"hypothesis": hypotheses, "reference": references}, dtype=object)


def test_components_worked_by_hand():
    # Popović 2017: words, with one punctuation mark split off: "a cat" | "." and "the cat" | "!".
    X = frame([("a cat.", "the cat!")])
    transformer = ChrFComp(char_order=3, word_order=2).set_output(transform="pandas")
    found = transformer.fit_transform(X).iloc[0]
    assert [found[f"chrf_char_matches_{n}"] for n in (1, 2, 3)] == [3, 2, 1]  # c a t, ca at, cat
    assert [found[f"chrf_char_hypothesis_total_{n}"] for n in (1, 2, 3)] == [5, 4, 3]
    assert [found[f"chrf_char_reference_total_{n}"] for n in (1, 2, 3)] == [7, 6, 5]
    assert [found[f"chrf_word_matches_{n}"] for n in (1, 2)] == [1, 0]
    assert [found[f"chrf_word_hypothesis_total_{n}"] for n in (1, 2)] == [3, 2]
    precision = (3 / 5 + 2 / 4 + 1 / 3 + 1 / 3 + 0) / 5
    recall = (3 / 7 + 2 / 6 + 1 / 5 + 1 / 3 + 0) / 5
    assert found["chrf_char_precision_2"] == 2 / 4 and found["chrf_char_recall_3"] == 1 / 5
    expected = 100 * 5 * precision * recall / (4 * precision + recall)
    assert found["chrf_score"] == pytest.approx(expected, rel=1e-14)


def test_the_score_is_a_column(sample):
    X = sample[0].iloc[:60]
    sets = [((r,), [h]) for r, h in X[["reference", "hypothesis"]].values]
    for options in ({}, {"word_order": 2, "beta": 1, "lowercase": True}):
        found = ChrFComp(**options).fit_transform(X)[:, -1]
        np.testing.assert_array_equal(found, chrf_scores(sets, **prepare_chrf((), **options)))


def test_names(sample):
    transformer = ChrFComp(char_order=2, word_order=1).fit(sample[0])
    assert list(transformer.get_feature_names_out()) == [
        "chrf_char_matches_1", "chrf_char_matches_2", "chrf_word_matches_1",
        "chrf_char_hypothesis_total_1", "chrf_char_hypothesis_total_2",
        "chrf_word_hypothesis_total_1",
        "chrf_char_reference_total_1", "chrf_char_reference_total_2",
        "chrf_word_reference_total_1",
        "chrf_char_precision_1", "chrf_char_precision_2", "chrf_word_precision_1",
        "chrf_char_recall_1", "chrf_char_recall_2", "chrf_word_recall_1", "chrf_score",
    ]  # fmt: skip


def test_empty_texts_and_no_texts():
    X = frame([("", ""), ("", "a"), ("a", ""), (" ", "a b"), ("a", ["", "a"])])
    found = ChrFComp(word_order=2).fit_transform(X)
    assert found[:, -1].tolist() == [0, 0, 0, 0, 100]
    assert found[4, :8].tolist() == [1, 0, 0, 0, 0, 0, 1, 0]
    assert chrf_scores([], **prepare_chrf(())).shape == (0,)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"char_order": -1}, r"char_order must be an integer >= 0 and <= 100, found -1"),
        ({"char_order": 2.0}, "char_order must be an integer"),
        ({"word_order": True}, "word_order must be an integer"),
        ({"char_order": 0}, "char_order or word_order must be >= 1, found 0 for both"),
        ({"beta": -1}, "beta must be a number from 0 to 1000, found -1"),
        ({"beta": float("nan")}, "beta must be a number"),
        ({"beta": "2"}, "beta must be a number"),
    ],
)
def test_bad_options(sample, options, message):
    with pytest.raises(ValueError, match=message):
        ChrFComp(**options).fit(sample[0])
    with pytest.raises(ValueError, match=message):
        prepare_chrf((), **options)
