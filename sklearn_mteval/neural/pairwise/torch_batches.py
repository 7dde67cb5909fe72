"""Training pairs as tensors on the device, cut into batches.

torch's own data loader takes longer than this small network: here an epoch slices prepared tensors.
"""

import numpy as np
import torch

# Batches that are cut together; those of texts after sorting by length, so that they pad little.
_BUCKET = 50


class Pairs(torch.utils.data.Dataset):
    """Input rows, float32, and signs; ``batches`` cuts them in the present ``order``."""

    def __init__(self, X, signs, batch_size, device):
        self.X = torch.from_numpy(X).to(device)
        self.signs = torch.from_numpy(signs.astype(np.float32)).to(device)
        self.batch_size = batch_size
        self.order = np.arange(len(signs))

    def __len__(self):
        return len(self.signs)

    def batches(self):
        """Yield arguments of the network, and signs."""
        order = torch.from_numpy(self.order).to(self.X.device)
        for rows in order.split(_BUCKET * self.batch_size):  # one copy for many batches
            inputs, signs = (
                values.index_select(0, rows).split(self.batch_size)
                for values in (self.X, self.signs)
            )
            yield from zip(zip(inputs), signs, strict=True)


class EncodedPairs(Pairs):
    """Numbers that join the encodings, in four parts of ``widths``, signs, and Texts to encode.

    ``by_length`` tells whether a batch should hold texts of similar length.
    """

    def __init__(self, X, signs, batch_size, device, texts, *, widths, by_length):
        super().__init__(X, signs, batch_size, device)
        self.widths = widths
        lengths = np.diff(texts.bounds)
        self.of_pair, self.tokens, self.begins, self.lengths = (
            torch.from_numpy(values).to(device)
            for values in (texts.of_pair, texts.tokens, texts.bounds[:-1], lengths)
        )
        self.longest = lengths[texts.of_pair].max(axis=1) if by_length else None

    def batches(self):
        """Yield arguments of the network, the words of the batch's distinct texts among them."""
        for rows in self._cut():
            distinct, texts = torch.unique(self.of_pair[rows], return_inverse=True)
            lengths = self.lengths[distinct]
            # Positions of the texts' words: 0, 1, … over all, shifted to where each text begins.
            ends = torch.cumsum(lengths, 0)
            at = torch.arange(int(ends[-1]), device=ends.device)
            at += torch.repeat_interleave(self.begins[distinct] - ends + lengths, lengths)
            numbers = self.X[rows].split(self.widths, dim=1)
            yield (numbers, self.tokens[at], lengths, texts), self.signs[rows]

    def _cut(self):
        """Return the rows of each batch."""
        if self.longest is None:
            return torch.from_numpy(self.order).to(self.X.device).split(self.batch_size)
        batches = []
        bucket = _BUCKET * self.batch_size
        for some in np.split(self.order, range(bucket, len(self.order), bucket)):
            by_length = some[np.argsort(self.longest[some], kind="stable")]
            batches += torch.from_numpy(by_length).split(self.batch_size)
        # The order is random, so batches in the order of their first row's place are shuffled.
        place = np.empty(len(self.order), dtype=np.int64)
        place[self.order] = np.arange(len(self.order))
        batches.sort(key=lambda rows: place[rows[0]])
        return [rows.to(self.X.device) for rows in batches]
