"""Sentence encoders that are trained with a network (2017 paper, sections 5.6 and 5.7).

An entry of ``ENCODERS`` makes one vector of each text's word vectors. Imported on first use.
"""

from functools import partial

import numpy as np
import torch
from torch import nn
from torch.nn.functional import embedding, max_pool1d
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

from sklearn_mteval.neural.encoders.options import trains_vectors


class _Average(nn.Module):
    """Divide the sum of a text's word vectors by their number."""

    pads, bound = False, 0.0

    def __init__(self, n_dimensions, options, **factory):
        super().__init__()
        self.n_outputs = n_dimensions

    def forward(self, vectors, lengths):
        of_text = torch.repeat_interleave(lengths)
        sums = vectors.new_zeros(len(lengths), vectors.shape[1]).index_add(0, of_text, vectors)
        return sums / lengths.clamp(min=1).unsqueeze(1)


class _Convolution(nn.Conv1d):
    """Average the maxima of windows of a wide convolution, which the paper keeps apart."""

    pads = True

    def __init__(self, n_dimensions, options, **factory):
        # Wide: filters also reach over both ends of the sentence.
        wide = {"padding": options.window - 1, **factory}
        super().__init__(n_dimensions, options.n_units, options.window, **wide)
        self.window, self.pool = options.window, options.pool
        self.n_outputs = options.n_units
        self.bound = (n_dimensions * options.window) ** -0.5

    def forward(self, vectors, lengths):
        padded = pad_sequence(vectors.split(lengths.tolist()), batch_first=True)
        features = torch.tanh(super().forward(padded.transpose(1, 2)))
        n_positions = lengths + self.window - 1
        beyond = torch.arange(features.shape[2], device=lengths.device) >= n_positions[:, None]
        features = features.masked_fill(beyond.unsqueeze(1), float("-inf"))
        # One window over all of it is the same, and torch needs time for what is beyond.
        maxima = max_pool1d(features, min(self.pool, features.shape[2]), ceil_mode=True)
        maxima = maxima.masked_fill(maxima == float("-inf"), 0.0)
        n_windows = torch.ceil(n_positions / self.pool).clamp(min=1)
        return maxima.sum(dim=2) / n_windows.unsqueeze(1).to(maxima.dtype)


class _LSTM(nn.LSTM):
    """Take the LSTM's last state, of each direction; the paper's gates were "hard" sigmoids."""

    pads = True

    def __init__(self, n_dimensions, options, *, bidirectional=False, **factory):
        batched = {"batch_first": True, "bidirectional": bidirectional}
        super().__init__(n_dimensions, options.n_units, **batched, **factory)
        self.n_outputs = options.n_units * (1 + bidirectional)
        self.bound = options.n_units**-0.5

    def forward(self, vectors, lengths):
        padded = pad_sequence(vectors.split(lengths.tolist()), batch_first=True)
        at_least_one = lengths.clamp(min=1).cpu()
        packed = pack_padded_sequence(padded, at_least_one, batch_first=True, enforce_sorted=False)
        _, (last, _) = super().forward(packed)
        return torch.cat(tuple(last), dim=1)


ENCODERS = {
    "average": _Average,
    "cnn": _Convolution,
    "lstm": _LSTM,
    "bilstm": partial(_LSTM, bidirectional=True),
}


class WordEncoder(nn.Module):
    """Word vectors from ``initial``, dropout, and the encoder that EncoderOptions names."""

    # Vectors are the initial matrix plus a trained change, so that the distance from the start,
    # which moderate fine-tuning penalises, is the size of the change, and its gradient is sparse.

    def __init__(self, initial, options, rng):
        super().__init__()
        self.register_buffer("initial", initial)
        trained = trains_vectors(options)
        self.change = nn.Parameter(torch.zeros_like(initial)) if trained else None
        self.dropout, self._generator = options.dropout, None
        self._seed = int(rng.randint(2**31))
        # On "meta" nothing is drawn, so that torch's own random numbers stay as they are.
        factory = {"dtype": initial.dtype, "device": "meta"}
        body = ENCODERS[options.kind](initial.shape[1], options, **factory)
        self.body = body.to_empty(device=initial.device)
        self.n_outputs, self.pads = body.n_outputs, body.pads
        with torch.no_grad():
            for parameter in self.body.parameters():  # uniform, as torch would draw them
                start = rng.uniform(-body.bound, body.bound, tuple(parameter.shape))
                parameter.copy_(torch.from_numpy(start))

    def forward(self, tokens, lengths):
        """Encode texts, whose word ids stand in a row: (n_texts, n_outputs), zeros of no words."""
        words, of_token = torch.unique(tokens, return_inverse=True)
        rows = self.initial[words]
        self.rows, self.changes = rows, None
        if self.change is not None:
            self.changes = embedding(words, self.change, sparse=True)
            self.rows = rows = rows + self.changes
        vectors = self._drop(rows[of_token])
        if not len(tokens):
            return vectors.new_zeros(len(lengths), self.n_outputs)
        encoded = self.body(vectors, lengths)
        return self._drop(encoded).masked_fill((lengths == 0).unsqueeze(1), 0.0)

    def penalty(self, l2, distance):
        """Penalise squares of the last batch's vectors (l2) and of their changes, both halved."""
        if self.changes is None:
            return 0.0
        # Of the batch: a step costs no more with a large vocabulary.
        return 0.5 * (l2 * self.rows.square().sum() + distance * self.changes.square().sum())

    def _drop(self, values):
        """Drop entries in training, and scale the others up."""
        if not (self.training and self.dropout):
            return values
        if self._generator is None:
            self._generator = torch.Generator(values.device).manual_seed(self._seed)
        like = {"dtype": values.dtype, "device": values.device}
        kept = torch.rand(values.shape, generator=self._generator, **like) >= self.dropout
        return values * kept / (1 - self.dropout)


def body_shapes(n_dimensions, options):
    """Return the shapes of an encoder's weights, by name, without making them."""
    body = ENCODERS[options.kind](n_dimensions, options, device="meta")
    return {f"body.{name}": tuple(values.shape) for name, values in body.state_dict().items()}


def encode_texts(encoder, texts, *, batch_size=256):
    """Encode every distinct text once, float32 of shape (n_texts, n_outputs)."""
    lengths = np.diff(texts.bounds)
    encoded = np.zeros((len(lengths), encoder.n_outputs), dtype=np.float32)
    device = encoder.initial.device
    encoder.eval()
    by_length = np.argsort(lengths, kind="stable")  # so that a batch pads little
    with torch.no_grad():
        for rows in np.split(by_length, range(batch_size, len(lengths), batch_size)):
            tokens = [texts.tokens[texts.bounds[row] : texts.bounds[row + 1]] for row in rows]
            vectors = encoder(
                torch.from_numpy(np.concatenate(tokens)).to(device),
                torch.from_numpy(lengths[rows]).to(device),
            )
            encoded[rows] = vectors.cpu().numpy()
    return encoded
