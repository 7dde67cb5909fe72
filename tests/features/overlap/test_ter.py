from itertools import chain, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import TER, lib_ter

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import TERComp
from sklearn_mteval.features.overlap import _ter_kernel
from sklearn_mteval.features.overlap.ter import ter_counts, ter_scores

EDITS = ["ter_insertions", "ter_deletions", "ter_substitutions", "ter_shifts"]


def ours(pairs):
    """Our counts of token lists, each pair by itself."""
    return ter_counts([((" ".join(r),), [" ".join(h)]) for h, r in pairs], case_sensitive=True)


def theirs(hypothesis, reference):
    """The counts of sacreBLEU's own shifts and edit distance, driven as its TER drives them."""
    if not reference:
        return [len(hypothesis), 0, 0, 0, len(hypothesis), 0]
    distance = lib_ter.BeamEditDistance(reference)
    words, n_shifts, n_tried = hypothesis, 0, 0
    while True:
        gain, shifted, n_tried = lib_ter._shift(words, reference, distance, n_tried)
        if gain <= 0 or n_tried >= lib_ter._MAX_SHIFT_CANDIDATES:
            break
        words, n_shifts = shifted, n_shifts + 1
    trace = distance(words)[1]  # of mending: "d" deletes a word of the hypothesis
    counts = [trace.count("d"), trace.count("i"), trace.count("s"), n_shifts]
    assert sum(counts) == lib_ter.translation_edit_rate(hypothesis, reference)[0]
    return [*counts, len(hypothesis), len(reference)]


def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, word in enumerate(a, 1):
        above, row = row, [i]
        for j, other in enumerate(b, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (word != other)))
    return row[-1]


def assert_counts_equal(pairs):
    expected = np.array([theirs(h, r) for h, r in pairs], dtype=float)
    np.testing.assert_array_equal(ours(pairs), expected)


def assert_scores_equal(pairs, **options):
    metric = TER(**options)
    expected = [-metric.sentence_score(h, list(r)).score for h, r in pairs]
    found = ter_scores([(tuple(r), [h]) for h, r in pairs], **options)
    np.testing.assert_array_equal(found, expected)


def tokens(alphabet, size):
    return st.lists(st.sampled_from(alphabet), max_size=size)


@st.composite
def shuffled_blocks(draw):
    """A reference and its blocks in another order, with some words changed."""
    blocks = draw(st.lists(tokens("abcdefghij", 5), min_size=2, max_size=7))
    moved = list(chain(*draw(st.permutations(blocks))))
    changes = draw(st.lists(st.tuples(st.integers(0, 40), st.sampled_from("abx")), max_size=4))
    for place, word in changes:
        moved[place : place + 1] = [word]
    return moved, list(chain(*blocks))


PAIRS = st.one_of(
    st.tuples(tokens("ab", 14), tokens("ab", 14)),
    st.tuples(tokens("abcd", 20), tokens("abcd", 20)),
    shuffled_blocks(),
)


@settings(max_examples=400, deadline=None)
@given(PAIRS)
def test_counts_equal_sacrebleus_on_few_words(pair):
    assert_counts_equal([pair])


@settings(max_examples=300, deadline=None)
@given(PAIRS)
def test_edits_are_between_what_words_and_order_demand(pair):
    """Within the beam: without a shift Levenshtein's distance, with shifts less."""
    hypothesis, reference = (words[:24] for words in pair)
    found = ours([(hypothesis, reference)])[0]
    insertions, deletions, substitutions, shifts = found[:4]
    distance = levenshtein(hypothesis, reference)
    assert found[:4].sum() == distance if shifts == 0 else found[:4].sum() <= distance
    common = sum(min(hypothesis.count(w), reference.count(w)) for w in set(reference))
    assert found[:3].sum() >= max(len(hypothesis), len(reference)) - common
    assert insertions - deletions == len(hypothesis) - len(reference)
    assert insertions + substitutions <= len(hypothesis)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["keep", "replace", "other"]), max_size=40), st.booleans())
def test_edits_that_no_shift_can_spare(fates, drop):
    """Strange words in the place of some, and either words left out or strange ones added."""
    hypothesis, reference = [], []
    for number, fate in enumerate(fates):
        if fate == "keep" or drop or fate == "replace":
            reference.append(f"r{number}")
        if fate == "keep":
            hypothesis.append(f"r{number}")
        elif fate == "replace" or not drop:
            hypothesis.append(f"h{number}")
    other = fates.count("other")
    expected = [0 if drop else other, other if drop else 0, fates.count("replace"), 0]
    np.testing.assert_array_equal(ours([(hypothesis, reference)])[0, :4], expected)


PIECES = [
    *"asAÉßİ.,-'\"&!?:;()%🙂 \t\n\r\x00\x1c\x85\xa0\u2028\u3000",
    "'s",
    "'s ",
    "&quot;",
    "&amp;lt;",
]
PIECES += [
    "\n-",
    "日本",
    "。",
    "，",
    "ひら",
    "カタ",
    "・",
    "㌀",
    "e\u0301",
    "2.5",
    "3-4",
    "word",
    "U.S.",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@pytest.mark.parametrize("flags", list(product([False, True], repeat=4)))
@settings(max_examples=25, deadline=None)
@example([("Guy's.", ["Guy's."])])
@example([("&quot;a'S\n-b. 日本。", ["a 's b", "日 本 。"])])
@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=4))
def test_scores_equal_sacrebleus_on_odd_texts(flags, pairs):
    names = ("normalized", "no_punct", "asian_support", "case_sensitive")
    assert_scores_equal(pairs, **dict(zip(names, flags, strict=True)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("campaign", "pair", "options"),
    [
        ("wmt12", "cs-en", {}),
        ("wmt12", "de-en", {}),
        ("wmt15", "fi-en", {}),
        ("wmt15", "ru-en", {"normalized": True}),
        ("wmt12", "en-de", {"no_punct": True, "case_sensitive": True}),
    ],
)
def test_scores_equal_sacrebleus_on_real_data(data_dir, campaign, pair, options):
    X, _ = load_wmt(data_dir / campaign, pair, return_X_y=True)
    X = X.drop_duplicates(["hypothesis", "reference"])
    long = X["hypothesis"].str.count(" ") >= 20  # sacreBLEU takes some 20 times as long for them
    X = pd.concat([X[~long].sample(1000, random_state=0), X[long].sample(25, random_state=0)])
    pairs = [(h, [r]) for h, r in zip(X["hypothesis"], X["reference"], strict=True)]
    assert_scores_equal(pairs, **options)


@pytest.mark.slow
def test_counts_equal_sacrebleus_on_real_data(data_dir):
    X, _ = load_wmt(data_dir / "wmt15", "de-en", return_X_y=True)
    X = X[X["hypothesis"].str.count(" ") < 25].drop_duplicates(["hypothesis", "reference"])
    X = X.sample(600, random_state=0)
    pairs = [(h.split(), r.split()) for h, r in zip(X["hypothesis"], X["reference"], strict=True)]
    assert_counts_equal(pairs)
    assert ours(pairs)[:, :4].sum(axis=0).min() > 100


def test_scores_of_several_references_on_real_data(data_dir):
    X, _ = load_wmt(data_dir / "wmt15", "fr-en", return_X_y=True)
    X = X.drop_duplicates(["hypothesis", "reference"])[:400]
    columns = zip(X["hypothesis"], X["reference"], X["hypothesis"][::-1], strict=True)
    assert_scores_equal([(h, [r, other, ""]) for h, r, other in columns])


@pytest.mark.parametrize("sizes", [(1, 3), (1, 200), (3, 400), (7, 351), (150, 2), (45, 30)])
def test_unequal_lengths(sizes):
    rng = np.random.default_rng(0)
    words = [f"w{k}" for k in range(20)]
    assert_counts_equal([tuple(rng.choice(words, size=size).tolist() for size in sizes)])


def test_the_beam_is_sacrebleus():
    """120 strange words, then the reference: too far from the diagonal."""
    reference = [f"r{k}" for k in range(40)]
    pair = ([f"h{k}" for k in range(120)] + reference, reference)
    assert_counts_equal([pair])
    assert ours([pair])[0, :4].sum() > levenshtein(*pair)


@pytest.mark.parametrize(
    ("size", "distance", "edits"),
    [
        (10, 20, [0, 0, 0, 1]),
        (11, 20, [0, 0, 0, 2]),  # a block has at most 10 words
        (1, 50, [0, 0, 0, 1]),
        (1, 51, [1, 1, 0, 0]),  # and moves by at most 50
    ],
)
def test_blocks_are_as_long_and_move_as_far_as_sacrebleus(size, distance, edits):
    block, others = ([f"{kind}{k}" for k in range(n)] for kind, n in (("b", size), ("o", distance)))
    pairs = [(others + block, block + others), (block + others, others + block)]
    assert_counts_equal(pairs)
    np.testing.assert_array_equal(ours(pairs)[:, :4], [edits] * 2)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "limit"),
    [
        ("aabaaaaaabbbabaaaaabbaabbbbb", "abbbaabbbabbaabaaaaababababa", 1001),
        ("babbbbabbbbbabbaabaaababaaab", "aabababababaaaaabbbbbaabbaba", 999),
    ],
)
def test_the_limit_of_shifts_is_sacrebleus(monkeypatch, hypothesis, reference, limit):
    """With one shift more, or one less, the edits of these texts would be others."""
    pair = (list(hypothesis), list(reference))
    assert_counts_equal([pair])
    monkeypatch.setattr(lib_ter, "_MAX_SHIFT_CANDIDATES", limit)
    assert theirs(*pair) != ours([pair])[0].tolist()


def frame(hypothesis, reference):
    return pd.DataFrame({"hypothesis": [hypothesis], "reference": [reference]}, dtype=object)


def features(hypothesis, reference, **options):
    transformer = TERComp(**options).set_output(transform="pandas")
    return transformer.fit_transform(frame(hypothesis, reference)).iloc[0]


def test_the_example_of_the_paper():
    # Snover et al. 2006, section 3: 1 shift ("this week"), 2 substitutions ("the saudis") and
    # "american" to be inserted, which is a deletion of the translator's: 4/13.
    found = features(
        "THIS WEEK THE SAUDIS denied information published in the new york times",
        "SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times",
    )
    assert found[EDITS].tolist() == [0, 1, 2, 1]
    assert found["ter_edits"] == 4
    assert found["ter_hypothesis_length"] == 12
    assert found["ter_reference_length"] == 13
    assert found["ter_deletion_rate"] == found["ter_shift_rate"] == 1 / 13
    assert found["ter_substitution_rate"] == 2 / 13
    assert found["ter_insertion_rate"] == 0
    assert found["ter_score"] == pytest.approx(-400 / 13)


def test_insertions_are_words_missing_in_the_reference():
    assert features("a b c", "a c")[EDITS].tolist() == [1, 0, 0, 0]
    assert features("a c", "a b c")[EDITS].tolist() == [0, 1, 0, 0]


def test_several_references():
    """Fewest edits; the first of equal ones; the mean length."""
    assert features("a b", ["x y z", "a b c", "a"])[EDITS].tolist() == [0, 1, 0, 0]
    found = features("a b", ["x y z", "a", "a b c", "b"])
    assert found[EDITS].tolist() == [1, 0, 0, 0]
    assert found["ter_reference_length"] == 2
    assert found["ter_insertion_rate"] == 0.5
    assert found["ter_score"] == -50
    assert features("a b", ["c", ""])[EDITS].tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "edits", "score"),
    [
        ("", "", [0, 0, 0, 0], 0),
        (" ", "a b", [0, 2, 0, 0], -100),
        ("a b", "\n", [2, 0, 0, 0], -100),
        ("a b c", ["", ""], [3, 0, 0, 0], -100),
        ("a b c", "d", [2, 0, 1, 0], -300),
        ("a b", "a b", [0, 0, 0, 0], 0),
    ],
)
def test_empty_texts_and_bounds(hypothesis, reference, edits, score):
    found = features(hypothesis, reference)
    assert found[EDITS].tolist() == edits
    assert found["ter_score"] == score
    assert np.signbit(found["ter_score"]) == (score < 0)  # no -0.0
    if not "".join(reference).strip():
        assert found.filter(like="_rate").tolist() == [0] * 4


def test_options_change_tokens():
    def edits(**options):
        return features("Well, 日本。", "well 日 本", **options)["ter_edits"]

    assert edits() == 3  # "well," and "日本。" against three words
    assert edits(no_punct=True) == 2
    assert edits(normalized=True) == 2  # "," is a word
    assert edits(no_punct=True, case_sensitive=True) == 3
    assert edits(no_punct=True, normalized=True, asian_support=True) == 0


def test_the_compiled_kernel_is_its_python_self(monkeypatch):
    rng = np.random.default_rng(0)
    sizes = rng.integers(0, 12, size=36)
    texts = [" ".join(rng.choice(["a", "b", "c", "d"], size=size)) for size in sizes]
    sets = [((texts[3 * k], texts[3 * k + 1]), texts[3 * k + 2 : 3 * k + 4]) for k in range(11)]
    expected = ter_counts(sets)
    assert expected[:, 3].any()
    for name, value in list(vars(_ter_kernel).items()):
        if hasattr(value, "py_func"):
            monkeypatch.setattr(_ter_kernel, name, value.py_func)
    np.testing.assert_array_equal(ter_counts(sets), expected)


def test_names(sample):
    assert list(TERComp().fit(sample[0]).get_feature_names_out()) == [
        "ter_insertions", "ter_deletions", "ter_substitutions", "ter_shifts", "ter_edits",
        "ter_hypothesis_length", "ter_reference_length", "ter_insertion_rate",
        "ter_deletion_rate", "ter_substitution_rate", "ter_shift_rate", "ter_score",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["normalized", "no_punct", "asian_support", "case_sensitive"])
@pytest.mark.parametrize("value", [1, None, "yes"])
def test_bad_options(sample, name, value):
    with pytest.raises(ValueError, match=f"{name} must be True or False, found {value!r}"):
        TERComp(**{name: value}).fit(sample[0])
