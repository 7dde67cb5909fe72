"""Human judgements of any format, as one kind of table."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn_mteval._helpers.shown import Shown

if TYPE_CHECKING:  # not for --help, which reads the registry of formats
    from collections.abc import Iterable

    import pandas as pd

    from sklearn_mteval._helpers.types import PathLike


class Judgements(NamedTuple):
    """Human judgements of a test set, and all its translations that a metric may score.

    Attributes
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        The judged translations, a candidate table.
    y : Series of length n_candidates
        Their judgements, lower is better.
    translations : DataFrame of shape (n_translations, n_columns)
        All translations at hand, indexed by (segment, system), judged or not.
    n_segments : int or None
        Of the test set; None where that is not known.
    other_systems : tuple of str, or None
        Systems without judgements which files of scores may name, such as references. None: any.
    scores : DataFrame of shape (n_translations, n_metrics), or None
        Scores that the campaign itself has, of ``translations``, higher is better.
    judges : Series of length n_candidates, or None
        Who judged; None where that is not known, or where ``y`` are means.
    both_bad : Series of bool of length n_candidates, or None
        True for both rows of a comparison in which both were bad; None where nobody was asked.
    shown_first : Series of bool of length n_candidates, or None
        True for the row of a comparison that is named first; None where they are no comparisons.
    n_judgements : Series of length n_candidates, or None
        The weight of each row: how many judgements ``y`` is the mean of. None: one each.
    documents : Series of length n_candidates, or None
        Which document each row is of, "" where that is not known; None: of no row.
    domains : Series of length n_candidates, or None
        Which domain each row is of, such as "news"; "" and None as for documents.
    selection : DataFrame or None
        Which segments were chosen to be judged, and how likely each was, where the judgements are
        of a campaign that says it: as of :func:`~sklearn_mteval.evaluation.select_segments`.
    better : str
        Which judgement is better as the file has it, "lower" of ranks and penalties, "higher" of
        scores, which ``y`` has with a minus; "" of comparisons, or where nobody said it.
    spans : Series of length n_candidates, or None
        The errors that were marked in each row, by anyone: lists of ErrorSpan (start, end,
        severity, category, place), characters counted from 0, the end excluded. None: nobody was
        asked to mark any.
    marks : Series of length n_ratings, or None
        Where ``y`` are means, the errors that each rater marked, lists as in ``spans``, indexed by
        (segment, rater, system).
    ratings : Series of length n_ratings, or None
        What each of these raters said, lower is better, indexed like ``marks``; NaN: not known.
    annotators : DataFrame or None
        What a tool for annotation logged of those who judged, indexed by judge: ``minutes``,
        ``asked`` and ``passed`` (checks of attention); NaN: not known. None: of nobody.
    format : str
        The format that was read, of a table its layout.
    DESCR : str
        What was read.
    target_language : str
        Code of two letters, if there is one, of the language of the translations; "" where that is
        not known. Metrics of words take its tokeniser.
    warning : str
        What a user should know even of a file of a known format; often empty.
    """

    X: pd.DataFrame
    y: pd.Series
    translations: pd.DataFrame
    n_segments: int | None = None
    other_systems: tuple | None = ()
    scores: pd.DataFrame | None = None
    judges: pd.Series | None = None
    both_bad: pd.Series | None = None
    n_judgements: pd.Series | None = None
    documents: pd.Series | None = None
    spans: pd.Series | None = None
    marks: pd.Series | None = None
    ratings: pd.Series | None = None
    annotators: pd.DataFrame | None = None
    format: str = ""
    DESCR: str = ""
    target_language: str = ""
    warning: str = ""
    shown_first: pd.Series | None = None
    domains: pd.Series | None = None
    selection: pd.DataFrame | None = None
    better: str = ""

    # A NamedTuple has no other bases.
    def _repr_mimebundle_(self, **kwargs):
        return Shown._repr_mimebundle_(self)

    def _repr_html_(self):
        return Shown._repr_html_(self)

    def _repr_markdown_(self):
        return Shown._repr_markdown_(self)


def judgements_of(found, lang_pair=None, **others):
    """Make Judgements of a loader's Bunch; without translations these are the judged ones."""
    from sklearn_mteval.datasets.campaigns._judged import language

    fields = {name: found[name] for name in Judgements._fields if name in found} | others
    target = (lang_pair or found.get("lang_pair", "")).partition("-")[2]
    fields["target_language"] = language(target)
    if fields.get("translations") is None:
        X = fields["X"]
        X = X.droplevel([level for level in X.index.names if level not in ("segment", "system")])
        fields["translations"] = X[~X.index.duplicated()]
    return Judgements(**fields)


def load_judgements(
    path: PathLike | pd.DataFrame, format: str | None = None, *, batches: Iterable[PathLike] = (),
    return_X_y: bool = False, **options: Any
) -> Any:  # fmt: skip
    """Load human judgements of any format that the package knows.

    Parameters
    ----------
    path : path-like or DataFrame
        A file, or a campaign's folder; of a table of one's own also a DataFrame, of pandas, polars
        or Arrow.
    format : str, optional
        Its format, or the layout of a table: the names of the guide's table, which ``--format`` of
        the commands has, too. None: what it is for certain, otherwise a table of one's own.
    batches : iterable of path-like, default=()
        Results of the other batches of a campaign of annotation, in any order; needs ``campaign``,
        the key of the last batch, as an option.
    return_X_y : bool, default=False
        Whether to return X and y alone.
    **options
        Of that format, as the commands have them: ``lang_pair``, ``reference_system``,
        ``human_systems``, ``gold``, ``metric_scores``, ``texts``, ``points``; of a table
        those of :func:`load_rankings`.

    Returns
    -------
    Judgements, or X and y
        Ranks, scores or penalties with their translations.

    Raises
    ------
    ValueError
        For a format that is not known.
    TypeError
        For an option that the format has not, or one that it needs.
    DataFileError
        For files that cannot be read, naming file and line; for a folder of no certain format.

    See Also
    --------
    load_wmt, load_mqm, load_mlqe, load_mtme, load_esa, load_pearmut : All of a format.
    load_rankings : A table of one's own.
    sklearn_mteval.evaluation.collect_scores : Scores of metrics for judgements.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.datasets import load_judgements
    >>> judged = {"segment": [1, 1], "system": ["A", "B"], "score": [80, 60]}
    >>> found = load_judgements(pd.DataFrame(judged), better="higher")
    >>> found.y.tolist(), found.format
    ([-80, -60], 'long')
    """
    from sklearn_mteval.datasets.formats._registry import find_format, format_of

    name = find_format(path) if format is None else format
    entry = format_of(name)
    if entry.layouts:
        options["format"] = name if name in entry.layouts else None
    try:
        signature(entry.read).bind(path, **options)
    except TypeError as error:
        raise TypeError(f"format {name!r}: {error}.") from None
    found = entry.read(path, **options)
    if batches:
        from sklearn_mteval.datasets.annotation.batches import joined_batches
        from sklearn_mteval.datasets.annotation.key import read_key

        if options.get("campaign") is None:
            raise ValueError("--batches, batches=, needs the campaign: the key of the last batch.")
        parts = [(path, found), *((more, entry.read(more, **options)) for more in batches)]
        found = joined_batches(parts, read_key(options["campaign"]))
    if return_X_y:
        return found.X, found.y
    return found if found.format else found._replace(format=name)
