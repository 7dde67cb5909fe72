"""Loaders of campaigns of the metrics tasks and of annotation tools, and what is made of them."""

import csv
import io
import json
import math

import numpy as np
import pandas as pd

from fuzz import call, check, target
from fuzz.files import content_of, mutated, mutated_table, put
from sklearn_mteval.datasets import load_esa, load_mlqe, load_mtme, load_pearmut, load_scores
from sklearn_mteval.datasets.campaigns.mlqe import GOLD, RENAMED
from sklearn_mteval.evaluation import audit_judges, metrics_task

SYSTEMS = ["A", "sys-B.é", "refA", "refB"]
HUMAN = "human-scores/de-en.mqm.seg.score"
RATING = "human-scores/de-en.r.seg.rating"
METRICS = "metric-scores/de-en"
STRANGE = ["nan", "NaN", "inf", "None", "", "1e999", "0x1", "-0.0", "1", "-7.25", "good"]
JSON_VALUES = [None, True, [], {}, "x", "1", 1e308, -1, 10**30, math.nan, math.inf, [[]], {"a": 1}]


def score_lines(draw, n):
    """Draw a file SYSTEM SCORE."""
    lines = []
    for system in draw.one([SYSTEMS] * 20 + [SYSTEMS[:2]] * 9 + [[*SYSTEMS, "A"], ["A", "C"], []]):
        values = [repr(x) for x in draw.numbers(n, ["ties", "normal"])]
        lines += [f"{system}\t{x}" for x in _spoiled(draw, values)]
    return "".join(f"{line}\n" for line in lines).encode()


def _spoiled(draw, values):
    """Leave out some scores, and replace a few by what is none."""
    return draw.sprinkled(values, ["None"] if draw.chance(0.9) else STRANGE, 0.3)


def ratings(draw, n):
    """Draw a file of ratings."""
    lines = []
    for system in SYSTEMS[:3]:
        for _ in range(n):
            errors = [
                {
                    "start": 0,
                    "end": draw.one([0] * 15 + [1] * 9 + [-1, "0", None]),
                    "category": draw.one([None, "style/awkward", "fluency/punctuation"]),
                    "severity": draw.one(["minor", "major", "Minor", "Neutral"]),
                    "score": draw.one([0.1, 1, 5, 25, None, None]),
                }
                for _ in range(draw.integer(0, 2))
            ]
            rating = {"errors": errors}
            rating = spoiled(draw, rating) if draw.chance(0.02) else rating
            shown = draw.one([json.dumps(rating)] * 3 + ["None"])
            lines.append(f"{system}\t{shown}" + "\tann" * draw.chance(0.3))
    return "".join(f"{line}\n" for line in lines).encode()


FIELDS = {"sources": "source", "references": "target", "system-outputs": "hypothesis"}


def json_lines(draw, name, content):
    """Write the lines of a text file as JSON lines, as WMT24++ has them."""
    field = FIELDS[name.partition("/")[0]]
    records = [{field: text} for text in content.decode().removesuffix("\n").split("\n")]
    if field == "source":
        records = [record | {"document_id": "d1", "is_bad_source": False} for record in records]
    if draw.chance(0.05):
        records = spoiled(draw, records)
    lines = records if isinstance(records, list) else [records]
    return "".join(json.dumps(record) + "\n" for record in lines).encode()


def folder_of(draw):
    """Write a test set, seldom with a damaged file; return folder and contents."""
    n, root = draw.integer(1, 4), draw.folder / "wmt99"
    words = ["a", "der", "-", "x\ty"]
    texts = "".join(" ".join(draw.some(words, 3)) + "\n" for _ in range(n))
    files = {"sources/de-en.txt": texts, "documents/de-en.docs": "news\td1\n" * n}
    for system in SYSTEMS:
        files[f"system-outputs/de-en/{system}.txt"] = texts
        if system.startswith("ref"):
            files[f"references/de-en.{system}.txt"] = texts
    files = {name: content.encode() for name, content in files.items()}
    files[HUMAN], files[RATING] = score_lines(draw, n), ratings(draw, n)
    for name in ("COMET-refA", "QE-src", "BLEU-refB")[: draw.integer(0, 3)]:
        files[f"{METRICS}/{name}.seg.score"] = score_lines(draw, n)
    for name in [name for name in files if name.endswith(".txt") and draw.chance(0.2)]:
        files[f"{name.removesuffix('txt')}jsonl"] = json_lines(draw, name, files.pop(name))
    damaged = draw.one([*files, *[None] * 8])
    for name, content in files.items():
        file = root / (f"{name}.gz" if draw.chance(0.05) else name)
        put(draw, file, mutated(draw, content, 3) if name == damaged else content)
    return root, files


def scores_by_hand(content):
    """Read lines SYSTEM SCORE: {(segment, system): score}."""
    found, counts = {}, {}
    for line in content.replace("\r\n", "\n").split("\n"):
        if line.strip():
            system, score = line.replace(" ", "\t").rsplit("\t", 1)
            system = system.strip()
            counts[system] = counts.get(system, 0) + 1
            if score.strip() != "None":
                found[counts[system], system] = float(score)
    return found


def file_of(root, name):
    """Find a file of a test set, compressed or not."""
    return next(file for file in (root / name, root / f"{name}.gz") if file.exists())


@target(weight=7)
def mtme_folders(draw):
    root, files = folder_of(draw)
    gold = draw.one(["mqm"] * 12 + ["r"] * 8 + ["esa", None, "mqm.seg"])
    options = {
        "reference": draw.one([None] * 9 + ["refA", ["refA", "refB"], "refC", [], 5]),
        "human_systems": draw.one([False] * 9 + [True] * 5 + ["x"]),
        "metric_scores": draw.one([True] * 9 + [False] * 3 + ["QE", ["COMET", "QE-src"], ["x"], 3]),
    }
    lang_pair = draw.one(["de-en"] * 40 + ["en-de", "../de-en", "de", "", None, "de-en\n"])
    mtme = call(load_mtme, root, lang_pair, gold=gold, **options)
    X, y = mtme.X, mtme.y
    check(X.index.equals(y.index) and X.index.is_unique and np.isfinite(y).all(), X, y)
    check(not np.isinf(X[mtme.metrics].to_numpy(dtype=float)).any(), X)
    systems = set(y.index.unique("system"))
    check("refA" not in systems or options["human_systems"] is True, systems, options)
    if gold in ("mqm", None):  # the default
        human = scores_by_hand(content_of(file_of(root, HUMAN)))
        expected = {key: -value for key, value in human.items() if key[1] in systems}
        check(y.to_dict() == expected, y, expected)
        competing = {"A", "sys-B.é"} & {system for _, system in human}
        check(competing <= systems, systems, human)
    else:
        check((y >= 0).all() and y.index.equals(mtme.spans.index), y)
        check(set(mtme.judges) <= {"r", "ann"}, mtme.judges)
        for key, spans in mtme.spans.items():
            inside = [0 <= s.start <= s.end <= len(X.loc[key, "hypothesis"]) for s in spans]
            check(all(inside), key, spans)
    for metric in mtme.metrics:
        base = metric if "-" in metric else next(
            name.rpartition("/")[2].removesuffix(".seg.score")
            for name in files
            if name.startswith(f"{METRICS}/{metric}-")
        )  # fmt: skip
        scores = scores_by_hand(content_of(file_of(root, f"{METRICS}/{base}.seg.score")))
        for key, value in mtme.translations[metric].items():
            check(scores.get(key, math.nan) in (value,) or value != value, key, value, scores)
            check((key in scores) == (value == value), key, value, scores)
    name = next(name for name in files if name.startswith("sources/de-en."))
    lines = content_of(file_of(root, name)).removesuffix("\n").split("\n")
    if name.endswith(".jsonl"):
        lines = [json.loads(line)["source"] for line in lines]
    for (segment, _), text in X["source"].items():
        check(lines[segment - 1].removesuffix("\r") == text, segment, text, lines)


def export(draw):
    """Draw the rows of an export of Appraise."""
    rows = []
    for _ in range(draw.integer(1, 12)):
        spans = [{"start_i": draw.one([3, "missing"]), "end_i": 5, "severity": "minor"}]
        rows.append(
            [
                draw.one("uv"),
                draw.one(["A", "B", "A", "B", "A+C", "refA", "ende-tutorial1", "C++"]),
                draw.integer(0, 2),
                draw.one(["TGT"] * 6 + ["BAD", "CHK", "REF"]),
                "deu",
                draw.one(["eng"] * 9 + ["ces"]),
                draw.integer(0, 100),
                draw.one(["d1", "d1#dup", "d2"]),
                draw.one(["False"] * 5 + ["True"]),
                json.dumps(spans[: draw.integer(0, 1)]),
                draw.integer(0, 9),
                draw.integer(0, 9),
            ]
        )
    return rows


@target(weight=7)
def appraise_exports(draw):
    rows = export(draw)
    for row in rows:
        if draw.chance(0.03):
            row[draw.integer(0, 11)] = draw.one([*STRANGE, "[", "{}", '[{"start_i": "x"}]', "a,b"])
        if draw.chance(0.01):
            del row[draw.integer(0, len(row) - 1)]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    content = mutated(draw, text.getvalue().encode(), draw.one([0, 0, 2]))
    path = put(draw, draw.folder / "esa.csv", content)
    options = {"average_judges": draw.chance(), "human_systems": draw.chance()}
    lang_pair = draw.one(["de-en"] * 6 + ["deu-eng", None, "de-cs", "x", 3])
    esa = call(load_esa, path, lang_pair, **options)
    check(esa.X.index.is_unique and esa.X.index.equals(esa.y.index), esa.X)
    check(((esa.y <= 0) & (esa.y >= -100)).all(), esa.y)
    scores = {}
    for row in csv.reader(io.StringIO(content_of(path), newline=""), strict=True):
        if len(row) in (11, 12) and row[3] in ("TGT", "CHK") and row[8].lower() in ("false", "0"):
            parts = row[1].split("+")
            for system in parts if all(parts) else [row[1]]:
                key = int(row[2]) + 1, system
                scores.setdefault(key, []).append(float(row[6]))
    systems = esa.y.index.unique("system")
    check("ende-tutorial1" not in systems, systems)
    if options["average_judges"]:
        for key, value in esa.y.items():
            found = scores[key]
            check(min(found) - 1e-9 <= -value <= max(found) + 1e-9, key, value, found)
    else:
        for (segment, _, system), value in esa.y.items():
            check(-value in scores[segment, system], segment, system, value, scores)
        audit = call(audit_judges, esa.y, esa.judges, checks=esa.checks, seconds=esa.seconds)
        check(audit["judgements"].sum() == len(esa.y), audit, esa.y)
        check(audit["damaged"].sum() <= len(esa.checks), audit, esa.checks)


def marks(draw):
    """Draw spans of a text of two characters; from the third place on stand special tokens."""
    places = draw.one([(0, 0), (0, 1), (1, 1), (2, 2), (3, 3)])
    names = {"severity": draw.one(["minor", "major", None]), "category": None}
    span = dict(zip(("start_i", "end_i"), places, strict=True)) | names
    return [span] * draw.integer(0, 2)


def log(draw):
    """Draw a log of pearmut as Python objects."""
    entries = []
    for _ in range(draw.integer(1, 5)):
        items = draw.integer(1, 2)
        place = draw.one([0, 0, 1, 2, "welcome_0"])
        models = [draw.some("XYZ", 3) or ["X"] for _ in range(items)]
        entry = {
            "annotation": [
                {m: {"score": draw.integer(0, 100), "error_spans": marks(draw)} for m in of_item}
                for of_item in models
            ],
            "item": [
                {"item_id": f"{place}.{k}", "src": f"s{k}", "tgt": {m: f"{m}{k}" for m in of_item}}
                for k, of_item in enumerate(models)
            ],
            "actions": [{"time": draw.integer(0, 99)} for _ in range(draw.integer(0, 3))],
            "user_id": draw.one("uv"),
            "item_i": place,
        }
        if draw.chance(0.1):
            entry["annotation"] = "__RESET__"
        if draw.chance(0.1):
            entry["annotation"] = [None] * items
        entries.append(entry)
    return entries


def spoiled(draw, value):
    """Replace one part of nested objects."""
    if not isinstance(value, dict | list) or not value or draw.chance(0.15):
        return draw.one(JSON_VALUES)
    key = draw.one(value) if isinstance(value, dict) else draw.integer(0, len(value) - 1)
    made = dict(value) if isinstance(value, dict) else list(value)
    if draw.chance(0.1):
        del made[key]
    else:
        made[key] = spoiled(draw, value[key])
    return made


@target(weight=7)
def pearmut_logs(draw):
    entries = log(draw)
    whole = draw.chance()
    if not whole:
        entries = spoiled(draw, entries)
    lines = entries if isinstance(entries, list) else [entries]
    content = "".join(json.dumps(entry) + "\n" for entry in lines)
    if draw.chance(0.2):
        content = json.dumps({"campaign": entries}, indent=draw.one([None, 2]))
    content = mutated(draw, content.encode(), 0 if whole else draw.one([0, 2]))
    path = put(draw, draw.folder / "log.jsonl", content)
    average_judges = draw.chance()
    pearmut = call(load_pearmut, path, average_judges=average_judges)
    y = pearmut.y
    check(y.index.is_unique and np.isfinite(y).all() and len(y) > 0, y)
    check(pearmut.spans.index.equals(y.index), pearmut.spans)
    for key, spans in pearmut.spans.items():
        inside = [0 <= s.start <= s.end <= len(pearmut.X.loc[key, "hypothesis"]) for s in spans]
        check(all(inside), key, spans)
    if whole and not average_judges:
        last = {}  # what a user said of a translation last
        for entry in entries:
            user, place = entry["user_id"], entry["item_i"]
            if entry["annotation"] == "__RESET__":  # of all that the user said
                last = {key: kept for key, kept in last.items() if key[0] != user}
                continue
            for k, (item, said) in enumerate(zip(entry["item"], entry["annotation"], strict=True)):
                for model in item["tgt"]:
                    last[user, place, k, model] = None if said is None else said[model]["score"]
        expected = sorted(
            -float(score)
            for (_, place, *_), score in last.items()
            if place != "welcome_0" and score is not None
        )
        check(sorted(y) == expected, y, expected)
        audit = call(audit_judges, y, pearmut.judges, seconds=pearmut.seconds, legal=True)
        check(set(audit.index) == set(pearmut.judges), audit)


@target(weight=5)
def comet_json(draw):
    n = draw.integer(1, 3)
    scores = {system: draw.numbers(n, ["ties", "normal"]) for system in ("A", "B")}
    made = {
        f"out/{system}.txt": [{"src": "x", "COMET": draw.one([x] * 9 + [None])} for x in column]
        for system, column in scores.items()
    }
    if draw.chance(0.4):
        made = spoiled(draw, made)
    content = json.dumps(made, indent=draw.one([None, 4])).encode()
    path = put(draw, draw.folder / "comet.json", mutated(draw, content, draw.one([0, 0, 2])))
    found = call(load_scores, path, ["A", "B"], draw.one([n, n, None, n + 1]))
    check(found.index.is_unique and not np.isinf(found.to_numpy()).any(), found)
    shown = json.loads(content_of(path))
    for file, segments in shown.items():
        system = file.rpartition("/")[2].removesuffix(".txt")
        for k, segment in enumerate(segments, 1):
            value = found.loc[(k, system)].iloc[0]
            expected = segment["COMET"]
            check(value == expected or (expected is None and value != value), value, segment)


@target(weight=4)
def metrics_tasks(draw):
    campaigns = {}
    for name in draw.one([["x"], ["x", "y"]]):
        n = draw.integer(1, 4), draw.integer(1, 4)
        rows = pd.MultiIndex.from_product(
            [range(n[0]), [f"s{k}" for k in range(n[1])]], names=["segment", "system"]
        )
        y = pd.Series(draw.numbers(len(rows), ["ties", "normal", "large"]), index=rows)
        columns = {m: draw.numbers(len(rows)) for m in ("a", "b", "c")[: draw.one([1, 2, 2, 3, 3])]}
        if draw.chance(0.2):
            columns["a"] = draw.sprinkled(columns["a"], [math.nan, math.inf, 1e200], 0.3)
        campaigns[name] = y, pd.DataFrame(columns, index=rows)
    options = {
        "system_statistic": draw.one(["spa", "accuracy", "pearson", "spa", None, "x"]),
        "segment_statistic": draw.one(["acc_eq", "wmt12", "pearson", "pdp", None, "spa"]),
        "sort_by": draw.one(["values", "ranks"]),
        "ranks": draw.one(["metrics-task", "clusters", "metrics-task", "holm"]),
        "correction": draw.one([None, "holm"]),
        "missing": draw.one(["error", "skip"]),
    }
    found = call(metrics_task, campaigns, **options, n_permutations=draw.one([1, 20, 64]))
    p = found.comparison.p_values
    check(((p > 0) & (p <= 1) | np.isnan(p)).all(), p)
    columns = ["_".join(task) for task in found.tasks]
    expected = found.table[columns].mean(axis=1, skipna=False)
    near = np.isclose(found.table["average"], expected, equal_nan=True)
    check(near.all(), found.table)
    defined = found.table["average"].notna()
    check(((found.table["cluster"] > 0) == defined).all(), found.table)
    by_average = found.table[defined].sort_values("average", ascending=False, kind="stable")
    steps = by_average["cluster"].diff().dropna()
    check(steps.isin([0, 1]).all(), found.table)  # ranks follow the average, none is left out
    if options["ranks"] == "metrics-task":
        for _, names in by_average.groupby("cluster").groups.items():
            p = found.p_values.loc[names, names].to_numpy()
            values = by_average["average"].loc[names].to_numpy()
            apart = values[:, None] > values[None, :]
            check(not (p[apart] <= found.alpha).any(), found.p_values)


MLQE = {
    "source": ["a", "b", "b", "ü \"q\" .", "c", '"x ""y"" z"'],
    "translation": ["' u ' ."],
    "translation_tokenized": ["' u ' ."],
    "post_edit_tokenized": ["s t .", "u !", "\" q \" %"],
    "hter": ["0", "0.25", "1.000000", "1"],
    "da_mean": ["50", "50.0"],
    "da_z": ["-1.5", "0", "2e-1"],
    "da_scores": ["[50]", "[40,60]", "[0,50,100]"],
    "votes": ["[0,1,0]", "[0,3]", "[0]"],
    "critical": ["0"],
}  # fmt: skip


@target(weight=3)
def mlqe_files(draw):
    gold = draw.one([None, *GOLD] * 5 + ["x", 3])
    left_out = draw.one([("votes", "critical"), (), (), (), ("hter",)])
    columns = [name for name in MLQE if name not in left_out]
    rows = [[draw.one(MLQE[name]) for name in columns] for _ in range(draw.integer(0, 5))]
    if draw.chance(0.2):  # as WMT23's task has direct assessments, without post-edits
        names = {column: name for name, column in RENAMED.items()}
        kept = [k for k, name in enumerate(columns) if name in ("translation", *names)]
        columns = [names.get(columns[k], columns[k]) for k in kept]
        rows = [[row[k] for k in kept] for row in rows]
    content = mutated_table(draw, columns, rows, "\t")
    content = mutated(draw, content, draw.one([0, 0, 0, 2]))
    path = put(draw, draw.folder / draw.one(["de-en.train.tsv", "x.gz", "é"]), content)
    found = call(load_mlqe, path, gold=gold)
    X, y = found.X, found.y
    check(X.index.is_unique and X.index.equals(y.index) and np.isfinite(y).all(), X, y)
    check(X["source"].str.strip().ne("").all(), X)
    check(y.name == "da_z" or y.between(*((-100, 0) if y.name == "da_mean" else (0, 1))).all(), y)
    if y.name == "post_edit":
        check(len(X) % 2 == 0 and (y.iloc[1::2] == 0).all(), y)
        check((X.index.get_level_values("system")[::2] == "mt").all(), X)
    else:
        check(set(X.index.unique("system")) == {"mt"} and (found.n_judgements > 0).all(), X)
    check(X.index.get_level_values("segment").max() <= found.n_segments, X, found.n_segments)
