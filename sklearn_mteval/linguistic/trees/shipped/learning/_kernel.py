"""The compiled transition machine: states, features, legal actions, beam search, updates.

A state is the top of a stack and a place in the buffer. Items of the stack are rows of ``cells``
that are never changed, each pointing at the one below it, so that the states of a beam share
their stacks and a step costs one row.
"""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

SHIFT, HEAD_RIGHT, HEAD_LEFT = 0, 1, 2  # push a unit; join the two topmost items, head on a side

# The columns of ``cells``. From LABEL to NR: attributes of templates, in their order.
LABEL, LLAB, RLAB, LLAB2, RLAB2, LSET, RSET, NL, NR = 0, 1, 2, 3, 4, 5, 6, 7, 8
HEAD, FIRST, LAST, BELOW, LC, RC, LC2, RC2, OPEN = 9, 10, 11, 12, 13, 14, 15, 16, 17
FIELDS = 18
_SIZE, _DIST = 9, 10  # attributes of templates that are computed
_N_PLACES = 26
_MOST_DEPENDENTS = 6  # more are counted as so many


@compiled(inline="always")
def _bucket(distance):
    """Count far distances alike."""
    if distance > 10:
        return 10
    return 6 if distance > 5 else distance


@compiled
def _new_cells(n):
    """Reserve n cells, of which cell 0, that stands for none, is the bottom of every stack."""
    cells = np.empty((n, FIELDS), dtype=np.int32)
    cells[0] = 0
    cells[0, LABEL] = cells[0, HEAD] = cells[0, FIRST] = cells[0, LAST] = -1
    return cells


@compiled
def _new_view(features):
    """Reserve unit and cell of each place of a template, and values of atoms."""
    unit = np.full(_N_PLACES, -1, dtype=np.int64)
    return unit, np.zeros(_N_PLACES, dtype=np.int64), np.empty(len(features[0]), dtype=np.int64)


@compiled
def _look(top, place, n, cells, unit, cell):
    """Find the unit and the cell of each place of a template; -1 and 0 where there is none."""
    s0, s1 = np.int64(top), np.int64(cells[top, BELOW])
    s2 = np.int64(cells[s1, BELOW])
    for k, item in enumerate((s0, s1, s2)):
        cell[k] = item
        unit[k] = cells[item, HEAD]
        unit[17 + 2 * k] = cells[item, FIRST]
        unit[18 + 2 * k] = cells[item, LAST]
    for k in range(4):
        unit[3 + k] = place + k if place + k < n else -1
    unit[7] = place - 1
    unit[8] = place - 2 if place > 1 else -1
    k = 9
    for below in range(2):  # two dependents at a time, in the order of the places
        for item in (s0, s1):
            for side in range(2):
                cell[k] = cells[item, LC + 2 * below + side]
                unit[k] = cells[cell[k], HEAD]
                k += 1
    unit[23] = cells[s0, FIRST] - 1 if s0 > 0 else -1
    unit[24] = cells[s0, LAST] + 1 if s0 > 0 and cells[s0, LAST] + 1 < n else -1
    unit[25] = cells[s1, FIRST] - 1 if s1 > 0 else -1


@compiled
def _features(top, place, cells, sentence, features, view, keys):
    """Hash the features of a state into ``keys``, 32 bits each, never 0."""
    units, start, n = sentence
    atoms, templates = features
    unit, cell, values = view
    _look(top, place, n, cells, unit, cell)
    n_columns = units.shape[1]
    for k in range(len(atoms)):
        where, attribute = atoms[k, 0], atoms[k, 1] - n_columns
        if attribute < 0:
            value = units[start + unit[where], atoms[k, 1]] if unit[where] >= 0 else -7
        elif attribute < _SIZE:
            value = cells[cell[where], attribute]
        elif attribute == _SIZE:
            item = cell[where]
            value = _bucket(cells[item, LAST] - cells[item, FIRST]) if item > 0 else -1
        else:
            item, below = cell[where], cells[cell[where], BELOW]
            value = _bucket(cells[item, HEAD] - cells[below, HEAD]) if below > 0 else -1
        values[k] = value
    for k in range(len(templates)):
        code = np.uint64(k + 1) * np.uint64(0x9E3779B97F4A7C15)
        for atom in templates[k]:
            if atom < 0:
                break
            code = (code ^ np.uint64(values[atom] + 0x1234567)) * np.uint64(0xC2B2AE3D27D4EB4F)
            code ^= code >> np.uint64(29)
        # A product mixes the low bits of its factors into the high ones: those are kept.
        keys[k] = max(np.uint32(code >> np.uint64(32)), np.uint32(1))


@compiled
def _allowed(action, actions, top, place, n, cells, free):
    """Tell whether an action may follow; any may in tagging.

    An open item, a part of a constituent that waits for more, must be the head of what it is
    joined to, under its own label; the whole is not open. Where nothing else may follow, a
    ``free`` search joins any items: then, and only then, the label of an open item is lost.
    """
    kinds, _, bases, opens, tagging = actions
    kind = kinds[action]
    if tagging or kind == SHIFT:
        return tagging or place < n
    below = cells[top, BELOW]
    if below == 0 or free:
        return below > 0
    if place == n and cells[below, BELOW] == 0 and opens[action]:
        return False  # the last join makes the whole, which nothing could complete any more
    head, other = (top, below) if kind == HEAD_RIGHT else (below, top)
    of_head = cells[head, OPEN]
    return cells[other, OPEN] == 0 and (of_head == 0 or of_head == bases[action] + 1)


@compiled
def _act(cells, new, top, place, actions, action):
    """Write the cell that an action puts on top of the stack; return the next place."""
    kinds, labels, bases, opens, _ = actions
    kind, label = kinds[action], labels[action]
    if kind == SHIFT:
        cells[new] = 0
        cells[new, LABEL] = label
        cells[new, HEAD] = cells[new, FIRST] = cells[new, LAST] = place
        cells[new, BELOW] = top
        return place + 1
    below = cells[top, BELOW]
    head, other = (top, below) if kind == HEAD_RIGHT else (below, top)
    cells[new] = cells[head]
    side = 0 if kind == HEAD_RIGHT else 1
    cells[new, LC2 + side] = cells[head, LC + side]
    cells[new, LC + side] = other
    cells[new, LLAB2 + side] = cells[head, LLAB + side]
    cells[new, LLAB + side] = label + 1
    # A polynomial in 131, modulo 2³²: the sequence of labels on this side, in 32 bits.
    cells[new, LSET + side] = cells[head, LSET + side] * 131 + label + 1
    cells[new, NL + side] = min(cells[head, NL + side] + 1, _MOST_DEPENDENTS)
    cells[new, LABEL] = label
    cells[new, FIRST], cells[new, LAST] = cells[below, FIRST], cells[top, LAST]
    cells[new, BELOW] = cells[below, BELOW]
    cells[new, OPEN] = bases[action] + 1 if opens[action] else 0
    return place


@compiled
def fill_slots(keys, starts, sizes, slots):
    """Put keys with start and size of what is theirs, in 32 bits, into a hash table of zeros."""
    mask = np.uint32(len(slots) - 1)
    for k in range(len(keys)):
        slot = keys[k] & mask
        while slots[slot, 0] != 0:
            slot = (slot + np.uint32(1)) & mask
        slots[slot, 0] = keys[k]
        slots[slot, 1] = (np.uint32(starts[k]) << np.uint32(8)) | np.uint32(sizes[k])


@compiled
def _score(keys, table, scores, rows):
    """Add up the features' weights for each action, whole numbers, sparse when trained, else
    ``dense`` (n_features, n_actions); ``rows`` says which weights they were.
    """
    slots, classes, weights, dense = table
    scores[:] = 0
    mask = np.uint32(len(slots) - 1)
    # Most of the time goes into waiting for memory. Loads that do not depend on each other wait
    # together: first all slots, then the first weight of each.
    for k in range(len(keys)):
        rows[k] = np.int64(slots[keys[k] & mask, 0])
    there = 0
    for k in range(len(keys)):
        slot = keys[k] & mask
        found = np.uint32(rows[k])
        # The table is at most half full: an empty slot, of key 0, ends the search.
        while found != keys[k] and found != 0:
            slot = (slot + np.uint32(1)) & mask
            found = slots[slot, 0]
        rows[k] = -1
        if found != 0:
            packed = slots[slot, 1]
            if len(dense):
                rows[k] = packed >> np.uint32(8)
            else:
                rows[there] = packed
                there += 1
    if len(dense):
        for row in rows:
            if row >= 0:
                for action in range(len(scores)):
                    scores[action] += dense[row, action]
        return
    for k in range(there):
        start = rows[k] >> 8
        for entry in range(start, start + (rows[k] & 255)):
            scores[classes[entry]] += weights[entry]


@compiled
def n_steps(bounds, tagging):
    """Count the actions of each sentence: of n units n shifts and, in a tree, n - 1 joins."""
    sizes = np.diff(bounds)
    return sizes if tagging else np.maximum(2 * sizes - 1, 0)


@compiled(inline="always")
def _expand(step, in_beam, sentence, machine, work, free):
    """Find the best actions from the states of a step; return how many there are."""
    features, actions, table = machine
    (cells, tops, places, scores, _, _, rows), scratch = work
    view, keys, now, best, best_from, best_action = scratch
    beam, found = len(best), 0
    for state in range(in_beam):
        top, place = tops[step, state], places[step, state]
        _features(top, place, cells, sentence, features, view, keys)
        _score(keys, table, now, rows[min(step, len(rows) - 1), state])
        for action in range(len(now)):
            score = scores[step, state] + now[action]
            if found == beam and score <= best[beam - 1]:
                continue
            if _allowed(action, actions, top, place, sentence[2], cells, free):
                # Sorted in; of equal scores that of the earlier state and action comes first.
                k = found if found < beam else beam - 1
                while k > 0 and best[k - 1] < score:
                    best[k] = best[k - 1]
                    best_from[k], best_action[k] = best_from[k - 1], best_action[k - 1]
                    k -= 1
                best[k], best_from[k], best_action[k] = score, state, action
                found = min(found + 1, beam)
    return found


@compiled
def _search(sentence, steps, machine, work, gold, gold_keys, gold_rows):
    """Search a sentence's best actions; return the number of final states and, given ``gold`` and
    its features, the step at which the best state's lead over it is largest, 0 if gold is best.
    """
    _, actions, table = machine
    (cells, tops, places, scores, before, acts, _), (_, _, now, best, best_from, best_action) = work
    gold_score, worst, worst_step = 0.0, 0.0, 0
    tops[0, 0], places[0, 0], scores[0, 0] = 0, 0, 0.0
    in_beam, used = 1, 1
    for step in range(steps):
        found = 0
        for free in (False, True):
            if not found:  # not even one: open items that fit nothing, which are joined anyhow
                found = _expand(step, in_beam, sentence, machine, work, free)
        for k in range(found):
            state, action = best_from[k], best_action[k]
            top, place = tops[step, state], places[step, state]
            places[step + 1, k] = _act(cells, used, top, place, actions, action)
            tops[step + 1, k] = used
            scores[step + 1, k], before[step + 1, k], acts[step + 1, k] = best[k], state, action
            used += 1
        in_beam = found
        if len(gold):
            _score(gold_keys[step], table, now, gold_rows[step])
            gold_score += now[gold[step]]
            if best[0] - gold_score >= worst and not _is_gold(gold, step + 1, before, acts):
                worst, worst_step = best[0] - gold_score, step + 1
    return in_beam, worst_step


@compiled
def _is_gold(gold, step, before, acts):
    """Tell whether the best state of a step was reached by the gold actions."""
    state = 0
    for k in range(step, 0, -1):
        if acts[k, state] != gold[k - 1]:
            return False
        state = before[k, state]
    return True


@compiled
def _workspace(longest, beam, features, n_actions, training):
    """Reserve what each step and state has, and what a step is worked out in."""
    cells = _new_cells(longest * beam + 1)
    tops = np.empty((longest + 1, beam), dtype=np.int32)
    places, before, acts = np.empty_like(tops), np.empty_like(tops), np.empty_like(tops)
    n_templates = len(features[1])
    rows = np.empty((longest if training else 1, beam, n_templates), dtype=np.int64)
    scores, keys = np.empty((longest + 1, beam)), np.empty(n_templates, dtype=np.uint32)
    best_from, best_action = np.empty(beam, dtype=np.int64), np.empty(beam, dtype=np.int64)
    step = _new_view(features), keys, np.empty(n_actions), np.empty(beam), best_from, best_action
    return (cells, tops, places, scores, before, acts, rows), step


@compiled
def parse_batch(units, bounds, machine, beam, n_best):
    """Return the actions of the n best derivations of each sentence, and how many there are."""
    features, actions, _ = machine
    steps = n_steps(bounds, actions[4])
    work = _workspace(np.append(steps, 0).max(), beam, features, len(actions[0]), False)
    before, acts = work[0][4], work[0][5]
    no_gold, no_rows = np.zeros(0, dtype=np.int64), np.zeros((0, 0), dtype=np.int64)
    no_keys = np.zeros((0, 0), dtype=np.uint32)
    derived = np.empty(steps.sum() * n_best, dtype=np.int32)
    counts = np.zeros(len(steps), dtype=np.int64)
    end = 0
    for k in range(len(steps)):
        if not steps[k]:
            continue
        sentence = units, bounds[k], bounds[k + 1] - bounds[k]
        found, _ = _search(sentence, steps[k], machine, work, no_gold, no_keys, no_rows)
        counts[k] = min(found, n_best)
        for state in range(counts[k]):
            at = state
            for step in range(steps[k], 0, -1):  # back to the first, from state to state before
                derived[end + step - 1] = acts[step, at]
                at = before[step, at]
            end += steps[k]
    return derived[:end], counts


@compiled
def train_epoch(units, bounds, gold, gold_bounds, gold_keys, order, machine, beam, sums, clock):
    """Go once through the sentences, with max-violation updates; return their number."""
    features, actions, table = machine
    dense = table[3]
    longest = np.append(np.diff(gold_bounds), 1).max()
    work = _workspace(longest, beam, features, len(actions[0]), True)
    before, acts, rows = work[0][4:]
    gold_rows = np.empty((longest, len(features[1])), dtype=np.int64)
    updates = 0
    for k in order:
        own = gold[gold_bounds[k] : gold_bounds[k + 1]]
        keys = gold_keys[gold_bounds[k] : gold_bounds[k + 1]]
        clock += 1
        if not len(own):
            continue
        sentence = units, bounds[k], bounds[k + 1] - bounds[k]
        _, worst = _search(sentence, len(own), machine, work, own, keys, gold_rows)
        state = 0
        for step in range(worst, 0, -1):
            wrong, right, last = acts[step, state], own[step - 1], before[step, state]
            for j in range(gold_rows.shape[1]):
                row = rows[step - 1, last, j]
                if row >= 0:
                    dense[row, wrong] -= 1
                    sums[row, wrong] -= clock
                row = gold_rows[step - 1, j]
                if row >= 0:
                    dense[row, right] += 1
                    sums[row, right] += clock
            state = last
        updates += worst > 0
    return updates


@compiled
def _walk(sentence, derivation, features, actions, keys):
    """Go through the states of a derivation: fill in the features, return cells and places."""
    cells, view = _new_cells(len(derivation) + 1), _new_view(features)
    places = np.zeros(len(derivation) + 1, dtype=np.int64)
    for step in range(len(derivation)):
        _features(step, places[step], cells, sentence, features, view, keys[step])
        places[step + 1] = _act(cells, step + 1, step, places[step], actions, derivation[step])
    return cells, places


@compiled
def collect_keys(units, bounds, gold, gold_bounds, features, actions):
    """Return the features of all states of the gold derivations, (n_states, n_templates)."""
    found = np.empty((len(gold), len(features[1])), dtype=np.uint32)
    for k in range(len(bounds) - 1):
        own = slice(gold_bounds[k], gold_bounds[k + 1])
        sentence = units, bounds[k], bounds[k + 1] - bounds[k]
        _walk(sentence, gold[own], features, actions, found[own])
    return found


@compiled
def log_likelihoods(units, bounds, derived, derived_bounds, sentences, machine, temperature):
    """Return the log-probability of each derivation given its sentence."""
    features, actions, table = machine
    n_templates, n_actions = len(features[1]), len(actions[0])
    rows, now = np.empty(n_templates, dtype=np.int64), np.empty(n_actions)
    found = np.zeros(len(sentences))
    for k in range(len(sentences)):
        own = derived[derived_bounds[k] : derived_bounds[k + 1]]
        start = bounds[sentences[k]]
        n = bounds[sentences[k] + 1] - start
        keys = np.empty((len(own), n_templates), dtype=np.uint32)
        cells, places = _walk((units, start, n), own, features, actions, keys)
        for step in range(len(own)):
            place = places[step]
            _score(keys[step], table, now, rows)
            # The search was free here if its action was none of those that are allowed.
            free = not _allowed(own[step], actions, step, place, n, cells, False)
            for action in range(n_actions):
                if not _allowed(action, actions, step, place, n, cells, free):
                    now[action] = -np.inf
            highest = now.max()  # subtracted, so that no power of e overflows
            total = np.exp((now - highest) / temperature).sum()
            found[k] += (now[own[step]] - highest) / temperature - np.log(total)
    return found
