"""Models by what a user calls them."""

from sklearn_mteval.persistence import load_model

__all__ = ["open_model", "recommended_model"]


def open_model(name_or_folder=None, X=None):
    """Open a fitted model.

    Parameters
    ----------
    name_or_folder : path-like, optional
        The folder of a saved model. None: the one that :func:`recommended_model` names for X.
    X : DataFrame of shape (n_candidates, n_columns), optional
        A candidate table: what the model is wanted for.

    Returns
    -------
    estimator
        The fitted model.

    Raises
    ------
    ModelFolderError
        If there is no whole model.
    ValueError
        If none is named and none is there to be taken.
    """
    return load_model(recommended_model(X) if name_or_folder is None else name_or_folder)


def recommended_model(X=None):
    """Name the best model that is installed for a candidate table.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns), optional
        A candidate table.

    Returns
    -------
    str
        What :func:`open_model` opens.

    Raises
    ------
    ValueError
        If there is none.
    """
    raise ValueError(
        "no model is named, and none is installed with the package: give the folder of one that "
        "'sklearn-mteval train' saved."
    )
