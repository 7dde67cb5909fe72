"""The transition machine in plain Python: a state is a list of objects, a feature a tuple."""

from dataclasses import dataclass, field, replace

TREES = ("right", "left")


@dataclass
class Item:
    """What stands on the stack: a unit with what depends on it, outermost dependents last."""

    label: tuple = None
    head: int = None
    first: int = None
    last: int = None
    left: list = field(default_factory=list)  # (label, Item)
    right: list = field(default_factory=list)
    waits_for: str = None  # the label of the whole that an open item is part of


@dataclass
class State:
    """A stack and a place in the buffer of n units."""

    n: int
    stack: list = field(default_factory=list)
    place: int = 0

    def after(self, action):
        """Return the state behind an action."""
        label = action.label, action.is_open
        if action.kind == "shift":
            item = Item(label, self.place, self.place, self.place)
            return State(self.n, [*self.stack, item], self.place + 1)
        *rest, one, two = self.stack
        if action.kind == "left":
            item = replace(one, right=[*one.right, (label, two)])
        else:
            item = replace(two, left=[*two.left, (label, one)])
        item.label, item.first, item.last = label, one.first, two.last
        item.waits_for = action.label if action.is_open else None
        return State(self.n, [*rest, item], self.place)

    def may(self, action):
        """Tell whether an action may follow."""
        if action.kind == "shift":
            return self.place < self.n
        if len(self.stack) < 2:
            return False
        if self.place == self.n and len(self.stack) == 2 and action.is_open:
            return False
        one, two = self.stack[-2:]
        head, other = (one, two) if action.kind == "left" else (two, one)
        return other.waits_for is None and head.waits_for in (None, action.label)

    def legal(self, actions, tagging=False):
        """List the numbers of what may follow; where nothing may, of all that can be joined."""
        if tagging:
            return list(range(len(actions)))
        found = [k for k, action in enumerate(actions) if self.may(action)]
        return found or self.any_joins(actions)

    def any_joins(self, actions):
        return [k for k, a in enumerate(actions) if a.kind in TREES and len(self.stack) > 1]


def bucket(distance):
    return 10 if distance > 10 else 6 if distance > 5 else distance


def item_at(state, place):
    """The item of a place such as s0 or s1lc2, or None."""
    k = int(place[1])
    if place[0] != "s" or len(state.stack) <= k:
        return None
    item, part = state.stack[-1 - k], place[2:]
    if part in ("", "f", "l", "p", "n"):
        return item
    side = item.left if part[0] == "l" else item.right
    back = 2 if part.endswith("2") else 1
    return side[-back][1] if len(side) >= back else None


def unit_at(state, place):
    """The unit of a place, or None."""
    if place[0] == "q":
        unit = state.place + int(place[1:])
        return unit if 0 <= unit < state.n else None
    item = item_at(state, place)
    if item is None:
        return None
    units = {"f": item.first, "l": item.last, "p": item.first - 1, "n": item.last + 1}
    unit = units.get(place[2:], item.head)
    return unit if 0 <= unit < state.n else None


def value(state, place, attribute, units):
    """An attribute of a place; ``units`` maps columns to their values."""
    if attribute in units:
        unit = unit_at(state, place)
        return None if unit is None else units[attribute][unit]
    item = item_at(state, place) if len(place) < 3 or (place[2] in "lr" and place[3:]) else None
    if attribute == "size":
        return None if item is None else bucket(item.last - item.first)
    if attribute == "dist":
        k = int(place[1])
        if item is None or len(state.stack) < k + 2:
            return None
        return bucket(item.head - state.stack[-2 - k].head)
    item = item or Item()
    labels = {"l": [label for label, _ in item.left], "r": [label for label, _ in item.right]}
    if attribute == "label":
        return item.label
    if attribute in ("nl", "nr"):
        return min(len(labels[attribute[1]]), 6)
    of_side = labels[attribute[0]]
    if attribute.endswith("set"):
        return tuple(of_side)
    back = 2 if attribute.endswith("2") else 1
    return of_side[-back] if len(of_side) >= back else None


def feature(state, template, units):
    """A feature of a state as a tuple."""
    atoms = (atom.partition(".") for atom in template.split())
    return tuple(value(state, place, attribute, units) for place, _, attribute in atoms)


def derivations(n, actions):
    """Generate all legal derivations of n units, as lists of numbers of actions."""

    def behind(state, done):
        if len(done) == 2 * n - 1:
            yield done
            return
        for k in state.legal(actions):
            yield from behind(state.after(actions[k]), [*done, k])

    yield from behind(State(n), [])


def states(n, actions, derivation):
    """List the states from which the actions of a derivation are taken."""
    found = [State(n)]
    for k in derivation:
        found.append(found[-1].after(actions[k]))
    return found[:-1]


def beam_search(n, actions, scores_of, beam, tagging=False):
    """Search as one does by hand; return (score, derivation) of the final states, best first.

    ``scores_of(state)``: the score of each action. Of equal scores the state that is better, and
    the action that comes first, wins.
    """
    best = [(0.0, [], State(n))]
    for _ in range(n if tagging else 2 * n - 1):
        following = [
            (score + scores_of(state)[k], [*done, k], state.after(actions[k]))
            for score, done, state in best
            for k, action in enumerate(actions)
            if tagging or state.may(action)
        ]
        if not following:
            following = [
                (score + scores_of(state)[k], [*done, k], state.after(actions[k]))
                for score, done, state in best
                for k in state.any_joins(actions)
            ]
        best = sorted(following, key=lambda found: -found[0])[:beam]
    return [(score, done) for score, done, _ in best]
