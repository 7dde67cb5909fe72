"""Chunks from constituency trees, in the manner of CoNLL-2000 (Tjong Kim Sang & Buchholz 2000)."""

from itertools import pairwise

from sklearn_mteval.linguistic.trees.brackets import is_tag
from sklearn_mteval.linguistic.trees.shipped.grammars.heads import category, head_child

CHUNKS = ("NP", "VP", "PP", "ADJP", "ADVP", "SBAR", "PRT", "O")
_CHUNK_OF = {
    "NP": "NP", "NX": "NP", "NML": "NP", "WHNP": "NP", "QP": "NP", "VP": "VP", "PP": "PP",
    "WHPP": "PP", "ADJP": "ADJP", "WHADJP": "ADJP", "ADVP": "ADVP", "WHADVP": "ADVP",
    "SBAR": "SBAR", "PRT": "PRT",
}  # fmt: skip
# Phrases in front of a head that belong to its chunk.
_INSIDE = {
    "NP": {"ADJP", "QP", "NX", "NML", "UCP", "NAC"}, "VP": {"ADVP"}, "ADJP": {"ADVP", "QP", "ADJP"},
    "ADVP": {"ADVP", "QP"}, "PP": {"ADVP"}
}  # fmt: skip
_NEGATIONS = {"not", "n't", "n’t"}  # noqa: RUF001


def chunk_tags(tree):
    """Tag words with their chunks, B-NP, I-NP, … or O: mainly Buchholz's conversion."""
    chunks, children = _Chunks(tree), tree.children
    waiting = [(0, False)]
    while waiting:
        node, is_done = waiting.pop()
        parts = children[node]
        if is_done:
            chunks.end(node)
        elif is_tag(tree, node):
            chunks.add_word(node)
        elif any(not children[part] for part in parts):
            raise ValueError(f"expected each word alone under its tag, found others in {tree}.")
        else:
            chunks.firsts[node] = len(chunks.words)
            waiting.append((node, True))
            waiting += [(part, False) for part in reversed(parts)]
    return chunks.of_words()


class _Chunks:
    """The chunks of the words of a tree, whose nodes are read left to right, parts first."""

    def __init__(self, tree):
        self.tree = tree
        self.words, self.tags = [], []
        self.owner, self.kind = [], {}  # the head of each word's chunk, and its kind
        self.heads = {}  # node → position of its head word
        self.firsts, self.ends = {}, {}  # node → its first word, and the one behind its last

    def add_word(self, node):
        """Read a tag and its word, a chunk of its own until a phrase takes it."""
        self.heads[node] = self.firsts[node] = len(self.words)
        self.owner.append(len(self.words))
        self.words.append(self.tree.labels[self.tree.children[node][0]])
        self.tags.append(self.tree.labels[node])
        self.ends[node] = len(self.words)

    def end(self, node):
        """Give the words before the head of a finished node to its chunk."""
        self.ends[node] = len(self.words)
        parts = self.tree.children[node]
        label = category(self.tree.labels[node])
        kinds_of = [category(self.tree.labels[part]) for part in parts]
        at = head_child(label, kinds_of)
        head = self.heads[node] = self.heads[parts[at]]
        own = _CHUNK_OF.get(label)
        if own is None or self.kind.setdefault(head, own) != own:
            return
        self._take(parts[: at + 1], kinds_of, head, own)
        if own == "VP":
            self._extend(parts[at + 1 :], head)

    def _take(self, parts, kinds_of, head, own):
        """Give a chunk what stands before its head, from right to left, as far as it belongs."""
        children, owner = self.tree.children, self.owner
        for k in reversed(range(len(parts) - 1)):
            start = owner.index(head)
            first, end = self.firsts[parts[k]], self.ends[parts[k]]
            is_word = not children[children[parts[k]][0]]
            if end != start or not _belongs(own, kinds_of[k], is_word, k == 0):
                if own == "NP" and end == start and self.tags[end - 1] == "POS":
                    owner[end - 1] = head  # 's begins the chunk behind it
                return
            owner[first:end] = [head] * (end - first)

    def _extend(self, parts, head):
        """Give a negation, or an infinitive's words, right behind a verb to its chunk."""
        for part in parts:
            first = self.firsts[part]
            if self.owner[first - 1] != head:
                return
            if self.words[first].lower() in _NEGATIONS and self.tags[first] == "RB":
                self.owner[first] = head
            elif category(self.tree.labels[part]) == "S" and self.tags[first] == "TO":
                of_verb = self.heads[part]
                if self.kind.get(of_verb) == "VP":
                    tail = self.owner[first:]
                    self.owner[first:] = [head if own == of_verb else own for own in tail]
                return

    def of_words(self):
        """Write the chunk of each word as a tag."""
        for word, tag in enumerate(self.tags):
            if tag.startswith("VB") and self.owner[word] not in self.kind:
                self.kind[self.owner[word]] = "VP"  # a copula before its subject, say
        return [
            f"{'I' if before == head else 'B'}-{self.kind[head]}" if head in self.kind else "O"
            for before, head in pairwise([None, *self.owner])
        ]


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


def chunk_spans(tags):
    """Return chunks (start, end, kind), neighbours outside being one; any tags are legal."""
    spans = []
    for k, tag in enumerate(tags):
        kind = tag.partition("-")[2] or "O"
        if spans and spans[-1][2] == kind and not tag.startswith("B"):
            spans[-1] = (spans[-1][0], k + 1, kind)
        else:
            spans.append((k, k + 1, kind))
    return spans
