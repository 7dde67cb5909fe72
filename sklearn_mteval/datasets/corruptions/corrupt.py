"""Corrupted translations of a candidate table."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from random import Random
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.numbering import numbered
from sklearn_mteval._helpers.order import by_content, hash_rows
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import check_candidates, check_texts, content_keys, segment_codes
from sklearn_mteval.datasets.corruptions import _words
from sklearn_mteval.datasets.corruptions.registry import CORRUPTIONS, check_columns_of, named_kinds
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.segments import joined, reference_codes

_LEVEL = "corruption"


def corrupt(
    X: pd.DataFrame, kinds: str | Sequence[str] | None = None, *, random_state: Seed = 0
) -> pd.DataFrame:
    """Make corrupted translations: of each hypothesis one of each kind that applies to it.

    Kinds spoil the whole text (``empty``, ``dropped_third``, ``doubled``, ``foreign_appended``,
    ``shuffled``, ``halves_swapped``, ``other_segment``, ``garbage``, ``source_copied``), how it is
    written (``lowercased``, ``wrapped``, ``entities``, ``mojibake``), or what it says
    (``clause_dropped``, ``clause_added``, ``number``, ``roles``, ``date``). Of six languages are
    ``opposite``, ``quantifier``, ``modality``, ``unit`` and ``focus``; of English only ``name``,
    ``negation``, ``content_word_dropped`` and ``content_word_replaced``. The guide says what each
    does.

    A corruption depends on the texts of its row, its kind and ``random_state`` alone, not on labels
    or on the order of rows; kinds that take words or texts of other segments depend on the texts of
    the table as well. Segments that share a source or a reference are one.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        Candidate table with the column ``hypothesis``. With ``reference`` (texts or lists of
        texts), a number, name, negation or content word is changed only where a reference has it,
        so that nothing wrong is made right. Columns that are no texts are copied as they are.
    kinds : str, sequence of str or None, default=None
        Which; None: all, ``foreign_appended`` and ``source_copied`` only where there is a column
        ``source``.
    random_state : int, RandomState or None, default=0
        Seed; the same seed gives the same corruptions.

    Returns
    -------
    DataFrame of shape (n_corruptions, n_columns)
        Columns and index levels of X, and as last level ``corruption``, the kind. There is no row
        where a kind does not apply (a text without number has no ``number``), where nothing would
        change, where a reference would come out, or of a translation that is empty already.

    Raises
    ------
    CandidateError
        If X is no candidate table, has a level ``corruption`` already, no column ``hypothesis``, or
        no ``source`` that a kind named needs.
    ValueError
        If a kind is unknown or named twice.

    Examples
    --------
    >>> from sklearn_mteval.datasets import corrupt, load_sample
    >>> X, y = load_sample(return_X_y=True)
    >>> corrupt(X, ["number", "negation"]).index.names
    FrozenList(['segment', 'system', 'corruption'])

    References, corrupted:

    >>> references = X.groupby(level="segment").head(1)
    >>> corrupted = corrupt(references.assign(hypothesis=references["reference"]), "number")
    """
    check_candidates(X)
    if _LEVEL in X.index.names:
        raise CandidateError(
            f"X has an index level {_LEVEL!r} already: give the table of the sound translations."
        )
    kinds = check_kinds(kinds, X.columns)
    salt = int(check_random_state(random_state).randint(2**31 - 1))
    table = _Table(X)
    rows, texts, codes = [], [], []
    for code, kind in enumerate(kinds):
        made = [_made(kind, salt, row, table) for row in table.distinct]
        made = np.array(made, dtype=object)[table.of_row]
        applies = np.flatnonzero([text is not None for text in made])
        rows.append(applies)
        texts.append(made[applies])
        codes.append(np.full(len(applies), code))
    rows = np.concatenate(rows)
    found = X.iloc[rows]
    found.index = pd.MultiIndex(
        levels=[*X.index.levels, kinds],
        codes=[*(level[rows] for level in map(np.asarray, X.index.codes)), np.concatenate(codes)],
        names=[*X.index.names, _LEVEL],
        verify_integrity=False,
    )
    # As objects: strings of pyarrow cannot hold lone surrogates.
    made = pd.Series(np.concatenate(texts), index=found.index, dtype=object)
    return found.assign(hypothesis=made)


def check_kinds(kinds, columns):
    """Return kinds as a list, all that the columns allow for None; raise for any that is wrong."""
    if kinds is None:
        return [k for k, its in CORRUPTIONS.items() if "source" in columns or not its.needs_source]
    named = named_kinds(kinds, CORRUPTIONS)
    check_columns_of([kind for kind in named if CORRUPTIONS[kind].needs_source], "source", columns)
    return named


def _made(kind, salt, row, table):
    """Return a row's corruption of one kind; None where there is none."""
    if not row.text.strip():
        return None
    key = f"{salt} {kind} {row.text}".encode("utf-8", "surrogatepass")
    rng = Random(int.from_bytes(blake2b(key, digest_size=8).digest(), "big"))
    text = CORRUPTIONS[kind].make(row, rng, table)
    if text is None or text.split() in [sound.split() for sound in (row.text, *row.references)]:
        return None
    return text


class _Pool:
    """Distinct values of a table's units, in no order, from which those of *others* are drawn."""

    def __init__(self, values, units):
        entries = sorted(set(zip(units, values, strict=True)))
        self._values = [value for _, value in entries]
        self._units = np.array([unit for unit, _ in entries], dtype=np.int64)
        self._distinct = set(self._values)

    def __contains__(self, value):
        return value in self._distinct

    def draw(self, unit, rng, n=8):
        """Draw n values of units other than this one, an empty list where there is no other."""
        # A unit's values stand together, so that leaving them out is a shift.
        first, last = np.searchsorted(self._units, [unit, unit + 1]).tolist()
        others = len(self._values) - (last - first)
        places = [int(rng.random() * others) for _ in range(n if others else 0)]
        return [self._values[at if at < first else at + last - first] for at in places]


class _Row(NamedTuple):
    """A translation and what it translates; the unit is a number."""

    text: str
    source: str
    references: tuple
    unit: int


_VALUES = {
    "texts": lambda row: [row.text],
    "sources": lambda row: [row.source],
    "names": lambda row: [row.text[a:z] for a, z in _words.names(row.text)[0]],
    "words": lambda row: [row.text[a:z] for a, z in _words.content_words(row.text)],
}


class _Table:
    """The distinct translations of a candidate table, and what each can take from the others."""

    def __init__(self, X):
        texts = check_texts(X, "hypothesis")
        sources, references = [""] * len(X), [()] * len(X)
        codes = [segment_codes(X)]
        if "source" in X.columns:
            sources = check_texts(X, "source")
            codes.append(reference_codes(X, "source"))
        if "reference" in X.columns:
            cells = check_texts(X, "reference", several=True)
            references = [tuple(text for text in cell if text.strip()) for cell in cells]
            codes.append(reference_codes(X, "reference"))
        keys = (content_keys(column, "text") for column in (texts, sources, references))
        units = joined(*codes)
        # Units are numbered by their content: what is drawn depends neither on labels nor on order.
        units = np.argsort(by_content(hash_rows(keys, len(X)), units))[units].tolist()
        self.of_row, rows = numbered(zip(texts, sources, references, units, strict=True))
        self.distinct, self._pools = [_Row(*row) for row in rows], {}

    def pool(self, what):
        """Pool what each row has: one of _VALUES, blank texts aside."""
        if what not in self._pools:
            found = [(value, row.unit) for row in self.distinct for value in _VALUES[what](row)]
            found = [(value, unit) for value, unit in found if value.strip()]
            self._pools[what] = _Pool(*zip(*found, strict=True)) if found else _Pool([], [])
        return self._pools[what]

    @cached_property
    def said(self):
        """Hypotheses and references of each unit: sound translations of it, maybe."""
        found = defaultdict(set)
        for row in self.distinct:
            found[row.unit].update((row.text, *row.references))
        return found
