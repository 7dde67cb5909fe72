"""Documents' discourse trees in RST's LISP format (``.dis``)."""

import re
from dataclasses import dataclass, field

from sklearn_mteval._helpers.files import read_text
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.linguistic.trees.brackets import BracketTree, escape_word, unescape_word

_ITEM = re.compile(
    r"""
    \(\s*(?P<kind>Root|Nucleus|Satellite)(?=[\s()])
    | \(\s*span\s+(?P<span>[0-9]{1,9}\s+[0-9]{1,9})\s*\)
    | \(\s*leaf\s+(?P<leaf>[0-9]{1,9})\s*\)
    | \(\s*rel2par\s+(?P<rel2par>[^\s()]+)\s*\)
    | \(\s*text\s+_!(?P<text>.*?)_!\s*\)
    | (?P<close>\))
    | (?P<unknown>\S)
    """,
    re.VERBOSE | re.DOTALL,
)
_TEXT_START = re.compile(r"\(\s*text\s+_!")
_PARAGRAPH = "<P>"


@dataclass
class _Open:
    """A node that is being read."""

    node: int
    kind: str
    start: int  # position in the text
    first: int  # EDU
    said: dict = field(default_factory=dict)  # span, leaf, rel2par, text
    kinds: list = field(default_factory=list)  # of the nodes below it


def read_rst(path: PathLike, *, max_bytes: int | None = None) -> BracketTree:
    r"""Read a document's discourse tree.

    Parameters
    ----------
    path : path-like
        UTF-8 text: ``( Root (span 1 2) ( Nucleus (leaf 1) (rel2par span) (text _!It works_!) )
        ( Satellite …``.
    max_bytes : int, optional
        The most that it may hold. None: 1 GiB.

    Returns
    -------
    BracketTree
        Its nodes are labelled ``Root``, ``Nucleus:span``, ``Satellite:elaboration-attribute``, …;
        below an elementary discourse unit (EDU) stand the tokens of its text, escaped as
        ``escape_word`` does. A mark ``<P>`` at the end of a text, for the end of a paragraph,
        is no token.

    Raises
    ------
    DataFileError
        Naming the line, if brackets are not balanced, there is not one root, a word is not known,
        a span, relation or text is missing or not where it belongs, EDUs are not counted 1, 2, 3,
        a span is not that of the EDUs below it, or a node has parts but no nucleus.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn_mteval.trees import read_rst
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "document.dis")
    ...     _ = file.write_text(
    ...         "( Root (span 1 2)\n"
    ...         "  ( Nucleus (leaf 1) (rel2par span) (text _!It works ,_!) )\n"
    ...         "  ( Satellite (leaf 2) (rel2par attribution-positive) (text _!he says ._!) )\n)\n"
    ...     )
    ...     print(read_rst(file))
    (Root (Nucleus:span It works ,) (Satellite:attribution-positive he says .))
    """
    text = read_text(path, max_bytes=max_bytes)
    reader = _Reader(text, path)
    for item in _ITEM.finditer(text):
        reader.check(item)
        reader.take(item.lastgroup, item[item.lastgroup], item.start())
    if reader.opened:
        node = reader.opened[-1]
        raise reader.error(f"the bracket of this {node.kind} is not closed.", node.start)
    if not reader.labels:
        raise reader.error("expected ( Root, found an empty file.", 0)
    return BracketTree(tuple(reader.labels), tuple(reader.parents))


class _Reader:
    """The nodes of a text that have been read, and those that are open."""

    def __init__(self, text, path):
        self.text, self.path = text, path
        self.labels, self.parents, self.opened, self.n_edus = [], [], [], 0

    def error(self, problem, position):
        """Return an error that names the line."""
        return DataFileError(self.path, problem, self.text.count("\n", 0, position) + 1)

    def check(self, item):
        """Raise if an item is not known, or not where it belongs."""
        name, start = item.lastgroup, item.start()
        if name == "unknown":
            raise self.error(
                "expected ( Root, ( Nucleus, ( Satellite, (span FIRST LAST), (leaf NUMBER), "
                "(rel2par RELATION), (text _!…_!) or a closing bracket, found "
                f"{self.text[start : start + 40]!r}.",
                start,
            )
        is_root, is_first = name == "kind" and item[name] == "Root", not self.labels
        if is_root != is_first or not (is_first or self.opened):
            behind = self.labels and not self.opened
            expected = "the end behind the root" if behind else "one Root, outermost"
            raise self.error(f"expected {expected}, found {item[0][:40]!r}.", start)
        if name == "text" and _TEXT_START.search(item[name]):
            raise self.error("expected _!) behind the text, found the next (text _!.", start)

    def take(self, name, content, start):
        """Open a node, close one, or note what is said of the one that is open."""
        if name == "kind":
            if self.opened:
                self.opened[-1].kinds.append(content)
            self.parents.append(self.opened[-1].node if self.opened else -1)
            self.opened.append(_Open(len(self.labels), content, start, self.n_edus + 1))
            self.labels.append(content)
        elif name == "close":
            self._close(self.opened.pop())
        elif name in self.opened[-1].said:
            raise self.error(f"a second ({name} …) of one {self.opened[-1].kind}.", start)
        else:
            self.opened[-1].said[name] = content

    def _close(self, node):
        """Check a node that has been read to its end; its words become leaves."""
        self.n_edus += "leaf" in node.said
        if problem := _problem(node, self.n_edus):
            raise self.error(f"{node.kind}: {problem}", node.start)
        if "rel2par" in node.said:
            self.labels[node.node] += f":{node.said['rel2par']}"
        tokens = _tokens(node.said.get("text", ""))
        self.labels += tokens
        self.parents += [node.node] * len(tokens)


def _tokens(text):
    """Split an EDU's text into labels of leaves."""
    return [escape_word(token) for token in text.strip().removesuffix(_PARAGRAPH).split()]


def _problem(node, n_edus):
    """Say what is wrong with a node that has been read to its end, if anything is."""
    said = node.said
    if node.kind == "Root" and "rel2par" in said:
        return f"expected no relation of the root, found {said['rel2par']!r}."
    if node.kind != "Root" and "rel2par" not in said:
        return "expected (rel2par RELATION), found none."
    if ("span" in said) == ("leaf" in said):
        found = "both" if "span" in said else "neither"
        return f"expected either (span FIRST LAST) or (leaf NUMBER), found {found}."
    return _problem_of_leaf(node, n_edus) if "leaf" in said else _problem_of_span(node, n_edus)


def _problem_of_leaf(node, n_edus):
    """Say what is wrong with an EDU."""
    if node.kinds:
        return f"expected a text below a leaf, found {len(node.kinds)} nodes."
    if not _tokens(node.said.get("text", "")):
        return "expected (text _!…_!) with words for a leaf, found none."
    if int(node.said["leaf"]) != n_edus:
        return f"leaves are counted 1, 2, 3; expected (leaf {n_edus}), found {node.said['leaf']}."
    return None


def _problem_of_span(node, n_edus):
    """Say what is wrong with a node of several EDUs."""
    said = node.said
    if "text" in said:
        return "expected a text only below a leaf, found one below a span."
    if "Nucleus" not in node.kinds:
        return f"expected a Nucleus below a span, found {len(node.kinds)} satellites."
    if [*map(int, said["span"].split())] != [node.first, n_edus]:
        return f"expected (span {node.first} {n_edus}), the leaves below it; found {said['span']}."
    return None


def edus(tree):
    """List the elementary discourse units of a document that :func:`read_rst` gives, as tokens."""
    return [
        [unescape_word(tree.labels[leaf]) for leaf in tree.children[node]]
        for node in _edu_nodes(tree)
    ]


def edu_spans(tree):
    """Map the nodes of a document's tree to their EDUs, first and end; EDUs come first."""
    span_of = {node: (number, number + 1) for number, node in enumerate(_edu_nodes(tree))}
    # Children have larger numbers than their parents: from the last node on, their spans are known.
    for node in sorted({*tree.parents} - {-1, *span_of}, reverse=True):
        below = tree.children[node]
        span_of[node] = span_of[below[0]][0], span_of[below[-1]][1]
    return span_of


def _edu_nodes(tree):
    """List the nodes of a document's tree that are EDUs, in their order."""
    children = tree.children
    return [node for node, below in enumerate(children) if below and not children[below[0]]]
