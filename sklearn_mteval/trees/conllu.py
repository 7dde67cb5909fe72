"""Dependency trees, and the CoNLL-U files of Universal Dependencies that hold them."""

import re
from bisect import bisect_left
from typing import NamedTuple

from sklearn_mteval._helpers.atomic import write_atomically
from sklearn_mteval._helpers.files import decoded, open_file
from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.text.parsing.brackets import BracketTree, escape_word, unescape_word

__all__ = [
    "ConlluSentence", "conllu_sentences", "dependencies", "dependency_tree", "format_conllu",
    "read_conllu", "write_conllu",
]  # fmt: skip

_TAGS = {"upos": 3, "xpos": 4}  # the columns, from 0
_ID = re.compile(r"(0|[1-9][0-9]{0,8})(?:([-.])([1-9][0-9]{0,8}))?")
_HEAD = re.compile(r"0|[1-9][0-9]{0,8}")
_TEXT = re.compile(r"#\s*text\s*=(.*)", re.DOTALL)
_MARK = re.compile(r"#[0-9]+$")
_EMPTY = BracketTree(("",), (-1,))


class ConlluSentence(NamedTuple):
    """A sentence of a CoNLL-U file.

    Attributes
    ----------
    words : tuple of n_words str
        Syntactic words, as the file has them.
    tags : tuple of n_words str
        Their parts of speech; "_" where the file has none.
    heads : tuple of n_words int
        1-based position of each word's head; 0 for the root.
    relations : tuple of n_words str
        Relation of each word to its head.
    text : str
        The sentence as it was before it was split into words.
    """

    words: tuple
    tags: tuple
    heads: tuple
    relations: tuple
    text: str


def read_conllu(path, *, tags="xpos", max_bytes=None):
    """Read the dependency trees of a CoNLL-U file.

    Parameters
    ----------
    path : path-like
        As of :func:`conllu_sentences`.
    tags : {"xpos", "upos"}, default="xpos"
        Which column gives the parts of speech: that of the treebank's own tags, in English mostly
        the Penn Treebank's, or that of the universal ones.
    max_bytes : int, optional
        As of :func:`conllu_sentences`.

    Returns
    -------
    list of BracketTree
        As :func:`dependency_tree` makes them.

    Raises
    ------
    DataFileError
        As of :func:`conllu_sentences`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn_mteval.trees import dependency_tree, read_conllu, write_conllu
    >>> tree = dependency_tree(["It", "works"], ["PRP", "VBZ"], [2, 0], ["nsubj", "root"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "trees.conllu")
    ...     write_conllu([tree], file)
    ...     print(*read_conllu(file))
    (root (nsubj (PRP It)) (VBZ works))
    """
    sentences = conllu_sentences(path, tags=tags, max_bytes=max_bytes)
    return [dependency_tree(*sentence[:4]) for sentence in sentences]


def conllu_sentences(path, *, tags="xpos", max_bytes=None):
    """Read a CoNLL-U file, sentence by sentence.

    Parameters
    ----------
    path : path-like
        UTF-8 text of ten columns a word and an empty line behind each sentence, which the last one
        may lack; a gzip file of it, a pipe, or "-", standard input.
    tags : {"xpos", "upos"}, default="xpos"
        As of :func:`read_conllu`.
    max_bytes : int, optional
        The most that it may hold. None: 64 GiB, and 16 MiB a line.

    Returns
    -------
    iterator of ConlluSentence
        In the file's order. Words are the syntactic ones: ranges of several words (``8-9``) and
        empty nodes (``8.1``) are left out. The text is that of ``# text =`` if it is there, else
        it is made of the words, or of the ranges over them, with spaces unless ``SpaceAfter=No``
        is said.

    Raises
    ------
    DataFileError
        Naming the line, if there is another number of columns, words are not counted 1, 2, 3, a
        form, tag or relation is empty, a range or an empty node is malformed, a head is no number
        or out of range, heads lead back to their word, or there is not exactly one root.
    """
    check_one_of("tags", tags, _TAGS)
    return _sentences(path, _TAGS[tags], max_bytes)


def _sentences(path, tag_column, max_bytes):
    """Generate the sentences of a file."""
    lines = []  # of a sentence: number and text
    with open_file(path, max_bytes=max_bytes, zipped=True, pipes=True) as file:
        for number, content in enumerate(file, 1):
            line = decoded(path, content, number).removesuffix("\n").removesuffix("\r")
            if line:
                lines.append((number, line))
            elif lines:
                yield from _sentence(path, lines, tag_column)
                lines = []
    if lines:
        yield from _sentence(path, lines, tag_column)


def _sentence(path, lines, tag_column):
    """Generate the one sentence of a block of lines, or none if all of them are comments."""
    text, rows, line_of, pieces = None, [], [], []
    last, inner, covered = 0, 0, 0  # last word, last empty node behind it, last word of a range
    for number, line in lines:
        if line.startswith("#") and not pieces and not inner:
            found = _TEXT.fullmatch(line)
            text = found.group(1).strip() if found and text is None else text
            continue
        columns = line.split("\t")
        if len(columns) != 10 or not all(columns):
            n_found = f"{len(columns)}" + (", some empty" if not all(columns) else "")
            problem = f"expected 10 columns between tabs, '_' for nothing, found {n_found}."
            raise DataFileError(path, f"{problem} An empty line ends a sentence.", number)
        name = columns[0]
        found = _ID.fullmatch(name)
        first, sign, end = found.groups() if found else (None, None, None)
        space = "" if "SpaceAfter=No" in columns[9].split("|") else " "
        if sign == "-" and int(first) == last + 1 > covered and int(end) > last:
            covered, covered_line = int(end), number
            pieces += columns[1], space
        elif sign == "." and int(first) == last and int(end) == inner + 1:
            inner += 1
        elif found and not sign and int(first) == last + 1:
            last, inner = last + 1, 0
            if last > covered:
                pieces += columns[1], space
            if not _HEAD.fullmatch(columns[6]):
                problem = f"expected the number of a word or 0 as a head, found {columns[6][:40]!r}"
                raise DataFileError(path, f"{problem}.", number)
            rows.append((columns[1], columns[tag_column], int(columns[6]), columns[7]))
            line_of.append(number)
        else:
            expected = f"word {last + 1}, an empty node {last}.{inner + 1}"
            if covered <= last:
                expected += f" or a range from {last + 1}"
            raise DataFileError(path, f"expected {expected}, found the id {name[:40]!r}.", number)
    if covered > last:
        problem = f"the range ends with word {covered}, the sentence has {last}."
        raise DataFileError(path, problem, covered_line)
    if not rows:
        if text or inner:
            raise DataFileError(path, "a sentence without words.", lines[0][0])
        if text is not None:
            yield ConlluSentence((), (), (), (), "")
        return
    words, tags, heads, relations = zip(*rows, strict=True)
    fault = _fault(heads)
    if fault:
        raise DataFileError(path, f"word {fault[0]}: {fault[1]}", line_of[fault[0] - 1])
    text = "".join(pieces).strip() if text is None else text
    yield ConlluSentence(words, tags, heads, relations, text)


def _fault(heads):
    """Return the word at which heads make no tree, and why; None if they do."""
    for word, head in enumerate(heads, 1):
        if not 0 <= head <= len(heads):
            return word, f"expected a head from 0 to {len(heads)}, found {head}."
    roots = [word for word, head in enumerate(heads, 1) if head == 0]
    if len(roots) > 1:
        return roots[1], f"a second root beside word {roots[0]}: expected one word with head 0."
    if not roots and heads:
        return 1, "no word of the sentence has head 0: expected one root."
    seen = [0] * (len(heads) + 1)  # the word from which on the way led here
    for start in range(1, len(heads) + 1):
        word = start
        while word and not seen[word]:
            seen[word] = start
            word = heads[word - 1]
        if word and seen[word] == start:
            return word, f"its head is {heads[word - 1]}, and heads lead back to it: a cycle."
    return None


def dependency_tree(words, tags, heads, relations):
    """Make a tree of the words of a sentence and their heads.

    Parameters
    ----------
    words, tags : sequence of n_words str
        Words and their parts of speech; none may be empty.
    heads : sequence of n_words int
        1-based position of each word's head; 0 for the root.
    relations : sequence of n_words str
        Relation of each word to its head; none may be empty.

    Returns
    -------
    BracketTree
        A node for each word, labelled with its relation; below it, from left to right, the nodes of
        its dependents and the word itself under its tag. Words, tags and relations are escaped as
        :func:`escape_word` does. If the tree is not projective, so that its leaves cannot stand in
        the order of the words, each relation bears its word's 1-based position: ``nsubj#1``. No
        words: the tree that prints ``()``.

    Raises
    ------
    ValueError
        If lengths differ, a text is empty, a head is out of range, heads make a cycle, or there is
        not exactly one root.

    Examples
    --------
    >>> from sklearn_mteval.trees import dependency_tree
    >>> words, tags, relations = ["It", "works"], ["PRP", "VBZ"], ["nsubj", "root"]
    >>> print(dependency_tree(words, tags, [2, 0], relations))
    (root (nsubj (PRP It)) (VBZ works))
    """
    if not len(words) == len(tags) == len(heads) == len(relations):
        raise ValueError(
            "expected as many tags, heads and relations as words, found "
            f"{len(tags)}, {len(heads)}, {len(relations)} for {len(words)}."
        )
    for name, texts in ("words", words), ("tags", tags), ("relations", relations):
        if not all(texts):
            raise ValueError(
                f"{name}: that of word {[*map(bool, texts)].index(False) + 1} is empty."
            )
    fault = _fault(heads)
    if fault:
        raise ValueError(f"heads, word {fault[0]}: {fault[1]}")
    if not len(words):
        return _EMPTY
    dependents = [[] for _ in range(len(words) + 1)]
    for word, head in enumerate(heads, 1):
        dependents[head].append(word)
    labels, parents, nodes, order = [], [], [], []
    waiting = [(dependents[0][0], -1, False)]
    while waiting:
        word, parent, is_leaf = waiting.pop()
        node = len(labels)
        if is_leaf:
            labels += escape_word(tags[word - 1]), escape_word(words[word - 1])
            parents += parent, node
            order.append(word)
            continue
        labels.append(escape_word(relations[word - 1]))
        parents.append(parent)
        nodes.append((node, word))
        below = [(dependent, node, False) for dependent in dependents[word]]
        below.insert(bisect_left(dependents[word], word), (word, node, True))
        waiting += below[::-1]
    # A relation that itself ends like a mark must bear one, or it would be read as one.
    if order != sorted(order) or any(_MARK.search(labels[node]) for node, _ in nodes):
        for node, word in nodes:
            labels[node] += f"#{word}"
    return BracketTree(tuple(labels), tuple(parents))


def dependencies(tree):
    """Undo :func:`dependency_tree`.

    Parameters
    ----------
    tree : BracketTree
        A dependency tree.

    Returns
    -------
    words, tags : tuple of n_words str
        Words and their parts of speech.
    heads : tuple of n_words int
        1-based position of each word's head; 0 for the root.
    relations : tuple of n_words str
        Relation of each word to its head.

    Raises
    ------
    ValueError
        If the tree is no dependency tree: a node has not exactly one word of its own, or its marks
        do not count the words.
    """
    if tree == _EMPTY:
        return (), (), (), ()
    own = _own_words(tree)
    relations = [tree.labels[node] for node in own]
    places = list(range(1, len(own) + 1))
    if any(map(_MARK.search, relations)):
        relations, _, marks = zip(*(label.rpartition("#") for label in relations), strict=True)
        place_of = {str(place): place for place in places}
        if set(marks) != set(place_of) or not all(relations):
            raise ValueError(
                f"expected relations with the marks #1 to #{len(own)} behind them, as a tree has "
                f"them that is not projective, found {str(tree)[:80]!r}."
            )
        places = [place_of[mark] for mark in marks]
    position = dict(zip(own, places, strict=True))
    rows = [None] * len(own)
    for (node, tag), relation in zip(own.items(), relations, strict=True):
        word = tree.labels[tree.children[tag][0]]
        head = position.get(tree.parents[node], 0)
        texts = map(unescape_word, (word, tree.labels[tag], relation))
        rows[position[node] - 1] = (*texts, head)
    words, tags, relations, heads = zip(*rows, strict=True)
    return words, tags, heads, relations


def _own_words(tree):
    """Map the nodes of relations to those of their words' tags, in the order of the words."""
    children = tree.children
    is_leaf = [not below for below in children]
    is_tag = [len(below) == 1 and is_leaf[below[0]] for below in children]
    own = {}
    for node, below in enumerate(children):
        if not tree.labels[node]:
            raise ValueError("expected a dependency tree, found a node without a label.")
        if is_leaf[node] or is_tag[node]:
            continue
        tags = [child for child in below if is_tag[child]]
        if len(tags) != 1 or any(is_leaf[child] for child in below):
            raise ValueError(
                "expected a dependency tree, every node with one word (TAG word) of its own, "
                f"found {len(tags)} below {tree.labels[node][:40]!r}."
            )
        own[node] = tags[0]
    if 0 not in own:
        raise ValueError(f"expected a dependency tree, found {str(tree)[:80]!r}.")
    return dict(sorted(own.items(), key=lambda item: item[1]))


def format_conllu(tree, *, tags="xpos"):
    r"""Write a dependency tree as a block of CoNLL-U.

    Parameters
    ----------
    tree : BracketTree
        A dependency tree.
    tags : {"xpos", "upos"}, default="xpos"
        The column that gets the parts of speech.

    Returns
    -------
    str
        ``# text = …``, the words with spaces between them, and a line of ten columns for each; "_"
        stands where nothing is known. An empty line follows.

    Raises
    ------
    ValueError
        If it is no dependency tree, or a tab or line feed is in a word, tag or relation.

    Examples
    --------
    >>> from sklearn_mteval.text.parsing import read_brackets
    >>> from sklearn_mteval.trees import format_conllu
    >>> [tree] = read_brackets("(root (nsubj (PRP It)) (VBZ works))")
    >>> print(format_conllu(tree).replace("\t", " ").strip())
    # text = It works
    1 It _ _ PRP _ 2 nsubj _ _
    2 works _ _ VBZ _ 0 root _ _
    """
    check_one_of("tags", tags, _TAGS)
    rows = list(zip(*dependencies(tree), strict=True))
    lines = [f"# text = {' '.join(word for word, *_ in rows)}"]
    for number, (word, tag, head, relation) in enumerate(rows, 1):
        columns = [str(number), word, *"____", str(head), relation, "_", "_"]
        columns[_TAGS[tags]] = tag
        lines.append("\t".join(columns))
    block = "\n".join(lines)
    if block.count("\t") != 9 * len(rows) or block.count("\n") != len(rows):
        raise ValueError(
            "tree: CoNLL-U holds no tab and no line feed in a word, tag or relation, found one in "
            f"{str(tree)[:80]!r}."
        )
    return f"{block}\n\n"


def write_conllu(trees, path, *, tags="xpos"):
    """Write a CoNLL-U file.

    Parameters
    ----------
    trees : iterable of BracketTree
        Dependency trees.
    path : path-like
        The file, replaced at once when all is written. What :func:`read_conllu` reads from it are
        the same trees.
    tags : {"xpos", "upos"}, default="xpos"
        The column that gets the parts of speech.

    Raises
    ------
    ValueError
        As of :func:`format_conllu`.
    OSError
        If the file cannot be written.
    """
    write_atomically(path, [format_conllu(tree, tags=tags).encode() for tree in trees])
