"""N-gram models in files, asked through kenlm."""

import hashlib
import os
from functools import lru_cache

import numpy as np

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.files import open_file
from sklearn_mteval._helpers.restored import refuse
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.linguistic.language_models.corpus import fits_arpa
from sklearn_mteval.text.tokens import TokenInterner

_BINARY = b"mmap lm http://kheafield.com/code"  # how kenlm's binary files begin


class FileModel:
    """An n-gram model in an ARPA or binary file, with the interface of ``NgramModel``.

    What is pickled or saved is path and hash, not the model; another file is refused.
    """

    def __init__(self, path: PathLike, *, tokenize: str = "13a", lowercase: bool = True):
        self.path = os.path.abspath(os.fspath(path))
        with open_file(self.path, zipped=True, lines=False) as file:
            binary = file.read(len(_BINARY)) == _BINARY
        with open_file(self.path, zipped=True, lines=not binary) as file:
            while not binary and file.read(1 << 20):  # within limits, which kenlm has not
                pass
        self.tokenize = tokenize
        self.lowercase = lowercase
        self.sha256 = _sha256(self.path)
        _open(self.path, self.sha256)

    @property
    def order(self) -> int:
        """Return the length of the longest n-grams."""
        return self._model().order

    def score(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Score texts as ``NgramModel.score`` does."""
        model = self._model()
        tokens = TokenInterner(self.tokenize, self.lowercase)
        sentences = [tokens(text) for text in texts]
        # kenlm reads a string up to NUL, and knows the markers.
        words = [word if fits_arpa(word) else "<unk>" for word in tokens.words]
        unknown = [word not in model for word in words]
        lines = (" ".join([words[k] for k in sentence]) for sentence in sentences)
        scores = np.array([model.score(line) for line in lines], dtype=float)
        if not np.isfinite(scores).all():
            problem = "the model holds numbers that are not finite. Estimate it again."
            raise DataFileError(self.path, problem)
        n_tokens = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
        n_unknown = [sum(unknown[k] for k in sentence) for sentence in sentences]
        return np.minimum(scores, 0.0), n_tokens, np.array(n_unknown, dtype=np.int64)

    def __setstate__(self, state):
        kinds = {"path": str, "tokenize": str, "lowercase": bool, "sha256": str}
        whole = type(state) is dict and state.keys() == kinds.keys()
        if not whole or not all(isinstance(state[name], kinds[name]) for name in kinds):
            refuse(self)
        self.__dict__.update(state)

    def _model(self):
        return _open(self.path, self.sha256)


def _sha256(path):
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataFileError(path, f"the file cannot be read ({error.strerror}).") from None


@lru_cache(maxsize=4)
def _open(path, sha256):
    """Open a model, if it is still the one that is meant."""
    hint = " (A corpus or an estimated model does without.)"
    kenlm = import_extra("kenlm", "lm", "A language model in a file", hint)
    found = _sha256(path)
    if found != sha256:
        raise DataFileError(
            path, f"this is not the language model of the fit (SHA-256 {found[:16]}… instead of "
            f"{sha256[:16]}…): put that back, or fit again.",
        )  # fmt: skip
    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    try:
        return kenlm.Model(os.fsencode(path), config)
    except (OSError, RuntimeError, MemoryError, UnicodeError) as error:
        raise DataFileError(
            path,
            "kenlm cannot read it as a language model; expected a complete ARPA file or a binary "
            f"file of its own version, of order 2 or more. It says: {error}",
        ) from None
