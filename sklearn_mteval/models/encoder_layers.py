"""Which layers of an encoder to align tokens by: those that agree best on training segments."""

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import segment_labels
from sklearn_mteval.features import TokenAlignment
from sklearn_mteval.features.embeddings._encoder_folders import find_folder
from sklearn_mteval.features.embeddings._encoder_layers import (
    check_layers,
    has_known_layers,
    layer_list,
)
from sklearn_mteval.features.embeddings._encoder_models import FolderModel
from sklearn_mteval.features.embeddings._encoding import readable
from sklearn_mteval.models.agreement import measure_agreement
from sklearn_mteval.pairwise.folds import hold_out_segments

_SEGMENTS = 150  # at most
_DEPTHS = np.array([4, 5, 6, 7, 8, 9, 10, 12]) / 12  # single layers that are compared


def parse_layers(text):
    """Turn what a user writes, "choose", "auto", "last" or "5,7,8", into layers; None stays it."""
    if text in (None, "auto", "choose", "last"):
        return text
    try:
        layers = [int(number) for number in text.split(",")]
        check_layers(layers)
    except ValueError:
        raise ValueError(
            "--encoder-layers must be choose, auto, last, or different layers' numbers such as "
            f"5,7,8, found {text!r}."
        ) from None
    return layers


def choose_layers(
    encoder, X, y, *, segments=None, held_out=0.2, random_state=0, always=False, device="cpu"
):
    """Choose layers on a sample of the segments that ``train_on_campaign`` will not hold out.

    Compared are single layers, and averages of the best with its neighbours, by the strict tau of
    TokenAlignment's F. Returned are the layers and a list of Agreement; "auto" and none where there
    is no choice or, unless ``always``, the best are known already.
    """
    model = FolderModel(find_folder(encoder, local_files_only=True), device, 1, "auto")
    loaded = model.loaded()
    n_layers = len(layer_list(loaded))
    other = next((name for name in ("reference", "source") if name in X.columns), None)
    if not n_layers or other is None or (has_known_layers(loaded) and not always):
        return "auto", []
    labels = segment_labels(X) if segments is None else pd.Index(segments)
    rows = _sampled(pd.DataFrame(index=labels.rename("segment")), held_out, random_state)
    X, y, labels = X.iloc[rows], y.iloc[rows], labels[rows]
    known = sorted({max(1, round(depth * n_layers)) for depth in _DEPTHS})
    tokens = _tokens_by_layer(model, X[["hypothesis", other]], known)
    tried = {}

    def measure(layers):
        def of_layers(texts):
            places = [known.index(n) for n in layers]
            return [tokens[text][:, places].sum(axis=1, dtype=np.float32) for text in texts]

        if layers not in tried:
            aligner = TokenAlignment(of_layers, columns=("hypothesis", other))
            name = f"layer{'s' if len(layers) > 1 else ''} {', '.join(map(str, layers))}"
            strengths = aligner.fit_transform(X)[:, 2]
            tried[layers] = measure_agreement(name, X, y, strengths, segments=labels)
        return tried[layers].tau

    at = max(range(len(known)), key=lambda k: measure((known[k],)))
    for first, end in ((at - 1, at + 1), (at, at + 2), (at - 1, at + 2)):
        measure(tuple(known[max(first, 0) : end]))
    return list(max(tried, key=measure)), list(tried.values())


def _sampled(lines, held_out, random_state):
    """Return the rows of a sample of the segments that are not held out."""
    train, _ = hold_out_segments(lines, held_out, random_state=random_state, name="held_out")
    n_segments = lines.index[train].nunique()
    if n_segments <= _SEGMENTS:
        return train
    proportion = _SEGMENTS / n_segments
    return train[hold_out_segments(lines.iloc[train], proportion, random_state=random_state)[1]]


def _tokens_by_layer(model, table, layers):
    """Encode the texts of a table: text → shape (n_tokens, n_layers, n_dimensions)."""
    model.layers, model.joined = tuple(layers), True
    cells = (cell for column in table for cell in table[column])
    texts = {t for cell in cells for t in ([cell] if isinstance(cell, str) else cell)}
    texts = sorted({readable(text) for text in texts})
    tokens = {}
    for positions, arrays in model.encode(texts, "tokens", 16):
        for at, array in zip(positions, arrays, strict=True):
            shape = len(array), len(layers), array.shape[1] // len(layers)
            tokens[texts[at]] = array.reshape(shape)
    return tokens
