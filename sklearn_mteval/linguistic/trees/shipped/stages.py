"""Training of all machines of a model on a treebank.

Machines see the answers of earlier ones, in training of such as were trained on the other folds'
documents (jackknifing): as wrong as on new texts. What is shipped is trained on all.
"""

from functools import partial
from importlib.resources import files
from itertools import chain

import numpy as np
from scipy.optimize import minimize_scalar

from sklearn_mteval.linguistic.trees.shipped.analysis import TOKEN_COLUMNS, Tokens
from sklearn_mteval.linguistic.trees.shipped.grammars.chunks import chunk_tags
from sklearn_mteval.linguistic.trees.shipped.grammars.constituency import constituency_derivation
from sklearn_mteval.linguistic.trees.shipped.grammars.dependency import (
    dependency_derivation,
    projective_heads,
    supertags,
)
from sklearn_mteval.linguistic.trees.shipped.grammars.discourse import (
    EDU_COLUMNS,
    discourse_derivation,
    edu_columns,
)
from sklearn_mteval.linguistic.trees.shipped.learning.machine import Action, train_machine
from sklearn_mteval.linguistic.trees.shipped.learning.templates import read_template_sets
from sklearn_mteval.linguistic.trees.shipped.model import MACHINES, Model
from sklearn_mteval.linguistic.trees.shipped.words import WordColumns

_FOLDS = 8
_TEMPLATES = read_template_sets(
    files("sklearn_mteval.linguistic.trees.shipped").joinpath("data", "templates.txt")
)
_SETTINGS = {
    "tags": {"tagging": True, "beam": 2, "n_epochs": 8, "n_runs": 4, "max_entries": 200_000},
    "chunks": {"tagging": True, "beam": 4, "n_epochs": 4, "n_runs": 4, "max_entries": 120_000},
    "supertags": {
        "tagging": True, "beam": 4, "n_epochs": 6, "min_count": 2, "max_entries": 330_000,
    },
    "dependencies": {"beam": 4, "n_epochs": 8, "min_count": 2, "n_runs": 2, "max_entries": 600_000},
    "constituents": {"beam": 8, "n_epochs": 8, "min_count": 2, "n_runs": 2, "max_entries": 480_000},
    "boundaries": {"tagging": True, "beam": 4, "n_epochs": 4, "n_runs": 6, "max_entries": 120_000},
    "discourse": {"beam": 8, "n_epochs": 6, "n_runs": 5, "max_entries": 130_000},
}  # fmt: skip
_JACKKNIFE = {"beam": 2, "n_epochs": 6, "n_runs": 1}


def gathered(documents):
    """Return the sentences of all documents, their constituents and their discourse."""
    return [
        [*chain.from_iterable(parts)] for parts in zip(*(d[1:] for d in documents), strict=True)
    ]


class _Corpus:
    """The sentences of documents, their columns, and the fold of each sentence."""

    def __init__(self, documents, classes):
        self.sentences, self.trees, self.discourse = gathered(documents)
        self.folds = np.repeat(
            np.arange(len(documents)) % _FOLDS, [len(d.sentences) for d in documents]
        )
        self.tokens = Tokens([s.words for s in self.sentences], WordColumns(classes))
        self.heads = [[head - 1 for head in s.heads] for s in self.sentences]

    def part(self, chosen):
        """Return columns, bounds and positions of the words of some sentences."""
        bounds = self.tokens.bounds
        rows = [np.arange(bounds[k], bounds[k + 1]) for k in chosen]
        ends = np.cumsum([0, *map(len, rows)])
        rows = np.concatenate([*rows, np.zeros(0, dtype=np.int64)])
        return self.tokens.columns[rows], ends, rows

    def train(self, name, derivations, chosen, settings):
        """Train a machine on the derivations of some sentences."""
        units, bounds, _ = self.part(chosen)
        own = [derivations[k] for k in chosen]
        return train_machine(units, bounds, own, _TEMPLATES[name], TOKEN_COLUMNS, **settings)


def train_model(documents, classes, *, log=print, only=MACHINES):
    """Train the machines ``only`` and those they need; documents and classes decide all bytes."""
    corpus = _Corpus(documents, classes)
    sentences = corpus.sentences
    machines = {}
    train = partial(_train, corpus, machines, log)
    train("tags", [_shifts(s.tags) for s in sentences], "tag")
    train("chunks", [_shifts(chunk_tags(tree)) for tree in corpus.trees], "chunk")
    if not {"constituents", "dependencies", "supertags"}.isdisjoint(only):
        pairs = list(zip(corpus.heads, sentences, strict=True))
        train("supertags", [_shifts(supertags(h, s.relations)) for h, s in pairs], "stag")
    if "constituents" in only:
        derivations = [constituency_derivation(tree) for tree in corpus.trees]
        train("constituents", derivations)
        machines["constituents"].temperature = _temperature(corpus, derivations)
    if "dependencies" in only:
        heads = [projective_heads(of_sentence) for of_sentence in corpus.heads]
        pairs = zip(heads, sentences, strict=True)
        train("dependencies", [dependency_derivation(h, s.relations) for h, s in pairs])
    corpus.tokens.put_clauses(machines)
    if "boundaries" in only:
        train("boundaries", [_begins(found.lengths) for found in corpus.discourse])
    if "discourse" in only:
        machines["discourse"] = _train_discourse(corpus, log)
    return Model(machines, classes)


def _shifts(labels):
    return [Action("shift", label) for label in labels]


def _begins(lengths):
    """Label the first word of each EDU but the sentence's first B, others I."""
    labels = [["B" if edu else "I", *["I"] * (n - 1)] for edu, n in enumerate(lengths)]
    return _shifts(chain.from_iterable(labels))


def _train(corpus, machines, log, name, derivations, column=None):
    """Train a machine, and fill a column of the corpus with answers of jackknifed ones."""
    settings = _SETTINGS[name]
    log(f"{name}: training on {len(derivations)} sentences")
    everything = range(len(derivations))
    machine = machines[name] = corpus.train(name, derivations, everything, settings)
    if column is None:
        return
    number = {action: k for k, action in enumerate(machine.actions)}
    answers = np.zeros(len(corpus.tokens.words), dtype=np.int64)
    for fold in range(_FOLDS):
        own = np.flatnonzero(corpus.folds == fold)
        if not len(own):
            continue
        others = np.flatnonzero(corpus.folds != fold)
        of_fold = corpus.train(name, derivations, others, settings | _JACKKNIFE)
        units, bounds, rows = corpus.part(own)
        found = of_fold.tag(units, bounds)
        answers[rows] = np.array([number[action] for action in of_fold.actions])[found]
    corpus.tokens.put(column, answers)


def _temperature(corpus, derivations):
    """Find the temperature that makes a fold's gold constituents likeliest, to three digits."""
    others, own = np.flatnonzero(corpus.folds != 0), np.flatnonzero(corpus.folds == 0)
    settings = _SETTINGS["constituents"] | {"n_runs": 1}
    machine = corpus.train("constituents", derivations, others, settings)
    number = {action: k for k, action in enumerate(machine.actions)}
    known = [k for k in own if all(action in number for action in derivations[k])]
    units, bounds, _ = corpus.part(known)
    gold = np.array([number[a] for k in known for a in derivations[k]], np.int32)  # as in parsing
    gold_bounds = np.cumsum([0, *(len(derivations[k]) for k in known)])

    def loss(log_temperature):
        machine.temperature = np.exp(log_temperature)
        sentences = np.arange(len(known))
        return -machine.log_likelihoods(units, bounds, gold, gold_bounds, sentences).sum()

    best = minimize_scalar(loss, bounds=(-3, 8), method="bounded").x
    return float(f"{np.exp(best):.3g}")


def _train_discourse(corpus, log):
    """Train the machine of discourse trees on gold EDUs of the sentences that have several."""
    bounds, lengths = corpus.tokens.bounds, [found.lengths for found in corpus.discourse]
    edu_bounds = np.cumsum([0, *chain.from_iterable(lengths)])
    units = edu_columns(corpus.tokens.columns, TOKEN_COLUMNS, bounds, edu_bounds)
    of_sentence = np.cumsum([0, *map(len, lengths)])
    derivations = [
        discourse_derivation(len(found.lengths), found.merges) if len(found.lengths) > 1 else []
        for found in corpus.discourse
    ]
    log(f"discourse: training on {sum(map(bool, derivations))} sentences")
    return train_machine(
        units, of_sentence, derivations, _TEMPLATES["discourse"], EDU_COLUMNS,
        **_SETTINGS["discourse"],
    )  # fmt: skip
