"""What transformers that align the tokens of two texts share: layers, and walking over pairs."""

from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from sklearn_mteval._helpers.devices import DTYPES
from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval._helpers.restored import is_count, is_list_of
from sklearn_mteval.features.base import work_on_pairs
from sklearn_mteval.features.embeddings._encoder_layers import check_layers
from sklearn_mteval.features.embeddings._encoding import (
    EncodingTransformer,
    as_references,
    context_of,
)

_BLOCK = 2048  # texts whose tokens are held in memory at once
_ROWS = 1024  # tokens whose cosines are held in memory at once
_MOST_LAYERS = 10_000


class TextSet(NamedTuple):
    """Hypotheses to be aligned with their references and, if ``competing``, with each other."""

    references: tuple
    hypotheses: list
    competing: bool = False


class TokenTransformer(EncodingTransformer):
    """Base of those that encode tokens and align them: ``columns``, ``layers`` and ``dtype``.

    ``_preparation()`` returns what makes of tokens what is held in memory, ``_compared()`` makes
    numbers of two of those, of which ``_decisive`` chooses the best of several references.
    """

    _kind = "tokens"
    _joined = False

    def _prefix(self):
        """Return what names of columns begin with, if it is not references that are aligned."""
        context = context_of(self.columns)
        return "" if context == "reference" else f"{context}_"

    def _check_encoder(self, texts):
        check_layers(self.layers)
        check_one_of("dtype", self.dtype, DTYPES)
        return super()._check_encoder(texts)

    def _choose_layers(self, model):
        self.layers_ = list(model.choose_layers(self.layers))
        self._set_layers(model)

    def _set_layers(self, model):
        model.layers, model.joined = tuple(self.layers_), self._joined

    def _fitted_model(self):
        model = super()._fitted_model()
        self._set_layers(model)
        return model

    def _is_whole(self):
        layers = self.layers_
        return (
            super()._is_whole()
            and is_list_of(int, layers, distinct=True)
            and all(is_count(n, 0, _MOST_LAYERS) for n in layers)
            and layers == sorted(layers)
            and self.dtype in DTYPES
            and bool(context_of(self.columns))
        )

    def _transform(self, X):
        return work_on_pairs(self._align, as_references(X, self.columns))

    def _align(self, sets):
        """Align the hypotheses of sets with what they are against, block by block."""
        model, prepare = self._fitted_model(), self._preparation()
        blocks = _blocks([TextSet(*texts) for texts in sets])
        last_use = {text: n for n, block in enumerate(blocks) for text in _texts(block)}
        held, widths, rows = {}, {}, []
        with self._step(len(last_use)) as step, threadpool_limits(self.n_threads, user_api="blas"):
            for n, block in enumerate(blocks):
                new = [text for text in _texts(block) if text not in held]
                for text, tokens in self._encode(new, model, step.advance).items():
                    held[text] = prepare(tokens)
                    if len(tokens):
                        widths[tokens.shape[1]] = text
                if len(widths) > 1:
                    raise ValueError(
                        f"model gives tokens of different numbers of dimensions: {widths}."
                    )
                for part in block:
                    rows.extend(self._rows(part, held))
                held = {text: tokens for text, tokens in held.items() if last_use[text] > n}
        return np.array(rows, dtype=np.float64).reshape(-1, len(self._output_names()))

    def _rows(self, part, held):
        """Align the hypotheses of a set with their references; the best of several counts."""
        return [
            max(
                (self._compared(held[hypothesis], held[text]) for text in part.references),
                key=lambda row: row[self._decisive],
            )
            for hypothesis in part.hypotheses
        ]


def _blocks(sets):
    """Cut a list of sets where their texts become many, also within one that does not compete."""
    blocks, size = [[]], 0
    for texts in sets:
        step = max(len(texts.hypotheses), 1) if texts.competing else _BLOCK
        for start in range(0, len(texts.hypotheses), step):
            part = texts._replace(hypotheses=texts.hypotheses[start : start + step])
            if size > _BLOCK:
                blocks.append([])
                size = 0
            blocks[-1].append(part)
            size += len(part.references) + len(part.hypotheses)
    return blocks


def _texts(block):
    """List the distinct texts of some sets."""
    return list({text: 0 for part in block for text in (*part.references, *part.hypotheses)})


def best_cosines(hypothesis, reference, position_penalty=0.0):
    """Return the highest cosine of each token, a unit row, with the other text, for both."""
    n, m = len(hypothesis), len(reference)
    of_hypothesis, of_reference = np.empty(n, np.float32), np.full(m, -np.inf, np.float32)
    for start in range(0, n, _ROWS):
        rows = slice(start, start + _ROWS)
        cosines = hypothesis[rows] @ reference.T
        if position_penalty:
            places = (np.arange(n)[rows] + 0.5) / n, (np.arange(m) + 0.5) / m
            cosines -= position_penalty * np.abs(np.subtract.outer(*places))
        of_hypothesis[rows] = cosines.max(axis=1)
        np.maximum(of_reference, cosines.max(axis=0), out=of_reference)
    return tuple(np.clip(best, -1 - position_penalty, 1) for best in (of_hypothesis, of_reference))
