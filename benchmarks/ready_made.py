"""Make the models that come with the package.

    python benchmarks/ready_made.py words --encoder FOLDER   # reads the texts: word-table.npz
    python benchmarks/ready_made.py vectors                  # learns the vectors: english.vectors
    python benchmarks/ready_made.py static-en any
    python benchmarks/ready_made.py encoder-en --encoder FOLDER
    python benchmarks/ready_made.py encoder-large-en --encoder FOLDER
    python benchmarks/ready_made.py any-encoder --encoder FOLDER

Equal input gives equal bytes, on one machine with the versions of constraints.txt. What a model is
trained on and which columns it has is its entry in ``RECIPES``. Rankers learn from the judgements
and from corrupted translations, which lose; features of competing systems see all systems of a
segment, judged or not (those of encoders the judged ones, to save time). WMT12 is not read.

What is learnt is adjusted (``adjusted``): counts of n-grams grow with the text, so that scores of
texts longer than those of training would say how long they are; and of languages and domains that
were not trained on, chrF tells more of ``any``'s decisions than training says.
"""

import argparse
import os
import re
import shutil
from collections.abc import Callable, Mapping
from importlib.resources import as_file
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd
from further_members import with_further, without_further
from ready_made_columns import aligned, by_words, fitted
from ready_made_source import kept, sampled
from ready_made_training import (
    ANY_DIRECTION,
    INTO_ENGLISH,
    N_FOLDS,
    Training,
    folds_of,
    load_training,
    with_corruptions,
    with_others,
)
from ready_made_words import WordTable, read_words
from sklearn.pipeline import FeatureUnion
from without_reference_training import ranker_training

from sklearn_mteval import RankRecomposer
from sklearn_mteval.classifiers import PairEnsemble
from sklearn_mteval.features import (
    ChrFComp,
    ContentErrors,
    LexicalFeatures,
    NormalizeText,
    SurfaceErrors,
)
from sklearn_mteval.features.content.content_errors import OF_ANY_LANGUAGE
from sklearn_mteval.features.lexical._columns import GROUPS
from sklearn_mteval.models.cards import READY_MADE as shipped
from sklearn_mteval.pairwise import RankingPipeline
from sklearn_mteval.persistence import load_model, save_model
from sklearn_mteval.text.vectors.shipped import write_shipped

PACKAGE = Path(__file__).parents[1] / "sklearn_mteval"
COUNT = re.compile(r"_(matches|hypothesis_total|reference_total)_\d")  # of n-grams in ChrFComp
CONTENT = 3.0  # how much more errors in content count in scores than was learnt next to counts


class Recipe(NamedTuple):
    """What makes a model.

    Attributes
    ----------
    parts : dict
        Makers of columns (``ready_made_columns``) by their transformers' names in the union.
    campaigns : tuple of (str, str), or callable
        Campaigns and language pairs that it is trained on; or what makes all of X and ranks, with
        all corruptions, of the data's folder.
    corruptions : mapping
        Options of ``add_corruptions``.
    others : bool
        Whether translations compete that nobody judged.
    as_written : dict
        Transformers of texts as they are written, before they are normalised, as parts.
    further : float
        Weight of what is learnt next to the ranker that ships, which is kept; 0: it is not.
    segments : int or None
        How many of each campaign and language pair; None: all.
    read : int or None
        How many segments of a pair are read at all, to save an encoder time; None: all.
    chrf : float
        Log-odds that are added for each point of chrF (0 to 100) by which a translation leads.
    """

    parts: dict[str, Callable]
    campaigns: tuple | Callable = INTO_ENGLISH
    corruptions: Mapping = MappingProxyType({})
    others: bool = True
    as_written: Mapping = MappingProxyType({})
    further: float = 0.0
    segments: int | None = None
    read: int | None = None
    chrf: float = 0.0


WITH_VECTORS = {
    "lexicalfeatures": by_words(),
    "chrfcomp": fitted(ChrFComp()),
    "contenterrors": fitted(ContentErrors()),
}
# Long words weigh more, as rare ones do: inverse document frequencies are those of known languages.
BY_SPELLING = {
    "lexicalfeatures": fitted(LexicalFeatures(features=list(GROUPS), weights="characters")),
    "chrfcomp": fitted(ChrFComp()),
    "contenterrors": fitted(ContentErrors(features=list(OF_ANY_LANGUAGE))),
}
# Of encoders: fewer corruptions than by default, for each text is to be encoded.
WITH_ENCODER = {
    "corruptions": {"proportion": 0.1, "reference_proportion": 0.04},
    "others": False,
}
ALIGNMENT = {
    "against": "both", "n_dimensions": 384, "learning_rate": 5e-4, "max_epochs": 1,
    "batch_size": 32,
}  # fmt: skip


def _english(layers):
    """Return the recipe of an encoder for English; layers were chosen on WMT13 and WMT15."""
    alignment = aligned(layers=layers, **ALIGNMENT)
    return Recipe({**WITH_VECTORS, "learnedtokenalignment": alignment}, **WITH_ENCODER)


RECIPES = {
    "static-en": Recipe(WITH_VECTORS),
    "any": Recipe(BY_SPELLING, ANY_DIRECTION, segments=350, chrf=0.05),
    "encoder-en": _english([3, 4, 5, 6]),
    "encoder-large-en": _english([5, 7, 8]),
    # What is further learns from segments that the cross-encoder has not seen.
    "no-reference-encoder": Recipe(
        {
            "crossencoder": kept("crossencoder"),
            "tokenalignment": kept("tokenalignment"),
            "contenterrors": fitted(ContentErrors(use_references=False)),
            "lexicalfeatures": fitted(
                LexicalFeatures(features=["competing"], use_references=False)
            ),
        },
        campaigns=ranker_training,
        as_written={"surfaceerrors": fitted(SurfaceErrors())},
        further=0.6,
    ),
    "any-encoder": Recipe(
        {**BY_SPELLING, "learnedtokenalignment": aligned(layers=[6, 7, 8], **ALIGNMENT)},
        ANY_DIRECTION,
        **WITH_ENCODER,
        read=400,
    ),
}


def adjusted(ranker, chrf):
    """Let scores look at content, not at counts of n-grams, and both rankers more at chrF."""
    head = ranker.standalone_
    # A shared column has the candidate's own value in the empty translation: it decides nothing.
    names = pd.Index(names_of(head))
    head.shared_features_ |= np.array([COUNT.search(name) is not None for name in names])
    # Without counts, likeness to the reference says more; it must not outweigh what contradicts it.
    linear = head.estimator_.estimators_[0].coef_[0]
    linear[names.str.startswith("contenterrors__") & (linear < 0)] *= CONTENT
    for part in (ranker, head) if chrf else ():
        ensemble, k = part.estimator_, names_of(part).index("chrfcomp__chrf_score")
        unit = ensemble.scale_[k] / (ensemble.slope_ * ensemble.factors_[0])
        ensemble.estimators_[0].coef_[0, k] += chrf * unit
    return ranker


def names_of(ranker):
    """List the columns of a ranker."""
    return list(ranker.feature_names_in_)


class Workshop:
    """The training data of some campaigns, and a working folder for what is kept."""

    def __init__(self, data, work, campaigns, n_segments=None):
        self.work = Path(work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.data = data
        if callable(campaigns):
            self.X, self.y = campaigns(Path(data))
        else:
            self.X, self.y, self.others = load_training(data, campaigns, n_segments)
        self.fold = folds_of(self.X)

    def read_words(self, encoder):
        """Write what an encoder says of words."""
        words, of_words, pieces, of_pieces = read_words(self.X, encoder)
        np.savez(
            self.work / "word-table.npz",
            words=words, of_words=of_words, pieces=pieces, of_pieces=of_pieces,
        )  # fmt: skip

    def learn_vectors(self):
        """Write the vectors that are shipped, and those of each fold."""
        table = WordTable(self.work / "word-table.npz")
        for k in [*range(N_FOLDS), None]:
            there = self.fold != k if k is not None else np.full(len(self.X), True)
            vectors = table.learned_vectors(self.X[there], self.y[there])
            path = self.work / f"fold-{k}.vectors"
            if k is None:
                path = PACKAGE / "text" / "vectors" / "data" / "english.vectors"
            path.parent.mkdir(exist_ok=True)
            write_shipped(path, list(vectors), np.array(list(vectors.values()), dtype=np.float32))
            print(f"{path}: {len(vectors)} words and pieces, {path.stat().st_size} bytes")

    def make(self, name, encoder):
        """Train a model and save it where the package has it."""
        recipe = RECIPES[name]
        training, normalize = self._training(recipe), NormalizeText().fit(self.X)
        written, of_written = self._united(recipe.as_written, name, training, encoder)
        training = training._replace(X=normalize.transform(training.X))
        union, columns = self._united(recipe.parts, name, training, encoder)
        steps = [("normalize", normalize), ("features", union)]
        if recipe.as_written:
            parts = [("normalized", RankingPipeline(steps)), *written.transformer_list]
            union = FeatureUnion(parts).set_output(transform="pandas")
            columns = pd.concat([columns.add_prefix("normalized__"), of_written], axis=1)
            steps = [("features", union)]
        if list(columns) != list(union.get_feature_names_out()):
            raise AssertionError("the union names its columns otherwise")
        columns.assign(rank=training.y).to_pickle(self.work / f"{name}.columns.pkl")
        ranker = RankRecomposer(PairEnsemble())
        if recipe.further:
            ranker = self._with_further(ranker, name, columns, training.y, recipe.further)
        else:
            ranker.fit(columns, training.y)
        if "chrfcomp" in recipe.parts:
            adjusted(ranker, recipe.chrf)
        model = RankingPipeline([*steps, ("rank", ranker)]).set_output(transform="pandas")
        folder = PACKAGE / "models" / "ready_made_files" / name
        save_model(model, self.work / name, X=self.X, y=self.y)
        for old in folder.glob("model-*.skops"):
            old.unlink()
        shutil.copytree(self.work / name, folder, dirs_exist_ok=True)  # beside its card
        size = sum(file.stat().st_size for file in folder.iterdir())
        print(f"{folder}: {size} bytes, slope {ranker.estimator_.slope_:.3f}")

    @staticmethod
    def _with_further(ranker, name, columns, ranks, weight):
        """Put members that learn from all but competing systems next to the shipped ranker's."""
        with as_file(shipped[name].files) as folder:
            kept_ranker = load_model(folder)[-1]
        known = columns.columns[columns.columns.str.startswith("normalized__")]
        own = columns.columns[~columns.columns.str.contains("competing_", regex=False)]
        judged = ~columns.index.get_level_values("segment").str.contains("#", regex=False)
        ranker.fit(columns[own], ranks)
        first = without_further(kept_ranker, list(known))
        return with_further(first, ranker, weight, columns[judged])

    def _united(self, makers, name, training, encoder):
        """Return a union of transformers, and its columns."""
        parts = {part: make(self, name, training, encoder) for part, make in makers.items()}
        union = FeatureUnion([(part, transformer) for part, (transformer, _) in parts.items()])
        columns = [values.add_prefix(f"{part}__") for part, (_, values) in parts.items()]
        return union.set_output(transform="pandas"), pd.concat(columns, axis=1) if parts else None

    def _training(self, recipe):
        """Return the rows that a model's ranker learns from."""
        if callable(recipe.campaigns):
            return Training(self.X, self.y, np.arange(len(self.X)), folds_of(self.X))
        X, y = with_others(self.X, self.y, self.others) if recipe.others else (self.X, self.y)
        if recipe.segments is not None:
            X, y = sampled(X, y, recipe.segments)
        fold, origin = folds_of(X), np.arange(len(X))
        X, y, origin = with_corruptions(X, y, **recipe.corruptions)
        return Training(X, y, origin, fold[origin])


def main():
    """Run the commands."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="+", choices=["words", "vectors", *RECIPES])
    parser.add_argument("--data", default=os.environ.get("SKLEARN_MTEVAL_DATA"))
    parser.add_argument("--encoder", help="folder of the encoder")
    parser.add_argument("--work", default="build/ready-made", help="folder for what is kept")
    arguments = parser.parse_args()
    workshops = {}
    for what in arguments.what:
        recipe = RECIPES.get(what)
        given = (recipe.campaigns, recipe.read) if recipe else (INTO_ENGLISH,)
        if given not in workshops:
            workshops[given] = Workshop(arguments.data, arguments.work, *given)
        workshop = workshops[given]
        if what == "words":
            workshop.read_words(arguments.encoder)
        elif what == "vectors":
            workshop.learn_vectors()
        else:
            workshop.make(what, arguments.encoder)


if __name__ == "__main__":
    main()
