"""Running text encoders: a sentence-transformers model folder, or any callable.

A text's bits hang on the shape of matrix products: texts are padded to a multiple of 16 tokens and
encoded with others of that length, on a processor however many (16 rows fill a block of its
kernels), elsewhere in batches of so many tokens, filled up with copies.
"""

import copy
import hashlib
import os
import warnings
from functools import lru_cache
from importlib.metadata import version
from threading import Lock

import numpy as np

from sklearn_mteval._helpers.devices import found_device
from sklearn_mteval._helpers.extras import check_device, torch_threads
from sklearn_mteval.features.embeddings._encoder_folders import folder_fingerprint, import_extra
from sklearn_mteval.features.embeddings._encoder_layers import (
    combine_layers,
    hidden_states,
    resolve_layers,
    transformer_of,
)

_LENGTH_STEP, _LONGEST = 16, 512  # tokens
_LIBRARIES = ("sentence-transformers", "transformers", "tokenizers", "torch")
_ONE_AT_A_TIME = Lock()  # tokenisers cannot be shared between threads
_EMULATING = {"SSE41", "AVX", "AVX2", "AVX2_VNNI", "AVX512_CORE", "AVX512_CORE_VNNI"}  # bfloat16
_WITHOUT_AMX = {"AVX512_CORE_BF16", "AVX512_CORE_FP16"}


class CallableModel:
    """A function of n texts as an encoder; ``name`` tells it from others in a cache."""

    def __init__(self, function, name):
        self.function, self.fingerprint = function, name
        self.identity = f"callable {name}"

    def choose_layers(self, layers):
        """Raise if layers are asked for: what a function gives is what there is."""
        if layers != "auto":
            raise ValueError(
                f"layers must be 'auto' for a callable, whose layers are its own, found {layers!r}."
            )
        return ()

    def encode(self, texts, kind, batch_size):
        """Yield (positions in ``texts``, their float arrays) in batches, the longest last."""
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        for start in range(0, len(order), batch_size):
            positions = order[start : start + batch_size]
            batch = [texts[at] for at in positions]
            arrays = self._check(self.function(list(batch)), len(batch), kind)
            _check_finite(arrays, batch)
            if kind == "tokens":
                arrays = [unit_rows(a.astype(np.float64)).astype(np.float16) for a in arrays]
            yield positions, arrays

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
    """A model that sentence-transformers loads on first use, perhaps with other ``weights``."""

    layers, joined, weights = (), False, None

    def __init__(self, folder, device, n_threads, dtype="float32"):
        self.device = found_device(device) if device == "auto" else device
        self.folder, self.n_threads = folder, n_threads
        self.dtype = _fast_dtype(self.device) if dtype == "auto" else dtype
        self.fingerprint = folder_fingerprint(folder)

    def choose_layers(self, layers):
        """Return the numbers of the layers that are meant."""
        return resolve_layers(self.loaded(), layers)

    def loaded(self):
        """Return the model, loaded."""
        if self.weights is None:
            return load(self.folder, self.fingerprint, self.device)
        return _load_tuned(self.folder, self.fingerprint, self.device, self.weights)

    @property
    def identity(self):
        """All that the output depends on but for rounding: fingerprint and libraries."""
        versions = [f"{name}={import_extra(name, version)}" for name in _LIBRARIES]
        layers = f"layers={self.layers}{' joined' if self.joined else ''}" if self.layers else ""
        dtype = "" if self.dtype == "float32" else self.dtype
        weights = "" if self.weights is None else self.weights.digest
        return " ".join(filter(None, [self.fingerprint, *versions, layers, dtype, weights]))

    def encode(self, texts, kind, batch_size):
        """Yield as :meth:`CallableModel.encode`, in batches of one shape for each length."""
        if not texts:
            return
        model = self.loaded()
        run = self._sentences if kind == "sentences" else self._tokens
        with _ONE_AT_A_TIME:
            lengths = padded_lengths(model, texts)
        on_processor = model.device.type == "cpu"
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        for length, size, positions in batches_of(lengths, order, batch_size, model.device):
            batch = [texts[at] for at in positions]
            if length % _LENGTH_STEP or not on_processor:
                batch += batch[-1:] * (size - len(batch))
            with _ONE_AT_A_TIME, torch_threads(self.n_threads):
                arrays = run(model, batch, length)[: len(positions)]
            _check_finite(arrays, batch)
            yield positions, arrays

    def _sentences(self, model, batch, length):
        options = {"output_value": None, "show_progress_bar": False, **_padding(length)}
        found = model.encode(batch, batch_size=len(batch), **options)
        return [item["sentence_embedding"].float().cpu().numpy() for item in found]

    def _tokens(self, model, batch, length):
        """Encode the tokens of each text but for special ones: unit vectors, half precision."""
        import torch

        with torch.inference_mode():
            units, kept = self.token_units(model, batch, length)
        units = units.half().cpu().numpy()
        return [vectors[mask] for vectors, mask in zip(units, kept, strict=True)]

    def token_units(self, model, batch, length):
        """Run a model on texts: a tensor of unit vectors, and which of them are the texts' own."""
        import torch
        from sentence_transformers.util import batch_to_device

        prompt = model.prompts.get(model.default_prompt_name)
        features = model.preprocess(batch, prompt=prompt, **_padding(length))
        features = batch_to_device(features, model.device)
        with autocast(torch.device(self.device).type, self.dtype):
            if self.layers:
                states = hidden_states(model, features, self.layers)
            else:
                features = model(features)
                states = [features.get("token_embeddings")]
        if states[0] is None or "attention_mask" not in features:
            raise ValueError("model gives no embeddings of tokens, which are to be aligned.")
        return combine_layers(states, self.joined), _kept_tokens(model, features)


def batches_of(lengths, order, batch_size, device):
    """Yield batches of texts of one length in tokens, in an order: length, most texts, positions.

    On a processor, which is as fast with few, ``batch_size`` are the most; elsewhere as many as
    hold the tokens of so many of 512.
    """
    by_length = {}
    for at in order:
        by_length.setdefault(lengths[at], []).append(at)
    for length, positions in sorted(by_length.items()):
        in_memory = device.type == "cpu" or not length
        size = batch_size if in_memory else max(1, batch_size * _LONGEST // length)
        for start in range(0, len(positions), size):
            yield length, size, positions[start : start + size]


def autocast(kind, dtype):
    """Return a context in which a kind of device computes products in a number type."""
    import torch

    half = dtype != "float32"
    return torch.autocast(kind, getattr(torch, dtype) if half else None, enabled=half)


def _fast_dtype(device):
    """Name "bfloat16" where a device computes in it, but for AMX; else "float32", of an older GPU
    "float16".
    """
    import torch

    check_device(device)
    # With AMX oneDNN cuts long sums in parts that hang on the number of rows: a text on its batch.
    kind = torch.device(device).type
    highest = os.environ.get("ONEDNN_MAX_CPU_ISA", "").upper()  # oneDNN computes the products
    if kind == "cuda":
        return "bfloat16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float16"
    if kind != "cpu" or not torch.backends.mkldnn.is_available() or highest in _EMULATING:
        fast = False
    elif hasattr(torch.cpu, "get_capabilities"):
        can = torch.cpu.get_capabilities()
        hangs = can.get("amx_bf16") and highest not in _WITHOUT_AMX
        fast = not hangs and (can.get("avx512_bf16") or can.get("amx_bf16") or can.get("bf16"))
    else:  # older versions of torch, of which the oldest cannot tell
        hangs = getattr(torch.cpu, "_is_amx_tile_supported", bool)()
        fast = not hangs and getattr(torch.cpu, "_is_avx512_bf16_supported", bool)()
    return "bfloat16" if fast else "float32"


@lru_cache(maxsize=2)
def load(folder, fingerprint, device):
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


class TunedWeights:
    """Some weights of an encoder, name → array; equal to others of the same numbers."""

    def __init__(self, arrays):
        self.arrays = arrays
        whole = hashlib.sha256()
        for name, array in sorted(arrays.items()):
            whole.update(f"{name} {array.dtype} {array.shape}\n".encode())
            whole.update(np.ascontiguousarray(array).data)
        self.digest = whole.hexdigest()

    def __hash__(self):
        return hash(self.digest)

    def __eq__(self, other):
        return self.digest == other.digest


@lru_cache(maxsize=2)
def _load_tuned(folder, fingerprint, device, weights):
    """Copy a model, with some weights replaced."""
    import torch

    model = copy.deepcopy(load(folder, fingerprint, device))
    known = dict(transformer_of(model).named_parameters())
    for name, array in weights.arrays.items():
        if name not in known or known[name].shape != array.shape:
            raise ValueError(f"The tuned weights of {name!r}, {array.shape}, do not fit the model.")
        with torch.no_grad():
            known[name].copy_(torch.from_numpy(array))
    return model


def padded_lengths(model, texts):
    """Return the tokens of each text, rounded up to what it is padded to; 0: not padded."""
    prompt = model.prompts.get(model.default_prompt_name)
    longest = model.max_seq_length or np.inf
    lengths = []
    for start in range(0, len(texts), 256):
        features = model.preprocess(texts[start : start + 256], prompt=prompt)
        if "attention_mask" not in features:  # bags of static vectors
            return [0] * len(texts)
        lengths += features["attention_mask"].sum(dim=1).tolist()
    warn_of_cut(lengths, longest, "text")
    # Padding on the left moves the text itself, which some models take for another place.
    step = 1 if model.tokenizer.padding_side == "left" else _LENGTH_STEP
    # A text may have no token at all, but models cannot read nothing.
    return [int(min(-(-max(n, 1) // step) * step, longest)) for n in lengths]


def warn_of_cut(lengths, longest, what):
    """Warn of texts that have all the tokens that an encoder reads, and may have had more."""
    n = sum(length >= longest for length in lengths)
    if n:
        warnings.warn(
            f"The encoder reads {longest} tokens of a {what}: {n} of {len(lengths)} have as many, "
            "or more that it does not read. Part them, as sklearn_mteval.pairwise.Windowed does.",
            stacklevel=2,
        )


def _padding(length):
    """Return the options that pad texts to a length; 0 is no padding."""
    padding = {"text": {"padding": "max_length", "max_length": length}}
    return {"processing_kwargs": padding} if length else {}


def _kept_tokens(model, features):
    """Tell which tokens are the text's own, a mask of shape (n_texts, n_tokens)."""
    tokenizer = model.tokenizer
    special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    mask = features["attention_mask"].cpu().numpy() > 0
    # The prompt is read with the text, and counted with special tokens before it.
    mask &= np.cumsum(mask, axis=1) > features.get("prompt_length", 0)
    return mask & ~np.isin(features["input_ids"].cpu().numpy(), list(special))


def _check_finite(arrays, texts):
    for text, array in zip(texts, arrays, strict=False):  # a filled-up batch has more texts
        if not np.isfinite(array).all():
            raise ValueError(f"model gives NaN or infinity for the text {text[:200]!r}.")


def unit_rows(vectors):
    """Scale rows to length 1; zero stays zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(norms > 0, norms, 1)
