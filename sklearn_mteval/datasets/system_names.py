"""Names of systems, which campaigns and files of scores write in longer and shorter forms."""

import re

from sklearn_mteval.datasets._files import Place
from sklearn_mteval.exceptions import CandidateError, DataFileError

# A test set at the beginning: "newstest2015", "newsdiscusstest2015", "newstestB2020".
_TEST_SET = re.compile(r"(news|general|wmt)[a-z]*test[A-Z]?[0-9]{4}[A-Za-z-]*")
_LANG_PAIR = re.compile(r"[a-z]{2,3}-[a-z]{2,3}")
_LANGUAGE = re.compile(r"(?<=.)\.[a-z]{2,3}$")  # of a file: "online.en"


def system_key(name):
    """Return a system's name without test set, language pair and ``.txt``.

    Examples
    --------
    >>> from sklearn_mteval.datasets.system_names import system_key
    >>> system_key("newstest2015.online-E.0.de-en.txt"), system_key("newstest2013.fr-en.JHU.2684")
    ('online-E.0', 'JHU.2684')
    """
    if not isinstance(name, str):
        return name
    first, *rest = parts = name.removesuffix(".txt").split(".")
    if not _TEST_SET.fullmatch(first):
        return name.removesuffix(".txt")
    return ".".join(part for part in rest if not _LANG_PAIR.fullmatch(part)) or ".".join(parts)


def match_systems(given, wanted):
    """Map given names of systems to the wanted ones: equal, else equal but for what is left out.

    Left out are test set, language pair and ``.txt``; where that meets no wanted name, the language
    that a file is named by, of one of the two: "online.en" is "online", and not "online.de". Names
    of neither kind are not in the result.
    Raise CandidateError for a name that could be two wanted ones, and for two names of one.
    """
    given, wanted = dict.fromkeys(given), dict.fromkeys(wanted)
    by_key, matched = {}, {}
    for name in wanted:
        by_key.setdefault(system_key(name), []).append(name)
    for name in given:
        meant = [name] if name in wanted else by_key.get(system_key(name), [])
        if len(meant) > 1:
            raise CandidateError(
                f"The system {name!r} may be {' or '.join(map(repr, meant))}: write its whole name."
            )
        if meant:
            matched[name] = meant[0]
    names = {}  # of the wanted one to the given one
    for name, meant in matched.items():
        if names.setdefault(meant, name) != name:
            raise CandidateError(
                f"{names[meant]!r} and {name!r} both name the system {meant!r}: write one of them."
            )
    return matched | _matched_by_language(given, wanted, matched, names)


def _matched_by_language(given, wanted, matched, names):
    """Match names that are near one wanted name only, which no other given name is near."""
    found = {}
    for meant in (name for name in wanted if name not in names):
        left = [name for name in given if name not in matched and name not in found]
        near = [name for name in left if _near(name, meant)]
        if len(near) == 1 and sum(_near(near[0], other) for other in wanted) == 1:
            found[near[0]] = meant
    return found


def _near(name, wanted):
    """Tell whether one of two names is the other one and the language of a file."""
    keys = system_key(name), system_key(wanted)
    return all(isinstance(key, str) for key in keys) and any(
        _LANGUAGE.sub("", long) == short != long for long, short in (keys, keys[::-1])
    )


def names_in_file(path, lines, systems, others):
    """Map the names of systems in a file, given with their first lines, to the campaign's names."""
    try:
        names = match_systems(lines, systems)
    except CandidateError as error:
        raise DataFileError(path, str(error)) from None
    for name, line in lines.items():
        if others is not None and name not in {*names, *others}:
            raise Place(path, line).error(
                f"the system {name[:60]!r} does not exist; there are "
                f"{some_names({*systems, *others})}."
            )
    return {name: names.get(name, name) for name in lines}


def some_names(names):
    """List names."""
    return ", ".join(map(repr, sorted(names)))
