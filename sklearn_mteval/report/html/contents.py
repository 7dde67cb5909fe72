"""What a page shows of segments and themes: of judgements with metrics, or of a model's results."""

import warnings
from collections import Counter

import numpy as np
import pandas as pd

from sklearn_mteval.datasets import suspicious_texts
from sklearn_mteval.evaluation.disagreement import segment_disagreement
from sklearn_mteval.evaluation.join import join
from sklearn_mteval.features import content_flags
from sklearn_mteval.models.explanations.why import why_of_segments
from sklearn_mteval.report.html.entries import entries_of
from sklearn_mteval.report.html.segments import MOST_TRANSLATIONS, SegmentSample
from sklearn_mteval.report.html.themes import themes_for

_EXPLAINED = 10  # segments, those of the largest interest: half a second each
_TOLD = 4  # systems with flags
_NO_TEXTS = "The judgements have no texts, so that no segments are shown."
_SCORINGS = 12  # metrics at most
_MARGINS = (
    "Numbers at the sound translation say by how much each judge prefers it to the corrupted one; "
    "0 or less: it is not preferred."
)


def contents_of_judgements(
    campaigns, *, order=None, systems=None, lower_is_better=(), model=None, beside=None,
    beside_name=""
):  # fmt: skip
    """Return ``segments``, ``themes`` and ``warnings`` about judgements and scores of metrics.

    ``campaigns`` has by language pair, "" for a single one, Judgements and the scores of metrics,
    as :func:`~sklearn_mteval.evaluation.collect_scores` returns them, or None; those without texts
    have nothing to show. ``order`` are the metrics, the best first, of which 12 are shown (None:
    those of the first campaign); ``systems`` the systems (None: by the first metric, else by mean
    judgement). Decisions of ``model`` are explained in the 10 segments of the largest disagreement.
    ``beside`` and ``beside_name`` are those of :class:`SegmentSample`.
    """
    campaigns = {
        pair: given for pair, given in campaigns.items() if "hypothesis" in given[0].translations
    }
    if not campaigns:
        return {"segments": None, "themes": [], "warnings": [_NO_TEXTS]}
    if order is None:
        order = list(next(iter(campaigns.values()))[1] or ())
    order = list(order)[:_SCORINGS]
    sample, themes, warned = SegmentSample(beside=beside), [], []
    for pair, (judgements, scores) in campaigns.items():
        judged = _Judged(judgements, scores, order, lower_is_better)
        judged.add_to(sample, pair, model)
        warned += [f"{pair}: {sentence}" if pair else sentence for sentence in judged.said()]
        best = judged.systems if systems is None else systems
        for theme in judged.themes(best, few=len(campaigns) > 1):
            title = f"{pair}: {theme['title']}" if pair else theme["title"]
            themes.append(theme | {"title": title})
    data = sample.data(
        order,
        systems=best,
        first="disagreement" if order else "",
        judged=_judged_as(judged.y),
        beside_name=beside_name,
        interest=f"disagreement of annotators and {order[0]}" if order else "",
    )
    return {"segments": data, "themes": themes, "warnings": warned}


class _Judged:
    """Judged segments of one language pair, with all translations that are at hand."""

    def __init__(self, judgements, scores, order, lower_is_better):
        X, self.y = judgements.translations, judgements.y
        X = X[X.index.isin(self.y.index.unique("segment"), level="segment")]
        self.X = X[~X.index.duplicated()]
        self._judgements = judgements
        self._columns = _of_annotators(judgements, self.X)
        self._scores, self._disagreements = None, None
        self.interest = pd.Series(dtype=float)
        given = {name: scores[name] for name in order if name in scores} if scores else {}
        if given:
            lower = [name for name in lower_is_better if name in given]
            joined = join(self.y, given, missing="skip", lower_is_better=lower)
            looked_up = {n: _looked_up(table, self.X.index) for n, table in joined.tables.items()}
            self._scores = pd.DataFrame(looked_up, self.X.index).reindex(columns=order)
            found = segment_disagreement(joined.y, joined.rows)
            self.interest = found.iloc[:, 0]
            self._disagreements = found.reindex(columns=order)
        self._flags = _flags(self.X)
        self.flagged = Flagged()
        self.flagged.add(self.X, self._flags)

    def entries(self):
        """Yield each segment and its interest."""
        entries = entries_of(
            self.X,
            self._scores,
            disagreements=self._disagreements,
            documents=_of_rows(self._judgements.documents, self.X),
            domains=_of_rows(self._judgements.domains, self.X),
            flags=self._flags,
            **self._columns,
        )
        for segment, entry in zip(self.X.index.unique("segment"), entries, strict=True):
            yield entry, self.interest.get(segment)

    def add_to(self, sample, pair, model):
        """Add segments to a sample, by the language pair, and why a model decides in some."""
        for entry, interest in self.entries():
            if pair:
                entry |= {"id": f"{pair} {entry['id']}", "document": entry.get("document", pair)}
            sample.add(entry, interest)
        if model is not None:
            whys = _whys(model, self.X, self.interest)
            sample.explain({f"{pair} {k}" if pair else k: why for k, why in whys.items()})

    @property
    def systems(self):
        """The systems, the best first: by the first metric, else by their mean judgement."""
        first = None if self._scores is None else self._scores.iloc[:, 0]
        first = pd.Series(self._columns["human"], self.X.index) if first is None else first
        return first.groupby(level="system").mean().sort_values(ascending=False).index

    def said(self):
        """Say which metrics have scored nothing, and which texts are suspicious or contradict."""
        table = pd.DataFrame() if self._scores is None else self._scores
        unscored = table.columns[table.isna().all()]
        said = [f"No translation here has a score of {name}." for name in unscored]
        return [*said, *suspicious_texts(self.X), *self.flagged.said()]

    def themes(self, systems, *, few=False):
        """Make the themes of the first 200,000 translations."""
        part = self.X.iloc[:MOST_TRANSLATIONS]
        scores = {} if self._scores is None else dict(self._scores.iloc[: len(part)].items())
        return themes_for(
            part,
            scores,
            self.y[self.y.index.isin(part.index.unique("segment"), level="segment")],
            order=[name for name in systems if name in part.index.unique("system")],
            documents=_of_rows(self._judgements.documents, part),
            domains=_of_rows(self._judgements.domains, part),
            flags=None if self._flags is None else self._flags[: len(part)],
            few=few,
        )


def contents_of_challenge(found, X, *, beside=None, beside_name=""):
    """Return ``segments`` of a page about a challenge: sound translations and corrupted ones.

    ``found`` is what :func:`~sklearn_mteval.evaluation.challenge` returns, ``X`` the table of what
    was asked. Scores tell by how much the sound one is better; those that a judge lost can be
    chosen.
    """
    pairs, judges = found.pairs, list(found.pairs.columns[3:])
    of_segments = X[~X.index.get_level_values("segment").duplicated()]
    of_segments = of_segments.set_axis(of_segments.index.get_level_values("segment"))
    ids = [f"{kind} {segment}" for kind, segment in pairs.index]
    names = pd.Index(ids, dtype=object), ["sound", "corrupted"]  # Arrow holds no surrogates
    index = pd.MultiIndex.from_product(names, names=["segment", "system"])
    texts = pairs[["sound", "corrupted"]].to_numpy(dtype=object).ravel()
    table = pd.DataFrame({"hypothesis": texts}, index, dtype=object)
    for column in {"source", "reference"} & set(X.columns):
        cells = of_segments[column].loc[pairs.index.get_level_values("segment")]
        table[column] = pd.Series([c for c in cells for _ in range(2)], index, dtype=object)
    scores = np.full((len(table), len(judges)), np.nan)
    all_margins = pairs.iloc[:, 3:].to_numpy(dtype=float)
    scores[::2] = all_margins
    kinds = [kind for kind in pairs.index.get_level_values("kind") for _ in range(2)]
    sample = SegmentSample(beside=beside)
    entries = entries_of(table, pd.DataFrame(scores, index), documents=kinds)
    for entry, margins in zip(entries, all_margins, strict=True):
        of_judges = zip(judges, margins, strict=True)
        entry["tags"] = [f"not won: {judge}" for judge, margin in of_judges if margin <= 0]
        sample.add(entry, -margins[0])
    data = sample.data(
        judges, first="lowest", beside_name=beside_name, interest="differences that were lost"
    )
    data["notes"].insert(0, _MARGINS)
    return {"segments": data, "themes": []}


class ModelContents:
    """Segments and themes of a page about what a model says of translations, block by block.

    Memory is bounded: themes are of the first 200,000 translations, segments a sample.
    """

    def __init__(self, name, beside=None, beside_name=""):
        self._name, self._beside_name = name, beside_name
        self._sample = SegmentSample(beside=beside)
        self._texts, self._scores, self._flags, self._n = [], [], [], 0
        self._spreads, self._flagged, self._scored = [], Flagged(), False

    def add(self, X, found, flags=None):
        """Add a block: ranks with strengths and scores, or scores alone, of candidates."""
        ranked = isinstance(found, pd.DataFrame)
        scores = found["score"] if ranked else found
        columns = {"rank": found["rank"], "strength": found["strength"]} if ranked else {}
        columns = {name: column.to_numpy() for name, column in columns.items()}
        measure = scores if scores.notna().any() or not ranked else found["strength"]
        of_segments = measure.groupby(level="segment", sort=False)
        spread = of_segments.max() - of_segments.min()
        table = None if ranked and scores.isna().all() else scores.to_frame()
        self._scored |= table is not None
        flags = None if flags is None else list(flags)
        for entry, width in zip(entries_of(X, table, flags=flags, **columns), spread, strict=True):
            self._sample.add(entry, width)
        self._flagged.add(X, flags)
        if self._n < MOST_TRANSLATIONS:
            self._texts.append(X)
            self._scores.append(measure)
            self._spreads.append(spread)
            self._flags += [] if flags is None else flags
        self._n += len(X)

    def contents(self, systems, model=None, completed=None):
        """Return ``segments`` and ``themes``; ``systems`` are the names, the best first.

        ``completed`` makes of a table one that the model, whose decisions are explained, reads.
        """
        X, scores = pd.concat(self._texts), pd.concat(self._scores)
        if model is not None:
            given = X if completed is None else completed(X)
            self._sample.explain(_whys(model, given, pd.concat(self._spreads)))
        flags = self._flags if len(self._flags) == len(X) else None
        themes = themes_for(X, {self._name: scores}, order=list(systems), flags=flags)
        if self._n > len(X):
            for theme in themes:
                theme["note"] = f"Of the first {len(X):,} translations. {theme['note']}"
        data = self._sample.data(
            [self._name] * self._scored,
            systems=systems,
            beside_name=self._beside_name,
            interest="difference of best and worst",
        )
        return {"segments": data, "themes": themes, "warnings": self._flagged.said()}


class Flagged:
    """How many translations of each system contradict their source or reference, added up."""

    def __init__(self):
        self._counts = Counter()
        self._n = Counter()

    def add(self, X, flags):
        """Count the flags of some rows."""
        if flags is not None:
            systems = X.index.get_level_values("system")
            self._n.update(systems)
            self._counts.update(name for name, some in zip(systems, flags, strict=True) if some)

    def said(self):
        """Say which systems have most flags, in one sentence; none where there are no flags."""
        if not self._counts:
            return []
        rates = sorted(self._counts, key=lambda name: -self._counts[name] / self._n[name])
        told = [f"{name} {self._counts[name]:,} of {self._n[name]:,}" for name in rates[:_TOLD]]
        more = len(rates) - len(told)
        return [
            "Translations that contradict a number, a name or a negation, or have untranslated "
            f"words: {', '.join(told)}{f', and some of {more} more systems' if more else ''}."
        ]


def _of_annotators(judgements, X):
    """Collect of each translation the judgements, their mean and the errors that were marked."""
    y = judgements.y
    rows = X.index.get_indexer(_labels(y.index))
    sign = -1.0 if _is_score(y) else 1.0
    judged, spans = [[] for _ in range(len(X))], [[] for _ in range(len(X))]
    for row, value in zip(rows.tolist(), y.to_numpy(dtype=float).tolist(), strict=True):
        if row >= 0 and value == value:
            judged[row].append(sign * value)
    for row, some in zip(
        rows.tolist(), () if judgements.spans is None else judgements.spans, strict=False
    ):
        spans[row].extend(some if row >= 0 else ())
    human = [-sign * np.mean(values) if values else np.nan for values in judged]
    return {"judged": judged, "human": human, "spans": spans}


def _labels(index):
    """Return an index of segments and systems only, in this order."""
    return pd.MultiIndex.from_arrays([index.get_level_values(n) for n in ("segment", "system")])


def _is_score(y):
    """Tell whether judgements are scores, of which higher is better, with their sign changed.

    Ranks, penalties and edit rates are never negative; standardised scores are on both sides of 0.
    """
    return bool((y < 0).any())


def _judged_as(y):
    """Say what judgements are."""
    return "annotators" if _is_score(y) else "annotators (lower is better)"


def _looked_up(table, index):
    """Look up the value of each row in a table of segments and systems; NaN where it has none."""
    rows = table.index.get_indexer(index.get_level_values("segment"))
    columns = table.columns.get_indexer(index.get_level_values("system"))
    found = table.to_numpy()[rows, columns]
    return np.where((rows >= 0) & (columns >= 0), found, np.nan)


def _of_rows(documents, X):
    """Return the document of each row of X, that of its segment; None where there are none."""
    if documents is None:
        return None
    of_segments = documents[~documents.index.get_level_values("segment").duplicated()]
    of_segments = of_segments.set_axis(of_segments.index.get_level_values("segment"))
    found = of_segments.reindex(X.index.get_level_values("segment")).fillna("")
    return list(map(str, found))


def _flags(X):
    """Return what translations contradict, if there is anything to compare with."""
    return list(content_flags(X)) if {"source", "reference"} & set(X.columns) else None


def _whys(model, X, interest):
    """Explain the decisions of a model in the segments of the largest interest, as sentences."""
    segments = interest.sort_values(ascending=False, kind="stable").index if len(interest) else None
    with warnings.catch_warnings(action="ignore"):  # what there is to warn of was said of them all
        found, _ = why_of_segments(model, X, _EXPLAINED, segments=segments)
    # Of equal translations none is preferred.
    return {str(segment): [_said(why)] for segment, why in found.items() if why["decision"]}


def _said(why):
    """Write why the better one of a pair is preferred."""
    first, second = pair = [why["first"], why["second"]]
    sign = 1 if why["decision"] >= 0 else -1
    better, worse = pair[::sign]
    probability = why["probability"]

    def side(value):
        return f"{abs(value):.2f} for {better if sign * value > 0 else worse}"

    return {
        "better": better,
        "worse": worse,
        "probability": None if probability is None else max(probability, 1 - probability),
        "families": [f"{one['family']}: {side(one['value'])}" for one in why["families"]],
        "columns": [
            f"{one['column']}: {side(one['value'])} ({one['of_first']:.3g} for {first}, "
            f"{one['of_second']:.3g} for {second})"
            for one in why["columns"]
        ],
        "windows": [
            f"window {one['window']}: {side(one['value'])}: {first} has “{one['of_first']}”, "
            f"{second} has “{one['of_second']}”"
            for one in why["windows"]
        ],
        "words": [*_words(why, better), *_words(why, worse)],
    }


def _words(why, name):
    """Say which words of a translation have no counterpart, and what it contradicts."""
    of_name = why["words"][name]
    if of_name["missing"]:
        yield f"{name} has nothing for: {', '.join(of_name['missing'])}"
    if of_name["own"]:
        yield f"only {name} has: {', '.join(of_name['own'])}"
    yield from (f"{name}: {flag}" for flag in why["flags"][name])
