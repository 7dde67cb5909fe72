"""Where systems differ, as tables: by kinds of segments, spoilt texts, characteristic words."""

import pandas as pd

from sklearn_mteval.evaluation.characteristic_ngrams import characteristic_ngrams
from sklearn_mteval.evaluation.themes import HUMAN, spoilt_texts, themes_of
from sklearn_mteval.report.cells import percent, written
from sklearn_mteval.report.formats import Table
from sklearn_mteval.report.html.templating import table_of

__all__ = ["themes_for"]

_N_GRAMS = 15  # of each system


def themes_for(X, scores, y=None, *, order=(), documents=None, flags=None):
    """Make the themes of a page: each a ``title``, a ``note`` and a ``table``.

    ``X``, ``scores`` and the other arguments are those of
    :func:`~sklearn_mteval.evaluation.themes.themes_of`; shown are the first of the scores and the
    annotators. ``order`` are the systems, the best first: of the first three, the words are
    compared.
    """
    first = next(iter(scores), None)
    given = {first: scores[first]} if first is not None else {}
    found = []
    for theme in themes_of(X, given, y, documents=documents, flags=flags):
        for scoring in theme.table.index.unique("scoring"):
            by = "annotators" if scoring == HUMAN else scoring
            found.append(
                _entry(f"{theme.title}, by {by}", f"{theme.note} {_CELLS}",
                       _of_kinds(theme.table.xs(scoring), order))
            )  # fmt: skip
    found.append(
        _entry("Spoilt translations", "How many translations of each system are equal to the "
               "source, say themselves twice, are far shorter than the reference, or are empty.",
               _of_spoilt(spoilt_texts(X), order))
    )  # fmt: skip
    pairs = list(zip(order[:1] * 2, order[1:3], strict=False))
    return found + [_of_words(X, *pair) for pair in pairs]


_CELLS = (
    "A cell is the mean score and, in brackets, the win rate in %: of the other translations of "
    "these segments, how many the system's was better than, a tie counting half."
)


def _entry(title, note, table):
    """Make the dict of one theme."""
    return {"title": title, "note": note, "table": table_of(table)}


def _of_kinds(table, order):
    """Show systems in rows, kinds of segments in columns."""
    kinds, systems = table.index.unique("kind"), table.index.unique("system")
    systems = [name for name in order if name in systems] or list(systems)
    columns = {"system": list(map(str, systems))}
    for kind in kinds:
        of_kind = table.xs(kind, level="kind").reindex(systems)
        cells = [
            f"{written(score, '.3f')} ({percent(rate)})"
            for score, rate in zip(of_kind["score"], of_kind["win_rate"], strict=True)
        ]
        n = of_kind["n"].max()
        columns[f"{kind} (n = {0 if pd.isna(n) else int(n):,})"] = cells
    return Table.of_columns("Systems by kinds of segments", columns, names="system")


def _of_spoilt(counts, order):
    """Show how many translations of each system are spoilt."""
    counts = counts.reindex([name for name in order if name in counts.index] or counts.index)
    columns = {"system": list(map(str, counts.index))}
    columns |= {name: [str(int(n)) for n in counts[name]] for name in counts}
    return Table.of_columns("Spoilt translations of systems", columns, names="system")


def _of_words(X, first, second):
    """Show what two systems say more often than each other."""
    found = characteristic_ngrams(X, first, second, _N_GRAMS)
    columns = {
        "words": list(map(str, found.index)),
        f"times in {first}": [str(int(n)) for n in found["of_first"]],
        f"times in {second}": [str(int(n)) for n in found["of_second"]],
        "z": [written(z, "+.1f") for z in found["z"]],
    }
    return _entry(
        f"Words of {first} against {second}",
        f"Up to three words that one of both systems says more often: log-odds with a prior from "
        f"all systems (Monroe et al. 2008), divided by their standard deviation; z above 0 is "
        f"{first}'s. Of words that both say alike, one of twenty is beyond 1.96.",
        Table.of_columns("Characteristic words", columns, names="words"),
    )
