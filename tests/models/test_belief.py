"""How far to believe a model: which measurement is told, and in which words."""

import importlib.util
import textwrap
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.features import MetricScores
from sklearn_mteval.models import belief as module
from sklearn_mteval.models.belief import Measured, belief, belief_line, languages_of, measurements
from sklearn_mteval.models.cards import READY_MADE
from sklearn_mteval.persistence import save_model

NAN = float("nan")
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "agreement_table.py"


def measured(pair, kind, year, *, pairs=1000, by="score", annotators=0.7):
    numbers = (60, pairs, 0.625, 0.58, 0.667, 0.6, annotators)
    return Measured(f"set{year}", pair, kind, year, "any", by, *numbers)


TABLE = (
    measured("de-en", "news", 2012),
    measured("zh-en", "news", 2023),
    measured("zh-en", "manuals", 2023, pairs=2000),
    measured("en-de", "news", 2020, annotators=NAN),
    measured("en-de", "abstracts", 2021, annotators=NAN),
    measured("en-cs", "speech", 2024, pairs=50),
    measured("en-cs", "reviews", 2024, pairs=70),
    measured("en-cs", "news", 2012, by="strength"),
)


@pytest.fixture
def table(monkeypatch):
    monkeypatch.setattr(module, "measurements", lambda: TABLE)


@pytest.mark.parametrize(
    ("languages", "kind", "place"),
    [
        (("de", "en"), None, 0),  # the pair comes before the year
        (("fr", "en"), None, 1),  # of one year, news before what is larger
        (("fr", "en"), "manuals", 2),
        ((None, "de"), "news", 3),  # the kind comes before the year
        (("en", "de"), None, 4),
        (("en", "cs"), None, 6),  # without news, the largest
        (("en", "is"), None, 6),  # another language: the source counts, then the year
        (("zh", "is"), None, 1),
        (("", ""), None, 6),
    ],
)
def test_the_nearest_is_told(table, languages, kind, place):
    assert belief("any", languages=languages, kind=kind) == TABLE[place]


def test_ranks_are_measured_by_themselves(table):
    assert belief("any", languages=("zh", "en"), by="strength") == TABLE[-1]
    assert belief("static-en") is None


def test_the_sentence_says_where_how_far_and_beside_what(table):
    assert belief_line("any", languages=("de", "en")) == (
        "How far to believe it: on de-en news of 2012 scores agree with annotators in 62 % "
        "[58, 67] of pairs, chrF 60 %, annotators with each other 70 %, chance 50 %."
    )
    assert belief_line("any", languages=("", "de"), kind="news") == (
        "How far to believe it: on en-de news of 2020 scores agree with annotators in 62 % "
        "[58, 67] of pairs, chrF 60 %, chance 50 %."
    )


@pytest.mark.parametrize(
    ("languages", "kind", "unknown"),
    [
        (("fr", "en"), None, "is unknown for fr-en; on zh-en news"),
        (("en", "is"), None, "is unknown for en-is; on en-cs reviews"),
        ((None, "is"), None, "is unknown for texts in 'is'; on en-cs reviews"),
        ((None, None), None, "is unknown here; on en-cs reviews"),
        (("en", "de"), "speech", "is unknown for speech; on en-de abstracts"),
    ],
)
def test_what_is_unknown_is_said(table, languages, kind, unknown):
    line = belief_line("any", languages=languages, kind=kind)
    assert line.startswith(f"How far to believe it {unknown} of 20")


def test_models_of_which_nothing_is_known(table, tmp_path):
    not_measured = belief_line("static-en")
    assert not_measured.startswith("How far this model agrees with annotators was not measured; ")
    assert belief_line(tmp_path / "nothing") == not_measured


def test_a_trained_model_says_what_was_held_out(tmp_path):
    model = MetricScores(("chrf",)).fit(texts(reference=["a", "b"], hypothesis=["a", "b"]))
    said = {"pair_accuracy": 0.7149, "held_out_pairs": 12345}
    save_model(model, tmp_path / "mine", scores=said)
    assert belief_line(tmp_path / "mine") == (
        "How far to believe it: it agreed with annotators in 71 % of 12,345 pairs held out from "
        "its training, chance 50 %. Of other texts this says little."
    )
    for place, scores in enumerate([{}, said | {"pair_accuracy": "0.7"}, {"pair_accuracy": 0.5}]):
        save_model(model, tmp_path / f"{place}", scores=scores)
        assert "was not measured" in belief_line(tmp_path / f"{place}")


def texts(**columns):
    index = pd.MultiIndex.from_product([[1, 2], ["a"]], names=["segment", "system"])
    return pd.DataFrame(columns, index)


def test_languages_are_told_by_the_texts_or_by_who_calls():
    english = ["The house was sold to them last year.", "They did not know that it was there."]
    german = ["Das Haus wurde ihnen voriges Jahr verkauft.", "Sie wussten nicht, dass es da ist."]
    X = texts(source=german, reference=[english, english], hypothesis=["", ""])
    assert languages_of(X) == ("de", "en")
    assert languages_of(X.drop(columns="source")) == ("", "en")
    assert languages_of(texts(hypothesis=german)) == ("", "de")
    assert languages_of(texts(source=["", ""], hypothesis=["", ""])) == ("", "")
    assert languages_of(X, "en-zh_TW") == languages_of(X, "en_US-zh") == ("en", "zh")


def test_without_the_extra_english_is_told(monkeypatch):
    def missing(lines):
        raise module.MissingExtraError("py3langid")

    monkeypatch.setattr(module, "language_of", missing)
    english = ["The house was sold to them last year.", "They did not know that it was there."]
    german = ["Das Haus wurde ihnen voriges Jahr verkauft.", "Sie wussten nicht, dass es da ist."]
    assert languages_of(texts(source=german, hypothesis=english)) == ("", "en")
    assert languages_of(texts(hypothesis=["", " "])) == ("", "")


def test_what_ships_is_in_its_range_and_never_of_what_a_model_was_trained_on():
    assert len({row[:6] for row in measurements()}) == len(measurements()) > 75
    assert {row.model for row in measurements()} >= {"static-en", "any", "encoder-en"}
    for row in measurements():
        assert f"{row.campaign} {row.pair}" not in READY_MADE[row.model].trained_on
        assert 0.4 < row.low <= row.agreement <= row.high < 1
        assert 0.4 < row.chrf < 0.8 and not row.annotators > 0.9
        assert row.pairs > row.segments >= 10
        assert row.by in ("score", "strength")


@pytest.mark.parametrize("name", sorted({row.model for row in measurements()}))
def test_each_model_has_a_line_of_two_lines_for_each_language(name):
    rows = [row for row in measurements() if row.model == name]
    found = {row.pair for row in rows}
    for pair, by in product(found, ("score", "strength")):
        line = belief_line(name, languages=tuple(pair.split("-")), by=by)
        assert line.startswith("How far to believe it: on " + pair)
    for row, languages in product(rows, [("is", "en"), ("", "is"), ("", ""), ("en", "de")]):
        line = belief_line(name, languages=languages, kind=row.kind, by=row.by)
        assert len(textwrap.wrap(line, 96, subsequent_indent="  ")) <= 2


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPT.parent)
    spec = importlib.util.spec_from_file_location("agreement_table", SCRIPT)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_cards_hold_what_ships(script):
    table = pd.DataFrame(measurements())
    for name, card in READY_MADE.items():
        section = script.card_section(name, table)
        assert section in (card.files / "README.md").read_text(encoding="utf-8")
        assert section.count("\n| ") == 1 + table[table["model"] == name]["kind"].nunique() or (
            section == ""
        )


def test_the_script_counts_pairs_as_loops_do(script):
    """The figure of chrF, and of two annotators, on a small set."""
    rng = np.random.default_rng(0)
    words = ["the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat"]
    keys = [(s, a, f"system{k}") for s in range(30) for a in ("x", "y") for k in range(4)]
    index = pd.MultiIndex.from_tuples(keys, names=["segment", "ranking", "system"])
    y = pd.Series(rng.integers(1, 4, len(keys)), index, dtype=float)
    text = {(s, k): " ".join(rng.choice(words, 5)) for s, _, k in keys}
    X = pd.DataFrame({"hypothesis": [text[s, k] for s, _, k in keys]}, index)
    X["reference"] = "the cat sat on the mat"
    chrf = pd.Series(MetricScores(("chrf",)).fit_transform(X)[:, 0], index)
    right = asked = agreed = asked_twice = pairs = 0
    for s, a, one in keys:
        other_annotator = {"x": "y", "y": "x"}[a]
        for k in range(4):
            other = f"system{k}"
            if not y[s, a, one] < y[s, a, other]:
                continue
            better, worse = chrf[s, a, one], chrf[s, a, other]
            right += 1 if better > worse else 0.5 if better == worse else 0
            asked += 1
            if text[s, one] != text[s, other]:
                drop = y[s, other_annotator, other] - y[s, other_annotator, one]
                agreed += (np.sign(drop) + 1) / 2
                asked_twice += 1
    assert script.agreement(y, chrf) == pytest.approx(right / asked)
    found, pairs = script.agreement_of_annotators(
        y, y.index.get_level_values("ranking"), X["hypothesis"]
    )
    assert found == pytest.approx(agreed / asked_twice)
    assert asked_twice / 2 <= pairs <= asked_twice
