"""The themes of a page, as tables: kinds of segments, spoilt texts, words of one system."""

from sklearn_mteval.evaluation.characteristic_ngrams import characteristic_ngrams
from sklearn_mteval.evaluation.themes import FAULTS, spoilt_texts, themes_of
from sklearn_mteval.report.cells import percent, written
from sklearn_mteval.report.formats import Table
from sklearn_mteval.report.html.templating import table_of

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

    Of :func:`~sklearn_mteval.evaluation.themes.themes_of` shown are the first scores and the
    annotators; words of the first system of ``order`` are compared with those of the next two.
    ``few`` leaves out the words, and the scores where there are judgements.
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


def theme_tables(theme):
    """Make a table of each scoring of a Theme, best system first, systems in rows, or kinds if
    more: mean score, half its interval, win rate; in brackets how many, of a kind or each cell.
    """
    tables = []
    for scoring in theme.table.index.unique("scoring"):
        part = theme.table.xs(scoring, level="scoring")
        systems, kinds = part.index.unique("system"), list(part.index.unique("kind"))
        means = (part["score"] * part["n"]).groupby(level="system").sum()
        counts = part["n"].groupby(level="system").sum()
        systems = (means / counts.clip(lower=1)).loc[systems].sort_values(
            ascending=False, kind="stable"
        ).index  # fmt: skip
        sizes = part["n"].groupby(level="kind").max()
        uneven = part["n"].groupby(level="kind").nunique() > 1
        cells = {
            (kind, system): _cell(score, high, rate) + f" ({n})" * bool(uneven[kind])
            for (kind, system), n, score, high, rate in zip(
                part.index, part["n"], part["score"], part["high"], part["win_rate"], strict=True
            )
        }
        title = f"{theme.title}: {scoring}, mean score ± 95 %; win rate"
        headers = [kind if uneven[kind] else f"{kind} ({sizes[kind]})" for kind in kinds]
        if len(kinds) <= len(systems):
            header = ["system", *headers]
            rows = [[str(name), *(cells[kind, name] for kind in kinds)] for name in systems]
        else:
            header = [theme.title.lower(), *map(str, systems)]
            rows = [
                [label, *(cells[kind, name] for name in systems)]
                for label, kind in zip(headers, kinds, strict=True)
            ]
        tables.append(Table(title, header, rows, names=header[0]))
    return tables


def _cell(score, high, rate):
    """Write a score, half its interval and a win rate."""
    return (
        f"{written(score, '.3f')} ± {written(high - score, '.3f')}; {written(100 * rate, '.0f')} %"
    )


def spoilt_table(counts):
    """Make a table of what :func:`~sklearn_mteval.evaluation.themes.spoilt_texts` returns."""
    rows = [
        [str(name), str(n), *(f"{k} ({percent(k / n)} %)" for k in found)]
        for name, n, *found in counts[["translations", *FAULTS]].itertuples()
    ]
    return Table("Spoilt texts", ["system", "translations", *FAULTS], rows, names="system")


def ngram_table(found, first, second):
    """Make a table of what ``characteristic_ngrams`` returns of two systems."""
    rows = [
        [ngram, str(of_first), str(of_second), f"{log_odds:+.2f}", f"{z:+.2f}"]
        for ngram, of_first, of_second, log_odds, z in found.itertuples()
    ]
    header = ["words", str(first), str(second), "log-odds", "z"]
    return Table(f"Words that {first} or {second} says more often", header, rows, names="words")
