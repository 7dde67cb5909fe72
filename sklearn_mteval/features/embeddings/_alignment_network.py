"""A learned token alignment as a network: a projection, weights of tokens, a mixture of scores."""

from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

_SCALE = 20.0  # of scores at the start: a difference of 0.05 is then worth a logit of 1


class AlignmentNetwork(nn.Module):
    """Scores of translations from the vectors of their tokens: exp(s) (a P + b R + c cos).

    P and R are weighted means, over the tokens of two texts, of the highest cosine of projected
    vectors; cos is the cosine of their weighted means. A token h weighs softplus(w·h), equally
    much at the start. A translation is compared with its references, of which the best counts, or
    with its competitors, which count on average, or with ``both``: the sum, each with a, b and c.
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

        ``tokens`` (n_tokens, n_inputs) are those of the texts, one after another. A group,
        (references, hypotheses), lists the numbers of texts: of competing translations with the
        same references.
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
    """Return the directions in which vectors are longest, orthonormal rows: cosines hardly change.

    ``tokens`` has the shape (n_tokens, n_inputs). All directions, were there fewer than wanted.
    """
    width = tokens.shape[1]
    if n_dimensions >= width:
        return np.eye(width, dtype=np.float32)
    moments = np.zeros((width, width))
    for start in range(0, len(tokens), 4096):
        part = tokens[start : start + 4096].astype(np.float64)
        moments += part.T @ part
    return np.linalg.eigh(moments)[1][:, ::-1][:, :n_dimensions].T.astype(np.float32)
