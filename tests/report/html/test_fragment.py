"""What notebooks show: every kind of object, hostile names, long tables, plain and untrusted."""

import gc
import pickle
import re
import weakref
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils import Bunch

from sklearn_mteval import RankRecomposer, SegmentKFold, make_ranking_pipeline
from sklearn_mteval.datasets import load_judgements, load_sample
from sklearn_mteval.datasets._loaded import Loaded
from sklearn_mteval.evaluation import (
    compare_metrics,
    decision_table,
    evaluate_metrics,
    leaderboard,
    metrics_task,
)
from sklearn_mteval.evaluation.challenges import Challenge
from sklearn_mteval.models import bleu_pipeline, explain, rank_candidates, score_candidates
from sklearn_mteval.pairwise.fitted_facts import fitted_facts
from sklearn_mteval.report import report_text
from sklearn_mteval.report.html.fragment import bundle_of, text_of, view_of
from sklearn_mteval.trees import read_brackets

HOSTILE = [
    "<script>alert(1)</script>", "</pre></div><img src=x onerror=alert(1)>", "javascript:alert(1)",
    "\u202emirrored", "esc\x1b[2J", "]]>--><!--", "{{ 7 * 7 }}", "x" * 100_000, "&lt;b&gt;",
    "`|`\\",
]  # fmt: skip
VOID = {"br", "img", "hr", "input", "meta", "link", "line", "path", "circle"}


class Tags(HTMLParser):
    """The tags of a text, which must be closed in order, and what stands between them."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.names, self.texts, self.open = set(), [], []
        self.feed(html)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, name, attributes):
        self.names.add(name)
        assert not any(key.startswith("on") for key, _ in attributes)
        if name not in VOID:
            self.open.append(name)

    def handle_startendtag(self, name, attributes):
        self.names.add(name)

    def handle_endtag(self, name):
        if name not in VOID:
            assert self.open.pop() == name

    def handle_data(self, text):
        self.texts.append(text)


OURS = {
    "div", "style", "pre", "p", "strong", "table", "caption", "thead", "tbody", "tr", "th", "td",
    "details", "summary", "span", "code", "svg", "line", "text", "figure", "figcaption", "title",
    "g", "tspan", "circle", "path", "rect", "polyline", "polygon",
}  # fmt: skip


def rows_of(n_segments, systems):
    return pd.MultiIndex.from_product([range(n_segments), systems], names=["segment", "system"])


def checked(found):
    """Return the bundle of an object; its HTML has only tags of ours, all closed."""
    bundle = found._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/markdown", "text/html"}
    tags = Tags(bundle["text/html"])
    assert tags.names <= OURS
    for text in bundle.values():
        assert text.encode("utf-8")
        assert "\u202e" not in text
    assert found._repr_html_() == bundle["text/html"]
    assert found._repr_markdown_() == bundle["text/markdown"]
    assert "<script" not in bundle["text/markdown"]
    return bundle


@pytest.fixture(scope="module")
def scored():
    rows = rows_of(40, ["A", "B", "C"])
    scores = {"good": [9, 7, 4] * 40, "bad": [1, 2, 0] * 40}
    return pd.Series([0, 1, 5] * 40, index=rows), pd.DataFrame(scores, index=rows)


@pytest.fixture(scope="module")
def results(scored):
    options = {"n_resamples": 20, "n_permutations": 99}
    y, scores = scored
    return {
        "evaluation": evaluate_metrics(y, scores, **options),
        "comparison": compare_metrics(y, scores, **options),
        "task": metrics_task({"de-en": (y, scores)}, n_permutations=99),
        "leaderboard": leaderboard(pd.DataFrame(index=y.index), y, n_resamples=20),
        "decision table": decision_table(scores["bad"], y, level="segment"),
    }


@pytest.mark.parametrize(
    "kind", ["evaluation", "comparison", "task", "leaderboard", "decision table"]
)
def test_results(results, kind):
    bundle = checked(results[kind])
    for table in bundle_of(results[kind])["text/markdown"].split("\n\n"):
        assert "nan" not in table
    assert bundle["text/html"].count("<table>") >= 1


def test_a_result_is_its_report_at_the_terminal(results):
    for name in ("leaderboard", "comparison"):
        found = results[name]
        assert repr(found) == str(found) == report_text(found).removesuffix("\n")


def test_untrusted_notebooks_show_the_plain_text(results):
    """They drop the style: the plain text is then not hidden, and the rest is."""
    html = bundle_of(results["leaderboard"])["text/html"]
    plain = re.search(r'<pre class="mteval-plain">(.*?)</pre>', html, re.DOTALL)[1]
    assert "system  score" in plain
    assert '<div class="mteval-rich" hidden>' in html
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1]
    assert ".mteval-plain { display: none; }" in style
    assert ".mteval-rich { display: block !important;" in style
    assert "url(" not in style
    assert "@import" not in style


def test_at_most_200_rows_of_all_tables():
    rng, names = np.random.default_rng(0), [f"s{k}" for k in range(250)]
    index = rows_of(4, names)
    y = np.array([rng.permutation(250) / 7 for _ in range(4)]).ravel()
    found = leaderboard(pd.DataFrame(index=index), y, by="mean", n_resamples=20)
    bundle = checked(found)
    assert bundle["text/html"].count("<tr>") == 201
    assert "… and 50 more rows" in bundle["text/html"]
    assert "… and 50 more rows" in bundle["text/markdown"]
    assert "… and 50 more rows" in bundle["text/plain"]
    assert len(repr(found).splitlines()) < 230


def test_hostile_names():
    index = rows_of(12, HOSTILE)
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"hypothesis": HOSTILE * 12, "source": HOSTILE * 12}, index=index)
    y = pd.Series(rng.permuted(np.tile(np.arange(10.0), (12, 1)), axis=1).ravel(), index)
    bundle = checked(leaderboard(X, y, n_resamples=5))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in bundle["text/html"]
    assert "49" not in re.findall(r"<th[^>]*>(.*?)</th>", bundle["text/html"])
    assert max(map(len, bundle.values())) < 200_000


def test_hostile_texts():
    texts = pd.Series(
        [*HOSTILE, "lone \ud800", None, np.nan, ["several", HOSTILE[0]]], dtype=object
    )
    index = rows_of(1, [f"s{k}" for k in range(len(texts))])
    X = pd.DataFrame({"hypothesis": texts.set_axis(index), "source": texts.set_axis(index)[::-1]})
    y = pd.Series(np.nan, index)
    bundle = checked(Loaded(X=X, y=y, DESCR=HOSTILE[1], warning=HOSTILE[0]))
    assert max(map(len, bundle.values())) < 50_000


def test_a_challenge_of_hostile_kinds():
    row = (30, 0, 30, 1.0, 0.89, 1.0)
    rows = {(kind, "alone", "mine"): row for kind in HOSTILE}
    index = pd.MultiIndex.from_tuples(rows, names=["kind", "setting", "judge"])
    columns = ["won", "tied", "n", "proportion", "low", "high"]
    table = pd.DataFrame(list(rows.values()), index=index, columns=columns)
    checked(Challenge(table, pd.DataFrame(), "mine", (), 0.95, "signature"))


def test_judgements_and_bunches(sample):
    found = load_sample()
    assert isinstance(found, Bunch)
    assert sorted(dir(found)) == ["DESCR", "X", "domains", "errors", "y"]
    bundle = checked(found)
    assert "| segments | 128 |" in bundle["text/markdown"]
    assert "First rows of 640" in bundle["text/html"]
    assert repr(found).startswith("{'X': ")
    again = pickle.loads(pickle.dumps(found))
    assert type(again) is type(found)
    assert again.X.equals(found.X)
    rows = pd.DataFrame({"segment": [1, 1], "system": ["A", "B"], "score": [80, 60]})
    judged = load_judgements(rows, better="higher")
    bundle = checked(judged)
    assert "There are 2 judged rows: translations by 2 systems of 1 segment." in bundle["text/html"]
    assert len(judged) == len(judged._fields)


def test_what_users_changed_of_a_bunch():
    found = load_sample()
    found.pop("X")
    found.extra = object()
    assert "It holds " in checked(found)["text/html"]
    found.clear()
    checked(found)


@pytest.fixture(scope="module")
def model(sample):
    X, y = sample
    return bleu_pipeline().fit(X[:200], y[:200])


def test_ranks_show_the_first_segments(sample, model):
    X, _ = sample
    ranked = rank_candidates(model, X[200:])
    html = ranked._repr_html_()
    tags = Tags(html)
    assert tags.names <= OURS
    assert html.count("<details") == 5
    first = X.index.get_level_values("segment")[200]
    best = ranked.loc[first].sort_values("rank").index.tolist()
    shown = re.search(rf"<summary>segment {first}</summary>(.*?)</details>", html, re.DOTALL)[1]
    order = re.findall(r'<th scope="row"[^>]*>(.*?)</th>', shown)
    assert order == ["source", "reference", *best]
    assert f"rank {ranked.loc[first, 'rank'].max()}" in shown


def test_scores_show_the_first_segments(sample, model):
    X, _ = sample
    html = score_candidates(model, X[200:])._repr_html_()
    assert Tags(html).names <= OURS
    assert "score +0." in html


def test_ranks_stay_a_plain_table(sample, model):
    """Whatever is made of them is pandas' own, and is shown so."""
    ranked = rank_candidates(model, sample[0][200:])
    assert type(ranked) is pd.DataFrame
    assert list(ranked.columns) == ["rank", "strength", "score"]
    for made in (
        ranked.copy(),
        ranked.head(),
        ranked[ranked["rank"] == 1],
        pd.concat([ranked, ranked]),
        pickle.loads(pickle.dumps(ranked)),
    ):
        assert made._repr_html_().startswith("<div>\n<style scoped>")
    pd.testing.assert_frame_equal(ranked.copy(), ranked)
    assert "mteval-nb" in ranked._repr_html_()
    ranked["mine"] = 1
    assert ranked._repr_html_().startswith("<div>\n<style scoped>")


def test_ranks_changed_in_place_are_shown_as_pandas_does(sample, model):
    ranked = rank_candidates(model, sample[0][200:])
    ranked.iloc[0, 1] = 7.0
    assert ranked._repr_html_().startswith("<div>\n<style scoped>")


def test_ranks_are_freed_at_once(sample, model):
    ranked = rank_candidates(model, sample[0][200:])
    this = weakref.ref(ranked)
    gc.disable()
    try:
        del ranked
        assert this() is None
    finally:
        gc.enable()


def test_trees_are_drawn():
    [tree] = read_brackets("(S (NP (DT The) (NN <b>cat)) (VP (VBZ sleeps)))")
    html = checked(tree)["text/html"]
    assert re.findall(r'class="mteval-word">(.*?)<', html) == ["The", "&lt;b&gt;cat", "sleeps"]
    assert html.count("<polyline ") == 5  # one for each node but the root and the words
    words = re.findall(r'<text x="([\d.]+)" y="(\d+)" class="mteval-word"', html)
    assert [float(x) for x, _ in words] == sorted(float(x) for x, _ in words)
    assert len({y for _, y in words}) == 1


@pytest.mark.parametrize("brackets", ["()", "(X a)", "(A (B (C d)))"])
def test_small_trees(brackets):
    for tree in read_brackets(brackets):
        checked(tree)


def test_a_tree_of_many_nodes_is_text():
    [tree] = read_brackets("(S " + "(NN w) " * 5000 + ")")
    bundle = checked(tree)
    assert "<svg" not in bundle["text/html"]
    assert max(map(len, bundle.values())) < 100_000


def test_explanations():
    texts = {"A": "The dog does not bark.", "<b>": "The dog barks."}
    found = explain("Der Hund bellt nicht.", texts, "The dog is not barking.", model="static-en")
    bundle = checked(found)
    assert "A beats &lt;b&gt;" in bundle["text/html"]
    assert "negation: not " in bundle["text/html"]


def test_explanations_of_several_pairs_tell_one_pair_after_the_other():
    texts = {"B": "dogs", "C": "The dog barks.", "A": "The dog does not bark.", "Z": "a"}
    found = explain("Der Hund bellt nicht.", texts, "The dog is not barking.", model="static-en")
    table = view_of(found).report.tables[0]
    columns = [table.header.index(name) for name in ("first", "second", "value")]
    pairs, sizes = [], {}
    for row in table.rows:
        first, second, value = (row[k] for k in columns)
        pairs += [(first, second)] * (pairs[-1:] != [(first, second)])
        sizes.setdefault((first, second), []).append(abs(float(value)))
    assert pairs == list(found.pairs.index) and len(pairs) == 3
    assert all(some == sorted(some, reverse=True) for some in sizes.values())


def test_rankers_add_a_table_to_the_diagram(model):
    for estimator in (model, model[-1]):
        html = estimator._repr_html_()
        assert "sk-top-container" in html
        assert "PairDifference → LogisticRegression" in html
        assert "mteval-nb" in html
        assert estimator._repr_mimebundle_()["text/plain"] == repr(estimator)
        with config_context(display="text"):
            assert estimator._repr_html_() is None
            assert set(estimator._repr_mimebundle_()) == {"text/plain"}


def test_rankers_that_are_not_fitted():
    for estimator in (
        RankRecomposer(),
        make_ranking_pipeline(RankRecomposer()),
        make_ranking_pipeline(LogisticRegression()),
    ):
        assert "sk-top-container" in estimator._repr_html_()


def test_what_is_known_of_a_fitted_ranker(sample, model):
    _, y = sample
    facts = fitted_facts(model[-1])
    groups = y[:200].groupby(level="segment")
    pairs = sum(len(ranks) * (len(ranks) - 1) for _, ranks in groups)
    tied = sum((r.to_numpy()[:, None] == r.to_numpy()).sum() - len(r) for _, r in groups)
    assert facts["pairs"] == f"{pairs - tied:,} trained on, {tied:,} tied"
    assert facts["rankings"] == f"{len(groups):,} of 5 systems"
    assert facts["index levels"] == "segment, system"
    assert facts["leaks"].startswith("remembers these rankings")
    assert "segments cut" not in facts
    again = pickle.loads(pickle.dumps(model[-1]))
    assert fitted_facts(again)["leaks"].startswith("does not remember")


@pytest.mark.filterwarnings("ignore:cv=")
def test_classifiers_that_cut_segments_are_told():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=80)}, index=rows_of(20, list("ABCD")))
    for cv, told in ((3, True), (SegmentKFold(3), False)):
        stacked = StackingClassifier([("one", LogisticRegression())], cv=cv)
        facts = fitted_facts(RankRecomposer(stacked).fit(X, rng.permutation(80)))
        assert ("segments cut" in facts) == told


def test_text_of_a_result_is_cut():
    found = leaderboard(
        pd.DataFrame(index=rows_of(6, ["x" * 10_000, "B"])), [1, 2, 2, 1] * 3, n_resamples=5
    )
    assert max(map(len, text_of(found).splitlines())) < 3000
