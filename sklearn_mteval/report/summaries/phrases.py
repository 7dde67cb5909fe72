"""Parts of sentences that summaries of all kinds have."""

from sklearn_mteval.report.cells import ended, percent, shown

FEW_SEGMENTS = 20
UNKNOWN_DOCUMENTS = (  # what it means for intervals; the last sentence of a note, without its end
    "Which document a segment is of is not known; if several are of one, intervals are too narrow "
    "(name documents with --documents)"
)
_MANY_TIES = 0.05  # of the pairs that annotators decide
_MOST = 6  # names in a sentence
_LONGEST = 80  # characters of a name


def name_of(label):
    """Write a name on one line, a long one cut off."""
    return ended(shown(str(label)), _LONGEST)


def listed(labels, most=_MOST):
    """List names: "A, B and C"; of many the first, and how many others there are."""
    names = list(map(name_of, labels))
    if len(names) > most:
        rest = len(names) - (most - 1)
        names = [*names[: most - 1], f"{rest:,} others"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def counted(number, noun):
    """Write a number with its noun in the right form: "1 segment", "2,000 segments"."""
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def value_of(row, name, prefix=""):
    """Write a value x 100 with its interval, PREFIXlow and PREFIXhigh."""
    low, high = (percent(row[f"{prefix}{end}"]) for end in ("low", "high"))
    return f"{percent(row[name])} [{low}, {high}]"


def has(labels, one="has", several="have"):
    """Choose the form of a verb by how many there are."""
    return one if len(labels) == 1 else several


def few_segments(number):
    """Warn of intervals that rest on few segments; a list, empty of many."""
    if number >= FEW_SEGMENTS:
        return []
    return [
        f"There {'is' if number == 1 else 'are'} only {counted(number, 'segment')}: with fewer "
        f"than {FEW_SEGMENTS}, intervals are too narrow, because they come from resampled segments."
    ]


def undefined(values, what, where=""):
    """Warn of a statistic that is undefined for some; a list, empty if there are none."""
    missing = values.index[values.isna()]
    if not len(missing):
        return []
    return [
        f"{what} of {listed(missing)} is undefined{where}, because there are too few pairs or "
        "systems, or because all scores are equal."
    ]


def many_ties(ties, statistic):
    """Warn of each that ties many of the pairs that annotators decide, where that costs."""
    return [
        f"{name_of(name)} gives equal scores in {percent(ties[name])} % of the pairs in which "
        f"annotators prefer one translation; {statistic} counts each of them as a mistake."
        for name in ties.index[ties > _MANY_TIES]
    ]


def behind(p_values, alpha, how):
    """Say in one sentence which others the first metric is better than, by its p-values (NaN: no
    test), and which not; a list, empty of one metric.
    """
    first, others = p_values.index[0], p_values.iloc[1:]
    worse = list(others.index[others <= alpha])
    apart = list(others.index[~(others <= alpha)])
    if not len(others):
        return []
    if not worse:
        whom = listed(apart)
        if len(apart) > _MOST:
            whom = f"any of the {len(apart)} others"
        return [f"{name_of(first)} cannot be told apart from {whom} ({how})."]
    whom = listed(worse)
    if not apart and len(worse) > 1:
        whom = "both others" if len(worse) == 2 else f"all {len(worse)} others"
    rest = f"; it cannot be told apart from {listed(apart)}" if apart else ""
    return [f"{name_of(first)} is significantly better than {whom} ({how}){rest}."]


def first_group(numbers, noun, of):
    """Say who stands in the first cluster or tier, if it is more than one."""
    first = numbers.index[numbers == 1]
    if len(first) < 2:
        return []
    return [
        f"The first {noun} has {counted(len(first), of)}, not all of which can be told apart: "
        f"{listed(first)}."
    ]
