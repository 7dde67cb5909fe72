"""Pair tables as one network reads them: their numbers, and their texts through its encoder."""

import json

import numpy as np

from sklearn_mteval.neural.encoders.texts import build_vocabulary, in_vocabulary
from sklearn_mteval.neural.pairwise.input_rows import assemble, read_numbers, read_texts


class TableReader:
    """Read pair tables by the roles of their columns and, for texts, EncoderOptions."""

    def __init__(self, roles, options, vocabulary=None):
        self.roles, self.options, self.vocabulary = roles, options, vocabulary
        self.encoder = None
        self._learnt = None, None  # the training table and its texts, not to be read twice

    @property
    def layout(self):
        """InputLayout of the rows."""
        return self.roles.layout(0 if self.encoder is None else self.encoder.n_outputs)

    @property
    def n_trained(self):
        """Numbers of the encoder that are trained."""
        return 0 if self.encoder is None else sum(p.numel() for p in self.encoder.parameters())

    @property
    def fixed(self):
        """Tell whether training leaves the rows as they are: nothing in the encoder is trained."""
        return self.n_trained == 0

    def learn_words(self, X, rng):
        """Choose the vocabulary; return word vectors to start from."""
        texts, words = read_texts(X, self.roles, self.options.lowercase)
        vocabulary, initial = build_vocabulary(self.options, texts, words, rng)
        self.vocabulary = json.dumps(vocabulary)
        self._learnt = X, in_vocabulary(texts, words, vocabulary)
        return initial

    def build_encoder(self, tensors, seed=0):
        """Build the encoder of weights ``encoder.…``; ValueError if they do not fit."""
        import torch

        from sklearn_mteval.neural.encoders.word_encoder import WordEncoder, body_shapes

        own = {
            name.removeprefix("encoder."): torch.from_numpy(values)
            for name, values in tensors.items()
            if name.startswith("encoder.")
        }
        n_words = 1 + len(json.loads(self.vocabulary))
        if "initial" not in own or own["initial"].ndim != 2 or len(own["initial"]) != n_words:
            raise ValueError("The word vectors do not fit the vocabulary.")
        if own.keys() != {"initial"}:  # before memory is taken for them
            shapes = body_shapes(own["initial"].shape[1], self.options)
            if any(name not in own or tuple(own[name].shape) != shapes[name] for name in shapes):
                raise ValueError("The encoder's weights do not fit its options.")
        self.encoder = WordEncoder(own["initial"], self.options, np.random.RandomState(seed))
        if own.keys() == {"initial"} and not self.fixed:
            return  # a fresh start
        try:
            self.encoder.load_state_dict(own)
        except RuntimeError as error:
            raise ValueError(f"The encoder's weights do not fit it: {error}") from None

    def read(self, X, dtype=np.float32):
        """Read the numbers of a table, (n_pairs, n_numbers), and its Texts or None."""
        numbers = read_numbers(X, self.roles, dtype)
        if self.options is None:
            return numbers, None
        if self._learnt[0] is X:
            return numbers, self._learnt[1]
        texts, words = read_texts(X, self.roles, self.options.lowercase)
        return numbers, in_vocabulary(texts, words, json.loads(self.vocabulary))

    def rows(self, numbers, texts):
        """Make input rows, (n_pairs, n_inputs), encoding texts with the present weights."""
        if texts is None:
            return numbers
        from sklearn_mteval.neural.encoders.word_encoder import encode_texts

        return assemble(numbers, self.roles, texts.of_pair, encode_texts(self.encoder, texts))
