import numpy as np
import pandas as pd
from evidence_by_loops import Loops
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_mteval.features import WordEvidence

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
PIECES = {**VECTORS, "bark": [0.2, 0.1, 0.0, 0.9], "##s": [0.0, 0.5, 0.1, 0.0]}


def table(rows):
    """Make a candidate table of (segment, system, source, reference, hypothesis)."""
    segments, systems, *texts = zip(*rows, strict=True)
    index = pd.MultiIndex.from_arrays([segments, systems], names=["segment", "system"])
    names = ("source", "reference", "hypothesis")
    return pd.DataFrame(dict(zip(names, texts, strict=True)), index=index, dtype=object)


def records(X):
    return [
        {"segment": segment, **row}
        for segment, row in zip(X.index.get_level_values(0), X.to_dict("records"), strict=True)
    ]


def evidence(X, *args, fitted_on=None, **options):
    """Fit and transform to a DataFrame."""
    transformer = WordEvidence(*args, **options).set_output(transform="pandas")
    return transformer.fit(X if fitted_on is None else fitted_on).transform(X)


def one_pair(hypothesis, reference, vectors=VECTORS, **options):
    """Compare a hypothesis with its reference; the IDF is that of four references more."""
    fitted_on = table(
        [(k, "x", "", text, "") for k, text in enumerate(["a cat", "a dog", "a dog no", "the ."])]
    )
    options = {"features": ["alignment", "order", "ngrams", "small"], **options}
    X = table([(0, "x", "", reference, hypothesis)])
    return evidence(X, vectors, fitted_on=fitted_on, **options).iloc[0]


def assert_equals_loops(X, train, **options):
    """Compare all columns; return how many numbers could be compared."""
    found = evidence(X, fitted_on=train, **options)
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
    [
        *PIECES,
        "barks",
        "rex",
        "Hund",
        "haus",
        "HAUS",
        "3",
        "3,5",
        "!",
        "x²",
        "é\ud800",
        "it's",
        "日本",
    ]
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
def test_equal_to_plain_loops(X, train, vectors, reference, lowercase, weights):
    assert_equals_loops(
        X,
        train,
        vectors=vectors,
        reference=reference,
        lowercase=lowercase,
        weights="idf" if vectors is None else weights,
    )


def test_equal_to_plain_loops_on_the_sample(sample):
    X = sample[0].iloc[:60]
    for options in ({}, {"vectors": VECTORS, "reference": False}):
        n_compared = assert_equals_loops(X, X.iloc[:30], **options)
        n_columns = evidence(X, **options).shape[1]
        assert n_compared > 0.9 * len(X) * n_columns
