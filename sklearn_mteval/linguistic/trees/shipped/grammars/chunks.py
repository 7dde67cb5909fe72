"""Chunks from constituency trees, in the manner of CoNLL-2000 (Tjong Kim Sang & Buchholz 2000)."""

from sklearn_mteval.linguistic.trees.shipped.grammars.heads import category, head_child

CHUNKS = ("NP", "VP", "PP", "ADJP", "ADVP", "SBAR", "PRT", "O")
_CHUNK_OF = {
    "NP": "NP", "NX": "NP", "NML": "NP", "WHNP": "NP", "QP": "NP", "VP": "VP", "PP": "PP",
    "WHPP": "PP", "ADJP": "ADJP", "WHADJP": "ADJP", "ADVP": "ADVP", "WHADVP": "ADVP",
    "SBAR": "SBAR", "PRT": "PRT",
}  # fmt: skip
# Phrases in front of a head that belong to its chunk.
_INSIDE = {
    "NP": {"ADJP", "QP", "NX", "NML", "UCP", "NAC"},
    "VP": {"ADVP"},
    "ADJP": {"ADVP", "QP", "ADJP"},
    "ADVP": {"ADVP", "QP"},
    "PP": {"ADVP"},
}
_NEGATIONS = {"not", "n't", "n’t"}  # noqa: RUF001


def chunk_tags(tree):
    """Tag the words of a constituency tree with the chunks that they are in.

    A chunk is the head of a phrase with what stands before it in the phrase: ``[NP the old man]
    [PP with] [NP a hat]``. Verbs and their auxiliaries are one chunk, as are infinitives right
    behind their verb; a conjunction is the chunk SBAR; a verb in no phrase of its own is a chunk,
    too. What is in no chunk is tagged O.

    Parameters
    ----------
    tree : BracketTree
        Each word alone under its tag; function tags do not matter.

    Returns
    -------
    list of n_words str
        ``B-NP`` where a chunk begins, ``I-NP`` inside of it, ``O``.

    Raises
    ------
    ValueError
        If a word stands next to others under a node.

    References
    ----------
    Buchholz's conversion for the shared task of CoNLL-2000, in its main lines.
    """
    labels, children = tree.labels, tree.children
    words, tags, owner, kind = [], [], [], {}
    heads = {}  # node → position of its head word
    firsts, ends = {}, {}  # node → its first word, and the one behind its last

    def join(node):
        """Give the words before the head of a finished node to its chunk."""
        parts = children[node]
        label = category(labels[node])
        kinds_of = [category(labels[part]) for part in parts]
        at = head_child(label, kinds_of)
        head = heads[node] = heads[parts[at]]
        own = _CHUNK_OF.get(label)
        if own is None or kind.setdefault(head, own) != own:
            return
        for part, of_part in zip(parts[:at][::-1], kinds_of[:at][::-1], strict=True):
            start = owner.index(head)
            first, end, is_word = firsts[part], ends[part], not children[children[part][0]]
            if end != start or not _belongs(own, of_part, is_word, part == parts[0]):
                if own == "NP" and end == start and tags[end - 1] == "POS":
                    owner[end - 1] = head  # 's begins the chunk behind it
                break
            owner[first:end] = [head] * (end - first)
        if own == "VP":
            extend(parts[at + 1 :], head)

    def extend(parts, head):
        """Give a negation, or an infinitive's words, right behind a verb to its chunk."""
        for part in parts:
            first = firsts[part]
            if owner[first - 1] != head:
                break
            if words[first].lower() in _NEGATIONS and tags[first] == "RB":
                owner[first] = head
            elif category(labels[part]) == "S" and tags[first] == "TO":
                of_verb = heads[part]
                if kind.get(of_verb) == "VP":
                    owner[first:] = [head if own == of_verb else own for own in owner[first:]]
                break

    waiting = [(0, False)]
    while waiting:
        node, is_done = waiting.pop()
        parts = children[node]
        if is_done:
            ends[node] = len(words)
            join(node)
        elif len(parts) == 1 and not children[parts[0]]:
            heads[node] = firsts[node] = len(words)
            owner.append(len(words))
            words.append(labels[parts[0]])
            tags.append(labels[node])
            ends[node] = len(words)
        elif any(not children[part] for part in parts):
            raise ValueError(f"expected each word alone under its tag, found others in {tree}.")
        else:
            firsts[node] = len(words)
            waiting.append((node, True))
            waiting += [(part, False) for part in reversed(parts)]
    for word, tag in enumerate(tags):
        if tag.startswith("VB") and owner[word] not in kind:  # a copula before its subject, say
            kind[owner[word]] = "VP"
    return _tags(owner, kind)


def _belongs(own, part, is_word, is_first):
    """Tell whether a part before the head of a phrase is in its chunk."""
    if not is_word:
        # An adverb before the first verb of a verb phrase is a chunk of its own.
        return part in _INSIDE.get(own, ()) and not (own == "VP" and is_first)
    if own == "PP":
        return part in {"IN", "TO", "RB"}
    if own == "SBAR":
        return False
    return part[:1].isalpha() or part in {"$", "#"} or (own == "NP" and not is_first)


def _tags(owner, kind):
    """Write the owner of each word as tags."""
    befores = [None, *owner[:-1]]
    return [
        f"{'I' if before == head else 'B'}-{kind[head]}" if head in kind else "O"
        for before, head in zip(befores, owner, strict=True)
    ]


def chunk_spans(tags):
    """Return the chunks of a sentence as (start, end, kind); words outside are O chunks.

    An ``I`` behind another kind begins a chunk, so that any sequence of tags is legal; words
    outside that are neighbours share a chunk.
    """
    spans = []
    for k, tag in enumerate(tags):
        kind = tag.partition("-")[2] or "O"
        if spans and spans[-1][2] == kind and not tag.startswith("B"):
            spans[-1] = (spans[-1][0], k + 1, kind)
        else:
            spans.append((k, k + 1, kind))
    return spans
