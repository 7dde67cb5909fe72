"""Feature templates: which parts of a state a machine looks at, as data.

A template is a text such as ``"s0.tag s1.lower"``: of one to four *atoms*, ``PLACE.ATTRIBUTE``,
which are hashed together. Places are the topmost items of the stack ``s0``, ``s1``, ``s2``, the
units of the buffer ``q0`` to ``q3``, those before it, ``q-1`` and ``q-2``, and for an item S

- ``S.lc``, ``S.rc``, ``S.lc2``, ``S.rc2``: its outermost dependents on either side, and the next;
- ``S.f``, ``S.l``: the first and the last unit of what it spans; ``S.p``, ``S.n``: the unit before
  and the one behind that.

An attribute is a column of the units (``tag``), where an item stands for its head, or one of an
item: ``label``; ``llab``, ``rlab``, ``llab2``, ``rlab2``: with which labels the dependents at
these places were joined; ``lset``, ``rset``: those of all of them; ``nl``, ``nr``: how many;
``size`` in units; ``dist``, the distance of the heads of an item and the one below it.
"""

import numpy as np

PLACES = (
    "s0", "s1", "s2", "q0", "q1", "q2", "q3", "q-1", "q-2",
    "s0lc", "s0rc", "s1lc", "s1rc", "s0lc2", "s0rc2", "s1lc2", "s1rc2",
    "s0f", "s0l", "s1f", "s1l", "s2f", "s2l", "s0p", "s0n", "s1p",
)  # fmt: skip
CELL_ATTRIBUTES = (
    "label", "llab", "rlab", "llab2", "rlab2", "lset", "rset", "nl", "nr", "size", "dist",
)  # fmt: skip
_MOST_ATOMS = 4


def read_template_sets(path):
    """Read a file of sets, ``[name]`` and a template a line; ``#`` begins a comment."""
    sets = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            templates = sets[line.strip("[]")] = []
        elif line and not line.startswith("#"):
            templates.append(line)
    return sets


def compile_templates(templates, columns):
    """Turn templates into arrays for the compiled machine; ValueError for what is not known.

    Returned are the distinct atoms, (n_atoms, 2): number of the place, number of the column or,
    from ``len(columns)`` on, of the item's attribute; and the templates' atoms, then -1, (n, 4).
    """
    attributes = (*columns, *CELL_ATTRIBUTES)
    atoms, compiled = {}, np.full((len(templates), _MOST_ATOMS), -1, dtype=np.int32)
    for row, template in zip(compiled, templates, strict=True):
        parts = template.split()
        if not 1 <= len(parts) <= _MOST_ATOMS:
            raise ValueError(f"A template has one to {_MOST_ATOMS} atoms, found {template!r}.")
        for k, part in enumerate(parts):
            place, _, attribute = part.partition(".")
            if place not in PLACES or attribute not in attributes:
                raise ValueError(f"Template {template!r}: there is no atom {part!r}.")
            atom = PLACES.index(place), attributes.index(attribute)
            row[k] = atoms.setdefault(atom, len(atoms))
    return np.array(list(atoms), dtype=np.int32).reshape(-1, 2), compiled
