"""What is summed up of each system: sums of parts, added, are the sums of the whole, exactly."""

from dataclasses import dataclass, field
from functools import partial
from math import sqrt

import numpy as np
import pandas as pd
from scipy.special import ndtri

from sklearn_mteval._helpers.exact_sums import exact_sums, quotient
from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.options import check_proportion
from sklearn_mteval.candidates import group_codes, label_index
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.aligned import expected, warn_undefined
from sklearn_mteval.metrics.core.units import bootstrap_statistics, percentile_interval
from sklearn_mteval.metrics.system.tables import means_of_groups

# Segments up to which intervals are those of the bootstrap. With more, a mean is normal to within a
# five-hundredth of its standard error, and nothing of a segment need be kept.
MOST_RESAMPLED = 20_000
_LARGEST = np.finfo(np.float64).max


@dataclass
class _OfSystem:
    """What is known of one system."""

    segments: int = 0  # that it has translated
    scored: int = 0  # of these, with a score
    score: int = 0  # exact sums
    square: int = 0
    rows: int = 0  # ranked; a translation may stand in several rankings
    rank: int = 0
    best: int = 0
    # Scores of segments, as long as they are few.
    scores: list | None = field(default_factory=list)

    def __add__(self, other):
        mine, others = vars(self), vars(other)
        names = [name for name in mine if name != "scores"]
        total = _OfSystem(**{name: mine[name] + others[name] for name in names}, scores=None)
        kept = self.scores is not None and other.scores is not None
        if kept and total.scored <= MOST_RESAMPLED:
            total.scores = self.scores + other.scores
        return total


class SystemSums:
    """Sums over the translations of each system, by name: scores, their squares, ranks, segments.

    Add those of other segments with ``+``. A segment must not be in both.
    """

    def __init__(self, of_systems=None):
        self.of_systems = {} if of_systems is None else of_systems

    @classmethod
    def of(cls, found):
        """Sum up what ``rank_candidates`` or ``score_candidates`` found, by whole segments."""
        ranked = found if isinstance(found, pd.DataFrame) else None
        scores = found["score"] if ranked is not None else found
        segments, systems = (
            group_codes(scores.index.get_level_values(level), len(scores))
            for level in ("segment", "system")  # labels may be tuples, or of several types
        )
        n_systems = int(systems.max(initial=-1)) + 1
        pairs, of_pair = np.unique(segments * max(n_systems, 1) + systems, return_inverse=True)
        values = finite_scores(scores)
        if len(pairs) < len(values):
            there = ~np.isnan(values)
            values = means_of_groups(of_pair[there], values[there], len(pairs))
        else:  # a row each, and any order of the rows is as good
            values = values[np.argsort(of_pair)]
        system = pairs % max(n_systems, 1)
        scored = ~np.isnan(values)
        score = exact_sums(values[scored], system[scored], n_systems)
        with np.errstate(over="ignore"):  # of what has no interval that a float holds
            squares = np.minimum(values[scored] ** 2, _LARGEST)
        square = exact_sums(squares, system[scored], n_systems)
        order = np.argsort(system, kind="stable")
        parts = np.split(order, np.searchsorted(system[order], np.arange(1, n_systems)))
        names = scores.index.get_level_values("system")
        first = np.unique(systems, return_index=True)[1]
        sums = [
            _OfSystem(
                segments=len(part),
                scored=int(scored[part].sum()),
                score=score[k],
                square=square[k],
                scores=[values[part][scored[part]]] if len(part) <= MOST_RESAMPLED else None,
            )
            for k, part in enumerate(parts)
        ][:n_systems]
        if ranked is not None:
            ranks = ranked["rank"].to_numpy()
            for name, weights in (("rows", None), ("best", ranks == 1), ("rank", ranks)):
                found = np.bincount(systems, weights, n_systems)
                for of_system, total in zip(sums, found.tolist(), strict=True):
                    setattr(of_system, name, int(total))
        return cls(dict(zip(names[first].tolist(), sums, strict=True)))

    def __add__(self, other):
        both = dict(self.of_systems)
        for name, of_system in other.of_systems.items():
            both[name] = both.get(name, _OfSystem()) + of_system
        return type(self)(both)

    @property
    def resampled(self):
        """Whether any interval of the table is the bootstrap's, which asks for scores."""
        return any(0 < s.scored <= MOST_RESAMPLED for s in self.of_systems.values())

    def to_dict(self):
        """Return what JSON can hold: all but the scores of segments, sums as decimal integers."""
        rows = []
        for name, of_system in self.of_systems.items():
            sums = {key: str(n) for key, n in vars(of_system).items() if key != "scores"}
            rows.append({"system": name, **sums})
        return {"systems": rows}

    @classmethod
    def from_dict(cls, saved):
        """Make sums of what :meth:`to_dict` returned; ValueError for anything else."""
        names = [name for name in vars(_OfSystem()) if name != "scores"]
        try:
            found = {
                row["system"]: _OfSystem(**{key: int(row[key]) for key in names}, scores=None)
                for row in saved["systems"]
            }
        except (TypeError, KeyError, ValueError) as error:
            raise ValueError(f"expected sums of systems, found {str(saved)[:80]}.") from error
        return cls(found)

    def table(self, *, confidence=0.95, n_resamples=1000, random_state=0):
        """Make the table that ``rank_systems`` or, where nothing is ranked, ``score_systems`` give.

        Sums that were read back from a dict must be of more than 20,000 segments.
        """
        check_proportion("confidence", confidence)
        ranked = any(of_system.rows for of_system in self.of_systems.values())
        names = label_index(list(self.of_systems), tupleize_cols=False)
        sums = list(self.of_systems.values())
        means = [float(quotient(s.score, s.scored)) if s.scored else np.nan for s in sums]
        drawn = {"n_resamples": n_resamples, "random_state": random_state}
        low, high = _bounds(sums, means, confidence, **drawn)
        columns = {"score": means, "low": low, "high": high}
        if ranked:
            columns["mean_rank"] = [s.rank / s.rows for s in sums]
            columns["best"] = [s.best / s.rows for s in sums]
        columns["segments"] = [s.segments if ranked else s.scored for s in sums]
        if any(s.scored and not np.isfinite(bound) for s, bound in zip(sums, low, strict=True)):
            reason = "it has fewer than two segments"
            warn_undefined("The interval of a system's score", reason, stacklevel=3)
        found = pd.DataFrame(columns, index=names.rename("system"))
        found = found.sort_index(key=lambda names: names.map(str))
        by = ["score", "mean_rank"] if ranked else ["score"]
        return found.sort_values(by, ascending=[False, True][: len(by)], kind="stable")


def _bounds(sums, means, confidence, **drawn):
    """Return the lower and upper bounds of systems' intervals, (2, n_systems)."""
    bounds = np.full((2, len(sums)), np.nan)
    numbers = np.array([s.scored for s in sums])
    for n_segments in np.unique(numbers[(numbers > 0) & (numbers <= MOST_RESAMPLED)]):
        same = np.flatnonzero(numbers == n_segments)
        # Sorted by what they are: the draws ask neither for names nor for other systems.
        scores = [np.sort(np.concatenate(sums[k].scores)) for k in same]
        resampled = bootstrap_statistics(
            [partial(_resampled_mean, some) for some in scores], int(n_segments), **drawn
        )
        bounds[:, same] = percentile_interval(resampled, confidence).T
    for k in np.flatnonzero(numbers > MOST_RESAMPLED):
        s = sums[k]
        mean = quotient(s.score, s.scored)
        variance = (quotient(s.square, s.scored) - mean**2) / (s.scored - 1)
        margin = -ndtri((1 - confidence) / 2) * sqrt(max(float(variance), 0.0))
        bounds[:, k] = means[k] - margin, means[k] + margin
    return bounds


def _resampled_mean(scores, weights):
    """Average the scores of a system in resamples, (n_resamples, n_segments)."""
    return weights @ (scores / len(scores))  # sums of large scores would overflow


def finite_scores(scores):
    """Return scores as numbers, NaN where one is missing; CandidateError for infinite ones."""
    with expected("scores must be numbers, higher is better"):
        values = as_numbers(scores)
    if np.isinf(values).any():
        raise CandidateError(f"the score of row {int(np.isinf(values).argmax())} is infinite.")
    return values
