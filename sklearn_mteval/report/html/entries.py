"""Segments as plain dicts: texts, what is said of them by whom, and marks of their words."""

import math
from typing import NamedTuple

import numpy as np

from sklearn_mteval._helpers.error_spans import SOURCE, unit_ranges
from sklearn_mteval.candidates import check_texts, group_codes
from sklearn_mteval.models.explanations.words import word_marks
from sklearn_mteval.report.html.annotators import names_of

# Kinds of flags, by the word they begin with.
_KINDS = (
    "number", "name", "negation", "opposite", "quantifier", "date", "unit", "roles", "text",
    "language",
)  # fmt: skip


def entries_of(X, scores=None, *, disagreements=None, documents=None, domains=None, **columns):
    """Yield the plain dict of each segment of a table, in the order in which they occur.

    ``X`` is a candidate table, each translation once; ``scores`` are of its rows, higher is better,
    and ``disagreements``, of each scoring and the annotators, by segment; ``documents`` and
    ``domains`` are of its rows, "" where there is none. ``columns`` are of its rows by what they
    are: ``rank`` and ``strength`` of a model, ``human``, the mean judgement, higher is better
    (NaN: none); ``annotators``, lists of Said; ``flags``, sentences; ``predicted``, dicts of what
    a marker marked, and ``error_free``, its probability of no error.

    A dict has ``id``; ``length``, the words of source or reference, whichever has more;
    ``translations``, the best first by rank, else first score, else judgement; where there are any
    ``source``, ``references``, ``document``, ``tags`` (the domain), ``disagreement``. A translation
    has ``system``, ``text``, the entries of the columns, ``scores``, ``kinds`` of flags; by the
    alignment with the nearest reference ``marks``, bounds of words without counterpart there,
    ``moved``, of words in another order, and ``missing``, words of the reference without
    counterpart. Bounds are UTF-16 units, start and end in turn.
    """
    labels = [X.index.get_level_values(level) for level in ("segment", "system")]
    texts = _Texts.of(X)
    scores = None if scores is None else np.asarray(scores, dtype=np.float64)
    of_segments = {"document": documents, "domain": domains}
    rows = {}
    for row, segment in enumerate(group_codes(labels[0], len(X)).tolist()):
        rows.setdefault(segment, []).append(row)
    for of_segment in rows.values():
        first, segment = of_segment[0], labels[0][of_segment[0]]
        entry = {"id": segment if isinstance(segment, str) else str(segment)}
        known = {n: str(v[first]) for n, v in of_segments.items() if v is not None and v[first]}
        if "domain" in known:
            known["tags"] = [f"domain: {known.pop('domain')}"]
        entry |= known | texts.of_segment(first)
        if disagreements is not None and segment in disagreements.index:
            entry["disagreement"] = _numbers(disagreements.loc[segment])
        translations = []
        for row in of_segment:
            one = {"system": str(labels[1][row]), "text": texts.hypotheses[row]}
            if scores is not None:
                one["scores"] = _numbers(scores[row])
            source = "" if texts.sources is None else texts.sources[row]
            one |= _written(texts.hypotheses[row], source, columns, row) | texts.marked(row)
            translations.append(one)
        entry["translations"] = sorted(translations, key=_place)
        yield entry


class _Texts(NamedTuple):
    """The texts of a table; None where it has no such column."""

    hypotheses: list
    sources: list | None
    references: list | None
    marks: list | None  # of words, against the references

    @classmethod
    def of(cls, X):
        """Check the texts of a table."""
        sources = check_texts(X, "source") if "source" in X else None
        references = check_texts(X, "reference", several=True) if "reference" in X else None
        marks = None if references is None else word_marks(X)
        return cls(check_texts(X, "hypothesis"), sources, references, marks)

    def of_segment(self, row):
        """Return source and references of the segment of a row, and its length in words."""
        found, given = {}, []
        if self.sources is not None:
            found["source"] = self.sources[row]
            given.append(self.sources[row])
        if self.references is not None:
            found["references"] = list(self.references[row])
            given += self.references[row]
        # Some languages have no spaces between words.
        length = max(len(text.split()) for text in given or [self.hypotheses[row]])
        return found | {"length": length}

    def marked(self, row):
        """Return what of a translation has no counterpart, if it has a reference."""
        if self.marks is None or self.marks[row].reference is None:
            return {}
        marks, text = self.marks[row], self.hypotheses[row]
        nearest = self.references[row][marks.reference]
        found = {
            name: [bound for pair in unit_ranges(text, ranges) for bound in pair]
            for name, ranges in (("marks", marks.own), ("moved", marks.moved))
        }
        found["missing"] = [nearest[start:end] for start, end in marks.missing]
        return {name: values for name, values in found.items() if values}


def _written(text, source, columns, row):
    """Return the entries of the columns of a translation, those that say something."""
    found = {
        name: _WRITTEN[name](values[row]) for name, values in columns.items() if values is not None
    }
    found = {name: value for name, value in found.items() if value not in ([], None)}
    if "flags" in found:
        found["kinds"] = sorted(set(map(_kind, found["flags"])))
    if "predicted" in found:
        found["predicted"] = _in_units(text, found["predicted"])
    return found | _annotated(found.pop("annotators", ()), text, source)


def _annotated(said, text, source):
    """Return what annotators said, one after the other, with the names of these if they are known,
    and the errors that they marked.
    """
    names, spans = names_of(said), []
    for k, one in enumerate(said):
        by = {"judge": names[k]} if names else {}
        spans += [span._asdict() | by for span in one.spans]
    found = {"judged": _numbers(one.value for one in said), "judges": names}
    if None in found["judged"]:
        del found["judged"]
    found["spans"] = _in_units(text, spans, source)
    return {name: values for name, values in found.items() if values}


def _place(translation):
    """Return what sorts translations; those of which nothing is known stand last."""
    first = (translation.get("scores") or [None])[0]
    signs = ((translation.get("rank"), 1), (first, -1), (translation.get("human"), -1))
    value = next((sign * x for x, sign in signs if x is not None), None)
    return value is None, value or 0.0


def _plain(value):
    """Return a number with five digits that JSON can hold; NaN as None."""
    if math.isnan(value):
        return None
    if math.isinf(value):
        return math.copysign(1e308, value)
    short = float(f"{value:.5g}")
    return int(short) if short == int(short) and abs(short) < 1e15 else short


def _numbers(values):
    """Return a list of numbers for JSON."""
    return list(map(_plain, values))


_WRITTEN = {
    "rank": _plain, "strength": _plain, "human": _plain, "annotators": list, "flags": list,
    "predicted": list, "error_free": _plain,
}  # fmt: skip


def _kind(sentence):
    """Name what kind of flag a sentence is."""
    first = sentence.partition(" ")[0].rstrip(":")
    return f"flag: {first if first in _KINDS else 'untranslated words'}"


def _in_units(text, spans, source=""):
    """Return errors as plain dicts, their places as browsers count them."""
    found = []
    for span in spans:
        of = source if span.get("place") == SOURCE else text
        # Annotators may have marked a text of another length.
        start, end = min(span["start"], len(of)), min(span["end"], len(of))
        [bounds] = unit_ranges(of, [(start, end)])
        words = {"words": of[start:end]} if span.get("place") == SOURCE else {}
        found.append(span | dict(zip(("start", "end"), bounds, strict=True)) | words)
    return found
