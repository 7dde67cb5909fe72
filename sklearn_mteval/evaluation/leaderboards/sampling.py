"""What a selection says of the segments that were judged: their clusters and probabilities."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.order import hash_cells
from sklearn_mteval.datasets.selections import check_selection
from sklearn_mteval.evaluation.signature import hash_of_rows
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.segments import document_codes


class Sample(NamedTuple):
    """A sample of segments, some of which were judged, and what varies as a whole in it."""

    labels: pd.Index  # of all segments of the test set, or of all that there are
    clusters: np.ndarray  # (n_segments,) codes: documents, segments, or what was drawn
    by_document: bool  # whether these are documents
    probability: np.ndarray | None = None  # (n_segments,) of being chosen and judged; None: 1
    stratum: np.ndarray | None = None  # (n_segments,) codes of what so many were drawn of
    selected: tuple | None = None  # of a selection: how many segments, and chosen, not judged
    mark: str | None = None  # of the selection, for signatures
    finite: bool = False  # whether the test set is all there is, and not one of many

    @property
    def is_clustered(self):
        """Whether some segments vary together."""
        return len(np.unique(self.clusters)) < len(self.clusters)

    def counts(self, judged):
        """Return what a leaderboard counts of a sample and its documents; ``judged`` are labels."""
        counts = {}
        if self.by_document:
            counts["documents"] = len(np.unique(self.clusters[self.labels.isin(judged)]))
        if self.selected is not None:
            counts |= zip(("of_segments", "not_judged"), self.selected, strict=True)
        return counts

    def design(self, segments, numbers):
        """Return the weights of units, and the probability and stratum of clusters; None: alike."""
        if self.probability is None:
            return None, None, None
        if not self.finite:
            return 1 / self.probability[segments], None, None
        probability = np.empty(numbers.max() + 1)
        probability[numbers] = self.probability
        if self.stratum is None:
            return None, probability, None
        stratum = np.empty(len(probability), dtype=np.int64)
        stratum[numbers] = self.stratum
        return None, probability, pd.factorize(stratum)[0]


def sample_of(selection, judged, inference, scored):
    """Describe the sample of judged segments (an Index); ``scored``: by name, by machines. To the
    question "texts" segments vary as their documents do, to "test-set" as they were drawn.
    """
    documents, question = inference.documents, inference.question
    if selection is None:
        labels = judged
        for more in scored.values():
            labels = labels.union(more, sort=False)
        return Sample(labels, *_clusters(labels, documents))
    check_selection(selection)
    labels, probability = selection.index, selection["probability"].to_numpy()
    if np.isnan(probability).any():
        raise CandidateError(
            "selection has no probabilities: its segments were not drawn at random, and their mean "
            "says nothing certain of all. Draw segments by a method that gives probabilities, or "
            "leave selection out and read scores as those of these segments."
        )
    _refuse("selection does not know", judged[~judged.isin(labels)], len(judged))
    chosen = selection["chosen"].to_numpy()
    _refuse(
        "selection did not choose", judged[judged.isin(labels[~chosen])], len(judged),
        ", so that nothing says how likely they were to be judged",
    )  # fmt: skip
    _check_scored(scored, labels)
    drawn, by_document = _clusters(labels, selection.get("document"))
    there = labels.isin(judged)
    selected = len(labels), int((chosen & ~there).sum())
    stratum = selection["stratum"].to_numpy() if "stratum" in selection else None
    if len(np.unique(drawn[there])) < len(np.unique(drawn[chosen])):
        probability, stratum = _of_second_draw(probability, stratum, drawn, chosen, there)
    finite, design = question == "test-set", (probability, stratum, selected, _mark(selection))
    if not finite and documents is not None:
        drawn, by_document = _clusters(labels, documents)
    return Sample(labels, drawn, by_document, *design, finite)


def _clusters(labels, documents):
    """Number the documents of segments, and tell whether any is known; else segments."""
    known = documents is not None and documents.ne("").any()
    if not known:
        return np.arange(len(labels)), False
    return document_codes(documents.reindex(labels).fillna("")), True


def _check_scored(scored, labels):
    """Raise unless every machine has scored all segments of a selection, and no others."""
    for name, more in scored.items():
        _refuse("selection does not know", more[~more.isin(labels)], len(more), what="scored")
        missing = labels[~labels.isin(more)]
        if len(missing):
            raise CandidateError(
                f"{name!r} has no score of {len(missing)} of the {len(labels)} segments of the "
                f"selection, such as {missing[0]!r}: what was drawn is corrected for by scores of "
                "all segments, judged or not."
            )


def _of_second_draw(probability, stratum, documents, chosen, there):
    """Return probabilities and strata of being chosen and judged, taking which are judged so far
    for a second draw of each stratum, and of those sure to be chosen; of fewer parts where one has
    none.
    """
    rows = np.unique(documents, return_index=True)[1]
    chosen, judged = chosen[rows], np.bincount(documents, there) > 0
    certain = probability[rows] == 1
    groups = [certain, np.zeros(len(rows), dtype=bool)]
    if stratum is not None:
        groups.insert(0, 2 * np.unique(stratum[rows], return_inverse=True)[1] + certain)
    for group in groups:
        codes = np.unique(group, return_inverse=True)[1]
        n_chosen, n_judged = (
            np.bincount(codes[part], minlength=codes.max() + 1) for part in (chosen, judged)
        )
        if (n_judged[n_chosen > 0] > 0).all():
            break
    probability = probability * ratio(n_judged, n_chosen, 1.0)[codes][documents]
    return probability, codes[documents] if codes.any() else None


def _mark(selection):
    """Hash a selection, whatever the order of its rows."""
    names = ["chosen", "probability", *(["stratum"] if "stratum" in selection else [])]
    numbers = [selection[name].to_numpy(dtype=float) for name in names]
    texts = [selection.index, *([selection["document"]] if "document" in selection else [])]
    cells = [
        hash_cells(np.array([ascii(text) for text in part.tolist()], dtype=object))
        for part in texts
    ]
    what = ",".join(name for name in ("document", "stratum") if name in selection)
    return hash_of_rows(what, [*cells, *numbers], len(selection))


def _refuse(problem, segments, n_all, why="", what="judged"):
    """Raise if there are such segments."""
    if len(segments):
        some = ", ".join(map(repr, segments[:5].tolist())) + " …" * (len(segments) > 5)
        raise CandidateError(
            f"{problem} {len(segments)} of the {n_all} segments that were {what} ({some}){why}: "
            "leave them out of X and y, or give the selection that they are of."
        )
