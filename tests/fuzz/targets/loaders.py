"""Loaders of campaigns, penalties, scores and translations, from whole and from mutated files."""

import csv
import io
import math

import numpy as np

from fuzz import call, check, target
from fuzz.files import content_of, mutated, mutated_table, put
from sklearn_mteval.datasets import load_mqm, load_scores, load_translations, load_wmt
from sklearn_mteval.datasets.campaigns.wmt import load_wmt_translations

SYSTEMS = ["A", "B", "sys-C.é"]


def lines_of(draw, n):
    """Draw n lines of text, as a file."""
    words = [word for word in draw.words(12) if word.isprintable()] + ["a"]
    return "".join(" ".join(draw.some(words, 4)) + "\n" for _ in range(n)).encode()


def campaign(draw):
    """Write a campaign of one layout or the other; return its folder."""
    n, root = draw.integer(1, 4), draw.folder / "wmt99"
    tasks = [(draw.integer(1, n), dict(zip(SYSTEMS, draw.numbers(3, ["ranks"]), strict=True)))
             for _ in range(draw.integer(1, 4))]  # fmt: skip
    pairs = draw.chance()
    if pairs:
        header = [
            "srcIndex",
            "rankingID",
            "judgeId",
            "system1Id",
            "system1rank",
            "system2Id",
            "system2rank",
        ]
        rows = [[segment, task, "j", a, int(ranks[a]), b, int(ranks[b])] for task, (segment,
        ranks) in enumerate(tasks)
                for a, b in (SYSTEMS[:2], SYSTEMS[1:])]  # fmt: skip
    else:
        header = [
            "srcIndex",
            "judgeId",
            *(f"system{k}{end}" for k in (1, 2, 3) for end in ("Id", "rank")),
        ]
        rows = [
            [segment, "j", *(cell for s in SYSTEMS for cell in (s, int(ranks[s])))]
            for segment, ranks in tasks
        ]
    put(
        draw,
        root / "rankings" / "wmt99.de-en.csv",
        mutated(draw, mutated_table(draw, header, rows, ","), draw.one([0, 0, 1])),
    )
    outputs = root / "system-outputs" / "newstest" / "de-en"
    for path in (
        root / "sources" / "newstest-src.de",
        root / "references" / "newstest-ref.en",
        *(outputs / s for s in SYSTEMS),
    ):
        content = lines_of(draw, n)
        put(draw, path, mutated(draw, content, 1) if draw.chance(0.05) else content)
    return root


def ranks_in(path):
    """Read the rankings as the csv module does: {(segment, task, system): rank}."""
    found = {}
    with io.StringIO(content_of(path), newline="") as file:
        reader = csv.reader(file, strict=True)
        header = next(filter(None, reader))  # blank lines are skipped, before the header, too
        for cells in reader:
            row = dict(zip(header, cells, strict=True)) if cells else {}
            for k in range(1, 6):
                if (
                    f"system{k}Id" in row
                    and row[f"system{k}Id"] not in ("_ref", "ref")
                    and int(row[f"system{k}rank"]) != -1
                ):
                    task = row.get("rankingID", str(reader.line_num))
                    found[int(row["srcIndex"]), task, row[f"system{k}Id"]] = int(
                        row[f"system{k}rank"]
                    )
    return found


@target(weight=8)
def campaigns(draw):
    root = campaign(draw)
    X, y = call(
        load_wmt,
        root,
        draw.one(["de-en"] * 60 + ["en-de", "x", "", None, 5, "de-en\n", "../x-en"]),
        return_X_y=True,
    )
    expected = ranks_in(next((root / "rankings").iterdir()))
    found = {
        (segment, ranking.partition(":")[2], system): rank
        for (segment, ranking, system), rank in y.items()
    }
    check(found == expected and len(y) == len(found), found, expected)
    lines = content_of(root / "sources" / "newstest-src.de").split("\n")
    check(
        all(lines[key[0] - 1].rstrip("\r") == text for key, text in X["source"].items()), X, lines
    )
    everything = call(load_wmt_translations, root, "de-en", legal=True)
    check(
        everything.index.is_unique
        and set(everything.index.get_level_values(1)) == {key[2] for key in found},
        everything,
    )


@target(weight=8)
def penalties(draw):
    header = [
        "system",
        "doc",
        "doc_id",
        "seg_id",
        "rater",
        "source",
        "target",
        "category",
        "severity",
    ]
    cost = {("Fluency/Punctuation", "Minor"): 0.1, ("Accuracy/Addition", "Minor"): 1,
    ("Accuracy/Addition", "Major"): 5,
            ("Non-translation!", "Major"): 25, ("No-error", "No-error"): 0, ("Style/Awkward",
            "Neutral"): 0}  # fmt: skip
    rows = []
    for k in range(draw.integer(1, 8)):
        segment, system, error = draw.integer(1, 3), draw.one(SYSTEMS), draw.one(list(cost))
        rows.append(
            [
                system,
                "doc",
                k,
                segment,
                draw.one("rs"),
                f"source {segment}",
                f"target <v>{segment}</v>{system}",
                *error,
            ]
        )
    table = mutated_table(draw, header, rows, "\t")
    content = mutated(draw, table, draw.one([0, 1, 2]))
    path = put(draw, draw.folder / "mqm.tsv", content)
    whole = (
        content == ("\n".join("\t".join(map(str, row)) for row in [header, *rows]) + "\n").encode()
    )
    X, y = call(
        load_mqm,
        path,
        reference_system=draw.one([None, None, None, "A", ["A", "B"], 5, [3]]),
        return_X_y=True,
        legal=False,
    )
    check(
        X.index.equals(y.index) and y.index.is_unique and np.isfinite(y).all() and (y >= 0).all(),
        X,
        y,
    )
    if not whole:
        lines = [line.rstrip("\r") for line in content_of(path).split("\n")]
        header, *rows = [line.split("\t") for line in lines if line]
    points = {}
    for row in rows:
        row = dict(zip(header, map(str, row), strict=False))  # empty cells may follow
        raters = points.setdefault((row["seg_id"], row["system"]), {})
        error = {(c.casefold(), s.casefold()): v for (c, s), v in cost.items()}
        value = error.get(
            (row["category"].strip().casefold(), row["severity"].strip().casefold()), math.nan
        )
        raters[row["rater"]] = raters.get(row["rater"], 0) + value
    for (segment, system), value in y.items():
        raters = points.get((str(segment).rpartition(":")[2], system))
        expected = raters and sum(raters.values()) / len(raters)
        check(
            raters
            and (expected != expected or abs(value - expected) < 1e-9 or ":" in str(segment)),
            value,
            segment,
            system,
            points,
        )


@target(weight=4)
def error_places(draw):
    """MQM as the quality-estimation task has it; the oracle reads what was written by csv."""
    header = ["mt_system", "doc_id", "seg_id", "annotator_id", "source", "target", "start_ids",
              "end_ids", "errors"]  # fmt: skip
    cost = {"minor": 1, "major": 5, "critical": 10, "Neutral": 0, "no-error": 0}
    rows = []
    for _ in range(draw.integer(1, 8)):
        errors = [draw.one(list(cost)) for _ in range(draw.integer(0, 3))]
        starts = [draw.one([-1, 0, 1, 5, 99]) for _ in errors]
        ends = [start + draw.one([0, 1, 3]) for start in starts]
        places = [" ".join(map(str, some)) for some in (starts, ends, errors)]
        segment = draw.integer(1, 3)
        texts = [f"source {segment}", draw.one(["a text", "other", '"a ""b"" c"', '"', ""])]
        rows.append([draw.one(SYSTEMS), "d", segment, draw.one("rs"), *texts, *places])
    table = mutated_table(draw, header, rows, "\t")
    path = put(draw, draw.folder / "spans.tsv", mutated(draw, table, draw.one([0, 0, 1])))
    found = call(load_mqm, path)
    check(found.X.index.equals(found.y.index) and found.X.index.is_unique, found.X)
    check(np.isfinite(found.y).all() and (found.y >= 0).all(), found.y)
    for spans, text in zip(found.spans, found.X["hypothesis"], strict=True):
        places = [span[:2] for span in spans if span.place == "translation"]
        check(all(0 <= start < end <= len(text) for start, end in places), spans, text)
    lines = [line.rstrip("\r").split("\t") for line in content_of(path).split("\n")]
    if [line for line in lines if line != [""]] != [header, *[list(map(str, row)) for row in rows]]:
        return
    points = {}
    for system, _, segment, rater, *_, errors in rows:
        raters = points.setdefault((segment, system), {})
        raters[rater] = raters.get(rater, 0) + sum(cost[error] for error in errors.split())
    expected = {key: sum(raters.values()) / len(raters) for key, raters in points.items()}
    check(found.y.to_dict() == expected, found.y, expected)


@target(weight=10)
def scores_in_files(draw):
    n = draw.integer(1, 4)
    scores = {system: draw.numbers(n, ["ties", "normal", "extreme"]) for system in SYSTEMS}
    numbers = {(k, s): v for s in SYSTEMS for k, v in enumerate(scores[s], 1)}
    if draw.chance():
        content = "".join(
            f"{s}{draw.one(' 	')}{v!r}\n" for s in SYSTEMS for v in scores[s]
        ).encode()
    else:
        rows = [[s, k, repr(v)] for (k, s), v in numbers.items()]
        content = mutated_table(draw, ["system", "segment", "score"], rows, draw.one(",\t"))
    content = mutated(draw, content, draw.one([0, 1, 2]))
    path = put(draw, draw.folder / "metric.seg.score", content)
    systems = draw.one([SYSTEMS, SYSTEMS, SYSTEMS[:2], [*SYSTEMS, "D"], []])
    options = draw.one([{}, {}, {"others": SYSTEMS}, {"column": "score"}])
    found = call(load_scores, path, systems, draw.one([n, n, None, n + 1]), **options)
    check(found.index.is_unique and not np.isinf(found.to_numpy()).any(), found)
    text = content_of(path)
    lines = [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]
    header = "segment" in lines[0]
    check(len(found) == len(lines) - header, "a line was lost", found, text)
    for (segment, system), value in found.iloc[:, 0].items():
        near = [line for line in lines if system in line and (not header or str(segment) in line)]
        shown = [
            cell.strip(' "')
            for line in near
            for cell in line.replace(",", "\t").replace(" ", "\t").split("\t")
        ]
        missing = {"", "None"} & set(shown)
        check(
            missing if math.isnan(value) else any(_reads(cell, value) for cell in shown),
            segment,
            system,
            value,
            text,
        )


def _reads(cell, value):
    """Tell whether a cell is a number."""
    try:
        return float(cell) == value
    except ValueError:
        return False


@target(weight=5)
def translations(draw):
    n = draw.one([0, 1, 2, 3])
    names = (
        ["sys{}", "sys{}.txt", "{}"] if draw.chance(0.7) else ["é", "a\tb", "x\udcff", " ", "-x"]
    )
    paths = []
    for k in range(draw.one([0, 2, 3, 3, 4])):
        content = mutated(draw, lines_of(draw, n), draw.one([0, 0, 0, 1]))
        path = draw.folder / str(k) / draw.one(names).format(k)
        paths.append(put(draw, path, content))
    if draw.chance(0.1):
        paths.append(draw.one(["", "a\0b", *paths]))
    half = draw.one([len(paths), len(paths), draw.integer(0, len(paths))])
    more = draw.one([(), (), paths[-1:], (None, paths[half:])])
    X = call(load_translations, paths[:half], *more)
    for path in paths[:half]:
        text = content_of(path)
        lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
        names = [
            name for name in X.index.get_level_values("system").unique() if str(path).endswith(name)
        ]
        check(
            any(X.xs(name, level="system")["hypothesis"].tolist() == lines for name in names),
            X,
            lines,
            path,
        )
