"""The segments of a report, as plain dicts: of many, a sample that a page can hold."""

import hashlib
import json
import math

import numpy as np

from sklearn_mteval.candidates import check_texts, group_codes

__all__ = ["MOST_TRANSLATIONS", "SegmentSample", "entries_of"]

MOST_TRANSLATIONS = 200_000  # on one page
_KINDS = ("untranslated", "number", "negation", "name")  # of flags, by the word they have


class SegmentSample:
    """Segments to look at, added one after the other, in bounded memory.

    Of more than ``most`` translations, half of what is kept are the segments of the largest
    interest, half a random part, by a hash of the segment: which they are depends on no order.
    ``beside`` takes *all* segments as lines of JSON, in their order, as soon as they are too many
    for the page.
    """

    def __init__(self, most=MOST_TRANSLATIONS, beside=None):
        self._most, self._beside = most, beside
        self._kept = {}  # number of the segment -> (JSON, translations, interest, hash)
        self._n_translations = self._n_kept = self._n = 0
        self._systems, self._overflown = {}, False

    def add(self, entry, interest=None):
        """Add a segment; of the largest ``interest`` are kept where there are too many."""
        text, size = json.dumps(entry), len(entry["translations"])
        for translation in entry["translations"]:
            self._systems.setdefault(translation["system"])
        place = hashlib.blake2b(str(entry["id"]).encode("utf-8", "surrogatepass"), digest_size=8)
        interest = -math.inf if interest is None or math.isnan(interest) else interest
        self._kept[self._n] = (text, size, interest, place.digest())
        self._n += 1
        self._n_translations += size
        self._n_kept += size
        if self._overflown and self._beside is not None:
            self._beside(f"{text}\n")
        if self._n_translations > self._most and not self._overflown:
            self._overflown = True
            if self._beside is not None:
                for kept in self._kept.values():
                    self._beside(f"{kept[0]}\n")
        if self._n_kept > 2 * self._most:
            self._drop()

    def _drop(self):
        """Drop what would not be in the sample of these segments, and so of no more of them."""
        by_interest = sorted(self._kept, key=lambda k: (-self._kept[k][2], self._kept[k][3], k))
        interesting = self._first(by_interest, self._most // 2)
        others = sorted(self._kept.keys() - interesting, key=lambda k: (self._kept[k][3], k))
        room = self._most - sum(self._kept[k][1] for k in interesting)
        kept = interesting | self._first(others, room)
        self._kept = {k: entry for k, entry in self._kept.items() if k in kept}
        self._n_kept = sum(entry[1] for entry in self._kept.values())

    def _first(self, numbers, room):
        """Return the first segments that have room, by the number of their translations."""
        found = set()
        for k in numbers:
            room -= self._kept[k][1]
            if room < 0:
                break
            found.add(k)
        return found

    def data(self, scorings, *, judged="", beside_name="", interest="", why=None):
        """Return what a page takes: ``notes`` on the sample, and ``data``, pieces of JSON.

        ``scorings`` are the names of the scores that entries have, in their order; ``judged`` says
        what judgements of annotators are, "" that there are none; ``interest`` what segments were
        kept for.
        """
        if self._overflown:
            self._drop()
        head = {"scorings": list(scorings), "judged": judged, "systems": list(self._systems)}
        pieces = [json.dumps(head)[:-1], ', "segments": [']
        for k, entry in enumerate(self._kept.values()):
            pieces += [", "] * bool(k) + [entry[0]]
        pieces.append("]}")
        return {"notes": self._notes(beside_name, interest), "data": pieces, "n": len(self._kept)}

    def _notes(self, beside_name, interest):
        """Say what part is shown, and where the others are."""
        if not self._overflown:
            return []
        notes = [
            f"Shown are {len(self._kept):,} of {self._n:,} segments, {self._n_kept:,} of "
            f"{self._n_translations:,} translations: half of them of the segments with the largest "
            f"{interest or 'differences'}, half drawn at random."
        ]
        if beside_name:
            notes.append(
                f"All of them are in {beside_name}, beside this file: one JSON object on each line."
            )
        return notes


def entries_of(
    X, scores=None, *, ranks=None, strengths=None, disagreements=None, judged=None, human=None,
    documents=None, flags=None, spans=None, marked=None
):  # fmt: skip
    """Yield the plain dict of each segment of a table, in the order in which they occur.

    Parameters
    ----------
    X : DataFrame of shape (n_rows, n_columns)
        Candidate table; translations that several ranking tasks have are taken once.
    scores : DataFrame of shape (n_rows, n_scorings), optional
        Of the rows of X, higher is better; NaN: none. By the first, translations are sorted, unless
        there are ``ranks``.
    ranks, strengths, human, documents : array-like of shape (n_rows,), optional
        The model's; the mean judgement, higher is better; the document of each row.
    disagreements : DataFrame of shape (n_segments, n_scorings), optional
        Of each scoring and the judges, indexed by segment.
    judged, flags, spans : sequence of list, optional
        Of each row what every annotator said; sentences; :class:`ErrorSpan` with characters.
    marked : callable, optional
        Given references and a translation, returns two lists: bounds of what has no counterpart in
        any reference, in UTF-16 units, one after the other; and the words that have none in it.

    Yields
    ------
    dict
        ``id``, ``length`` (words of the reference or source), ``translations``; where there are
        any, ``source``, ``references``, ``document``, ``disagreement``.
    """
    segments = X.index.get_level_values("segment")
    systems = X.index.get_level_values("system")
    both = zip(
        *(group_codes(labels, len(X)).tolist() for labels in (segments, systems)), strict=True
    )
    texts = check_texts(X, "hypothesis")
    sources = check_texts(X, "source") if "source" in X else None
    references = check_texts(X, "reference", several=True) if "reference" in X else None
    numbers = None if scores is None else np.asarray(scores, dtype=np.float64)
    rows, seen = {}, set()
    for row, key in enumerate(both):
        if key not in seen:
            seen.add(key)
            rows.setdefault(key[0], []).append(row)
    for of_segment in rows.values():
        first = of_segment[0]
        entry = {"id": _label(segments[first])}
        if documents is not None and str(documents[first]):
            entry["document"] = str(documents[first])
        given = None
        if sources is not None:
            entry["source"] = given = sources[first]
        if references is not None:
            entry["references"] = list(references[first])
            given = references[first][0] if references[first] else given
        entry["length"] = len((texts[first] if given is None else given).split())
        if disagreements is not None:
            entry["disagreement"] = [_plain(x) for x in disagreements.loc[segments[first]]]
        translations = []
        for row in of_segment:
            one = {"system": str(systems[row]), "text": texts[row]}
            if numbers is not None:
                one["scores"] = [_plain(x) for x in numbers[row]]
            for name, values in (("rank", ranks), ("strength", strengths), ("human", human)):
                if values is not None:
                    one[name] = _plain(values[row])
            if judged is not None and len(judged[row]):
                one["judged"] = [_plain(x) for x in judged[row]]
            if flags is not None and flags[row]:
                one["flags"] = list(flags[row])
                one["kinds"] = sorted({_kind(sentence) for sentence in flags[row]})
            if spans is not None and spans[row]:
                one["spans"] = _spans(texts[row], spans[row])
            if marked is not None and references is not None:
                marks, missing = marked(references[row], texts[row])
                one |= {"marks": marks} if marks else {}
                one |= {"missing": missing} if missing else {}
            translations.append(one)
        entry["translations"] = sorted(translations, key=_place)
        yield entry


def _place(translation):
    """Return what sorts translations: ranks, or the first score; what has none stands last."""
    value = translation.get("rank")
    if value is None and (values := translation.get("scores")):
        value = None if values[0] is None else -values[0]
    if value is None and translation.get("human") is not None:
        value = -translation["human"]
    return (value is None, value or 0.0)


def _label(label):
    """Return a label for JSON."""
    return (
        label
        if isinstance(label, str)
        else int(label)
        if isinstance(label, int | np.integer)
        else str(label)
    )


def _plain(value):
    """Return a number with five digits that JSON can hold; NaN as None."""
    if value is None:
        return None
    value = float(value)
    if math.isnan(value):
        return None
    if math.isinf(value):
        return math.copysign(1e308, value)
    short = float(f"{value:.5g}")
    return int(short) if short == int(short) and abs(short) < 1e15 else short


def _kind(sentence):
    """Name what kind of flag a sentence is."""
    return next((f"flag: {kind}" for kind in _KINDS if kind in sentence), "flag: other")


def _spans(text, spans):
    """Return errors as plain dicts, their places in UTF-16 units as browsers count them."""
    wide = any(character > "\uffff" for character in text)
    found = []
    for span in spans:
        one = span._asdict()
        if wide:
            one["start"], one["end"] = (_units(text[: one[end]]) for end in ("start", "end"))
        found.append(one)
    return found


def _units(text):
    """Count the UTF-16 units of a text."""
    return len(text) + sum(character > "\uffff" for character in text)
