"""What transformers that run a text encoder share: options, cache, progress."""

import hashlib
import os
import re
from contextlib import nullcontext, suppress
from pathlib import Path

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.options import check_boolean, check_integer
from sklearn_mteval._helpers.progress import working
from sklearn_mteval._helpers.restored import is_count
from sklearn_mteval.candidates import check_texts
from sklearn_mteval.features.embeddings._encoder_folders import find_folder
from sklearn_mteval.features.embeddings._encoder_models import CallableModel, FolderModel
from sklearn_mteval.text.record_cache import RecordCache
from sklearn_mteval.text.transformer import TextTransformer

_CONTEXTS = ("reference", "source")  # what a translation may be compared or read with
_WRITTEN_AT_ONCE = 256  # texts: what a kill loses
_SURROGATE = re.compile("[\ud800-\udfff]")


class OpensEncoder:
    """For estimators with an encoder's parameters: the model that these name."""

    def _open_model(self):
        """Return the model as something that encodes; checked to be the one of the fit."""
        if isinstance(self.encoder, str | os.PathLike):
            folder = find_folder(self.encoder, local_files_only=self.local_files_only)
            dtype = getattr(self, "dtype", "float32")
            return FolderModel(folder, self.device, self.n_threads, dtype)
        if hasattr(self.encoder, "encode"):
            raise ValueError(
                "encoder must be a folder, a name or a callable, found one that is loaded: give "
                "the folder it was loaded from."
            )
        if not callable(self.encoder):
            raise ValueError(
                f"encoder must be a folder, a name or a callable, found {self.encoder!r}."
            )
        if self.cache is not None and self.encoder_name is None:
            raise ValueError(
                "cache needs encoder_name for a callable: a name that tells its embeddings from "
                "others, to be changed whenever the callable changes."
            )
        return CallableModel(self.encoder, self.encoder_name)

    def _fitted_model(self):
        """Return the model, checked to be the one of the fit."""
        model = self._open_model()
        if model.fingerprint != self.fingerprint_:
            raise ValueError(
                f"encoder: {self.encoder!r} is not the model of the fit (fingerprint "
                f"{model.fingerprint} instead of {self.fingerprint_}): its embeddings would mean "
                "something else. Give the model of the fit, or fit again."
            )
        return model

    def _step(self, n_texts):
        return working("encoding", n_texts, "texts", shown=self.progress)


class EncodingTransformer(OpensEncoder, TextTransformer):
    """Base of transformers with an encoder's parameters; ``_kind``: "sentences" or "tokens"."""

    def _check_encoder(self, texts):
        """Check the options, remember which model it is, and encode one text to see that it can."""
        check_integer("batch_size", self.batch_size, minimum=1)
        if self.n_threads is not None:
            check_integer("n_threads", self.n_threads, minimum=1)
        if not isinstance(self.encoder_name, str | None) or self.encoder_name == "":
            raise ValueError(f"encoder_name must be None or a text, found {self.encoder_name!r}.")
        if self.cache is not None and not isinstance(self.cache, str | os.PathLike):
            raise ValueError(f"cache must be None or a folder, found {self.cache!r}.")
        check_boolean(local_files_only=self.local_files_only)
        model = self._open_model()
        self.fingerprint_ = model.fingerprint
        self._choose_layers(model)
        probe = next(iter(texts), "")
        return self._encode([probe], model)[probe]

    def _choose_layers(self, model):
        """Choose, in fit, what is taken of the model's layers: nothing to choose of sentences."""

    def _is_whole(self):
        return isinstance(self.fingerprint_, str | None) and is_count(self.batch_size, 1)

    def _encode(self, texts, model, advance=lambda n_texts: None):
        """Encode distinct texts (text → embedding), from the cache where they are there."""
        texts = {text: readable(text) for text in texts}
        wanted = list(dict.fromkeys(texts.values()))
        cached = self.cache is not None
        opened = EncodingCache(self.cache, self._kind, model.identity) if cached else nullcontext()
        with opened as cache:
            found = cache.get_many(wanted) if cached else {}
            missing = [text for text in wanted if text not in found]
            advance(len(texts) - len(missing))
            unwritten = {}
            for positions, arrays in model.encode(missing, self._kind, self.batch_size):
                new = dict(zip([missing[at] for at in positions], arrays, strict=True))
                found.update(new)
                if cached:
                    unwritten.update(new)
                if len(unwritten) >= _WRITTEN_AT_ONCE:
                    cache.put_many(unwritten)
                    unwritten.clear()
                advance(len(positions))
            if unwritten:
                cache.put_many(unwritten)
        return {text: found[clean] for text, clean in texts.items()}


def context_of(columns):
    """Name the column that stands next to "hypothesis" in an option ``columns``."""
    given = list(columns) if isinstance(columns, list | tuple) else []
    for context in _CONTEXTS:
        if given in (["hypothesis", context], [context, "hypothesis"]):
            return context
    raise ValueError(
        f"columns must be 'hypothesis' and either 'reference' or 'source', found {columns!r}."
    )


def as_references(X, columns):
    """Return a table whose column ``reference`` has what stands next to the translations."""
    context = context_of(columns)
    if context == "reference":
        return X
    # As objects: the type that pandas infers cannot hold lone surrogates.
    return X.assign(reference=pd.Series(check_texts(X, context), X.index, dtype=object))


def readable(text):
    """Replace lone surrogates, which are no characters, and which tokenisers refuse."""
    return _SURROGATE.sub("\ufffd", text)


_FORMAT = 3
_DTYPES = {"sentences": np.dtype("<f4"), "tokens": np.dtype("<f2")}
_WIDTH = 4  # bytes of a record that say how many dimensions there are


class EncodingCache(RecordCache):
    """Embeddings by text in a file of a folder: float32 of sentences, float16 of tokens."""

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
