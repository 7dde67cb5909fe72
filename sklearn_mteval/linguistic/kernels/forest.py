"""Many trees as one: every distinct subtree once, numbered, as arrays for compiled kernels.

After Aiolli, Da San Martino, Sperduti and Moschitti 2006, "Fast on-line kernel learning for trees".
"""

from typing import NamedTuple

import numpy as np


class Forest(NamedTuple):
    """Distinct subtrees, by groups of those that may match, and the trees that they stand in.

    The subtrees of group g are those from ``group_starts[g]`` to ``group_starts[g + 1]``, in the
    order of the first tree that has them, ``first``. Their children are subtrees as well,
    ``children[child_starts[k]:child_starts[k + 1]]``. Tree t has the subtrees
    ``nodes[tree_starts[t]:tree_starts[t + 1]]``, parts before wholes, ``counts`` times each.
    """

    group: np.ndarray
    group_starts: np.ndarray
    first: np.ndarray
    child_starts: np.ndarray
    children: np.ndarray
    child_groups: np.ndarray
    tree_starts: np.ndarray
    nodes: np.ndarray
    counts: np.ndarray


def plant(trees, key):
    """Number the distinct subtrees of trees; ``key(label, child_labels)`` tells which may match."""
    number_of, groups, labels, children = {}, {}, [], []
    group, first, nodes, counts, sizes = [], [], [], [], []
    for number, tree in enumerate(trees):
        below = [[] for _ in tree.labels]
        found = {}
        for node in range(len(tree.labels) - 1, -1, -1):
            # Equal labels over parts of equal numbers: equal subtrees, without a look below.
            parts = tuple(below[node][::-1])
            name = tree.labels[node], parts
            known = number_of.get(name)
            if known is None:
                known = number_of[name] = len(number_of)
                labels.append(tree.labels[node])
                children.append(parts)
                alike = key(tree.labels[node], tuple([labels[part] for part in parts]))
                group.append(groups.setdefault(alike, len(groups)))
                first.append(number)
            found[known] = found.get(known, 0) + 1
            if tree.parents[node] >= 0:
                below[tree.parents[node]].append(known)
        nodes.extend(found)
        counts.extend(found.values())
        sizes.append(len(found))
    # Numbered anew, group after group.
    group = np.array(group, dtype=np.int64)
    order = np.argsort(group, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    flat = place[np.array([part for k in order for part in children[k]], dtype=np.int64)]
    return Forest(
        group=group[order], group_starts=np.cumsum([0, *np.bincount(group, minlength=len(groups))]),
        first=np.array(first, dtype=np.int64)[order],
        child_starts=np.cumsum([0, *(len(children[k]) for k in order)]), children=flat,
        child_groups=group[order][flat], tree_starts=np.cumsum([0, *sizes]),
        nodes=place[np.array(nodes, dtype=np.int64)], counts=np.array(counts, dtype=np.float64)
    )  # fmt: skip
