"""Make the models that come with the package, from WMT13 and WMT15.

    python benchmarks/ready_made.py words --encoder FOLDER   # reads the texts: word-table.npz
    python benchmarks/ready_made.py vectors                  # learns the vectors: english.vectors
    python benchmarks/ready_made.py static-en consensus-en any
    python benchmarks/ready_made.py encoder-en --encoder FOLDER
    python benchmarks/ready_made.py encoder-large-en --encoder FOLDER

Equal input gives equal bytes, on one machine with the versions of constraints.txt. What is learnt
from a segment is never used to describe that segment to what learns from the description: features
of training segments come from vectors and projections that were trained on the other two thirds.
Rankers learn from the judgements and from corrupted translations, which lose; features of competing
systems see all systems of a segment, judged or not (those of encoders the judged ones, to save
time). WMT12 is not read.
"""

import argparse
import hashlib
import os
from collections import Counter
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from sklearn.pipeline import FeatureUnion

from sklearn_mteval import RankRecomposer
from sklearn_mteval.classifiers import PairEnsemble
from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.datasets.corruptions.training import corrupted_judgements
from sklearn_mteval.features import (
    ChrFComp,
    ContentErrors,
    LearnedTokenAlignment,
    LexicalFeatures,
    NormalizeText,
)
from sklearn_mteval.features.content.content_errors import OF_ANY_LANGUAGE
from sklearn_mteval.models.ready_made import READY_MADE as shipped
from sklearn_mteval.pairwise import RankingPipeline
from sklearn_mteval.persistence import save_model
from sklearn_mteval.text import WordVectors
from sklearn_mteval.text.tokens import TokenInterner
from sklearn_mteval.text.vectors.shipped import read_vectors, write_shipped

PACKAGE = Path(__file__).parents[1] / "sklearn_mteval"
CAMPAIGNS = [("wmt13", "fr-en")] + [("wmt15", f"{s}-en") for s in ("cs", "de", "fi", "fr", "ru")]
WORD_LAYERS = [5, 7, 8]  # of all-mpnet-base-v2, averaged
N_FOLDS = 3
N_DIMENSIONS = 128
# Layers, chosen on WMT13 and WMT15 (docs/ready_made.md).
ENCODERS = {"encoder-en": [3, 4, 5, 6], "encoder-large-en": [5, 7, 8]}
READY_MADE = ("static-en", "consensus-en", "any", *ENCODERS)
# Fewer corruptions than by default, for each text is to be encoded.
CORRUPTED_FOR_ENCODERS = {"proportion": 0.1, "reference_proportion": 0.04}


def load_training(data):
    """Load all campaigns as one table of judged translations, and their ranks, and the others.

    Texts are normalised, segments named by campaign and line. The other table has the translations
    of judged segments that nobody judged.
    """
    tables, ranks, others = [], [], []
    for campaign, pair in CAMPAIGNS:
        judged = load_judgements(Path(data) / campaign, "wmt", lang_pair=pair)
        all_of_them = judged.translations
        segments = all_of_them.index.get_level_values("segment")
        known = segments.isin(judged.X.index.unique("segment"))
        known &= ~all_of_them.index.isin(judged.X.index.droplevel("ranking"))
        beside = all_of_them[known].assign(ranking="beside").set_index("ranking", append=True)
        for part, table in ((tables, judged.X), (ranks, judged.y), (others, beside)):
            labels = table.index.to_frame(index=False)[["segment", "ranking", "system"]]
            labels["segment"] = [f"{campaign}.{pair}:{line}" for line in labels["segment"]]
            labels["ranking"] = labels["ranking"].astype(str)
            table.index = pd.MultiIndex.from_frame(labels)
            part.append(table)
    X, y, others = map(pd.concat, (tables, ranks, others))
    normalize = NormalizeText().fit(X)
    return normalize.transform(X), y, normalize.transform(others)


def with_others(X, y, others):
    """Add translations that nobody judged, each as a ranking of its own, worst of its segment."""
    labels = others.index.to_frame(index=False)
    labels["ranking"] = "beside " + labels["system"].astype(str)
    others = others.set_axis(pd.MultiIndex.from_frame(labels))
    return pd.concat([X, others]), pd.concat([y, pd.Series(1000, others.index)])


def folds_of(X):
    """Deal segments to folds by a hash of their names."""
    segments = X.index.get_level_values("segment")
    fold = {s: int(hashlib.sha256(s.encode()).hexdigest(), 16) % N_FOLDS for s in set(segments)}
    return np.array([fold[segment] for segment in segments])


def tokens_13a(texts):
    """Return the words of each text, and all words."""
    interner = TokenInterner("13a", True)
    return {text: interner(text) for text in texts}, interner


# -- what an encoder says of words ----------------------------------------------------------------


def read_words(X, encoder):
    """Average an encoder's middle layers over the occurrences of each word and each word piece."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    model = AutoModel.from_pretrained(encoder).eval().to(torch.bfloat16)
    model.encoder.layer = model.encoder.layer[: max(WORD_LAYERS)]

    def vectors(texts):
        batch = tokenizer(
            texts, truncation=True, max_length=128, padding=True, return_tensors="pt",
            return_offsets_mapping=True,
        )  # fmt: skip
        offsets = batch.pop("offset_mapping").numpy()
        with torch.no_grad():
            layers = model(**batch, output_hidden_states=True).hidden_states
        units = [torch.nn.functional.normalize(layers[k].float(), dim=-1) for k in WORD_LAYERS]
        return torch.stack(units).mean(0).numpy(), batch["input_ids"].numpy(), offsets

    texts = sorted({*X["reference"], *X["hypothesis"]}, key=lambda text: (len(text), text))
    words, interner = tokens_13a(texts)
    names = interner.words
    special = set(tokenizer.all_special_ids)
    width = model.config.hidden_size
    word_sums, word_counts = np.zeros((len(names), width)), np.zeros(len(names))
    vocabulary = tokenizer.get_vocab()
    piece_sums, piece_counts = np.zeros((max(vocabulary.values()) + 1, width)), Counter()
    for start in range(0, len(texts), 32):
        batch = texts[start : start + 32]
        found, ids, offsets = vectors(batch)
        for text, units, pieces, spans in zip(batch, found, ids, offsets, strict=True):
            # 13a moves nothing but spaces, so that a place without spaces tells the word.
            place = np.cumsum([0] + [not c.isspace() for c in text])
            owner = np.repeat(words[text], [len(names[word]) for word in words[text]])
            for unit, piece, (first, end) in zip(units, pieces, spans, strict=True):
                if piece in special or first == end or place[first] >= len(owner):
                    continue
                word_sums[owner[place[first]]] += unit
                word_counts[owner[place[first]]] += 1
                piece_sums[piece] += unit
                piece_counts[int(piece)] += 1
        if start % 3200 == 0:
            print(f"{start} of {len(texts)} texts", flush=True)
    # Pieces that no text has, by themselves.
    for piece, number in sorted(vocabulary.items()):
        if not piece_counts[number] and number not in special:
            units, ids, _ = vectors([piece.removeprefix("##")])
            kept = [k for k, token in enumerate(ids[0]) if token not in special]
            if kept:
                piece_sums[number] = units[0][kept].mean(axis=0)
    there = np.flatnonzero(word_counts)
    means = word_sums[there] / word_counts[there, np.newaxis]
    counts = word_counts[there]
    centre = counts @ means / counts.sum()
    pieces = [(p, n) for p, n in sorted(vocabulary.items()) if np.any(piece_sums[n])]
    of_pieces = np.array([piece_sums[n] / max(piece_counts[n], 1) for _, n in pieces])
    return (
        [names[k] for k in there], _units(means - centre).astype(np.float16),
        [piece for piece, _ in pieces], _units(of_pieces - centre).astype(np.float16),
    )  # fmt: skip


def _units(vectors):
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(norms > 0, norms, 1)


# -- vectors that learn from rankings -------------------------------------------------------------


class WordTable:
    """Words and pieces with what an encoder says of them; a model of static tokens."""

    def __init__(self, path):
        with np.load(path) as stored:
            self.words, self.pieces = stored["words"].tolist(), stored["pieces"].tolist()
            self.of_words = stored["of_words"].astype(np.float32)
            self.of_pieces = stored["of_pieces"].astype(np.float32)
        self.row_of = {word: row for row, word in enumerate(self.words)}
        self.interner = TokenInterner("13a", True)

    def __call__(self, texts):
        """Return the vectors of each text's words."""
        tokens = [self.interner(text) for text in texts]
        names = self.interner.words
        return [
            self.of_words[[self.row_of[names[k]] for k in text if names[k] in self.row_of]]
            for text in tokens
        ]

    def learned_vectors(self, X, y):
        """Learn a projection and weights of words from rankings, return vectors of that length."""
        aligner = LearnedTokenAlignment(
            self, against="both", n_dimensions=N_DIMENSIONS, learning_rate=5e-4, max_epochs=6,
            patience=2, encoder_name="words",
        ).fit(X, y)  # fmt: skip
        print("losses", aligner.losses_.round(4).tolist(), flush=True)
        projection = aligner.projection_.astype(np.float32).T
        both = _units(np.vstack([self.of_words, self.of_pieces]) @ projection)
        weights = np.logaddexp(0, both @ aligner.token_weights_)
        highest = np.quantile(weights[: len(self.words)], 0.999)
        both *= np.clip(weights / highest, 0.02, 1)[:, np.newaxis]
        known = vocabulary_of(X)
        vectors = {w: v for w, v in zip(self.words, both, strict=False) if w in known}
        for piece, vector in zip(self.pieces, both[len(self.words) :], strict=True):
            vectors.setdefault(piece, vector)
        return vectors


def vocabulary_of(X):
    """List words that two segments have, in a reference or in translations and not the source."""
    segments = X.index.get_level_values("segment")
    words, interner = tokens_13a({*X["reference"], *X["hypothesis"], *X["source"]})
    held = {}
    for segment, source, *texts in zip(
        segments, X["source"], X["reference"], X["hypothesis"], strict=True
    ):
        mine = held.setdefault(segment, set())
        mine.update(words[texts[0]])
        mine.update(set(words[texts[1]]).difference(words[source]))
    counts = Counter(word for mine in held.values() for word in mine)
    names = interner.words
    return {names[word] for word, count in counts.items() if count >= 2}


# -- the models -----------------------------------------------------------------------------------


class Workshop:
    """Training data, and what is kept between the commands in a working folder."""

    def __init__(self, data, work):
        self.work = Path(work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.X, self.y, self.others = load_training(data)
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

    def words(self, table, fold, *, reference):
        """Return LexicalFeatures on shipped vectors, and its columns, cross-fitted by segment."""
        options = {"weights": "length", "use_references": reference}
        final = LexicalFeatures("english", **options).set_output(transform="pandas").fit(self.X)
        parts = []
        for k in range(N_FOLDS):
            words, matrix, _ = read_vectors(self.work / f"fold-{k}.vectors")
            lexical = LexicalFeatures(WordVectors(words, matrix), **options)
            lexical.set_output(transform="pandas").fit(self.X[self.fold == k])
            parts.append(lexical.transform(table[fold == k]))
        order = np.concatenate([np.flatnonzero(fold == k) for k in range(N_FOLDS)])
        return final, pd.concat(parts).iloc[np.argsort(order)]

    def learned(self, name, encoder, table, origin):
        """Return a learned token alignment, and its columns, cross-fitted by segment."""
        stored = self.work / f"{name}.aligned.joblib"
        if not stored.exists():
            aligner = LearnedTokenAlignment(
                encoder, against="both", layers=ENCODERS[name], dtype="bfloat16", n_dimensions=384,
                learning_rate=5e-4, max_epochs=1, batch_size=32,
            )  # fmt: skip
            # From judgements only; corruptions are described by the fold of what they are made of.
            folds = aligner._learn(self.X, self.y, n_folds=N_FOLDS)
            model, known = aligner._fitted_model(), folds[0][1]._known
            more = sorted({*table["hypothesis"], *table["reference"]} - set(known))
            known |= aligner._encode(more, model)
            columns = np.empty((len(table), len(aligner._output_names())))
            for rows, scorer in folds:
                there = np.isin(origin, rows)
                columns[there] = scorer._transform(table[there])
            joblib.dump((aligner, columns), stored)
        aligner, columns = joblib.load(stored)
        return aligner, pd.DataFrame(columns, table.index, aligner._output_names())

    def make(self, name, encoder):
        """Train a model and save it where the package has it."""
        if name in ENCODERS:
            judged, options = (self.X, self.y), CORRUPTED_FOR_ENCODERS
        else:
            judged, options = with_others(self.X, self.y, self.others), {}
        if name == "consensus-en":  # a corruption that is far from what all say loses anyway
            table, ranks = judged
            origin = np.arange(len(table))
        else:
            table, ranks, origin = corrupted_judgements(*judged, **options)
        fold = folds_of(judged[0])[origin]

        def described(transformer):
            transformer.set_output(transform="pandas").fit(self.X)
            return transformer, transformer.transform(table)

        if name == "any":
            errors = ContentErrors(features=list(OF_ANY_LANGUAGE))
            parts = [("lexicalfeatures", *described(LexicalFeatures()))]
        else:
            errors, reference = ContentErrors(), name != "consensus-en"
            parts = [("lexicalfeatures", *self.words(table, fold, reference=reference))]
        if name != "consensus-en":
            parts.append(("chrfcomp", *described(ChrFComp())))
            parts.append(("contenterrors", *described(errors)))
        if name in ENCODERS:
            aligner, values = self.learned(name, encoder, table, origin)
            # Used in what the user's machine computes fast; no folder of this one.
            aligner.set_params(progress=False, encoder=shipped[name].hub, dtype="auto")
            parts.append(("learnedtokenalignment", aligner, values))
        union = FeatureUnion([(part, transformer) for part, transformer, _ in parts])
        union.set_output(transform="pandas")
        columns = pd.concat([values.add_prefix(f"{part}__") for part, _, values in parts], axis=1)
        if list(columns) != list(union.get_feature_names_out()):
            raise AssertionError("the union names its columns otherwise")
        columns.assign(rank=ranks).to_pickle(self.work / f"{name}.columns.pkl")
        ranker = RankRecomposer(PairEnsemble(), standalone=name != "consensus-en")
        ranker.fit(columns, ranks)
        steps = [("normalize", NormalizeText().fit(self.X)), ("features", union), ("rank", ranker)]
        model = RankingPipeline(steps).set_output(transform="pandas")
        folder = PACKAGE / "models" / "ready_made_files" / name
        save_model(model, folder, X=self.X, y=self.y)
        size = sum(file.stat().st_size for file in folder.iterdir())
        print(f"{folder}: {size} bytes, slope {ranker.estimator_.slope_:.3f}")


def main():
    """Run the commands."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="+", choices=["words", "vectors", *READY_MADE])
    parser.add_argument("--data", default=os.environ.get("SKLEARN_MTEVAL_DATA"))
    parser.add_argument("--encoder", help="folder of the encoder")
    parser.add_argument("--work", default="build/ready-made", help="folder for what is kept")
    arguments = parser.parse_args()
    workshop = Workshop(arguments.data, arguments.work)
    for what in arguments.what:
        if what == "words":
            workshop.read_words(arguments.encoder)
        elif what == "vectors":
            workshop.learn_vectors()
        else:
            workshop.make(what, arguments.encoder)


if __name__ == "__main__":
    main()
