"""Errors of content: numbers, names and negations that a translation has otherwise."""

from functools import partial

import numpy as np

from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval.features.content._comparison import (
    compare_rows,
    compare_with_reference,
    compare_with_source,
)
from sklearn_mteval.features.content._contradictions import COLUMN_OF_KIND, contradictions
from sklearn_mteval.features.content.flags import flags_of
from sklearn_mteval.text.transformer import TextTransformer, check_names

_OF_SOURCE = (
    "source_number_missing", "source_number_extra", "source_number_contradicted", "untranslated",
)  # fmt: skip
_OF_REFERENCE = (
    "number_missing", "number_extra", "unit_missing", "unit_extra", "name_missing", "name_extra",
    "negation_missing", "negation_extra", "number_contradicted", "name_contradicted",
    "beginning_small", "ending_open",
)  # fmt: skip
# Only if they are asked for; by what is counted in them.
_CONTRADICTIONS = {
    "opposite": "opposite_contradicted", "quantifier": "quantifier_contradicted",
    "date": "date_contradicted", "unit": "unit_contradicted", "roles": "roles_exchanged",
}  # fmt: skip
_FLAGGED = "flagged"
# Without names, which are inflected. Words for numbers and negations are English; what is said in
# other words, in another language, is said so by translation and reference alike.
OF_ANY_LANGUAGE = (
    "number_missing", "number_extra", "number_contradicted", "negation_missing", "negation_extra",
    "beginning_small", "ending_open", *_CONTRADICTIONS.values(), *_OF_SOURCE,
)  # fmt: skip


class ContentErrors(TextTransformer):
    """Count numbers, names and negations that are missing from a translation, or are only in it.

    A translation is compared with its reference and with its source, row by row.

    Parameters
    ----------
    features : list of str, "all" or None, default=None
        Columns, in this order; all that ``use_references`` allows; or (None) all but the
        contradictions and flags.
    use_references : bool, default=True
        Whether references are read. Without, only the columns of the source are there.

    Notes
    -----
    Columns are counts, from 0, lower is better. Numbers in words and negations are those of
    English; names are those of languages with capital letters (in German those of the source).

    =================================  ============================================================
    against the reference
    =================================  ============================================================
    ``number_missing``                 numbers of the reference that the translation does not have
    ``number_extra``                   numbers of the translation that the reference does not have
    ``unit_missing``, ``unit_extra``   percent, dollar, euro or pound, of one side only, where both
                                       have numbers
    ``name_missing``                   names of the reference that the translation does not have
    ``name_extra``                     names of the translation that neither reference nor source
                                       has
    ``negation_missing``               negating words that the reference has more often
    ``negation_extra``                 negating words that the translation has more often
    ``number_contradicted``            the lower of ``number_missing`` and ``number_extra``: numbers
                                       that stand in place of another
    ``name_contradicted``              the same of names
    ``beginning_small``                1 where the reference begins with a capital, and the
                                       translation with a small letter
    ``ending_open``                    1 where a mark ends the reference's last sentence, and none
                                       the translation's
    contradictions of the reference
    ``opposite_contradicted``          words whose opposite stands in their place ("rose", "fell")
    ``quantifier_contradicted``        the same of "all" and "some", "at least" and "at most",
                                       "must" and "may"; "only" and "almost" dropped or added
    ``date_contradicted``              the same of weekdays and months
    ``unit_contradicted``              the same of units ("km", "miles") and currencies
    ``roles_exchanged``                verbs whose subject and object are exchanged ("The bank sued
                                       the customer", "The bank was sued by the customer")
    ``flagged``                        1 where :func:`content_flags` says anything
    against the source
    ``source_number_missing``          numbers in digits of the source, not in the translation
    ``source_number_extra``            numbers in digits of the translation, not in the source
    ``source_number_contradicted``     the lower of both
    ``untranslated``                   words of the source, of four letters or more, that the
                                       translation has and no reference
    =================================  ============================================================

    Of several references, each column has the lowest count. Where a table has no column ``source``,
    or its text is empty, the columns of the source are 0.

    Numbers are compared by their value ("1,000", "1.000" and "a thousand"; "7 pm" and "19:00"). One
    may be missing where the other text has a word instead ("both", "dozen"), and be extra against
    the source if a reference has it, or if it is mostly written as a word (up to twelve, tens). A
    name is a capitalised word that does not begin a sentence, or one that source and reference both
    have; it is found if a word begins with its first four letters or is spelt alike (Dice's
    coefficient of their bigrams, at least 0.5). A negating word ("not", "n't", "never") may be
    missing where an opposite stands instead ("impossible", "failed to").

    Contradictions are found in English, German, Czech, French, Spanish and Russian, roles in
    English; only where the words around are alike, and none that negates is on one side only.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import ContentErrors
    >>> X = pd.DataFrame({"source": "Der Arzt kommt um 9 Uhr, nicht um 10.",
    ...                   "reference": "The doctor comes at 9 am, not at ten.",
    ...                   "hypothesis": ["The doctor is not coming at 10, but at nine.",
    ...                                  "The doctor comes at 7 am and at 10."]})
    >>> errors = ContentErrors().set_output(transform="pandas").fit_transform(X)
    >>> errors[["number_contradicted", "negation_missing", "source_number_missing"]]
       number_contradicted  negation_missing  source_number_missing
    0                  0.0               0.0                    0.0
    1                  1.0               1.0                    1.0
    """

    def __init__(self, *, features: list[str] | None = None, use_references: bool = True):
        self.features = features
        self.use_references = use_references

    def _fit(self, X):
        check_boolean(use_references=self.use_references)
        if self.features is not None and self.features != "all":
            check_names("features", self.features, self._known())
        columns = ["hypothesis"]
        columns += ["reference"] if self.use_references else []
        columns += ["source"] if "source" in X else []
        self._remember_table(X, columns)

    def _is_whole(self):
        fine = isinstance(self.use_references, bool)
        whole = self.features is None or self.features == "all"
        return fine and (whole or set(self.features) <= set(self._known()))

    def _known(self):
        """List the columns that there can be."""
        of_reference = *_OF_REFERENCE, *_OF_SOURCE, *_CONTRADICTIONS.values(), _FLAGGED
        return list(of_reference if self.use_references else _OF_SOURCE)

    def _output_names(self):
        if self.features is None:
            left_out = {*_CONTRADICTIONS.values(), _FLAGGED}
            return [name for name in self._known() if name not in left_out]
        return self._known() if self.features == "all" else list(self.features)

    def _transform(self, X):
        names, known, function = self._output_names(), self._known(), _count
        asked = not set(_CONTRADICTIONS.values()).isdisjoint(names), _FLAGGED in names
        if self.use_references and any(asked):
            function = partial(_count_more, asked)
        counts = compare_rows(X, function, references=self.use_references)
        counts = np.array(counts, dtype=np.float64).reshape(len(X), -1 if len(X) else len(known))
        return counts[:, [known.index(name) for name in names]]


def _count(hypothesis, originals, source, foreign):
    """Count the errors of a translation, in the order of the columns."""
    lowest = _lowest(_count_by_reference(hypothesis, original) for original in originals)
    if source is None:
        return *lowest, 0, 0, 0, 0
    references = [original.reference for original in originals]
    missing, extra = map(len, compare_with_source(hypothesis, source, references))
    return *lowest, missing, extra, min(missing, extra), len(hypothesis.words & foreign)


def _lowest(counts):
    """Return the lowest count of each column, over references."""
    return map(min, zip(*counts, strict=True))


def _count_by_reference(hypothesis, original):
    """Count the errors that one reference shows."""
    reference = original.reference
    counts = [*map(len, compare_with_reference(hypothesis, original))]
    return (
        *counts,
        min(counts[0:2]),  # of numbers
        min(counts[4:6]),  # of names
        hypothesis.begins_small() and not reference.begins_small(),
        hypothesis.ends_open() and not reference.ends_open(),
    )


def _count_more(asked, hypothesis, originals, *of_source):
    """Count as ``_count`` and, as asked, contradictions (of several references the lowest counts)
    and whether anything is flagged; else 0.
    """
    contradicted, flagged = asked
    counts = [(0,) * len(_CONTRADICTIONS)]
    if contradicted:
        counts = map(partial(_count_contradictions, hypothesis), originals)
    flags = flags_of(hypothesis, originals, *of_source) if flagged else ()
    return *_count(hypothesis, originals, *of_source), *_lowest(counts), bool(flags)


def _count_contradictions(hypothesis, original):
    """Count the contradictions of a reference, in the order of their columns."""
    found = contradictions(original.reference, hypothesis)
    columns = [COLUMN_OF_KIND[some.kind] for some in found]
    return map(columns.count, _CONTRADICTIONS)
