"""A campaign of annotation as a spreadsheet: which of two translations is better, row by row."""

import csv
import io
import os
from itertools import combinations, product

import pandas as pd

from sklearn_mteval.datasets._loaded import Loaded
from sklearn_mteval.datasets.annotation.key import read_key, tokens_of_checks
from sklearn_mteval.datasets.annotation.results import documents_of_rows, with_key
from sklearn_mteval.datasets.annotation.tokens import is_signed
from sklearn_mteval.datasets.own.rankings import load_rankings
from sklearn_mteval.exceptions import DataFileError

_SIDES = ["token_a", "token_b"]
_TEXTS = ["translation_a", "translation_b"]
_WINNER = "winner (a/b/tie)"  # without what stands between cells
_LONGEST = 32_767  # UTF-16 units of a cell, beyond which spreadsheets cut
_FORMULAS = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001
_SHORT = 30  # characters; what is longer is no number and no date


def as_sheet(campaign):
    """Return the CSV text of a campaign whose translations have tokens of their own."""
    items = campaign.items
    columns = [
        "annotator", *["document"] * (campaign.documents is not None), "segment",
        *(name for name in ("source", "reference") if items[name].notna().any()),
        *_TEXTS, _WINNER, "comment", *_SIDES,
    ]  # fmt: skip
    rows = [
        row
        for _, shown in items.groupby(["annotator", "place", "segment"], sort=False)
        for row in _comparisons(shown)
    ]
    of_segments = items[items["kind"] == "judged"].groupby("segment")["system"]
    if of_segments.nunique().max() == 1:
        raise ValueError("All translations to be judged are equal: there is nothing to compare.")
    file = io.StringIO()
    writer = csv.DictWriter(file, columns, restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return "\ufeff" + file.getvalue()  # without the mark, Excel takes UTF-8 for another encoding


def _comparisons(shown):
    """List the rows of a segment: each system is compared with the next in a circle.

    The order is that of the tokens, which is random. Of three systems or more each stands once on
    either side; all pairs are compared equally often, over segments, at a cost that does not grow
    with the square of the number of systems.
    """
    shown = shown.sort_values("token").to_dict("records")
    pairs = zip(shown, shown[1:] + shown[:1], strict=True)
    n_pairs = len(shown) if len(shown) > 2 else len(shown) - 1
    return [_row(first, second) for first, second in list(pairs)[:n_pairs]]


def _row(first, second):
    """Return the cells of a comparison."""
    cells = {name: first[name] for name in ("annotator", "document", "segment")}
    cells |= {name: first[name] for name in ("source", "reference") if first[name] is not None}
    for side, column, row in zip(_SIDES, _TEXTS, (first, second), strict=True):
        cells |= {side: row["token"], column: row["hypothesis"]}
    for name, text in cells.items():
        if isinstance(text, str):
            is_label = name in ("document", "segment")
            runs = text.startswith(_FORMULAS) if is_label else _is_changed(text)
            cells[name] = f"'{text}" if runs else text
            if len(cells[name].encode("utf-16-le")) > 2 * _LONGEST:
                raise ValueError(
                    f"segment {first['segment']!r}: a {name} is too long for a spreadsheet, whose "
                    f"cells hold {_LONGEST} characters. Take another --tool."
                )
    return cells


def _is_changed(text):
    """Tell whether a spreadsheet would run a text, or take it for a number, an amount or a date."""
    text = text.lstrip("'")
    if text.startswith(_FORMULAS):
        return True
    digits = [character.isdigit() for character in text.strip(" ()%€$£.")]
    return len(text) <= _SHORT and bool(digits) and (digits[0] or digits[-1])


def _as_written(text):
    """Return the text of a cell."""
    return text[1:] if text.startswith("'") and _is_changed(text) else text


def load_sheet(path, campaign, *, drop_failed=False, **options):
    """Load what annotators filled in, read with the key of the campaign.

    ``options`` are those of :func:`load_rankings`. Returns a Bunch as that does, and in addition
    ``documents`` (of each row), ``selection`` and ``checks`` of the key. DataFileError for texts
    that were changed, for translations that the key does not know, and for comparisons that
    somebody answered twice, differently; alike, they count once.
    """
    key = read_key(campaign)
    usual = {
        "format": "pairwise", "system": _SIDES, "hypothesis": _TEXTS, "missing": "skip",
        "verdicts": dict.fromkeys(["both", "Both", "BOTH"], "tie"),
    }  # fmt: skip
    given = {name: value for name, value in options.items() if value is not None}
    own = load_rankings(path, **usual | given)
    path = path if isinstance(path, str | os.PathLike) else "the table"
    rows = own.X.assign(y=own.y, judge=own.judges, both_bad=own.both_bad)
    rows = rows.assign(shown_first=own.shown_first).reset_index()
    for column in ("source", "reference", "hypothesis"):
        if column in rows:
            rows[column] = [_as_written(text) for text in rows[column]]
    _check_texts(path, rows)
    rows, n_doubled = _once(path, rows)
    asked = rows["system"].isin(tokens_of_checks(key))
    said = (0 - rows[asked].set_index(["judge", "system"])["y"]).to_dict()
    judged, more, note = with_key(path, rows[~asked], key, said, drop_failed=drop_failed)
    judged = _with_equal(judged, key).set_index(["segment", "ranking", "system"]).sort_index()
    more["documents"] = documents_of_rows(more["documents"], judged.index)
    left_out = [
        f"{own.n_unjudged} comparison(s) without a winner" * (own.n_unjudged > 0),
        f"{n_doubled} row(s) that are there twice" * (n_doubled > 0),
    ]
    note = f"{' and '.join(filter(None, left_out))} left out. " * any(left_out) + note
    names = [name for name in ("source", "reference", "hypothesis") if name in judged]
    columns = {"judges": "judge", "both_bad": "both_bad", "shown_first": "shown_first"}
    found = {name: judged[column].rename(column) for name, column in columns.items()}
    own.update(X=judged[names].astype(object), y=judged["y"].rename("rank"), **found, **more)
    own.update(DESCR=f"Comparisons of {path}. {note}", note=note, n_contradictions=0)
    return Loaded(**own)


def _with_equal(judged, key):
    """Add comparisons of translations that are equal to one that was shown: to those that it was
    compared with, and ties among them, of all who judged the segment, or the one beside it.
    """
    alike, rows = {}, []
    for each in key.equal:
        alike[each["segment"], each["systems"][0]] = each["systems"]
    pairs = judged.sort_values("shown_first", ascending=False, kind="stable")
    for ranking, pair in pairs.groupby("ranking", sort=False):
        both = pair.to_dict("records")
        systems = [alike.get((row["segment"], row["system"]), [row["system"]]) for row in both]
        for names in list(product(*systems))[1:]:
            name = f"{ranking}: {' = '.join(names)}"
            rows += [
                row | {"system": system, "ranking": name}
                for row, system in zip(both, names, strict=True)
            ]
    tied = {"y": judged["y"].min(), "both_bad": False, "shown_first": False}
    judges = judged.groupby("segment")["judge"].unique()
    texts = [name for name in ("source", "reference", "hypothesis") if name in judged]
    for each in key.equal:
        who = {judge for beside in each["beside"] for judge in judges.get(beside, ())}
        row = {name: each[name] for name in ("segment", *texts)} | tied
        for judge, names in product(sorted(who), combinations(each["systems"], 2)):
            name = f"{judge}: {each['segment']}: {' = '.join(names)}"
            rows += [row | {"system": system, "ranking": name, "judge": judge} for system in names]
    return pd.concat([judged, pd.DataFrame(rows)], ignore_index=True) if rows else judged


def _check_texts(path, rows):
    """Raise for a row whose texts are not those that were written."""
    for row in rows.to_dict("records"):
        texts = [row["hypothesis"], row.get("source"), row.get("reference")]
        if not is_signed(row["system"], *texts):
            raise DataFileError(
                path,
                f"the texts of {row['system']!r} or this token itself are not those that were "
                f"written: {row['hypothesis'][:60]!r}. Take texts and token from the file as "
                "'campaign' wrote it, or delete the row.",
                line=_line(row),
            )


def _line(row):
    """Return the line of the file, which is in the name of a ranking; of a table there is none."""
    _, colon, line = str(row["ranking"]).rpartition(":")
    return int(line) if colon and line.isdigit() else None


def _once(path, rows):
    """Drop comparisons that the same judge answered alike before, and count them."""
    known, doubled = {}, []
    for ranking, pair in rows.groupby("ranking", sort=False):
        pair = pair.sort_values("system")
        name = (pair["judge"].iloc[0], *pair["system"])
        said = tuple(pair["y"]), bool(pair["both_bad"].iloc[0])
        before, where = known.setdefault(name, (said, ranking))
        if before != said:
            raise DataFileError(
                path,
                f"the judge {name[0]!r} compares these translations in another row, too "
                f"({where}), and says something else there: delete one of these rows.",
                line=_line(pair.iloc[0]),
            )
        if where != ranking:
            doubled.append(ranking)
    return rows[~rows["ranking"].isin(doubled)], len(doubled)
