"""A learned token alignment as a network: a projection, weights of tokens, a mixture of scores."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional

__all__ = ["AlignmentNetwork", "principal_directions"]

_SCALE = 20.0  # of scores at the start: a difference of 0.05 is then worth a logit of 1


class AlignmentNetwork(nn.Module):
    """Score = exp(s) (a P + b R + c cos) of pairs of texts, from the vectors of their tokens.

    P and R are weighted means, over the tokens of hypothesis and reference, of the highest cosine
    of projected vectors; cos is the cosine of their weighted means. A token h weighs
    softplus(w·h), equally much at the start.
    """

    def __init__(self, projection, *, half=False, competing=False):
        super().__init__()
        self.competing = competing  # whether the references are competitors, all of which count
        self.half = half  # whether the projection is computed in bfloat16
        self.projection = nn.Parameter(torch.as_tensor(projection, dtype=torch.float32))
        self.token_weights = nn.Parameter(torch.zeros(len(projection)))
        self.mixture = nn.Parameter(torch.tensor([0.5, 0.5, 0.0]))
        self.scale = nn.Parameter(torch.tensor(float(np.log(_SCALE))))

    def forward(self, tokens, lengths, hypotheses, references):
        """Return the scores of pairs, shape (n_pairs,).

        ``tokens`` (n_tokens, n_inputs) are those of the texts, one after another; the lists
        ``hypotheses`` and ``references`` say which texts are paired.
        """
        with torch.autocast(tokens.device.type, torch.bfloat16, enabled=self.half):
            vectors = functional.linear(tokens, self.projection)
        vectors = functional.normalize(vectors.float(), dim=-1)
        weights = functional.softplus(vectors @ self.token_weights)
        sizes = lengths.tolist()
        # Cut by text and not padded: a batch with one long text would need memory for many.
        texts = list(zip(vectors.split(sizes), weights.split(sizes), strict=True))
        means = [functional.normalize(part @ vectors, dim=-1) for vectors, part in texts]
        parts = []
        for h, r in zip(hypotheses, references, strict=True):
            if not sizes[h] or not sizes[r]:
                parts.append(vectors.new_zeros(3))
                continue
            cosines = texts[h][0] @ texts[r][0].T
            precision = cosines.amax(dim=1) @ texts[h][1] / texts[h][1].sum()
            recall = cosines.amax(dim=0) @ texts[r][1] / texts[r][1].sum()
            parts.append(torch.stack([precision, recall, means[h] @ means[r]]))
        return self.scale.exp() * (torch.stack(parts) @ self.mixture)

    def arrays(self):
        """Return projection, token weights and coefficients of P, R and cos as numpy arrays."""
        coefficients = self.scale.exp() * self.mixture
        parts = (self.projection, self.token_weights, coefficients)
        return [part.detach().cpu().numpy().copy() for part in parts]


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
