"""Pages of results: one call from what a function returned to a file to look at."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from sklearn.base import BaseEstimator

from sklearn_mteval.datasets import Judgements
from sklearn_mteval.evaluation.challenges import Challenge
from sklearn_mteval.evaluation.compare import Comparison
from sklearn_mteval.models.belief import belief_line, languages_of
from sklearn_mteval.models.cards import READY_MADE
from sklearn_mteval.models.duels import Duel
from sklearn_mteval.models.score_counts import ScoreCounts
from sklearn_mteval.models.system_sums import SystemSums
from sklearn_mteval.report.html.contents import (
    ModelContents,
    contents_of_challenge,
    contents_of_duel,
    contents_of_judgements,
)
from sklearn_mteval.report.html.document import document, page_of
from sklearn_mteval.report.pictures.of_results import of_systems as picture_of_systems
from sklearn_mteval.report.plots_of_results import for_page, of_systems
from sklearn_mteval.report.results import RESULTS
from sklearn_mteval.report.scores import FOUND
from sklearn_mteval.report.summaries.systems import summary_of_systems, warnings_of_systems
from sklearn_mteval.segments import blank_everywhere


def html_report(
    found: Any, data: Judgements | pd.DataFrame | None = None,
    scores: pd.DataFrame | Mapping | None = None, *, model: BaseEstimator | None = None,
    title: str = "", name: str = "model"
) -> str:  # fmt: skip
    """Write a result as one HTML page: summary, tables, plots, themes and all segments.

    Parameters
    ----------
    found : result
        What an evaluation, a comparison, a leaderboard, a metrics task, a challenge, a duel, a
        training or a decision table returned; or what
        :func:`~sklearn_mteval.models.rank_candidates` or
        :func:`~sklearn_mteval.models.score_candidates` did.
    data : Judgements or DataFrame, optional
        Whose segments are shown: the judgements that a result is about; of ranks, scores, duels and
        challenges the candidate table. None: no segments are shown.
    scores : DataFrame or mapping, optional
        Of metrics, in addition to the judgements, as for
        :func:`~sklearn_mteval.evaluation.evaluate_metrics`.
    model : fitted estimator, optional
        Whose decisions are explained, in 10 segments.
    title : str, default=""
        The heading; "": the kind of the result.
    name : str, default="model"
        What to call the model of ranks and scores; of a ready-made one the page says how far to
        believe it.

    Returns
    -------
    str
        HTML that needs no other file and asks for none. It begins with the answer and a picture of
        it; further plots are there if matplotlib is installed.

    Raises
    ------
    TypeError
        For what is no result.
    ValueError
        For ranks or scores without the table of candidates.

    See Also
    --------
    sklearn_mteval.evaluation.collect_scores : Scores of metrics for judgements.

    Notes
    -----
    Of more than 200,000 translations a sample is shown, half of it segments in which annotators and
    the first metric disagree most (or the best and the worst score differ most), half random. The
    commands' ``--html`` writes all segments into a file next to the page.

    Examples
    --------
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.models import open_model, rank_candidates
    >>> from sklearn_mteval.report import html_report
    >>> X, _ = load_sample(return_X_y=True)
    >>> X = X[:20]
    >>> page = html_report(rank_candidates(open_model("static-en"), X), X)
    >>> page.lstrip().startswith("<!doctype html>")
    True
    """
    if isinstance(found, pd.DataFrame | pd.Series):
        if not isinstance(data, pd.DataFrame):
            raise ValueError("pages of ranks and scores show texts: pass the candidate table.")
        return document(_page_of_translations(found, data, model, title, name))
    if type(found) not in RESULTS:
        known = ", ".join(kind.__name__ for kind in RESULTS)
        raise TypeError(
            f"found must be a result ({known}), ranks or scores, found {type(found).__name__}."
        )
    parts = {} if data is None else _contents_of(found, data, scores, model)
    return document(page_of_result(title or type(found).__name__, found, **parts))


def _page_of_translations(found, X, model, title, name):
    """Make the dict of a page of ranks (a DataFrame) or scores (a Series) of translations."""
    kind = "ranks" if isinstance(found, pd.DataFrame) else "scores"
    systems = SystemSums.of(found).result()
    counts = ScoreCounts()
    counts.add(found["score"] if kind == "ranks" else found)
    contents = ModelContents(name)
    there = ~blank_everywhere(X)
    contents.add(X[there], found[there])
    parts = contents.contents(systems.table.index, model, pairs=systems.pairs)
    if name in READY_MADE:
        by = "strength" if kind == "ranks" else "score"
        parts["belief"] = belief_line(name, languages=languages_of(X), by=by)
    title = title or f"{kind.capitalize()} by {name}"
    return page_of_systems(title, systems, kind, counts, name, **parts)


def _contents_of(found, data, scores, model):
    """Return segments, themes and warnings about the data of a result."""
    if isinstance(found, Challenge):
        return contents_of_challenge(found, data)
    if isinstance(found, Duel):
        return contents_of_duel(found, data)
    evaluation = found.evaluation if isinstance(found, Comparison) else found
    metrics = getattr(evaluation, "table", pd.DataFrame()).index
    order = [] if scores is None else [name for name in metrics if name in scores]
    lower = getattr(getattr(evaluation, "options", None), "lower_is_better", ())
    return contents_of_judgements(
        {"": (data, scores)}, order=order or None, lower_is_better=lower, model=model
    )


def page_of_result(title, found, *, plots=(), warnings=(), **parts):
    """Make the dict of a page of any result that has a report; ``plots`` are further ones."""
    made = RESULTS[type(found)]
    parts |= {"summary": made.summary(found), "picture": made.picture(found)}
    parts["warnings"] = [*made.warnings(found), *warnings]
    return _page(title, made.report(found), [*made.plots(found), *plots], parts)


def page_of_systems(title, systems, kind, counts, name, *, warnings=(), **parts):
    """Make the dict of a page of "ranks" or "scores" of Systems."""
    parts["summary"] = summary_of_systems(systems, kind, name)
    parts["picture"] = picture_of_systems(systems.table)
    parts["warnings"] = [*warnings_of_systems(systems.table, kind), *warnings]
    _, report_of_systems = FOUND[kind]
    page = _page(title, report_of_systems(systems), of_systems(systems.table, counts), parts)
    for table in page["tables"][1:]:
        table["folded"] = True
    return page


def _page(title, report, plots, parts):
    """Make the dict of a page of a report, with its plots and what these leave to note."""
    drawn, notes = for_page(plots)
    return page_of(title, report, plots=drawn, notes=[*report.notes, *notes], **parts)
