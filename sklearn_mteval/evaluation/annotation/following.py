"""What a next batch must have in common with the campaign that it follows."""

from sklearn_mteval.candidates import as_texts, check_texts
from sklearn_mteval.evaluation.signature import short_hash


def first_rows(X):
    """Return a row of each segment."""
    return X[~X.index.get_level_values("segment").duplicated()]


def first_texts(X, column):
    """Map segments to their text, of several references the first; nothing without the column."""
    if column not in X:
        return {}
    first = first_rows(X)
    texts = check_texts(first, column, several=column == "reference")
    texts = (cell[0] for cell in texts) if column == "reference" else texts
    return dict(zip(first.index.get_level_values("segment"), texts, strict=True))


def texts_of(X):
    """Hash the translations of each system, the source and the reference, with their segments."""
    hashes = {
        f"translations of {system}": _hash(part["hypothesis"])
        for system, part in X.groupby(level="system")
    }
    first = first_rows(X)
    columns = [column for column in ("source", "reference") if column in X]
    return hashes | {f"{column} texts": _hash(first[column]) for column in columns}


def _hash(column):
    """Hash texts by segment, whatever the order of rows."""
    cells = zip(column.index.get_level_values("segment"), map(as_texts, column), strict=True)
    return short_hash(repr(sorted((str(segment), *texts) for segment, texts in cells)))


def earlier_selection(key, X, texts, documents):
    """Return the selection of the batches before; ValueError unless this is a batch of the same."""
    n_segments, n_before = X.index.unique("segment").size, len(key.selection)
    other = sorted(name for name in {*texts, *key.texts} if texts.get(name) != key.texts.get(name))
    if n_segments != n_before or other:
        found = "" if n_segments == n_before else f"{n_segments} segments, not {n_before}; "
        found += f"other, new or missing {', '.join(other)}" * bool(other)
        raise ValueError(
            f"This is no next batch of {key.campaign!r}: expected the same segments, systems and "
            f"texts as there, found {found}. Give the same files; for a new system or corrected "
            "texts, plan a campaign of its own, and to drop a system, leave it out of the "
            "leaderboard."
        )
    now = None if documents is None else documents.astype(str).to_dict()
    then = None if key.documents is None else key.documents.to_dict()
    if now != then:
        raise ValueError(f"Expected the documents that {key.campaign!r} was planned with.")
    if key.selection["chosen"].all():
        raise ValueError(f"All segments are in {key.campaign!r} and the batches before it.")
    return key.selection
