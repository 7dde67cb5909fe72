"""Which judgements are of annotators, and which of models and metrics that stand in for them."""

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.options import names_of
from sklearn_mteval.evaluation.join import join
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.annotators.judged_pairs import labels_of_rows


def options_of_means(by, inference, judges, automatic_judges):
    """Return all options of a leaderboard that automatic judges help."""
    names = names_of("automatic_judges", automatic_judges)
    if judges is not None and not names:
        raise ValueError("judges are given, and nothing reads them: name automatic_judges.")
    return inference.with_options(by, automatic_judges=names)


def rows_of_judges(X, y, judges, names):
    """Return masks of rows that annotators judged, and of those of each automatic judge."""
    if not names:
        return np.ones(len(X), dtype=bool), {}
    if judges is None:
        raise CandidateError(
            "automatic_judges are names among judges, which are not known: pass judges, who judged "
            "each row."
        )
    labels_of_rows("judges", judges, y)
    labels = np.asarray(judges, dtype=object)
    masks = {name: labels == name for name in names}
    check_known(names, labels)
    people = ~np.any(list(masks.values()), axis=0)
    if not people.any():
        raise CandidateError(
            "All judges are automatic: what they are worth is learnt from annotators' judgements "
            "of some of the same translations. Without annotators, leave automatic_judges out."
        )
    systems = X.index.get_level_values("system")
    alone = systems[~systems.isin(systems[people])]
    if len(alone):
        raise CandidateError(
            f"No annotator judged the system {alone[0]!r}: leave it out, or have annotators judge "
            "some of its translations."
        )
    return people, masks


def check_known(names, labels):
    """Raise for a name that no judge has."""
    known = {str(label) for label in labels}
    for name in names:
        if name not in known:
            some = ", ".join(map(repr, sorted(known)[:10])) + " …" * (len(known) > 10)
            raise CandidateError(f"No judge is named {name!r}: there are {some}.")


def score_tables(y, scores, judges):
    """Return a table (segments, systems) of each metric's scores; no judge has a metric's name."""
    tables = {} if scores is None else join(y, scores, missing="skip").tables
    both = [name for name in tables if name in judges]
    if both:
        raise ValueError(f"{both[0]!r} is an automatic judge and a metric of scores: rename one.")
    return tables


def table_of_coefficients(names, estimated, units, by):
    """Return each automatic judge's coefficients, and how much it scored."""
    n_columns = len(estimated.coefficients) // len(names)
    kinds = ("coefficient",) if n_columns == 1 else ("of_segments", "of_differences")
    columns = {kind: estimated.coefficients[k::n_columns] for k, kind in enumerate(kinds)}
    scored = (~np.isnan(units.automatic[:, ::n_columns])).sum(axis=0)
    columns["scored"] = scored // 2 if by == "win-rate" else scored  # comparisons have two sides
    return pd.DataFrame(columns, index=pd.Index(names, name="judge", dtype=object))
