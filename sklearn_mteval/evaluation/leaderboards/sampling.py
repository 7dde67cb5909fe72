"""What a selection says of the segments that were judged: their clusters and probabilities."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.order import hash_cells
from sklearn_mteval.datasets.selections import check_selection
from sklearn_mteval.evaluation.signature import hash_of_rows
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.ratios import ratio


class Sample(NamedTuple):
    """A sample of segments, some of which were judged."""

    labels: pd.Index  # of all segments of the test set, or of all that there are
    documents: np.ndarray  # (n_segments,) codes of what was drawn as a whole
    probability: np.ndarray | None  # (n_segments,) of being chosen and judged; None: no sample
    stratum: np.ndarray | None = None  # (n_segments,) codes of what so many were drawn of
    not_judged: int = 0  # chosen segments without judgements
    mark: str | None = None  # of the selection, for signatures

    def of_clusters(self, cluster):
        """Return the probability and stratum of clusters, given segments' clusters; or None."""
        if self.probability is None:
            return None, None
        probability = np.empty(cluster.max() + 1)
        probability[cluster] = self.probability
        if self.stratum is None:
            return probability, None
        stratum = np.empty(len(probability), dtype=np.int64)
        stratum[cluster] = self.stratum  # numbered in the order of clusters, then
        return probability, pd.factorize(stratum)[0]

    def counts(self):
        """Return what a leaderboard counts of a sample."""
        if self.probability is None:
            return {}
        return {"of_segments": len(self.labels), "not_judged": self.not_judged}


def sample_of(selection, judged, scored=None):
    """Describe the sample that judged segments (an Index) are; ``scored``: by name, by machines."""
    scored = scored or {}
    if selection is None:
        labels = judged
        for more in scored.values():
            labels = labels.union(more, sort=False)
        return Sample(labels, np.arange(len(labels)), None)
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
    documents = np.arange(len(labels))
    if "document" in selection:
        names = selection["document"].to_numpy(dtype=object)
        alone = np.array([f"\0{k}" for k in range(len(names))], dtype=object)
        documents = pd.factorize(np.where(names == "", alone, names))[0]
    there = labels.isin(judged)
    not_judged = int((chosen & ~there).sum())
    stratum = selection["stratum"].to_numpy() if "stratum" in selection else None
    if len(np.unique(documents[there])) < len(np.unique(documents[chosen])):
        probability, stratum = _of_second_draw(probability, stratum, documents, chosen, there)
    return Sample(labels, documents, probability, stratum, not_judged, _mark(selection))


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
    """Return probabilities and strata of being chosen and judged, where a part is judged so far.

    Which of the chosen are judged is taken for a second draw, of as many as are judged of each
    stratum, and of those sure to be chosen; where these have none judged, of fewer parts.
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
