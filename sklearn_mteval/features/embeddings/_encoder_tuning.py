"""An encoder some of whose layers are trained: its tokens, with what gradients need."""

import copy

import numpy as np
import torch

from sklearn_mteval.features.embeddings._encoder_layers import layers_to_tune, transformer_of
from sklearn_mteval.features.embeddings._encoder_models import padded_lengths
from sklearn_mteval.features.embeddings._encoding import readable

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
    """The same of a copy of an encoder whose ``n_layers`` highest layers are trained; None: all."""

    def __init__(self, model, n_layers, texts, batch_size):
        self.model, self.batch_size, self.device = model, batch_size, model.device
        self.encoder = copy.deepcopy(model.loaded())
        self.encoder.requires_grad_(False)
        for part in layers_to_tune(self.encoder, model.layers, n_layers):
            part.requires_grad_(True)
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
        return [part for part in self.encoder.parameters() if part.requires_grad]

    def arrays(self):
        """Return what was trained, name → float16 array."""
        named = transformer_of(self.encoder).named_parameters()
        return {
            name: part.detach().half().cpu().numpy() for name, part in named if part.requires_grad
        }
