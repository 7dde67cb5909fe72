"""Commands on valid files with hostile values of their options: sound output, or one line of error.

Which options a command has, of which type and with what choices, is asked of its own parser.
"""

import argparse
import json
import math
import re
import shutil
import tempfile
import warnings
from functools import cache
from pathlib import Path

from campaign_files import make_campaign, make_mtme

from fuzz import Judged, call, check, target
from fuzz.judge import OWN
from fuzz.targets.commands import run, trained
from sklearn_mteval.cli import _parser_of
from sklearn_mteval.datasets import make_rankings, to_long

NUMBERS = [
    "0", "-0", "-1", "1", "2", "0.5", "1.5", ".5", "1.", "nan", "-nan", "inf", "-inf", "1e999",
    "1e-999", "1e308", "5e-324", "9" * 40, "-" + "9" * 40, "9" * 5000, "1_0", "０", "٣", "0x10",
    " 1", "1 ", "+1", "1,5", "²", "True",
]  # fmt: skip
WORDS = [
    "", " ", "x", "-", "--", "-x", "é", "e\u0301", "日本", "\udcff", "a\0b", "\x1b[0m", "\u2028",
    "a\nb", "None", "%s", "{}", "x" * 5000, "=", "a=", "=b", "a=b=c", ":", "🙂",
]  # fmt: skip
PATHS = [
    ".", "..", "/", "folder", "folder/", "nothing/x", "file/x", "file", "/dev/null", "/dev/full",
    "/proc/x", "new", "new.tsv", "é.tsv", "日本", "\udcff", "x" * 300, "a b", "-", "link", "loop",
]  # fmt: skip
# What takes minutes, by the values' own right.
SLOW = re.compile(r"\+?[0-9]{6,}")


@cache
def whole_files():
    """Write valid files once a process; return their folder, which is copied for each case."""
    folder = Path(tempfile.mkdtemp())
    X, y = make_rankings(12, 3, mean_length=6, random_state=1)
    long = to_long(X, y)
    long.to_csv(folder / "long.csv", index=False)
    pairs = long.merge(long, on="segment", suffixes=("_a", "_b"))
    pairs = pairs[pairs["system_a"] < pairs["system_b"]]
    pairs["winner"] = ["tie" if a == b else "model_a" if a < b else "model_b"
                       for a, b in zip(pairs["rank_a"], pairs["rank_b"], strict=True)]  # fmt: skip
    columns = ["segment", "system_a", "system_b", "winner"]
    pairs[columns].to_csv(folder / "battles.csv", index=False)
    first = X.xs("system1", level="system")
    texts = {"source": first["source"], "reference": first["reference"]}
    texts |= {f"system{k}": X.xs(f"system{k}", level="system")["hypothesis"] for k in (1, 2, 3)}
    for name, column in texts.items():
        (folder / name).write_text("".join(f"{text}\n" for text in column))
    scores = [f"{system}\t{len(text)}\n" for (_, system), text in X["hypothesis"].items()]
    (folder / "length.seg.score").write_text("".join(sorted(scores)))
    (folder / "sentences").write_text("The cat sat on the mat .\n\nIt rained .\n")
    make_campaign(folder / "wmt12", ["de-en"])
    make_mtme(folder / "wmt99", ["en-de"])
    return folder


FEW = ["--resamples", "9"]
FEW_DRAWN = ["--permutations", "9"]
TEXTS = ["-r", "reference", "-t", "system1", "system2"]
RANKS = ["long.csv", "--better", "lower"]
RIGHT = {
    "rank": [[*TEXTS]],
    "score": [[*TEXTS, *FEW]],
    "select": [[*TEXTS]],
    "challenge": [[*TEXTS, "--segments", "3"]],
    "evaluate": [
        [*RANKS, "--metrics", "chrf", *FEW, *FEW_DRAWN],
        ["wmt12", "--format", "wmt", "--lang-pair", "de-en", "--metrics", "bleu", *FEW, *FEW_DRAWN],
        [*RANKS, "--scores", "length.seg.score", *FEW, *FEW_DRAWN],
    ],
    "compare": [[*RANKS, "--metrics", "chrf", "bleu", *FEW, *FEW_DRAWN]],
    "leaderboard": [["battles.csv", *FEW], [*RANKS, *FEW]],
    "decision-table": [
        [*RANKS, "--metrics", "chrf", *FEW],
        [*RANKS, "--scores", "length.seg.score", "--level", "segment", *FEW],
    ],
    "metrics-task": [["wmt99", "--lang-pair", "en-de", *FEW_DRAWN]],
    "parse": [["sentences"]],
    "train": [[*RANKS, "--no-progress", "-o", "model", "--classifier", "naive-bayes",
               "--features", "bleu", "--held-out", "0.5"]],
}  # fmt: skip
INPUTS = ["long.csv", "battles.csv", "source", "system3", "length.seg.score", "wmt12", "wmt99"]


@cache
def options_of(name):
    """Return the options of a command, as its own parser declares them."""
    actions = _parser_of(name)._actions
    return [action for action in actions if action.option_strings and "help" not in action.dest]


def value_of(draw, option):
    """Draw a value for an option: hostile for its type, or of another type."""
    if option.choices is not None and draw.chance(0.6):
        return draw.one(option.choices)
    number = option.type is not None
    kinds = [NUMBERS] * (5 if number else 1) + [WORDS, PATHS] * (1 if number else 3)
    if not number:
        kinds.append(INPUTS)
    values = draw.one(kinds)
    while True:
        value = draw.one(values)
        if not (number and SLOW.fullmatch(value) and len(value) < 9):
            return value


def hostile(draw, name):
    """Draw options with values; return their words."""
    words = []
    for _ in range(draw.one([1, 1, 1, 2, 3])):
        option = draw.one(options_of(name))
        flag = draw.one(option.option_strings)
        if option.nargs == 0 or isinstance(option, argparse.BooleanOptionalAction):
            words.append(flag)
        elif option.nargs == "+" and draw.chance():
            words += [flag, *(value_of(draw, option) for _ in range(draw.integer(0, 3)))]
        else:
            value = value_of(draw, option)
            words += [f"{flag}={value}"] if flag.startswith("--") else [flag, value]
    return words


def make_places(folder):
    """Put valid files, and what the hostile paths name, into the working folder."""
    shutil.copytree(whole_files(), folder, dirs_exist_ok=True)
    (folder / "folder").mkdir()
    (folder / "file").write_text("of somebody else\n")
    (folder / "link").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")


def content(folder):
    """Read all files below a folder: {path: bytes}; folders are left out."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def shown(arguments):
    """Run a command; return its status, what it wrote, and warnings that a terminal would show."""
    seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.showwarning = lambda message, *_, **__: seen.append(repr(message))
        return *run(arguments), seen


def named(name, arguments, said):
    """Tell whether a message names an option of those given, or a value."""

    def plain(text):
        return " ".join(re.split(r"[-_\s]+", text)).strip().removesuffix("/")

    given, names = {word.partition("=")[0] for word in arguments}, []
    for option in options_of(name):  # "give -t" names what is missing
        names += [option.dest] if given & {*option.option_strings} else []
        names += [f"give {flag}" for flag in option.option_strings] + option.option_strings
    names = [re.escape(plain(name).removesuffix("s")) for name in names]
    values = {value for word in arguments for value in (word, word.partition("=")[2])} - {""}
    return (
        said.startswith(("unrecognized arguments", "Expected the outputs of", *values))
        or any(len(value) > 2 and plain(value) in plain(said) for value in values)
        or any(repr(value) in said for value in values)
        or bool(re.search(rf"(?<!\w)({'|'.join(names)})s?(?!\w)", plain(said)))
    )


def check_sound(draw, name, arguments, out, made):
    """Check what a command wrote that ended well."""
    written = [text for path, text in made.items() if not path.endswith((".png", ".svg"))]
    if name == "train":
        saved = any(path.endswith(".skops") for path in made)
        check(saved or "--dry-run" in arguments, made.keys(), arguments)
        return
    elsewhere = any(str(word).endswith(("/dev/null", "new.svg")) for word in arguments)
    check(out.strip() or made or elsewhere, "nothing was written", arguments)
    for text in [out, *(text.decode("utf-8", "surrogateescape") for text in written)]:
        if text.startswith("{"):
            for line in [text] if name not in ("rank", "score") else text.splitlines():
                found = json.loads(line, parse_constant=lambda name: check(False, name, arguments))
                check(finite(found), found, arguments)


def finite(value):
    """Tell whether all numbers of what JSON holds are finite."""
    if isinstance(value, dict | list):
        return all(map(finite, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or math.isfinite(value)


@target(weight=1)
def hostile_options(draw):
    name = draw.one([name for name in RIGHT for _ in range(1 if name == "train" else 3)])
    words = [
        *([trained()] if name in ("rank", "score", "challenge") else []),
        *draw.one(RIGHT[name]),
    ]
    make_places(draw.folder)
    arguments = [name, *words, *hostile(draw, name)]
    before = content(draw.folder)
    status, out, err, warned = call(shown, arguments)
    after = content(draw.folder)
    check(not warned, "a stray warning", warned, arguments)
    check("Traceback" not in err and "Warning" not in err, err, arguments)
    check(status in (0, 1, 2), status, err, arguments)
    made = {path: text for path, text in after.items() if before.get(path) != text}
    if status == 0:
        check_sound(draw, name, arguments, out, made)
        return
    check(not made, "what failed has written", made, err, arguments)
    check(set(before) <= set(after), "what was there is lost", arguments)
    start, _, said = err.partition(": error: ")
    check(start.endswith(("sklearn-mteval", f"sklearn-mteval {name}")), "no message", err)
    check(len(said.split()) > 2, "no message", err, arguments)
    check(named(name, arguments[1:], said), "names no option", said, arguments)
    check(status == 2 or err.count("\n") == 1 or ": taken for " in err, err, arguments)
    raise Judged(OWN)
