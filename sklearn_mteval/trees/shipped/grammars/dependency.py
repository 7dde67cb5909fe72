"""Projective dependency trees as actions of the machine, and back (arc-standard; Nivre 2004)."""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled
from sklearn_mteval.trees.shipped.learning.machine import KINDS, Action

__all__ = ["dependency_derivation", "projective_heads", "read_heads", "supertags"]


def projective_heads(heads):
    """Make a tree projective: lift the shortest arc that crosses another to its head's head.

    ``heads`` are positions, -1 of the root (Nivre & Nilsson 2005, without marks).
    """
    heads = list(heads)
    while True:
        crossing = [k for k in range(len(heads)) if heads[k] >= 0 and _is_crossed(heads, k)]
        if not crossing:
            return heads
        shortest = min(crossing, key=lambda k: (abs(heads[k] - k), k))
        heads[shortest] = heads[heads[shortest]]


def _is_crossed(heads, dependent):
    """Tell whether words between a word and its head do not depend on the head."""
    head = heads[dependent]
    for k in range(min(head, dependent) + 1, max(head, dependent)):
        above = k
        while above >= 0 and above != head:
            above = heads[above]
        if above < 0:
            return True
    return False


def dependency_derivation(heads, relations):
    """Return the actions that build a projective tree: words are joined as soon as they can be."""
    missing = [0] * len(heads)
    for head in heads:
        if head >= 0:
            missing[head] += 1
    actions, stack = [], []
    for word in range(len(heads)):
        stack.append(word)
        actions.append(Action("shift"))
        while len(stack) > 1:
            below, top = stack[-2:]
            if heads[below] == top and not missing[below]:
                actions.append(Action("right", relations[below]))
                head, dependent = top, below
            elif heads[top] == below and not missing[top]:
                actions.append(Action("left", relations[top]))
                head, dependent = below, top
            else:
                break
            stack[-2:] = [head]
            missing[heads[dependent]] -= 1
    return actions


def supertags(heads, relations):
    """Describe each word by what it depends on and what depends on it (Ouchi et al. 2014).

    ``nsubj>LR``: a subject whose head follows, with dependents on both sides.
    """
    sides = [["", ""] for _ in heads]
    for word, head in enumerate(heads):
        if head >= 0:
            sides[head][word > head] = "LR"[word > head]
    return [
        f"{relation}{'0' if head < 0 else '<>'[head > word]}{''.join(sides[word])}"
        for word, (head, relation) in enumerate(zip(heads, relations, strict=True))
    ]


def read_heads(derived, counts, bounds, machine):
    """Return the heads of all words, positions in their sentence, -1 of roots; and the actions.

    ``derived`` and ``counts`` are what the dependency machine predicts; the action of a word is
    the one that joined it to its head, -1 of roots.
    """
    kinds = np.array([KINDS[action.kind] for action in machine.actions], dtype=np.int64)
    return _read_heads(derived, counts, bounds, kinds, KINDS["shift"], KINDS["right"])


@compiled
def _read_heads(derived, counts, bounds, kinds, shift, right):
    """See ``read_heads``."""
    heads = np.full(bounds[-1], -1, dtype=np.int64)
    joined = np.full(bounds[-1], -1, dtype=np.int64)
    stack = np.empty(max(bounds[-1], 1), dtype=np.int64)
    step = 0
    for k in range(len(bounds) - 1):
        start, n = bounds[k], bounds[k + 1] - bounds[k]
        if not counts[k]:
            continue
        size, place = 0, 0
        for _ in range(2 * n - 1):
            action = derived[step]
            step += 1
            if kinds[action] == shift:
                stack[size] = place
                size += 1
                place += 1
                continue
            below, top = stack[size - 2], stack[size - 1]
            size -= 1
            head, dependent = (top, below) if kinds[action] == right else (below, top)
            heads[start + dependent], joined[start + dependent] = head, action
            stack[size - 1] = head
    return heads, joined
