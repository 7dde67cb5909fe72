"""Which annotator judges which document: equal shares, some documents by two of them."""

import numpy as np


def deal(sizes, n_annotators, overlap, rng, budget=np.inf):
    """Deal documents of so many segments to annotators; list the documents of each, shuffled.

    About a proportion ``overlap`` of the segments is judged by two annotators, one document at
    least, unless more than ``budget`` would be judged then.
    """
    sizes = np.asarray(sizes)
    tasks, loads = [[] for _ in range(n_annotators)], np.zeros(n_annotators)

    def give(document, but=None):
        order = rng.permutation(n_annotators)
        free = [a for a in order if a != but]
        chosen = min(free, key=lambda annotator: loads[annotator])
        tasks[chosen].append(document)
        loads[chosen] += sizes[document]
        return chosen

    # The largest first, so that shares come out equal.
    shuffled = rng.permutation(len(sizes))
    order = shuffled[np.argsort(-sizes[shuffled], kind="stable")]
    owner = {document: give(document) for document in order.tolist()}
    wanted = overlap * sizes.sum() if n_annotators > 1 else 0
    free, left, is_first = budget - sizes.sum(), rng.permutation(len(sizes)).tolist(), wanted > 0
    while left := [k for k in left if sizes[k] <= free]:
        # Whoever has least is given a document of another.
        least = loads.argmin()
        document = next((k for k in left if owner[k] != least), left[0])
        if wanted < sizes[document] / 2 and not is_first:
            break
        left.remove(document)
        wanted, free, is_first = wanted - sizes[document], free - sizes[document], False
        give(document, but=owner[document])
    return [[task[k] for k in rng.permutation(len(task))] for task in tasks]
