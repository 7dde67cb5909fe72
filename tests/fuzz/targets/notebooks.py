"""What notebooks show of hostile names and texts: whole HTML, with no tag that data brought."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd

from fuzz import call, check, target
from sklearn_mteval._helpers.shown import show_segments
from sklearn_mteval.datasets._loaded import Loaded
from sklearn_mteval.evaluation.challenges import Challenge
from sklearn_mteval.report.html.fragment import bundle_of
from sklearn_mteval.trees import BracketTree

TAGS = {
    "div", "style", "pre", "p", "strong", "table", "caption", "thead", "tbody", "tr", "th", "td",
    "details", "summary", "span", "code", "figure", "figcaption", "svg", "g", "title", "line",
    "circle", "rect", "path", "polyline", "polygon", "text", "tspan",
}  # fmt: skip


class Tags(HTMLParser):
    """Checks tags as they come."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, name, attributes):
        check(name in TAGS, "a tag of ours", name)
        check(not any(key.startswith("on") or key in ("src", "href") for key, _ in attributes))
        self.open.append(name)

    def handle_startendtag(self, name, attributes):
        check(name in TAGS, "a tag of ours", name)

    def handle_endtag(self, name):
        check(self.open and self.open.pop() == name, "tags are closed in order", name)


def check_html(html):
    tags = Tags()
    tags.feed(html)
    tags.close()
    check(not tags.open, "all tags are closed", tags.open)
    check(html.isascii() or html.encode("utf-8"), "what can be written to a file")


def hostile(draw):
    """Draw a text, often one that is HTML."""
    tag = draw.one(["</pre>", "<script>", "</div></details>", "<!--", "<svg/onload=x>", "&#60;b>"])
    return draw.text() + tag * draw.chance() + draw.text()


def table(draw):
    """Draw candidates: their index and a table of texts, some of them missing or several."""
    n = draw.integer(1, 8)
    labels = pd.Index([f"{k}{hostile(draw)}" for k in range(n)], dtype=object)
    index = pd.MultiIndex(
        [pd.Index([hostile(draw)], dtype=object), labels],
        [np.zeros(n, dtype=int), np.arange(n)],
        names=["segment", "system"],
    )
    cells = [
        draw.one([hostile(draw), [hostile(draw), hostile(draw)], None, np.nan]) for _ in range(n)
    ]
    columns = {"hypothesis": [hostile(draw) for _ in range(n)], "source": cells}
    return pd.DataFrame(columns, index=index, dtype=object)


@target(weight=2)
def notebooks_show_data(draw):
    X = table(draw)
    found = Loaded(X=X, y=pd.Series(draw.numbers(len(X), ["normal", "large"]), X.index))
    found.update(DESCR=hostile(draw), warning=hostile(draw), lang_pair=hostile(draw))
    bundle = call(bundle_of, found, legal=True)
    check_html(bundle["text/html"])
    check(bundle["text/markdown"].encode() and bundle["text/plain"].encode(), "can be written")


@target(weight=2)
def notebooks_show_ranks(draw):
    X = table(draw)
    n = len(X)
    ranks = {"rank": np.arange(n) + 1, "strength": draw.rng.normal(size=n), "score": np.nan}
    found = show_segments(pd.DataFrame(ranks, index=X.index), X)
    check_html(call(found._repr_html_, legal=True))


@target(weight=2)
def notebooks_show_results(draw):
    kinds = [f"{k}{draw.text().encode('utf-8', 'replace').decode()}<b>" for k in range(3)]
    rows = {(kind, "alone", "mine"): (3, 1, 9, 1 / 3, 0.1, 0.7) for kind in kinds}
    index = pd.MultiIndex.from_tuples(rows, names=["kind", "setting", "judge"])
    columns = ["won", "tied", "n", "proportion", "low", "high"]
    counted = pd.DataFrame(list(rows.values()), index=index, columns=columns)
    found = Challenge(counted, pd.DataFrame(), "mine", (), 0.95, hostile(draw))
    check_html(call(bundle_of, found, legal=True)["text/html"])


@target
def notebooks_show_trees(draw):
    n = draw.integer(1, 30)
    parents = (-1, *(draw.integer(max(0, k - 3), k - 1) for k in range(1, n)))
    labels = tuple(f"{hostile(draw)}x" for _ in range(n))
    check_html(call(BracketTree(labels, parents)._repr_html_, legal=True))
