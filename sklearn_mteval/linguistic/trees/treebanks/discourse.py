"""Discourse trees of sentences, taken from the discourse trees of documents."""

from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import accumulate, pairwise
from typing import NamedTuple

from sklearn_mteval.linguistic.trees.brackets import unescape_word
from sklearn_mteval.linguistic.trees.treebanks.rst import edu_spans, edus


class DiscourseMerge(NamedTuple):
    """Two spans of EDUs, [start, split) and [split, end), that belong together: "NS", "SN" or "NN",
    nucleus or satellite, and the relation of the satellite to the nucleus, or between nuclei.
    """

    start: int
    split: int
    end: int
    nuclearity: str
    relation: str


class SentenceDiscourse(NamedTuple):
    """What a document's discourse tree says of a sentence: tokens of each EDU in it, ``merges`` as
    of :func:`discourse_merges`, and whether the EDUs are exactly those of a subtree.
    """

    lengths: tuple
    merges: tuple
    complete: bool


def discourse_merges(tree):
    """Make a document's tree (:func:`read_rst`) binary: n_edus - 1 merges, parts before wholes,
    multinuclear nodes branching right (Heilman and Sagae 2015), satellites joined nearest first,
    then right before left; relations end at the first hyphen, but for ``same-unit``.
    """
    span_of, merges = edu_spans(tree), []
    for node in span_of:
        below = [child for child in tree.children[node] if child in span_of]
        parts = [(*span_of[child], *_role(tree.labels[child])) for child in below]
        merges += _binary(parts) if parts else []
    return sorted(merges, key=lambda merge: (merge.end, -merge.start))


def _role(label):
    """Split a node's label into "N" or "S" and its coarse relation."""
    kind, _, relation = label.partition(":")
    if relation.casefold() != "same-unit":
        relation = relation.partition("-")[0] or relation
    return kind[0], relation


def _binary(parts):
    """Merge the parts (start, end, role, relation) of a node, two at a time."""
    nuclei = [k for k, (_, _, role, _) in enumerate(parts) if role == "N"]
    merges = []

    def attach(start, end, satellites):
        """Merge a nucleus with the satellites behind it."""
        for split, satellite_end, _, relation in satellites:
            merges.append(DiscourseMerge(start, split, satellite_end, "NS", relation))
            end = satellite_end
        return start, end

    # A satellite between nuclei belongs to the one before it; that behind the last, to all.
    groups = [attach(*parts[k][:2], parts[k + 1 : following]) for k, following in pairwise(nuclei)]
    common = next((parts[k][3] for k in nuclei if parts[k][3] != "span"), "span")
    split, end = parts[nuclei[-1]][:2]
    for start, _ in reversed(groups):
        merges.append(DiscourseMerge(start, split, end, "NN", common))
        split = start
    start, end = attach(split, end, parts[nuclei[-1] + 1 :])
    for satellite_start, split, _, relation in parts[: nuclei[0]]:
        merges.append(DiscourseMerge(satellite_start, split, end, "SN", relation))
    return merges


def sentence_discourse(tree, sentences):
    """Divide the discourse tree of a document among its sentences, lists of tokens.

    But for white space and escapes, the characters must be those of the EDUs; a token is of the EDU
    of its first character, an EDU over a sentence's boundary is cut there. A sentence's tree is
    what is left of the document's without other EDUs; its relations may hold of larger spans.
    """
    of_split = {merge.split: (k, merge) for k, merge in enumerate(discourse_merges(tree))}
    text_of_edus = ["".join(map(_letters, tokens)) for tokens in edus(tree)]
    letters_of = [[*map(_letters, tokens)] for tokens in sentences]
    _check_same_text("".join(text_of_edus), letters_of)
    starts = [*accumulate(map(len, text_of_edus), initial=0)]  # of EDUs, then the end
    found, end = [], 0
    for tokens in letters_of:
        *places, after = accumulate(map(len, tokens), initial=end)
        start, end = end, after
        lengths = Counter(bisect_right(starts, place) - 1 for place in places)
        own = list(lengths)
        inside = range(own[0] + 1, own[-1] + 1) if own else ()
        # A boundary between EDUs is the split of exactly one merge, and a merge with EDUs of the
        # sentence in both parts has its split inside the sentence.
        wholes = [merge for _, merge in sorted(of_split[split] for split in inside)]
        is_complete = not own or (
            (start, end) == (starts[own[0]], starts[own[-1] + 1]) and _is_subtree(own, wholes)
        )
        merges = _restricted(wholes, own)
        found.append(SentenceDiscourse(tuple(lengths.values()), merges, is_complete))
    return found


def _is_subtree(own, merges):
    """Tell whether EDUs follow each other, and merges are of no others."""
    first, last = own[0], own[-1] + 1
    within = all(first <= merge.start and merge.end <= last for merge in merges)
    return within and len(own) == last - first


def _letters(token):
    """Write a token without white space, brackets as themselves."""
    return "".join(unescape_word(token).split())


def _check_same_text(of_edus, sentences):
    """Raise unless the EDUs and the sentences of a document are made of the same text."""
    for number, tokens in enumerate(sentences, 1):
        if not all(tokens):
            raise ValueError(f"sentences: sentence {number} has a token without a character.")
    text = "".join(token for tokens in sentences for token in tokens)
    if of_edus == text:
        return
    shorter = min(len(of_edus), len(text))
    place = next((k for k in range(shorter) if of_edus[k] != text[k]), shorter)
    raise ValueError(
        "sentences: expected, but for white space, the text of the EDUs; behind "
        f"{text[max(place - 20, 0) : place]!r} expected {of_edus[place : place + 20]!r}, "
        f"found {text[place : place + 20]!r}."
    )


def _restricted(merges, own):
    """Return merges of a document's EDUs as those of a sentence's, where both parts have some."""
    found = []
    for merge in merges:
        start, split, end = (bisect_left(own, place) for place in merge[:3])
        if start < split < end:
            found.append(DiscourseMerge(start, split, end, merge.nuclearity, merge.relation))
    return tuple(found)
