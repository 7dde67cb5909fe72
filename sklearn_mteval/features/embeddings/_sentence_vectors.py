"""What EmbeddingAverager and SentenceEncoder share: which columns, how alike two vectors are."""

import numpy as np

from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.text.transformer import check_names


def check_columns_option(columns, similarity):
    """Raise unless these are different columns, with both that ``similarity`` needs."""
    check_names("columns", columns)
    check_boolean(similarity=similarity)
    if similarity and not {"hypothesis", "reference"} <= set(columns):
        raise ValueError(
            "similarity=True needs 'hypothesis' and 'reference' among the columns, found "
            f"{columns!r}."
        )


def vector_similarities(hypotheses, references):
    """Return cosine (0 against a zero vector) and Euclidean distance of each row's two vectors."""
    norms = np.sqrt((hypotheses**2).sum(axis=1) * (references**2).sum(axis=1))
    cosines = ratio((hypotheses * references).sum(axis=1), norms, 0.0)
    distances = np.sqrt(((hypotheses - references) ** 2).sum(axis=1))
    return np.column_stack([np.clip(cosines, -1, 1), distances])


def vector_names(columns, n_dimensions, similarities):
    """Name the dimensions of each column's vectors, and the similarities after them."""
    names = [f"{column}_emb{k}" for column in columns for k in range(n_dimensions)]
    return names + [f"similarity_{name}" for name in similarities]
