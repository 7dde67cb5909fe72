"""A model that is asked about one translation at a time says what it says of many at once."""

import gc
import math
import os
import random
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest

from sklearn_mteval import models
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.exceptions import CandidateError, ModelFolderError
from sklearn_mteval.features.content import flags
from sklearn_mteval.persistence import save_model


@pytest.fixture(scope="module")
def rows():
    """Return distinct (source, reference, translation), the last with two sentences."""
    X, _ = load_sample(return_X_y=True)
    rows = list(X.iloc[:40].itertuples(index=False, name=None))
    assert list(X.columns) == ["source", "reference", "hypothesis"]
    first, second = rows[0], rows[7]
    return [*dict.fromkeys(rows), tuple(f"{a} {b}" for a, b in zip(first, second, strict=True))]


@pytest.fixture(scope="module", params=["static-en", "any"])
def name(request):
    """Name a ready-made model."""
    return request.param


@pytest.fixture(scope="module")
def model(name):
    """Load it."""
    return models.load(name)


def asked(model, row):
    """Score one row."""
    source, reference, translation = row
    return model.score(translation, reference=reference, source=source)


def test_scores_are_those_of_lists_to_the_bit(rows, model, name):
    sources, references, translations = zip(*rows, strict=True)
    expected = models.score(sources, translations, references, model=name)["score"].tolist()
    assert [asked(model, row) for row in rows] == expected
    assert len(set(expected)) > 30
    several = [references[0], references[3]]
    expected = models.score(sources[:1], translations[:1], [several], model=name).to_numpy()[0, 0]
    assert model.score(translations[0], reference=several, source=sources[0]) == expected


def test_ranks_are_those_of_lists(rows, model, name):
    source, reference, _ = rows[0]
    texts = [row[2] for row in rows[:4]] + [rows[0][2]]
    systems = {str(k): [text] for k, text in enumerate(texts)}
    expected = models.rank([source], systems, [reference], model=name)["rank"].tolist()
    assert model.rank(texts, reference=reference, source=source) == expected
    assert expected[0] == expected[-1] == min(expected)


def test_without_a_source_it_is_empty(rows, model, name):
    _, reference, translation = rows[0]
    expected = models.score(None, [translation], [reference], model=name).to_numpy()[0, 0]
    assert model.score(translation, reference=reference) == expected
    assert model.score(translation, reference=reference, source="") == expected


def test_eight_threads_are_told_what_one_is(rows, model):
    alone = [asked(model, row) for row in rows]
    order = [k * 17 % len(rows) for k in range(3 * len(rows))]  # 17 is prime
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: asked(model, rows[k]), order))
        ranks = list(pool.map(lambda row: model.rank([row[2], "No."], reference=row[1]), rows))
    assert found == [alone[k] for k in order]
    assert ranks == [model.rank([row[2], "No."], reference=row[1]) for row in rows]


@pytest.mark.slow  # tracemalloc
@pytest.mark.filterwarnings("ignore:.*wider than 900 letters")
def test_memory_does_not_grow_with_what_is_asked(model, monkeypatch):
    monkeypatch.setattr(flags, "_MOST_KEPT", 8)
    words = "Constantinople notwithstanding unintelligible internationally 17".split()  # noqa: SIM905
    generator = random.Random(0)

    def ask(n):
        for _ in range(n):  # texts that nobody has seen, of words that are known
            texts = (" ".join(generator.choices(words, k=200)) for _ in range(3))
            model.score(next(texts), reference=next(texts), source=next(texts))

    ask(20)
    tracemalloc.start()
    try:
        ask(20)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        ask(60)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 60 * 1800  # one of three texts that is kept has 2,400 characters


def test_empty_and_blank_texts(model):
    whole = model.score("The dog barks.", reference="The dog barks.")
    assert -1 <= model.score("", reference="The dog barks.") < whole <= 1
    assert math.isnan(model.score(" ", reference="", source=" "))


BAD = {
    "a number": ({"translation": 1, "reference": "x"}, "translation must be a text, found 1"),
    "nothing": ({"translation": None, "reference": "x"}, "translation must be a text, found None"),
    "bytes": ({"translation": "x", "reference": b"x"}, "reference must be a text or a list of tex"),
    "no references": ({"translation": "x", "reference": []}, "reference must be a text or a list"),
    "a list as source": (
        {"translation": "x", "reference": "x", "source": ["x"]}, "source must be a text, found",
    ),
    "a reference is missing": ({"translation": "x", "source": "x"}, "needs a reference: give ref"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_text_is_refused(model, case):
    texts, message = dict(BAD[case][0]), BAD[case][1]
    with pytest.raises(CandidateError, match=message):
        model.score(**texts)
    translation = texts.pop("translation")
    with pytest.raises(CandidateError, match=message):
        model.rank([translation, "x"], **texts)


@pytest.mark.parametrize("few", [[], ["x"], "xy", None])
def test_ranks_are_of_two_or_more(model, few):
    with pytest.raises(CandidateError, match="list of two texts or more, found"):
        model.rank(few, reference="x")


def test_a_model_of_ones_own(tmp_path, rows):
    X, y = load_sample(return_X_y=True)
    fitted = models.bleu_pipeline().fit(X[100:], y[100:])
    save_model(fitted, tmp_path / "mine")
    expected = models.score_candidates(fitted, X[:5]).tolist()
    for own in (models.load(tmp_path / "mine"), models.load(fitted)):
        assert [asked(own, row) for row in rows[:5]] == expected
        with pytest.raises(CandidateError, match="one column 'reference', found 0"):
            own.score("x")
    with pytest.raises(ModelFolderError, match="there is no folder 'statik-en'"):
        models.load("statik-en")


@pytest.mark.slow
def test_no_kernel_is_compiled_after_loading(name, tmp_path):
    """A service would stand still for seconds, in the middle of its work."""
    code = f"""
from sklearn_mteval import models
from sklearn_mteval._helpers import _interpreted, compiled
def interpreted(kernel):
    raise AssertionError(f"{{kernel}} is interpreted, and compiled later")
_interpreted._plain = interpreted
model = models.load({name!r})
compiled.on_compiling = lambda: print("compiling")
for translation in ("A dog barks.", "", "The dog barked. It is one of 7 dogs, and \u72d7."):
    for given in ({{"reference": "The dog barks."}}, {{"reference": ["Ein Hund.", "Kein Hund."]}}):
        model.score(translation, source="Der Hund bellt.", **given)
        model.score(translation, **given)
        model.rank([translation, "It is one."], source="Der Hund bellt.", **given)
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("", "")
