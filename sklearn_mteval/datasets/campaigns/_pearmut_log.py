"""The log that the annotation tool pearmut writes: JSON lines, one for each submitted document."""

import math
from itertools import pairwise

import pandas as pd

from sklearn_mteval._helpers.files import read_text
from sklearn_mteval.datasets._files import Place, lines_of
from sklearn_mteval.datasets._json import are_objects, is_number, parse_json
from sklearn_mteval.exceptions import DataFileError

_RESET = "__RESET__"  # what the user said before does not count
_EXTRA = ("welcome_", "random_", "goodbye_")  # documents in addition to the campaign's own
_IDLE = 60  # seconds after which pearmut itself takes a user to do something else
_CUT_OFF = (
    "If pearmut was stopped while it wrote the line, take out what is cut off, the line or its "
    "part up to the next '{\"annotation\"': that document is not judged, and all others are whole."
)


class PearmutLog:
    """What the entries of a log say together."""

    def __init__(self, path, max_bytes):
        self.submitted = {}  # what counts, by user and document, with its place
        self.n_left_out = 0  # items
        self._comments, self._seconds = {}, {}
        for at, entry in _entries(path, max_bytes):
            self._add(at, entry)

    def _add(self, at, entry):
        """Add an entry."""
        counts, n_items = _checked(at, entry)
        user, place = entry["user_id"], entry.get("item_i")
        self._seconds.setdefault(user, []).append(seconds_of(at, entry.get("actions")))
        if entry["annotation"] == _RESET:
            for key in [key for key in self.submitted if key[0] == user]:
                self._forget(key)
            self._comments = {k: text for k, text in self._comments.items() if k[0] != user}
            return
        self._forget((user, place))
        comment = entry.get("comment")
        if comment is not None and not isinstance(comment, str):
            raise at.error(f"a comment must be text, found {comment!r}.")
        self._comments.pop((user, str(place)), None)  # the page shows it again
        if comment:
            self._comments[user, str(place)] = comment
        if counts:
            self.submitted[user, place] = at, entry
        else:
            self.n_left_out += n_items

    def _forget(self, key):
        """Leave out what was submitted before, if anything."""
        if key in self.submitted:
            self.n_left_out += len(self.submitted.pop(key)[1]["item"])

    def minutes(self):
        """Return a table of the time of each judge of whom any was logged."""
        known = {user: [x for x in given if x == x] for user, given in self._seconds.items()}
        sums = {user: math.fsum(given) / 60 for user, given in known.items() if given}
        return pd.DataFrame({"minutes": pd.Series(sums, dtype=float)}).rename_axis("judge")

    def comments(self):
        """Return the comments of judges on documents."""
        index = pd.MultiIndex.from_tuples(self._comments, names=["judge", "document"])
        return pd.Series(list(self._comments.values()), index, dtype=object, name="comments")

    def checks(self):
        """Return what pearmut itself says of checks, if anything, by name."""
        rows = []
        for at, entry in self.submitted.values():
            passed = entry.get("validations") or []
            if not isinstance(passed, list) or not all(isinstance(one, bool) for one in passed):
                raise at.error(f"validations must be a list of true and false, found {passed!r}.")
            rows += [(entry["user_id"], one) for one in passed]
        table = pd.DataFrame(rows, columns=["judge", "passed"]).astype({"passed": bool})
        counts = table.groupby("judge")["passed"].agg(asked="size", passed="sum")
        return {"checks": counts} if rows else {}


def _entries(path, max_bytes):
    """Yield the entries of a log with their places."""
    text = read_text(path, max_bytes=max_bytes)
    lines = [(k, line) for k, line in enumerate(lines_of(text), 1) if line.strip()]
    if not lines:
        raise DataFileError(path, "expected judgements, found an empty file.")
    start = Place(path, lines[0][0])
    try:
        first = parse_json(path, lines[0][1], start.line)
    except DataFileError:
        if len(lines) == 1 or text.lstrip()[0] not in "{[" or len(lines[0][1].strip()) > 1:
            raise
        first, lines = parse_json(path, text), lines[:1]  # one value on many lines
    if len(lines) == 1 and isinstance(first, dict) and "user_id" not in first:
        log = list(first.values())
        if len(log) != 1 or not isinstance(log[0], list):
            problem = f"expected the entries of one campaign, found {[*first][:20]}: split them."
            raise DataFileError(path, problem)
        yield from ((start, entry) for entry in log[0])
        return
    yield start, first
    for line, text in lines[1:]:
        try:
            entry = parse_json(path, text, line)
        except DataFileError as error:
            raise DataFileError(path, f"{error.problem} {_CUT_OFF}", line) from None
        yield Place(path, line), entry


def _checked(at, entry):
    """Check an entry's form; return whether it says something of systems, and its items."""
    if not isinstance(entry, dict):
        raise at.error(f"expected an object, found {type(entry).__name__}.")
    user, place, said = (entry.get(name) for name in ("user_id", "item_i", "annotation"))
    named = isinstance(user, str) and user.strip() and user.isprintable()
    if named and said == _RESET:  # of all documents of the user
        return True, 0
    if not named or not isinstance(place, int | str):
        raise at.error(f"expected 'user_id' and 'item_i', found {user!r} and {place!r}.")
    items = _items(at, entry)
    form = all("form" in item and "tgt" not in item for item in items)
    return not form and not str(place).startswith(_EXTRA), len(items)


def _items(at, entry):
    """Return the items of an entry, objects, each of which has an annotation."""
    items, said = entry.get("item"), entry.get("annotation")
    if not isinstance(items, list) or not isinstance(said, list) or len(items) != len(said):
        raise at.error(
            "expected lists 'item' and 'annotation' of equal length, as pearmut writes since 1.0, "
            f"found {_shown(items)} and {_shown(said)}."
        )
    for item in items:
        if not isinstance(item, dict):
            raise at.error(f"expected items that are objects, found {item!r}.")
    return items


def _shown(value):
    """Show what stands where a list should."""
    return f"one of {len(value)}" if isinstance(value, list) else type(value).__name__


def seconds_of(at, actions):
    """Add up the time between actions, less pauses; NaN without a log."""
    if not actions:
        return math.nan
    times = [action.get("time") for action in actions] if are_objects(actions) else [None]
    if not all(map(is_number, times)):
        raise at.error("expected actions, a list with a number 'time' each.")
    times = sorted(times)
    return math.fsum(min(later - earlier, _IDLE) for earlier, later in pairwise(times))
