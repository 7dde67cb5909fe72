"""A tree, or two with the words that match marked: what tree kernels see."""

import warnings
from functools import partial
from typing import Any, Self

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.options import check_boolean, check_number, check_one_of
from sklearn_mteval._helpers.shown import printable
from sklearn_mteval._helpers.types import Axes, PathLike
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.linguistic.pictures._tree_layout import arc_panel, node_styles, tree_panel
from sklearn_mteval.linguistic.pictures.text import shown_labels
from sklearn_mteval.linguistic.trees.brackets import BracketTree, as_tree, matching_nodes
from sklearn_mteval.plots._base import BLUE, GREY, INK, PALE, Display

_POINTS = 72  # of an inch
_WIDE = 12  # inches: a wider tree grows to the right, two wider ones stand below each other
_LARGEST = 200  # inches: more pixels than matplotlib draws, at 300 to the inch
_PALE_BLUE = "#D3E5F2"
_SMALL = 0.85


class TreeDisplay(Display):
    """A tree of a sentence, or two, such as a hypothesis's and its reference's.

    Of two trees, the words that occur in both are marked, wherever they stand and ignoring case,
    and so is every node all of whose children are: bold, blue, with thick edges.

    Parameters
    ----------
    tree : BracketTree or str
        The tree, or its line of brackets.
    against : BracketTree or str, optional
        The tree to compare it with. Default: none, and nothing is marked.
    names : (str, str), default=("hypothesis", "reference")
        Titles of the two; a single tree has none.
    arcs : bool, default=False
        For dependency trees: whether to draw arcs above the words, rather than relations as
        nodes.

    Attributes
    ----------
    marked_ : list of tuple of bool
        For each tree, the nodes that are marked.
    texts_ : list of list of Text
        For each tree, the labels in the order of its nodes; with arcs, tags, words, relations.
    edges_ : list of LineCollection
        For each tree, its edges, plain ones first, then marked ones.
    ax_, figure_ : Axes, Figure
        What it is drawn on.

    References
    ----------
    Guzmán et al. 2014, "Learning to Differentiate Better from Worse Translations", Figure 1.

    Examples
    --------
    >>> from sklearn_mteval.plots import TreeDisplay
    >>> display = TreeDisplay(
    ...     "(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))", "(S (NP (DT A) (NN cat)))"
    ... )
    >>> [text.get_text() for text in display.plot().texts_[0] if text.get_weight() == "bold"]
    ['NN', 'cat']
    """

    def __init__(
        self, tree: BracketTree | str, against: BracketTree | str | None = None, *,
        names: tuple[str, str] = ("hypothesis", "reference"), arcs: bool = False
    ):  # fmt: skip
        check_boolean(arcs=arcs)
        self.tree = as_tree(tree)
        self.against = None if against is None else as_tree(against, "against")
        named = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
        if not named or len(names) != 2:
            raise CandidateError(f"names must be two names of trees, found {names!r}.")
        self.names = tuple(map(printable, names))
        self.arcs = arcs

    def plot(
        self, ax: Axes | None = None, *, fontsize: float = 10, orientation: str | None = None,
        **kwargs: Any
    ) -> Self:  # fmt: skip
        """Draw the tree or trees.

        Parameters
        ----------
        ax : Axes, optional
            Where; default: a new figure, as large as the trees need. On the caller's own, letters
            become as small as it takes.
        fontsize : float, default=10
            Of the words, in points, more than 1.
        orientation : {"down", "right"}, optional
            "down": the root is on top; "right": on the left, and each word has a line of its own,
            so that long sentences fit on a page. Default: "down", unless a tree would be wider
            than 12 inches.
        **kwargs : dict
            For all labels (``Axes.text``), such as ``family``.

        Returns
        -------
        TreeDisplay
            This display.

        Raises
        ------
        CandidateError
            For a tree that would be larger than 200 inches, or that axes are too small for.
        ValueError
            With ``arcs``, for a tree that is none of dependencies.
        """
        check_number("fontsize", fontsize, above=1, maximum=1000)
        if orientation is not None:
            check_one_of("orientation", orientation, ("down", "right"))
        pens = _Pens(fontsize, kwargs, type(self).__name__)
        trees = [self.tree] if self.against is None else [self.tree, self.against]
        self.marked_ = [(False,) * len(self.tree.labels)]
        if self.against is not None:
            self.marked_ = [matching_nodes(*trees), matching_nodes(*trees[::-1])]
        titles = self.names if len(trees) == 2 else None
        panels, across = self._panels(trees, pens, orientation)
        places, width, height = _arrange(panels, pens, titles, across)
        if max(width, height) > _LARGEST * _POINTS:
            raise CandidateError(
                f"The tree would be {width / _POINTS:,.0f} by {height / _POINTS:,.0f} inches "
                f"large, but at most {_LARGEST} can be drawn: draw a part of it, or with fontsize= "
                f"less than {fontsize:g}, or print it as a text."
            )
        # A new figure leaves a little air around.
        inches = max(width / _POINTS, 0.8) + 0.2, max(height / _POINTS, 0.4) + 0.2
        ax = self._axes(ax, *inches[::-1])
        ax.set(xlim=(0, width), ylim=(0, height), aspect="equal")
        ax.set_axis_off()
        ax.figure.canvas.figure.draw_without_rendering()  # places the axes, so that size is known
        box = ax.get_window_extent()
        scale = min(1, _POINTS / ax.figure.dpi * min(box.width / width, box.height / height))
        if fontsize * scale < 1:
            raise CandidateError(
                f"A tree of {width / _POINTS:.1f} by {height / _POINTS:.1f} inches cannot be read "
                f"on axes of {box.width / ax.figure.dpi:.1f} by {box.height / ax.figure.dpi:.1f}: "
                "give larger ones, or none."
            )
        self.texts_, self.edges_ = [], []
        for k, (panel, (x, y)) in enumerate(zip(panels, places, strict=True)):
            self.texts_.append(pens.write(ax, panel, x, y, self.marked_[k], scale))
            self.edges_ += pens.draw(ax, panel, x, y, self.marked_[k], scale, across)
            if titles is not None:
                pens.title(ax, titles[k], x, y + panel.height, scale)
        return self._finished(ax, hidden=())

    @classmethod
    def from_texts(
        cls, text: str, against: str | None = None, *, kind: str = "shallow+discourse",
        parser_model: PathLike | None = None, ax: Axes | None = None, **kwargs: Any
    ) -> Self:  # fmt: skip
        """Parse one text or two and draw their trees; dependencies are drawn as arcs.

        Parameters
        ----------
        text : str
            A sentence.
        against : str, optional
            What to compare it with.
        kind, parser_model : see :class:`sklearn_mteval.trees.Trees`
            What parses them.
        ax : Axes, optional
            Where; default: a new figure.
        **kwargs : dict
            For :meth:`plot`.

        Returns
        -------
        TreeDisplay
            Drawn.
        """
        from sklearn_mteval.linguistic.trees.transformer import parse_texts, parser_for

        texts = [text] if against is None else [text, against]
        for given in texts:
            if not isinstance(given, str):
                raise CandidateError(f"Expected a text, found {type(given).__name__}.")
        tree_of = parse_texts(parser_for(kind, parser_model), texts)
        return cls(*map(tree_of.get, texts), arcs=kind == "dependency").plot(ax, **kwargs)

    def _panels(self, trees, pens, orientation):
        """Lay out the trees, all in one orientation; return them, and whether it is "right"."""
        layouts = []
        for tree, marked in zip(trees, self.marked_, strict=True):
            texts, styles, layout = shown_labels(tree), node_styles(tree), tree_panel
            if self.arcs and texts != ["()"]:
                styles = [style if style in ("word", "tag") else "relation" for style in styles]
                layout = arc_panel
            widths = pens.widths(texts, styles, marked)
            layouts.append(partial(layout, tree, texts, widths, pens.size))
        across = orientation == "right"
        panels = [layout(across=across) for layout in layouts]
        if orientation is None and any(panel.width > _WIDE * _POINTS for panel in panels):
            across = True
            panels = [layout(across=True) for layout in layouts]
        return panels, across


class _Pens:
    """Draw labels and edges in the styles of nodes, marked or not."""

    def __init__(self, size, options, name):
        self.size = size
        self.common = {"parse_math": False, "usetex": False, "in_layout": False, **options}
        self._text = import_extra("matplotlib.text", "plots", f"{name}.plot").Text
        self._known = {}

    def _style(self, style, marked, scale=1):
        """Return the options of a label."""
        small = style in ("tag", "relation")
        found = {"color": GREY if small else INK, "fontsize": self.size * scale}
        found["fontsize"] *= _SMALL if small else 1
        if marked:
            found |= {"color": BLUE, "fontweight": "bold"}
        if style == "title":
            found["color"], found["fontsize"] = GREY, self.size * 1.1 * scale
        elif style == "unit":
            fill = _PALE_BLUE if marked else PALE
            found["bbox"] = {"boxstyle": "round,pad=0.2", "fc": fill, "ec": "none"}
        elif style == "relation":
            found["bbox"] = {"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none"}
        return found | self.common

    def widths(self, texts, styles, marked):
        """Measure labels, in points."""
        from matplotlib.textpath import text_to_path

        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
            for key in set(zip(texts, styles, marked, strict=True)) - self._known.keys():
                options = self._style(*key[1:])
                font = self._text(0, 0, "", **options).get_fontproperties()
                width = text_to_path.get_text_width_height_descent(key[0], font, False)[0]
                self._known[key] = width + (0.5 * self.size if "bbox" in options else 0)
        return [self._known[key] for key in zip(texts, styles, marked, strict=True)]

    def write(self, ax, panel, x, y, marked, scale):
        """Write the labels of a panel at its lower left corner; return the Texts."""
        found = []
        for label in panel.labels:
            style = self._style(label.style, marked[label.node], scale)
            style = {"ha": label.align, "zorder": 3, **style}
            found.append(ax.text(x + label.x, y + label.y, label.text, **style))
        return found

    def title(self, ax, name, x, y, scale):
        """Write the name of a tree above it."""
        ax.text(x, y + 0.5 * self.size, name, **self._style("title", False, scale))

    def draw(self, ax, panel, x, y, marked, scale, across):
        """Draw the edges of a panel; return the LineCollections of plain and of marked ones."""
        from matplotlib.collections import LineCollection

        found = []
        for chosen, colour, width in ((False, GREY, 0.8), (True, BLUE, 2.0)):
            lines = [
                [(x + a, y + b) for a, b in points]
                for points, node in panel.lines
                if marked[node] == chosen
            ]
            style = {"colors": colour, "linewidths": width * self.size / 10 * scale}
            found.append(LineCollection(lines, zorder=1 + chosen, **style))
            ax.add_collection(found[-1], autolim=False)
            heads = [(x + a, y + b) for a, b, node in panel.heads if marked[node] == chosen]
            if heads:
                style = {"marker": ">" if across else "v", "color": colour, "zorder": 2}
                ax.scatter(*zip(*heads, strict=True), s=(self.size * scale * 0.45) ** 2, **style)
        return found


def _arrange(panels, pens, titles, across):
    """Place panels next to each other or, where that is wide, below each other."""
    font = pens.size
    sizes = [(panel.width, panel.height) for panel in panels]
    if titles is not None:
        widths = pens.widths(titles, ["title"] * 2, [False] * 2)
        sizes = [
            (max(title, width), height + 2.2 * font)
            for title, (width, height) in zip(widths, sizes, strict=True)
        ]
    gap = 3 * font * (len(panels) - 1)
    beside = sum(width for width, _ in sizes) + gap
    low = max(height for _, height in sizes)
    if across or beside <= _WIDE * _POINTS:
        tops = [low] * len(panels)
        lefts = [0.0, sizes[0][0] + gap][: len(panels)]
    else:
        low = sum(height for _, height in sizes) + gap
        beside = max(width for width, _ in sizes)
        lefts = [0.0] * len(panels)
        tops = [low, low - sizes[0][1] - gap][: len(panels)]
    places = [(x, y - height) for x, y, (_, height) in zip(lefts, tops, sizes, strict=True)]
    return places, beside, low
