"""Sentence encoders that are trained with the network (2017 paper, sections 5.6 and 5.7)."""

import torch
from torch import nn
from torch.nn.functional import embedding, max_pool1d
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

__all__ = ["WordEncoder"]


class WordEncoder(nn.Module):
    """Word vectors, then their average, a convolution or an LSTM.

    Vectors are stored as the initial matrix plus a trained change, so that the distance from
    the start, which moderate fine-tuning penalises, is the size of the change. Penalties
    are those of the words of the batch, so that a step costs no more with a large vocabulary.

    Parameters
    ----------
    initial : Tensor of shape (n_words, n_dimensions)
        Where word vectors start; row 0 stands for unknown words.
    kind : {"average", "cnn", "lstm", "bilstm"}
        What makes one vector of a text's words.
    trained : bool
        Whether word vectors are fine-tuned.
    n_units : int
        Filters, or LSTM units of each direction.
    window, pool : int
        Words that a filter sees; positions that each maximum is taken over.
    dropout : float
        Share of word-vector entries and of outputs that are dropped in training.
    rng : RandomState
        Draws the start of filters and gates, and seeds dropout.
    """

    def __init__(self, initial, kind, *, trained, n_units, window, pool, dropout, rng):
        super().__init__()
        self.kind, self.window, self.pool = kind, window, pool
        self.register_buffer("initial", initial)
        self.change = nn.Parameter(torch.zeros_like(initial)) if trained else None
        self.dropout, self._seed, self._generator = dropout, int(rng.randint(2**31)), None
        n_dimensions = initial.shape[1]
        self.n_outputs = n_dimensions if kind == "average" else n_units * (1 + (kind == "bilstm"))
        # On "meta" nothing is drawn, so that torch's own random numbers stay as they are.
        options = {"dtype": initial.dtype, "device": "meta"}
        if kind == "cnn":
            # Wide: filters also reach over both ends of the sentence.
            wide = {"padding": window - 1, **options}
            body = nn.Conv1d(n_dimensions, n_units, window, **wide)
        elif kind != "average":
            options |= {"batch_first": True, "bidirectional": kind == "bilstm"}
            body = nn.LSTM(n_dimensions, n_units, **options)
        if kind != "average":  # uniform, as torch would draw them
            self.body = body.to_empty(device=initial.device)
            bound = (n_dimensions * window if kind == "cnn" else n_units) ** -0.5
            with torch.no_grad():
                for parameter in self.body.parameters():
                    drawn = rng.uniform(-bound, bound, tuple(parameter.shape))
                    parameter.copy_(torch.from_numpy(drawn))

    def forward(self, tokens, lengths):
        """Encode texts.

        Parameters
        ----------
        tokens : Tensor of shape (n_tokens,), int64
            Word ids of all texts, one after another.
        lengths : Tensor of shape (n_texts,), int64
            Words of each text.

        Returns
        -------
        Tensor of shape (n_texts, n_outputs)
            One row per text; zeros for a text without words.
        """
        words, of_token = torch.unique(tokens, return_inverse=True)
        rows = self.initial[words]
        self.rows, self.changes = rows, None
        if self.change is not None:
            self.changes = embedding(words, self.change, sparse=True)
            self.rows = rows = rows + self.changes
        vectors = self._drop(rows[of_token])
        if not len(tokens):
            return vectors.new_zeros(len(lengths), self.n_outputs)
        encode = {"average": self._average, "cnn": self._convolve}.get(self.kind, self._recur)
        encoded = encode(vectors, lengths)
        return self._drop(encoded).masked_fill((lengths == 0).unsqueeze(1), 0.0)

    def penalty(self, l2, distance):
        """Compute the penalty on the word vectors of the last batch.

        Parameters
        ----------
        l2 : float
            Weight of the vectors' squares, halved (full fine-tuning).
        distance : float
            Weight of the squared distance from the start, halved (moderate fine-tuning).

        Returns
        -------
        Tensor of shape () or float
            Zero for frozen vectors.
        """
        if self.changes is None:
            return 0.0
        return 0.5 * (l2 * self.rows.square().sum() + distance * self.changes.square().sum())

    def _drop(self, values):
        """Drop entries in training, and scale the others up."""
        if not (self.training and self.dropout):
            return values
        if self._generator is None:
            self._generator = torch.Generator(values.device).manual_seed(self._seed)
        like = {"dtype": values.dtype, "device": values.device}
        drawn = torch.rand(values.shape, generator=self._generator, **like)
        return values * (drawn >= self.dropout) / (1 - self.dropout)

    def _average(self, vectors, lengths):
        """Divide the sum of a text's word vectors by their number."""
        of_text = torch.repeat_interleave(lengths)
        sums = vectors.new_zeros(len(lengths), vectors.shape[1]).index_add(0, of_text, vectors)
        return sums / lengths.clamp(min=1).unsqueeze(1)

    def _convolve(self, vectors, lengths):
        """Average the maxima of windows of a wide convolution.

        The paper keeps every window's maximum, of sentences that are padded to one length;
        their mean fits sentences of any length. A window as long as the sentence is Kim's
        max-over-time pooling.
        """
        padded = pad_sequence(vectors.split(lengths.tolist()), batch_first=True)
        features = torch.tanh(self.body(padded.transpose(1, 2)))
        n_positions = lengths + self.window - 1
        beyond = torch.arange(features.shape[2], device=lengths.device) >= n_positions[:, None]
        features = features.masked_fill(beyond.unsqueeze(1), float("-inf"))
        maxima = max_pool1d(features, self.pool, ceil_mode=True)
        maxima = maxima.masked_fill(maxima == float("-inf"), 0.0)
        n_windows = torch.ceil(n_positions / self.pool).clamp(min=1)
        return maxima.sum(dim=2) / n_windows.unsqueeze(1).to(maxima.dtype)

    def _recur(self, vectors, lengths):
        """Take the LSTM's last state, of each direction; its gates are sigmoids.

        The paper's, of the Theano of its time, are "hard" sigmoids, made of straight lines.
        """
        padded = pad_sequence(vectors.split(lengths.tolist()), batch_first=True)
        at_least_one = lengths.clamp(min=1).cpu()
        packed = pack_padded_sequence(padded, at_least_one, batch_first=True, enforce_sorted=False)
        _, (last, _) = self.body(packed)
        return torch.cat(tuple(last), dim=1)
