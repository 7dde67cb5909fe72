"""Pages from Python: of each kind of result, with and without its data."""

import re

import pandas as pd
import pytest

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.evaluation import (
    challenge,
    collect_scores,
    compare_metrics,
    evaluate_metrics,
    leaderboard,
)
from sklearn_mteval.models import bleu_pipeline, rank_candidates, score_candidates
from sklearn_mteval.report import html_report

FEW = {"n_resamples": 20, "n_permutations": 20}


@pytest.fixture(scope="module")
def asked():
    """A model, and segments that it has not seen."""
    X, y = load_sample(return_X_y=True)
    levels = [name for name in X.index.names if name not in ("segment", "system")]
    first = X.index.get_level_values("segment").isin(X.index.unique("segment")[:10])
    return bleu_pipeline().fit(X[~first], y[~first]), X[first].droplevel(levels), y[first]


def first_of_all(text):
    """Check that a page begins with a sentence and a picture of it, and return the sentence."""
    summary = text[text.index('<section id="summary"') :]
    (answer,) = re.findall(r'<p dir="auto" class="answer">([^<]*)</p>', summary)
    places = [summary.index(part) for part in ('class="answer"', "<svg", "</svg>", "</section>")]
    assert places == sorted(places) and 'role="img" aria-label="' in summary
    assert summary.count('<p dir="auto">', 0, places[1]) == 0
    return answer


def headings(text):
    return re.findall(r"<h2[^>]*>([^<]*)", text)


ALL = ["Summary", "Tables", "Plots", "Themes", "Segments", "How it was made"]


@pytest.mark.parametrize("find", [rank_candidates, score_candidates])
def test_ranks_and_scores(asked, find):
    model, X, _ = asked
    text = html_report(find(model, X), X, name="mine", model=model)
    assert headings(text) == [*ALL[:4], "Duel", *ALL[4:]] and "by mine</h1>" in text
    assert re.search(r"cannot be told apart from|is better than", first_of_all(text))
    with pytest.raises(ValueError, match="pass the candidate table"):
        html_report(find(model, X))


def test_results_on_judgements(judged):
    scores = collect_scores(judged, metrics=["chrf", "bleu"])
    for function, options in ((evaluate_metrics, FEW), (compare_metrics, FEW)):
        found = function(judged.y, scores, **options)
        assert headings(html_report(found, judged, scores, title="Cats & dogs")) == ALL
        bare = html_report(found)
        assert headings(bare) == [name for name in ALL if name not in ("Segments", "Themes")]
        first_of_all(bare)
    found = leaderboard(judged.X, judged.y, n_resamples=20)
    text = html_report(found, judged)
    assert headings(text) == [name for name in ALL if name != "Plots"]  # the picture is enough
    assert "is better than" in first_of_all(text) and '<h1 dir="auto">Leaderboard</h1>' in text


def test_a_challenge(asked):
    model, X, _ = asked
    found = challenge(model, X, kinds=["empty"], n_segments=3)
    text = html_report(found, X)
    assert headings(text) == [name for name in ALL if name not in ("Plots", "Themes")]
    assert "prefers the sound translation" in first_of_all(text)


def test_empty_lines_and_flags_are_warned_of(judged):
    texts = judged.translations.copy()
    texts.loc[pd.IndexSlice["s0", "A"], "hypothesis"] = ""
    found = leaderboard(judged.X, judged.y, n_resamples=20)
    text = html_report(found, judged._replace(translations=texts))
    warned = re.search(r'<div class="warnings".*?</div>', text, re.DOTALL)[0]
    assert "Empty lines: 1 of 12 of &#39;A&#39;" in warned


def test_what_is_no_result():
    with pytest.raises(TypeError, match="found must be a result"):
        html_report({"a": 1})
