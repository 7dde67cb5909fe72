"""An n-gram model in arrays: its query, what makes that safe on saved arrays, its ARPA file."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from sklearn_mteval._helpers.atomic import write_atomically
from sklearn_mteval._helpers.restored import is_array, is_count, is_list_of, refuse, refusing
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.linguistic.language_models.corpus import MARKERS
from sklearn_mteval.text.tokens import TokenInterner, flatten

_BLOCK = 1 << 16  # n-grams written at a time


@dataclass(kw_only=True, eq=False, repr=False)
class NgramModel:
    """An n-gram back-off model, as :func:`estimate` makes it, a trie in arrays.

    An n-gram is a node; nodes are numbered order by order, words first, and within an order by
    their words' numbers. Inner nodes are those of all orders but the longest.
    """

    words: list  # the vocabulary, <unk>, <s> and </s> first
    sizes: list  # n-grams of each order
    log_probability: np.ndarray  # (n_nodes,), float32: log10, of the last word after the others
    back_off: np.ndarray  # (n_inner_nodes,), float32: log10, where a word did not follow
    next_words: np.ndarray  # (n_nodes - n_words,), int32: the last word of each longer n-gram
    suffixes: np.ndarray  # (n_nodes - n_words,), int32: the node that it is less its first word
    first_children: np.ndarray  # (n_inner_nodes + 1,), int32: the first node a word longer; the end
    discounts: np.ndarray  # (order, 3): taken from counts of 1, 2, and 3 or more
    fallback_orders: list  # whose discounts could not be estimated
    tokenize: str  # the sacreBLEU tokeniser of the corpus, used for texts too
    lowercase: bool  # whether texts are lowercased, as the corpus was

    @property
    def order(self) -> int:
        """Return the length of the longest n-grams."""
        return len(self.sizes)

    def score(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return, of each text as a sentence, log10 of its probability, tokens, unknown tokens.

        The probability is that of the words and the sentence's end after its beginning. Words that
        stand for markers (``<s>``, ``</s>``, ``<unk>``) are unknown.
        """
        tokens = TokenInterner(self.tokenize, self.lowercase)
        flat, bounds, scores, _ = self._scored(tokens, texts)
        n_tokens = np.diff(bounds)
        sentence = np.repeat(np.arange(len(n_tokens)), n_tokens + 1)
        total = np.bincount(sentence, weights=scores, minlength=len(n_tokens))
        unknown = np.concatenate([[0], np.cumsum(flat == 0)])
        return np.minimum(total, 0.0), n_tokens, np.diff(unknown[bounds])

    def word_scores(self, text: str) -> list[tuple[str, float, int]]:
        """List each token, then ``</s>``, with its log10 and the length of the n-gram found."""
        tokens = TokenInterner(self.tokenize, self.lowercase)
        *_, scores, nodes = self._scored(tokens, [text])
        lengths = 1 + np.searchsorted(np.cumsum(self.sizes), nodes, side="right")
        words = tokens.words
        shown = [*(words[k] for k in tokens(text)), MARKERS[2]]
        return list(zip(shown, scores.tolist(), lengths.tolist(), strict=True))

    def _scored(self, tokens, texts):
        """Return words' numbers, 0 for unknown ones, bounds of sentences, scores and nodes."""
        from sklearn_mteval.linguistic.language_models._query import score_tokens

        flat, bounds = flatten([tokens(text) for text in texts])
        numbers = np.array([self._ids.get(word, 0) for word in tokens.words], dtype=np.int64)
        flat = numbers[flat]
        trie = self.log_probability, self.back_off, self.next_words, self.suffixes
        scored = score_tokens(flat, bounds, *trie, self.first_children, len(self.words))
        return flat, bounds, *scored

    @cached_property
    def _ids(self):
        n = len(MARKERS)  # a text's <s> is an unknown word
        return dict(zip(self.words[n:], range(n, len(self.words)), strict=True))

    def __deepcopy__(self, memo):
        return self  # never changed, and large: scikit-learn's clone need not copy it

    def __getstate__(self):
        # One string instead of a million; words hold no line feed. The dictionary is made anew.
        state = {name: value for name, value in self.__dict__.items() if name != "_ids"}
        return {**state, "words": "\n".join(self.words)}

    def __setstate__(self, state):
        with refusing(self):
            # Nothing else: among it could be the dictionary, or a method.
            whole = state.keys() == self.__dataclass_fields__.keys()
            self.__dict__.update(state, words=state["words"].split("\n"))
            whole = whole and _is_model(self)
        if not whole:
            refuse(self)


def _is_model(model):
    """Tell whether the parts of an ``NgramModel`` fit together."""
    words, sizes = model.words, model.sizes
    if not (is_list_of(int, sizes) and sizes and all(is_count(n, high=2**31) for n in sizes)):
        return False
    n_words, n_nodes, n_inner = sizes[0], sum(sizes), sum(sizes[:-1])
    return (
        tuple(words[:3]) == MARKERS
        and len(words) == len(set(words)) == n_words
        and is_array(model.discounts, (len(sizes), 3), low=0)
        and is_list_of(int, model.fallback_orders)
        and isinstance(model.tokenize, str)
        and isinstance(model.lowercase, bool)
        and is_array(model.log_probability, (n_nodes,), np.float32, high=0)
        and is_array(model.back_off, (n_inner,), np.float32, high=0)
        and is_array(model.next_words, (n_nodes - n_words,), np.int32, low=0, high=n_words - 1)
        and _are_suffixes(model.suffixes, sizes)
        and _are_children(model.first_children, model.next_words, sizes)
    )


def _are_suffixes(suffixes, sizes):
    """Tell whether each n-gram's suffix is of one order less: following them comes to an end."""
    starts = np.cumsum([0, *sizes])  # of the orders' nodes
    if not is_array(suffixes, (starts[-1] - sizes[0],), np.int32):
        return False
    parts = np.split(suffixes, starts[2:-1] - sizes[0])
    return all(
        is_array(part, part.shape, np.int32, low=low, high=end - 1)
        for part, (low, end) in zip(parts, pairwise(starts), strict=False)
    )


def _are_children(first_children, next_words, sizes):
    """Tell whether the children of all n-grams are those of the next order, words ascending."""
    starts = np.cumsum([0, *sizes])
    n_inner = starts[-2]
    if not is_array(first_children, (n_inner + 1,), np.int32, low=sizes[0], high=starts[-1]):
        return False
    ascends = np.ones(len(next_words) + 1, dtype=bool)  # as the binary search needs
    np.greater(next_words[1:], next_words[:-1], out=ascends[1:-1])
    ascends[first_children - sizes[0]] = True  # others' children begin
    # The first n-gram of an order begins with the first that is a word shorter.
    return bool(
        (first_children[starts[:-1]] == starts[1:]).all()
        and (first_children[1:] >= first_children[:-1]).all()
        and ascends.all()
    )


def write_arpa(language_model: NgramModel, path: PathLike) -> None:
    r"""Write a model as an ARPA file, which kenlm, SRILM and others read.

    Numbers are written so that they read back as the same 32-bit numbers.

    Parameters
    ----------
    language_model : NgramModel
        As of :func:`estimate`.
    path : path-like
        The file, replaced at once when all is written.

    Raises
    ------
    OSError
        If it cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn_mteval.text import estimate, write_arpa
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "cat.arpa")
    ...     write_arpa(estimate(["the cat"], order=1), file)
    ...     print(file.read_text().expandtabs().strip())
    \data\
    ngram 1=5
    <BLANKLINE>
    \1-grams:
    -0.90309        <unk>
    0       <s>
    -0.535113215    </s>
    -0.535113215    the
    -0.535113215    cat
    <BLANKLINE>
    \end\
    """
    write_atomically(path, _pieces(language_model))


def _pieces(model):
    """Yield the file, piece by piece."""
    sizes = "\n".join(f"ngram {n}={size}" for n, size in enumerate(model.sizes, start=1))
    yield f"\\data\\\n{sizes}\n".encode()
    words = np.array(model.words, dtype=object)
    starts = np.concatenate([[0], np.cumsum(model.sizes)])
    for n in range(1, model.order + 1):
        yield f"\n\\{n}-grams:\n".encode()
        for start in range(starts[n - 1], starts[n], _BLOCK):
            nodes = np.arange(start, min(start + _BLOCK, starts[n]))
            of_place = []
            prefix = nodes
            for _ in range(n - 1):  # from the last word to the second
                of_place.append(words[model.next_words[prefix - len(words)]])
                # Children follow each other in their parents' order, so that the parent of a node
                # is the last whose first child does not come after it.
                prefix = np.searchsorted(model.first_children, prefix, side="right") - 1
            of_place.append(words[prefix])
            ngrams = map(" ".join, zip(*of_place[::-1], strict=True))
            columns = [map("%.9g".__mod__, model.log_probability[nodes].tolist()), ngrams]
            if n < model.order:
                columns.append(map("%.9g".__mod__, model.back_off[nodes].tolist()))
            yield ("\n".join(map("\t".join, zip(*columns, strict=True))) + "\n").encode()
    yield b"\n\\end\\\n"
