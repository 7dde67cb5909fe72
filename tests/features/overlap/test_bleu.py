import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from sklearn_mteval import BLEUComp
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import sentence_bleu
from sklearn_mteval.features.overlap._ngrams import count_matches
from sklearn_mteval.text.tokens import TokenInterner, flatten, load_tokenizer


def frame(pairs):
    hypotheses, references = zip(*pairs, strict=True)
    return pd.DataFrame({"hypothesis": hypotheses, "reference": references}, dtype=object)


def theirs(pairs, order=4, **options):
    """Matches, totals, lengths, ratio and penalty of each pair, from sacreBLEU."""
    metric = BLEU(effective_order=True, max_ngram_order=order, **options)
    rows = []
    for hypothesis, references in pairs:
        references = [references] if isinstance(references, str) else list(references)
        score = metric.sentence_score(hypothesis, references)
        raw = [c / t if t else 0 for c, t in zip(score.counts, score.totals, strict=True)]
        ratio = score.sys_len / score.ref_len if score.ref_len else 0
        rows.append(
            [*score.counts, *score.totals, *raw, score.sys_len, score.ref_len, ratio, score.bp]
        )
    return np.array(rows, dtype=float).reshape(len(pairs), 3 * order + 4)


def assert_equal_to_sacrebleu(pairs, order=4, **options):
    found = BLEUComp(max_ngram_order=order, **options).fit_transform(frame(pairs))
    expected = theirs(pairs, order, **options)
    np.testing.assert_array_equal(found[:, : 2 * order], expected[:, : 2 * order])
    np.testing.assert_allclose(found, expected, rtol=1e-14)


CHARACTERS = "abAÉßİ1.,-'\"&<>_()$%…„🙂 \t\n\r\x00\x0b\x1c\x85\xa0\u2028\u3000\u200b"
STRINGS = "  |&quot;|&amp;lt;|<skipped>|-\n|日本|語|한국|ก็|e\u0301|23|word|x.y|1.5|3,000|U.S."
PIECES = st.sampled_from([*CHARACTERS, *STRINGS.split("|")])
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@pytest.mark.filterwarnings("ignore:tokenize=.* is not for the references")
@pytest.mark.parametrize("tokenize", ["13a", "intl", "none", "zh", "char"])
@pytest.mark.parametrize("lowercase", [False, True])
@settings(max_examples=80, deadline=None)
@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
def test_counts_equal_sacrebleus_on_odd_texts(tokenize, lowercase, pairs):
    assert_equal_to_sacrebleu(pairs, tokenize=tokenize, lowercase=lowercase)


# zh takes \u2001 to \u2a6d for Chinese: in its table \u20000 is \u2000 and a zero.
IN_CHINESE = st.sampled_from([*CHARACTERS, *"05,.-:中国，。ａ\u2000\u2001\u2a6d\u2a6e\uff00\uffef"])


@pytest.mark.parametrize("tokenize", ["13a", "zh", "intl"])
@settings(max_examples=150, deadline=None)
@example(text="-<skipped>\nb. a")
@example(text="a&quot;b &amp;lt; 1,a.2-b")
@example(text=" .5 5.")
@example(text="a 5.")
@example(text="(5 (5 a²³. (½, x²)")
@example(text="5. ,5中.5国5.中,5，a-\n0-b")
@given(text=TEXTS | st.lists(IN_CHINESE | st.characters(), max_size=12).map("".join))
def test_tokens_are_sacrebleus(tokenize, text):
    interner = TokenInterner(tokenize, lowercase=False)
    found = interner(text)
    expected = load_tokenizer(tokenize)(text.rstrip()).split()
    assert [interner.words[number] for number in found] == expected


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.text("ab ", max_size=15),
            st.lists(st.text("ab ", max_size=15), min_size=1, max_size=3),
        ),
        min_size=1,
        max_size=5,
    ),
    st.integers(1, 6),
)
def test_several_references_and_orders(pairs, order):
    assert_equal_to_sacrebleu(pairs, order=order)


def test_long_texts():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["a", "b", "c"], size=size)) for size in (2000, 2500, 1, 40)]
    assert_equal_to_sacrebleu([(h, r) for h in texts for r in texts])


def test_components_worked_by_hand():
    # Papineni et al. 2002, section 2.1: "the" is clipped at its two occurrences.
    X = frame([("the the the the the the the", "the cat is on the mat")])
    found = BLEUComp().set_output(transform="pandas").fit_transform(X).iloc[0]
    assert found["bleu_matches_1"] == 2
    assert found["bleu_precision_1"] == pytest.approx(2 / 7)
    assert found["bleu_total_4"] == 4
    assert found["bleu_length_ratio"] == pytest.approx(7 / 6)
    assert found["bleu_brevity_penalty"] == 1


@pytest.mark.parametrize(("campaign", "pair"), [("wmt12", "en-de"), ("wmt15", "ru-en")])
def test_scores_and_counts_equal_sacrebleus_on_real_data(data_dir, campaign, pair):
    X, _ = load_wmt(data_dir / campaign, pair, return_X_y=True)
    X = X.drop_duplicates()[:2000]
    pairs = list(zip(X["hypothesis"], X["reference"], strict=True))
    assert_equal_to_sacrebleu(pairs)
    metric = BLEU(effective_order=True)
    expected = [metric.sentence_score(h, [r]).score for h, r in pairs]
    np.testing.assert_allclose(sentence_bleu(X), expected, rtol=1e-12, atol=1e-12)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.text("ab c", max_size=20), st.text("ab c", max_size=20)), min_size=1))
def test_sentence_bleu_equals_sacrebleus(pairs):
    metric = BLEU(effective_order=True)
    expected = [metric.sentence_score(h, [r]).score for h, r in pairs]
    np.testing.assert_allclose(sentence_bleu(frame(pairs)), expected, rtol=1e-12, atol=1e-12)


def test_the_compiled_matcher_is_its_python_self():
    tokens = TokenInterner("none", lowercase=False)
    references, ref_bounds = flatten([tokens(t) for t in ("a b a b", "b a", "c a b c a b c")])
    hypotheses, hyp_bounds = flatten([tokens(t) for t in ("a b a", "a b c a", "", "c c c a b")])
    arguments = (hypotheses, hyp_bounds, references, ref_bounds)
    arguments += (np.array([0, 0, 1, 1]), np.array([0, 2, 3]), 3)
    with np.errstate(over="ignore"):
        expected = count_matches.py_func(*arguments)
    np.testing.assert_array_equal(count_matches(*arguments), expected)
    np.testing.assert_array_equal(expected, [[3, 2, 1], [3, 1, 0], [0, 0, 0], [5, 2, 1]])


@pytest.fixture
def candidates(sample):
    return sample[0].iloc[:60]


def test_names(candidates):
    assert list(BLEUComp(max_ngram_order=2).fit(candidates).get_feature_names_out()) == [
        "bleu_matches_1", "bleu_matches_2", "bleu_total_1", "bleu_total_2",
        "bleu_precision_1", "bleu_precision_2", "bleu_hypothesis_length",
        "bleu_reference_length", "bleu_length_ratio", "bleu_brevity_penalty",
    ]  # fmt: skip


@pytest.mark.parametrize("size", [0, 1, 7, 60])
def test_sentence_bleu_and_n_jobs(candidates, size):
    part = candidates.iloc[:size]
    np.testing.assert_array_equal(sentence_bleu(part, n_jobs=2), sentence_bleu(part))


def test_empty_texts():
    X = frame([("", ""), ("", "a"), ("a", ""), (" ", "a b"), ("a", ["", "a"])])
    assert BLEUComp().fit_transform(X)[1, :].tolist() == [0] * 12 + [0, 1, 0, 0]
    assert sentence_bleu(X).tolist() == [0, 0, 0, 0, pytest.approx(100)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokenize": "14a"}, r"tokenize .*'13a'"),
        ({"max_ngram_order": 0}, "max_ngram_order must be an integer >= 1"),
        ({"max_ngram_order": 2.5}, "max_ngram_order"),
        ({"max_ngram_order": True}, "max_ngram_order"),
    ],
)
def test_bad_options(candidates, options, message):
    with pytest.raises(ValueError, match=message):
        BLEUComp(**options).fit(candidates)
