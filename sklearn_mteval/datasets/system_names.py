"""Names of systems, which campaigns and files of scores write in longer and shorter forms."""

import re

from sklearn_mteval.exceptions import CandidateError

__all__ = ["match_systems", "system_key"]

# A test set at the beginning: "newstest2015", "newsdiscusstest2015", "newstestB2020".
_TEST_SET = re.compile(r"(news|general|wmt)[a-z]*test[A-Z]?[0-9]{4}[A-Za-z-]*")
_LANG_PAIR = re.compile(r"[a-z]{2,3}-[a-z]{2,3}")
# What a file of translations is called after its system: "online.txt", "online.en".
_SUFFIX = re.compile(r"(?<=.)(\.[a-z]{2,3})?(\.txt)?$")


def system_key(name):
    """Return a system's name without test set, language pair, and a file's ``.txt`` or ``.en``.

    Examples
    --------
    >>> from sklearn_mteval.datasets.system_names import system_key
    >>> system_key("newstest2015.online-E.0.de-en.txt"), system_key("newstest2013.fr-en.JHU.2684")
    ('online-E.0', 'JHU.2684')
    """
    if not isinstance(name, str):
        return name
    name = _SUFFIX.sub("", name, count=1)
    first, *rest = parts = name.split(".")
    if not _TEST_SET.fullmatch(first):
        return name
    return ".".join(part for part in rest if not _LANG_PAIR.fullmatch(part)) or ".".join(parts)


def match_systems(given, wanted):
    """Map given names of systems to the wanted ones: equal, else equal but for what is left out.

    Left out is what :func:`system_key` does; names of neither kind are not in the result.
    Raise CandidateError for a name that could be two wanted ones, and for two names of one.
    """
    wanted = list(dict.fromkeys(wanted))
    exact, by_key, matched = set(wanted), {}, {}
    for name in wanted:
        by_key.setdefault(system_key(name), []).append(name)
    for name in dict.fromkeys(given):
        meant = [name] if name in exact else by_key.get(system_key(name), [])
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
    return matched
