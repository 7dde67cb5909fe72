"""Constituency trees as actions of the machine, and back (after Sagae & Lavie 2005).

A constituent's unfinished parts are *open*. A chain of constituents with one child each is one
label, ``S+VP``; over a single word it belongs to the shift.
"""

from sklearn_mteval.linguistic.trees.shipped.grammars.heads import category, head_child
from sklearn_mteval.linguistic.trees.shipped.learning.machine import Action

_ROOT = "ROOT"


def constituency_derivation(tree):
    """Return the actions that build a tree, its function tags and ``ROOT`` left out."""
    labels, children = tree.labels, tree.children
    actions, waiting = [], [0]  # nodes, and actions that follow what was put behind them
    while waiting:
        node = waiting.pop()
        if isinstance(node, Action):
            actions.append(node)
            continue
        chain = []
        while len(children[node]) == 1 and children[children[node][0]]:
            _append(chain, category(labels[node]))
            node = children[node][0]
        parts = children[node]
        if len(parts) == 1:
            actions.append(Action("shift", "+".join(chain)))
            continue
        _append(chain, category(labels[node]))
        label = "+".join(chain)
        head = head_child(chain[-1] if chain else _ROOT, [category(labels[k]) for k in parts])
        # Head outwards, right neighbours first: what is joined on the right is on top of the stack
        # when it is complete; the left ones wait below the head until all right ones are joined.
        steps = list(parts[: head + 1])
        for part in parts[head + 1 :]:
            steps += [part, Action("left", label, is_open=True)]
        steps += [Action("right", label, is_open=True)] * head
        steps[-1] = steps[-1]._replace(is_open=False)
        waiting += reversed(steps)
    return actions


def _append(chain, label):
    """Append a label to a chain, unless it is the root's or that of the node above."""
    if label != _ROOT and label not in chain[-1:]:
        chain.append(label)


def constituent_spans(actions):
    """Return the constituents that actions build: (start, end, label), parts before wholes."""
    spans, stack, place = [], [], 0
    for kind, label, is_open in actions:
        if kind == "shift":
            start, place = place, place + 1
        else:
            stack.pop()
            start = stack.pop()
        stack.append(start)
        if label and not is_open:
            spans += [(start, place, part) for part in reversed(label.split("+"))]
    return spans
