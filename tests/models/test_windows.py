"""What the length of a text must not change: ready-made models on texts of 2 to 40 sentences.

Lines of the sample that follow each other are joined, and what is plainly worse is made of them.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from encoder_model import multilingual_model

from sklearn_mteval import load_pretrained
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.models import rank_candidates, score_candidates
from sklearn_mteval.pairwise import Windowed
from sklearn_mteval.text.sentences import sentences

LENGTHS = (2, 3, 5, 12, 40)
BY_LOSS = ("half", "two thirds", "one missing")
WITH_ENCODER = ("encoder-en", "any-encoder", "no-reference-encoder")
MODELS = [
    "static-en", "any", *(pytest.param(name, marks=pytest.mark.slow) for name in WITH_ENCODER),
]  # fmt: skip
SYSTEM, OTHERS = "online", ("neural", "rule")

X, _ = load_sample(return_X_y=True)
LINES = X.groupby("segment")[["source", "reference"]].first()
for whose in (SYSTEM, *OTHERS):
    LINES[whose] = X.xs(whose, level="system")["hypothesis"]


@cache
def model(name):
    encoder = multilingual_model() if name in WITH_ENCODER[1:] else None
    return load_pretrained(name, encoder=encoder)


def joined(lines, between=" "):
    return between.join(lines)


def drawn(k, n=3):
    """Return n times k lines that follow each other."""
    starts = np.linspace(0, len(LINES) - k, n).astype(int)
    return [LINES.iloc[start : start + k] for start in starts]


def worse(lines, other):
    """Make of a text, given as its lines, what it should beat, by name."""
    k, middle = len(lines), len(lines) // 2
    left, right = lines[:middle], lines[middle + 1 :]
    found = {
        "half": left,
        "two thirds": lines[: 2 * k // 3],
        "doubled": [*lines, *lines],
        "one of another text": [*left, other, *right],
    }
    if k > 2:
        found["one missing"] = [*left, *right]
        found["two exchanged"] = [*left[:-1], lines[middle], left[-1], *right]
    return {name: joined(made) for name, made in found.items()}


def table(rows):
    """Make a candidate table of rows (segment, system, source, reference, hypothesis)."""
    names = ["segment", "system", "source", "reference", "hypothesis"]
    return pd.DataFrame(list(rows), columns=names).set_index(names[:2])


@cache
def judged(name, target="en"):
    """Judge texts beside what is made of them and two systems' texts; return whole and variant."""
    source, reference = ("source", "reference") if target == "en" else ("reference", "source")
    others, made_of = (OTHERS, (reference, SYSTEM)) if target == "en" else ((), (reference,))
    rows, labels = [], []
    for k in LENGTHS:
        for lines in drawn(k):
            texts = {column: joined(lines[column]) for column in lines}
            away = LINES.iloc[(LINES.index.get_loc(lines.index[0]) + 64) % len(LINES)]
            for of in made_of:
                for variant, made in worse(list(lines[of]), away[of]).items():
                    beside = {"whole": texts[of], "variant": made}
                    beside |= {system: texts[system] for system in others}
                    given = texts[source], texts[reference]
                    rows += [(len(labels), whose, *given, text) for whose, text in beside.items()]
                    labels.append((k, of if of == SYSTEM else "reference", variant))
    ranked = rank_candidates(model(name), table(rows))
    labels = pd.MultiIndex.from_tuples(labels, names=["k", "of", "variant"])
    return [ranked.xs(which, level="system").set_axis(labels) for which in ("whole", "variant")]


def targets(name):
    """Return the languages of the sample that a model judges translations into."""
    return ("en",) if name.endswith("-en") else ("en", "de")


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_the_whole_beats_what_is_made_of_it(name):
    for target in targets(name):
        whole, variant = judged(name, target)
        order = whole.index.get_level_values("variant") == "two exchanged"  # it must not win
        for ahead in (whole["score"] - variant["score"], variant["rank"] - whole["rank"]):
            fine = (ahead > 0) | (order & (ahead == 0))
            assert fine.mean() >= 0.98, fine.index[~fine].tolist()


@pytest.mark.parametrize("name", MODELS)
def test_the_reference_itself_is_not_beaten_by_loss(name):
    for target in targets(name):
        whole, variant = judged(name, target)
        of, made = (whole.index.get_level_values(level) for level in ("of", "variant"))
        some = (of == "reference") & made.isin(BY_LOSS)
        assert some.sum() > 30
        assert (whole["score"] >= variant["score"])[some].all()
        assert (whole["rank"] <= variant["rank"])[some].all()


@pytest.mark.parametrize("name", MODELS)
def test_parts_of_equal_quality_have_their_mean_together(name):
    single = table(
        (k, SYSTEM, line["source"], line["reference"], line[SYSTEM])
        for k, (_, line) in enumerate(LINES.iterrows())
    )
    score = score_candidates(model(name), single).to_numpy()
    order = np.argsort(score, kind="stable")
    for k in LENGTHS:
        for start in np.linspace(0, len(order) - k, 4).astype(int):
            some = order[start : start + k]
            lines = LINES.iloc[some]
            whole = (joined(lines[column]) for column in ("source", "reference", SYSTEM))
            found = score_candidates(model(name), table([(0, SYSTEM, *whole)])).item()
            weights = [len(text) for text in lines[anchor_of(name)]]
            assert found == pytest.approx(np.average(score[some], weights=weights), abs=0.05)


def anchor_of(name):
    return model(name).anchor


@pytest.mark.parametrize("name", MODELS)
def test_length_does_not_lower_the_reference_itself(name):
    whole, _ = judged(name)
    means = whole["score"].groupby(["of", "k"]).mean()
    for of in ("reference", SYSTEM):
        assert np.ptp(means[of]) < 0.3
    assert (means["reference"] > means[SYSTEM]).all() or anchor_of(name) == "source"


@pytest.mark.parametrize("name", MODELS)
def test_whitespace_between_sentences_changes_no_bit(name):
    lines, columns, expected = LINES.iloc[20:27], ("source", "reference"), None
    for between in (" ", "  ", "\n", "\n\n"):
        given = [joined(lines[column], between) for column in columns]
        rows = [(1, system, *given, joined(lines[system], between)) for system in (SYSTEM, *OTHERS)]
        found = rank_candidates(model(name), table(rows)).to_numpy().tolist()
        expected = expected or found
        assert found == expected


@pytest.mark.parametrize("name", MODELS)
def test_neighbours_change_no_bit(name):
    """Nor does a short text's score change beside a long one."""
    rows = []
    for k, lines in enumerate(drawn(3)):
        given = (joined(lines["source"]), joined(lines["reference"]))
        rows += [(k, system, *given, joined(lines[system])) for system in (SYSTEM, *OTHERS)]
        rows.append((k, "short", *given, lines[SYSTEM].iloc[1]))
        line = lines.iloc[0]
        rows += [(9 + k, system, *line[["source", "reference"]], line[system]) for system in OTHERS]
        rows.append((9 + k, "long", *line[["source", "reference"]], joined(lines[SYSTEM])))
    texts = table(rows)
    expected = rank_candidates(model(name), texts)
    for row in range(len(texts)):
        alone = score_candidates(model(name), texts.iloc[[row]]).item()
        same = pytest.approx(expected["score"].iloc[row], abs=1e-5 * (name in WITH_ENCODER))
        assert alone == (same if name in WITH_ENCODER else expected["score"].iloc[row])
    some = texts.index.get_level_values("segment").isin((1, 10))
    found = rank_candidates(model(name), texts[some].iloc[::-1]).loc[texts.index[some]]
    tolerance = {"atol": 1e-5, "rtol": 0} if name in WITH_ENCODER else {"check_exact": True}
    pd.testing.assert_frame_equal(found, expected[some], **tolerance)


@pytest.mark.parametrize("name", MODELS)
def test_one_sentence_has_the_bits_of_the_model_within(name):
    whole = model(name)
    assert isinstance(whole, Windowed)
    some = LINES[LINES.map(lambda text: len(sentences(text)) == 1).all(axis=1)].iloc[:20]
    texts = table(
        (k, system, line["source"], line["reference"], line[system])
        for k, line in some.iterrows()
        for system in (SYSTEM, *OTHERS)
    )
    found, expected = (rank_candidates(one, texts) for one in (whole, whole.ranker_))
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
