import math
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_files import model_file
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import (
    BLEUComp,
    EmbeddingAverager,
    PairDifference,
    RankRecomposer,
    SegmentKFold,
    kendall_tau_scorer,
    load_model,
    save_model,
)
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import WordVectorAlignment
from sklearn_mteval.neural.pairwise.column_roles import find_roles
from sklearn_mteval.persistence import read_signature
from sklearn_mteval.text.tokens import load_tokenizer
from sklearn_mteval.text.vectors.word_vectors import WordVectors, load_word_vectors

KeyedVectors = pytest.importorskip("gensim.models").KeyedVectors

VECTORS = {"a": [1.0, 0.0], "cat": [0.0, 4.0], "dog": [-3.0, 0.5], ".": [0.1, 1e-3], "A": [9, 9]}


def frame(pairs):
    hypotheses, references = zip(*pairs, strict=True)
    return pd.DataFrame({"hypothesis": hypotheses, "reference": references}, dtype=object)


def by_hand(cells, vectors, n_dimensions, lowercase, oov):
    """Means of plain Python floats, word after word; a cell is a list of texts."""
    tokenize = load_tokenizer("13a")
    rows = []
    for texts in cells:
        mean_of_texts = [0.0] * n_dimensions
        for text in texts:
            words = tokenize((text.lower() if lowercase else text).rstrip()).split()
            known = [vectors[word] for word in words if word in vectors]
            if oov == "mean":
                mean = np.mean([list(map(float, v)) for v in vectors.values()], axis=0)
                known = [vectors.get(word, mean) for word in words]
            count = len(known) if oov == "skip" else len(words)
            for k in range(n_dimensions):
                total = 0.0
                for vector in known:
                    total += float(vector[k])
                mean_of_texts[k] += total / max(count, 1)
        rows.append([value / len(texts) for value in mean_of_texts])
    return np.array(rows)


def test_worked_by_hand():
    X = frame([("A cat.", "cat unicorn"), ("", "A  dog dog"), ("unicorn", ["cat", "a a dog x"])])
    found = EmbeddingAverager(VECTORS).set_output(transform="pandas").fit_transform(X)
    assert list(found) == [
        "hypothesis_emb0", "hypothesis_emb1", "reference_emb0", "reference_emb1",
    ]  # fmt: skip
    expected = [
        [1.1 / 3, 4.001 / 3, 0, 2],
        [0, 0, -5 / 3, 1 / 3],
        [0, 0, (0 - 1 / 4) / 2, (4 + 0.5 / 4) / 2],
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    skipping = EmbeddingAverager(VECTORS, oov="skip").fit_transform(X)
    np.testing.assert_allclose(skipping[0], [1.1 / 3, 4.001 / 3, 0, 4], rtol=1e-6)
    np.testing.assert_allclose(skipping[2], [0, 0, -1 / 6, (4 + 0.5 / 3) / 2], rtol=1e-6)
    cased = EmbeddingAverager(VECTORS, lowercase=False, columns=["hypothesis"]).fit_transform(X)
    np.testing.assert_allclose(cased[0], [9.1 / 3, 13.001 / 3], rtol=1e-6)


WORDS = st.sampled_from(["a", "cat", "dog", ".", "A", "unicorn", " ", "\xa0", "Cat,", "\n"])
TEXTS = st.lists(WORDS, max_size=8).map(" ".join)


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(TEXTS, TEXTS | st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=5
    ),
    st.booleans(),
    st.sampled_from(["zero", "skip", "mean"]),
)
def test_equal_to_plain_loops(pairs, lowercase, oov):
    options = {"lowercase": lowercase, "oov": oov}
    found = EmbeddingAverager(VECTORS, **options).fit_transform(frame(pairs))
    single = {word: np.float32(vector) for word, vector in VECTORS.items()}
    hypotheses = [[hypothesis] for hypothesis, _ in pairs]
    references = [[texts] if isinstance(texts, str) else texts for _, texts in pairs]
    expected = [by_hand(cells, single, 2, **options) for cells in (hypotheses, references)]
    np.testing.assert_allclose(found, np.hstack(expected), rtol=1e-12 if oov == "mean" else 0)
    assert found.dtype == np.float64 and np.isfinite(found).all()


def test_extreme_vectors_stay_finite():
    X = frame([("a a a", "a b")])
    vectors = {"a": [3e38, 1e-45], "b": [3e38, -3e38]}
    found = EmbeddingAverager(vectors).fit_transform(X)
    np.testing.assert_allclose(found, [[3e38, 1.4e-45, 3e38, -1.5e38]], rtol=1e-3)


def test_words_that_no_text_can_hold():
    vectors = {". .": [1.0], "line\nfeed": [2.0], "": [3.0], "x": [4.0]}
    found = EmbeddingAverager(vectors, oov="skip").fit_transform(frame([(". . x", "line\nfeed")]))
    assert found.tolist() == [[4, 0]]


@pytest.fixture(scope="module")
def vectors(sample, rankings):
    """Vectors of most words of the sample, and of some that it does not have."""
    rng = np.random.default_rng(0)
    texts = pd.concat([sample[0]["reference"], rankings[0]["reference"]]).str.lower()
    words = sorted({word for text in texts for word in text.split()})
    known = [word for k, word in enumerate(words) if k % 4]
    return {word: rng.normal(size=7) for word in dict.fromkeys([*known, "zzz", *".,?-"])}


@pytest.fixture
def candidates(sample):
    return sample[0].iloc[:60]


def output(X, vectors, **options):
    return EmbeddingAverager(vectors, **options).set_output(transform="pandas").fit_transform(X)


def test_index_and_names(candidates, vectors):
    found = output(candidates, vectors)
    assert found.to_numpy().any(axis=0).all()
    transformer = EmbeddingAverager(vectors, columns=("source", "hypothesis")).fit(candidates)
    names = transformer.get_feature_names_out()
    assert len(names) == transformer.transform(candidates).shape[1] == 14
    assert list(names[[0, 6, 7, 13]]) == [
        "source_emb0", "source_emb6", "hypothesis_emb0", "hypothesis_emb6",
    ]  # fmt: skip
    assert transformer.n_dimensions_ == 7


def test_rows_of_a_segment_have_the_same_reference(candidates, vectors):
    found = output(candidates, vectors).filter(like="reference_")
    first = found.groupby(level="segment").transform("first")
    pd.testing.assert_frame_equal(found, first, check_exact=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"oov": "drop"}, "oov must be 'zero', 'skip' or 'mean', found 'drop'"),
        ({"limit": -1}, "limit must be None or an integer >= 0, found -1"),
        ({"limit": "all"}, "limit must be"),
        ({"similarity": True, "columns": ["hypothesis"]}, "needs 'hypothesis' and 'reference'"),
        ({"columns": "hypothesis"}, "columns must be a non-empty list or tuple"),
        ({"columns": []}, "columns must be"),
        ({"columns": ["hypothesis", "hypothesis"]}, "different names"),
        ({"columns": [0]}, "columns must be"),
        ({"columns": ["translation"]}, "one column 'translation', found 0"),
        ({"vectors": None}, "vectors must be the path of a file"),
        ({"vectors": "none.txt"}, "none.txt: cannot be read"),
    ],
)
def test_bad_options(candidates, vectors, options, message):
    with pytest.raises(ValueError, match=message):
        EmbeddingAverager(**{"vectors": vectors, **options}).fit(candidates)


# Coverage, similarities, trimming.


def test_coverage_by_hand():
    X = frame(
        [("A cat.", "cat unicorn"), ("a a Unicorn!", ["cat", "x"]), ("A cat.", "cat unicorn")]
    )
    fitted = EmbeddingAverager(VECTORS).fit(X)
    table = fitted.coverage(X)
    assert table.index.tolist() == ["hypothesis", "reference"] and table.index.name == "column"
    assert table.loc["hypothesis"].to_dict() == {
        "words": 7, "known": 5, "proportion": 5 / 7,
        "distinct_words": 5, "distinct_known": 3, "distinct_proportion": 3 / 5,
        "frequent_unknown": ["!", "unicorn"],
    }  # fmt: skip
    assert table.loc["reference"].to_dict() == {
        "words": 4, "known": 2, "proportion": 0.5,
        "distinct_words": 3, "distinct_known": 1, "distinct_proportion": 1 / 3,
        "frequent_unknown": ["unicorn", "x"],
    }  # fmt: skip
    assert fitted.coverage_ == {"hypothesis": 5 / 7, "reference": 0.5}
    cased = EmbeddingAverager(VECTORS, lowercase=False, columns=["hypothesis"]).fit(X)
    assert cased.coverage(X)["frequent_unknown"].tolist() == [["!", "Unicorn"]]
    assert fitted.coverage(frame([("", "\t")]))["proportion"].tolist() == [1, 1]
    table = fitted.coverage(frame([("b b " + " ".join("hgfedcbijklm"), "cat")]))
    assert table.loc["hypothesis", "frequent_unknown"] == list("bcdefghijk")
    with pytest.raises(ValueError, match="not fitted"):
        EmbeddingAverager(VECTORS).coverage(X)


@pytest.mark.parametrize("cls", [EmbeddingAverager, WordVectorAlignment])
def test_vectors_that_know_few_words_are_warned_of(cls):
    half = " ".join(["a", "b"] * 500)
    cls(VECTORS).fit(frame([(half, half)]))
    cls(VECTORS).fit(frame([("b " * 999, "b " * 999)]))  # too few words to tell
    with pytest.warns(UserWarning, match=r"in column 'reference', only 49% .* without: b, c\.$"):
        cls(VECTORS).fit(frame([(half, half + " c c b" * 10)]))
    with pytest.warns(UserWarning, match="column 'hypothesis', only 0%") as caught:
        cls(VECTORS).fit(frame([("b " * 1000, half)]))
    assert caught[0].filename == __file__


def test_similarities_by_hand():
    pairs = [
        ("A cat.", "cat unicorn"), ("a", ["cat", "dog dog dog"]), ("", "a"), ("a", ""), ("x", "y"),
        ("dog", "dog"),
    ]  # fmt: skip
    transformer = EmbeddingAverager(VECTORS, similarity=True, columns=["reference", "hypothesis"])
    found = transformer.set_output(transform="pandas").fit_transform(frame(pairs))
    assert list(found)[4:] == [
        "similarity_cosine", "similarity_euclidean", "similarity_length_ratio",
    ]  # fmt: skip
    plain = EmbeddingAverager(VECTORS, columns=["reference", "hypothesis"])
    np.testing.assert_array_equal(found.iloc[:, :4], plain.fit_transform(frame(pairs)))
    x, y = 1.1 / 3, 4.001 / 3  # A cat. against (0, 2)
    u, v = -1.5, 2.25  # a against the mean of cat and dog
    expected = [
        [y / math.hypot(x, y), math.hypot(x, y - 2), 3 / 2],
        [u / math.hypot(u, v), math.hypot(u - 1, v), 1 / 2],
        [0, 1, 0],
        [0, 1, 0],
        [0, 0, 1],
        [1, 0, 1],
    ]
    np.testing.assert_allclose(found.iloc[:, 4:], expected, rtol=1e-6)


def test_the_cosine_is_gensims(data_dir):
    """n_similarity: the cosine of the sums of the vectors, scaled to length 1."""
    X = load_wmt(data_dir / "wmt12", "de-en", return_X_y=True)[0].iloc[::300]
    path = data_dir / "vectors" / "distilled-en-50d.txt"
    keyed = KeyedVectors.load_word2vec_format(str(path))
    keyed.unit_normalize_all()
    tokenize = load_tokenizer("13a")
    words = [
        [[w for w in tokenize(text.lower()).split() if w in keyed] for text in X[column]]
        for column in ("hypothesis", "reference")
    ]
    expected = [keyed.n_similarity(*pair) for pair in zip(*words, strict=True)]
    found = EmbeddingAverager(keyed, similarity=True).fit_transform(X)
    np.testing.assert_allclose(found[:, 100], expected, rtol=1e-5)


def test_similarities_of_extreme_vectors():
    X = frame([("a b", "b"), ("tiny", "a"), ("tiny", "tiny")])
    vectors = {"a": [3e38, 1e-45], "b": [3e38, -3e38], "tiny": [1e-45, 0]}
    found = EmbeddingAverager(vectors, similarity=True).fit_transform(X)[:, 4:]
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[1:, 0], 1)


def test_similarities_are_the_networks_similarity_features(candidates, vectors):
    """Also behind the prefixes of a union and of the pair table."""
    union = make_union(EmbeddingAverager(vectors, similarity=True), WordVectorAlignment(vectors))
    X = union.set_output(transform="pandas").fit_transform(candidates)
    pairs = pd.concat([X.add_prefix("t1__"), X.add_prefix("t2__")], axis=1)
    roles = find_roles(pairs, list(pairs), None, encoder=False)
    assert roles.hypothesis.tolist() == list(range(7))
    assert roles.reference.tolist() == list(range(7, 14))
    assert [X.columns[k].rpartition("__")[2] for k in roles.similarity] == [
        "similarity_cosine", "similarity_euclidean", "similarity_length_ratio",
        "alignment_precision", "alignment_recall", "alignment_f", "alignment_rwmd",
    ]  # fmt: skip


@pytest.mark.parametrize("limit", [0, 3, 10_000])
def test_a_limit_keeps_the_words_of_the_fit(candidates, vectors, path, tmp_path, limit):
    expected = EmbeddingAverager(vectors).fit(candidates)
    words = list(vectors)
    seen = {w for text in candidates["hypothesis"] for w in expected_words(text)}
    seen |= {w for text in candidates["reference"] for w in expected_words(text)}
    for source in (path, vectors, gensims(vectors)):
        fitted = EmbeddingAverager(source, limit=limit).fit(candidates)
        assert fitted.vectors_.words == [w for k, w in enumerate(words) if k < limit or w in seen]
        assert fitted.coverage_ == expected.coverage_
        np.testing.assert_allclose(
            fitted.transform(candidates), expected.transform(candidates), rtol=1e-6
        )
        # What the fit has not seen is unknown, and said to be.
        other = frame([("zzz the", words[0])])
        known = [w for w in ("zzz", "the") if w in fitted.vectors_.words]
        assert fitted.coverage(other).loc["hypothesis", "known"] == len(known)


def expected_words(text):
    return load_tokenizer("13a")(text.lower().rstrip()).split()


def test_a_limit_makes_saved_models_small(candidates, vectors, path, tmp_path):
    large = {**vectors, **{f"more{k}": np.zeros(7) for k in range(20_000)}}
    lines = [" ".join([word, *map(str, row)]) for word, row in large.items()]
    path.write_text("\n".join(lines), encoding="utf-8")
    fitted = EmbeddingAverager(path, limit=10).fit(candidates)
    save_model(fitted, tmp_path / "model")
    assert model_file(tmp_path / "model").stat().st_size < 100_000
    path.unlink()
    again = load_model(tmp_path / "model")
    np.testing.assert_array_equal(again.transform(candidates), fitted.transform(candidates))


def test_no_known_word_at_all():
    X = frame([("x", "y z")])
    for oov in ("zero", "skip", "mean"):
        fitted = EmbeddingAverager(VECTORS, limit=0, oov=oov, similarity=True).fit(X)
        assert fitted.vectors_.words == [] and fitted.n_dimensions_ == 2
        np.testing.assert_array_equal(fitted.transform(X), [[0, 0, 0, 0, 0, 0, 0.5]])


# Clones, pickles, saved models.


@pytest.fixture
def path(vectors, tmp_path):
    path = tmp_path / "vectors.txt"
    lines = [" ".join([word, *map(str, row)]) for word, row in vectors.items()]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def gensims(vectors):
    keyed = KeyedVectors(vector_size=len(next(iter(vectors.values()))))
    keyed.add_vectors(list(vectors), np.array(list(vectors.values()), dtype=np.float32))
    return keyed


@pytest.mark.parametrize("source", ["str", "Path", "mapping", "KeyedVectors", "WordVectors"])
def test_clone_pickle_and_saving(candidates, vectors, path, tmp_path, source):
    given = {
        "str": str(path),
        "Path": path,
        "mapping": vectors,
        "KeyedVectors": gensims(vectors),
        "WordVectors": load_word_vectors(vectors),
    }[source]
    transformer = EmbeddingAverager(given, oov="skip").fit(candidates)
    expected = transformer.transform(candidates).tobytes()
    assert clone(transformer).fit_transform(candidates).tobytes() == expected
    save_model(transformer, tmp_path / "model")
    copies = [pickle.loads(pickle.dumps(transformer)), load_model(tmp_path / "model")]
    for again in copies:
        assert again.fit(candidates).transform(candidates).tobytes() == expected
    path.unlink()
    for again in [*copies, load_model(tmp_path / "model")]:
        assert again.transform(candidates).tobytes() == expected
        if source in ("str", "Path"):
            assert again.vectors == str(path)
        else:
            assert isinstance(again.vectors, WordVectors) and again.vectors.equals(again.vectors_)
    assert transformer.vectors is given  # saving changes nothing


def test_a_parameter_changed_after_fit_is_what_is_pickled(candidates, vectors):
    transformer = EmbeddingAverager(vectors).fit(candidates)
    transformer.set_params(vectors={"the": [1.0]})
    again = pickle.loads(pickle.dumps(transformer))
    assert again.n_dimensions_ == 7 and again.fit(candidates[:10]).n_dimensions_ == 1


def test_a_saved_model_is_small(candidates, tmp_path):
    words = {f"word{k}": np.full(3, k) for k in range(5000)}
    save_model(EmbeddingAverager(words).fit(candidates[:10]), tmp_path / "model")
    with zipfile.ZipFile(model_file(tmp_path / "model")) as archive:
        schema = archive.read("schema.json")
        assert len(archive.namelist()) < 5
    assert schema.count(b"__class__") < 60
    assert len(read_signature(tmp_path / "model")["parameters"]["vectors"]) <= 1001


def pipeline(source):
    return Pipeline(
        [
            ("features", make_union(BLEUComp(), EmbeddingAverager(source))),
            ("scale", StandardScaler()),
            ("rank", RankRecomposer(make_pipeline(PairDifference(), LogisticRegression()))),
        ]
    ).set_output(transform="pandas")


@pytest.mark.slow
def test_grid_search_and_saving_it(rankings, vectors, path, tmp_path):
    X, y = rankings
    grid = {"features__embeddingaverager__oov": ["zero", "skip"]}
    searches = [
        GridSearchCV(
            pipeline(source), grid, scoring=kendall_tau_scorer, cv=SegmentKFold(3), n_jobs=n_jobs
        ).fit(X, y)
        for source, n_jobs in ((path, 1), (path, 2), (vectors, 1))
    ]
    expected = searches[0].decision_function(X).tobytes()
    for search in searches:
        assert search.decision_function(X).tobytes() == expected
        save_model(search, tmp_path / "model")
        assert load_model(tmp_path / "model").decision_function(X).tobytes() == expected


def test_real_data(data_dir):
    X, y = load_wmt(data_dir / "wmt12", "cs-en", return_X_y=True)
    path = data_dir / "vectors" / "distilled-en-50d.txt"
    features = pipeline(path)[:-1].fit_transform(X, y)
    pd.testing.assert_index_equal(features.index, X.index)
    assert features.shape == (len(X), 16 + 100)
    transformer = EmbeddingAverager(path).set_output(transform="pandas")
    found = transformer.fit_transform(X)
    loaded = load_word_vectors(path)
    known = dict(zip(loaded.words, loaded.matrix, strict=True))
    part = X.iloc[::200]
    for column in ("hypothesis", "reference"):
        expected = by_hand([[text] for text in part[column]], known, 50, True, "zero")
        np.testing.assert_array_equal(found.iloc[::200].filter(like=column), expected)
