"""The command line: an exit status, one line of error, no traceback."""

import contextlib
import io
import tempfile
from functools import cache
from pathlib import Path

from fuzz import Judged, call, check, target
from fuzz.files import mutated, put
from fuzz.judge import OWN
from fuzz.targets.loaders import SYSTEMS, campaign, lines_of
from sklearn_mteval import save_model
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.linguistic.trees.shipped.kinds import KINDS
from sklearn_mteval.metrics.core.statistics import STATISTICS
from sklearn_mteval.models import bleu_pipeline

STRANGE = [
    "",
    "-",
    "x",
    "-1",
    "0",
    "1.5",
    "nan",
    "inf",
    "1e999",
    "a\0b",
    "é",
    "\udcff",
    "/",
    ".",
    "/dev/null",
    "--",
    "-x",
    "--help",
    "9" * 40,
]


@cache
def trained():
    """Save a model once a process."""
    X, y = load_sample(return_X_y=True)
    folder = Path(tempfile.mkdtemp()) / "model"
    save_model(bleu_pipeline().fit(X.iloc[:50], y.iloc[:50]), folder)
    return str(folder)


def run(arguments):
    """Run a command; return its status and what it wrote."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main([*map(str, arguments)])
        except SystemExit as end:  # argparse
            status = end.code
    return status, out.getvalue(), err.getvalue()


def arguments_of(draw):
    """Draw a command line, mostly a right one."""
    n = draw.integer(1, 4)

    def text(name):
        content = mutated(draw, lines_of(draw, n), draw.one([0, 0, 0, 1]))
        return put(draw, draw.folder / name, content)

    command = draw.one(["rank", "score", "score", "evaluate", "evaluate", "compare", "parse"])
    if command == "parse":
        options = [["-f", form] for form in ("text", "brackets", "conllu", "svg")]
        options += [["-f", "svg", "--against", text("ref")], ["--kind", draw.one(KINDS)]]
        return [
            command,
            text("A"),
            *draw.one(options),
            *draw.one([[], ["-o", draw.folder / "out"]]),
        ]
    if command in ("rank", "score"):
        systems = [text("A"), text("B")][: draw.integer(1 if command == "score" else 2, 2)]
        return [command, *draw.one([[trained()]] * 9 + [[]]), "-r", text("ref"), "-t", *systems,
                *draw.one([[], ["-s", text("src")],
                ["-f", draw.one(["tsv", "jsonl", "seg"])]]),
                *draw.one([[], [], ["-o", draw.folder / "out"], ["--systems",
                draw.folder / "systems"]])]  # fmt: skip
    root = campaign(draw)
    sources = root / "sources" / "newstest-src.de"
    if sources.is_file() and sources.stat().st_size < 10**6:
        n = sources.read_bytes().count(b"\n")
    scores = [f"{s}\t{v}\n" for s in SYSTEMS for v in draw.numbers(n, ["ties", "normal"])]
    scores = "".join(scores).encode()
    file = put(draw, draw.folder / "comet.seg.score", mutated(draw, scores, draw.one([0, 0, 1])))
    options = draw.some([["--level", "segment"], ["--level", "system"], ["--average", "groups"],
    ["--missing", "skip"], ["-f", "json"], ["-f", "tsv"], ["-f", "latex"],
                         ["--grouping", "none"], ["--grouping", "system"], ["--epsilon", "0.1"],
                         ["--lower-is-better", "comet"], ["--threshold", "1"], ["--confidence",
                         "0.5"],
                         ["--statistic", draw.one(list(STATISTICS))], ["--output",
                         draw.folder / "out"], ["--seed", "3"], ["--rows", "own"]],
                        3)  # fmt: skip
    tested = (
        ["--test", draw.one(["permutation", "bootstrap", "williams"])]
        if command == "compare" and draw.chance()
        else []
    )
    return [command, root, "--format", "wmt", "--lang-pair", "de-en", "--scores", file, f"x={file}",
    "--metrics", "chrf", "--resamples", "9", "--permutations", "9",
            *tested, *(word for option in options for word in option)]  # fmt: skip


@target(weight=2)
def commands(draw):
    arguments = arguments_of(draw)
    for _ in range(draw.one([0, 0, 1, 2])):
        at = draw.integer(0, len(arguments) - 1)
        arguments = draw.one([[*arguments[:at], draw.one(STRANGE), *arguments[at + 1 :]],
        [*arguments[:at], *arguments[at + 1 :]],
                              [*arguments[:at], draw.one(STRANGE), *arguments[at:]], [*arguments,
                              *arguments[1:]]])  # fmt: skip
    status, out, err = call(run, arguments)
    check(status in (0, 1, 2) and "Traceback" not in err, status, err, arguments)
    if status == 1:
        lines = [line for line in err.strip().split("\n") if ": warning: " not in line]
        check(
            len(lines) == 1 and lines[0].startswith("sklearn-mteval ") and ": error: " in lines[0],
            err,
            arguments,
        )
        check(len(lines[0].partition(": error: ")[2].split()) > 2, err, arguments)
    if status == 0 and "/dev/null" not in arguments and arguments[0] != "parse":
        written = [*draw.folder.glob("out"), *draw.folder.glob("systems")]
        check(
            out.strip() or any(path.read_bytes() for path in written),
            "nothing was written",
            arguments,
        )
    for again in range(draw.chance(0.2)):
        repeated = call(run, arguments)
        check(repeated[:2] == (status, out) or status, again, out, repeated)
    if status:
        raise Judged(OWN)
