"""Configurations of ``train``: what is read is what stands there, and it trains or is refused."""

import tempfile
import tomllib
from functools import cache
from pathlib import Path

from campaign_files import make_campaign

from fuzz import Judged, call, check, target
from fuzz.files import content_of, mutated, put
from fuzz.judge import OWN
from fuzz.targets.commands import run
from sklearn_mteval.cli._training_options import KINDS_OF_OPTIONS, read_config
from sklearn_mteval.persistence import load_model

_VALUES = [
    "1", "-7", "0.5", "1e400", "nan", "true", '"bleu"', "'knn'", '["bleu", "chrf"]', "[]", "{}",
    '{name = "chrf", char_order = 2}', '{name = "ensemble", cv = 2}', '[{name = "ter"}, "bleu"]',
    '{name = "knn", n_neighbors = 1}', "1979-05-27", "[1, [2]]", '"é\\u0000"', "'''\n'''",
    '{name = "logreg", C = -1}', '"expected"', '"MetricScores"', "0x1F", "[[[]]]",
]  # fmt: skip
_TABLES = ["[classifier]", "[[features]]", "[features]", "[other]"]


@cache
def campaign():
    """Write a campaign once a process."""
    return make_campaign(Path(tempfile.mkdtemp()) / "wmt12", ["de-en"])


def configuration(draw):
    """Draw lines of a TOML file, mostly right ones."""
    keys = [*KINDS_OF_OPTIONS, "name", "other", "classifier.cv", '"wmt "', "features"]
    lines = [f"{draw.one(keys)} = {draw.one(_VALUES)}" for _ in range(draw.integer(0, 4))]
    if draw.chance(0.3):
        lines += [draw.one(_TABLES), f"{draw.one(['name', 'cv', 'C'])} = {draw.one(_VALUES)}"]
    return lines


@target(weight=6)
def configurations(draw):
    content = mutated(draw, "\n".join(configuration(draw)).encode(), draw.one([0, 0, 1, 3]))
    path = put(draw, draw.folder / "train.toml", content)
    found = call(read_config, path)
    text = content_of(path)
    check(
        repr(found) == repr(tomllib.loads(text)) and set(found) <= set(KINDS_OF_OPTIONS),
        found,
        content,
    )


@target(weight=1)
def configured_training(draw):
    lines = [line for line in configuration(draw) if not line.startswith(("wmt", "output", "n-"))]
    if draw.chance(0.8):
        lines = [line for line in lines if line.startswith(("features", "classifier", "seed"))]
    lines = [f'wmt = "{campaign()}:de-en"', "held-out = 0.5", *lines]
    path = put(draw, draw.folder / "train.toml", "\n".join(lines).encode())
    model = draw.folder / "model"
    arguments = ["train", "--config", path, "-o", model, "--no-progress"]
    quick = draw.one([["--classifier", "naive-bayes", "--features", "bleu"], []])
    status, out, err = call(run, [*arguments, *quick])
    check(status in (0, 1) and "Traceback" not in err, status, err, lines)
    check((status == 0) == model.exists(), status, err)
    if status:
        said = err.strip().split("\n")
        check(len(said) == 1 and ": error: " in said[0], err, lines)
        raise Judged(OWN)
    check("new model" in out and "chrF" in out, out)
    load_model(model)
