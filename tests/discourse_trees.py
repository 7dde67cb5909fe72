"""The tree that merges of EDUs say, built node by node: what the shipped printing must write."""

from sklearn_mteval.linguistic.trees.brackets import escape_word
from sklearn_mteval.trees import BracketTree

__all__ = ["discourse_tree"]


def discourse_tree(edus, merges):
    """Make the discourse tree of a sentence from its EDUs, words or trees, and their merges."""
    if not len(edus) and not len(merges):
        return BracketTree(("",), (-1,))
    of_span = {(merge.start, merge.end): merge for merge in merges}
    labels, parents = [], []
    waiting = [(0, len(edus), "N", -1)]
    while waiting:
        start, end, role, parent = waiting.pop()
        node, merge = len(labels), of_span.get((start, end))
        parents.append(parent)
        if end == start + 1:
            labels.append("EDU:NUCLEUS" if role == "N" else "EDU:SATELLITE")
            for part in edus[start]:
                if isinstance(part, str):
                    part = BracketTree((escape_word(part),), (-1,))
                shift = len(labels)
                labels += part.labels
                parents += (node if above < 0 else above + shift for above in part.parents)
        else:
            labels.append(f"DIS:{merge.relation}")
            left, right = merge.nuclearity
            waiting.append((merge.split, end, right, node))
            waiting.append((start, merge.split, left, node))
    return BracketTree(tuple(labels), tuple(parents))
