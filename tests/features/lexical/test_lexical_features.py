import math
import pickle
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lexical_by_loops import Loops
from lexical_tables import PLANE, REFERENCES, lexical, records, table

from sklearn_mteval import load_model, save_model
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import LexicalFeatures
from sklearn_mteval.features.lexical import _kernel
from sklearn_mteval.text import load_word_vectors

# Lengths other than 1: a weight of 1 but for rounding would be one of the spelling's.
VECTORS = {
    "a": [0.5, 0.0, 0.0, 0.0],
    "the": [0.4, 0.3, 0.0, 0.0],
    "dog": [0.0, 2.0, 0.5, 0.0],
    "cat": [0.1, 0.2, 0.7, 0.1],
    "no": [-3.0, -1.0, 0.0, 1.0],
    "void": [0.0, 0.0, 0.0, 0.0],
    ".": [0.01, 0.01, 0.0, 0.2],
    "hund": [0.3, 0.1, 0.5, 0.0],
}
PIECES = {**VECTORS, "ba": [0.2, 0.1, 0.0, 0.9], "##rks": [0.0, 0.5, 0.1, 0.0]}


def assert_equals_loops(X, train, **options):
    """Compare all columns; return how many numbers could be compared."""
    found = lexical(X, fitted_on=train, **options)
    loops = Loops(**options).fit(records(train))
    n_compared = 0
    for (_, row), choices in zip(found.iterrows(), loops.transform(records(X)), strict=True):
        expected = np.array([[values[name] for name in found.columns] for values in choices])
        close = np.isclose(row.to_numpy(), expected, rtol=0, atol=2e-6) | np.isnan(expected)
        best = close.sum(axis=1).argmax()
        wrong = [
            (name, row[name], value)
            for name, value, is_close in zip(found, expected[best], close[best], strict=True)
            if not is_close
        ]
        assert not wrong, (wrong, X.to_dict("records"))
        n_compared += np.isfinite(expected[best]).sum()
    return n_compared


WORDS = st.sampled_from(
    (
        *PIECES,
        *("barks", "rex", "Hund", "haus", "HAUS", "it's", "3", "3,5", "!", "x²", "é\ud800", "日本"),
    )
)
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)
CELLS = st.one_of(TEXTS, st.lists(TEXTS, min_size=1, max_size=3))


@st.composite
def tables(draw):
    """Segments of several systems, some of which say the same, some alone."""
    rows = []
    for segment in range(draw(st.integers(1, 3))):
        source, reference = draw(TEXTS), draw(CELLS)
        said = draw(st.lists(TEXTS, min_size=1, max_size=4))
        for system in range(draw(st.integers(1, 4))):
            hypothesis = draw(st.sampled_from(said))
            rows.append((segment, f"s{system}", source, reference, hypothesis))
    return table(draw(st.permutations(rows)))


@settings(max_examples=150)
@given(
    tables(),
    tables(),
    st.sampled_from([None, VECTORS, PIECES]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["idf", "length"]),
)
def test_equal_to_plain_loops(X, train, vectors, use_references, lowercase, weights):
    assert_equals_loops(
        X,
        train,
        vectors=vectors,
        use_references=use_references,
        lowercase=lowercase,
        weights="idf" if vectors is None else weights,
    )


def test_equal_to_plain_loops_on_the_sample(sample):
    X = sample[0].iloc[:60]
    for options in ({}, {"vectors": VECTORS, "use_references": False}):
        n_compared = assert_equals_loops(X, X.iloc[:30], **options)
        n_columns = lexical(X, **options).shape[1]
        assert n_compared > 0.9 * len(X) * n_columns


# Each group by hand. Words are orthogonal (a, b, d), but for "the": 0.8 like a, 0.6 like b.
def messy(sample):
    """Several rankings of a segment, equal texts, lone systems, several references."""
    X = sample[0].iloc[:90]
    X = X.assign(reference=[[text, text[::2]] for text in X["reference"]])
    frame = X.index.to_frame(index=False)
    frame["segment"] = [f"{segment} {k % 2}" for k, segment in enumerate(frame["segment"])]
    X.index = pd.MultiIndex.from_frame(frame[["segment", "system"]])
    X.loc[X.index[::7], "hypothesis"] = X["hypothesis"].iloc[0]
    return X


def numbers(transformer, X):
    return transformer.transform(X).to_numpy()


@pytest.fixture(scope="module")
def fitted(sample):
    X = messy(sample)
    return LexicalFeatures(VECTORS).set_output(transform="pandas").fit(X), X


def test_order_and_names_do_not_matter(fitted):
    transformer, X = fitted
    expected = numbers(transformer, X)
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(numbers(transformer, X.iloc[order]), expected[order])
    again = LexicalFeatures(VECTORS).set_output(transform="pandas").fit(X.iloc[order])
    np.testing.assert_array_equal(numbers(again, X), expected)
    np.testing.assert_array_equal(again.means_, transformer.means_)
    segments = X.index.get_level_values("segment")
    names = pd.MultiIndex.from_arrays(
        [segments.map(hash), [-k for k in range(len(X))]], names=["segment", "system"]
    )
    np.testing.assert_array_equal(numbers(transformer, X.set_axis(names)), expected)


def test_other_segments_do_not_matter(fitted):
    transformer, X = fitted
    expected = transformer.transform(X)
    segments = X.index.get_level_values("segment")
    for segment in segments.unique()[:8]:
        alone = transformer.transform(X[segments == segment])
        np.testing.assert_array_equal(alone, expected[segments == segment])


def test_copies_of_a_system_change_no_number(fitted):
    transformer, X = fitted
    copy = X.set_axis(X.index.set_levels(X.index.levels[1].map("copy of {}".format), level=1))
    X2 = pd.concat([X, copy.iloc[::3]])
    found = numbers(transformer, X2)
    np.testing.assert_array_equal(found[: len(X)], numbers(transformer, X))
    np.testing.assert_array_equal(found[len(X) :], numbers(transformer, X)[::3])
    again = LexicalFeatures(VECTORS).set_output(transform="pandas").fit(X2)
    np.testing.assert_array_equal(numbers(again, X2), found)
    np.testing.assert_array_equal(again.means_, transformer.means_)


def test_rankings_of_a_segment_share_competitors(fitted):
    transformer, X = fitted
    frame = X.index.to_frame(index=False).assign(ranking=np.arange(len(X)) % 3)
    ranked = X.set_axis(pd.MultiIndex.from_frame(frame[["segment", "ranking", "system"]]))
    np.testing.assert_array_equal(numbers(transformer, ranked), numbers(transformer, X))


def test_a_plain_table_will_do_without_competing_systems(fitted):
    _, X = fitted
    plain = X.reset_index(drop=True)
    names = ["alignment", "order", "ngrams", "unknown", "small", "source"]
    found = LexicalFeatures(VECTORS, features=names).fit_transform(plain)
    np.testing.assert_array_equal(found, LexicalFeatures(VECTORS, features=names).fit_transform(X))
    for features in (["competing"], ["f", "competing_first"], None):
        with pytest.raises(
            CandidateError, match=r"level 'segment'.*set_index\(\['segment', 'system'"
        ):
            LexicalFeatures(features=features).fit(plain)
    fitted_before = LexicalFeatures(features=["competing_first"]).fit(X)
    with pytest.raises(CandidateError, match="level 'segment'"):
        fitted_before.transform(plain)


def test_a_segment_has_one_source(fitted):
    _, X = fitted
    bad = X.assign(source=[f"{text} {k}" for k, text in enumerate(X["source"])])
    with pytest.raises(CandidateError, match="another source"):
        LexicalFeatures(features=["competing_first"]).fit(bad)
    LexicalFeatures(features=["copied"]).fit(bad)


@pytest.mark.parametrize(
    "options",
    [{}, {"use_references": False}, {"vectors": None}, {"vectors": None, "use_references": False}],
)
def test_chosen_columns_equal_those_of_all(fitted, options):
    _, X = fitted
    options = {"vectors": VECTORS, **options}
    whole = lexical(X, **options)
    groups = {"competing", "small", "source", "unknown"}
    if "use_references" not in options:
        groups |= {"alignment", "order", "ngrams"}
    columns = [lexical(X, features=[group], **options).columns for group in sorted(groups)]
    assert sorted(name for names in columns for name in names) == sorted(whole.columns)
    for features in (["source_length"], ["competing_f", "small", "repetition"], ["source_copied"]):
        found = lexical(X, features=features, **options)
        pd.testing.assert_frame_equal(found, whole[found.columns], check_exact=True)
    if "use_references" in options:
        pd.testing.assert_frame_equal(lexical(X.drop(columns="reference"), **options), whole)
    # In the order given, each once.
    names = lexical(X, features=["repetition", "small", "competing_first"], **options).columns
    assert names[0] == "repetition" and names[-1] == "competing_first"
    assert sorted(names[:-1]) == sorted(lexical(X, features=["small"], **options).columns)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": []}, "features must be a non-empty list or tuple of different names"),
        ({"features": "alignment"}, "features must be a non-empty list"),
        ({"features": ["f", "f"]}, "different names"),
        (
            {"features": ["bleu"]},
            r"groups of \['alignment'.*, without vectors, found 'bleu'",
        ),
        ({"features": ["f"], "use_references": False}, r"groups of \['unknown'.*found 'f'"),
        ({"features": ["order"], "use_references": False}, "without references and vectors, found"),
        ({"features": ["unknown_copied"]}, "without vectors, found 'unknown_copied'"),
        ({"weights": "idf2"}, r"weights .*found "),
        ({"weights": "length"}, "weights='length' is the length of vectors: give vectors"),
        ({"use_references": 1}, "use_references must be True or False, found 1"),
        ({"lowercase": None}, "lowercase must be True or False"),
        ({"vectors": PLANE, "limit": -1}, "limit must be None or an integer >= 0, found -1"),
        ({"vectors": "none.txt"}, "none.txt: cannot be read"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        LexicalFeatures(**options).fit(REFERENCES)


# Size


def test_the_first_1000_words_count():
    text = " ".join(f"{'abd'[k % 3]} {'the' if k % 5 else 'b'}" for k in range(500))
    X = table([(0, "A", text, text, text), (0, "B", text, text, f"{text[4:]} a b . !")])
    longer = X.map(lambda cell: f"{cell} d the 3 , 3 , unheard")
    found = lexical(X, PLANE, fitted_on=REFERENCES)
    longer = lexical(longer, PLANE, fitted_on=REFERENCES)
    assert found["f"].iloc[0] == 1 and found["length"].iloc[0] == 0
    np.testing.assert_array_equal(longer.iloc[0], found.iloc[0])


def test_words_beyond_those_whose_cosines_are_kept(fitted, monkeypatch):
    transformer, X = fitted
    expected = numbers(transformer, X)
    for most in (0, 40, 60):  # few segments, if any, have so few words
        monkeypatch.setattr(_kernel, "_MOST_SHARED", most)
        np.testing.assert_array_equal(numbers(transformer, X), expected)


def test_memory_is_bounded():
    """Cosines of all words of this segment would take 196 MB, words beyond the first 1,000 more."""
    texts = [" ".join(f"{k}" for k in range(1500 * s, 1500 * s + 1500)) for s in range(7)]
    rows = [(0, str(k), "", texts[0], text) for k, text in enumerate(texts)]
    transformer = LexicalFeatures({"0": [1.0, 0.5]}, features=["f", "competing_f"]).fit(REFERENCES)
    tracemalloc.start()
    found = transformer.transform(table(rows))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6
    assert found[0, 0] == 1 and np.isfinite(found).all()


def test_extreme_vectors():
    vectors = {"big": [3e38, -3e38], "huge": [-3e38, 3e38], "tiny": [1e-45, 0], "": [1, 1]}
    vectors |= {"p": [3e38, 3e38], "##ieces": [3e38, 3e38]}
    names = ["precision", "recall"]
    X = table([(0, "x", "", "huge big", "big tiny"), (1, "x", "", "p pieces", "pieces")])
    found = lexical(X, vectors, features=names)
    half = math.sqrt(0.5)  # big and tiny; tiny and huge are opposite
    np.testing.assert_allclose(found, [[(1 + half) / 2, 0.5], [1, 1]], rtol=1e-6)
    for weights in ("idf", "length"):
        assert np.isfinite(lexical(X, vectors, weights=weights).to_numpy()).all()


def test_saving_keeps_the_weights(tmp_path):
    X = table([(0, "A", "", "a \ud800", "a the \ud800"), (0, "B", "", "a \ud800", "a 東京")])
    fitted = LexicalFeatures(PLANE).fit(X)
    save_model(fitted, tmp_path / "model")
    for again in (pickle.loads(pickle.dumps(fitted)), load_model(tmp_path / "model")):
        assert again.word_weights_ == fitted.word_weights_
        np.testing.assert_array_equal(again.transform(X), fitted.transform(X))


def test_texts_of_another_language_are_warned_of():
    words = ["der", "hund", "bellt", "dog", ",", "3"]
    german = ["wieder", "häuschen", "gestreichelt", "dog", ",", "3"]
    assert load_word_vectors("english").rows([*german[:3], "dog"]).tolist()[:3] == [-1, -1, -1]
    text = " ".join(german * 60)  # 240 words with letters, 60 of them known
    X = pd.DataFrame({"hypothesis": [text]})
    lexical = LexicalFeatures("english", features=["repetition"], use_references=False)
    with pytest.warns(UserWarning, match="English vectors know only 25% .* another language"):
        lexical.fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lexical.transform(pd.DataFrame({"hypothesis": [" ".join(words)]}))  # too few to tell
        LexicalFeatures(VECTORS, features=["repetition"], use_references=False).fit(X)
