"""An encoder some of whose layers are trained: its tokens, with what gradients need."""

import copy

import numpy as np
import torch

from sklearn_mteval.features.embeddings._encoder_layers import layers_to_tune, transformer_of
from sklearn_mteval.features.embeddings._encoder_models import padded_lengths
from sklearn_mteval.features.embeddings._encoding import readable

__all__ = ["FrozenTokens", "TunedTokens"]

_MOST_TOKENS = 1024  # of a text that is trained on: encoders read hardly more


class FrozenTokens:
    """The tokens of texts, as they were encoded: text → float16 array (n_tokens, n_inputs)."""

    def __init__(self, tokens, device):
        self.tokens, self.device = tokens, device
        widths = {array.shape[1]: text for text, array in tokens.items() if len(array)}
        if len(widths) > 1:
            raise ValueError(f"model gives tokens of different numbers of dimensions: {widths}.")
        self.width = next(iter(widths), 1)

    def __call__(self, texts):
        """Return the tokens of texts one after another, float32, and how many each text has."""
        arrays = [self.tokens[text][:_MOST_TOKENS] for text in texts]
        lengths = torch.tensor([len(array) for array in arrays], device=self.device)
        filled = [array for array in arrays if len(array)]
        tokens = np.concatenate([np.empty((0, self.width), dtype=np.float16), *filled])
        return torch.from_numpy(tokens).to(self.device).float(), lengths

    def parameters(self):
        """List what is trained: nothing."""
        return []

    def arrays(self):
        """Return what was trained, name → float16 array."""
        return {}


class TunedTokens:
    """The same of a copy of an encoder, whose ``n_layers`` highest layers are trained; None: all.

    With ``low_rank`` their matrices stay, and what is added to them is trained. The encoder is as
    in use, without dropout.
    """

    def __init__(self, model, n_layers, low_rank, texts, batch_size, seed):
        self.model, self.batch_size, self.device = model, batch_size, model.device
        self.encoder = copy.deepcopy(model.loaded())
        self.encoder.requires_grad_(False)
        parts = layers_to_tune(self.encoder, model.layers, n_layers)
        self.factors = {}
        if low_rank is None:
            for part in parts:
                part.requires_grad_(True)
        else:
            self.factors = _add_factors(self.encoder, parts, low_rank, seed)
        self.texts = {text: readable(text) for text in texts}
        lengths = padded_lengths(self.encoder, list(self.texts.values()))
        self.lengths = dict(zip(texts, lengths, strict=True))

    def __call__(self, texts):
        """Return the tokens of texts one after another, and how many each text has."""
        order = sorted(range(len(texts)), key=lambda at: self.lengths[texts[at]])
        found = [None] * len(texts)
        for start in range(0, len(order), self.batch_size):
            positions = order[start : start + self.batch_size]
            batch = [self.texts[texts[at]] for at in positions]
            longest = self.lengths[texts[positions[-1]]]
            units, kept = self.model.token_units(self.encoder, batch, longest)
            for at, vectors, mask in zip(positions, units, kept, strict=True):
                found[at] = vectors[torch.from_numpy(mask).to(vectors.device)]
        lengths = torch.tensor([len(vectors) for vectors in found], device=units.device)
        return torch.cat(found), lengths

    def parameters(self):
        """List what is trained."""
        trained = [part for part in self.encoder.parameters() if part.requires_grad]
        return [*trained, *self.factors.values()]

    def arrays(self):
        """Return what was trained, name → float16 array."""
        named = dict(transformer_of(self.encoder).named_parameters())
        trained = {name: part for name, part in named.items() if part.requires_grad} | self.factors
        return {name: part.detach().half().cpu().numpy() for name, part in trained.items()}


def _add_factors(encoder, parts, low_rank, seed):
    """Add to each matrix of some layers a product of two of low rank, at first zero.

    Returned are the factors of what is added to matrix M, "M:left" times the transpose of "M:right"
    (LoRA, Hu et al. 2022, section 4.1).
    """
    chosen = {module for part in parts for module in part.modules()}
    generator = torch.Generator().manual_seed(int(seed))
    factors = {}
    for name, module in transformer_of(encoder).named_modules():
        turned = type(module).__name__ == "Conv1D"  # transformers' own: y = x W, not x Wᵀ
        if module not in chosen or not (turned or isinstance(module, torch.nn.Linear)):
            continue
        height, width = module.weight.shape
        n_inputs = height if turned else width
        start = torch.randn(n_inputs, low_rank, generator=generator) / n_inputs**0.5
        start = start.to(module.weight.device).requires_grad_()
        zero = start.new_zeros(width if turned else height, low_rank).requires_grad_()

        def add(_, given, found, start=start, zero=zero):
            return found + given[0] @ start @ zero.T

        module.register_forward_hook(add)
        left, right = (start, zero) if turned else (zero, start)
        factors[f"{name}.weight:left"], factors[f"{name}.weight:right"] = left, right
    if not factors:
        raise ValueError("low_rank needs layers with matrices, and the model's have none.")
    return factors
