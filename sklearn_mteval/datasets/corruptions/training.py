"""Judgements that prefer translations to their corruptions, to train on."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.options import check_proportion
from sklearn_mteval._helpers.order import by_content, hash_rows
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import (
    TEXT_COLUMNS,
    check_candidates,
    check_ranks,
    check_texts,
    content_keys,
    group_codes,
    segment_codes,
)
from sklearn_mteval.datasets.corruptions.corrupt import check_kinds, corrupt
from sklearn_mteval.datasets.corruptions.registry import CORRUPTIONS

# Added to every second pair: a model that compares systems must see corruptions alone with
# what they are made of and among others. As many as in WMT's rankings of five.
_COMPETITORS = 3
_ASKED = 4  # times as many translations as wanted, for most kinds do not apply to all


def add_corruptions(
    X: pd.DataFrame, y: pd.Series, kinds: str | Sequence[str] | None = None, *,
    proportion: float = 0.5, reference_proportion: float = 0.06, random_state: Seed = 0
) -> tuple[pd.DataFrame, pd.Series]:  # fmt: skip
    """Add judgements that prefer translations to their corruptions.

    Each pair that is added is a segment of its own, half of them with competitors added, of which
    nothing is said. Where there are references, the best translation of a segment is also preferred
    to the *reference* with a number, name, negation, date, opposite, quantifier, modality or unit
    changed.

    Parameters
    ----------
    X, y : DataFrame and Series
        A candidate table with the column ``hypothesis``, and ranks, lower is better.
    kinds : see :func:`corrupt`
        The same.
    proportion : float, default=0.5
        How many pairs are added for each distinct translation; all kinds have as many, but where
        fewer translations have something to corrupt.
    reference_proportion : float, default=0.06
        How many pairs with corrupted references, of these kinds among ``kinds``. The more, the
        lower the agreement with annotators.
    random_state : int, RandomState or None, default=0
        Seed of which translations are corrupted; it depends on labels and the order of rows as
        little as :func:`corrupt` does.

    Returns
    -------
    X : DataFrame
        The candidates given, then those that are added. Segments added are named after the one
        they are made of, with its kind and a number. If X has no level besides segment and system,
        there is a level ``ranking``.
    y : Series
        Their ranks.

    Raises
    ------
    CandidateError, ValueError
        As of :func:`corrupt`; if a proportion is outside (0, 1), but 0 of references.

    Examples
    --------
    >>> from sklearn_mteval.datasets import add_corruptions, load_sample
    >>> X, y = load_sample(return_X_y=True)
    >>> X_robust, y_robust = add_corruptions(X, y, ["empty", "number"])
    >>> X_robust.index[-1]
    ('69#reference_number#340', 'pair', 'reference_number#340')
    """
    X, y, _ = corrupted_judgements(
        X, y, kinds, proportion=proportion, reference_proportion=reference_proportion,
        random_state=random_state,
    )  # fmt: skip
    return X, y


class _Pair(NamedTuple):
    """A row of the table of distinct translations, and the corruption that it is preferred to."""

    row: int
    kind: str
    text: str


def corrupted_judgements(
    X, y, kinds=None, *, proportion=0.5, reference_proportion=0.06, random_state=0
):
    """As :func:`add_corruptions`; also returned is which row of X each row is made of."""
    check_candidates(X)
    ranks = check_ranks(y, X)
    kinds = check_kinds(kinds, X.columns)
    check_proportion("proportion", proportion)
    if reference_proportion != 0:
        check_proportion("reference_proportion", reference_proportion)
    rng = check_random_state(random_state)
    distinct, at = _in_order(X)
    wanted = -(-proportion * len(distinct) // len(kinds))
    pairs = []
    for kind in kinds:
        some = rng.permutation(len(distinct))[: int(_ASKED * wanted)]
        pairs += _drawn(distinct.iloc[some], some, kind, wanted, rng)
    # Kinds that leave a reference near itself, but wrong.
    of_references = [kind for kind in kinds if CORRUPTIONS[kind].keeps]
    if "reference" in X and of_references:
        best = _best(distinct, pd.Series(ranks).groupby(at).mean().to_numpy())
        first = check_texts(distinct.iloc[best], "reference", several=True)
        references = distinct.iloc[best].assign(hypothesis=[cell[0] for cell in first])
        wanted = -(-reference_proportion * len(distinct) // len(of_references))
        for kind in of_references:
            found = _drawn(references, best, kind, wanted, rng)
            pairs += [pair._replace(kind=f"reference_{kind}") for pair in found]
    if X.index.nlevels == 2:
        labels = X.index.to_frame(index=False).assign(ranking="judged")
        X = X.set_axis(pd.MultiIndex.from_frame(labels[["segment", "ranking", "system"]]))
    y = pd.Series(np.asarray(y), X.index, name=getattr(y, "name", None))
    if not pairs:  # no translation has anything to corrupt
        return X, y, np.arange(len(X))
    more, ranks, rows = _judgements(distinct, pairs, X.index.names, rng)
    row_of = np.empty(len(distinct), dtype=np.int64)
    row_of[at[::-1]] = np.arange(len(X))[::-1]
    origin = np.concatenate([np.arange(len(X)), row_of[rows]])
    return pd.concat([X, more]), pd.concat([y, ranks.rename(y.name)]), origin


def _in_order(X):
    """Return the distinct translations, in an order of their content, and which each row is."""
    others = [name for name in X.index.names if name not in ("segment", "system")]
    index = X.index.droplevel(others).reorder_levels(["segment", "system"])
    codes, labels = pd.factorize(index)
    first = np.flatnonzero(~pd.Series(codes).duplicated())
    table = X.iloc[first].set_axis(labels.set_names(index.names))
    texts = [name for name in TEXT_COLUMNS if name in X]
    cells = (content_keys(table[name].to_numpy(dtype=object), name) for name in texts)
    order = by_content(hash_rows(cells, len(table)), np.arange(len(table)))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return table.iloc[order], place[codes]


def _drawn(table, rows, kind, wanted, rng):
    """Draw as many corruptions of a kind as are wanted, of rows that some table has."""
    found = corrupt(table, kind, random_state=int(rng.randint(2**31 - 1)))
    places = table.index.get_indexer(found.index.droplevel("corruption"))
    some = rng.permutation(len(found))[: int(wanted)]
    texts = found["hypothesis"].to_numpy(dtype=object)
    return [_Pair(rows[places[k]], kind, texts[k]) for k in some]


def _best(table, ranks):
    """Find the best translation of each segment, the first of equals."""
    order = np.argsort(ranks, kind="stable")
    groups = segment_codes(table)[order]
    return order[np.flatnonzero(~pd.Series(groups).duplicated())]


def _judgements(table, pairs, levels, rng):
    """Make a segment of each pair, every second with competitors that nothing is said of."""
    segments, systems = (table.index.get_level_values(name) for name in ("segment", "system"))
    groups = group_codes(segments, len(table))
    mates = pd.Series(np.arange(len(table))).groupby(groups).indices
    hypotheses = table["hypothesis"].to_numpy(dtype=object)
    labels, rows, texts, ranks = [], [], [], []
    for number, (row, kind, text) in enumerate(pairs):
        segment = f"{segments[row]}#{kind}#{number}"
        beside = mates[groups[row]] if number % 2 else np.empty(0, dtype=np.int64)
        beside = rng.permutation(beside[beside != row])[:_COMPETITORS]
        labels += [(segment, "pair", systems[row]), (segment, "pair", f"{kind}#{number}")]
        labels += [(segment, f"beside {place}", systems[k]) for place, k in enumerate(beside)]
        rows += [row, row, *beside]
        texts += [hypotheses[row], text, *hypotheses[beside]]
        ranks += [1, 2, *(1 for _ in beside)]
    segment, ranking, system = zip(*labels, strict=True)
    by_level = {"segment": segment, "system": system}  # other levels tell rankings apart
    index = pd.MultiIndex.from_arrays([by_level.get(n, ranking) for n in levels], names=levels)
    texts = pd.Series(texts, index, dtype=object)
    found = table.iloc[rows].set_axis(index).assign(hypothesis=texts)
    return found, pd.Series(ranks, index, dtype=np.float64), np.array(rows, dtype=np.int64)
