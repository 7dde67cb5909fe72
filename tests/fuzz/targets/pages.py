"""Pages of hostile texts and names: whole HTML with no tag that data brought, and data as given."""

import base64
import gzip
import json
from html.parser import HTMLParser
from unittest.mock import Mock

import numpy as np
import pandas as pd

from fuzz import call, check, target
from fuzz.targets.notebooks import hostile
from sklearn_mteval._helpers.error_spans import ErrorSpan
from sklearn_mteval.datasets.judgements import Judgements
from sklearn_mteval.evaluation.challenges import Challenge
from sklearn_mteval.report.formats import Report, Table
from sklearn_mteval.report.html.contents import (
    ModelContents,
    contents_of_challenge,
    contents_of_judgements,
)
from sklearn_mteval.report.html.document import document, page_of
from sklearn_mteval.report.html.segments import SegmentSample
from sklearn_mteval.report.html.templating import safe_text, table_of

VOID = {"meta", "input", "img", "source"}


class Page(HTMLParser):
    """The tags of a page with the names of their attributes, and its data."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.open, self.data = [], [], ""
        self.feed(html)
        self.close()
        check(not self.open, "all tags are closed", self.open)

    def handle_starttag(self, name, attributes):
        self.tags.append((name, *(key for key, _ in attributes if key != "data-value")))
        if name not in VOID:
            self.open.append((name, dict(attributes).get("id")))

    def handle_endtag(self, name):
        check(self.open and self.open.pop()[0] == name, "tags are closed in order", name)

    def handle_data(self, data):
        if self.open and self.open[-1] == ("script", "data"):
            self.data += data


def read(contents, text="", **more):
    """Check the HTML of a page around some contents; return its tags, and its data."""
    report = Report(
        [Table(text, ["metric", text or "x"], [[text, text], ["b", "1 [0, 2]"]])],
        [text], text, pd.DataFrame(), {},
    )  # fmt: skip
    plots = [{"title": text, "description": text, "light": "<svg/>", "dark": "<svg/>"}]
    given = {"summary": [text], "warnings": [text], "command": f"c{text}", "plots": plots} | more
    html = document(call(page_of, text, report, **given | contents, legal=True))
    check(html.encode("utf-8"), "can be written")
    check(html == safe_text(html), "no character that orders what stands beside it")
    page = Page(html)
    segments = contents["segments"]
    if segments is None:
        return page.tags, None
    found = json.loads(gzip.decompress(base64.b64decode(page.data)))
    check(found == json.loads("".join(segments["data"])), "data come back")
    return page.tags, found


def same_tags(tags, other):
    """Check that two pages have the same tags, those of sortable cells aside."""
    check(tags == other, [pair for pair in zip(tags, other, strict=False) if pair[0] != pair[1]])


def drawn(draw, n):
    """Draw texts, often of HTML."""
    return [hostile(draw) for _ in range(n)]


def candidates(draw, most=4):
    """Draw translations of segments, each once; one dict of source and references a segment."""
    names = [f"{k}{hostile(draw)}" for k in range(draw.integer(1, 4))]
    numbers = draw.chance(0.3)
    rows, given = [], {}
    for k in range(draw.integer(1, most)):
        segment = k if numbers else f"{k}{hostile(draw)}"
        given[segment] = (hostile(draw), [hostile(draw) for _ in range(draw.integer(1, 2))])
        some = [names[j] for j in draw.rng.permutation(len(names))[: draw.integer(1, len(names))]]
        rows += [(segment, name, draw.one([hostile(draw), given[segment][0]])) for name in some]
    if draw.chance(0.3):
        rows = [rows[k] for k in draw.rng.permutation(len(rows))]
    levels = [pd.Index([row[k] for row in rows], dtype=object) for k in range(2)]
    index = pd.MultiIndex.from_arrays(levels, names=["segment", "system"])
    columns = {"hypothesis": [row[2] for row in rows]}
    if draw.chance(0.7):
        columns["source"] = [given[row[0]][0] for row in rows]
    if draw.chance(0.7):
        several = draw.chance()
        references = [given[row[0]][1] for row in rows]
        columns["reference"] = references if several else [some[0] for some in references]
    return pd.DataFrame(columns, index, dtype=object)


def check_entries(found, X):
    """Check that all texts are there as given, their order that of the table, once each."""
    texts = {
        (str(segment), str(system)): text for (segment, system), text in X["hypothesis"].items()
    }
    seen = {}
    for segment in found["segments"]:
        for one in segment["translations"]:
            seen[segment["id"], one["system"]] = one["text"]
            units = len(one["text"].encode("utf-16-le", "surrogatepass")) // 2
            places = one.get("marks", []) + one.get("moved", [])
            places += [span[key] for span in one.get("spans", []) for key in ("start", "end")]
            check(all(0 <= place <= units for place in places), one)
    check(seen == texts, seen, texts)
    check(list(seen), list(dict.fromkeys(segment for segment, _ in seen)))
    first = list(dict.fromkeys(map(str, X.index.get_level_values("segment"))))
    check([segment["id"] for segment in found["segments"]] == first, found, X)


def annotated(draw, X, missing=0.2):
    """Draw judgements of some of the translations, with documents, spans and judges or without."""
    rows = [k for k in range(len(X)) for _ in range(draw.integer(0, 2))] or [0]
    index = X.index[rows]
    judges = pd.Index([f"t{k}" for k in range(len(rows))], dtype=object)
    index = pd.MultiIndex.from_arrays(
        [index.get_level_values(0), judges, index.get_level_values(1)],
        names=["segment", "ranking", "system"],
    )
    y = pd.Series(draw.numbers(len(rows), ["ties", "normal", "ranks", "large"]), index)
    y *= draw.one([1, -1])
    of_rows = lambda values: pd.Series(list(values), index, dtype=object)  # noqa: E731
    span = lambda: ErrorSpan(  # noqa: E731
        start := draw.integer(0, 20), start + draw.integer(0, 9), hostile(draw), hostile(draw),
        draw.one(["translation", "source", "omission", "unknown"]),
    )  # fmt: skip
    more = {}
    if draw.chance():
        more["documents"] = of_rows(draw.one(["", "d", hostile(draw)]) for _ in rows)
    if draw.chance():
        spans = pd.Series([None] * len(rows), index, dtype=object)
        spans[:] = [[span() for _ in range(draw.integer(0, 2))] for _ in rows]
        more["spans"] = spans
    return Judgements(X.iloc[rows].set_axis(index), y, X, **more)


@target(weight=3)
def pages_of_judgements(draw):
    X = candidates(draw)
    judged = annotated(draw, X)
    scores = {
        name: pd.Series(draw.numbers(len(X), ["ties", "normal", "close"]), X.index)
        for name in ["m", f"n{draw.integer(0, 9)}<b>"][: draw.integer(0, 2)]
    }
    lower = draw.some(scores, 1) if scores else []
    contents = call(
        contents_of_judgements, {"": (judged, scores or None)}, lower_is_better=lower, legal=True
    )
    _, found = read(contents, hostile(draw))
    known = judged.y.index.unique("segment")
    check_entries(found, X[X.index.isin(known, level="segment")])
    check(found["scorings"] == list(scores), found)


@target(weight=3)
def pages_of_models(draw):
    X = candidates(draw)
    segments = X.index.get_level_values("segment")
    name, contents = hostile(draw), None
    contents = ModelContents(name)
    flags, scored = draw.chance(), False
    for segment in segments.unique():  # a block each
        block = X[segments == segment]
        found = pd.Series(draw.numbers(len(block), ["ties", "normal", "large"]), block.index)
        if draw.chance():
            ranks = found.rank(ascending=False, method="min")
            found = pd.DataFrame({"rank": ranks, "strength": found, "score": np.nan})
        scored |= isinstance(found, pd.Series)
        said = [[hostile(draw)] for _ in range(len(block))] if flags else None
        contents.add(block, found, said)
    systems = X.index.get_level_values("system").unique()
    _, found = read(call(contents.contents, systems, legal=True), hostile(draw))
    check(found["scorings"] == [name] * scored, found)  # of a model that has some
    check_entries(found, X)


@target(weight=2)
def pages_of_challenges(draw):
    X = candidates(draw)
    of_segments = X.index.get_level_values("segment").unique().tolist()
    kinds = [f"{k}{hostile(draw)}" for k in range(draw.integer(1, 2))]
    pairs = pd.MultiIndex.from_arrays(
        [
            pd.Index([kind for kind in kinds for _ in of_segments], dtype=object),
            pd.Index(of_segments * len(kinds), dtype=object),
        ],
        names=["kind", "segment"],
    )
    n = len(pairs)
    names = ["system", "sound", "corrupted"]
    columns = {name: pd.Series(drawn(draw, n), pairs, dtype=object) for name in names}
    judges = {f"mine{hostile(draw)}": draw.numbers(n, ["ties", "normal"]), "bleu": [0.0] * n}
    names = pd.Index([*names, *judges], dtype=object)
    parts = [*columns.values(), *(pd.Series(values, pairs) for values in judges.values())]
    table = pd.concat(parts, axis=1).set_axis(names, axis=1)
    found = Challenge(pd.DataFrame(), table, "mine", (), 0.95, "")
    _, data = read(call(lambda: contents_of_challenge(found, X), legal=True), hostile(draw))
    margins = table.iloc[:, 3:].to_numpy(dtype=float)
    rows = zip(table["sound"], table["corrupted"], margins, strict=True)
    for segment, (sound, corrupted, values) in zip(data["segments"], rows, strict=True):
        texts = {one["system"]: one["text"] for one in segment["translations"]}
        check(texts == {"sound": sound, "corrupted": corrupted}, segment, sound, corrupted)
        check(len(segment["tags"]) == (values <= 0).sum(), segment, values)


@target(weight=3)
def texts_bring_no_tags(draw):
    """The page of a hostile text in every place has the tags of that of a harmless one."""
    text = f"t{hostile(draw)}"  # no number, by which a column would be sorted
    other = "harmless"

    def tags(text):
        sample = SegmentSample()
        sample.add({"id": text, "translations": [{"system": text, "text": text}]})
        themes = [
            {"title": text, "note": text, "table": table_of(Table(text, ["metric"], [[text]]))}
        ]
        segments = call(sample.data, [text], judged=text, interest=text, legal=True)
        return read({"segments": segments}, text, themes=themes)[0]

    check(tags(text) == tags(other), text)


@target(weight=2)
def samples_of_segments(draw):
    sizes = [draw.integer(0, 5) for _ in range(draw.integer(0, 40))]
    texts = [f"{k}{draw.text()}" for k in range(len(sizes))]
    interests = draw.sprinkled(draw.numbers(len(sizes), ["ties", "extreme"]), [None, np.nan])
    most = draw.integer(1, 30)
    entries = [
        {"id": text, "translations": [{"system": str(j), "text": text} for j in range(size)]}
        for text, size in zip(texts, sizes, strict=True)
    ]

    def sampled(order):
        lines = []
        sample = SegmentSample(most, Mock(side_effect=lines.append))
        for k in order:
            call(sample.add, entries[k], interests[k], legal=True)
        found = call(sample.data, [], legal=True)
        return json.loads("".join(found["data"]))["segments"], found, lines

    kept, found, lines = sampled(range(len(sizes)))
    n = sum(len(one["translations"]) for one in kept)
    check(n <= most, n, most)
    check(found["n"] == len(kept), found)
    places = [texts.index(one["id"]) for one in kept]
    check(places == sorted(places), places)
    check(all(one == entries[place] for one, place in zip(kept, places, strict=True)), kept)
    if sum(sizes) <= most:
        check(len(kept) == len(sizes) and not found["notes"] and not lines, found)
    else:
        check([json.loads(line) for line in lines] == entries, "all stand beside", lines)
        check(len(found["notes"]) == 2, found)
    again, _, _ = sampled(draw.rng.permutation(len(sizes)))
    check(sorted(one["id"] for one in again) == sorted(one["id"] for one in kept), kept, again)
