"""The segments of a report, as plain dicts: of many, a sample that a page can hold."""

import hashlib
import json
import math
from itertools import accumulate, takewhile

MOST_TRANSLATIONS = 200_000  # on one page


class SegmentSample:
    """Segments to look at, added one after the other, in bounded memory.

    Of more than ``most`` translations half of what is kept is of the largest interest, half random,
    by a hash: no order matters. ``all_segments``, a file that has a ``name``, takes *all* of them
    as lines of JSON, as soon as they are too many for the page.
    """

    def __init__(self, most=MOST_TRANSLATIONS, all_segments=None):
        self._most, self._all_segments = most, all_segments
        self._kept = {}  # number of the segment -> (JSON, translations, interest, hash, why, id)
        self._n_translations = self._n_kept = self._n = 0
        self._systems, self._overflown = {}, False
        self.notes = []  # that stand below those on what is shown

    def add(self, entry, interest=None, why=None):
        """Add a segment; of the largest ``interest`` are kept where there are too many.

        ``why`` is as of :func:`~.whys.whys_of`, for the page alone.
        """
        text, size = _compact(entry), len(entry["translations"])
        for translation in entry["translations"]:
            self._systems.setdefault(translation["system"])
        place = hashlib.blake2b(str(entry["id"]).encode("utf-8", "surrogatepass"), digest_size=8)
        interest = -math.inf if interest is None or math.isnan(interest) else interest
        why = "" if why is None else _compact(why)
        self._kept[self._n] = (text, size, interest, place.digest(), why, entry["id"])
        self._n += 1
        self._n_translations += size
        self._n_kept += size
        if self._overflown:
            self._write_all([text])
        elif self._n_translations > self._most:
            self._overflown = True
            self._write_all(kept[0] for kept in self._kept.values())
        if self._n_kept > 2 * self._most:
            self._drop()

    def _write_all(self, texts):
        """Write segments next to the page, if anything takes them."""
        for text in texts if self._all_segments is not None else ():
            self._all_segments(f"{text}\n")

    def _drop(self, *, spare=1):
        """Drop what would not be in the sample of these segments, nor of more; the first that finds
        no room is spared in each half, or those after it would find some, and the order would
        matter.
        """
        by_interest = sorted(self._kept, key=lambda k: (-self._kept[k][2], self._kept[k][3], k))
        half = self._most // 2
        n = self._fitting(by_interest, half)
        others = sorted(by_interest[n:], key=lambda k: (self._kept[k][3], k))
        m = self._fitting(others, self._most - half)
        kept = {*by_interest[: n + spare], *others[: m + spare]}
        self._kept = {k: entry for k, entry in self._kept.items() if k in kept}
        self._n_kept = sum(entry[1] for entry in self._kept.values())

    def _fitting(self, numbers, room):
        """Count the segments up to the first that finds no room, by their translations."""
        sizes = accumulate(self._kept[k][1] for k in numbers)
        return sum(1 for _ in takewhile(lambda size: size <= room, sizes))

    def explain(self, whys):
        """Add explanations of decisions, functions of entries by the ``id`` of these."""
        for k, (*rest, _, name) in self._kept.items():
            if name in whys:
                why = _compact(whys[name](json.loads(rest[0])))
                self._kept[k] = (*rest, why, name)

    def data(
        self, scorings, *, systems=(), judged="", first="", interest="", duels=None, **more
    ):  # fmt: skip
        """Return what a page takes: ``notes`` on the sample, ``data``, pieces of JSON, ``systems``.

        ``first`` is the order in which segments are seen at first, "" that of the file.
        ``systems`` are those that the browser names first, the best before the others.
        ``scorings`` are the names of the scores that entries have, in their order; ``judged`` says
        what judgements of annotators are, "" that there are none; ``interest`` what segments were
        kept for; ``duels``, if any, what is known of each two systems; ``more`` is for the browser,
        as it is.
        """
        if self._overflown:
            self._drop(spare=0)
        head = {"scorings": list(scorings), "judged": judged, "first": first} | more
        first = [name for name in map(str, systems) if name in self._systems]
        head["systems"] = list(dict.fromkeys([*first, *self._systems]))
        head["duels"] = duels
        pieces = [json.dumps(head)[:-1], ', "segments": [']
        for k, (text, *_, why, _) in enumerate(self._kept.values()):
            pieces += [","] * bool(k) + ([text[:-1], ',"why":', why, "}"] if why else [text])
        pieces.append("]}")
        found = {"notes": self._notes(interest) + self.notes, "data": pieces}
        found |= {"n": len(self._kept), "systems": head["systems"]}
        return found | {"duels": duels is not None}

    def _notes(self, interest):
        """Say what part is shown, and where the others are."""
        if not self._overflown:
            return []
        notes = [
            f"Shown are {len(self._kept):,} of {self._n:,} segments, {self._n_kept:,} of "
            f"{self._n_translations:,} translations: half of them of the segments with the largest "
            f"{interest or 'differences'}, half drawn at random."
        ]
        if self._all_segments is None:
            return [*notes, "No file has the others: the command, with --html, writes it."]
        where = f"All of them are in {self._all_segments.name}, next to this file"
        return [*notes, f"{where}: a JSON object on each line."]


def _compact(entry):
    """Write a segment as JSON without blanks, which are one part in fifteen of a page."""
    return json.dumps(entry, separators=(",", ":"))
