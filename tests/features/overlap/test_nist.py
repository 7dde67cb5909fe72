import math
import pickle
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.nist_score import corpus_nist

from sklearn_mteval import kendall_tau
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import NISTScore
from sklearn_mteval.features.overlap._ngrams import sum_information
from sklearn_mteval.features.overlap._nist_weights import NISTWeights
from sklearn_mteval.features.overlap.nist import (
    fit_nist_weights,
    nist_counts,
    nist_scores,
    prepare_nist,
)
from sklearn_mteval.text.tokens import load_tokenizer

ORDER = 5


def ngrams(words, n):
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


class Corpus:
    """Doddington 2002 and mteval in plain Python, for texts that are words and spaces."""

    def __init__(self, references, order=ORDER):
        self.order = order
        self.counts = Counter()
        for text in set(references):
            for n in range(1, order + 1):
                self.counts.update(ngrams(text.split(), n))
        self.n_words = sum(len(text.split()) for text in set(references))

    def information(self, ngram):
        before = self.counts[ngram[:-1]] if len(ngram) > 1 else self.n_words
        return math.log2(max(before, 1) / max(self.counts[ngram], 1))

    def statistics(self, hypothesis, references):
        """Information and n-grams for each length, words, words of references on average."""
        hypothesis, references = hypothesis.split(), [text.split() for text in references]
        row = []
        for n in range(1, self.order + 1):
            allowed = Counter()
            for words in references:
                allowed |= Counter(ngrams(words, n))
            matches = Counter(ngrams(hypothesis, n)) & allowed
            row.append(sum(count * self.information(g) for g, count in matches.items()))
        row += [len(ngrams(hypothesis, n)) for n in range(1, self.order + 1)]
        mean_length = sum(len(words) for words in references) / len(references)
        return [*row, len(hypothesis), mean_length]


def nist(statistics):
    """NIST's score of one row of statistics, or of the sum of many."""
    *sums, hypothesis, reference = statistics
    order = len(sums) // 2
    score = sum(sums[n] / max(sums[order + n], 1) for n in range(order))
    ratio = hypothesis / reference if reference else 1
    if ratio == 0:
        return 0
    # 1/2 at 2/3, 1 from 1 on, log-normal between.
    return score * 0.5 ** ((math.log(min(ratio, 1)) / math.log(2 / 3)) ** 2)


TEXTS = st.lists(st.sampled_from("abcd"), max_size=9).map(" ".join)
SETS = st.lists(
    st.tuples(
        st.lists(TEXTS, min_size=1, max_size=3).map(tuple),
        st.lists(TEXTS, min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=300, deadline=None)
@given(sets=SETS, others=st.lists(TEXTS, max_size=4), order=st.integers(1, 6), own=st.booleans())
def test_equal_to_the_definition(sets, others, order, own):
    """Whether or not (``own``) the references to score are those of the corpus."""
    corpus = others + ([text for texts, _ in sets for text in texts] if own else [])
    plain = Corpus(corpus, order)
    expected = [plain.statistics(h, texts) for texts, group in sets for h in group]
    weights = fit_nist_weights(corpus, max_ngram_order=order, tokenize="none")
    found = nist_counts(sets, weights=weights)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)
    scores = nist_scores(sets, weights=weights)
    np.testing.assert_allclose(scores, [nist(row) for row in expected], rtol=1e-12, atol=1e-12)


def test_worked_by_hand():
    """Corpus: "the cat sat on the mat", "the cat ran": 9 words, the 3, cat 2, "the cat" 2."""
    weights = fit_nist_weights(["the cat sat on the mat", "the cat ran"])
    sets = [(("the cat sat on the mat",), ["The cat on mat", "mat"])]
    found = nist_counts(sets, weights=weights)
    words = math.log2(9 / 3) + math.log2(9 / 2) + 2 * math.log2(9)
    np.testing.assert_allclose(found[0, :6], [words, math.log2(3 / 2), 0, 0, 0, 4], rtol=1e-15)
    assert found[0, 5:].tolist() == [4, 3, 2, 1, 0, 4, 6]
    found = nist_scores(sets, weights=weights)
    # 4 words of 6 are 2/3: the penalty is 1/2.
    assert found[0] == pytest.approx((words / 4 + math.log2(3 / 2) / 3) / 2, rel=1e-14)
    penalty = math.exp(math.log(0.5) * (math.log(6) / math.log(1.5)) ** 2)
    assert found[1] == pytest.approx(math.log2(9) * penalty, rel=1e-14)


def test_unknown_ngrams_weigh_as_if_seen_once():
    weights = fit_nist_weights(["a b", "a c"])  # 4 words, a 2, b 1, c 1
    found = nist_counts([(("a d e",), ["a d e"])], weights=weights)
    # a: log2(4/2); d and e: log2(4/1); "a d": log2(2/1); "d e": nothing known of d.
    assert found[0, :5].tolist() == [1 + 2 + 2, 1, 0, 0, 0]


@pytest.fixture(scope="module")
def de_en(data_dir):
    return load_wmt(data_dir / "wmt12", "de-en", return_X_y=True)


@pytest.mark.slow
def test_sums_make_nltks_corpus_score(de_en):
    """Of one system, one reference for each segment; nltk takes weights from them, as fit does."""
    X = de_en[0].reset_index()
    for system in X["system"].value_counts().index[:2]:
        rows = X[X["system"] == system].drop_duplicates("reference")
        weights = fit_nist_weights(rows["reference"])
        sets = [((r,), [h]) for r, h in rows[["reference", "hypothesis"]].values]
        assert len(sets) > 200
        tokens = {
            column: [load_tokenizer("13a")(text.lower()).split() for text in rows[column]]
            for column in ("reference", "hypothesis")
        }
        expected = corpus_nist([[words] for words in tokens["reference"]], tokens["hypothesis"])
        assert 5 < expected < 9
        found = nist(nist_counts(sets, weights=weights).sum(axis=0))
        assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
def test_equal_to_the_definition_on_real_data(de_en):
    X = de_en[0].iloc[:1500]
    tokenizer = load_tokenizer("13a")
    tokens = {text: tokenizer(text.lower()) for column in X for text in X[column]}
    plain = Corpus([tokens[text] for text in set(X["reference"])])
    expected = [
        nist(plain.statistics(tokens[h], [tokens[r]]))
        for r, h in X[["reference", "hypothesis"]].values
    ]
    np.testing.assert_allclose(NISTScore().fit_transform(X)[:, 0], expected, rtol=1e-12)


@pytest.mark.slow
def test_tau_is_that_of_the_papers(de_en, data_dir):
    """Guzmán et al. 2017, Table 1: 23.09. Weights of other years' references do as well."""
    X, y = de_en
    others = load_wmt(data_dir / "wmt13", "fr-en", return_X_y=True)[0]
    for corpus in (X, others):
        scores = NISTScore().fit(corpus).transform(X)[:, 0]
        groups = X.index.droplevel("system")
        assert 100 * kendall_tau(y, scores, groups=groups) == pytest.approx(23.09, abs=0.7)


def stored(weights):
    """Read the trie: n-grams and their counts."""
    found = {(): int(weights.counts[0])}
    todo = [(0, ())]
    while todo:
        node, ngram = todo.pop()
        for child in range(weights.first_child[node], weights.first_child[node + 1]):
            longer = (*ngram, weights.words[weights.tokens[child]])
            found[longer] = int(weights.counts[child])
            todo.append((child, longer))
    return found


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(["b", "a", "é", "\ud800", "x"]), max_size=8).map(" ".join)),
    st.integers(1, 6),
    st.randoms(use_true_random=False),
)
def test_the_corpus_counted_by_brute_force(texts, order, random):
    """Also: order and repetition of texts change nothing, pickling neither."""
    options = {"max_ngram_order": order, "tokenize": "none"}
    weights = fit_nist_weights(texts, **options)
    plain = Corpus(texts, order)
    repeated = {ngram: count for ngram, count in plain.counts.items() if count > 1}
    assert stored(weights) == {(): max(plain.n_words, 1), **repeated}
    shuffled = texts * 2
    random.shuffle(shuffled)
    again = fit_nist_weights(shuffled, **options)
    for other in (again, pickle.loads(pickle.dumps(weights))):
        assert (other.words, other.tokenize) == (weights.words, "none")
        for name in ("counts", "tokens", "first_child"):
            np.testing.assert_array_equal(getattr(other, name), getattr(weights, name))
            assert not getattr(other, name).flags.writeable


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("first_child", lambda array: array + 10**6),
        ("first_child", lambda array: np.r_[array[:1], array[-1:], array[1:2], array[3:]]),
        ("first_child", lambda array: array[:-1]),
        ("first_child", lambda array: array.astype(np.int32)),
        ("tokens", lambda array: array[:-1]),
        ("tokens", lambda array: array[:, np.newaxis]),
        ("tokens", lambda array: np.repeat(array, 2)[::2]),
        ("counts", lambda array: array * 0),
        ("counts", lambda array: array[::-1].copy()),
    ],
)
def test_counts_that_do_not_fit_together_are_refused(name, change):
    """As a stranger's file may hold them: the compiled loop checks no bounds."""
    state = fit_nist_weights(["a b a b c", "b a a b c"]).__getstate__()
    with pytest.raises(ValueError, match="do not fit together"):
        NISTWeights.__new__(NISTWeights).__setstate__({**state, name: change(state[name])})


def frame(pairs):
    hypotheses, references = zip(*pairs, strict=True)
    return pd.DataFrame({"hypothesis": hypotheses, "reference": references}, dtype=object)


def test_the_columns(sample):
    X = sample[0].iloc[:60]
    found = NISTScore().set_output(transform="pandas").fit_transform(X)
    parts = [f"nist_information_{n}" for n in range(1, ORDER + 1)]
    assert list(found) == ["nist_score", *parts, "nist_brevity_penalty"]
    product = found[parts].sum(axis=1) * found["nist_brevity_penalty"]
    np.testing.assert_allclose(found["nist_score"], product, rtol=1e-14)
    sets = [((r,), [h]) for r, h in X[["reference", "hypothesis"]].values]
    weights = fit_nist_weights(X["reference"])
    np.testing.assert_array_equal(found["nist_score"], nist_scores(sets, weights=weights))


def test_options_matter():
    X = frame([("The cat, sat", "the cat, sat")])
    words = [
        NISTScore(tokenize=tokenize, lowercase=lowercase).fit(X).weights_.counts[0]
        for tokenize, lowercase in (("13a", True), ("none", True))
    ]
    assert words == [4, 3]
    low, cased = (NISTScore(lowercase=lower).fit_transform(X)[0, 0] for lower in (True, False))
    assert low > cased > 0


def test_several_references_are_all_of_the_corpus():
    X = frame([("a b", ["a b c", "a c"]), ("c", "c a")])
    weights = NISTScore().fit(X).weights_
    assert stored(weights) == {(): 7, ("a",): 3, ("c",): 3}
    # Both references of the first row: 5/2 words on average.
    penalty = 0.5 ** ((math.log(2 / 2.5) / math.log(2 / 3)) ** 2)
    assert NISTScore().fit_transform(X)[0, -1] == pytest.approx(penalty, rel=1e-14)


def test_empty_texts_and_an_empty_corpus():
    X = frame([("", ""), ("", "a"), ("a", ""), ("a", "a"), ("a a a", "a")])
    found = NISTScore(max_ngram_order=2).fit_transform(X)
    assert found[:, -1].tolist() == [1, 0, 1, 1, 1]
    assert not found[:, :-1].any()  # the only word of the corpus tells nothing
    fitted = NISTScore().fit(frame([("a", "")]))
    assert not fitted.transform(X)[:, :-1].any()
    assert nist_scores([], weights=fitted.weights_).shape == (0,)


def test_many_orders_do_not_make_a_row_depend_on_others(sample):
    X = sample[0].iloc[:40].assign(hypothesis=sample[0]["reference"].iloc[:40])
    fitted = NISTScore(max_ngram_order=20).fit(X)
    alone = [fitted.transform(X.iloc[[row]])[0] for row in range(40)]
    np.testing.assert_array_equal(alone, fitted.transform(X))


def test_many_weights_in_several_processes():
    """More than 1 MiB: joblib maps them into memory, read-only."""
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice([f"w{n}" for n in range(500)], size=60)) for _ in range(900)]
    X = frame([(text, f"{text} {end}") for text in texts for end in ("one", "two")])
    fitted = NISTScore().fit(X)
    assert fitted.weights_.counts.nbytes > 2**20
    two = NISTScore(n_jobs=2).fit(X)
    np.testing.assert_array_equal(two.transform(X), fitted.transform(X))


def test_the_compiled_loop_is_its_python_self():
    texts = ["a b a b c", "b a a b", "a b d"]
    weights = fit_nist_weights(texts, tokenize="none")
    numbers = {"a": 0, "b": 1, "c": 2, "d": 3}
    hypotheses = np.array([numbers[word] for word in "abab dcb".replace(" ", "")])
    references = np.array([numbers[word] for text in texts for word in text.split()])
    known = np.array([0, 1, -1, -1])
    arguments = (hypotheses, np.array([0, 4, 7]), references, np.array([0, 5, 9, 12]))
    arguments += (np.array([0, 1]), np.array([0, 2, 3]), 5, known)
    arguments += (weights.counts, weights.first_child, weights.tokens)
    with np.errstate(over="ignore"):
        expected = sum_information.py_func(*arguments)
    np.testing.assert_allclose(sum_information(*arguments), expected, rtol=1e-15)
    plain = Corpus(texts)
    rows = [plain.statistics("a b a b", texts[:2]), plain.statistics("d c b", texts[2:])]
    np.testing.assert_allclose(expected, np.array(rows)[:, :5], rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokenize": "14a"}, r"tokenize .*'13a'"),
        ({"max_ngram_order": 0}, "max_ngram_order must be an integer >= 1 and <= 100, found 0"),
        ({"max_ngram_order": 2.5}, "max_ngram_order must be an integer"),
        ({"max_ngram_order": True}, "max_ngram_order must be an integer"),
    ],
)
def test_bad_options(sample, options, message):
    with pytest.raises(ValueError, match=message):
        NISTScore(**options).fit(sample[0])
    with pytest.raises(ValueError, match=message):
        prepare_nist((), **options)
