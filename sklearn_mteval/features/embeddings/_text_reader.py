"""Two to four texts that an encoder reads together, as the tokens of one sequence."""

import numpy as np
import torch

from sklearn_mteval.features.embeddings._encoder_models import warn_of_cut

_MOST_TOKENS = {2: 256, 3: 384, 4: 512}  # of so many texts together
_NUMBERS = {3: "three", 4: "four"}
_STEP = 16  # tokens: why, _encoder_models says


class TextReader:
    """Turns readings, tuples of two to four texts, into batches: ids, and each token's text."""

    def __init__(self, model, n_texts):
        self.tokenizer = model.tokenizer
        self.device = model.device
        self.n_texts = n_texts

    def encode(self, readings):
        """Tokenise readings, each as (ids, types or None, which text each token is of)."""
        found = self._encoded(readings)
        what = f"reading of {_NUMBERS[self.n_texts]} texts" if self.n_texts > 2 else "pair of texts"
        warn_of_cut([len(ids) for ids, *_ in found], _MOST_TOKENS[self.n_texts], what)
        return found

    def read_whole(self, readings):
        """Tell whether there is nothing that ``encode`` would warn of."""
        return all(len(ids) < _MOST_TOKENS[self.n_texts] for ids, *_ in self._encoded(readings))

    def _encoded(self, readings):
        most = _MOST_TOKENS[self.n_texts]
        columns = [list(texts) for texts in zip(*readings, strict=True)]
        if not columns:
            return []
        if self.n_texts > 2:
            return self._encode_several(columns, most)
        found = self.tokenizer(*columns, truncation="longest_first", max_length=most)
        types = found.get("token_type_ids", [None] * len(readings))
        return [
            (ids, of_type, _sides(found.sequence_ids(k), 2))
            for k, (ids, of_type) in enumerate(zip(found["input_ids"], types, strict=True))
        ]

    def _encode_several(self, columns, most):
        """Join texts that are tokenised by themselves: no tokeniser takes three or four."""
        parts = [self.tokenizer(texts, truncation=True, max_length=most) for texts in columns]
        special = [side is None for side in self.tokenizer("a").sequence_ids()]
        n_before = special.index(False)  # special tokens that a text begins with
        n_special = n_before + self.n_texts * (sum(special) - n_before)
        pair = self.tokenizer("a", "a").get("token_type_ids")
        found = []
        for k in range(len(columns[0])):
            ids = [part["input_ids"][k] for part in parts]
            lengths = [len(some) - sum(special) for some in ids]
            joined, sides = ids[0][:n_before], [None] * n_before
            for side, n in enumerate(_cut(lengths, most - n_special)):
                after = ids[side][n_before + lengths[side] :]
                joined += ids[side][n_before : n_before + n] + after
                sides += [side] * n + [None] * len(after)
            of_text = _sides(sides, self.n_texts)
            of_type = None if pair is None else np.where(of_text == self.n_texts - 1, pair[-1], 0)
            found.append((joined, of_type, of_text))
        return found

    def batch(self, encoded, length):
        """Pad readings to one length: inputs of the encoder, and a mask of each text."""
        shape = len(encoded), length
        ids = np.full(shape, self.tokenizer.pad_token_id, dtype=np.int64)
        kinds, sides = np.zeros(shape, dtype=np.int64), np.full(shape, -1)
        for row, (tokens, of_type, of_side) in enumerate(encoded):
            ids[row, : len(tokens)] = tokens
            kinds[row, : len(tokens)] = 0 if of_type is None else of_type
            sides[row, : len(tokens)] = of_side
        inputs = {"input_ids": ids, "attention_mask": (sides >= 0).astype(np.int64)}
        if encoded[0][1] is not None:
            inputs["token_type_ids"] = kinds
        inputs = {name: torch.from_numpy(array).to(self.device) for name, array in inputs.items()}
        masks = [torch.from_numpy(sides == side).to(self.device) for side in range(self.n_texts)]
        return inputs, masks


def padded(ids):
    """Return to what length ids are padded: of other lengths libraries would keep other kernels."""
    return -(-len(ids) // _STEP) * _STEP


def _sides(sequence_ids, n_texts):
    """Tell which text each token is of: a special one of the text that it stands before."""
    sides, side = np.empty(len(sequence_ids), dtype=np.int64), n_texts - 1
    for at in range(len(sequence_ids) - 1, -1, -1):
        side = side if sequence_ids[at] is None else sequence_ids[at]
        sides[at] = side
    sides[:1] = 0  # also of an empty first text; the last one is of the last, be it empty
    return sides


def _cut(lengths, most):
    """Shorten the longest of some lengths, again and again, until their sum is at most so much."""
    lengths = list(lengths)
    while sum(lengths) > most:
        lengths[max(range(len(lengths)), key=lengths.__getitem__)] -= 1
    return lengths
