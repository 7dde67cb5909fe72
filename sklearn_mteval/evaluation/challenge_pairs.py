"""Pairs of a sound translation and a corruption, and the tables in which models meet them."""

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.order import MULTIPLIER, hash_cells, hash_sets
from sklearn_mteval.candidates import check_candidates, check_ranks, check_texts, content_keys
from sklearn_mteval.candidates import group_codes as codes_of
from sklearn_mteval.datasets.corruptions.corrupt import check_kinds, corrupt
from sklearn_mteval.datasets.corruptions.registry import (
    CORRUPTIONS,
    check_columns_of,
    named_kinds,
)
from sklearn_mteval.exceptions import CandidateError

# Kinds of corrupted references, by the kind that they are made by.
OF_REFERENCES = {f"reference_{kind}": kind for kind, its in CORRUPTIONS.items() if its.keeps}
KINDS = (*CORRUPTIONS, *OF_REFERENCES)


def kinds_of_any_language(columns):
    """List the kinds that columns allow but those for English translations only."""
    own, of_references = as_kinds(None, columns)
    made_by = dict.fromkeys(own) | {kind: OF_REFERENCES[kind] for kind in of_references}
    return [
        kind for kind, made in made_by.items() if CORRUPTIONS[made or kind].languages != ("en",)
    ]


def as_kinds(kinds, columns):
    """Return own kinds and kinds of references as lists; None: all that the columns allow."""
    if kinds is None:
        of_references = [*OF_REFERENCES] if "reference" in columns else []
        return check_kinds(None, columns), of_references
    named = named_kinds(kinds, KINDS)
    of_references = [kind for kind in named if kind in OF_REFERENCES]
    check_columns_of(of_references, "reference", columns)
    own = [kind for kind in named if kind in CORRUPTIONS]
    return (check_kinds(own, columns) if own else []), of_references


def translations(X, y):
    """Return one row for each segment and system, and its mean rank, the same for all without y."""
    check_candidates(X)
    check_texts(X, "hypothesis")
    ranks = np.zeros(len(X)) if y is None else check_ranks(y, X)
    levels = ["segment", "system"]
    index = pd.MultiIndex.from_arrays([X.index.get_level_values(x) for x in levels], names=levels)
    codes = codes_of(index, len(X))
    first = np.unique(codes, return_index=True)[1]
    table = X.set_axis(index).iloc[first]
    for column in table.columns.intersection(["source", "reference", "hypothesis"]):
        keys = content_keys(X[column].to_numpy(dtype=object), column)
        differ = np.flatnonzero(keys != keys[first][codes])
        if len(differ):
            raise CandidateError(
                f"Row {differ[0]} of X has another {column} than a row before it of the same "
                f"segment and system, {index[[differ[0]]].tolist()[0]}: tables of several "
                "campaigns need segment labels of their own before they are joined."
            )
    means = np.bincount(codes, ranks, len(first)) / np.bincount(codes, minlength=len(first))
    return table, means


def pairs_of(X, ranks, kinds, of_references, *, n_segments, random_state):
    """Pair the best judged of a segment with its corruption: ``kind``, ``row``, ``corrupted``."""
    # Drawn once, so that one generator serves all.
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    segments = codes_of(X.index.get_level_values("segment"), len(X))
    parts = []
    if kinds:
        made = corrupt(X, kinds, random_state=seed)
        parts.append(_frame(made, X.index.get_indexer(made.index.droplevel("corruption"))))
    if of_references:
        parts.append(_of_references(X, segments, of_references, seed))
    pairs = pd.concat(parts, ignore_index=True)
    # What another system says of the segment may be sound.
    said = set(zip(segments.tolist(), X["hypothesis"], strict=True))
    asked = zip(segments[pairs["row"]].tolist(), pairs["corrupted"], strict=True)
    unsaid = np.array([pair not in said for pair in asked], dtype=bool)
    pairs = pairs[unsaid].reset_index(drop=True)
    texts = content_keys(X["hypothesis"].to_numpy(dtype=object), "hypothesis")
    content = hash_cells(hash_cells(texts) + np.array([seed], dtype=np.uint64) * MULTIPLIER)
    row = pairs["row"].to_numpy()
    keys = {
        "kind": pairs["kind"].map({kind: k for k, kind in enumerate(KINDS)}),
        "of_segment": hash_sets(content, segments)[segments][row],
        "segment": segments[row],
        "rank": ranks[row],
        "content": content[row],
        "corrupted": hash_cells(content_keys(pairs["corrupted"].to_numpy(), "corrupted")),
    }
    keys = pd.DataFrame({name: np.asarray(values) for name, values in keys.items()})
    keys = keys.sort_values(list(keys)).drop_duplicates(["kind", "segment"])
    kept = keys if n_segments is None else keys.groupby("kind").head(n_segments)
    return pairs.loc[kept.index].reset_index(drop=True)


def _frame(made, rows):
    """Return kinds and texts of corruptions, with positions of rows."""
    kinds = made.index.get_level_values("corruption")
    columns = {"kind": kinds, "row": rows, "corrupted": made["hypothesis"].to_numpy()}
    return pd.DataFrame(columns, dtype=object).astype({"row": np.int64})


def _of_references(X, segments, kinds, seed):
    """Pair corrupted references with all translations that have right what was changed in them."""
    first = np.unique(segments, return_index=True)[1]
    cells = check_texts(X.iloc[first], "reference", several=True)
    texts = pd.Series([cell[0] for cell in cells], X.index[first], dtype=object)
    references = X.iloc[first].assign(hypothesis=texts)
    made = corrupt(references, [OF_REFERENCES[kind] for kind in kinds], random_state=seed)
    made = _frame(made, references.index.get_indexer(made.index.droplevel("corruption")))
    rows_of = pd.Series(np.arange(len(X))).groupby(segments).indices
    hypotheses = X["hypothesis"].tolist()
    found = [
        (f"reference_{kind}", row, corrupted)
        for kind, segment, corrupted in made.itertuples(index=False)
        for row in rows_of[segment].tolist()
        if hypotheses[row].strip()
        and CORRUPTIONS[kind].keeps(hypotheses[row], cells[segment][0], corrupted)
    ]
    columns = zip(*found, strict=True) if found else ([], [], [])
    frame = dict(zip(("kind", "row", "corrupted"), columns, strict=True))
    return pd.DataFrame(frame, dtype=object).astype({"row": np.int64})


def tables_of(X, pairs):
    """Return tables, with new names of segments, that a model does not know from training, and
    positions of sound and corrupted: a segment for each pair; all systems of it, and the
    corruption.
    """
    segments = codes_of(X.index.get_level_values("segment"), len(X))
    rows_of = pd.Series(np.arange(len(X))).groupby(segments).indices
    sound = pairs["row"].to_numpy()
    tables = []
    for name, members in (
        ("two", [[row] for row in sound.tolist()]),
        ("many", [rows_of[segments[row]].tolist() for row in sound.tolist()]),
    ):
        sizes = np.array([len(rows) for rows in members])
        # The corruption comes last in its segment, and has the source and reference of the sound.
        rows = np.concatenate([[*rows, row] for rows, row in zip(members, sound, strict=True)])
        ends = np.cumsum(sizes + 1) - 1
        within = np.arange(len(rows)) - np.repeat(ends - sizes, sizes + 1)
        labels = np.repeat([f"{name} {k}" for k in range(len(pairs))], sizes + 1)
        texts = X["hypothesis"].to_numpy(dtype=object)[rows]
        texts[ends] = pairs["corrupted"].to_numpy()
        index = pd.MultiIndex.from_arrays([labels, within], names=["segment", "system"])
        table = X.iloc[rows].set_axis(index)
        table = table.assign(hypothesis=pd.Series(texts, index, dtype=object))
        places = [rows.index(row) for rows, row in zip(members, sound.tolist(), strict=True)]
        tables.append((table, ends - sizes + np.array(places), ends))
    return tables
