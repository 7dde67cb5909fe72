"""The themes of a page: kinds of segments, spoilt texts, words of one system."""

from sklearn_mteval.evaluation.characteristic_ngrams import characteristic_ngrams
from sklearn_mteval.evaluation.themes import spoilt_texts, themes_of
from sklearn_mteval.report.html.templating import table_of
from sklearn_mteval.report.themes import ngram_table, spoilt_table, theme_tables

_N_GRAMS = 15  # of each system
_BEYOND = 1.96  # of z; less is what one of twenty has by chance
_WIN_RATE = (
    "Win rate: of the other translations of these segments, how many the system's was better than, "
    "a tie counting half."
)
_SPOILT = (
    "Translations that equal the source, say themselves twice or over and over, have fewer than "
    "half the words of the reference, or are empty."
)
_WORDS = (
    "Up to three words that one of both systems says more often: log-odds with a prior from all "
    "systems' texts (Monroe, Colaresi and Quinn 2008), above 0 of the first; z, in standard "
    "deviations, beyond 1.96."
)


def themes_for(X, scores, y=None, *, order=(), documents=None, domains=None, flags=None, few=False):
    """Make the themes of a page: each a ``title``, a ``note`` and a ``table``.

    ``X`` and the other arguments are those of :func:`~sklearn_mteval.evaluation.themes.themes_of`;
    shown are the first of the scores and the annotators. ``order`` are the systems, the best first:
    the words of the first are compared with those of the next two. ``few`` leaves out what would
    make a page of many language pairs long: the words, and the scores where there are judgements.
    """
    given = dict(list(scores.items())[: 0 if few and y is not None else 1])
    found = [
        _entry(table.title.replace(": ", ", by ", 1), f"{theme.note} {_WIN_RATE}", table)
        for theme in themes_of(X, given, y, documents=documents, domains=domains, flags=flags)
        for table in theme_tables(theme)
    ]  # fmt: skip
    found.append(_entry("Spoilt translations", _SPOILT, spoilt_table(spoilt_texts(X))))
    for first, second in zip(order[:1] * 2, order[1:3], strict=False):
        words = characteristic_ngrams(X, first, second, _N_GRAMS)
        words = words[words["z"].abs() > _BEYOND]
        if len(words) and not few:
            title = f"Words of {first} against {second}"
            found.append(_entry(title, _WORDS, ngram_table(words, first, second)))
    return found


def _entry(title, note, table):
    """Make the dict of one theme."""
    return {"title": title, "note": note, "table": table_of(table)}
