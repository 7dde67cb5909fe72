"""The pairwise network as torch modules (2015 paper, section 3.2)."""

import torch
from torch import nn

from sklearn_mteval.neural.pairwise.architecture import connections, swapped, zero_weights

__all__ = ["EncodedPairs", "PairNetwork"]


class PairNetwork(nn.Module):
    """Hidden units on pairs of embeddings, skip arcs for similarity features, one output.

    One masked matrix product computes all hidden units and the skip arcs
    (module ``architecture``); three separate layers and a concatenation cost twice the time.

    All weights start at zero; ``architecture.initial_weights`` draws them.

    Parameters
    ----------
    architecture : {"pairwise", "fully-connected", "single-layer"}
        Which connections there are.
    shape : InputShape
        Sizes of the blocks of an input row.
    hidden_units : int
        H, units of each group.
    both : bool
        Whether to compute the pair in both directions.
    """

    def __init__(self, architecture, shape, hidden_units, *, both=False):
        super().__init__()
        connected = connections(architecture, shape, hidden_units)
        for name, values in zero_weights(connected).items():
            self.register_parameter(name, nn.Parameter(torch.from_numpy(values)))
        self.both = both
        self.register_buffer("connected", torch.from_numpy(connected).float(), persistent=False)
        # Weights of missing connections start at 0; without a gradient they stay there.
        self.weight.register_hook(lambda gradient: gradient * self.connected)
        self.register_buffer("swap", torch.from_numpy(swapped(shape)), persistent=False)

    def forward(self, X):
        """Compute the output before the sigmoid.

        Parameters
        ----------
        X : Tensor of shape (n_pairs, n_inputs)
            ``[x_t1 | x_t2 | x_r | s_t1 | s_t2]``.

        Returns
        -------
        tuple of Tensor of shape (n_pairs,) and the same or None
            z(t1, t2) and, if ``both``, z(t2, t1).
        """
        forth = self._output(X, self.weight)
        return forth, self._output(X, self.weight[self.swap]) if self.both else None

    def _output(self, X, weight):
        """Run one direction."""
        sums = torch.addmm(self.bias, X, weight)  # few, fused operations: they are what costs
        hidden = torch.tanh(sums[:, :-1])
        return torch.addmv(sums[:, -1], hidden, self.output_weight)


class EncodedPairs(PairNetwork):
    """A pair network whose embeddings are made on the fly (2017 paper, sections 5.6, 5.7).

    Parameters
    ----------
    encoder : WordEncoder
        Turns texts into vectors, which stand first in the blocks of an input row.
    *network, **options
        As for :class:`PairNetwork`.
    """

    def __init__(self, encoder, *network, **options):
        super().__init__(*network, **options)
        self.encoder = encoder

    def forward(self, numbers, tokens, lengths, texts):
        """Encode the texts and run the network.

        Parameters
        ----------
        numbers : tuple of 4 Tensors with n_pairs rows
            Columns that stand beside the encodings: of t1, of t2, of the reference, then
            all similarity features.
        tokens : Tensor of shape (n_tokens,), int64
            Word ids of the distinct texts of the batch, one after another.
        lengths : Tensor of shape (n_texts,), int64
            Words of each.
        texts : Tensor of shape (n_pairs, 2 or 3), int64
            Which text t1, t2 and, if it is encoded, the reference are.

        Returns
        -------
        tuple
            As :meth:`PairNetwork.forward`.
        """
        encoded = self.encoder(tokens, lengths)
        parts = []
        for at, beside in enumerate(numbers[:3]):
            if at < texts.shape[1]:
                parts.append(encoded[texts[:, at]])
            parts.append(beside)
        return super().forward(torch.cat([*parts, numbers[3]], dim=1))
