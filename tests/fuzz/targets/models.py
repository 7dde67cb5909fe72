"""Saved models: whole ones come back to the bit, mutated ones are refused or are safe to ask."""

import hashlib
import io
import json
import tempfile
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from fuzz import call, check, target
from fuzz.draw import WORDS
from fuzz.files import HUGE, mutated, put
from fuzz.targets.transformers import VECTORS, model
from sklearn_mteval import features, load_model, save_model
from sklearn_mteval.classifiers import KNN, LogReg, NaiveBayes
from sklearn_mteval.neural import PairwiseNN
from sklearn_mteval.pairwise import RankRecomposer
from sklearn_mteval.trees import BracketedTrees

TEXTS = pd.DataFrame({
    "source": [*"aabb"], "hypothesis": ["the cat", "a cat sat", "", "日本 x ."],
    "reference": [["the cat", "a"], ["cat"], ["b"], ["x"]],
}, index=pd.MultiIndex.from_tuples([(1, "A"), (1, "B"), (2, "A"), (2, "B")], names=["segment",
"system"]))  # fmt: skip
NUMBERS = np.random.default_rng(0).normal(size=(20, 4))
TREES = {"the cat": "(NP (DT the) (NN cat))"}
MAKERS = {
    "ranker": lambda: RankRecomposer(item_level=None).fit(NUMBERS, np.arange(20)),
    "knn": lambda: KNN().fit(NUMBERS, np.arange(20) % 2),
    "bayes": lambda: NaiveBayes().fit(NUMBERS, np.arange(20) % 2),
    "logreg": lambda: LogReg().fit(NUMBERS, np.arange(20) // 7 % 2),
    "network": lambda: PairwiseNN(max_epochs=1, random_state=0).fit(NUMBERS, np.arange(20) % 2),
    "ranking network": lambda: RankRecomposer(PairwiseNN(max_epochs=1, random_state=0),
    item_level=None).fit(NUMBERS, np.arange(20)),
    "metrics": lambda: features.MetricScores().fit(TEXTS),
    "nist": lambda: features.NISTScore().fit(TEXTS), "chrf": lambda: features.ChrFComp().fit(TEXTS),
    "surface": lambda: features.SurfaceCounts().fit(TEXTS),
    "averages": lambda: features.EmbeddingAverager(VECTORS, oov="mean").fit(TEXTS),
    "alignment": lambda: features.WordVectorAlignment(VECTORS).fit(TEXTS),
    "language model": lambda: features.LanguageModelScore(model(2)).fit(TEXTS),
    "parser": lambda: features.ParserStatistics(BracketedTrees(TREES)).fit(TEXTS),
    "scores": lambda: features.ScoreColumn({"A": [1.0, 2.0], "B": [0.5, 0.0]}).fit(TEXTS),
    "contrastive": lambda: features.ContrastiveScore().fit(TEXTS),
}  # fmt: skip


@cache
def saved(name):
    """Save a model once a process; return it, and the bytes of its two files by name."""
    fitted = MAKERS[name]()
    with tempfile.TemporaryDirectory() as folder:
        save_model(fitted, Path(folder) / "model")
        return fitted, {path.name: path.read_bytes() for path in (Path(folder) / "model").iterdir()}


def asked(fitted, texts=TEXTS):
    """Ask a model something."""
    if hasattr(fitted, "transform"):
        return np.asarray(fitted.transform(texts))
    return np.asarray(
        fitted.decision_function(NUMBERS)
        if hasattr(fitted, "decision_function")
        else fitted.predict_proba(NUMBERS)
    )


def changed(draw, value):
    """Change one place of what JSON holds."""
    if isinstance(value, dict) and value and draw.chance(0.95):
        key = draw.one(sorted(value))
        if draw.chance(0.03):
            return {k: v for k, v in value.items() if k != key}
        return value | {key: changed(draw, value[key])}
    if isinstance(value, list) and value and draw.chance(0.9):
        at = draw.integer(0, len(value) - 1)
        return [
            *value[:at],
            *draw.one([[changed(draw, value[at])], [], [value[at]] * 2]),
            *value[at + 1 :],
        ]
    return draw.one(
        [None, True, 0, -1, 2**31, 2**63, 1e308, 10**30, "", "x", [], {}, "\ud800", value, *HUGE]
    )


def changed_array(draw, content):
    """Change numbers, type or shape of an array in a file."""
    array = np.load(io.BytesIO(content), allow_pickle=False)
    flat = array.copy().reshape(-1)
    if flat.size and flat.dtype.kind in "iufb":
        for _ in range(draw.integer(0, 3)):
            with np.errstate(all="ignore"):
                flat[draw.integer(0, flat.size - 1)] = np.array(
                    draw.one(
                        [
                            -1,
                            0,
                            1,
                            127,
                            2**31 - 1,
                            -(2**31),
                            *([np.nan, np.inf, -1e308] if flat.dtype.kind == "f" else [7, 10**6]),
                        ]
                    )
                ).astype(flat.dtype)
    array = draw.one([flat.reshape(array.shape)] * 4 + [flat[:-1], flat[:0], np.tile(flat, 2),
    flat.astype(draw.one(["f4", "f8", "i4", "i8", "u1", "S3", "c16", ">f8",
    "?"])) if flat.dtype.kind in "iufb" else flat,
                      array.T, array[None], np.zeros(array.shape),
                      np.asfortranarray(flat.reshape(array.shape))])  # fmt: skip
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def forged(draw, content):
    """Change a model's archive: its schema, or one of its arrays."""
    old, file = zipfile.ZipFile(io.BytesIO(content)), io.BytesIO()
    arrays = [name for name in old.namelist() if name.endswith(".npy")]
    chosen = draw.some(arrays, 3) if arrays and draw.chance(0.7) else [draw.one(old.namelist())]
    with zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name in chosen and name.endswith(".npy"):
                data = changed_array(draw, data)
            elif name in chosen:
                data = (
                    json.dumps(changed(draw, json.loads(data))).encode()
                    if name.endswith(".json")
                    else mutated(draw, data, 1)
                )
            new.writestr(name, data)
    return file.getvalue()


@target(weight=10)
def saved_models(draw):
    name = draw.one(list(MAKERS))
    fitted, files = saved(name)
    folder, way = draw.folder / "model", draw.integer(0, 9)
    folder.mkdir()
    skops = next(file for file in files if file.endswith(".skops"))
    content, signature = files[skops], files["signature.json"]
    if way == 1:
        signature = mutated(draw, signature, 2)
    elif way == 2:
        signature = json.dumps(changed(draw, json.loads(signature))).encode(
            "utf-8", "surrogatepass"
        )
    elif way == 3:
        content = mutated(draw, content, 2)
    elif way > 3:
        content = mutated(draw, content, 2) if draw.chance(0.2) else forged(draw, content)
        signature = json.dumps(
            json.loads(signature) | {"sha256": hashlib.sha256(content).hexdigest()}
        ).encode()
    put(draw, folder / skops, content)
    put(draw, folder / "signature.json", signature)
    whole = content == files[skops] and signature == files["signature.json"]
    loaded = call(load_model, folder)
    said = [" ".join(draw.some(WORDS, 5)) for _ in range(4)]
    texts = TEXTS.assign(hypothesis=pd.Series(said, TEXTS.index, dtype=object))
    given = () if whole else (texts,)
    found = call(asked, loaded, *given)
    check(found.dtype.kind in "fi", found)
    if content == files[skops]:
        check(call(asked, loaded).tobytes() == asked(fitted).tobytes(), "other numbers", name)
    again = draw.folder / "again"
    call(save_model, loaded, again, legal=whole)
    check(
        call(asked, call(load_model, again, legal=True), *given).tobytes() == found.tobytes(),
        "saved again",
        name,
    )


@target(weight=3)
def what_is_saved(draw):
    """Odd things to save, odd places, odd notes."""
    whole = [saved("knn")[0], saved("ranker")[0]]
    odd = [KNN(), None, 5, "x", KNN, [], lambda: 1, object(), features.ScoreColumn({"A": [1.0]})]
    thing = draw.one(whole if draw.chance(0.7) else odd)
    folder, path = draw.folder, draw.folder / "m"
    (folder / "file").write_bytes(b"")
    if draw.chance(0.4):
        path = draw.one([
            str(path), folder, folder / ("x" * 300), "", folder / "a\0b", folder / "é\ud800",
            "/proc/x/y", folder / "file" / "m", folder / "file",
        ])  # fmt: skip
    notes = [{"tau": 0.5}, {"tau": np.nan}, {1: 2}, [], {"x": object()}, 5, {"x": "\ud800"}]
    X, y = draw.one([TEXTS, TEXTS, 5, NUMBERS]), draw.one([[1, 2, 3, 4], None, "x"])
    options = [{}, {"scores": draw.one(notes)}, {"X": X, "y": y}, {"trusted": draw.one(["x", [5]])}]
    call(save_model, thing, path, **draw.one(options), also=(OSError,))
    loaded = call(load_model, path, legal=True)
    check(type(loaded) is type(thing), loaded)
