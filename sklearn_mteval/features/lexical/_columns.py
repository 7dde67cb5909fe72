"""The columns of lexical features and their groups."""

from sklearn_mteval.text.transformer import check_names

__all__ = ["GROUPS", "READS_SOURCE", "is_competing", "select_columns"]

_SIDES = ("precision", "recall", "f")
_ALIGNMENT = (
    *_SIDES,
    *(f"weighted_{side}" for side in _SIDES),
    *(f"common_{side}" for side in _SIDES),
    "similarity",
)
_ORDER = (
    *(f"position_{side}" for side in _SIDES),
    *(f"weighted_position_{side}" for side in _SIDES),
    *("pairs_f", "context_f", "monotone", "adjacent"),
)
_SOURCE = ("source_length", "source_length_difference", "source_digits", "source_punctuation")
# Columns of each group: those that need no reference, and those that do.
GROUPS = {
    "alignment": ((), _ALIGNMENT),
    "order": ((), _ORDER),
    "ngrams": (
        (),
        tuple(f"{n}gram_{side}" for side in ("precision", "recall") for n in range(1, 5)),
    ),
    "unknown": (("unknown", "unknown_copied", "source_copied"), ("copied",)),
    "competing": (
        (
            *(f"competing_{name}" for name in (*_ALIGNMENT, *_ORDER)),
            *(f"competing_{n}gram_support" for n in range(1, 5)),
            *("competing_unsupported", "competing_length", "competing_length_difference"),
            "competing_first",
        ),
        ("competing_missed",),
    ),
    "small": (
        ("repetition",),
        ("digits", "punctuation", "first", "last", "length", "length_difference"),
    ),
    "source": (_SOURCE, ()),
}
READS_SOURCE = frozenset({*_SOURCE, "copied", "unknown_copied", "source_copied"})
_NEEDS_VOCABULARY = ("unknown", "unknown_copied")


def is_competing(name):
    """Tell whether a column looks at the competing systems."""
    return name.startswith("competing_")


def select_columns(features, *, reference, vocabulary):
    """List the columns of groups and of single names; None: all.

    There is only what can be had without references, or a vocabulary, if there is none.
    """
    groups = {
        name: [
            column
            for column in (*free, *(needing if reference else ()))
            if vocabulary or column not in _NEEDS_VOCABULARY
        ]
        for name, (free, needing) in GROUPS.items()
    }
    known = [column for columns in groups.values() for column in columns]
    if features is None:
        return known
    check_names("features", features)
    names = {}
    for name in features:
        columns = groups.get(name, [name])
        if not columns or not set(columns) <= set(known):
            lacking = [] if reference else ["references"]
            lacking += [] if vocabulary else ["vectors"]
            without = f", without {' and '.join(lacking)}" if lacking else ""
            raise ValueError(
                f"features must be groups of {[g for g in groups if groups[g]]} or columns of "
                f"them{without}, found {name!r}."
            )
        names.update(dict.fromkeys(columns))
    return list(names)
