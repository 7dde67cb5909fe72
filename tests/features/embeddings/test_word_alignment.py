import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.base import clone

from sklearn_mteval import kendall_tau, load_model, save_model
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import WordVectorAlignment
from sklearn_mteval.features.embeddings import _alignment_kernel
from sklearn_mteval.text.tokens import load_tokenizer
from sklearn_mteval.text.vectors.word_vectors import load_word_vectors

KeyedVectors = pytest.importorskip("gensim.models").KeyedVectors

VECTORS = {
    "a": [1.0, 0.0],
    "the": [0.8, 0.6],
    "dog": [0.0, 2.0],
    "cat": [0.6, 4.0],
    "no": [-3.0, -1.0],
    "void": [0.0, 0.0],
    ".": [1e-3, 1e-3],
}
NAMES = [f"alignment_{name}" for name in ("precision", "recall", "f", "rwmd")]


def frame(pairs):
    hypotheses, references = zip(*pairs, strict=True)
    return pd.DataFrame({"hypothesis": hypotheses, "reference": references}, dtype=object)


def align(pairs, vectors=VECTORS, **options):
    return WordVectorAlignment(vectors, **options).fit_transform(frame(pairs))


def words_of(text, lowercase=True):
    return load_tokenizer("13a")((text.lower() if lowercase else text).rstrip()).split()


def cosine(first, second, vectors):
    """Of plain Python floats."""
    if first == second:
        return 1.0
    one, two = (vectors.get(word, [0.0]) for word in (first, second))
    norms = math.sqrt(math.fsum(x * x for x in one)) * math.sqrt(math.fsum(x * x for x in two))
    if norms == 0:
        return 0.0
    return max(-1.0, min(1.0, math.fsum(x * y for x, y in zip(one, two, strict=True)) / norms))


def by_hand(pairs, vectors=VECTORS, *, idf=True, lowercase=True):
    """Loops over words, one pair after another."""
    cells = [[texts] if isinstance(texts, str) else list(texts) for _, texts in pairs]
    documents = [set(words_of(text, lowercase)) for text in {t for cell in cells for t in cell}]

    def weight(word):
        frequency = sum(word in document for document in documents)
        return math.log((len(documents) + 1) / (frequency + 1)) if idf else 1.0

    def one_side(words, others):
        best = [max(cosine(word, other, vectors) for other in others) for word in words]
        weights = [weight(word) for word in words]
        if sum(weights) == 0:
            weights = [1.0] * len(words)
        total = sum(w * max(b, 0.0) for w, b in zip(weights, best, strict=True))
        distance = sum(math.sqrt(2 - 2 * b) for b in best) / len(words)
        return total / sum(weights), distance

    rows = []
    for (hypothesis, _), cell in zip(pairs, cells, strict=True):
        row = [0.0, 0.0, 0.0, math.sqrt(2)]
        best = -1.0
        for text in cell:
            left, right = words_of(hypothesis, lowercase), words_of(text, lowercase)
            if left and right:
                precision, forth = one_side(left, right)
                recall, back = one_side(right, left)
                both = precision + recall
                f = 2 * precision * recall / both if both else 0.0
                if f > best:
                    best, row = f, [precision, recall, f, max(forth, back)]
        rows.append(row)
    return np.array(rows)


def test_worked_by_hand():
    found = align([("A dog Rex", "the dog Rex barks")], idf=False)
    # a ~ the 0.8; Rex, without a vector, is itself; barks is like nothing.
    far = (math.sqrt(0.4) + math.sqrt(2)) / 4
    np.testing.assert_allclose(found, [[2.8 / 3, 2.8 / 4, 0.8, far]], rtol=1e-7)


def test_words_without_anything_in_common():
    found = align([("rex", "barks"), ("no", "the"), ("void", "a"), ("void", "void")], idf=False)
    opposite = math.sqrt(2 + 2 * 3 / math.sqrt(10))  # 0.8 · −3 + 0.6 · −1 = −3
    expected = [[0, 0, 0, 2**0.5], [0, 0, 0, opposite], [0, 0, 0, 2**0.5], [1, 1, 1, 0]]
    np.testing.assert_allclose(found, expected, rtol=1e-7)


def test_empty_texts_are_unrelated_to_everything():
    empty = [("", "a"), ("a", ""), ("", ""), (" \t", "a"), ("", ["", "a"]), ("a", ["", ""])]
    np.testing.assert_array_equal(align(empty), [[0, 0, 0, math.sqrt(2)]] * 6)


def test_idf_by_hand():
    """Three distinct references; a in 2 of them, the and dog in 1, rex in none."""
    pairs = [("a rex", "a the"), ("the", "a a"), ("a", "dog"), ("a", "dog")]
    transformer = WordVectorAlignment(VECTORS).fit(frame(pairs))
    assert transformer.document_frequencies_ == {"a": 2, "the": 1, "dog": 1}
    assert transformer.n_references_ == 3
    a, the, rex = math.log(4 / 3), math.log(4 / 2), math.log(4 / 1)
    found = transformer.transform(frame(pairs))
    np.testing.assert_allclose(found[0, :2], [a / (a + rex), (a + 0.8 * the) / (a + the)])
    # The weights are those of the fit, not of the table to transform.
    np.testing.assert_array_equal(transformer.transform(frame(pairs[:1])), found[:1])


def test_without_any_weight_words_count_alike():
    """In one reference all words have idf 0."""
    pairs = [("a the", "a dog the a")]
    np.testing.assert_allclose(align(pairs)[0, :2], [1, 3.6 / 4])
    np.testing.assert_array_equal(align(pairs), align(pairs, idf=False))


def test_the_reference_with_the_highest_f_counts():
    pairs = [("a the dog", ["no", "", "the dog", "the"])]
    one = [align([("a the dog", text)], idf=False)[0] for text in pairs[0][1]]
    assert max(one, key=lambda row: row[2]) is one[2]
    np.testing.assert_array_equal(align(pairs, idf=False), [one[2]])
    # The first of equals, also with F = 0.
    np.testing.assert_allclose(align([("rex", ["no", "barks no"])], idf=False)[0, 3], 2**0.5)
    np.testing.assert_array_equal(align([("a", ["", "no"])]), align([("a", "no")]))


def test_names_and_case():
    X = frame([("DOG Rex", "dog rex")])
    found = WordVectorAlignment(VECTORS).set_output(transform="pandas").fit_transform(X)
    assert list(found) == NAMES
    np.testing.assert_array_equal(found, [[1, 1, 1, 0]])
    cased = WordVectorAlignment(VECTORS, lowercase=False, idf=False).fit_transform(X)
    np.testing.assert_array_equal(cased, [[0, 0, 0, math.sqrt(2)]])


WORDS = st.sampled_from([*VECTORS, "rex", "unicorn,", " ", "\xa0", "Dog", "\n", "\ud800"])
TEXTS = st.lists(WORDS, max_size=7).map(" ".join)
TABLES = st.lists(
    st.tuples(TEXTS, TEXTS | st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=6
)


@settings(max_examples=100)
@given(TABLES, st.booleans(), st.booleans())
def test_equal_to_plain_loops(pairs, idf, lowercase):
    single = {word: np.float32(vector).tolist() for word, vector in VECTORS.items()}
    expected = by_hand(pairs, single, idf=idf, lowercase=lowercase)
    found = align(pairs, idf=idf, lowercase=lowercase)
    # F may tie between references but for rounding; the square root of 1 − cos is coarse.
    clear = np.isclose(found[:, 2], expected[:, 2], rtol=1e-9, atol=1e-12)
    assert clear.all()
    same = np.isclose(found[:, 0], expected[:, 0]) & np.isclose(found[:, 1], expected[:, 1])
    several = np.array([not isinstance(texts, str) for _, texts in pairs])
    assert (same | several).all()
    np.testing.assert_allclose(found[same, 3], expected[same, 3], atol=1e-7)
    assert (found[:, :3] >= 0).all() and (found[:, :3] <= 1).all()
    assert (found[:, 3] >= 0).all() and (found[:, 3] <= 2).all()


@settings(max_examples=50)
@given(TEXTS, TEXTS)
def test_swapping_sides(hypothesis, reference):
    one, other = (
        align([pair], idf=False)[0] for pair in ((hypothesis, reference), (reference, hypothesis))
    )
    np.testing.assert_allclose(one, other[[1, 0, 2, 3]], rtol=1e-12)


def test_the_room_for_remembered_cosines_changes_nothing(monkeypatch, sample):
    X = sample[0].iloc[:100]
    X = X.assign(reference=[[text, text[::2]] for text in X["reference"]])
    words = {word for text in X["hypothesis"] for word in words_of(text)}
    rng = np.random.default_rng(0)
    transformer = WordVectorAlignment({word: rng.normal(size=3) for word in words}).fit(X)
    expected = transformer.transform(X)
    monkeypatch.setattr(_alignment_kernel, "align", _alignment_kernel.align.py_func)
    for room in (1, 40, 100, 1000):
        monkeypatch.setattr(_alignment_kernel, "_REMEMBERED", room)
        np.testing.assert_array_equal(transformer.transform(X), expected)


def test_extreme_vectors():
    vectors = {"big": [3e38, -3e38], "huge": [-3e38, 3e38], "tiny": [1e-45, 0], "": [1, 1]}
    found = align([("big tiny", "huge big"), ("tiny", "huge")], vectors, idf=False)
    assert np.isfinite(found).all()
    # big ~ big 1, tiny ~ big cos 45°; huge ~ tiny −cos 45°, which is no similarity.
    half = math.sqrt(0.5)
    np.testing.assert_allclose(found[0, :2], [(1 + half) / 2, 0.5], rtol=1e-6)


def movers_distance(left, right, vectors):
    """The exact word mover's distance: a transport problem (Kusner et al. 2015, eq. 1)."""
    cost = np.array([[math.sqrt(2 - 2 * cosine(a, b, vectors)) for b in right] for a in left])
    n, m = cost.shape
    leaves = np.kron(np.eye(n), np.ones(m))
    arrives = np.kron(np.ones(n), np.eye(m))
    mass = np.concatenate([np.full(n, 1 / n), np.full(m, 1 / m)])
    return linprog(cost.ravel(), A_eq=np.vstack([leaves, arrives]), b_eq=mass).fun


def test_the_relaxed_distance_is_a_lower_bound(sample):
    """Never above the exact distance; the same where there is but one way to move."""
    X = sample[0].iloc[:60].drop_duplicates("hypothesis")
    texts = [words_of(text) for column in X for text in X[column]]
    rng = np.random.default_rng(0)
    vectors = {word: rng.normal(size=4).tolist() for word in sorted({w for t in texts for w in t})}
    found = WordVectorAlignment(vectors).fit_transform(X)[:, 3]
    exact = np.array(
        [
            movers_distance(words_of(a), words_of(b), vectors)
            for a, b in zip(X["hypothesis"], X["reference"], strict=True)
        ]
    )
    assert (found <= exact + 1e-6).all()
    assert (found < exact - 0.01).any() and np.corrcoef(found, exact)[0, 1] > 0.8
    first = X["reference"].str.split().str[0]
    found = WordVectorAlignment(vectors).fit_transform(X.assign(reference=first))[:, 3]
    exact = [
        movers_distance(words_of(a), words_of(b), vectors)
        for a, b in zip(X["hypothesis"], first, strict=True)
    ]
    np.testing.assert_allclose(found, exact, atol=1e-7)


@pytest.mark.slow
def test_cosines_are_gensims(data_dir):
    X = load_wmt(data_dir / "wmt12", "de-en", return_X_y=True)[0].iloc[::300]
    path = data_dir / "vectors" / "distilled-en-50d.txt"
    gensims = KeyedVectors.load_word2vec_format(str(path))
    found = WordVectorAlignment(path, idf=False).fit_transform(X)
    for row, hypothesis, reference in zip(found, X["hypothesis"], X["reference"], strict=True):
        left, right = words_of(hypothesis), words_of(reference)
        table = np.array([[float(a == b) for b in right] for a in left])
        for i, a in enumerate(left):
            known = [j for j, b in enumerate(right) if b in gensims and b != a]
            if a in gensims:
                table[i, known] = gensims.cosine_similarities(
                    gensims[a], gensims[[right[j] for j in known]]
                )
        precision, recall = (table.max(axis).clip(0).mean() for axis in (1, 0))
        expected = [precision, recall, 2 * precision * recall / (precision + recall)]
        np.testing.assert_allclose(row[:3], expected, rtol=1e-5)


def test_gensim_vectors_give_the_same(data_dir):
    X = load_wmt(data_dir / "wmt12", "de-en", return_X_y=True)[0].iloc[:50]
    path = data_dir / "vectors" / "distilled-en-50d.txt"
    trimmed = load_word_vectors(path, limit=2000)
    gensims = KeyedVectors(vector_size=50)
    gensims.add_vectors(trimmed.words, trimmed.matrix)
    expected = WordVectorAlignment(trimmed).fit_transform(X)
    np.testing.assert_array_equal(WordVectorAlignment(gensims).fit_transform(X), expected)


def test_a_trimmed_file_gives_the_same_on_the_table_of_the_fit(data_dir):
    X = load_wmt(data_dir / "wmt12", "de-en", return_X_y=True)[0]
    path = data_dir / "vectors" / "distilled-en-50d.txt"
    whole, trimmed = WordVectorAlignment(path).fit(X), WordVectorAlignment(path, limit=0).fit(X)
    assert len(trimmed.vectors_.words) < 7000 < len(whole.vectors_.words)
    np.testing.assert_array_equal(trimmed.transform(X), whole.transform(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": -1}, "limit must be None or an integer >= 0, found -1"),
        ({"idf": "yes"}, "idf must be True or False, found 'yes'"),
        ({"vectors": None}, "vectors must be the path of a file"),
        ({"vectors": "none.txt"}, "none.txt: cannot be read"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        WordVectorAlignment(**{"vectors": VECTORS, **options}).fit(frame([("a", "a")]))


def test_saving_keeps_the_weights(tmp_path):
    X = frame([("a \ud800", "a the \ud800"), ("dog", "a rex 東京")])
    fitted = WordVectorAlignment(VECTORS).fit(X)
    save_model(fitted, tmp_path / "model")
    other = frame([("the \ud800 東京", "東京 dog"), ("rex", "the")])
    for again in (pickle.loads(pickle.dumps(fitted)), load_model(tmp_path / "model")):
        assert again.document_frequencies_ == fitted.document_frequencies_
        np.testing.assert_array_equal(again.transform(other), fitted.transform(other))
    assert not hasattr(pickle.loads(pickle.dumps(clone(fitted))), "document_frequencies_")


@pytest.mark.parametrize(("lang_pair", "f", "bleu"), [("cs-en", 24.5, 15.7), ("de-en", 28.8, 18.3)])
def test_real_data(data_dir, lang_pair, f, bleu):
    """Agreement with annotators, without learning, against BLEU's."""
    X, y = load_wmt(data_dir / "wmt12", lang_pair, return_X_y=True)
    path = data_dir / "vectors" / "distilled-en-100d.txt.gz"
    found = WordVectorAlignment(path).fit_transform(X)
    groups = X.index.droplevel("system")
    assert round(100 * kendall_tau(y, found[:, 2], groups=groups), 1) == f
    for k, sign in enumerate((1, 1, 1, -1)):
        assert 100 * kendall_tau(y, sign * found[:, k], groups=groups) > bleu
    np.testing.assert_array_equal(found[::50], align_alone(X.iloc[::50], X, path))


def align_alone(rows, X, path):
    transformer = WordVectorAlignment(path).fit(X)
    return np.vstack([transformer.transform(rows.iloc[[k]]) for k in range(len(rows))])
