"""The columns of lexical features, in the order of the kernels and in their groups."""

from functools import cache
from itertools import chain

from sklearn_mteval.text.transformer import check_names

_MEANS = ("", "weighted_", "common_", "position_", "weighted_position_")
# What a comparison of two texts gives, in this order; COMPARED with references only.
ALIGNED = (
    *(f"{mean}{side}" for mean in _MEANS for side in ("precision", "recall", "f")),
    *("similarity", "pairs_f", "context_f", "monotone", "adjacent"),
)
COMPARED = (*ALIGNED, "first", "last")
_1_TO_4 = range(1, 5)
_NGRAMS = tuple(f"{n}gram_{side}" for side in ("precision", "recall") for n in _1_TO_4)
_SUPPORT = tuple(f"competing_{n}gram_support" for n in _1_TO_4)
_SOURCE = ("source_length", "source_length_difference", "source_digits", "source_punctuation")
# What is counted for a hypothesis, in this order.
COUNTED = (
    *("unknown", "copied", "unknown_copied", "source_copied"),
    *("competing_unsupported", "competing_missed"),
    *("digits", "punctuation", "repetition", "length", "length_difference"),
    *_SOURCE,
    *("competing_length", "competing_length_difference", "competing_first"),
    *_NGRAMS,
    *_SUPPORT,
)
COMPUTED = (*COMPARED, *COUNTED, *(f"competing_{name}" for name in ALIGNED))
# What is counted of character trigrams as it is of words, under names of its own: n trigrams in a
# row are n + 2 characters.
OF_CHARACTERS = {
    **{
        f"{n}gram_{side}": f"{n + 2}char_{side}"
        for side in ("precision", "recall")
        for n in _1_TO_4
    },
    **{f"competing_{n}gram_support": f"competing_{n + 2}char_support" for n in _1_TO_4},
    **{
        f"{start}{name}": f"{start}character_{name}"
        for start, names in (
            ("", ("copied", "repetition", "length", "length_difference")),
            ("source_", ("copied", "length", "length_difference")),
            ("competing_", ("unsupported", "missed", "length", "length_difference")),
        )
        for name in names
    },
}
PLACES = {name: k for k, name in enumerate((*COMPUTED, *OF_CHARACTERS.values()))}
_ALIGNMENT = (*ALIGNED[:9], "similarity")
_ORDER = tuple(name for name in ALIGNED if name not in _ALIGNMENT)
# Columns of each group: those that need no reference, and those that do.
GROUPS = {
    "alignment": ((), _ALIGNMENT),
    "order": ((), _ORDER),
    "ngrams": ((), _NGRAMS),
    "unknown": (("unknown", "unknown_copied", "source_copied"), ("copied",)),
    "competing": (
        (
            *(f"competing_{name}" for name in (*_ALIGNMENT, *_ORDER)),
            *_SUPPORT,
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
# Names of words, of what is there without references.
_FREE = {name for free, _ in GROUPS.values() for name in free}
GROUPS["characters"] = (
    tuple(column for name, column in OF_CHARACTERS.items() if name in _FREE),
    tuple(column for name, column in OF_CHARACTERS.items() if name not in _FREE),
)
_OPTIONAL = frozenset({"characters"})  # groups that must be asked for
_SOURCE_WORDS = frozenset({*_SOURCE, "copied", "unknown_copied", "source_copied"})
READS_SOURCE = _SOURCE_WORDS.union(OF_CHARACTERS[n] for n in _SOURCE_WORDS & OF_CHARACTERS.keys())
_NEEDS_VOCABULARY = ("unknown", "unknown_copied")


def is_competing(name):
    """Tell whether a column looks at the competing systems."""
    return name.startswith("competing_")


@cache
def _available(reference, vocabulary):
    """Return the columns of each group that can be had, and all of them."""
    left_out = () if vocabulary else _NEEDS_VOCABULARY
    groups = {
        name: [c for c in (free + needing if reference else free) if c not in left_out]
        for name, (free, needing) in GROUPS.items()
    }
    return groups, frozenset(chain.from_iterable(groups.values()))


def select_columns(features, *, reference, vocabulary):
    """List columns of groups and single names that can be had; None: all but ``characters``."""
    groups, known = _available(bool(reference), bool(vocabulary))
    if features is None:
        return [c for name, columns in groups.items() if name not in _OPTIONAL for c in columns]
    check_names("features", features)
    names = {}
    for name in features:
        columns = groups.get(name, [name])
        if not columns or not known.issuperset(columns):
            lacking = ["references"] * (not reference) + ["vectors"] * (not vocabulary)
            without = f", without {' and '.join(lacking)}" if lacking else ""
            raise ValueError(
                f"features must be groups of {list(filter(groups.get, groups))} or columns of "
                f"them{without}, found {name!r}."
            )
        names.update(dict.fromkeys(columns))
    return list(names)
