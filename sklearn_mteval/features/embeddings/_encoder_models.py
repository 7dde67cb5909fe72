"""Running text encoders: a sentence-transformers model folder, or any callable.

On a processor, sums within a matrix product depend on the *shape* of the product: the same
text in other company gets embeddings that differ in the last bits. Batches have therefore one
shape for each length: texts are padded to a multiple of 8 tokens (not at all by a tokeniser that
pads on the left), and the last batch of each length is filled up with copies of a text. What a
text gets is then a matter of the text alone.
"""

from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import version
from threading import Lock

import numpy as np

from sklearn_mteval.features.embeddings._encoder_folders import folder_fingerprint, import_extra

__all__ = ["CallableModel", "FolderModel"]

_LENGTH_STEP = 8  # tokens
_LIBRARIES = ("sentence-transformers", "transformers", "tokenizers", "torch")
_ONE_AT_A_TIME = Lock()  # tokenisers cannot be shared between threads


class CallableModel:
    """A function of n texts as an encoder; ``name`` tells it from others in a cache."""

    def __init__(self, function, name):
        self.function, self.fingerprint = function, name
        self.identity = f"callable {name}"

    def encode(self, texts, kind, batch_size):
        """Yield (positions in ``texts``, their float arrays) in batches, the longest last.

        Of kind "sentences" their shape is (n_dimensions,), of "tokens" (n_tokens, n_dimensions).
        """
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        for start in range(0, len(order), batch_size):
            positions = order[start : start + batch_size]
            batch = [texts[at] for at in positions]
            arrays = self._check(self.function(list(batch)), len(batch), kind)
            yield positions, _finished(arrays, batch, kind)

    def _check(self, found, n, kind):
        n_axes, expected = {
            "sentences": (1, f"an array of shape ({n}, n_dimensions)"),
            "tokens": (2, f"{n} arrays of shape (n_tokens, n_dimensions)"),
        }[kind]
        try:
            arrays = [_copy(row) for row in found]
        except (TypeError, ValueError, RuntimeError) as error:  # torch's are RuntimeErrors
            arrays, found = [], f"{type(found).__name__} ({error})"
        else:
            found = f"{len(arrays)} of shape {arrays[0].shape if arrays else ()}"
            if kind == "tokens":  # a text without tokens, as numpy makes it of an empty list
                arrays = [a if a.size else np.empty((0, 1), dtype=np.float32) for a in arrays]
        if len(arrays) != n or any(a.ndim != n_axes or not a.shape[-1] for a in arrays):
            raise ValueError(
                f"model, a callable, must turn {n} texts into {expected}; found {found}."
            )
        return arrays


def _copy(row):
    """Copy numbers, because a function may fill the same array every time."""
    row = np.asarray(row)
    if row.size and row.dtype.kind not in "biuf":
        raise TypeError(f"expected numbers, not {row.dtype}")
    with np.errstate(over="ignore"):  # infinity is reported when all is checked
        return np.array(row, dtype=np.float32)


class FolderModel:
    """A model that sentence-transformers loads; loaded on first use, once a process.

    ``n_threads`` are torch's; None leaves its own setting.
    """

    def __init__(self, folder, device, n_threads):
        self.folder, self.device, self.n_threads = folder, device, n_threads
        self.fingerprint = folder_fingerprint(folder)

    @property
    def identity(self):
        """All that the output depends on but for rounding: fingerprint and libraries."""
        versions = [f"{name}={import_extra(name, version)}" for name in _LIBRARIES]
        return " ".join([self.fingerprint, *versions])

    def encode(self, texts, kind, batch_size):
        """Yield as :meth:`CallableModel.encode`, in batches of one shape for each length."""
        if not texts:
            return
        model = _load(self.folder, self.fingerprint, self.device)
        with _ONE_AT_A_TIME:
            lengths = _padded_lengths(model, texts)
        by_length = {}
        for at in sorted(range(len(texts)), key=lambda at: len(texts[at])):
            by_length.setdefault(lengths[at], []).append(at)
        for length, group in sorted(by_length.items()):
            for start in range(0, len(group), batch_size):
                positions = group[start : start + batch_size]
                batch = [texts[at] for at in positions]
                batch += batch[-1:] * (batch_size - len(batch))
                with _ONE_AT_A_TIME, _threads(self.n_threads):
                    found = _run(model, batch, length)[: len(positions)]
                    arrays = [_array(model, item, kind) for item in found]
                yield positions, _finished(arrays, batch, kind)


@lru_cache(maxsize=2)
def _load(folder, fingerprint, device):
    """Load a model; the fingerprint is part of the key, so that a changed one is loaded anew."""
    library = import_extra("sentence_transformers")
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        return library.SentenceTransformer(str(folder), device=device, local_files_only=True)
    except Exception as error:  # whatever damaged or foreign files make the libraries raise
        raise ValueError(
            f"model: sentence-transformers cannot load {folder} on device {device!r}: {error}"
        ) from error
    finally:
        if shown:
            logging.enable_progress_bar()


def _padded_lengths(model, texts):
    """Return the tokens of each text, rounded up to what it is padded to; 0: not padded."""
    prompt = model.prompts.get(model.default_prompt_name)
    longest = model.max_seq_length or np.inf
    lengths = []
    for start in range(0, len(texts), 256):
        features = model.preprocess(texts[start : start + 256], prompt=prompt)
        if "attention_mask" not in features:  # bags of static vectors
            return [0] * len(texts)
        lengths += features["attention_mask"].sum(dim=1).tolist()
    # Padding on the left moves the text itself, which some models take for another place.
    step = 1 if model.tokenizer.padding_side == "left" else _LENGTH_STEP
    # A text may have no token at all, but models cannot read nothing.
    return [int(min(-(-max(n, 1) // step) * step, longest)) for n in lengths]


def _run(model, batch, length):
    """Return what the model makes of each text: a dict of tensors."""
    options = {}
    if length:
        options["processing_kwargs"] = {"text": {"padding": "max_length", "max_length": length}}
    return model.encode(
        batch, batch_size=len(batch), output_value=None, show_progress_bar=False, **options
    )


def _array(model, item, kind):
    """Read the sentence's vector, or those of its tokens but for special ones."""
    if kind == "sentences":
        return item["sentence_embedding"].float().cpu().numpy()
    if "token_embeddings" not in item or "attention_mask" not in item:
        raise ValueError("model gives no embeddings of tokens, which TokenAlignment needs.")
    ids = item["input_ids"].cpu().numpy()
    tokenizer = model.tokenizer
    special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    mask = item["attention_mask"].cpu().numpy() > 0
    # The prompt is read with the text, and counted with special tokens before it.
    kept = mask & (np.cumsum(mask) > item.get("prompt_length", 0)) & ~np.isin(ids, list(special))
    return item["token_embeddings"].float().cpu().numpy()[kept]


def _finished(arrays, texts, kind):
    """Check that numbers are finite; scale vectors of tokens to length 1, in half precision."""
    for text, array in zip(texts, arrays, strict=False):  # a filled-up batch has more texts
        if not np.isfinite(array).all():
            raise ValueError(f"model gives NaN or infinity for the text {text[:200]!r}.")
    if kind == "sentences":
        return arrays
    norms = [np.linalg.norm(array.astype(np.float64), axis=1, keepdims=True) for array in arrays]
    units = [array / np.where(norm > 0, norm, 1) for array, norm in zip(arrays, norms, strict=True)]
    return [unit.astype(np.float16) for unit in units]


@contextmanager
def _threads(n):
    """Let torch use so many threads for a while; None: as it is set."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(n or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)
