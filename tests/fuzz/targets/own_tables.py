"""Tables of one's own judgements, whole and mutated, against a plain reading row by row."""

import csv
import gzip
import io
import json
import math
import re

import numpy as np
import pandas as pd

from fuzz import call, check, target
from fuzz.files import mutated, mutated_table, put
from sklearn_mteval.datasets import load_rankings, to_long

SYSTEMS = ["A1", "B2", "é c"]
WORDS = ["", "a", 'say "x"', "None", "x, y", "日本", "'", "-1"]
MISSING = ("", "none", "na", "n/a", "#n/a", "nan", "null", "-")  # whatever the case
BEHIND = [{}] * 9 + [
    {"segment": False}, {"judge": "note"}, {"quoted": False}, {"source": False}, {"format": "wide"},
    {"format": "long"}, {"format": "pairwise"}, {"better": "higher"}, {"missing": "skip"},
    {"reference": ["source", "note"]}, {"system": ["A1", "B2"]}, {"verdicts": "positions"},
    {"verdicts": {"x": "tie"}}, {"better": 3}, {"max_bytes": 300}, {"texts": {"source": "none"}},
    {"hypothesis": "note"}, {"system": 5}, {"return_X_y": "no"},
]  # fmt: skip


def written(draw, header, rows):
    """Write a table in one of the kinds of files, mostly mutated; return its path."""
    kind = draw.one(["csv", "csv", "tsv", "jsonl", "semicolons", "json"])
    if draw.chance(0.2):
        header = [draw.one([name.title(), f" {name}", name.replace("_", " ")]) for name in header]
    if kind.startswith("json"):
        items = [dict(zip(header, row, strict=True)) for row in rows]
        lines = map(json.dumps, items)
        content = ("\n".join(lines) if kind == "jsonl" else json.dumps(items)).encode()
    else:
        delimiter = {"csv": ",", "tsv": "\t", "semicolons": ";"}[kind]
        if kind == "semicolons":
            rows = [[str(c).replace(".", ",") if isinstance(c, float) else c for c in row]
                    for row in rows]  # fmt: skip
        text = io.StringIO()
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerows([header, *rows])
        content = text.getvalue().encode()
        if draw.chance(0.4):  # cells without quotes around them, columns mutated
            content = mutated_table(draw, header, rows, delimiter)
    content = mutated(draw, content, draw.one([0, 0, 1, 2]))
    return put(draw, draw.folder / f"mine.{kind}", content)


def rows_in(path, quoted):
    """Read a table as the csv and json modules do: a list of dicts of texts, None without."""
    content = path.read_bytes()
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    text = content.decode("utf-8-sig")
    if text.lstrip()[:1] in ("{", "["):
        if text.lstrip()[0] == "[":
            rows = json.loads(text)
        else:
            rows = [json.loads(line) for line in text.split("\n") if line.strip()]
        return [{_name(k): _text(v) for k, v in row.items()} for row in rows]
    text = text.replace("\r\n", "\n")
    first, *more = [line for line in text.split("\n") if line]
    delimiter = "\t" if "\t" in first else ";" if ";" in first and "," not in first else ","
    if not any(delimiter in line for line in more):  # a stray mark in the header
        delimiter = next((mark for mark in ",;" if mark in "".join(more)), delimiter)
    how = {"strict": True} if quoted else {"quoting": csv.QUOTE_NONE}
    header, *rows = [
        row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, **how) if row
    ]
    return [dict(zip(map(_name, header), row, strict=True)) for row in rows]


def _name(name):
    """Write the name of a column as is customary."""
    bare = re.sub(r"[\s_-]+", "_", name.strip()).lower()
    front = re.match(r"(rank|score|hypothesis)(?:_|-|\s+)(?=\S)", name.strip(), re.IGNORECASE)
    system = front and name.strip()[front.end() :]
    return f"{front[1].lower()}_{system}" if front else bare


def _number(text):
    """Read a number, with a decimal comma if there is one."""
    return float(text if "." in text else text.replace(",", "."))


def _missing(text):
    """Tell whether a cell says that there is nothing."""
    return text.strip().casefold() in MISSING


def _text(value):
    """Write a value of JSON as its text."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None or value != value else str(value)


def one_of(row, *names):
    """Take the cell of the column that has one of some names."""
    return next((row[name] for name in names if name in row), None)


def label(text):
    """Read a segment's label as the loader may: a whole number, or a text."""
    digits = text.removeprefix("-")
    return {text, int(text)} if digits.isdecimal() and digits.isascii() else {text}


def check_table(loaded):
    """Check what holds of every table."""
    X, y = loaded.X, loaded.y
    check(X.index.is_unique and X.index.names == ["segment", "ranking", "system"], X.index)
    check(np.isfinite(y).all() and y.index.equals(X.index), y)
    check(loaded.judges.index.equals(X.index) and loaded.judges.map(type).eq(str).all(), loaded)
    check(all(isinstance(cell, str | list) for name in X for cell in X[name].tolist()), X)
    if -1 in y.to_numpy():  # refused among ranks from 1 on
        return
    again = call(load_rankings, to_long(X.iloc[:, :0], y, judges=loaded.judges),
                 format="long", better="lower", legal=True)  # fmt: skip
    check(again.y.equals(y) and again.judges.equals(loaded.judges), loaded, again)


def plain(path, options, loaded):
    """Tell whether a plain reading says what the loader should say, whatever the mutation."""
    if re.search("header is in line|was left out|take what stands", loaded.DESCR):
        return False
    simple = set(options) <= {"better", "missing", "source", "quoted"}
    return simple and not path.name.endswith("parquet") and path.is_file()


@target(weight=8)
def long_tables(draw):
    texts = draw.chance()
    header = ["segment", "system", draw.one(["rank", "score"]), "judge"]
    header += ["source", "note"] if texts else []
    rows = []
    for k in range(draw.integer(1, 8)):
        segment = draw.integer(1, 3)
        judgement = draw.one([k, draw.integer(1, 3), 0.5, ""] if k else [1, 2.5])
        row = [segment, draw.one(SYSTEMS), judgement, draw.one(["x", "y"])]
        rows.append(row + ([WORDS[segment], draw.one(WORDS)] if texts else []))
    options = {"better": draw.one(["lower", "higher"]), "missing": "skip"} | draw.one(BEHIND)
    path = written(draw, header, rows)
    loaded = call(load_rankings, path, **{"return_X_y": False, **options})
    check_table(loaded)
    if loaded.format != "long" or not plain(path, options, loaded):
        return
    sign = -1 if options["better"] == "higher" else 1
    expected = []
    for row in rows_in(path, options.get("quoted") is not False):
        text = (one_of(row, "rank", "score") or "").strip()
        if not _missing(text):
            judge = one_of(row, "judge", "annotator", "rater") or ""
            expected.append((one_of(row, "system", "model"), judge, sign * _number(text)))
    systems = loaded.y.index.get_level_values("system")
    found = sorted(zip(systems, loaded.judges, map(float, loaded.y), strict=True))
    check(found == sorted(expected), found, sorted(expected), path.read_bytes())


OUTCOMES = {"tie": (1, 1), "both_bad": (1, 1), "both bad": (1, 1)}


@target(weight=8)
def pairwise_tables(draw):
    by_name, texts = draw.chance(), draw.chance(0.3)
    names = draw.one([("system_a", "system_b"), ("model_a", "model_b")])
    header = ["segment", *names, "winner", "judge"]
    header += ["source", "response_a", "response_b", "note"] if texts else []
    rows = []
    for _ in range(draw.integer(1, 8)):
        segment, (a, b) = draw.integer(1, 3), draw.rng.permutation(3)[:2]
        words = [SYSTEMS[a], SYSTEMS[b]] if by_name else ["model_a", "B"]
        row = [segment, SYSTEMS[a], SYSTEMS[b], draw.one([*words, *OUTCOMES]), draw.one("xy")]
        rows.append(row + ([WORDS[segment], *(f"{segment}{k}" for k in (a, b)), ""]
                           if texts else []))  # fmt: skip
    options = draw.one(BEHIND)
    path = written(draw, header, rows)
    loaded = call(load_rankings, path, **{"return_X_y": False, **options})
    check_table(loaded)
    if loaded.format != "pairwise" or not plain(path, options, loaded):
        return
    expected = rows_in(path, options.get("quoted") is not False)
    expected = [row for row in expected if not _missing(row["winner"])]
    check(len(loaded.y) == 2 * len(expected), loaded, path.read_bytes())
    if "each text of a segment is a system" in loaded.DESCR:
        return
    for row, (first, second), (bad, _), keys in zip(
        expected, _pairs(loaded.y), _pairs(loaded.both_bad), _pairs(loaded.y.index), strict=True
    ):
        systems = [cell for name, cell in row.items() if name.startswith(("system", "model"))]
        check([key[2] for key in keys] == systems, keys, row)
        check(keys[0][0] in label(row["segment"]), keys, row) if "segment" in row else None
        word = row["winner"].strip()
        ranks = {systems[0]: (1, 2), systems[1]: (2, 1)} | OUTCOMES
        place = {"model_a": (1, 2), "b": (2, 1), "model_b": (2, 1), "a": (1, 2)}
        wanted = {ranks.get(word), place.get(word.casefold()), ranks.get(word.casefold())}
        check((first, second) in wanted, row, first, second)
        check(bad == word.casefold().startswith("both"), row, bad)


def _pairs(values):
    """Take values two by two."""
    values = list(values)
    return list(zip(values[::2], values[1::2], strict=True))


@target(weight=8)
def wide_tables(draw):
    prefix, texts = draw.one(["rank", "score"]), draw.chance(0.3)
    systems = SYSTEMS[: draw.integer(2, 3)]
    header = ["segment", "judge", *(f"{prefix}_{s}" for s in systems)]
    header += [f"hypothesis_{s}" for s in systems] if texts else []
    rows = []
    for _ in range(draw.integer(1, 6)):
        segment = draw.integer(1, 3)
        row = [segment, draw.one("xy"), *(draw.one([1, 2, 3, 2.5, ""]) for _ in systems)]
        rows.append(row + ([f"{segment} {s}" for s in systems] if texts else []))
    options = {"better": draw.one(["lower", "higher"]), "missing": "skip"} | draw.one(BEHIND)
    path = written(draw, header, rows)
    loaded = call(load_rankings, path, **{"return_X_y": False, **options})
    check_table(loaded)
    if loaded.format != "wide" or not plain(path, options, loaded):
        return
    sign = -1 if options["better"] == "higher" else 1
    expected = []
    for row in rows_in(path, options.get("quoted") is not False):
        for name, cell in row.items():
            front, _, system = name.partition("_")
            if front in ("rank", "score") and system and not _missing(cell):
                expected.append((system, sign * _number(cell)))
    found = zip(loaded.y.index.get_level_values("system"), map(float, loaded.y), strict=True)
    check(sorted(found) == sorted(expected), loaded.y, expected, path.read_bytes())


@target(weight=4)
def frames_of_judgements(draw):
    """Frames of hostile cells, and tidy tables of hostile texts that must come back."""
    X = draw.texts()
    if draw.chance():
        y = draw.numbers(len(X), ["ranks", "normal"])
        judges = [draw.one(["x", "y", "é"]) for _ in y]
        frame = call(to_long, X, y, judges=judges)
        loaded = call(load_rankings, frame, better="lower", format="long", judge="judge",
                      missing="skip")  # fmt: skip
        check_table(loaded)
        check(len(loaded.y) == len(y) and sorted(loaded.y) == sorted(y), loaded.y, y)
        return
    strange = [None, np.nan, pd.NA, 1, 1.5, True, b"x", "A", "", " A", [], ["a"], {}, (1,), "1",
               10**400, -0.0, math.inf, object(), "\ud800", pd.Timestamp(0)]  # fmt: skip
    n = draw.integer(0, 5)
    names = draw.one([["segment", "system", "rank", "reference"],
                      ["segment", "system_a", "system_b", "winner"],
                      ["segment", "rank_A", "rank_B", "judge"]])  # fmt: skip
    columns = {name: draw.sprinkled([draw.integer(1, 3)] * n, strange) for name in names}
    frame = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})
    loaded = call(load_rankings, frame, **draw.one([{}, {"better": "lower"}, *BEHIND]))
    if not isinstance(loaded, tuple):
        check_table(loaded)
