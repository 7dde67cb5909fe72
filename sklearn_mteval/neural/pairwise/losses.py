r"""The cost functions of a pair (2015 paper, section 3.3 and section 6, eq. 6).

With f(t1, t2) = ŷ the network's output in (0, 1) and s = +1 if t1 is better, −1 if t2 is:

``logistic``
    −log of the probability of what the human decided, eq. 4 for one pair.
``kendall``
    sig(−γ s Δ) + exp(−β Δ²/2), with Δ = f(t1, t2) − f(t2, t1).

The first term of ``kendall`` is a smooth step: near 1 if the pair is discordant (s Δ < 0), near 0
if it is concordant, which is what the papers say that it must do. The second is largest, 1,
where Δ = 0, and so discourages ties. As extracted, the printed eq. 6 has lost its signs
(read with + inside both sigmoids it would *reward* discordance), prints "exp(Δ²/2)" without
the minus that makes it a Gaussian, and does not say which of its two constants, both 100,
stands where; hence the derivation from the purpose.

With ``symmetric`` the log-odds are z(t1, t2) − z(t2, t1), so that f(t2, t1) = 1 − f(t1, t2).
"""

import torch
from torch.nn.functional import softplus

__all__ = ["pair_costs"]


def pair_costs(forth, back, signs, *, objective, symmetric, gamma=100.0, beta=100.0):
    """Compute the cost of each pair.

    Parameters
    ----------
    forth : Tensor of shape (n_pairs,)
        Network's output z(t1, t2), before the sigmoid.
    back : Tensor of shape (n_pairs,) or None
        z(t2, t1); None where neither ``symmetric`` nor the objective needs it.
    signs : Tensor of shape (n_pairs,)
        s: +1 if t1 is better, −1 if t2 is.
    objective : {"logistic", "kendall"}
        Which cost.
    symmetric : bool
        Whether the log-odds are the difference of both directions.
    gamma : float, default=100
        γ, how steep the step is.
    beta : float, default=100
        β, how narrow the zone of ties is.

    Returns
    -------
    Tensor of shape (n_pairs,)
        Costs, ≥ 0; lower is better.
    """
    odds = forth - back if symmetric else forth
    if objective == "logistic":
        return softplus(-signs * odds)
    second = torch.sigmoid(-odds) if symmetric else torch.sigmoid(back)
    gap = torch.sigmoid(odds) - second
    return torch.sigmoid(-gamma * signs * gap) + torch.exp(-0.5 * beta * gap * gap)
