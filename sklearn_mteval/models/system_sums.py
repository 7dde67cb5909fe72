"""What is summed up of each system: sums of parts, added, are the sums of the whole, exactly."""

from dataclasses import dataclass, field
from functools import partial
from math import sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtri

from sklearn_mteval._helpers.exact_sums import quotient
from sklearn_mteval._helpers.options import check_proportion
from sklearn_mteval.candidates import group_codes, label_index
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.aligned import warn_undefined
from sklearn_mteval.metrics.core.units import bootstrap_statistics, percentile_interval
from sklearn_mteval.metrics.system.difference_sums import (
    NO_SEGMENTS,
    added,
    difference_sums,
    mean_and_variance,
)
from sklearn_mteval.metrics.system.paired import SystemPairs, pairs_of, system_pairs
from sklearn_mteval.metrics.system.tables import finite_scores, means_of_cells
from sklearn_mteval.segments import document_codes

# Segments up to which intervals are those of the bootstrap. With more, a mean is normal to within a
# five-hundredth of its standard error, and nothing of a segment need be kept.
MOST_RESAMPLED = 20_000
MOST_COMPARED = 200  # systems: two by two they have 20,000 sums
_ALPHA = 0.05


class Systems(NamedTuple):
    """A table of systems, the best first, and what else is known of them."""

    table: pd.DataFrame
    pairs: SystemPairs | None  # by score, of a model without scores by 0 - rank; None: too many
    segments: int  # with a translation
    blank: int  # further segments, in which nothing is translated
    documents: int | None  # None: unknown


@dataclass
class _OfSystem:
    """What is known of one system."""

    segments: int = 0  # that it has translated
    rows: int = 0  # ranked; a translation may stand in several rankings
    rank: int = 0
    best: int = 0
    # Scores of segments, as long as they are few.
    scores: list | None = field(default_factory=list)

    def __add__(self, other):
        mine, others = vars(self), vars(other)
        names = [name for name in mine if name != "scores"]
        total = _OfSystem(**{name: mine[name] + others[name] for name in names}, scores=None)
        if self.scores is not None and other.scores is not None:
            scores = self.scores + other.scores
            total.scores = scores if sum(map(len, scores)) <= MOST_RESAMPLED else None
        return total


class SystemSums:
    """Sums over the translations of each system, by name, and over what each two differ by.

    Add those of other segments with ``+``. A segment must not be in both. Memory does not grow with
    the segments, but where their documents are known: then 8 bytes of each score are kept.
    """

    def __init__(self, of_systems=None, differences=None, tables=(), segments=0, blank=0):
        self.of_systems = {} if of_systems is None else of_systems
        # By (system, other), of (system,) those of its scores, see ``difference_sums``.
        self.differences = {} if differences is None else differences
        self._tables = list(tables)  # systems, scores (n_segments, n_systems) and documents of each
        self.segments, self.blank = segments, blank

    @classmethod
    def of(cls, found, documents=None):
        """Sum up what ``rank_candidates`` or ``score_candidates`` found, by whole segments.

        ``documents`` is None, or a Series of the documents' labels, indexed by segment.
        """
        n_segments = found.index.unique("segment").size
        ranked = found if isinstance(found, pd.DataFrame) else None
        if ranked is not None:  # what is blank everywhere has no strength
            ranked = ranked[ranked["strength"].notna().to_numpy()]
        scores = found if ranked is None else ranked["score"]
        names = scores.index.get_level_values("segment")  # labels may be tuples, or of any types
        segments, systems = (
            group_codes(scores.index.get_level_values(level), len(scores))
            for level in ("segment", "system")
        )
        n_systems = int(systems.max(initial=-1)) + 1
        cells, of_cell = np.unique(segments * max(n_systems, 1) + systems, return_inverse=True)
        values = finite_scores(scores)
        by_rank = ranked is not None and np.isnan(values).all()
        values = means_of_cells(values, of_cell, len(cells))
        segment, system = np.divmod(cells, max(n_systems, 1))
        labels = scores.index.get_level_values("system")
        labels = labels[np.unique(systems, return_index=True)[1]].tolist()
        compared = values
        if by_rank:
            compared = means_of_cells(-ranked["rank"].to_numpy(dtype=float), of_cell, len(cells))
        of_systems = _of_systems(values, system, n_systems)
        if ranked is not None:
            ranks = ranked["rank"].to_numpy()
            for name, weights in (("rows", None), ("best", ranks == 1), ("rank", ranks)):
                totals = np.bincount(systems, weights, n_systems)
                for of_system, total in zip(of_systems, totals.tolist(), strict=True):
                    setattr(of_system, name, int(total))
        there = len(np.unique(segment if ranked is not None else segment[~np.isnan(values)]))
        tables, pairs = [], n_systems <= MOST_COMPARED
        if documents is not None and n_systems:
            table = np.full((int(segments.max()) + 1, n_systems), np.nan)
            table.ravel()[cells] = compared
            first = names[np.unique(segments, return_index=True)[1]]
            known = ~np.isnan(table).all(axis=1)
            of_segments = documents.reindex(first).to_numpy(dtype=object)
            tables = [(labels, table[known], of_segments[known])]
            pairs = False
        sums = difference_sums(compared, segment, system, n_systems, pairs=pairs, own=not by_rank)
        sums = {tuple(labels[k] for k in key): value for key, value in sums.items()}
        of_systems = dict(zip(labels, of_systems, strict=True))
        for name in found.index.unique("system").tolist():
            of_systems.setdefault(name, _OfSystem())
        return cls(of_systems, sums, tables, there, n_segments - there)

    def __add__(self, other):
        both = dict(self.of_systems)
        for name, of_system in other.of_systems.items():
            both[name] = both.get(name, _OfSystem()) + of_system
        differences = added(self.differences, other.differences)
        counts = self.segments + other.segments, self.blank + other.blank
        return type(self)(both, differences, [*self._tables, *other._tables], *counts)

    @property
    def resampled(self):
        """Whether any interval of the table is the bootstrap's, which asks for scores."""
        return any(0 < self._own(name)[0] <= MOST_RESAMPLED for name in self.of_systems)

    def to_dict(self):
        """Return what JSON can hold: all but the scores of segments, sums as decimal integers."""
        place = {name: k for k, name in enumerate(self.of_systems)}
        rows = []
        for name, of_system in self.of_systems.items():
            sums = {key: str(n) for key, n in vars(of_system).items() if key != "scores"}
            rows.append({"system": name, **sums})
        pairs = [
            [[place[name] for name in key], *map(str, sums)]
            for key, sums in self.differences.items()
        ]
        segments = [self.segments, self.blank]
        return {"systems": rows, "differences": pairs, "segments": segments}

    @classmethod
    def from_dict(cls, saved):
        """Make sums of what :meth:`to_dict` returned; ValueError for anything else."""
        keys = [name for name in vars(_OfSystem()) if name != "scores"]
        try:
            found = {
                row["system"]: _OfSystem(**{key: int(row[key]) for key in keys}, scores=None)
                for row in saved["systems"]
            }
            names = list(found)
            differences = {
                tuple(names[k] for k in places): (int(n), int(total), int(squares))
                for places, n, total, squares in saved["differences"]
            }
            segments, blank = map(int, saved["segments"])
        except (TypeError, KeyError, ValueError, IndexError) as error:
            raise ValueError(f"expected sums of systems, found {str(saved)[:80]}.") from error
        return cls(found, differences, (), segments, blank)

    def result(self, *, confidence=0.95, n_resamples=1000, random_state=0):
        """Make the table of systems, and compare each two of them: Systems.

        Sums that were read back from a dict must be of more than 20,000 segments.
        """
        check_proportion("confidence", confidence)
        if self.blank and not self.segments:
            problem = f"None of the {self.blank} segments has a translation with a score"
            raise CandidateError(f"{problem}: are all texts blank?")
        ranked = any(of_system.rows for of_system in self.of_systems.values())
        names = label_index(list(self.of_systems), tupleize_cols=False).rename("system")
        sums = list(self.of_systems.values())
        own = [self._own(name)[:2] for name in self.of_systems]
        scored = np.array([n for n, _ in own], dtype=np.int64)
        means = [float(quotient(total, n)) if n else np.nan for n, total in own]
        low, high = self._bounds(means, scored, confidence, n_resamples, random_state)
        columns = {"score": means, "low": low, "high": high}
        if ranked:
            for column, total in (("mean_rank", "rank"), ("best", "best")):
                columns[column] = [getattr(s, total) / s.rows if s.rows else np.nan for s in sums]
        columns["segments"] = [s.segments for s in sums] if ranked else scored
        if (np.isnan(low) & (scored > 0)).any():
            warn_undefined(
                "The interval of a system's score", "it has fewer than two segments", stacklevel=3
            )
        found = pd.DataFrame(columns | {"place": range(len(sums))}, index=names)
        found = found.sort_index(key=lambda names: names.map(str))
        by = ["score", "mean_rank"] if ranked else ["score"]
        found = found.sort_values(by, ascending=[False, True][: len(by)], kind="stable")
        # An Index of large numbers and fractions has rounded them: the names are those of the sums.
        systems = list(self.of_systems)
        pairs = self._pairs([systems[k] for k in found.pop("place")], confidence)
        pairs = pairs and pairs._replace(systems=found.index)
        found.insert(3, "letters", pairs.letters().to_numpy() if pairs else "")
        n_documents = len(set(self._documents())) if self._tables else None
        return Systems(found, pairs, self.segments, self.blank, n_documents)

    def _own(self, name):
        """Return how many scores a system has, and sums of these and of their squares."""
        return self.differences.get((name,), NO_SEGMENTS)

    def _documents(self):
        """Number the documents of all segments."""
        return document_codes(np.concatenate([labels for _, _, labels in self._tables]))

    def _scores(self, systems):
        """Return the scores of all segments, (n_segments, n_systems), where these were kept."""
        parts = []
        for names, values, _ in self._tables:
            place = {name: k for k, name in enumerate(names)}
            values = np.column_stack([values, np.full(len(values), np.nan)])
            parts.append(values[:, [place.get(name, -1) for name in systems]])
        return np.concatenate(parts)

    def _pairs(self, systems, confidence):
        """Compare each two systems, in this order; None if there are too many."""
        if len(systems) > MOST_COMPARED:
            return None
        asked = {"confidence": confidence, "alpha": _ALPHA}
        if self._tables:
            return system_pairs(pd.DataFrame(self._scores(systems)), self._documents(), **asked)
        n_shared = np.zeros((len(systems),) * 2)
        differences, variances = np.full((2, *n_shared.shape), np.nan)
        place = {name: k for k, name in enumerate(systems)}
        for (name, *others), sums in self.differences.items():
            for other in others:
                one, two = place[name], place[other]
                n_shared[one, two] = n_shared[two, one] = sums[0]
                mean, variances[one, two] = mean_and_variance(*sums)
                differences[one, two], differences[two, one] = mean, -mean
                variances[two, one] = variances[one, two]
        return pairs_of(systems, differences, variances, n_shared, **asked)

    def _bounds(self, means, scored, confidence, n_resamples, random_state):
        """Return the lower and upper bounds of systems' intervals, (2, n_systems)."""
        drawn = {"n_resamples": n_resamples, "random_state": random_state}
        bounds, names = np.full((2, len(means)), np.nan), list(self.of_systems)
        if self._tables:
            return self._bounds_by_document(bounds, names, confidence)
        for n_segments in np.unique(scored[(scored > 0) & (scored <= MOST_RESAMPLED)]):
            same = np.flatnonzero(scored == n_segments)
            # Sorted by what they are: the draws ask neither for names nor for other systems.
            scores = [np.sort(np.concatenate(self.of_systems[names[k]].scores)) for k in same]
            resampled = bootstrap_statistics(
                [partial(_resampled_mean, some) for some in scores], int(n_segments), **drawn
            )
            bounds[:, same] = percentile_interval(resampled, confidence).T
        for k in np.flatnonzero(scored > MOST_RESAMPLED):
            _, variance = mean_and_variance(*self._own(names[k]))
            margin = -ndtri((1 - confidence) / 2) * sqrt(variance)
            bounds[:, k] = means[k] - margin, means[k] + margin
        return bounds

    def _bounds_by_document(self, bounds, names, confidence):
        """Fill in Student's bounds, with errors of the jackknife by document."""
        for k, values in enumerate(self._scores(names).T):
            table = pd.DataFrame({0: values, 1: np.where(np.isnan(values), np.nan, 0.0)})
            own = system_pairs(table, self._documents(), confidence=confidence)
            if self._own(names[k])[0]:  # not of ranks
                bounds[:, k] = own.low[0, 1], own.high[0, 1]
        return bounds


def _of_systems(values, system, n_systems):
    """Count the segments of each system, and keep its scores, unless they are many."""
    order = np.argsort(system, kind="stable")
    ends = np.searchsorted(system[order], np.arange(n_systems), side="right")
    found = []
    for part in np.split(values[order], ends)[:n_systems]:
        known = part[~np.isnan(part)]
        kept = [known] if len(known) <= MOST_RESAMPLED else None
        found.append(_OfSystem(segments=len(part), scores=kept))
    return found


def _resampled_mean(scores, weights):
    """Average the scores of a system in resamples, (n_resamples, n_segments)."""
    return weights @ (scores / len(scores))  # sums of large scores would overflow
