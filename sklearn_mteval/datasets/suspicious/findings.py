"""Texts that are hardly what was meant, in a table or in blocks of one."""

import warnings

import pandas as pd

from sklearn_mteval.candidates import check_candidates
from sklearn_mteval.datasets.suspicious.copies import Copies
from sklearn_mteval.datasets.suspicious.foreign import foreign
from sklearn_mteval.datasets.suspicious.lines import Lines, Sample
from sklearn_mteval.datasets.suspicious.shifts import Shifts
from sklearn_mteval.datasets.suspicious.wrappers import wrapped

_SHOWN = 5  # names at most
_ENOUGH, _MANY_LINES = 1 << 13, 1 << 8  # candidates, or lines, in which a shift is looked for


def suspicious_texts(X: pd.DataFrame, lang_pair: str | None = None) -> list[str]:
    """List texts that are probably mistakes: empty, copied, shifted, wrapped, in another language.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        A candidate table with the column ``hypothesis``, and ``source`` and ``reference`` if there
        are any; one without hypotheses has nothing to tell. Its segments are lines in the order of
        their labels, whatever the order of rows.
    lang_pair : str, optional
        The languages of sources and translations if they are known, such as "de-en", or that of
        translations.

    Returns
    -------
    list of str
        Sentences with counts, independent of the order of rows, empty if all looks well:

        - empty lines, by system, and of sources and references; segments that are empty in all of
          these do not count;
        - systems that say the same in all segments, three or more;
        - systems, and references, that equal the source in more than half of the segments;
        - systems that equal the reference in more than 60 % of the longer lines, ten or more;
        - systems whose lines, or a stretch of them, belong to the references (without any, to the
          sources) one to three lines above or below, or to none of them; and references that so
          belong to the sources. There must be 12 lines (40, of which none belongs to another);
        - numbers of lines, and marks or words that most lines of a file begin with, or marks that
          they end with, and those of other files do not;
        - systems, or all of them, that seem to be of another language than the references or than
          most systems; sources that seem to be of their language, or of several, or sources and
          translations of others than ``lang_pair``. Without the extra ``languages`` these are told
          by words in common only, and of several languages or ``lang_pair`` nothing is said.

    Raises
    ------
    CandidateError
        If X is no candidate table.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.datasets import suspicious_texts
    >>> rows = pd.MultiIndex.from_product([[1, 2], ["A", "B"]], names=["segment", "system"])
    >>> X = pd.DataFrame({"hypothesis": ["the dog", "a dog", "the cat", ""]}, index=rows)
    >>> suspicious_texts(X)
    ["Empty lines: 1 of 2 of 'B'."]
    """
    findings = Findings(lang_pair)
    findings.add(X)
    return findings.said()


def warn_of_texts(X, lang_pair=None):
    """Warn of what is suspicious in a table, as whoever called the caller."""
    for finding in suspicious_texts(X, lang_pair):
        warnings.warn(finding, stacklevel=3)


class Findings:
    """What is suspicious in a table seen in blocks.

    Copies are counted in all of them, shifts are looked for in each, or in several small ones;
    wrappers and languages are told by a sample of lines.
    """

    def __init__(self, lang_pair=None):
        self._copies, self._shifts, self._sample = Copies(), Shifts(), Sample()
        pair = lang_pair or ""
        self._expected = pair.partition("-")[::2] if "-" in pair else ("", pair)
        self._waiting = []  # blocks of few lines, in which no shift would be seen

    def add(self, X):
        """Look at a block."""
        check_candidates(X)
        if "hypothesis" not in X.columns or len(X) == 0:
            return
        lines = Lines(X)
        self._copies.add(lines)
        self._sample.add(lines)
        self._waiting.append(X)
        if sum(map(len, self._waiting)) >= _ENOUGH or len(lines.labels) >= _MANY_LINES:
            self._look_for_shifts()

    def _look_for_shifts(self):
        """Look at the blocks that wait, as one."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._shifts.add(Lines(waiting[0] if len(waiting) == 1 else pd.concat(waiting)))

    def warn(self):
        """Warn of what is suspicious, as whoever called the caller."""
        for finding in self.said():
            warnings.warn(finding, stacklevel=3)

    def said(self):
        """Return the sentences."""
        self._look_for_shifts()
        copies, copied = self._copies.said()
        found = copies | self._shifts.said() | wrapped(self._sample)
        said = [f"{kind}: {_listed(names)}." for kind, names in found.items() if names]
        lines = {name: part for name, part in self._sample.lines.items() if name not in copied}
        return said + foreign(lines, self._expected)


def _listed(found):
    """Join the first names of a list."""
    more = len(found) - _SHOWN
    return ", ".join(found[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
