"""Hostile numbers, labels, texts and containers, drawn from one seeded generator."""

from decimal import Decimal

import numpy as np
import pandas as pd

EXTREME = [0.0, -0.0, 1e308, -1e308, 1.7e308, 5e-324, -5e-324, 1e-300, 1.0, -1.0, 2.0**53, 2.0**63]
WORDS = [
    "a", "the", "cat", "cat's", "U.S.A.", "1,000.5", "Straße", "İstanbul", "ﬁne", "e\u0301",
    "日本語",
    "שלום", "🙂", "👩\u200d👩\u200d👧", "\ud800", "a\udfff", "\x00", "\x1b[0m", "\u2028", "\x85",
    "\xa0", "\ufeff",
    "&quot;", "&amp;", "<skipped>", "<s>", "</s>", "<unk>", "-LRB-", "(", ")", "()", "-", "--",
    "''", "``",
    "@", ".", "...", "?!", "\t", "\n", "\r", "\u200b", "nan", "None", "1e999", "-0", "\U00010ffff",
    "१२", "²",
]  # fmt: skip


class Draw:
    """Chance, and what is made of it; ``folder`` is the case's own."""

    def __init__(self, rng, folder):
        self.rng = rng
        self.folder = folder

    def integer(self, low, high):
        """Draw an integer, both bounds included."""
        return int(self.rng.integers(low, high + 1))

    def chance(self, probability=0.5):
        """Tell heads from tails."""
        return bool(self.rng.random() < probability)

    def one(self, things):
        """Draw one of some things."""
        return list(things)[self.integer(0, len(things) - 1)]

    def some(self, things, most):
        """Draw up to so many, with replacement."""
        return [self.one(things) for _ in range(self.integer(0, most))]

    def size(self, most=9):
        """Draw how many rows: few, rarely none or many."""
        return self.one([0, 1, 2, most, 60]) if self.chance(0.15) else self.integer(2, most)

    def numbers(self, n, kinds=("ties", "normal", "extreme", "close", "constant", "large")):
        """Draw finite floats of one kind."""
        kind, rng = self.one(kinds), self.rng
        values = {
            "ties": lambda: rng.integers(0, 4, size=n),
            "normal": lambda: rng.normal(size=n),
            "extreme": lambda: rng.choice(EXTREME, size=n),
            "close": lambda: 1 + rng.integers(0, 3, size=n) * 2.0**-52,
            "constant": lambda: np.full(n, self.one(EXTREME)),
            "large": lambda: 1e15 + rng.integers(0, 4, size=n),
            "probability": lambda: rng.choice([0, 1, 0.5, 1e-300, rng.random()], size=n),
            "ranks": lambda: rng.integers(1, 6, size=n),
        }[kind]()
        return [float(value) for value in values]

    def sprinkled(self, values, strangers, probability=0.2):
        """Replace some values by strangers, mostly none."""
        if not self.chance(0.3):
            return list(values)
        return [self.one(strangers) if self.chance(probability) else v for v in values]

    def vector(self, values):
        """Put numbers into one of many containers that hold them unchanged; NaN may be None."""
        values = [np.nan if value is None else value for value in values]
        ways = [list, tuple, np.array, pd.Series, lambda v: pd.Series(v, dtype="Float64"),
                lambda v: np.array(v, dtype=object), lambda v: pd.Series(v, dtype=object),
                lambda v: [None if x != x else x for x in v], lambda v: np.array([*v, 0.0])[:-1][:],
                lambda v: np.repeat(v, 2)[::2], lambda v: np.array(v, dtype=">f8"),
                lambda v: np.ma.array(v, mask=np.isnan(v)),
                lambda v: pd.Series(v, index=self.rng.permutation(len(v)))]  # fmt: skip
        if values and all(abs(v) < 2**62 and v == int(v) for v in values):  # NaN is not < 2**62
            ways += [lambda v: [int(x) for x in v], lambda v: np.array(v).astype(np.int64),
                     lambda v: pd.Series(v).astype("Int64"),
                     lambda v: [Decimal(x) for x in v]]  # fmt: skip
            if set(values) <= {0.0, 1.0}:
                ways += [lambda v: [bool(x) for x in v], lambda v: np.array(v).astype(bool)]
        given = self.one(ways)(values if values else np.zeros(0))
        return given if len(given) == len(values) else list(values)

    def spoiled(self, values):
        """Put numbers into what no function may take for them."""
        n = len(values)
        return self.one([
            None, 3.0, "scores", b"1", {}, {1, 2}, iter(values), [*values, 1.0],
            values[1:] or [1] * 3,
            [[v] * 2 for v in values], [[v] for v in values[:-1]], [1j * v for v in values],
            ["x" for _ in values], [b"1" for _ in values], [10**400] * n, [object()] * n, [[]] * n,
            pd.date_range("2020", periods=n), pd.timedelta_range(0, periods=n),
            pd.DataFrame({"a": values}),
            np.array(0.5), np.zeros((n, 2)), np.zeros((n, 1, 1)), [np.nan] * n, [None] * n,
            [pd.NaT] * n,
            {"a": 1}, Ellipsis, int, pd.Series(["1"] * n, dtype="string"), pd.Series(["a"] * n,
            dtype="category"), [Decimal("sNaN")] * n,
            np.array(values, dtype=[("a", "f8")]) if n else np.zeros(3), [1.0, "a", None][:n],
            ["1_0"] * n,
        ])  # fmt: skip

    def option(self, legal):
        """Draw an option: one of the legal values, or something else; and whether it is legal."""
        strange = [
            None,
            True,
            0,
            -1,
            1.5,
            np.nan,
            np.inf,
            "",
            "x",
            [],
            ["a"],
            {},
            b"",
            10**30,
            (1, 2),
        ]
        legal = list(legal)
        if self.chance(0.7):
            return self.one(legal), True
        strange = [other for other in strange if not any(other is x or other == x for x in legal)]
        return self.one(strange), False

    def codes(self, n, most=3):
        """Draw group numbers, in any order."""
        return self.rng.integers(0, self.integer(1, most), size=n).tolist()

    def labels(self, codes):
        """Name codes by labels of one kind, in one of many containers."""
        place = {code: place for place, code in enumerate(dict.fromkeys(codes))}
        names = self.one([
            range(20), [f"s{k}" for k in range(20)], [(k % 3, f"x{k}") for k in range(20)],
            [k / 3 for k in range(20)], [2**62 + k for k in range(20)], [(k,) for k in range(20)],
            [k if k % 2 else str(k) for k in range(20)], ["", "0", " ", "\ud800", "nan", "None",
            *map(str, range(9, 24))],
            [-np.inf, np.inf, -0.5, *range(17)], list(pd.date_range("2020", periods=20)),
            [b"a%d" % k for k in range(20)],
            [frozenset([k]) for k in range(20)], [10**30 + k for k in range(20)],
        ])  # fmt: skip
        labels = [names[place[code]] for code in codes]
        ways = [
            list,
            list,
            pd.Series,
            _objects,
            lambda v: pd.Series(_objects(v)).astype("category"),
        ]
        if all(type(label) in (int, float, str) for label in labels):
            ways += [pd.Index, lambda v: pd.Index(v, name="system")]
        if labels and isinstance(labels[0], tuple) and len(labels[0]) == 2:
            ways = [list, pd.MultiIndex.from_tuples, _objects]
        if not is_utf8(labels):  # pyarrow, which pandas uses where it is installed, refuses them
            ways = [list, _objects]
        return self.one(ways)(labels)

    def rankings(self, most=4, tasks=True):
        """Draw judged rows: codes (segment, task, system), in any order, and an index of them."""
        rows = []
        for segment in range(self.integer(1, most)):
            for task in range(self.integer(1, 3) if tasks else 1):
                systems = self.rng.permutation(5)[: self.integer(1, 4)]
                rows += [(segment, 10 * segment + task if tasks else 0, int(k)) for k in systems]
        rows = [rows[k] for k in self.rng.permutation(len(rows))]
        names = ["segment", "ranking", "system"] if tasks else ["segment", "system"]
        columns = [[row[k] for row in rows] for k in ((0, 1, 2) if tasks else (0, 2))]
        levels = [self.levels(column) for column in columns]
        order = self.rng.permutation(len(names))
        index = pd.MultiIndex.from_arrays(
            [levels[k] for k in order], names=[names[k] for k in order]
        )
        return rows, index

    def levels(self, codes):
        """Name codes by labels that an index level can hold."""
        while True:
            labels = self.labels(codes)
            if isinstance(labels, pd.Index | pd.Series) and not isinstance(labels, pd.MultiIndex):
                return labels
            if not isinstance(labels, pd.MultiIndex):
                plain = len(labels) and np.isscalar(labels[0]) and is_utf8(labels)
                return pd.Series(labels, dtype=None if plain else object)

    def words(self, most=8):
        """Draw words, some of them hostile."""
        known = WORDS if self.chance(0.7) else WORDS[:6]
        words = self.some(known, most)
        if self.chance(0.02):
            words.append(self.one(["a", "日", "𝒳", "a.", "1,"]) * self.one([500, 20_000]))
        return words

    def text(self, most=8):
        """Draw a text."""
        return self.one([" ", " ", "  ", "", "\t", "\u3000"]).join(self.words(most))

    def texts(self, most=6):
        """Draw a candidate table: texts with one or several references, indexed in many ways."""
        rows, index = self.rankings(2, tasks=self.chance(0.2))
        rows, index = rows[:most], index[:most]
        known = [self.text() for _ in range(3)]
        sources = {row[0]: self.text() for row in rows}
        text = lambda: self.one([*known, self.text()])  # noqa: E731
        several, said = self.chance(0.3), {}
        references = {
            row[0]: [text() for _ in range(self.integer(1, 3))] if several else text()
            for row in rows
        }
        columns = {"source": [sources[row[0]] for row in rows],
        "hypothesis": [said.setdefault((row[0], row[2]), text()) for row in rows],
                   "reference": [references[row[0]] for row in rows]}  # fmt: skip
        X = pd.DataFrame(columns, index=index, dtype=object)
        if self.chance(0.3):
            way = self.one([_Text, np.str_, "category", "string", "str"])
            cells = list(X["hypothesis"])
            if not isinstance(way, str):
                cells, way = [way(cell) for cell in cells], object
            dtype = way if is_utf8(cells) else object
            X["hypothesis"] = pd.Series(cells, X.index, dtype=dtype)
        return X

    def spoiled_texts(self, X):
        """Spoil a candidate table so that no transformer of its texts should take it."""
        column = self.one(["hypothesis", *({"reference"} & {*X})])
        cell = self.one([None, np.nan, pd.NA, 1, b"bytes", ["a", None], [], {}, ("a", 1),
        np.array(["a", "b"]).reshape(1, 2), 1.5,
                         object(), {"a"}, True, [["a"]], pd.Series(["a"]), Decimal(1)])  # fmt: skip
        cells = _objects([*X[column][:-1], cell][: len(X)] if len(X) else [])
        cells = pd.Series(cells, X.index[: len(cells)], dtype=object)
        return self.one([
            lambda: X.assign(**{column: cells}) if len(X) else None, lambda: X.drop(columns=column),
            lambda: pd.concat([X, X[[column]]], axis=1), lambda: X.to_numpy(), lambda: X[column],
            lambda: None,
            lambda: X.to_dict("list"), lambda: list(X["hypothesis"]),
            lambda: X.rename(columns={column: column.upper()}),
            lambda: X.T, lambda: "text",
            lambda: X.set_axis(pd.MultiIndex.from_tuples([("a", c) for c in X]), axis=1),
        ])()  # fmt: skip


class _Text(str):
    """A text that is a bit more than one."""

    __slots__ = ("more",)


def is_utf8(labels):
    """Tell whether no text among them has a lone surrogate."""
    texts = [label for label in labels if isinstance(label, str)]
    return all(text.encode("utf-8", "replace").decode() == text for text in texts)


def _objects(labels):
    """Make an array of labels, whatever they are."""
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array
