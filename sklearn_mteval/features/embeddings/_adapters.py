"""Low-rank adapters of an encoder: what little is trained of its layers (Hu et al. 2022, LoRA)."""

import math

import torch
from torch import nn
from torch.nn import functional

from sklearn_mteval.features.embeddings._encoder_layers import layer_list, transformer_of

_SCALE = 2.0  # of what an adapter adds


class Adapter(nn.Module):
    """A linear layer that stays as it is, and the product of two thin matrices next to it."""

    def __init__(self, linear, rank, generator):
        super().__init__()
        self.linear = linear
        n_outputs, n_inputs = linear.weight.shape
        start = torch.randn(rank, n_inputs, generator=generator) / math.sqrt(n_inputs)
        self.down = nn.Parameter(start)
        self.up = nn.Parameter(torch.zeros(n_outputs, rank))

    def forward(self, inputs):
        """Add both."""
        kind = self.linear.weight.dtype
        inputs = inputs.to(kind)
        thin = functional.linear(inputs, self.down.to(kind))
        return self.linear(inputs) + functional.linear(thin, (_SCALE * self.up).to(kind))


def adapted_layers(model, n_frozen_layers):
    """List (name, module that holds it, its name there) of the linear layers to be adapted."""
    transformer = transformer_of(model)
    stack = layer_list(model)
    if len(stack) <= n_frozen_layers:
        raise ValueError(
            f"n_frozen_layers must be below {len(stack)}, the number of layers of the encoder, "
            f"found {n_frozen_layers}."
        )
    names = {id(module): name for name, module in transformer.named_modules()}
    found = []
    for layer in stack[n_frozen_layers:]:
        for holder in layer.modules():
            for child, module in holder.named_children():
                if isinstance(module, nn.Linear):
                    found.append((names[id(module)], holder, child))
    if not found:
        raise ValueError("encoder has no linear layers that could be adapted: use another one.")
    return found


def add_adapters(model, n_frozen_layers, rank, generator):
    """Put an adapter in the place of each linear layer; return them by the layer's name."""
    adapters = {}
    for name, holder, child in adapted_layers(model, n_frozen_layers):
        adapters[name] = Adapter(getattr(holder, child), rank, generator)
        setattr(holder, child, adapters[name])
    return adapters


@torch.no_grad()
def merge_adapters(model, n_frozen_layers, arrays):
    """Add to the weights what was trained: ``arrays`` are LAYER.down and LAYER.up."""
    layers = {
        name: getattr(holder, child)
        for name, holder, child in adapted_layers(model, n_frozen_layers)
    }
    if set(arrays) != {f"{name}.{part}" for name in layers for part in ("down", "up")}:
        raise ValueError("The adapters that were trained do not fit the layers of the encoder.")
    for name, layer in layers.items():
        down, up = (torch.from_numpy(arrays[f"{name}.{part}"]).float() for part in ("down", "up"))
        if down.ndim != 2 or (*up.shape, down.shape[1]) != (
            layer.weight.shape[0], down.shape[0], layer.weight.shape[1]
        ):  # fmt: skip
            raise ValueError(f"The adapter of {name!r} does not fit the encoder's layer.")
        layer.weight += _SCALE * (up @ down)
