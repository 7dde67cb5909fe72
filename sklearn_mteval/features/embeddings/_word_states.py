"""What a reader's encoder holds of each word of a translation, and where the word stands."""

import re
import unicodedata
from typing import NamedTuple

import numpy as np

from sklearn_mteval._helpers.products import row_products
from sklearn_mteval._helpers.unspaced import UNSPACED_CHARACTERS
from sklearn_mteval.features.embeddings._encoder_models import unit_rows
from sklearn_mteval.features.embeddings._token_transformer import best_cosines

_DEPTHS = (1 / 2, 2 / 3, 5 / 6)  # of layers that compare tokens of texts, as the last one does
# A word, with what may stand within one (12,345.67; it's; well-known), or another character.
_INNER = f"[^\\W{UNSPACED_CHARACTERS}]+"
_WORD = re.compile(rf"{_INNER}(?:[.,:/'\u2019\-\u2010\u2011]{_INNER})*|\S")


class ReadWords(NamedTuple):
    """The words of a translation as they were read, and what the reader says of it."""

    ranges: np.ndarray  # (n_words, 2): characters, the end excluded
    states: np.ndarray  # (n_words, width): means of their tokens' states, float16
    columns: np.ndarray  # (n_words, n_columns), float32
    judged: np.ndarray  # (n_outputs,)

    def described(self):
        """Return what is known of each word, shape (n_words, n_inputs), float32."""
        return np.concatenate([self.states.astype(np.float32), self.columns], axis=1)


def group_tokens(text, tokens):
    """Group tokens, ranges of characters, into words: (start, end, first token, last token).

    A token is a word where a script parts none by spaces. White space belongs to no word, and marks
    that combine belong to the character before them.
    """
    word_at = np.full(len(text), -1)
    for number, found in enumerate(_WORD.finditer(text)):
        word_at[found.start() : found.end()] = number
    words = []
    for k, (start, end) in enumerate(tokens):
        start += len(text[start:end]) - len(text[start:end].lstrip())
        end = start + len(text[start:end].rstrip())
        if start == end:
            continue
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        if words and (start < words[-1][1] or word_at[start] == word_at[words[-1][1] - 1]):
            words[-1][1], words[-1][3] = max(end, words[-1][1]), k
        else:
            words.append([start, end, k, k])
    return words


class WordReader:
    """Reads translations with a trained network, and describes each of their words."""

    def __init__(self, network, reader):
        self.network, self.reader = network, reader
        self.last = reader.n_texts - 1
        self.judge_layers = network.hidden, network.output
        n_layers = network.encoder.config.num_hidden_layers
        self.layers = (*(int(n_layers * depth) for depth in _DEPTHS), -1)
        sides = reader.tokenizer("a").sequence_ids()
        self.n_after = sides[::-1].index(0)  # special tokens that a text ends with
        ((_, _, of_text),) = reader.encode([("a",) * reader.n_texts])
        self.n_before = int((of_text == self.last).sum()) - sides.count(0) - self.n_after
        self.special = reader.tokenizer.all_special_ids

    def read(self, readings, batch_size, advance=lambda n_texts: None):
        """Yield (position, ReadWords) of distinct readings, those of one length together."""
        encoded = self.reader.encode(readings)
        batches = self.network.read(self.reader, encoded, batch_size, advance, self.layers)
        for some, layers, seen in batches:
            layers = [states.cpu().numpy() for states in layers]
            judged, hidden = self.network.judged(seen)
            slopes = self._slopes(seen, hidden)
            for row, k in enumerate(some):
                ids, _, sides = encoded[k]
                states = [layer[row, : len(ids)] for layer in layers]
                words = self._words(readings[k], np.array(ids), sides, states)
                yield k, self._with_judgement(words, judged[row], slopes[row])

    def _slopes(self, seen, hidden):
        """Differentiate each output by the translation's mean: (n_readings, n_outputs, width)."""
        means = np.split(seen, 3 * self.last + 1, axis=1)
        *others, own = means[: self.last + 1]
        weight, out = (part.weight.detach().cpu().numpy() for part in self.judge_layers)
        found = []
        for of_output in out.astype(np.float64):
            by_part = np.split(
                row_products(of_output * (1 - hidden**2), weight), len(means), axis=1
            )
            slope = by_part[self.last]
            for k, other in enumerate(others):  # of |other - own| and other * own
                distance, product = by_part[self.last + 1 + 2 * k :][:2]
                slope = slope - np.sign(other - own) * distance + other * product
            found.append(slope)
        return np.stack(found, axis=1)

    def _words(self, texts, ids, sides, states):
        """Describe the words of a translation, the last of some texts."""
        own = np.flatnonzero(sides == self.last)[self.n_before :]
        own = own[own < len(ids) - self.n_after]
        text = texts[-1]
        offsets = self.reader.tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )["offset_mapping"][: len(own)]
        words = np.array(group_tokens(text, offsets), dtype=np.int64).reshape(-1, 4)
        plain = ~np.isin(ids, self.special)
        contexts = [np.flatnonzero((sides == k) & plain) for k in range(self.last)]
        units = [unit_rows(of_layer) for of_layer in states]

        def of_words(of_tokens):
            """Average over the tokens of each word."""
            sums = np.cumsum(np.insert(of_tokens, 0, 0, axis=0), axis=0, dtype=np.float64)
            sizes = (words[:, 3] - words[:, 2] + 1).reshape(-1, *[1] * (sums.ndim - 1))
            return (sums[words[:, 3] + 1] - sums[words[:, 2]]) / sizes

        columns = [_described(text, words)]
        for context, others in zip(contexts, texts[:-1], strict=True):
            found = [best_cosines(of[own], of[context]) if len(context) else None for of in units]
            for best in found:
                columns.append(of_words(np.zeros(len(own)) if best is None else best[0]))
            covered = [0.0 if best is None else best[1].mean() for best in found]
            columns += [np.full(len(words), value) for value in covered]
            folded = set(_WORD.findall(others.casefold()))
            columns.append([text[a:b].casefold() in folded for a, b, *_ in words])
            columns.append(np.full(len(words), np.log((1 + len(text)) / (1 + len(others)))))
        mean = states[-1][sides == self.last].mean(axis=0, dtype=np.float64)
        return words, of_words(states[-1][own]), mean, columns

    def _with_judgement(self, described, judged, slopes):
        words, states, mean, columns = described
        columns += [np.tile(judged, (len(words), 1)), row_products(states - mean, slopes.T)]
        return ReadWords(
            words[:, :2],
            states.astype(np.float16),
            np.column_stack(columns).astype(np.float32),
            judged,
        )


def _described(text, words):
    """Describe each word by itself: shape (n_words, 6)."""
    n = len(words)
    return np.array(
        [
            (
                last - first + 1, k / n, np.log(n), any(c.isdigit() for c in text[start:end]),
                not any(c.isalnum() for c in text[start:end]), text[start].isupper(),
            )
            for k, (start, end, first, last) in enumerate(words)
        ],
        dtype=np.float64,
    ).reshape(n, 6)  # fmt: skip
