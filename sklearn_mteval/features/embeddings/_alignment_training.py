"""Training a learned token alignment on rankings."""

import numpy as np
import torch
from torch.nn import functional

from sklearn_mteval._helpers.progress import tracked
from sklearn_mteval.features.embeddings._alignment_network import (
    AlignmentNetwork,
    principal_directions,
)
from sklearn_mteval.features.embeddings._ranked_segments import units_of_segments
from sklearn_mteval.segments import hold_out

_SEGMENTS_AT_ONCE = 8
_HEAD_RATE = 0.005  # learning rate of the few numbers besides projection and encoder
_START_TEXTS = 2000  # whose tokens say where the projection starts


def train_alignment(segments, reader, options, seed, *, half):
    """Train on segments that have pairs, sorted by content.

    ``reader`` gives the tokens of texts, and has what is to be trained of the encoder; ``options``
    is a :class:`LearnedTokenAlignment`, whose fitted attributes are returned as a dict; ``half``
    says whether products are computed in bfloat16.
    """
    rng = np.random.default_rng(seed)
    training, held_out = _split(segments, options.validation_fraction, rng)
    start = _start(training, reader, options.n_dimensions)
    network = AlignmentNetwork(start, against=options.against, half=half)
    network.to(reader.device)
    optimizer = torch.optim.AdamW(
        [
            {"params": [network.projection], "lr": options.learning_rate},
            {"params": [network.token_weights, network.mixture, network.scale]},
            {"params": reader.parameters(), "lr": options.encoder_learning_rate},
        ],
        lr=_HEAD_RATE,
    )
    trained = [*network.parameters(), *reader.parameters()]
    losses = [_loss(network, reader, held_out)] if held_out else []
    best, kept = 0, _copies(trained)
    for _ in tracked(range(options.max_epochs), "training", "epochs", shown=options.progress):
        total = _epoch(network, reader, optimizer, training, rng)
        losses.append(_loss(network, reader, held_out) if held_out else total)
        if not held_out or losses[-1] < losses[best]:
            best, kept = len(losses) - 1, _copies(trained)
        elif len(losses) - 1 - best == options.patience:
            break
    with torch.no_grad():
        for part, values in zip(trained, kept, strict=True):
            part.copy_(values)
    return _finished(network, reader, losses)


def _split(segments, fraction, rng):
    """Hold out a proportion of the segments, those that share a reference together."""
    if fraction is None:
        return segments, []
    units = units_of_segments(segments)
    held_out = np.isin(units, hold_out(np.arange(units.max() + 1), fraction, rng))
    training, held = (np.flatnonzero(part).tolist() for part in (~held_out, held_out))
    return [segments[k] for k in training], [segments[k] for k in held]


def _start(segments, reader, n_dimensions):
    """Return the projection that training starts from: that aligns as well as what it projects."""
    texts = sorted({text for segment in segments for text in segment.texts()})
    texts = texts[:: -(-len(texts) // _START_TEXTS)]
    with torch.no_grad():
        parts = [
            reader(texts[k : k + 64])[0].half().cpu().numpy() for k in range(0, len(texts), 64)
        ]
    return principal_directions(np.concatenate(parts), n_dimensions)


def _epoch(network, reader, optimizer, segments, rng):
    """Take a step for each batch, in random order; return the mean loss."""
    order = rng.permutation(len(segments))
    losses = weights = 0.0
    for start in range(0, len(order), _SEGMENTS_AT_ONCE):
        batch = [segments[at] for at in order[start : start + _SEGMENTS_AT_ONCE]]
        loss, weight = _weighted_loss(network, reader, batch)
        optimizer.zero_grad()
        (loss / weight).backward()
        optimizer.step()
        losses, weights = losses + loss.item(), weights + weight
    return losses / weights


@torch.no_grad()
def _loss(network, reader, segments):
    """Return the mean loss of segments."""
    batches = range(0, len(segments), _SEGMENTS_AT_ONCE)
    found = [_weighted_loss(network, reader, segments[k : k + _SEGMENTS_AT_ONCE]) for k in batches]
    losses, weights = zip(*found, strict=True)
    return sum(loss.item() for loss in losses) / sum(weights)


def _weighted_loss(network, reader, segments):
    """Return the sum of the logistic losses of pairs, each times its weight, and of the weights."""
    number, groups, order = {}, [], []
    better, worse, weights = [], [], []
    for segment in segments:
        start, by_references = len(order), {}
        better.append(segment.better + start)
        worse.append(segment.worse + start)
        weights.append(segment.weights)
        for at, (hypothesis, texts) in enumerate(segment.candidates):
            there = by_references.setdefault(texts, {})
            there[number.setdefault(hypothesis, len(number))] = start + at
        for texts, there in by_references.items():
            references = [number.setdefault(text, len(number)) for text in texts]
            groups.append((references, list(there)))
            order += there.values()
    tokens, lengths = reader(list(number))
    better, worse = (
        torch.from_numpy(np.concatenate(k)).to(lengths.device) for k in (better, worse)
    )
    scores = network(tokens, lengths, groups)[np.argsort(order)]
    weights = np.concatenate(weights)
    weighing = torch.from_numpy(weights).to(scores)
    return (functional.softplus(scores[worse] - scores[better]) * weighing).sum(), weights.sum()


def _copies(parameters):
    return [part.detach().clone() for part in parameters]


def _finished(network, reader, losses):
    """Return what was trained, as arrays that a model is saved as."""
    projection, token_weights, coefficients = network.arrays()
    with np.errstate(over="ignore"):
        projection = projection.astype(np.float16)
    arrays = {
        "projection_": projection,
        "token_weights_": token_weights,
        "coefficients_": coefficients.astype(np.float64),
        "losses_": np.array(losses, dtype=np.float64),
    }
    encoder_weights = reader.arrays()
    numbers = *arrays.values(), *encoder_weights.values()
    if not all(np.isfinite(array).all() for array in numbers):
        raise ValueError(
            "Training diverged: its numbers are no longer finite. Lower learning_rate, or "
            "encoder_learning_rate."
        )
    return {**arrays, "encoder_weights_": encoder_weights}
