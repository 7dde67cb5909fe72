"""Training a cross-encoder: on who is better, and on graded targets."""

import ctypes
import sys
from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional

from sklearn_mteval._helpers.progress import tracked
from sklearn_mteval.features.embeddings._cross_encoder_network import (
    HEAD,
    PairReader,
    untrained_network,
)

_PAIRS_A_STEP = 64
_MOST_CANDIDATES = 6  # of a segment, in an epoch
_WARM_UP = 40  # steps at most
_HEAD_RATE = 0.001  # learning rate of the network above the encoder
_WEIGHTS = {"score": 1.0, "number": 0.7, "label": 0.3}  # of the losses
_DECAY = 0.01
_BATCHES_A_TRIM = 8
_TOKENS_A_BATCH = 256  # of a processor: with 12 layers of 384 dimensions some 0.2 GB


class Example(NamedTuple):
    """A segment: its distinct pairs of texts, which of them is better, by what weight, and targets.

    ``better`` and ``worse`` are positions in ``pairs``; a target is NaN where there is none.
    """

    pairs: list
    better: np.ndarray
    worse: np.ndarray
    weights: np.ndarray
    targets: np.ndarray


class Scale(NamedTuple):
    """What a target is: a label (0 or 1), or a number, of which mean and standard deviation."""

    label: bool
    mean: float = 0.0
    deviation: float = 1.0

    @classmethod
    def of(cls, values, label):
        """Scale a number by the values that are known."""
        if label:
            return cls(True)
        values = values[~np.isnan(values)]
        return cls(False, float(values.mean()), float(values.std()) or 1.0)


def train_cross_encoder(model, examples, scales, options, seed, *, half):
    """Train on examples, sorted by content; return weights, name → array, and losses."""
    rng = np.random.default_rng(seed)
    network, adapters = untrained_network(model, 1 + len(scales), options, seed, half=half)
    reader = PairReader(model)
    trained = [part for part in network.parameters() if part.requires_grad]
    ours = {name: part for name, part in network.named_parameters() if name in HEAD}
    optimizer = torch.optim.AdamW(
        [
            {"params": [p for a in adapters.values() for p in (a.down, a.up)]},
            {"params": list(ours.values()), "lr": _HEAD_RATE},
        ],
        lr=options.learning_rate, weight_decay=_DECAY,
    )  # fmt: skip
    steps = [s for _ in range(options.max_epochs) for s in _steps(examples, rng)]
    warm_up = min(_WARM_UP, max(1, len(steps) // 10))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda k: min(1, (k + 1) / warm_up) * max(0.02, 1 - k / len(steps))
    )
    losses, give_back = [], _giving_back()
    for step in tracked(steps, "training", "steps", shown=options.progress):
        optimizer.zero_grad()
        losses.append(_backward(network, reader, step, scales, options.batch_size, give_back))
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        schedule.step()
        give_back()
    return _arrays(ours, adapters), np.array(
        [np.mean(part) for part in np.array_split(losses, 10) if len(part)]
    )


def _arrays(ours, adapters):
    """Return what was trained, name → array: the network in single precision, adapters in half."""
    arrays = {name: part.detach().cpu().numpy() for name, part in ours.items()}
    for name, adapter in adapters.items():
        arrays[f"{name}.down"] = adapter.down.detach().half().cpu().numpy()
        arrays[f"{name}.up"] = adapter.up.detach().half().cpu().numpy()
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise ValueError("Training diverged: its numbers are not finite. Lower learning_rate.")
    return arrays


def _giving_back():
    """Return a function that gives free memory back to the system, where glibc keeps it."""
    # Tensors of each step have other sizes, and free memory between what stays would only grow.
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None
    trim = getattr(libc, "malloc_trim", None)
    return lambda: trim and trim(0)


def _steps(examples, rng):
    """Deal examples, in random order, to steps of about equally many pairs of texts."""
    steps, size = [[]], 0
    for k in rng.permutation(len(examples)):
        if size >= _PAIRS_A_STEP:
            steps.append([])
            size = 0
        steps[-1].append(_some(examples[k], rng))
        size += len(steps[-1][-1].pairs)
    return steps


def _some(example, rng):
    """Take some candidates of a segment that has many."""
    n = len(example.pairs)
    if n <= _MOST_CANDIDATES:
        return example
    chosen = np.sort(rng.permutation(n)[:_MOST_CANDIDATES])
    place = np.full(n, -1)
    place[chosen] = np.arange(len(chosen))
    better, worse = place[example.better], place[example.worse]
    kept = (better >= 0) & (worse >= 0)
    return Example(
        [example.pairs[k] for k in chosen],
        better[kept], worse[kept], example.weights[kept], example.targets[chosen],
    )  # fmt: skip


def _backward(network, reader, examples, scales, batch_size, give_back=lambda: None):
    """Set the gradients of a step's loss, which is returned, in the memory of one batch.

    Outputs are computed without what gradients need; given the slopes of the loss in them, each
    batch is run again (Gao et al. 2021, "Scaling Deep Contrastive Learning Batch Size").
    """
    encoded = reader.encode([pair for example in examples for pair in example.pairs])
    order = sorted(range(len(encoded)), key=lambda k: len(encoded[k][0]), reverse=True)
    most = _TOKENS_A_BATCH if reader.device.type == "cpu" else sys.maxsize
    parts = list(_batches([len(encoded[k][0]) for k in order], batch_size, most))
    batches = [[encoded[k] for k in order[part]] for part in parts]

    def run(batch):
        return network(*reader.batch(batch, len(batch[0][0])))

    with torch.no_grad():
        outputs = torch.cat([run(batch) for batch in batches])[np.argsort(order)]
    outputs.requires_grad_()
    loss = _loss(outputs, examples, scales)
    loss.backward()
    slopes = outputs.grad[order]
    for k, (batch, part) in enumerate(zip(batches, parts, strict=True)):
        run(batch).backward(slopes[part])
        if k % _BATCHES_A_TRIM == 0:
            give_back()
    return loss.item()


def _batches(lengths, batch_size, most):
    """Cut pairs of falling lengths into slices of at most so many tokens, padded ones included."""
    start = 0
    while start < len(lengths):
        end = start + max(1, min(batch_size, most // lengths[start]))
        yield slice(start, end)
        start = end


def _loss(outputs, examples, scales):
    """Add up the mean losses of decisions and of each target."""
    starts = np.cumsum([0, *(len(example.pairs) for example in examples)])
    better, worse = (
        np.concatenate([getattr(e, side) + s for e, s in zip(examples, starts, strict=False)])
        for side in ("better", "worse")
    )
    loss = 0 * outputs.sum()
    if len(better):
        weights = torch.from_numpy(np.concatenate([e.weights for e in examples])).to(outputs)
        losses = functional.softplus(outputs[worse, 0] - outputs[better, 0])
        loss = loss + _WEIGHTS["score"] * (losses * weights).sum() / weights.sum()
    targets = np.concatenate([example.targets for example in examples])
    for k, scale in enumerate(scales):
        there = np.flatnonzero(~np.isnan(targets[:, k]))
        if not len(there):
            continue
        found = outputs[there, 1 + k]
        known = torch.from_numpy((targets[there, k] - scale.mean) / scale.deviation).to(found)
        if scale.label:
            part = functional.binary_cross_entropy_with_logits(found, known)
        else:
            part = functional.smooth_l1_loss(found, known)
        loss = loss + _WEIGHTS["label" if scale.label else "number"] * part
    return loss
