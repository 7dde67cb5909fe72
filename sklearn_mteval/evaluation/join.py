"""Judgements and the scores of several metrics, brought together by label."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.candidates import check_candidates, check_ranks
from sklearn_mteval.datasets.system_names import match_systems
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.aligned import expected
from sklearn_mteval.metrics.system.tables import score_table
from sklearn_mteval.segments import document_codes, documents_of_segments

_TRANSLATION = ("segment", "system")
_LARGEST = 1e100  # of sums of squares of larger ones is nothing left but infinity


class RankerScores(NamedTuple):
    """What a ranker says of translations, at each level; both higher is better."""

    strengths: pd.Series  # indexed like the judgements, comparable within a ranking
    scores: pd.Series  # by (segment, system), comparable everywhere: their means score systems
    # Which other systems of a segment the strengths compare, as the signature says it: "at-hand"
    # are all whose translations are known, judged or not; "" is not said.
    competitors: str = ""


class Joined(NamedTuple):
    """What there is to compare."""

    y: pd.Series  # judgements, lower is better
    rows: pd.DataFrame  # score of each judged row (n_rows, n_metrics), higher is better
    tables: dict  # of each metric all scores, judged or not: (n_segments, n_systems), same labels
    left_out: dict  # how many scores of each metric's table were left out, because others have none
    competitors: str | None = None  # those of rankers, where these say so
    tokenizers: str | None = None  # those of metrics that were computed here
    documents: pd.Series | None = None  # of each segment, judged or not; "" unknown

    def units(self):
        """Return the label of each judged row's document, or segment: what varies as a whole."""
        labels = self.y.index.get_level_values("segment")
        if self.documents is None:
            return labels
        segments = labels.unique()
        return document_codes(self.documents[segments])[segments.get_indexer(labels)]


def join(y, scores, *, documents=None, lower_is_better=(), missing="error"):
    """Join scores of metrics, indexed by (segment, system) or like y, to y; missing are NaN."""
    check_one_of("missing", missing, ("error", "skip"))
    y = _judgements(y)
    documents = documents_of_segments(documents, y.to_frame())
    systems = pd.factorize(y.index.unique("system"), sort=True)[1]  # of mixed types, too
    columns = _columns(scores)
    unknown = [name for name in lower_is_better if name not in columns]
    if unknown:
        raise ValueError(f"There is no metric {unknown[0]!r}, only {', '.join(columns)}.")
    rows, tables = {}, {}
    for name, given in columns.items():
        parts = [_renamed(name, part, systems) for part in given]
        if name in lower_is_better:
            parts = [0 - part for part in parts]
        rows[name] = _of_rows(name, parts[0], y.index, missing)
        column = parts[-1][parts[-1].index.get_level_values("system").isin(systems)]
        labels = (column.index.get_level_values(level) for level in _TRANSLATION)
        table = score_table(column.to_numpy(), *labels, missing="skip")  # means of translations
        tables[name] = table.reindex(columns=systems)
    segments = y.index.unique("segment")
    for table in tables.values():
        segments = segments.union(table.index, sort=False)
    tables = {name: table.reindex(segments) for name, table in tables.items()}
    rows = pd.DataFrame(rows, index=y.index)
    if documents is not None:
        documents = documents.reindex(segments, fill_value="")
    return Joined(y, rows, tables, dict.fromkeys(rows, 0), *_noted(scores), documents)


def _noted(scores):
    """Yield what is said of the scores for a signature: competitors and tokenisers, or None."""
    parts = list(scores.values()) if isinstance(scores, Mapping) else []
    competitors = {part.competitors for part in parts if isinstance(part, RankerScores)}
    tokenizers = {part.attrs.get("tokenizer") for part in parts if isinstance(part, pd.Series)}
    for found in (competitors, tokenizers):
        yield ",".join(sorted(found - {None})) or None


def _judgements(y):
    """Return judgements as a Series of floats."""
    if not isinstance(y, pd.Series):
        raise CandidateError(
            "y must be a Series of judgements indexed by 'segment' and 'system', found "
            f"{type(y).__name__}."
        )
    if len(y) == 0:
        raise CandidateError("y has no judgement.")
    check_candidates(y.to_frame())
    return pd.Series(check_ranks(y, y.to_frame()), index=y.index)


def common_rows(joined):
    """Leave out, for all metrics, what some metric has not scored."""
    there = joined.rows.notna().all(axis=1)
    if not there.any():
        raise CandidateError("No judged row has a score of every metric.")
    scored = np.all([table.notna() for table in joined.tables.values()], axis=0)
    tables = {name: table.where(scored) for name, table in joined.tables.items()}
    left_out = {
        name: int(table.notna().to_numpy().sum() - scored.sum())
        for name, table in joined.tables.items()
    }
    return joined._replace(rows=joined.rows.where(there), tables=tables, left_out=left_out)


def join_common(y, scores, **options):
    """Join what every metric has scored, and nothing else; options of :func:`join`."""
    joined = common_rows(join(y, scores, **options))
    there = joined.rows.notna().all(axis=1)
    return joined._replace(y=joined.y[there], rows=joined.rows[there])


def _columns(scores):
    """Return the scores of each metric as one Series, or two, of finite numbers or NaN."""
    if isinstance(scores, pd.DataFrame):
        repeated = scores.columns[scores.columns.duplicated()]
        if len(repeated):
            raise CandidateError(f"There are several columns of scores named {repeated[0]!r}.")
        scores = {name: scores[name] for name in scores.columns}
    if not isinstance(scores, Mapping) or not scores:
        raise CandidateError(
            "scores must be a DataFrame with a column for each metric, or a mapping from names to "
            f"Series, at least one, found {type(scores).__name__}."
        )
    parts = {
        name: given[:2] if isinstance(given, RankerScores) else [given]
        for name, given in scores.items()
    }
    return {name: [_checked(name, part) for part in given] for name, given in parts.items()}


def check_name(what, name):
    """Raise unless a name can be printed."""
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise CandidateError(f"A {what}'s name must be a printable string, found {name!r}.")


def _checked(name, column):
    """Return one metric's scores as floats."""
    check_name("metric", name)
    if name == "human":
        raise CandidateError("A metric cannot be named 'human', as the human scores are.")
    if not isinstance(column, pd.Series):
        raise CandidateError(
            f"The scores of {name!r} must be a Series indexed by 'segment' and 'system', found "
            f"{type(column).__name__}."
        )
    check_candidates(column.to_frame())
    with expected(f"The scores of {name!r} must be numbers"):
        column = pd.Series(as_numbers(column), column.index)
    large = column[np.abs(column) > _LARGEST]
    if len(large):
        found = "infinite" if np.isinf(large.iloc[0]) else f"{large.iloc[0]:g}"
        raise CandidateError(
            f"The score of {name!r} for {large.index[0]} is {found}: scores must lie between "
            f"-{_LARGEST:g} and {_LARGEST:g}."
        )
    return column


def _renamed(name, column, systems):
    """Give the systems of a metric's scores the names that they have in y; each must be there."""
    there = column.index.unique("system")
    try:
        matched = match_systems(there, systems)
    except CandidateError as error:
        raise CandidateError(f"The scores of {name!r}: {error}") from None
    other = {found: meant for found, meant in matched.items() if found != meant}
    column = column.rename(index=other, level="system") if other else column
    scored = set(column.index[column.notna()].get_level_values("system"))
    for system in systems:
        if system not in scored:
            raise CandidateError(f"{name!r} has no score of the system {str(system)!r}.")
    return column


def _of_rows(name, column, index, missing):
    """Look up the score of each judged row."""
    levels = list(column.index.names)
    if set(levels) == set(index.names):
        keys = index.reorder_levels(levels)
    elif set(levels) == set(_TRANSLATION):
        rest = [level for level in index.names if level not in _TRANSLATION]
        keys = index.droplevel(rest).reorder_levels(levels)
    else:
        raise CandidateError(
            f"The scores of {name!r} must be indexed by {list(_TRANSLATION)} or like y by "
            f"{list(index.names)}, found {levels}."
        )
    found = column.reindex(keys).to_numpy()
    absent = np.isnan(found)
    if absent.any() and missing == "error":
        label = zip(levels, keys[int(absent.argmax())], strict=True)
        shown = ", ".join(f"{level} {name}" for level, name in label)
        raise CandidateError(
            f"{name!r} has no score of {int(absent.sum())} of {len(absent)} judged rows; the first "
            f"is {shown}. Pass missing='skip' to leave such rows out."
        )
    return found
