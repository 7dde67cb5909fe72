"""The pairwise network as torch modules (2015 paper, section 3.2)."""

import torch
from torch import nn

from sklearn_mteval.neural.pairwise.architectures import connections, zero_weights
from sklearn_mteval.neural.pairwise.input_rows import interleave


class PairNetwork(nn.Module):
    """Hidden units on pairs of embeddings, skip arcs for similarity features, one output.

    Takes what ``connections`` takes; ``both``: run (t2, t1) as well. Weights start at zero.
    """

    # One masked matrix product computes all hidden units and the skip arcs: three separate layers
    # and a concatenation cost twice the time.

    def __init__(self, architecture, layout, hidden_units, *, both=False):
        super().__init__()
        connected = connections(architecture, layout, hidden_units)
        for name, values in zero_weights(connected).items():
            self.register_parameter(name, nn.Parameter(torch.from_numpy(values)))
        self.both = both
        self.register_buffer("connected", torch.from_numpy(connected).float(), persistent=False)
        # Weights of missing connections start at 0; without a gradient they stay there.
        self.weight.register_hook(lambda gradient: gradient * self.connected)
        self.register_buffer("swapped", torch.from_numpy(layout.swapped), persistent=False)

    def forward(self, X):
        """Compute z(t1, t2) and, if ``both``, z(t2, t1), else None, from input rows."""
        forth = self._output(X, self.weight)
        return forth, self._output(X, self.weight[self.swapped]) if self.both else None

    def _output(self, X, weight):
        """Run one direction."""
        sums = torch.addmm(self.bias, X, weight)  # few, fused operations: they are what costs
        hidden = torch.tanh(sums[:, :-1])
        return torch.addmv(sums[:, -1], hidden, self.output_weight)


class EncodedPairNetwork(PairNetwork):
    """A pair network on texts that a WordEncoder turns into vectors (2017 paper, section 5.6)."""

    def __init__(self, encoder, *network, **options):
        super().__init__(*network, **options)
        self.encoder = encoder

    def forward(self, numbers, tokens, lengths, texts):
        """Encode the batch's texts and run the network.

        ``numbers`` are four parts of input rows; ``texts`` (n_pairs, 2 or 3) tells which text t1,
        t2 and, if it is encoded, the reference are.
        """
        encoded = self.encoder(tokens, lengths)
        vectors = [encoded[text] for text in texts.T]
        return super().forward(torch.cat(interleave(vectors, numbers), dim=1))
