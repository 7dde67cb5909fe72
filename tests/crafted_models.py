"""Saved models with one number, array or text of their state replaced: what a stranger can craft.

Run with the names of models, the number of cases of each and a seed; prints a line of JSON before
each case, and one with its verdict after it, so that a crash names its case.
"""

import json
import re
import sys
import tempfile
import warnings
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import skops.io
from encoder_model import causal_model, one_layer_model, random_model
from model_files import forge
from sklearn.base import BaseEstimator

import sklearn_mteval as mteval
from sklearn_mteval import features, load_model, save_model
from sklearn_mteval.classifiers import PairEnsemble, TiedPairClassifier
from sklearn_mteval.exceptions import ModelFolderError
from sklearn_mteval.kernels import PreferenceKernelSVC, RelatedTrees, TreeSimilarity
from sklearn_mteval.neural import EncoderOptions, ReValRegressor
from sklearn_mteval.neural.pairwise.saved_state import pack_tensors, unpack_tensors
from sklearn_mteval.pairwise import PairwiseCrossEncoder, decompose
from sklearn_mteval.trees import BracketedTrees

MEMORY = 6 << 30

# What numpy and Python say when nobody has looked: no error of ours, though some are ValueErrors.
BARE = re.compile(
    r"broadcast|operands|matmul|aligned|array element|truth value|could not convert|unpack|"
    r"must be same|need at least|negative dimensions|Maximum allowed|inhomogeneous|buffer size|"
    r"zero-size|out of bounds|cannot reshape|incompatible|has no attribute|not subscriptable"
)


def texts():
    words = [*"acdmos", "the", "mat", ".", ","]
    rng = np.random.default_rng(5)
    tuples = [(s, f"sys{k}") for s in range(6) for k in range(3)]
    index = pd.MultiIndex.from_tuples(tuples, names=["segment", "system"])
    column = [" ".join(rng.choice(words, rng.integers(1, 9))) for _ in range(3 * len(tuples))]
    rows = {name: column[k::3] for k, name in enumerate(("source", "hypothesis", "reference"))}
    rows["source"] = [text for text in rows["source"][:6] for _ in range(3)]
    return pd.DataFrame(rows, index=index)


X = texts()
PAIRS = np.random.default_rng(0).normal(size=(60, 4)).round(1)
SIDE = PAIRS[:, 0] - PAIRS[:, 2] + np.random.default_rng(1).normal(size=60) > 0
KEPT = []  # folders that are deleted when the process ends
VECTORS = {"the": [1.0, 0.5], "cat": [0.2, -1.0], "dog": [0.3, 0.8]}
TREES = BracketedTrees({text: f"(S (NP (DT {text.split()[0]})))" for text in X["hypothesis"]})


def classifier(estimator):
    return lambda: (estimator.fit(PAIRS, SIDE), PAIRS, "predict_proba")


def transformer(estimator):
    return lambda: (estimator.fit(X), X, "transform")


def network(**options):
    def make():
        table = pd.DataFrame(PAIRS, columns=[f"{t}__{c}" for t in ("t1", "t2") for c in "ab"])
        given = {"max_epochs": 2, "random_state": 0, "validation_fraction": None, **options}
        if "encoder" in given:
            table["t1__hypothesis"], table["t2__hypothesis"] = [
                [X["hypothesis"].iloc[(k * (1 + t)) % len(X)] for k in range(len(table))]
                for t in (0, 1)
            ]
            table = table[[c for t in ("t1", "t2") for c in table if c.startswith(t)]]
        return mteval.PairwiseNN(**given).fit(table, SIDE), table, "predict_proba"

    return make


def learned_alignment():
    folder = tempfile.TemporaryDirectory()
    KEPT.append(folder)
    model = causal_model(Path(folder.name))
    options = {"against": "both", "tune": "top-layers", "n_top_layers": 1}
    options |= {"n_dimensions": 4, "max_epochs": 1}
    aligner = features.LearnedTokenAlignment(model, **options)
    return aligner.fit(X, X["hypothesis"].str.len()), X, "transform"


def cross_encoder():
    judge = features.CrossEncoder(one_layer_model(), n_frozen_layers=0, adapter_rank=2)
    targets = pd.DataFrame({"length": X["hypothesis"].str.len().astype(float)})
    return judge.fit(X, X["hypothesis"].str.len(), targets), X, "transform"


def pair_reader():
    table, labels = decompose(X, X["hypothesis"].str.len())
    judge = PairwiseCrossEncoder(random_model(), n_frozen_layers=0, adapter_rank=2)
    return judge.fit(table, labels), table, "predict_proba"


def error_marker():
    reader, _, _ = cross_encoder()
    table = X[["source", "hypothesis"]]
    marks = X["hypothesis"].map(lambda text: [(0, len(text) // 2, "minor")])
    return features.ErrorMarker(reader).fit(table, marks), table, "error_free"


def kernel_machine(*, n_numbers, **options):
    """Pairs of candidates with numbers and, below three columns, a tree."""

    def make():
        trees = [f"(S (NP {'(A b) ' * (1 + k % 3)}(C d)))" for k in range(len(PAIRS))]
        halves = []
        for t in (0, 1):
            half = {f"t{t + 1}__x{k}": PAIRS[:, 2 * t + k] for k in range(n_numbers)}
            half |= {f"t{t + 1}__tree": trees[t:] + trees[:t]} if n_numbers < 2 else {}
            halves.append(pd.DataFrame(half))
        table = pd.concat(halves, axis=1)
        return PreferenceKernelSVC(**options).fit(table, SIDE), table, "predict_proba"

    return make


def reval(**options):
    given = {"vectors": VECTORS, "n_units": 4, "hidden_units": 3, "max_epochs": 1, **options}
    net = ReValRegressor(**given, random_state=0)
    return net.fit(X, np.linspace(1, 5, len(X))), X, "predict"


def language_model(order):
    corpus = X["reference"].tolist() * 2
    return features.LanguageModelScore(corpus=corpus, order=order)


MODELS = {
    "KNN": classifier(mteval.KNN()),
    "LogReg": classifier(mteval.LogReg()),
    "LogReg stepwise": classifier(mteval.LogReg(stepwise=True)),
    "NaiveBayes": classifier(mteval.NaiveBayes()),
    "PairEnsemble": classifier(
        PairEnsemble().set_params(boosting__max_iter=5, boosting__min_samples_leaf=5)
    ),
    "TiedPairClassifier": lambda: (
        TiedPairClassifier().fit(PAIRS, np.arange(60) % 3),
        PAIRS,
        "predict_proba",
    ),
    "PairwiseNN": network(column_roles={"hypothesis": [0]}),
    "PairwiseNN symmetric": network(symmetric=True),
    "PairwiseNN cnn": network(encoder=EncoderOptions("cnn", n_dimensions=4, n_units=3)),
    "PairwiseNN lstm": network(encoder=EncoderOptions("lstm", n_dimensions=4, n_units=3)),
    "PreferenceKernelSVC": kernel_machine(n_numbers=1),
    "PreferenceKernelSVC of trees": kernel_machine(n_numbers=0, n_components=2, random_state=0),
    "PreferenceKernelSVC of numbers": kernel_machine(n_numbers=2, number_kernel="rbf"),
    "RelatedTrees": transformer(RelatedTrees()),
    "TreeSimilarity": transformer(TreeSimilarity(["SYN"])),
    "ReValRegressor": reval,
    "ReValRegressor lstm": lambda: reval(encoder="lstm", output_gate=True),
    "CrossFitScore": lambda: (
        features.CrossFitScore(ReValRegressor(n_units=3, max_epochs=1, random_state=0)).fit(
            X, np.linspace(1, 5, len(X))
        ),
        X,
        "transform",
    ),
    "NgramModel": transformer(language_model(3)),
    "NgramModel of words": transformer(language_model(1)),
    "NISTScore": transformer(features.NISTScore(max_ngram_order=3)),
    "MetricScores": transformer(features.MetricScores()),
    "ContrastiveScore": transformer(features.ContrastiveScore("nist")),
    "BLEUComp": transformer(features.BLEUComp()),
    "ChrFComp": transformer(features.ChrFComp()),
    "TERComp": transformer(features.TERComp()),
    "METEORComp": transformer(features.METEORComp()),
    "EmbeddingAverager": transformer(features.EmbeddingAverager(VECTORS, oov="mean")),
    "WordVectorAlignment": transformer(features.WordVectorAlignment(VECTORS)),
    "CrossEncoder": cross_encoder,
    "PairwiseCrossEncoder": pair_reader,
    "ErrorMarker": error_marker,
    "LearnedTokenAlignment": learned_alignment,
    "SyntacticVectors": transformer(features.SyntacticVectors()),
    "SyntacticVectors trained": transformer(
        features.SyntacticVectors(treebank=["(S (NP (DT The) (NN cat)) (VB ate))"], vectors=VECTORS)
    ),
    "LexicalFeatures": transformer(features.LexicalFeatures(VECTORS)),
    "LexicalFeatures without vectors": transformer(features.LexicalFeatures(use_references=False)),
    "SurfaceCounts": transformer(features.SurfaceCounts()),
    "ParserStatistics": transformer(features.ParserStatistics(TREES)),
    "ScoreColumn": transformer(
        features.ScoreColumn({at: float(k) for k, at in enumerate(X.index)})
    ),
    "RankRecomposer": lambda: (
        mteval.RankRecomposer(mteval.KNN(), recomposition="absolute", item_level=None).fit(
            PAIRS[:12, :2], np.arange(12)
        ),
        PAIRS[:9, :2],
        "decision_function",
    ),
    "RankRecomposer with ties": lambda: (
        mteval.RankRecomposer(ties="model", recomposition="davidson", item_level=None).fit(
            PAIRS[:12, :2], np.arange(12) // 2
        ),
        PAIRS[:9, :2],
        "predict",
    ),
}


@cache
def made(name):
    return MODELS[name]()


def parts(thing, seen):
    """The objects of the package within a model, itself included."""
    if id(thing) in seen:
        return
    seen[id(thing)] = thing
    if isinstance(thing, dict):
        inner = thing.values()
    elif isinstance(thing, list | tuple):
        inner = thing
    elif type(thing).__module__.startswith("sklearn_mteval") and hasattr(thing, "__dict__"):
        yield thing
        inner = vars(thing).values()
    else:
        return
    for other in list(inner):
        yield from parts(other, seen)


def opened(state):
    """A state with its packed texts and tensors unpacked, to be packed again by ``closed``."""
    found = dict(state)
    for name, value in state.items():
        if name == "_tensors":
            found[name] = unpack_tensors(value)
        elif isinstance(value, str) and value[:1] in ("[", "{"):
            found[name] = json.loads(value)
    return found


def closed(state, original):
    """Pack again what was packed; what cannot be, stays as it was crafted."""
    found = dict(state)
    for name, value in original.items():
        if name not in found:
            continue
        try:
            if name == "_tensors":
                found[name] = pack_tensors(found[name])
            elif isinstance(value, str) and value[:1] in ("[", "{"):
                found[name] = json.dumps(found[name])
        except Exception:
            found[name] = found[name] if isinstance(found[name], str | bytes) else "crafted"
    return found


def places(value, path=()):
    """Paths to all that a state holds."""
    inner = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value[:3]) if isinstance(value, list | tuple) else inner
    for key, item in inner:
        yield (*path, key)
        yield from places(item, (*path, key))


def replaced(value, path, change):
    """A copy of nested containers with what stands at a path changed."""
    if not path:
        return change(value)
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = replaced(copied[path[0]], path[1:], change)
    return copied if isinstance(value, dict | list) else type(value)(copied)


NUMBERS = [np.nan, np.inf, -np.inf, 1e300, -1e300, 0, -1, 1, 2**31, -(2**31), 2**40, 10**12, -0.5]
OTHERS = [*NUMBERS, "text", "", None, True, False, [], {}, [1], ["a"], (), 10**400, 5, 99]
OTHERS += [
    np.zeros(0),
    np.zeros((0, 10**6)),
    np.array(["a"]),
    np.array([None]),
    np.int64,
    np.ones(3),
]


def craft(value, rng):
    """Change a value into another that a stranger might try."""
    if not isinstance(value, np.ndarray) or rng.random() < 0.15:
        if isinstance(value, str) and value and rng.random() < 0.3:
            return [value[: len(value) // 2], value * 2, value + "\n", "\n" * 9][rng.integers(4)]
        if type(value) in (int, float) and rng.random() < 0.6:
            return NUMBERS[rng.integers(len(NUMBERS))]
        return OTHERS[rng.integers(len(OTHERS))]
    kind = rng.integers(10)
    if kind < 5 and value.size:  # some numbers of it
        array = value.copy()
        at = rng.integers(array.size, size=rng.integers(1, 4))
        number = NUMBERS[rng.integers(len(NUMBERS))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if array.dtype.kind in "iu":
                array.ravel()[at] = np.int64(rng.choice([-1, -(2**31), 2**31 - 1, 0, 1, 7, 99]))
            elif array.dtype.kind == "f":
                array.ravel()[at] = np.float64(number)
            elif array.dtype.kind == "b":
                array.ravel()[at] ^= True
        return array
    return [
        lambda: value[: len(value) // 2] if value.ndim else value,
        lambda: np.concatenate([value, value]) if value.ndim else value,
        lambda: value[:0] if value.ndim else value,
        lambda: value.astype(rng.choice(["f4", "f8", "i4", "i8", "c8", "U3", "?", ">f8", "f2"])),
        lambda: value.reshape(rng.permutation([-1, 1, *[1] * int(rng.integers(2))])),
        lambda: np.asfortranarray(value),
        lambda: rng.permutation(value.ravel()).reshape(value.shape),
        lambda: np.full_like(value, value.ravel()[0]) if value.size else value,
    ][rng.integers(8)]()


def is_checked(kind):
    """Tell whether a class of the package looks at what is loaded."""
    return any(
        "__setstate__" in vars(base) and base.__module__.startswith("sklearn_mteval")
        for base in kind.__mro__
    )


@contextmanager
def state_of(thing, crafted):
    """Let an object save another state."""
    kind = type(thing)
    before = kind.__getstate__
    own = "__getstate__" in vars(kind)
    kind.__getstate__ = lambda self: crafted if self is thing else before(self)
    try:
        yield
    finally:
        if own:
            kind.__getstate__ = before
        else:
            del kind.__getstate__


def ask(model, X, method):
    answer = np.asarray(getattr(model, method)(X))
    if answer.dtype == object and all(isinstance(cell, str) for cell in answer.ravel()):
        return "answered"
    if not np.issubdtype(answer.dtype, np.number) or not np.isfinite(answer).all():
        return f"silent: {answer.ravel()[:5]}"
    if method == "predict_proba" and not ((answer >= 0) & (answer <= 1)).all():
        return f"silent: {answer.ravel()[:5]}"
    return "answered"


def verdict(folder, X, method):
    try:
        model = load_model(folder)
    except ModelFolderError as error:
        return "refused" if str(error) else "bare: no message"
    except Exception as error:
        return f"bare: at load {type(error).__name__}: {error}"
    try:
        return ask(model, X, method)
    except (ValueError, ImportError) as error:
        bare = BARE.search(str(error)) or not str(error)
        return f"bare: {type(error).__name__}: {error}" if bare else "error"
    except Exception as error:
        if str(error).startswith("estimator must be a classifier"):  # RankRecomposer's TypeError
            return "error"
        return f"bare: {type(error).__name__}: {error}"


def run(name, n_cases, seed):
    model, table, method = made(name)
    folder = Path(tempfile.mkdtemp())
    save_model(model, folder)
    assert verdict(folder, table, method) == "answered"
    rng = np.random.default_rng([seed, *name.encode()])
    things = [thing for thing in parts(model, {}) if is_checked(type(thing))]
    for case in range(n_cases):
        thing = things[rng.integers(len(things))]
        original = thing.__getstate__()
        state = opened(original)
        # Parameters are asked of the table, as in fit, or do not count any more.
        asked = isinstance(thing, BaseEstimator) and not isinstance(thing, EncoderOptions)
        known = set(type(thing)._get_param_names()) if asked else set()
        paths = [path for path in places(state) if path[0] not in known]
        if not paths:
            continue
        path = paths[rng.integers(len(paths))]
        drop = len(path) == 1 and rng.random() < 0.05
        if drop:
            state.pop(path[0])
        where = f"{type(thing).__name__}{list(path)}"
        try:
            if not drop:
                state = replaced(state, path, lambda value: craft(value, rng))
            crafted = closed(state, original)
            with state_of(thing, crafted):
                content = skops.io.dumps(model)
        except Exception:  # numpy or skops cannot make it
            continue
        shown = repr(state.get(path[0], "dropped"))[:200]
        print(json.dumps({"model": name, "case": case, "where": where, "value": shown}), flush=True)
        forge(folder, content)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            # scikit-learn's own word on a version, or names, that were dropped or crafted
            warnings.filterwarnings("ignore", ".*(unpickle estimator|feature names).*")
            print(json.dumps({"verdict": verdict(folder, table, method)}), flush=True)


if __name__ == "__main__":
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except ImportError:  # Windows
        pass
    names, n_cases, seed = sys.argv[1].split(","), int(sys.argv[2]), int(sys.argv[3])
    for name in names:
        run(name, n_cases, seed)
