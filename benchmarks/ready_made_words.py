"""Word vectors of the ready-made models: what an encoder says of words, and what rankings add."""

from collections import Counter

import numpy as np

from sklearn_mteval.features import LearnedTokenAlignment
from sklearn_mteval.text.tokens import TokenInterner

WORD_LAYERS = [5, 7, 8]  # of all-mpnet-base-v2, averaged
N_DIMENSIONS = 128


def tokens_13a(texts):
    """Return the words of each text, and all words."""
    interner = TokenInterner("13a", True)
    return {text: interner(text) for text in texts}, interner


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
