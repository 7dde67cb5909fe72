"""SurfaceCounts: numbers worked by hand, and loops over sacreBLEU's tokens."""

import numpy as np
import pandas as pd
import pytest
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from sklearn_mteval.datasets import load_sample, load_wmt
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.features import SurfaceCounts

TABLE = pd.DataFrame(
    {
        "source": ["Ein Hund, eine Katze.", "Ein Hund schläft.", ""],
        "hypothesis": ["A dog, a cat...", "A dog sleeps 3.5 hours!", "Nothing."],
    }
)


def output(X, **options):
    return SurfaceCounts(**options).set_output(transform="pandas").fit_transform(X)


def test_by_hand():
    """Tokens: A dog , a cat . . . | A dog sleeps 3.5 hours ! | Nothing ."""
    found = output(TABLE, ratios=True, min_count=1)
    expected = {
        "source_tokens": [6, 4, 0],
        "source_characters_per_token": [18 / 6, 15 / 4, 0],
        "source_punctuation": [2, 1, 0],
        "source_dots": [1, 1, 0],
        "source_commas": [1, 0, 0],
        "source_unknown_words": [0, 0, 0],
        "hypothesis_tokens": [8, 6, 2],
        "hypothesis_characters_per_token": [12 / 8, 19 / 6, 8 / 2],
        "hypothesis_punctuation": [4, 1, 1],
        "hypothesis_dots": [3, 0, 1],
        "hypothesis_commas": [1, 0, 0],
        "hypothesis_unknown_words": [0, 0, 0],
        "tokens_ratio": [8 / 6, 6 / 4, 2],
        "characters_per_token_ratio": [1.5 / 3, 19 / 6 / (15 / 4), 4],
        "punctuation_ratio": [2, 1, 1],
        "dots_ratio": [3, 0, 1],
        "commas_ratio": [1, 1, 1],
        "unknown_words_ratio": [1, 1, 1],
    }
    pd.testing.assert_frame_equal(found, pd.DataFrame(expected, dtype=float))


def test_words_of_two_sources_are_known():
    """Two sources: "a" and "dog" stand opposite them, "ein" and "hund" are in them.

    A second translation of the first source adds nothing.
    """
    X = pd.concat([TABLE, TABLE.iloc[[0]].assign(hypothesis="The dog, the cat.")])
    fitted = SurfaceCounts().fit(X)
    assert fitted.vocabularies_ == {"source": [".", "ein", "hund"], "hypothesis": [".", "a", "dog"]}
    found = fitted.set_output(transform="pandas").transform(X)
    assert list(found["hypothesis_unknown_words"]) == [1, 2, 1, 3]  # cat; sleeps, hours; …
    assert list(found["source_unknown_words"]) == [2, 1, 0, 2]


def test_case():
    X = TABLE.iloc[:2]
    words = {"vocabulary": ["a", "dog"], "source_vocabulary": {"Ein": 1.0, "hund": 2.0}.keys()}
    wanted = ["source_unknown_words", "hypothesis_unknown_words"]
    found = output(X, features=wanted, **words)
    assert found.to_numpy().tolist() == [[2, 1], [1, 2]]
    found = output(X, features=wanted, lowercase=False, **words)
    assert found.to_numpy().tolist() == [[3, 2], [2, 3]]


def test_a_vocabulary_from_a_file(tmp_path):
    path = tmp_path / "words"
    path.write_text("dog\nSchläft\n", encoding="utf-8")
    for given in (path, str(path)):
        found = output(TABLE, features=["hypothesis_unknown_words"], vocabulary=given)
        assert found.iloc[:, 0].tolist() == [3, 3, 1]
    with pytest.raises(DataFileError, match="none: cannot be read"):
        SurfaceCounts(vocabulary=tmp_path / "none").fit(TABLE)


@pytest.mark.parametrize("options", [{}, {"ratios": True}, {"min_count": 1}])
def test_no_rows(options):
    fitted = SurfaceCounts(**options).fit(TABLE.iloc[:0])
    assert fitted.vocabularies_ == {"source": [], "hypothesis": []}
    assert fitted.transform(TABLE.iloc[:0]).shape == (0, len(fitted.get_feature_names_out()))
    assert fitted.transform(TABLE)[0, 5] == 4  # no word is known: Ein, Hund, eine, Katze


def test_only_what_is_wanted_is_read_and_learnt():
    X = TABLE[["hypothesis"]]
    found = output(X, features=["hypothesis_dots", "hypothesis_tokens"])
    assert list(found) == ["hypothesis_dots", "hypothesis_tokens"]
    assert found.to_numpy().tolist() == [[3, 8], [0, 6], [1, 2]]
    fitted = SurfaceCounts(features=["tokens_ratio", "hypothesis_unknown_words"]).fit(TABLE)
    assert list(fitted.vocabularies_) == ["hypothesis"]


def loops(text, known):
    tokens = Tokenizer13a()(text).split()
    words = [t for t in tokens if any(c.isalpha() for c in t)]
    return [
        len(tokens),
        sum(map(len, tokens)) / max(len(tokens), 1),
        sum(not any(c.isalnum() for c in t) for t in tokens),
        tokens.count("."),
        tokens.count(","),
        sum(word.lower() not in known for word in words),
    ]


def by_definition(X, min_count):
    """Count in loops: a word is known if it occurs with enough different sources."""
    columns = []
    for side in ("source", "hypothesis"):
        sources = {}
        for source, text in zip(X["source"], X[side], strict=True):
            for token in Tokenizer13a()(text.lower()).split():
                sources.setdefault(token, set()).add(source)
        known = {token for token, seen in sources.items() if len(seen) >= min_count}
        columns.append([loops(text, known) for text in X[side]])
    return np.hstack(columns)


@pytest.mark.parametrize("min_count", [1, 2, 3])
def test_against_loops(min_count):
    X = load_sample(return_X_y=True)[0].iloc[:200]
    found = SurfaceCounts(min_count=min_count).fit_transform(X)
    np.testing.assert_allclose(found, by_definition(X, min_count), rtol=1e-12)


def test_real_data(data_dir):
    X = load_wmt(data_dir / "wmt12", "de-en", return_X_y=True)[0].iloc[:1500]
    found = SurfaceCounts().fit_transform(X)
    np.testing.assert_allclose(found, by_definition(X, 2), rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": ["tokens"]}, "features must be of .*found 'tokens'"),
        ({"features": []}, "non-empty list or tuple of different names"),
        ({"features": "hypothesis_tokens"}, "non-empty list or tuple of different names"),
        ({"features": ["dots_ratio", "dots_ratio"]}, "different names"),
        ({"ratios": 1}, "ratios must be True or False"),
        ({"lowercase": None}, "lowercase must be True or False"),
        ({"min_count": 0}, "min_count must be an integer >= 1"),
        ({"vocabulary": [1, 2]}, "^vocabulary must be None, a file"),
        ({"vocabulary": iter(["a", "dog"])}, "vocabulary must be None, a file"),
        ({"source_vocabulary": 3}, "source_vocabulary must be None, a file"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        SurfaceCounts(**options).fit(TABLE)


def test_a_column_that_is_needed():
    with pytest.raises(ValueError, match="one column 'source', found 0"):
        SurfaceCounts().fit(TABLE[["hypothesis"]])


def test_an_empty_table_teaches_no_word():
    fitted = SurfaceCounts().fit(TABLE.iloc[:0])
    assert fitted.vocabularies_ == {"source": [], "hypothesis": []}
    assert fitted.transform(TABLE.iloc[:0]).shape == (0, len(fitted.get_feature_names_out()))
    assert output(TABLE, min_count=9).equals(fitted.set_output(transform="pandas").transform(TABLE))
