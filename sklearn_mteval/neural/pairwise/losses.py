r"""The losses (2015 paper, section 3.3 and section 6, eq. 6).

With f(t1, t2) = ŷ the network's output in (0, 1) and s = +1 if t1 is better, −1 if t2 is:

``logistic``
    −log of the probability of what the human decided, eq. 4 for one pair.
``kendall``
    sig(−γ s Δ) + exp(−β Δ²/2), with Δ = f(t1, t2) − f(t2, t1).

The first term is a smooth step, near 1 if the pair is discordant; the second discourages ties. As
extracted, eq. 6 has lost its signs and would reward discordance; hence the derivation. For the
compiled solver an objective is also a branch of ``compiled_gradients.slope``.
"""

from collections.abc import Callable
from typing import NamedTuple


class Objective(NamedTuple):
    """A cost of pairs, a function in torch of logits, signs, γ and β; does it look at (t2, t1)?"""

    costs: Callable
    both_directions: bool


def _logistic(forth, back, signs, gamma, beta):
    """Eq. 4: −log sig(s z)."""
    from torch.nn.functional import softplus

    return softplus(-signs * forth)


def _kendall(forth, back, signs, gamma, beta):
    """Eq. 6."""
    gap = forth.sigmoid() - back.sigmoid()
    return (-gamma * signs * gap).sigmoid() + (-0.5 * beta * gap * gap).exp()


OBJECTIVES = {
    "logistic": Objective(_logistic, both_directions=False),
    "kendall": Objective(_kendall, both_directions=True),
}
# The objectives that each loss goes through, the later from the best epoch of the earlier.
LOSSES = {
    "logistic": ("logistic",),
    "kendall": ("kendall",),
    "logistic+kendall": ("logistic", "kendall"),
}


def objectives_of(loss, fresh, one_epoch):
    """Objectives of a fit: the second is for what was trained before, an epoch is of one."""
    objectives = LOSSES[loss]
    if not fresh:
        return objectives[-1:]
    return objectives[:1] if one_epoch else objectives


def needs_both_directions(objectives, symmetric):
    """Tell whether training looks at (t2, t1) as well as at (t1, t2)."""
    return bool(symmetric) or any(OBJECTIVES[name].both_directions for name in objectives)


def pair_costs(forth, back, signs, *, objective, symmetric, gamma=100.0, beta=100.0):
    """Compute the cost of each pair, Tensor of shape (n_pairs,), from the network's outputs."""
    if symmetric:  # the logit is antisymmetric, so that f(t2, t1) = 1 - f(t1, t2)
        forth = forth - back
        back = -forth
    return OBJECTIVES[objective].costs(forth, back, signs, gamma, beta)
