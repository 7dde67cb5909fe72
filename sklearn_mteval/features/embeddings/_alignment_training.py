"""Training a learned token alignment on rankings."""

from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from sklearn_mteval._helpers.progress import tracked
from sklearn_mteval.features.embeddings._ranked_segments import units_of_segments
from sklearn_mteval.segments import hold_out

_SEGMENTS_AT_ONCE = 8
_HEAD_RATE = 0.005  # learning rate of the few numbers besides projection and encoder
_START_TEXTS = 2000  # whose tokens say where the projection starts


def train_alignment(segments, reader, options, seed, *, half):
    """Train on segments with pairs, sorted by content; return the fitted attributes as a dict."""
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
    best, kept = 0, [part.detach().clone() for part in trained]
    for _ in tracked(range(options.max_epochs), "training", "epochs", shown=options.progress):
        total = _epoch(network, reader, optimizer, training, rng)
        losses.append(_loss(network, reader, held_out) if held_out else total)
        if not held_out or losses[-1] < losses[best]:
            best, kept = len(losses) - 1, [part.detach().clone() for part in trained]
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


_SCALE = 20.0  # of scores at the start: a difference of 0.05 is then worth a logit of 1


class AlignmentNetwork(nn.Module):
    """Scores of translations from the vectors of their tokens: exp(s) (a P + b R + c cos).

    As :class:`LearnedTokenAlignment`; of "both" the sum, each with its own a, b and c.
    """

    def __init__(self, projection, *, against="reference", half=False):
        super().__init__()
        self.against, self.half = against, half  # half: the projection is computed in bfloat16
        self.projection = nn.Parameter(torch.as_tensor(projection, dtype=torch.float32))
        self.token_weights = nn.Parameter(torch.zeros(len(projection)))
        start = [[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]][: 2 if against == "both" else 1]
        self.mixture = nn.Parameter(torch.tensor(start))
        self.scale = nn.Parameter(torch.tensor(float(np.log(_SCALE))))

    def forward(self, tokens, lengths, groups):
        """Return the scores of the translations of all groups, one after another.

        A group, (references, hypotheses), lists numbers of texts, whose tokens follow each other.
        """
        with torch.autocast(tokens.device.type, torch.bfloat16, enabled=self.half):
            vectors = functional.linear(tokens, self.projection)
        vectors = functional.normalize(vectors.float(), dim=-1)
        weights = functional.softplus(vectors @ self.token_weights)
        sizes = lengths.tolist()
        # Cut by text and not padded: a batch with one long text would need memory for many.
        texts = [
            _Text(units, part / part.sum(), functional.normalize(part @ units, dim=-1))
            for units, part in zip(vectors.split(sizes), weights.split(sizes), strict=True)
        ]
        scores = []
        for references, hypotheses in groups:
            there = [texts[k] for k in hypotheses]
            of_references = [_against(texts[k], there) @ self.mixture[0] for k in references]
            found = torch.stack(of_references).amax(dim=0) if of_references else 0
            if self.against != "reference":
                found = found + _against_competitors(there) @ self.mixture[-1]
            scores.append(found)
        return self.scale.exp() * torch.cat(scores)

    def arrays(self):
        """Return projection, token weights and coefficients of P, R and cos as numpy arrays."""
        coefficients = self.scale.exp() * self.mixture
        parts = (self.projection, self.token_weights, coefficients)
        return [part.detach().cpu().numpy().copy() for part in parts]


class _Text(NamedTuple):
    """A text's tokens, their weights, which sum to 1, and its mean vector."""

    units: torch.Tensor
    weights: torch.Tensor
    mean: torch.Tensor


def _matched(text, others):
    """Return how well the tokens of a text are matched by each other text, shape (n_others,)."""
    units = torch.cat([other.units for other in others])
    cosines = (units @ text.units.T).split([len(other.units) for other in others])
    return torch.stack([part.amax(dim=0) for part in cosines]) @ text.weights


def _against(reference, texts):
    """Return P, R and cos of texts against a reference, shape (n_texts, 3); 0 without tokens."""
    found = reference.units.new_zeros(len(texts), 3)
    there = [k for k, text in enumerate(texts) if len(text.units)]
    if not there or not len(reference.units):
        return found
    texts = [texts[k] for k in there]
    best = (torch.cat([text.units for text in texts]) @ reference.units.T).amax(dim=1)
    parts = best.split([len(text.units) for text in texts])
    precision = [part @ text.weights for part, text in zip(parts, texts, strict=True)]
    cosine = torch.stack([text.mean for text in texts]) @ reference.mean
    parts = [torch.stack(precision), _matched(reference, texts), cosine]
    return found.index_put((torch.tensor(there, device=found.device),), torch.stack(parts, dim=1))


def _against_competitors(texts):
    """Return P, R and cos of each text, mean over all others, shape (n_texts, 3)."""
    found = texts[0].units.new_zeros(len(texts), 3)
    there = [k for k, text in enumerate(texts) if len(text.units)]
    if len(there) < 2:
        return found
    filled = [texts[k] for k in there]
    precision = torch.stack([_matched(text, filled) for text in filled])
    means = torch.stack([text.mean for text in filled])
    others = 1 - torch.eye(len(filled), device=found.device)
    parts = [
        (matrix * others).sum(dim=1) / (len(texts) - 1)
        for matrix in (precision, precision.T, means @ means.T)
    ]
    return found.index_put((torch.tensor(there, device=found.device),), torch.stack(parts, dim=1))


def principal_directions(tokens, n_dimensions):
    """Return the directions in which vectors are longest, orthonormal rows, as many as wanted."""
    width = tokens.shape[1]
    if n_dimensions >= width:
        return np.eye(width, dtype=np.float32)
    moments = np.zeros((width, width))
    for start in range(0, len(tokens), 4096):
        part = tokens[start : start + 4096].astype(np.float64)
        moments += part.T @ part
    return np.linalg.eigh(moments)[1][:, ::-1][:, :n_dimensions].T.astype(np.float32)
