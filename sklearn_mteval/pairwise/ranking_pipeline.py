"""A pipeline that never loses the index, whatever is put into it."""

from typing import Any, Self

import pandas as pd
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.metaestimators import available_if

from sklearn_mteval._helpers.fitting import WholeFits, all_or_nothing
from sklearn_mteval._helpers.shown import Shown
from sklearn_mteval.candidates import check_numbers


class RankingPipeline(Shown, WholeFits, Pipeline):
    """A ``Pipeline`` whose steps all return pandas tables, also steps that a grid search sets.

    Every fit asks all steps for pandas output, also those that ``set_params`` has put in, as
    ``GridSearchCV`` does: without an index nothing says what may be compared.

    Parameters
    ----------
    steps, transform_input, memory, verbose : see :class:`sklearn.pipeline.Pipeline`
        The same.

    Examples
    --------
    >>> from sklearn.preprocessing import MinMaxScaler, StandardScaler
    >>> from sklearn_mteval import BLEUComp, RankRecomposer
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.pairwise import RankingPipeline
    >>> X, y = load_sample(return_X_y=True)
    >>> steps = [("features", BLEUComp()), ("scale", StandardScaler()), ("rank", RankRecomposer())]
    >>> pipeline = RankingPipeline(steps).set_params(scale=MinMaxScaler()).fit(X, y)
    >>> pipeline[:-1].transform(X).index.equals(X.index)
    True
    """

    def fit(self, X: pd.DataFrame, y: ArrayLike | None = None, **params: Any) -> Self:
        """Fit all steps, each of which keeps the index.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            A candidate table.
        y : array-like of shape (n_candidates,)
            Rank-like, lower is better.
        **params : dict
            See :meth:`sklearn.pipeline.Pipeline.fit`.

        Returns
        -------
        RankingPipeline
            The pipeline itself.
        """
        _keep_index(self)
        if isinstance(X, pd.DataFrame):
            check_numbers(X)  # a scaler would make NaN of them
        return super().fit(X, y, **params)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Ask all steps for pandas output; any other, which has no index, is a ValueError.

        Parameters
        ----------
        transform : {"pandas"} or None
            None changes nothing.

        Returns
        -------
        RankingPipeline
            The pipeline itself.
        """
        if transform not in (None, "pandas"):
            raise ValueError(
                f"a RankingPipeline needs transform='pandas', found {transform!r}: only the index "
                "of pandas says which translations may be compared. Convert what it returns."
            )
        return super().set_output(transform=transform)

    @available_if(lambda self: hasattr(super(), "fit_transform"))
    @all_or_nothing
    def fit_transform(self, X: pd.DataFrame, y: ArrayLike | None = None, **params: Any) -> Any:
        """Fit all steps and transform with them; only where the last one is a transformer.

        Parameters
        ----------
        X, y, **params : see :meth:`fit`
            The same.

        Returns
        -------
        DataFrame
            With the index of X.
        """
        _keep_index(self)
        return super().fit_transform(X, y, **params)


def _keep_index(pipeline):
    """Ask all steps for pandas output; ValueError naming the step that has none."""
    try:
        pipeline.set_output(transform="pandas")
    except ValueError as error:
        steps = (step for _, step in transformers_in(pipeline))
        lacking = next((step for step in steps if not hasattr(step, "set_output")), None)
        if lacking is None:
            raise
        cure = "has no set_output: let its class inherit sklearn.base.TransformerMixin"
        if not hasattr(lacking, "get_feature_names_out"):
            cure = (
                "has no get_feature_names_out: add a method get_feature_names_out(self, "
                "input_features=None) that returns an array of the names of its output columns"
            )
        raise ValueError(
            f"{type(lacking).__name__} cannot keep the index of a candidate table, which says what "
            f"may be compared: it {cure}."
        ) from error


def transformers_in(step, prefix=""):
    """Yield the transformers in a pipeline or union, fitted or not, with the prefix of columns."""
    for _, part in getattr(step, "steps", ()):
        yield from transformers_in(part, prefix)
    for attribute in ("transformer_list", "transformers_", "transformers"):
        if hasattr(step, attribute):
            for name, part, *_ in getattr(step, attribute):
                yield from transformers_in(part, f"{prefix}{name}__")
            return
    if hasattr(step, "transform") and not hasattr(step, "steps"):
        yield prefix, step


def make_ranking_pipeline(
    *steps: Any, memory: Any = None, verbose: bool = False
) -> RankingPipeline:
    """Make a :class:`RankingPipeline` of steps, each named after its class.

    Parameters
    ----------
    *steps : estimators
        Transformers of candidate tables, and a ranker as the last.
    memory, verbose : see :func:`sklearn.pipeline.make_pipeline`
        The same.

    Returns
    -------
    RankingPipeline
        Not fitted.

    Examples
    --------
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from sklearn_mteval import BLEUComp, RankRecomposer, make_ranking_pipeline
    >>> pipeline = make_ranking_pipeline(BLEUComp(), MinMaxScaler(), RankRecomposer())
    >>> list(pipeline.named_steps)
    ['bleucomp', 'minmaxscaler', 'rankrecomposer']
    """
    named = make_pipeline(*steps).steps
    return RankingPipeline(named, memory=memory, verbose=verbose)
