"""Projective dependency trees as actions of the machine, and back (arc-standard; Nivre 2004)."""

from sklearn_mteval.linguistic.trees.shipped.learning.machine import Action


def projective_heads(heads):
    """Lift the shortest arcs that cross others to their heads' heads (Nivre & Nilsson 2005)."""
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
        # Arc-standard: a word leaves the stack for good, so that its own dependents come first.
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
    """Describe words by heads and dependents (Ouchi et al. 2014): such as nsubj>LR."""
    sides = [["", ""] for _ in heads]
    for word, head in enumerate(heads):
        if head >= 0:
            sides[head][word > head] = "LR"[word > head]
    return [
        f"{relation}{'0' if head < 0 else '<>'[head > word]}{''.join(sides[word])}"
        for word, (head, relation) in enumerate(zip(heads, relations, strict=True))
    ]


def built_dependencies(actions):
    """Return the heads, -1 of the root, relations and labelled spans that actions build."""
    n = (len(actions) + 1) // 2
    heads, relations, spans, stack, place = [-1] * n, ["root"] * n, [], [], 0
    for kind, label, _ in actions:
        if kind == "shift":
            stack.append((place, place, place + 1))
            place += 1
            continue
        (top, split, end), (below, start, _) = stack.pop(), stack.pop()
        # A word is joined to its head when it has all of its own dependents: its span is whole.
        if kind == "right":
            head, dependent, span = top, below, (start, split, label)
        else:
            head, dependent, span = below, top, (split, end, label)
        heads[dependent], relations[dependent] = head, label
        spans.append(span)
        stack.append((head, start, end))
    return heads, relations, [*spans, (0, n, "root")]
