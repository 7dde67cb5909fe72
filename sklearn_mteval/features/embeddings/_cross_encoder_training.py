"""Training a cross-encoder: on who is better, and on graded targets."""

import sys
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np
import torch
from scipy.special import logit
from sklearn.base import clone
from torch.nn import functional

from sklearn_mteval._helpers.progress import tracked
from sklearn_mteval.features.embeddings._cross_encoder_network import (
    HEAD,
    begin_with,
    untrained_network,
)
from sklearn_mteval.features.embeddings._step_gradients import Lanes, crew
from sklearn_mteval.features.embeddings._text_reader import TextReader, padded
from sklearn_mteval.features.embeddings._training_checkpoint import Checkpoint
from sklearn_mteval.text.windows import CHANCE

_READINGS_A_STEP = 64
_MOST_CANDIDATES = 6  # of a segment, in an epoch
_WARM_UP = 40  # steps at most
_HEAD_RATE = 0.001  # learning rate of the network above the encoder
_WEIGHTS = {"score": 1.0, "number": 0.7, "label": 0.3}  # of the losses
_DECAY = 0.01
_LOST = float(logit(CHANCE))  # log-odds of what has no counterpart
_TOKENS_A_BATCH = 256  # of a processor: with 12 layers of 384 dimensions some 0.2 GB


class InWindows(NamedTuple):
    """How translations are read in windows: the weight of each reading in each of them, of shape
    (n_translations, n_readings) and 1 in sum, and what each has added, as such a weight.
    """

    weights: np.ndarray
    added: np.ndarray


class Example(NamedTuple):
    """A segment: its distinct readings, which of them is better, by what weight, and targets.

    A reading is a tuple of texts, the translation last, or two that are compared. ``better`` and
    ``worse`` are positions in ``readings``, or of translations that are read ``in_windows``; a
    target is NaN where there is none. ``weight`` is that of the segment.
    """

    readings: list
    better: np.ndarray
    worse: np.ndarray
    weights: np.ndarray
    targets: np.ndarray
    weight: float = 1.0
    in_windows: InWindows | None = None


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


def train_cross_encoder(model, examples, scales, options, seed, start, *, dtype, n_jobs=None):
    """Train on examples, sorted by content; return weights, name → array, and losses."""
    n_texts = len(examples[0].readings[0])  # one more than columns where translations are compared
    options_of_network = {
        "n_outputs": 1 + len(scales), "seed": seed, "dtype": dtype,
        "n_translations": 1 + n_texts - len(options.columns),
    }  # fmt: skip
    network, adapters = untrained_network(model, options=options, **options_of_network)
    begin_with(start, network, adapters)
    reader = TextReader(model, n_texts)
    trained = [part for part in network.parameters() if part.requires_grad]
    ours = {name: part for name, part in network.named_parameters() if name in HEAD}
    optimizer = torch.optim.AdamW(
        [
            {"params": [p for a in adapters.values() for p in (a.down, a.up)]},
            {"params": list(ours.values()), "lr": _HEAD_RATE},
        ],
        lr=options.learning_rate, weight_decay=_DECAY,
    )  # fmt: skip
    n_steps = sum(1 for _ in _steps(examples, options, seed))
    warm_up = min(_WARM_UP, max(1, n_steps // 10))
    checkpoint = Checkpoint(
        options, (seed, examples, scales, sorted(start.items())), trained, optimizer
    )
    losses, own = checkpoint.losses, Lanes(network, reader)
    done = len(losses)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda k: min(1, (done + k + 1) / warm_up) * max(0.02, 1 - (done + k) / n_steps),
    )
    steps = islice(_steps(examples, options, seed), done, None)
    steps = tracked(steps, "training", "steps", total=n_steps - done, shown=options.progress)
    of_another = partial(_opened, n_texts=reader.n_texts, **options_of_network)
    with crew(own, of_another, clone(options), n_jobs) as together:
        for step in steps:
            losses.append(_backward(together, step, scales, options))
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            schedule.step()
            own.give_back()
            checkpoint.keep(finished=len(losses) == n_steps)
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


def _opened(options, *, n_texts, **options_of_network):
    """Return in another process the same network, untrained, and what reads texts for it."""
    model = options._open_model().loaded()
    network, _ = untrained_network(model, options=options, **options_of_network)
    return network, TextReader(model, n_texts)


def _steps(examples, options, seed):
    """Deal examples, in random order, to steps of about equally many readings; all epochs."""
    # Drawn anew each time that they are needed: to be counted, and to go on after a checkpoint.
    rng, drops = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    for _ in range(options.max_epochs):
        step, size = [], 0
        for k in rng.permutation(len(examples)):
            if size >= _READINGS_A_STEP:
                yield step
                step, size = [], 0
            some = _some(examples[k], rng)
            step.append(_dropped(some, drops.random(), options.text_dropout))
            size += len(some.readings)
        yield step


def _some(example, rng):
    """Take some candidates of a segment that has many."""
    n = len(example.targets)
    if n <= _MOST_CANDIDATES:
        return example
    chosen = np.sort(rng.permutation(n)[:_MOST_CANDIDATES])
    place = np.full(n, -1)
    place[chosen] = np.arange(len(chosen))
    better, worse = place[example.better], place[example.worse]
    kept = (better >= 0) & (worse >= 0)
    read, windows = chosen, example.in_windows
    if windows is not None:
        read = np.flatnonzero(windows.weights[chosen].any(axis=0))
        windows = InWindows(windows.weights[np.ix_(chosen, read)], windows.added[chosen])
    return Example(
        [example.readings[k] for k in read], better[kept], worse[kept], example.weights[kept],
        example.targets[chosen], example.weight, windows,
    )  # fmt: skip


def _dropped(example, drawn, rate):
    """Leave the source out at a rate, and the reference at the same: of all translations."""
    readings = example.readings
    if drawn >= 2 * rate or not all(a and b for a, b, _ in readings):  # never both
        return example
    changed = [("", b, text) if drawn < rate else (a, "", text) for a, b, text in readings]
    return example._replace(readings=changed)


def _backward(together, examples, scales, options):
    """Set the gradients of a step's loss, which is returned, in the memory of one batch.

    Outputs are computed without what gradients need; given the slopes of the loss in them, each
    batch is run again (Gao et al. 2021, "Scaling Deep Contrastive Learning Batch Size").
    """
    reader = together.own.reader
    encoded = reader.encode([texts for example in examples for texts in example.readings])
    order = sorted(range(len(encoded)), key=lambda k: len(encoded[k][0]), reverse=True)
    most = _TOKENS_A_BATCH if reader.device.type == "cpu" else sys.maxsize
    parts = list(_batches([padded(encoded[k][0]) for k in order], options.batch_size, most))
    batches = [[encoded[k] for k in order[part]] for part in parts]
    outputs = torch.cat(together.outputs(batches))[np.argsort(order)]
    outputs.requires_grad_()
    loss = _loss(outputs, examples, scales, options.margin)
    loss.backward()
    slopes = outputs.grad[order]
    together.add_gradients([slopes[part] for part in parts])
    return loss.item()


def _batches(lengths, batch_size, most):
    """Cut readings of falling lengths into slices of at most so many tokens, padding included."""
    start = 0
    while start < len(lengths):
        end = start + max(1, min(batch_size, most // lengths[start]))
        yield slice(start, end)
        start = end


def _loss(outputs, examples, scales, margin=0.0):
    """Add up the mean losses of decisions and of each target."""
    scores, added, place = _of_translations(outputs[:, 0], examples)
    sizes = [len(example.targets) for example in examples]
    starts = np.cumsum([0, *sizes])
    better, worse = (
        np.concatenate([getattr(e, side) + s for e, s in zip(examples, starts, strict=False)])
        for side in ("better", "worse")
    )
    targets = np.concatenate([example.targets for example in examples])
    loss = 0 * outputs.sum()
    if len(better):
        weights = torch.from_numpy(np.concatenate([e.weights * e.weight for e in examples]))
        apart = _apart(targets[better] - targets[worse], scales)
        more = torch.from_numpy(margin * apart).to(outputs)
        whole = torch.from_numpy(1 + added[better] + added[worse]).to(outputs)
        losses = functional.softplus(more + scores[worse] / whole - scores[better] / whole)
        weights = weights.to(outputs)
        loss = loss + _WEIGHTS["score"] * (losses * weights).sum() / weights.sum()
    of_row = np.repeat([example.weight for example in examples], sizes)
    for k, scale in enumerate(scales):
        there = np.flatnonzero(~np.isnan(targets[:, k]))
        if not len(there):
            continue
        found = outputs[place[there], 1 + k]
        known = torch.from_numpy((targets[there, k] - scale.mean) / scale.deviation).to(found)
        if scale.label:
            each = functional.binary_cross_entropy_with_logits(found, known, reduction="none")
        else:
            each = functional.smooth_l1_loss(found, known, reduction="none")
        weights = torch.from_numpy(of_row[there]).to(found)
        part = (each * weights).sum() / weights.sum()
        loss = loss + _WEIGHTS["label" if scale.label else "number"] * part
    return loss


def _of_translations(scores, examples):
    """Return of translations scores, what each has added, and which reading it is, -1: several."""
    means, added, places, start = [], [], [], 0
    for example in examples:
        n, windows = len(example.readings), example.in_windows
        own, place, more = scores[start : start + n], np.arange(start, start + n), np.zeros(n)
        if windows is not None:
            more, place = windows.added, np.full(len(windows.added), -1)
            lost = torch.from_numpy(_LOST * more).to(own)
            own = torch.from_numpy(windows.weights).to(own) @ own + lost
        means.append(own)
        added.append(more)
        places.append(place)
        start += n
    return torch.cat(means), np.concatenate(added), np.concatenate(places)


def _apart(differences, scales):
    """Average the absolute standardised differences of the numbers that both have, else 0."""
    numbers = [k for k, scale in enumerate(scales) if not scale.label]
    found = np.abs(differences[:, numbers]) / [scales[k].deviation for k in numbers]
    known = ~np.isnan(found)
    return np.where(known, found, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
