"""Themes, spoilt texts and characteristic n-grams as tables for readers."""

from sklearn_mteval.evaluation.themes import FAULTS
from sklearn_mteval.report.cells import percent, written
from sklearn_mteval.report.formats import Table


def theme_tables(theme):
    """Make a table of each scoring of a Theme: systems in rows, or kinds if these are more.

    The best system is the first. A cell is the mean score, half its interval, and the win rate;
    in brackets is how many there are, of a kind or, where systems differ, of each.
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
