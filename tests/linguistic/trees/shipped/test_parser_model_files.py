"""Files of parsers' models: the same to the bit when read, and refused by name when damaged."""

import hashlib
import json
import os
import re
import shutil
from itertools import accumulate

import numpy as np
import pytest
from safetensors.numpy import load, save
from small_treebank import small_model

from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.linguistic.trees.shipped import model
from sklearn_mteval.linguistic.trees.shipped.learning.machine import Action
from sklearn_mteval.linguistic.trees.shipped.model import (
    MACHINES,
    load_model_folder,
    save_model_folder,
)
from sklearn_mteval.linguistic.trees.tokenizer import treebank_words
from sklearn_mteval.trees import ConstituencyParser, DependencyParser, ShallowParser, read_brackets

FILE = "model.safetensors"
TEXTS = ["The cat sleeps .", "He said that the ship dies because it (the old one) rained.", "( . x"]
PARSERS = [ShallowParser(), ShallowParser("discourse"), DependencyParser(), ConstituencyParser()]


@pytest.fixture(scope="module")
def content():
    return (small_model() / FILE).read_bytes()


def opened(content):
    """The header and the arrays of a model, to be changed."""
    size = int.from_bytes(content[:8], "little")
    head = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["model"])
    return head, {name: array.copy() for name, array in load(content).items()}


def closed(head, arrays):
    return save(
        {name: np.ascontiguousarray(array) for name, array in arrays.items()},
        {"model": head if isinstance(head, str) else json.dumps(head)},
    )


def written(tmp_path, content):
    (tmp_path / FILE).write_bytes(content)
    return tmp_path


def check_refused(folder):
    """The error names the file, and says what to do."""
    with pytest.raises(DataFileError, match=re.escape(str(folder / FILE))) as found:
        load_model_folder(folder)
    assert "sklearn-mteval treebank train" in str(found.value)
    for parser in PARSERS:
        with pytest.raises(DataFileError):
            parser.set_params(parser_model=folder).parse(["It works."])


def test_a_model_is_read_to_the_bit(tmp_path, content):
    save_model_folder(load_model_folder(small_model()), tmp_path / "new" / "folder")
    assert (tmp_path / "new" / "folder" / FILE).read_bytes() == content
    head, arrays = opened(content)
    found = load_model_folder(small_model())
    assert found.checksum == hashlib.sha256(content).hexdigest()
    assert set(found.machines) == set(MACHINES) == set(head["machines"])
    for name, machine in found.machines.items():
        # Differences, their bytes from the lowest to the highest.
        rows = arrays[f"{name}.keys"].tolist()
        steps = [a + 256 * b + 256**2 * c + 256**3 * d for a, b, c, d in zip(*rows, strict=True)]
        assert machine.keys.tolist() == list(accumulate(steps))
        assert machine.keys.dtype == np.uint32
        assert np.array_equal(np.diff(machine.bounds), arrays[f"{name}.counts"])
        assert np.array_equal(machine.classes, arrays[f"{name}.classes"])
        assert np.array_equal(machine.weights, arrays[f"{name}.weights"])
        assert [list(action) for action in machine.actions] == head["machines"][name]["actions"]
        assert machine.temperature == head["machines"][name]["temperature"]
    assert found.machines["constituents"].temperature != 1.0


def test_classes_of_words_are_kept(tmp_path):
    found = load_model_folder(small_model())
    classes = {-5: (1, 2, 3, 4), 7: (0, 65535, 0, 1), -(2**31): (9, 9, 9, 9)}
    save_model_folder(model.Model(found.machines, classes), tmp_path)
    assert load_model_folder(tmp_path).classes == classes


def test_more_than_256_actions(tmp_path):
    """Their numbers take two bytes."""
    found = load_model_folder(small_model())
    tagger = found.machines["tags"]
    more = [Action("shift", f"Z{k}") for k in range(300)]
    wide = model.Machine(
        [*tagger.actions, *more], tagger.templates, tagger.columns, True,
        tagger.keys, tagger.bounds, tagger.classes + 300, tagger.weights,
    )  # fmt: skip
    save_model_folder(model.Model({**found.machines, "tags": wide}, {}), tmp_path)
    again = load_model_folder(tmp_path).machines["tags"]
    assert np.array_equal(again.classes, wide.classes) and again.actions == wide.actions


def test_a_file_that_has_changed_is_read_again(tmp_path, content):
    folder = written(tmp_path, content)
    before = ShallowParser(parser_model=folder).signature
    head, arrays = opened(content)
    arrays["tags.weights"][:] = 0
    written(tmp_path, closed(head, arrays))
    os.utime(tmp_path / FILE, ns=(1, 1))
    assert ShallowParser(parser_model=folder).signature != before
    [tree] = read_brackets(ShallowParser(parser_model=folder).parse(TEXTS)[1])
    [_, first, _] = head["machines"]["tags"]["actions"][0]
    assert first == "(" and {tag for tag, _ in tree.tagged_words()} == {"-LRB-"}


def change_head(place, value):
    """Change what stands at a place of the header, "machines/tags/tagging"; ... removes it."""

    def change(head, arrays):
        *path, last = place.split("/")
        for key in path:
            head = head[key]
        if value is ...:
            del head[last]
        else:
            head[last] = value(head[last]) if callable(value) else value

    return change


def change_array(name, function):
    def change(head, arrays):
        arrays[name] = function(arrays[name])

    return change


def without(name):
    return lambda head, arrays: arrays.pop(name)


def put(at, value):
    def function(array):
        array[at] = value
        return array

    return function


ACTION = ["shift", "x", False]
TREES = ["dependencies", "constituents", "discourse"]
TAGGERS = ["tags", "chunks", "supertags", "boundaries"]
DAMAGE = {
    **{f"format {f!r}": change_head("format", f) for f in (1, 3, 0, "2", None, [], ...)},
    "no machines": change_head("machines", ...),
    "machines: list": change_head("machines", []),
    "machines: text": change_head("machines", "tags"),
    **{f"no {name}": change_head(f"machines/{name}", ...) for name in MACHINES},
    **{f"{name} a text": change_head(f"machines/{name}", "x") for name in MACHINES[:2]},
    **{
        f"{name} without {part}": without(f"{name}.{part}")
        for name in (*MACHINES, "classes")
        for part in (["keys", "counts", "classes", "weights"] if name != "classes"
                     else ["keys", "numbers"])
    },
    **{
        f"{name}: no {part}": change_head(f"machines/{name}/{part}", ...)
        for name in ("tags", "discourse")
        for part in ("actions", "templates", "columns", "tagging", "temperature")
    },
    **{
        f"{name}.{part} {kind}": change_array(f"{name}.{part}", lambda a, k=kind: a.astype(k))
        for name in ("tags", "constituents")
        for part, kinds in {
            "keys": ["i1", "u2", "f4", "u4"],
            "counts": ["i8", "i1", "u2", "f4", "?"],
            "classes": ["i2", "i8", "f2", "u4"],
            "weights": ["u1", "i2", "f4", "f8"],
        }.items()
        for kind in kinds
    },
    **{
        f"{name}.{part} {what}": change_array(f"{name}.{part}", function)
        for name in ("chunks", "dependencies")
        for part in ("counts", "classes", "weights")
        for what, function in {
            "shorter": lambda a: a[:-1],
            "longer": lambda a: np.append(a, a[-1:] + a.dtype.type(1)),
            "empty": lambda a: a[:0],
            "a column": lambda a: a[:, np.newaxis],
            "a number": lambda a: a[0].reshape(()),
        }.items()
    },
    "one count more": change_array("tags.counts", lambda a: put(3, a[3] + 1)(a)),
    "a count of 0 for 256": change_array("tags.counts", put(0, 0)),
    **{
        f"keys {what}": change_array("tags.keys", function)
        for what, function in {
            "of three bytes": lambda a: a[:3],
            "of five bytes": lambda a: np.vstack([a, a[:1]]),
            "fewer": lambda a: a[:, :-1],
            "more": lambda a: np.hstack([a, a[:, -1:]]),
            "none": lambda a: a[:, :0],
            "without bytes": lambda a: a[:0],
            "in a row": lambda a: a.ravel(),
            "in a room": lambda a: a[np.newaxis],
            "from 0": put((slice(None), 0), 0),
            "one twice": put((slice(None), 4), 0),
            "beyond 32 bits": put((3, slice(0, 2)), 255),
        }.items()
    },
    **{f"{name}: class 255": change_array(f"{name}.classes", put(-1, 255)) for name in MACHINES},
    **{
        f"{name}: an action less": change_head(f"machines/{name}/actions", lambda a: a[:-1])
        for name in ("chunks", "dependencies", "constituents")
    },
    **{
        f"{name} tagging {value!r}": change_head(f"machines/{name}/tagging", value)
        for names, values in ((TAGGERS, [False, 0, 1, None]), (TREES, [True, 1, "", 0]))
        for name in names
        for value in values
    },
    **{
        f"{name}: columns {what}": change_head(f"machines/{name}/columns", value)
        for name in ("tags", "dependencies", "discourse")
        for what, value in {
            "fewer": lambda c: c[:-1],
            "more": lambda c: [*c, "more"],
            "swapped": lambda c: c[::-1],
            "many": lambda c: [*c, *map(str, range(10**5))],
            "none": None,
            "text": "form lower",
            "number": 5,
            "numbers": [1, 2],
            "lists": lambda c: [[column] for column in c],
        }.items()
    },
    "columns of the other": lambda head, arrays: head["machines"]["discourse"].update(
        columns=head["machines"]["tags"]["columns"]
    ),
    **{
        f"templates {value!r}": change_head("machines/supertags/templates", value)
        for value in (None, 5, "q0.tag", {"q0.tag": 1}, ["q0.nothing"], ["q9.tag"], [""], [5],
                      [None], [["q0.tag"]], ["q0.tag " * 5], ["q0.tag.tag"])
    },
    **{
        f"{name}: actions {value!r}": change_head(f"machines/{name}/actions", value)
        for name in ("tags", "constituents")
        for value in (None, 5, "shift", [], {}, [[]], [None], [ACTION[:2]], [[*ACTION, 1]],
                      ["abc"], [["jump", "x", False]], [[["shift"], "x", False]])
    },
    **{
        f"{name}: first action {value!r}": change_head(
            f"machines/{name}/actions", lambda a, v=value: [v, *a[1:]]
        )
        for name in ("boundaries", "discourse", "constituents")
        for value in (["jump", "x", False], ["shift", 5, False], ["shift", None, False],
                      ["shift", "x", 1], ["shift", "x", None], ["shift", "x"], "abc", 7)
    },
    **{
        f"{name} joins": change_head(
            f"machines/{name}/actions", lambda a: [["left", "x", False], *a[1:]]
        )
        for name in TAGGERS
    },
    **{
        f"{name} shifts only": change_head(
            f"machines/{name}/actions", lambda a: [["shift", f"{k}", False] for k in range(len(a))]
        )
        for name in TREES
    },
    **{
        f"{name} never shifts": change_head(
            f"machines/{name}/actions",
            lambda a: [["left", f"NS:{k}", False] for k in range(len(a))],
        )
        for name in TREES
    },
    "a tag without characters": change_head(
        "machines/tags/actions", lambda a: [["shift", "", False], *a[1:]]
    ),
    **{
        f"discourse joined by {label!r}": change_head(
            "machines/discourse/actions", lambda a, v=label: [["left", v, False], *a[1:]]
        )
        for label in ("", "N", "S:x", "NX:x", "SS:x", "x:NS:", "NSx")
    },
    **{
        f"temperature {value!r:.9}": change_head("machines/constituents/temperature", value)
        for value in (0, -1.0, float("nan"), float("inf"), "1", None, True, [], 1e-300, 1e300,
                      10**400)
    },
    **{
        f"classes.numbers {what}": change_array("classes.numbers", function)
        for what, function in {
            "flat": lambda a: np.zeros(4, np.uint16),
            "three": lambda a: np.zeros((0, 3), np.uint16),
            "more": lambda a: np.zeros((2, 4), np.uint16),
            "floats": lambda a: a.astype("f4"),
            "wide": lambda a: a.astype("i8"),
        }.items()
    },
    "classes.keys wide": change_array("classes.keys", lambda a: a.astype("i8")),
    "classes.keys in columns": change_array("classes.keys", lambda a: a.reshape(0, 1)),
    "a class twice": lambda head, arrays: arrays.update(
        {"classes.keys": np.array([1, 1], "i4"), "classes.numbers": np.zeros((2, 4), "u2")}
    ),
}  # fmt: skip


def test_nothing_changed_is_nothing_damaged(tmp_path, content):
    folder = written(tmp_path, closed(*opened(content)))
    for parser in PARSERS:
        mine = parser.set_params(parser_model=folder).parse(TEXTS)
        assert mine == parser.set_params(parser_model=small_model()).parse(TEXTS)


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_does_not_fit_together_is_refused(tmp_path, content, damage):
    head, arrays = opened(content)
    DAMAGE[damage](head, arrays)
    check_refused(written(tmp_path, closed(head, arrays)))


def head_only(text):
    text = text if isinstance(text, bytes) else text.encode()
    return len(text).to_bytes(8, "little") + text


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 7,
        b"\0" * 64,
        b"\xff" * 64,
        b"(S (X y))\n",
        head_only("{}"),
        head_only("[]"),
        head_only("5"),
        head_only('{"__metadata__": 5}'),
        head_only('{"__metadata__": {"model": 5}}'),
        head_only('{"__metadata__": {"model": "5"}}'),
        head_only('{"__metadata__": {"model": "x"}}'),
        head_only('{"__metadata__": {"model": "{}"}}'),
        head_only(b'{"__metadata__": {"model": "\xff"}}'),
        head_only("[" * 200_000),
        head_only(json.dumps({"__metadata__": {"model": "[" * 200_000}})),
        head_only(json.dumps({"__metadata__": {"model": '{"format": ' + "1" * 9999 + "}"}})),
        head_only('{"__metadata__": {"model": "{\\"format\\": 2}"}}'),
    ],
)
def test_what_is_no_model_is_refused(tmp_path, content):
    check_refused(written(tmp_path, content))


def test_a_header_that_is_no_json(tmp_path, content):
    check_refused(written(tmp_path, closed("{", opened(content)[1])))
    check_refused(written(tmp_path, closed('"format"', opened(content)[1])))


def test_a_file_that_was_cut_off(tmp_path, content):
    size = int.from_bytes(content[:8], "little")
    places = {0, 1, 7, 8, 9, size, size + 7, size + 8, size + 9, len(content) - 1}
    places |= set(np.linspace(0, len(content) - 1, 60).astype(int).tolist())
    for place in places:
        check_refused(written(tmp_path, content[:place]))
    check_refused(written(tmp_path, content + b"\0"))


def test_a_file_that_is_too_large(tmp_path, content, monkeypatch):
    monkeypatch.setattr(model, "_MOST_BYTES", len(content) - 1)
    with pytest.raises(DataFileError, match=f"{FILE}: .*{len(content) - 1}|expected at most"):
        load_model_folder(written(tmp_path, content))


def test_a_folder_without_a_model(tmp_path):
    with pytest.raises(DataFileError, match=r"model.safetensors: cannot be read.*treebank train"):
        ShallowParser(parser_model=tmp_path).parse(["It works."])
    (tmp_path / FILE).mkdir()
    with pytest.raises(DataFileError, match="cannot be read: expected a file, found a folder"):
        ShallowParser(parser_model=tmp_path).parse(["It works."])
    for name in ("a\0b", "\ud800"):
        with pytest.raises(DataFileError, match="cannot be read"):
            ShallowParser(parser_model=name).parse(["It works."])


def test_flipped_bits_are_refused_or_give_whole_trees(tmp_path, content):
    """A weight or a label may be another one; every word has its place in a tree all the same."""
    rng = np.random.default_rng(0)
    size = int.from_bytes(content[:8], "little")
    words = [treebank_words(text) for text in TEXTS]
    counts = {True: 0, False: 0}
    places = [*rng.integers(0, 8 + size, size=150), *rng.integers(8 + size, len(content), size=100)]
    for number, place in enumerate(places):
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(rng.integers(8))
        folder = tmp_path / f"{number}"
        folder.mkdir()
        written(folder, bytes(damaged))
        refused = ""
        try:
            load_model_folder(folder)
        except DataFileError as error:
            refused = str(error)
        counts[not refused] += 1
        if refused:
            assert str(folder / FILE) in refused
            continue
        for parser in PARSERS:
            lines = parser.set_params(parser_model=folder).parse(TEXTS)
            trees = [read_brackets(line) for line in lines]
            assert [[word for _, word in tree.tagged_words()] for [tree] in trees] == words, place
        found = ConstituencyParser(parser_model=folder).parse_nbest(TEXTS, 5)
        assert all(np.isfinite(parses.scores).all() for parses in found)
        shutil.rmtree(folder)
    assert min(counts.values()) > 50
