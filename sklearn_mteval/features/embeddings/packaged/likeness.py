"""Is a model an encoder that is known? By a sample of its weights, and how it cuts texts.

Packaged weights were rounded to steps, one for each 32, and lie at most a step from what they were;
biases, norms and places were not, and an encoder that was trained further has others.
"""

import json
from importlib.resources import files

import numpy as np

from sklearn_mteval.features.embeddings._encoder_layers import transformer_of
from sklearn_mteval.features.embeddings.packaged.four_bits import BLOCK

_PLACES = 32  # of each tensor
_ROUNDED = ("word_embeddings", "attention", "dense")  # tensors, but for biases and norms
_NEAR = 1.01  # steps: the step was rounded, too
_SAME = 1e-3  # half precision, with some room
_CONFIG = ("model_type", "num_attention_heads", "hidden_act", "layer_norm_eps")
LINES = (
    "The committee will decide on Thursday whether 25 % is enough.",
    "Die Abgeordneten stimmten über den Haushalt für 2015 ab.",
    "Předseda vlády včera odmítl návrh opozice.",
    "Le gouvernement n'a pas répondu à cette question.",
    "Los médicos recomiendan caminar todos los días.",
    "Hallitus kertoi päätöksestä vasta illalla.",
    "Министр заявил, что переговоры продолжатся.",
    "总统在会议上表示同意。",
    "新しい駅は来年の春に完成する予定です。",
    "रिपोर्ट के अनुसार कीमतें बढ़ेंगी।",
    "أعلن الوزير النتائج يوم الثلاثاء",
)


def sample_of(model):
    """Return a sample of a model that sentence-transformers loaded, as a dict of arrays."""
    transformer = transformer_of(model)
    names, values, steps = [], [], []
    for name, tensor in sorted(transformer.state_dict().items()):
        if "pooler" in name or not tensor.is_floating_point():
            continue  # what nothing asks for
        weights = tensor.float().cpu().numpy().reshape(-1)
        at = np.arange(_PLACES) * len(weights) // _PLACES
        rounded = tensor.ndim == 2 and any(part in name for part in _ROUNDED)
        # Of the rounded weights of a block, the furthest from 0 is 8 steps from it.
        blocks = weights.reshape(-1, BLOCK)[at // BLOCK] if rounded else np.zeros((len(at), 1))
        names.append(f"{name} {tuple(tensor.shape)}")
        values.append(weights[at])
        steps.append(np.abs(blocks).max(axis=1) / 8)
    config = {key: getattr(transformer.config, key, None) for key in _CONFIG}
    return {
        "names": np.array(names),
        "values": np.array(values, np.float32),
        "steps": np.array(steps, np.float32),
        "config": np.array(json.dumps(config)),
        "pieces": np.array(json.dumps(model.tokenizer(list(LINES))["input_ids"])),
    }


def known_sample(name):
    """Read the sample of an encoder of ``PACKAGED`` that ships."""
    file = files(__package__).joinpath("data", f"{name}.npz")
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        return dict(arrays)


def difference(model, known):
    """Say in what a model differs from a sample of the known one; None: it is the same encoder."""
    found = sample_of(model)
    for key, what in (("config", "architecture"), ("pieces", "tokeniser")):
        if found[key] != known[key]:
            return f"another {what}"
    if found["names"].tolist() != known["names"].tolist():
        return "other layers or dimensions"
    values, steps = known["values"], known["steps"]
    allowed = _NEAR * steps + _SAME * np.abs(values) + 1e-6
    far = ~(np.abs(found["values"] - values) <= allowed)  # NaN is far
    if far.any():
        name = known["names"][far.any(axis=1)][0].partition(" ")[0]
        return f"other weights ({far.sum()} of a sample of {far.size}, the first in {name})"
    return None
