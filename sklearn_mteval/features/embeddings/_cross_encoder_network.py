"""An encoder with adapters, and a small network above it that judges."""

import copy
import math
from functools import lru_cache

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from sklearn_mteval._helpers.products import row_products
from sklearn_mteval.features.embeddings._encoder_layers import layer_list, transformer_of
from sklearn_mteval.features.embeddings._encoder_models import autocast, batches_of, load
from sklearn_mteval.features.embeddings._text_reader import TextReader, padded

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
    """Return by their names the linear layers of an encoder that are to be adapted."""
    stack = layer_list(model)
    if len(stack) <= n_frozen_layers:
        raise ValueError(
            f"n_frozen_layers must be below {len(stack)}, the number of layers of the encoder, "
            f"found {n_frozen_layers}."
        )
    inside = {id(part) for layer in stack[n_frozen_layers:] for part in layer.modules()}
    named = transformer_of(model).named_modules()
    found = {n: part for n, part in named if isinstance(part, nn.Linear) and id(part) in inside}
    if not found:
        raise ValueError("encoder has no linear layers that could be adapted: use another one.")
    return found


def add_adapters(model, n_frozen_layers, rank, generator):
    """Put an adapter in the place of each linear layer; return them by the layer's name."""
    adapters = {}
    for name, linear in adapted_layers(model, n_frozen_layers).items():
        adapters[name] = Adapter(linear, rank, generator)
        holder, _, child = name.rpartition(".")
        setattr(transformer_of(model).get_submodule(holder), child, adapters[name])
    return adapters


@torch.no_grad()
def merge_adapters(model, n_frozen_layers, arrays):
    """Add to the weights what was trained: ``arrays`` are LAYER.down and LAYER.up."""
    layers = adapted_layers(model, n_frozen_layers)
    if set(arrays) != {f"{name}.{part}" for name in layers for part in ("down", "up")}:
        raise ValueError("The adapters that were trained do not fit the layers of the encoder.")
    for name, layer in layers.items():
        down, up = (torch.from_numpy(arrays[f"{name}.{part}"]).float() for part in ("down", "up"))
        if down.ndim != 2 or (*up.shape, down.shape[1]) != (
            layer.weight.shape[0], down.shape[0], layer.weight.shape[1]
        ):  # fmt: skip
            raise ValueError(f"The adapter of {name!r} does not fit the encoder's layer.")
        layer.weight += (_SCALE * (up @ down)).to(layer.weight.device)


HEAD = ("hidden.weight", "hidden.bias", "output.weight", "output.bias")  # above the encoder

_FEWEST_TOKENS = 64  # of a batch
_HIDDEN = 128


class CrossNetwork(nn.Module):
    """Means of each text's tokens, how translations differ from all before them; two layers.

    Of the texts of a reading the last ones are translations: one, or two that are compared.
    """

    def __init__(self, encoder, n_outputs, generator, *, n_texts, n_translations, dtype):
        super().__init__()
        self.encoder, self.dtype = encoder, dtype
        translations = range(n_texts - n_translations, n_texts)
        self.compared = [(k, one) for one in translations for k in range(one)]
        width = (n_texts + 2 * len(self.compared)) * encoder.config.hidden_size
        self.hidden = _linear(width, _HIDDEN, generator)
        self.output = _linear(_HIDDEN, n_outputs, generator)

    def forward(self, inputs, masks):
        """Judge readings: shape (n_readings, n_outputs)."""
        return self.output(torch.tanh(self.hidden(self.described(inputs, masks))))

    def described(self, inputs, masks):
        """Return what the judge sees: shape (n_readings, some times the encoder's width)."""
        return self.compare(self.states(inputs)[-1], masks)

    def states(self, inputs, layers=(-1,)):
        """Return what the encoder makes of tokens, after each of some layers; -1 is the last."""
        with autocast(self.hidden.weight.device.type, self.dtype):
            found = self.encoder(**inputs, output_hidden_states=len(layers) > 1)
        return [
            (found.last_hidden_state if k == -1 else found.hidden_states[k]).float() for k in layers
        ]

    def compare(self, states, masks):
        """Return each text's mean, how translations differ from those before, and the products."""
        means = [_mean(states, mask) for mask in masks]
        pairs = [(means[k], means[one]) for k, one in self.compared]
        compared = [part for a, b in pairs for part in ((a - b).abs(), a * b)]
        return torch.cat([*means, *compared], dim=-1)

    def judge(self, reader, readings, batch_size, advance):
        """Judge distinct readings without gradients, in batches of one length: float64."""
        found = np.empty((len(readings), self.output.out_features))
        encoded = reader.encode(readings)
        for some, _, seen in self.read(reader, encoded, batch_size, advance):
            found[some], _ = self.judged(seen)
        return found

    def read(self, reader, encoded, batch_size, advance, layers=(-1,)):
        """Read in batches of one length: yield positions, states, and what the judge sees."""
        lengths = [padded(ids) for ids, *_ in encoded]
        order = range(len(encoded))
        for length, _, some in batches_of(lengths, order, batch_size, reader.device):
            # Products of fewer rows may be summed up in another order: copies fill them up.
            filled = np.resize(some, max(len(some), -(-_FEWEST_TOKENS // length)))
            with torch.inference_mode():
                inputs, masks = reader.batch([encoded[k] for k in filled], length)
                states = self.states(inputs, layers)
                seen = self.compare(states[-1], masks)[: len(some)].cpu().numpy()
            yield some, states, seen
            advance(len(some))

    def judged(self, seen):
        """Judge what is seen, in a fixed order: other readings change no bit. Also hidden units."""
        parts = (p for part in (self.hidden, self.output) for p in (part.weight.T, part.bias))
        weight, bias, out_weight, out_bias = (p.detach().cpu().numpy() for p in parts)
        hidden = np.tanh(row_products(seen, weight.astype(np.float64)) + bias)
        return row_products(hidden, out_weight.astype(np.float64)) + out_bias, hidden


def _linear(n_inputs, n_outputs, generator):
    """Make a linear layer that starts from a generator, not from torch's global state."""
    layer = nn.utils.skip_init(nn.Linear, n_inputs, n_outputs)
    bound = n_inputs**-0.5
    for part in (layer.weight, layer.bias):
        with torch.no_grad():
            part.uniform_(-bound, bound, generator=generator)
    return layer


def _mean(states, mask):
    """Average the vectors of a mask's tokens."""
    weights = mask.unsqueeze(-1).to(states)
    return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)


def untrained_network(model, n_outputs, options, seed, *, dtype, n_translations=1):
    """Return a network on a copy of an encoder with new adapters, and these by name."""
    generator = torch.Generator().manual_seed(int(seed))
    model = _copied(model, dtype)
    encoder = transformer_of(model)
    # Autograd of plain products is three times as fast as what is fused, on processors.
    if model.device.type == "cpu":
        encoder.set_attn_implementation("eager")
    adapters = add_adapters(model, options.n_frozen_layers, options.adapter_rank, generator)
    sizes = {"n_texts": len(options.columns) - 1 + n_translations, "n_translations": n_translations}
    network = CrossNetwork(encoder, n_outputs, generator, **sizes, dtype=dtype)
    return network.to(model.device), adapters


@torch.no_grad()
def begin_with(arrays, network, adapters):
    """Copy what was trained before, if anything: adapters, and the parts above that fit."""
    for name, adapter in adapters.items() if arrays else ():
        for part in ("down", "up"):
            known, ours = arrays.get(f"{name}.{part}"), getattr(adapter, part)
            if known is None or known.shape != ours.shape:
                raise ValueError(
                    "warm_start: adapter_rank and n_frozen_layers must be those of the last fit."
                )
            ours.copy_(torch.from_numpy(known))
    parts = dict(network.named_parameters())
    for name in HEAD:
        if name in arrays and arrays[name].shape == parts[name].shape:
            parts[name].copy_(torch.from_numpy(arrays[name]))


@lru_cache(maxsize=2)
def trained_network(
    folder, fingerprint, device, n_frozen_layers, trained, *, n_texts, n_translations, dtype
):
    """Return what judges: an encoder with ``TunedWeights`` merged into it, and its reader."""
    model = _copied(load(folder, fingerprint, device), "float32")
    adapters = {name: array for name, array in trained.arrays.items() if name not in HEAD}
    merge_adapters(model, n_frozen_layers, adapters)
    _keep_in(dtype, model)
    n_outputs = len(trained.arrays["output.bias"])
    encoder, generator = transformer_of(model), torch.Generator()
    sizes = {"n_texts": n_texts, "n_translations": n_translations}
    network = CrossNetwork(encoder, n_outputs, generator, **sizes, dtype=dtype)
    known = dict(network.named_parameters())
    with torch.no_grad():
        for name in HEAD:
            if known[name].shape != trained.arrays[name].shape:
                raise ValueError(f"The trained {name!r} does not fit the encoder.")
            known[name].copy_(torch.from_numpy(trained.arrays[name]))
    return network.to(model.device), TextReader(model, n_texts)


def _copied(model, dtype):
    """Copy an encoder's layers; what is never changed is shared: what is below, the tokeniser."""
    mine = {id(part) for layer in layer_list(model) for part in layer.parameters()}
    shared = {id(part): part for part in model.parameters() if id(part) not in mine}
    shared[id(model.tokenizer)] = model.tokenizer  # of 250,000 words: 0.4 GB
    model = copy.deepcopy(model, shared)
    transformer_of(model).requires_grad_(False).eval()
    _keep_in(dtype, model)
    return model


def _keep_in(dtype, model):
    """Keep matrices in a number type: autocasting need not convert them each time."""
    for layer in layer_list(model):
        for part in layer.modules():
            if isinstance(part, nn.Linear):
                part.to(getattr(torch, dtype))
