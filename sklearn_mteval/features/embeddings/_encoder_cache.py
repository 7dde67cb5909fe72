"""Embeddings kept on disk: one file for each model and kind of embedding."""

import hashlib
from contextlib import suppress
from pathlib import Path

import numpy as np

from sklearn_mteval.text.record_cache import RecordCache

_FORMAT = 3
_DTYPES = {"sentences": np.dtype("<f4"), "tokens": np.dtype("<f2")}
_WIDTH = 4  # bytes of a record that say how many dimensions there are


class EncodingCache(RecordCache):
    """Embeddings by text in a file of a folder: of sentences float32, of tokens float16 matrices.

    ``kind`` is "sentences" or "tokens", ``identity`` what they depend on besides the text. All
    methods raise ValueError if the file cannot be used.
    """

    def __init__(self, folder, kind, identity):
        identity = f"{_FORMAT}\0{kind}\0{identity}\0"
        digest = hashlib.sha256(identity.encode()).hexdigest()
        super().__init__(Path(folder) / f"{kind}-{digest[:16]}.sqlite3", identity)
        self.kind = kind

    def get_many(self, texts):
        """Read those that are there: text → shape (n_dimensions,) or (n_tokens, n_dimensions)."""
        found = {}
        for text in texts:
            record = self.get(text)
            with suppress(ValueError):  # not as it was written: computed anew
                if record is not None:
                    found[text] = self._array(record)
        return found

    def _array(self, record):
        """Read the array of a record; ValueError if it is none, or its numbers are not finite."""
        array = np.frombuffer(record, dtype=_DTYPES[self.kind], offset=_WIDTH)
        width = int.from_bytes(record[:_WIDTH], "little")
        if width < 1 or len(array) % width or not np.isfinite(array).all():
            raise ValueError("damaged")
        return array if self.kind == "sentences" else array.reshape(-1, width)

    def put_many(self, embeddings):
        """Write embeddings, all or none of them."""
        records = {}
        for text, array in embeddings.items():
            numbers = np.ascontiguousarray(array, dtype=_DTYPES[self.kind]).tobytes()
            records[text] = array.shape[-1].to_bytes(_WIDTH, "little") + numbers
        self.put(records)
