"""Binary discourse trees as actions of the machine, and back; what it sees of an EDU."""

import numpy as np

from sklearn_mteval.linguistic.trees.shipped.learning.machine import Action
from sklearn_mteval.linguistic.trees.treebanks.discourse import DiscourseMerge

_KIND = {"NS": "left", "SN": "right", "NN": "left"}
# Which words of an EDU, and what of each: the first ones that are no punctuation, the last ones.
_PLACES = {
    "w1": ("lower", "tag", "chunk", "c128"), "w2": ("lower", "tag"), "w3": ("lower",),
    "wl": ("lower", "tag"), "wk": ("lower", "tag")
}  # fmt: skip
EDU_COLUMNS = (
    *(f"{place}{column}" for place, columns in _PLACES.items() for column in columns),
    "words", "final",
)  # fmt: skip
_ABSENT = -7
_ROLES = {"N": "EDU:NUCLEUS", "S": "EDU:SATELLITE"}


def discourse_derivation(n_edus, merges):
    """Return the actions that build a tree of DiscourseMerge, each a nuclearity and a relation."""
    waiting = sorted(merges, key=lambda merge: (merge.end, -merge.start))[::-1]
    actions = []
    for edu in range(n_edus):
        actions.append(Action("shift"))
        while waiting and waiting[-1].end == edu + 1:
            merge = waiting.pop()
            label = f"{merge.nuclearity}:{merge.relation}"
            actions.append(Action(_KIND[merge.nuclearity], label))
    return actions


def merges_of(actions):
    """Return the tree that actions build as DiscourseMerge, parts before wholes."""
    merges, stack, edu = [], [], 0
    for kind, label, _ in actions:
        if kind == "shift":
            stack.append((edu, edu + 1))
            edu += 1
            continue
        (split, end), (start, _) = stack.pop(), stack.pop()
        nuclearity, _, relation = label.partition(":")
        merges.append(DiscourseMerge(start, split, end, nuclearity, relation))
        stack.append((start, end))
    return merges


def discourse_spans(actions, bounds):
    """Return the EDUs and the relations that actions build: (start, end, label), parts first."""
    if len(bounds) == 2:
        return [(bounds[0], bounds[1], _ROLES["N"])]
    spans = []
    for start, split, end, nuclearity, relation in merges_of(actions):
        for first, last, role in ((start, split, nuclearity[0]), (split, end, nuclearity[1])):
            if last == first + 1:
                spans.append((bounds[first], bounds[last], _ROLES[role]))
        spans.append((bounds[start], bounds[end], f"DIS:{relation}"))
    return spans


def edu_columns(tokens, columns, bounds, edu_bounds):
    """Return what the machine sees of each EDU, (n_edus, n_columns), int32, of words' columns."""
    starts, ends = edu_bounds[:-1], edu_bounds[1:]
    is_mark = tokens[:, columns.index("flag")] & 16 > 0
    # The next word from each on that is no mark, the end if none is.
    words = np.where(is_mark, len(is_mark), np.arange(len(is_mark)))
    first = np.minimum(np.minimum.accumulate(words[::-1])[::-1][starts], ends - 1)
    found = []
    places = first, first + 1, first + 2, ends - 1, ends - 2
    for at, names in zip(places, _PLACES.values(), strict=True):
        there = (starts <= at) & (at < ends)
        rows = np.where(there, at, 0)
        found += [np.where(there, tokens[rows, columns.index(name)], _ABSENT) for name in names]
    size = ends - starts
    size = np.where(size < 5, size, 5 + (size > 8) + (size > 15))
    return np.column_stack([*found, size, np.isin(ends, bounds[1:])]).astype(np.int32)
