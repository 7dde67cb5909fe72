"""Reports of leaderboards."""

import math
from functools import partial

import pandas as pd

from sklearn_mteval.report.cells import (
    UNDEFINED,
    aligned,
    entries,
    percent,
    records,
    written,
)
from sklearn_mteval.report.formats import Report, Table
from sklearn_mteval.report.leaderboard_notes import is_sample, more_judgements, notes_on
from sklearn_mteval.report.summaries.pairs import answer, p_value

_MOST_IN_MATRIX = 20  # systems whose win rates readers take in
_MOST_IN_PAIRS = 6  # of which each two have a line
_MODELS = {"half": "Bradley-Terry", "model": "Davidson"}
_TITLES = {"strength": "", "mean": "Mean scores", "win-rate": "Win rates x 100"}
_HEADINGS = {"strength": "score", "mean": "mean", "win-rate": "score"}


def report_of_leaderboard(found):
    """Return the report of a leaderboard."""
    tables = [_systems(found)]
    if len(found.effects):
        tables.append(_effects(found))
    if found.judges is not None:
        tables.append(_judges(found))
    if found.annotators is not None:
        tables.append(_annotators(found.annotators))
    notes = notes_on(found)
    if found.automatic is not None:
        tables.append(_automatic(found))
    if len(found.table) <= _MOST_IN_PAIRS:
        tables.append(_pairs(found))
    if len(found.table) <= _MOST_IN_MATRIX:
        tables.append(_win_rates(found))
    else:
        notes.append(f"win rates of more than {_MOST_IN_MATRIX} systems: see TSV or JSON.")
    said = tuple(answer_of_leaderboard(found))
    return Report(tables, notes, found.signature, _values(found), _record(found), said)


def answer_of_leaderboard(found):
    """Say in words which system is better; a list of sentences."""
    return answer(found.paired, number_of(found))


def _systems(found):
    """Return the table of systems."""
    table, options = found.table, found.options
    number = number_of(found)
    ranks = zip(table["rank_low"], table["rank_high"], strict=True)
    columns = {
        "system": list(map(str, table.index)),
        _HEADINGS[options["by"]]: [number(x) for x in table["score"]],
        **_intervals(table, number),
        "letters": list(table["letters"]),
        "ranks": [f"{low}-{high}" for low, high in ranks],
    }
    if options["by"] == "mean":
        columns["segments"] = table["segments"].map(str)
    if options["by"] != "win-rate" or found.automatic is not None or is_sample(found):
        columns["win rate"] = [percent(x) for x in table["win_rate"]]
    if options["by"] != "mean":
        columns |= {name: table[name].map(str) for name in ("wins", "losses", "ties")}
    if found.counts.get("both_bad"):
        columns["both bad"] = table["both_bad"].map(str)
    what = _TITLES[options["by"]]
    if options["by"] == "strength":
        what = f"{_MODELS[options['ties']]} scores ({options['scale']})"
    title = f"{what} with {100 * options['confidence']:g} % intervals, higher is better"
    return Table.of_columns(title, columns, names="system", texts=("letters",))


def number_of(found):
    """Return a function that writes scores: to the second digit of their least error, or x 100."""
    options = found.options
    if options["by"] == "win-rate":
        return percent
    digits = 0 if options["scale"] == "elo" else 3
    if options["by"] == "mean":
        errors = found.table["standard_error"]
        least = errors[errors > 0].min()
        digits = 2 if math.isnan(least) else min(max(1 - math.floor(math.log10(least)), 0), 9)
    return partial(_number, digits=digits)


def _pairs(found):
    """Return the table of each two systems."""
    pairs, number = found.pairs, number_of(found)
    columns = {
        "system": list(map(str, pairs["system"])),
        "other": list(map(str, pairs["other"])),
        "difference": [number(x) for x in pairs["difference"]],
        "interval": _bounds(pairs, "", number),
        "p": [UNDEFINED if math.isnan(p) else p_value(p)[2:].strip(" =") for p in pairs["p_value"]],
    }
    if not pairs["more_segments"].isna().all():
        columns |= more_judgements(found)
    title = "Differences of two systems, with the interval of each by itself and Holm's p"
    return Table.of_columns(title, columns, names="system", texts=("other",))


def _values(found):
    """Return all numbers, a row for each system: those of two under the name of the other."""
    tables = {"win_rate": found.win_rates.to_numpy()}
    tables |= {"difference": found.paired.differences, "low": found.paired.low}
    tables |= {"high": found.paired.high, "p_value": found.paired.p_values}
    tables |= {"more_segments": found.more_segments}
    names = [f"{what}_against_{name}" for what in tables for name in found.table.index]
    names = pd.Index([*found.table.columns, *names], dtype=object)  # any text may be a name
    parts = [found.table, *(pd.DataFrame(part, found.table.index) for part in tables.values())]
    return pd.concat(parts, axis=1, ignore_index=True).set_axis(names, axis=1)


def _effects(found):
    """Return the table of covariates."""
    effects = found.effects
    columns = {
        "covariate": list(effects.index),
        "effect": [_number(x, 3) for x in effects["effect"]],
        **_intervals(effects, partial(_number, digits=3)),
        "deviation": [f"{x:.3g}" for x in effects["deviation"]],
    }
    title = "Effect on the log-odds of a difference of one deviation"
    return Table.of_columns(title, columns, names="covariate")


def _automatic(found):
    """Return the table of automatic judges."""
    columns = {"judge": list(map(str, found.automatic.index))}
    for name, values in found.automatic.items():
        form = str if name == "scored" else "{:.3g}".format
        columns[name.replace("_", " ")] = [form(x) for x in values]
    title = "Automatic judges: by how much annotators' means move with theirs"
    return Table.of_columns(title, columns, names="judge")


def _judges(found):
    """Return the table of judges."""
    judges, number = found.judges, partial(_number, digits=2)
    columns = {"judge": list(map(str, judges.index))}
    if "discrimination" in judges:
        columns["discrimination"] = [number(x) for x in judges["discrimination"]]
        columns["interval"] = _bounds(judges, "", number)
    columns["comparisons"] = judges["comparisons"].map(str)
    if "automatic" in judges:
        columns["automatic"] = ["yes" if x else "" for x in judges["automatic"]]
    columns["weight"] = [f"{x:g}" for x in judges["weight"]]
    for name in found.options["covariates"]:
        if f"bias_{name}" in judges:
            columns[f"bias: {name}"] = [number(x) for x in judges[f"bias_{name}"]]
            columns[f"interval of {name}"] = _bounds(judges, f"bias_{name}_", number)
    title = "Judges"
    if "discrimination" in judges:
        title += ": discrimination of geometric mean 1"
        title += ", and effects of covariates" * bool(found.options["covariates"])
    return Table.of_columns(title, columns, names="judge")


def _annotators(annotators):
    """Return the table of those who judged."""
    minutes, each = annotators["minutes"], 60 * annotators["minutes"] / annotators["judgements"]
    columns = {
        "annotator": list(map(str, annotators.index)),
        "judgements": annotators["judgements"].map(str),
    }
    if minutes.notna().any():
        columns["minutes"] = [written(x, ".1f") for x in minutes]
        columns["seconds each"] = [written(x, ".1f") for x in each]
    if annotators["asked"].notna().any():
        checks = zip(annotators["passed"], annotators["asked"], strict=True)
        columns["checks passed"] = [
            UNDEFINED if n != n else f"{p:.0f} of {n:.0f}" for p, n in checks
        ]
    for name, value, n, form in (
        ("same order", "agreement_with_others", "pairs_with_others", percent),
        ("correlation", "correlation", "scores_with_others", "{:.2f}".format),
        ("higher by", "difference", "scores_with_others", "{:+.1f}".format),
    ):
        cells = zip(annotators[value], annotators[n], strict=True)
        if annotators[value].notna().any():
            columns[name] = [f"{form(x)} ({m:.0f})" if x == x else UNDEFINED for x, m in cells]
    title = "Annotators: time, checks of attention, and agreement with others (on how many)"
    return Table.of_columns(title, columns, names="annotator")


def _win_rates(found):
    """Return the matrix of win rates."""
    places = [str(place) for place in range(1, len(found.table) + 1)]
    rows = []
    for place, (name, rates) in enumerate(found.win_rates.iterrows()):
        cells = [percent(x) for x in rates]
        cells[place] = ""
        rows.append([places[place], str(name), *cells])
    title = "Win rates x 100 of the row's system against the column's, a tie half a win"
    if found.options["by"] == "mean":
        title += ": on which proportion of segments its mean is higher"
    return Table(title, ["place", "system", *places], rows, names="system")


def _record(found):
    """Return what JSON holds."""
    systems, names = entries(found.table), list(map(str, found.table.index))
    pairs = found.pairs  # names may hold surrogates, which no column of texts does
    pairs = [
        {"system": str(one), "other": str(other)} | row
        for one, other, row in zip(
            pairs.pop("system"), pairs.pop("other"), records(pairs), strict=True
        )
    ]
    for entry, rates in zip(systems, found.win_rates.to_numpy(), strict=True):
        of_others = zip(names, rates.tolist(), strict=True)
        entry["win_rates"] = {name: rate for name, rate in of_others if not math.isnan(rate)}
    options = {k: list(v) if isinstance(v, tuple) else v for k, v in found.options.items()}
    automatic = {} if found.automatic is None else {"automatic": entries(found.automatic)}
    return {
        **found.counts, **automatic, "options": options, "tie_proportion": found.tie_proportion,
        "systems": systems, "pairs": pairs, "covariates": entries(found.effects),
        **{
            name: entries(table) for name in ("judges", "annotators")
            if (table := getattr(found, name)) is not None
        }
    }  # fmt: skip


def _number(value, digits):
    """Write a number; a zero has no sign."""
    return written(round(value, digits) + 0.0, f".{digits}f")


def _intervals(table, number):
    """Write both intervals of each row, aligned."""
    prefixes = {"bootstrap": "", "sandwich": "sandwich_"}
    return {name: _bounds(table, prefix, number) for name, prefix in prefixes.items()}


def _bounds(table, prefix, number):
    """Write one interval of each row, aligned; ``number`` writes a bound."""
    ends = (table[f"{prefix}low"], table[f"{prefix}high"])
    return aligned("[{}, {}]", *([number(x) for x in end] for end in ends))
