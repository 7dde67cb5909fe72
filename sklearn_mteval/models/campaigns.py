"""Tables of one or several WMT campaigns and language pairs."""

from pathlib import Path

import pandas as pd

from sklearn_mteval.candidates import segment_labels
from sklearn_mteval.datasets import load_wmt


def load_campaigns(campaigns):
    """Load several WMT campaigns into one table, in which no two of their segments are one.

    ``campaigns`` are folders with language pairs, [("wmt13", ["fr-en"]), ("wmt15", ["de-en"])]. A
    segment is labelled like "wmt15.de-en:000017"; of one language pair alone it is the line number.
    Returned are X, y and ``lines``, what must be held out together: "wmt15:000017" in all pairs.
    """
    pairs_of = {}  # a folder may be given more than once
    for root, pairs in campaigns:
        pairs_of.setdefault(Path(root).resolve(), []).extend(pairs)
    _check_campaigns(pairs_of)
    parts = [
        (*load_wmt(root, pair, return_X_y=True), root.name, pair)
        for root, pairs in pairs_of.items()
        for pair in pairs
    ]
    if len(parts) == 1:
        X, y, *_ = parts[0]
        return X, y, pd.Series(segment_labels(X), index=X.index, name="line")
    X, y = _joined(
        (X, y, [f"{name}.{pair}:{line:06d}" for line in segment_labels(X)])
        for X, y, name, pair in parts
    )
    # Sorted as the lines are.
    lines = [f"{name}:{line:06d}" for part, _, name, _ in parts for line in segment_labels(part)]
    return X, y, pd.Series(lines, index=X.index, name="line")


def _check_campaigns(pairs_of):
    """Raise unless there are language pairs, none twice, and no two folders have one name."""
    if not any(pairs_of.values()):
        raise ValueError("campaigns has no language pair.")
    if (name := _twice([root.name for root in pairs_of])) is not None:
        raise ValueError(
            f"Two campaigns are in folders named {name!r}, after which segments are labelled: "
            "rename one."
        )
    for pairs in pairs_of.values():
        if (pair := _twice(pairs)) is not None:
            raise ValueError(f"The language pair {pair} is given twice.")


def _twice(names):
    """Return the first name that is there more than once, if any."""
    return next((name for name in names if names.count(name) > 1), None)


def join_tables(tables):
    """Join judged tables, (name, X, y); of several, segments are labelled like "mine:17"."""
    if (name := _twice([name for name, _, _ in tables])) is not None:
        raise ValueError(
            f"Two of the tables are named {name!r}, after which segments are labelled: rename one."
        )
    first, X, y = tables[0]
    if len(tables) == 1:
        return X, y
    for name, other, _ in tables:
        for what, found, expected in (
            ("columns", other.columns, X.columns),
            ("levels", other.index.names, X.index.names),
        ):
            if list(found) != list(expected):
                raise ValueError(
                    f"{name} has the {what} {list(found)}, but {first} has {list(expected)}: they "
                    "must be the same."
                )
    return _joined(
        (other, ranks.rename(y.name), [f"{name}:{label}" for label in segment_labels(other)])
        for name, other, ranks in tables
    )


def join_documents(tables):
    """Label what must not be parted in (name, judgements) of tables that are joined; None: unknown.

    A row belongs to its document, or, where that is not known, to its segment.
    """
    if not any(judged.documents is not None and judged.documents.any() for _, judged in tables):
        return None
    parts = []
    for name, judged in tables:
        segments = segment_labels(judged.X)
        unknown = pd.Series("", judged.X.index)
        known = unknown if judged.documents is None else judged.documents.loc[judged.X.index]
        parts += [
            f"{name}:{document}" if document else f"{name}:segment {segment}"
            for document, segment in zip(known, segments, strict=True)
        ]
    return pd.Series(parts, name="document")


def _joined(parts):
    """Join tables and ranks, (X, y, new labels of the rows' segments) each."""
    tables, ranks = [], []
    for X, y, segments in parts:
        index = pd.MultiIndex.from_frame(X.index.to_frame(index=False).assign(segment=segments))
        tables.append(X.set_axis(index))
        ranks.append(y.set_axis(index))
    return pd.concat(tables), pd.concat(ranks)
