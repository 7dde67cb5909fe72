"""Tables of a few texts, and what is made of the first."""

import pandas as pd

from sklearn_mteval.datasets import corrupt


def table(*texts, source="Das ist die Quelle .", reference=None, others=()):
    """One translation of each of some segments; the first segment may have references."""
    texts = [*texts, *others]
    index = pd.MultiIndex.from_product([range(len(texts)), ["it"]], names=["segment", "system"])
    columns = {"source": [f"{source} {k}" for k in range(len(texts))], "hypothesis": texts}
    X = pd.DataFrame(columns, index=index, dtype=object)
    if reference is not None:
        X["reference"] = [reference, *(f"other reference {k}" for k in range(1, len(texts)))]
    return X


def corrupted(kind, text, **options):
    """The corruption of one text, None if there is none."""
    found = corrupt(table(text, **options), kind)
    found = found[found.index.get_level_values("segment") == 0]
    return found["hypothesis"].iloc[0] if len(found) else None


def seeds(kind, text, **options):
    """The corruptions of one text with ten seeds."""
    X = table(text, **options)
    tables = [corrupt(X, kind, random_state=seed) for seed in range(10)]
    return {text for t in tables for text in t[t.index.get_level_values(0) == 0]["hypothesis"]}
