"""What a page shows of segments and themes: of judgements with metrics, or of a model's results."""

from collections import Counter

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.error_spans import rows_with_marks
from sklearn_mteval.datasets import suspicious_texts
from sklearn_mteval.evaluation.disagreement import segment_disagreement
from sklearn_mteval.evaluation.join import join
from sklearn_mteval.features import content_flags
from sklearn_mteval.report.html.annotators import is_score, said_by_annotators
from sklearn_mteval.report.html.duels import duels_for
from sklearn_mteval.report.html.entries import entries_of
from sklearn_mteval.report.html.segments import MOST_TRANSLATIONS, SegmentSample
from sklearn_mteval.report.html.themes import themes_for
from sklearn_mteval.report.html.whys import families_of_pairs, whys_of, whys_of_some

_TOLD = 4  # systems with flags
_NO_TEXTS = "The judgements have no texts, so that no segments are shown."
_SCORINGS = 12  # metrics at most
_MARGINS = (
    "Numbers at the sound translation say by how much each judge prefers it to the corrupted one; "
    "0 or less: it is not preferred."
)


def contents_of_judgements(
    campaigns, *, order=None, systems=None, lower_is_better=(), model=None, all_segments=None
):
    """Return ``segments``, ``themes`` and ``warnings`` about judgements and scores of metrics.

    ``campaigns`` has by language pair, "" for a single one, Judgements and what
    :func:`~sklearn_mteval.evaluation.collect_scores` returns, or None. ``order`` are the metrics,
    the best first, of which 12 are shown; ``systems`` the systems (None: by the first metric, else
    by mean judgement). ``model``'s decisions are explained in the 300 segments of largest
    disagreement.
    """
    campaigns = {
        pair: given for pair, given in campaigns.items() if "hypothesis" in given[0].translations
    }
    if not campaigns:
        return {"segments": None, "themes": [], "warnings": [_NO_TEXTS]}
    if order is None:
        order = list(next(iter(campaigns.values()))[1] or ())
    order = list(order)[:_SCORINGS]
    sample, themes, warned = SegmentSample(all_segments=all_segments), [], []
    more = {}
    for pair, (judgements, scores) in campaigns.items():
        judged = _Judged(judgements, scores, order, lower_is_better)
        more |= judged.add_to(sample, pair, model)
        warned += [f"{pair}: {sentence}" if pair else sentence for sentence in judged.said()]
        best = judged.systems if systems is None else systems
        for theme in judged.themes(best, few=len(campaigns) > 1):
            title = f"{pair}: {theme['title']}" if pair else theme["title"]
            themes.append(theme | {"title": title})
    data = sample.data(
        order,
        systems=best,
        first="disagreement" if order else "",
        judged="annotators" if is_score(judged.y) else "annotators (lower is better)",
        interest=f"disagreement of annotators and {order[0]}" if order else "",
        **more,
    )
    return {"segments": data, "themes": themes, "warnings": warned}


class _Judged:
    """Judged segments of one language pair, with all translations that are at hand."""

    def __init__(self, judgements, scores, order, lower_is_better):
        X, self.y = judgements.translations, judgements.y
        X = X[X.index.isin(self.y.index.unique("segment"), level="segment")]
        self.X = X[~X.index.duplicated()]
        self._columns = said_by_annotators(judgements, self.X)
        # What there is to compare translations with, they may contradict.
        compared = {"source", "reference"} & set(self.X.columns)
        self._of_rows = {
            "documents": _of_rows(judgements.documents, self.X),
            "domains": _of_rows(judgements.domains, self.X),
            "flags": list(content_flags(self.X)) if compared else None,
        }
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

    def add_to(self, sample, pair, model):
        """Add segments to a sample, by the language pair, and why a model decides in some; return
        what the page says once of its decisions.
        """
        found = (None, []) if model is None else whys_of_some(model, self.X, self.interest)
        pairs, sample.notes = found
        whys = whys_of(pairs, self.X)
        given = self._of_rows | self._columns
        entries = entries_of(self.X, self._scores, disagreements=self._disagreements, **given)
        for segment, entry in zip(self.X.index.unique("segment"), entries, strict=True):
            if pair:
                entry |= {"id": f"{pair} {entry['id']}", "document": entry.get("document", pair)}
            why = whys[segment](entry) if segment in whys else None
            sample.add(entry, self.interest.get(segment), why)
        return families_of_pairs(pairs)

    @property
    def systems(self):
        """The systems, the best first: by the first metric, else by their mean judgement."""
        first = self._columns["human"] if self._scores is None else self._scores.iloc[:, 0]
        first = pd.Series(first, self.X.index)
        return first.groupby(level="system").mean().sort_values(ascending=False).index

    def said(self):
        """Say which metrics have scored nothing, and which texts are suspicious or contradict."""
        table = pd.DataFrame() if self._scores is None else self._scores
        unscored = table.columns[table.isna().all()]
        said = [f"No translation here has a score of {name}." for name in unscored]
        flagged = Flagged()
        flagged.add(self.X, self._of_rows["flags"])
        return [*said, *suspicious_texts(self.X), *flagged.said()]

    def themes(self, systems, *, few=False):
        """Make the themes of the first 200,000 translations."""
        part = self.X.iloc[:MOST_TRANSLATIONS]
        scores = {} if self._scores is None else dict(self._scores.iloc[: len(part)].items())
        return themes_for(
            part, scores, self.y[self.y.index.isin(part.index.unique("segment"), level="segment")],
            order=[name for name in systems if name in part.index.unique("system")], few=few,
            **{name: values and values[: len(part)] for name, values in self._of_rows.items()}
        )  # fmt: skip


def contents_of_challenge(found, X, *, all_segments=None):
    """Return ``segments`` of a page on what :func:`~sklearn_mteval.evaluation.challenge` found in
    X: scores tell by how much the sound one is better; those that a judge lost can be chosen.
    """
    pairs, judges = found.pairs, list(found.pairs.columns[3:])
    ids = [f"{kind} {segment}" for kind, segment in pairs.index]
    names = pd.Index(ids, dtype=object), ["sound", "corrupted"]  # Arrow holds no surrogates
    index = pd.MultiIndex.from_product(names, names=["segment", "system"])
    texts = pairs[["sound", "corrupted"]].to_numpy(dtype=object).ravel()
    table = pd.DataFrame({"hypothesis": texts}, index, dtype=object)
    for column in {"source", "reference"} & set(X.columns):
        cells = _by_segment(X[column].astype(object), pairs.index.get_level_values("segment"))
        table[column] = pd.Series(np.repeat(cells.to_numpy(), 2), index, dtype=object)
    scores = np.full((len(table), len(judges)), np.nan)
    all_margins = pairs.iloc[:, 3:].to_numpy(dtype=float)
    scores[::2] = all_margins
    kinds = pairs.index.get_level_values("kind").repeat(2)
    sample = SegmentSample(all_segments=all_segments)
    entries = entries_of(table, pd.DataFrame(scores, index), documents=kinds)
    for entry, margins in zip(entries, all_margins, strict=True):
        of_judges = zip(judges, margins, strict=True)
        entry["tags"] = [f"not won: {judge}" for judge, margin in of_judges if margin <= 0]
        sample.add(entry, -margins[0])
    data = sample.data(judges, first="lowest", interest="differences that were lost")
    data["notes"].insert(0, _MARGINS)
    return {"segments": data, "themes": []}


def contents_of_duel(found, X):
    """Return the contents of a page on a Duel, of the candidate table X that it is about."""
    table = found.segments[["first", "second"]].set_axis([found.first, found.second], axis=1)
    scores = pd.Series(_looked_up(table, X.index), X.index)
    known = scores.notna().to_numpy()
    contents = ModelContents("score")
    contents.add(X[known], scores[known])
    return contents.contents(list(table), confidence=found.confidence)


class ModelContents:
    """What a page shows of a model: themes of the first 200,000 translations, and a sample."""

    def __init__(self, name, all_segments=None):
        self._name, self._sample = name, SegmentSample(all_segments=all_segments)
        self._kept, self._n, self._flagged, self._scored = [], 0, Flagged(), False
        self.explained = {}  # what is said once of decisions that blocks came with, if any did

    def add(self, X, found, flags=None, marks=None, pairs=None, documents=None):
        """Add a block: ranks with strengths and scores, or scores alone, of candidates; Marks may
        be of more candidates, none of which has any; ``pairs`` are PairValues, if known;
        documents are a Series by segment.
        """
        ranked = isinstance(found, pd.DataFrame)
        scores = found["score"] if ranked else found
        columns = {name: found[name].to_numpy() for name in ("rank", "strength") if ranked}
        if marks is not None:
            columns["predicted"] = rows_with_marks(X.index, marks.table.drop(columns="words"))
            columns["error_free"] = marks.error_free[X.index].to_numpy()
        if documents is not None:
            columns["documents"] = list(documents[X.index.get_level_values("segment")])
        measure = scores if scores.notna().any() or not ranked else found["strength"]
        of_segments = measure.groupby(level="segment", sort=False)
        spread = of_segments.max() - of_segments.min()
        table = None if ranked and scores.isna().all() else scores.to_frame()
        self._scored |= table is not None
        flags = None if flags is None else list(flags)
        whys = whys_of(pairs, X)
        self.explained |= families_of_pairs(pairs)
        entries = entries_of(X, table, flags=flags, **columns)
        for entry, (segment, width) in zip(entries, spread.items(), strict=True):
            why = whys[segment](entry) if segment in whys else None
            self._sample.add(entry, width, why)
        self._flagged.add(X, flags)
        if self._n < MOST_TRANSLATIONS:
            self._kept.append((X, found, measure, spread, documents, flags))
        self._n += len(X)

    def contents(self, systems, model=None, completed=None, *, pairs=None, confidence=0.95):
        """Return the contents; ``completed`` makes of a table one that the model reads, ``pairs``
        are SystemPairs of the systems, None: by the segments at hand.
        """
        *tables, spreads, documents, flags = zip(*self._kept, strict=True)
        X, found, scores = map(pd.concat, tables)
        if model is not None and not self.explained:
            given = X if completed is None else completed(X)
            values, self._sample.notes = whys_of_some(model, given, pd.concat(spreads))
            self.explained = families_of_pairs(values)
            whys = whys_of(values, X)
            self._sample.explain({str(segment): why for segment, why in whys.items()})
        known = all(one is not None for one in flags)
        flags = [one for some in flags for one in some] if known else None
        themes = themes_for(X, {self._name: scores}, order=list(systems), flags=flags)
        if self._n > len(X):
            for theme in themes:
                theme["note"] = f"Of the first {len(X):,} translations. {theme['note']}"
        known = all(one is not None for one in documents)
        duels = duels_for(
            found, X, list(systems), pairs=pairs, confidence=confidence,
            documents=pd.concat(documents) if known else None, whole=self._n == len(X)
        )  # fmt: skip
        data = self._sample.data(
            [self._name] * self._scored,
            systems=systems,
            first="difference" if duels is not None and duels["told"] else "",
            interest="difference of best and worst",
            duels=duels,
            **self.explained,
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


def _looked_up(table, index):
    """Look up the value of each row in a table of segments and systems; NaN where it has none."""
    rows = table.index.get_indexer(index.get_level_values("segment"))
    columns = table.columns.get_indexer(index.get_level_values("system"))
    return np.where((rows >= 0) & (columns >= 0), table.to_numpy()[rows, columns], np.nan)


def _of_rows(documents, X):
    """Return the document of each row of X, that of its segment; None where there are none."""
    if documents is None:
        return None
    return list(map(str, _by_segment(documents, X.index.get_level_values("segment")).fillna("")))


def _by_segment(values, segments):
    """Return the value of each segment's first row, for some segments."""
    names = values.index.get_level_values("segment")
    return values[~names.duplicated()].set_axis(names.unique()).reindex(segments)
