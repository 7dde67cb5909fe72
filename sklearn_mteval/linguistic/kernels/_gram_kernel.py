"""Rows of a Gram matrix of trees, compiled: one tree against all distinct subtrees at once."""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

PARTIAL, SUBSET, SUBTREE = 2, 1, 0  # of the last two, what a child that is cut off is worth


@compiled
def gram_rows(forest, rows, symmetric, kind, lam, mu, room, out):
    """Fill ``out[r, c]``, the kernels of the trees rows[r] and c, if ``symmetric`` up to itself."""
    group, group_starts, first, child_starts, children, child_groups, starts, nodes, counts = forest
    n_nodes = len(group)
    n_columns = out.shape[1]
    # A bit for each group of a node's children, groups modulo 64: masks without a common bit prove
    # that no children match; a common bit proves nothing, and the children are compared.
    masks = np.zeros(n_nodes, dtype=np.uint64)
    widest = 1
    for node in range(n_nodes):
        widest = max(widest, child_starts[node + 1] - child_starts[node])
        for at in range(child_starts[node], child_starts[node + 1]):
            masks[node] |= np.uint64(1) << np.uint64(child_groups[at] & 63)
    delta = np.empty(room)  # of each subtree of the row's tree with all others of its group
    base = np.zeros(n_nodes, dtype=np.int64)  # where in delta it begins, less its group's start
    sums = np.zeros(n_nodes)  # of delta over the subtrees of the row's tree
    prefix = np.empty(widest)
    for r in range(len(rows)):
        tree = rows[r]
        last = tree if symmetric else n_columns - 1
        used = 0
        for at in range(starts[tree], starts[tree + 1]):
            a, count = nodes[at], counts[at]
            low, high = group_starts[group[a]], group_starts[group[a] + 1]
            base[a] = used - low
            if first[high - 1] > last:
                high = low + np.searchsorted(first[low:high], last, side="right")
            # Parts come before wholes: Δ of the children of a and b is in delta already.
            for b in range(low, high):
                if kind == PARTIAL:
                    value = _partial(a, b, lam, mu, child_starts, children, child_groups,
                                     masks, base, delta, prefix)  # fmt: skip
                else:
                    value = _subset(
                        a, b, lam, kind, child_starts, children, child_groups, base, delta
                    )
                delta[used] = value
                sums[b] += count * value
                used += 1
        # K(t, c) = Σ Δ(a, b) over the nodes a of t and b of c; those of t are summed up already.
        for c in range(last + 1):
            total = 0.0
            for at in range(starts[c], starts[c + 1]):
                total += counts[at] * sums[nodes[at]]
            out[r, c] = total
        for at in range(starts[tree], starts[tree + 1]):
            g = group[nodes[at]]
            sums[group_starts[g] : group_starts[g + 1]] = 0


@compiled(inline="always")
def _partial(a, b, lam, mu, child_starts, children, child_groups, masks, base, delta, prefix):
    """Sum over all pairs of equally long child subsequences (Moschitti 2006), lengths at once: one
    that ends in i and j is worth Δ(i, j) times one and all before, each gap λ, in ``prefix``.
    """
    if not masks[a] & masks[b]:
        return mu * lam * lam
    low, high = child_starts[b], child_starts[b + 1]
    total = 0.0
    began = False
    for i in range(child_starts[a], child_starts[a + 1]):
        g = child_groups[i]
        if not (np.uint64(1) << np.uint64(g & 63)) & masks[b]:
            if began:
                for j in range(high - low):
                    prefix[j] *= lam
            continue
        if not began:
            for j in range(high - low):
                prefix[j] = 0.0
            began = True
        at = base[children[i]]
        run, diagonal = 0.0, 0.0
        for j in range(low, high):
            old = prefix[j - low]
            run *= lam
            if child_groups[j] == g:
                ended = delta[at + children[j]] * (1 + diagonal)
                total += ended
                run += ended
            prefix[j - low] = run + lam * old
            diagonal = old
    return mu * (lam * lam + total)


@compiled
def _subset(a, b, lam, cut_off, child_starts, children, child_groups, base, delta):
    """Multiply over the children of equal productions (Collins and Duffy 2002)."""
    if child_starts[a] == child_starts[a + 1]:
        return 0.0  # a word alone is no fragment
    shift = child_starts[b] - child_starts[a]
    product = lam
    for i in range(child_starts[a], child_starts[a + 1]):
        x, y = children[i], children[i + shift]
        if child_starts[x] == child_starts[x + 1] and child_starts[y] == child_starts[y + 1]:
            continue  # equal words
        value = delta[base[x] + y] if child_groups[i] == child_groups[i + shift] else 0.0
        product *= cut_off + value
    return product
