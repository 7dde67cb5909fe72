"""Which words of a reference and a translation have no counterpart on the other side."""

import numpy as np

from sklearn_mteval.features.lexical._words import unit_vectors
from sklearn_mteval.text.tokens import TokenInterner

__all__ = ["unmatched_words"]

_SIMILAR = 0.5  # least cosine of words that are counterparts


def unmatched_words(reference, translation, vectors):
    """List words of a reference, and of a translation, that are like none of the other side.

    Each word has one counterpart at most: an equal one, in lower case, or else the most similar
    one, by ``vectors`` or, if they are None, by spelling. Words with digits are compared as they
    are, but points and commas are alike. Marks are left out.
    """
    tokens = TokenInterner("13a", lowercase=False)
    texts = [[tokens.words[k] for k in tokens(text)] for text in (reference, translation)]
    texts = [[word for word in text if any(map(str.isalnum, word))] for text in texts]
    ours, theirs = ([word.lower() for word in text] for text in texts)
    likeness = unit_vectors(ours, vectors)[0] @ unit_vectors(theirs, vectors)[0].T
    for side, words in enumerate((ours, theirs)):
        numbers = np.array([any(map(str.isdigit, word)) for word in words], dtype=bool)
        likeness[(slice(None), numbers) if side else numbers] = 0
    ours, theirs = ([word.replace(",", ".") for word in words] for words in (ours, theirs))
    likeness[np.equal.outer(np.array(ours, object), np.array(theirs, object)).astype(bool)] = 2
    for _ in range(min(likeness.shape)):
        at = np.unravel_index(likeness.argmax(), likeness.shape)
        if likeness[at] < _SIMILAR:
            break
        likeness[at[0]], likeness[:, at[1]] = -1, -1
        ours[at[0]] = theirs[at[1]] = None
    both = zip(texts, (ours, theirs), strict=True)
    return [[w for w, left in zip(*one, strict=True) if left is not None] for one in both]
