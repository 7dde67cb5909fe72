"""N-gram models as ARPA files."""

import numpy as np

from sklearn_mteval._helpers.atomic import write_atomically
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.linguistic.language_models.model import NgramModel

_BLOCK = 1 << 16  # n-grams written at a time


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
            lines = map("\t".join, zip(*columns, strict=True))
            yield ("\n".join(lines) + "\n").encode()
    yield b"\n\\end\\\n"
