import json
import shutil

import pytest

from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.scale import Partitions, collect, write_partitions
from sklearn_mteval.scale.manifest import digest, part_of
from sklearn_mteval.scale.tables import to_arrow, to_parquet


@pytest.fixture(scope="module")
def pristine(sample, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pristine")
    write_partitions(sample[0], folder, segments_per_file=50)
    return folder


@pytest.fixture
def folder(pristine, tmp_path):
    return shutil.copytree(pristine, tmp_path / "copy")


def changed(folder, change):
    """Rewrite the manifest of a folder as a function of its JSON changes it in place."""
    path = folder / "partitions.json"
    manifest = json.loads(path.read_text())
    given = change(manifest)
    path.write_text(json.dumps(manifest if given is None else given))


def part(k, **values):
    return lambda manifest: manifest["parts"][k].update(values)


def swapped(manifest):
    names = [part["file"] for part in manifest["parts"]]
    for part, name in zip(manifest["parts"], names[::-1], strict=True):
        part["file"] = name


MANIFESTS = {
    "a list": (lambda m: [m], "no manifest as write_partitions"),
    "nothing": (lambda m: {}, "no manifest as"),
    "another format": (lambda m: m.update(format=2), "expected the format 1, found 2"),
    "a stranger's name": (lambda m: m.update(pickle="x"), "no manifest as"),
    "no parts": (lambda m: m.update(parts=[]), "it names no parts"),
    "parts are a text": (lambda m: m.update(parts="part"), "no manifest as"),
    "a part is a number": (lambda m: m.update(parts=[1]), "no manifest as"),
    "a path out of it": (part(0, file="../part-000000.parquet"), "must be 'part-000000.parquet'"),
    "an absolute path": (part(0, file="/etc/passwd"), "must be 'part-000000.parquet'"),
    "another number": (part(1, file="part-000002.parquet"), "the file of part 1 must be"),
    "no name": (part(1, file=None), "the file of part 1 must be"),
    "files swapped": (swapped, "the file of part 0 must be"),
    "parts swapped": (lambda m: m["parts"].reverse(), "the file of part 0 must be"),
    "rows are text": (part(0, rows="250"), "rows of part-000000.parquet are no number"),
    "rows are many": (part(0, rows=1 << 60), "rows of part-000000.parquet are no number"),
    "no rows": (part(0, rows=0), "rows of part-000000.parquet are no number"),
    "more segments than rows": (part(0, segments=251), "segments of part-000000.parquet are no"),
    "bytes": (part(0, bytes=-1), "bytes of part-000000.parquet are no number"),
    "no hash": (part(0, sha256="x" * 64), "sha256 of part-000000.parquet is no hash"),
    "a hash too long": (part(0, first="0" * 17), "first of part-000000.parquet is no hash"),
    "last before first": (part(0, last="0" * 16), "last of part-000000.parquet is before first"),
    "in two parts": (part(0, last="f" * 16), "a segment may be in part-000001.parquet and in a"),
    "ends with the first of the next": (
        lambda m: m["parts"][0].update(last=m["parts"][1]["first"]),
        "a segment may be in part-000001.parquet and in a",
    ),
    "a record that is none": (part(0, record="yes"), "record of part-000000.parquet is no hash"),
    "columns": (lambda m: m["columns"].update(hypothesis="object"), "columns must be names"),
    "columns are a list": (lambda m: m.update(columns=["segment"]), "columns must be names"),
    "no levels": (lambda m: m.update(levels=0), "levels must be the number"),
    "too many levels": (lambda m: m.update(levels=9), "levels must be the number"),
    "no system": (lambda m: m["columns"].pop("system") and None, "include 'segment' and 'system'"),
    "the target not last": (
        lambda m: m.update(columns={"segment": "int64", "system": "str", "y": "int64", "a": "str"}),
        "the target, 'y', must be the last column",
    ),
    "a task that is none": (lambda m: m.update(task="rank"), "task or version is none"),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_that_is_damaged_is_refused(name, folder):
    change, problem = MANIFESTS[name]
    changed(folder, change)
    with pytest.raises(DataFileError, match=problem):
        Partitions(folder)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected JSON"),
        ("[" * 100_000, "too deep"),
        ('{"format": 1, "format": 1}', "'format' is there twice"),
        ("\0", "NUL byte"),
        ("PK\x03\x04", "looks like a zip file"),
    ],
)
def test_a_manifest_that_is_no_json_is_refused(text, problem, folder):
    (folder / "partitions.json").write_text(text)
    with pytest.raises(DataFileError, match=problem):
        Partitions(folder)


def test_no_folder(tmp_path):
    with pytest.raises(DataFileError, match="there is no such folder"):
        Partitions(tmp_path / "nothing")
    with pytest.raises(DataFileError, match=r"there is no partitions.json in it"):
        collect(tmp_path)


def test_a_part_that_is_missing_is_named(folder):
    (folder / "part-000001.parquet").unlink()
    parts = Partitions(folder)
    with pytest.raises(DataFileError, match=r"part-000001.parquet: cannot be read"):
        list(parts)


@pytest.mark.parametrize("damage", [lambda c: c[:-1], lambda c: c + b"\0", lambda c: b"",
                                    lambda c: c[:99] + bytes([c[99] ^ 1]) + c[100:]])  # fmt: skip
def test_a_part_that_is_damaged_is_named(damage, folder):
    path = folder / "part-000001.parquet"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataFileError, match=r"part-000001.parquet: damaged"):
        collect(folder)


def test_parts_that_are_swapped_are_named(folder):
    paths = [folder / f"part-00000{k}.parquet" for k in range(2)]
    contents = [path.read_bytes() for path in paths]
    for path, content in zip(paths, contents[::-1], strict=True):
        path.write_bytes(content)
    with pytest.raises(DataFileError, match=r"part-000000.parquet: damaged"):
        collect(folder)


def test_a_segment_in_two_parts_is_told_by_its_hash(folder):
    """Whoever makes a part by hand, and a manifest that fits it but for its first and last."""
    (first, _), _, _ = Partitions(folder)
    table = to_arrow(first)
    content = to_parquet(table)
    (folder / "part-000001.parquet").write_bytes(content)
    values = {"rows": len(first), "bytes": len(content), "sha256": digest(content)}
    changed(folder, part(1, segments=50, **values))
    with pytest.raises(DataFileError, match=r"part-000001.parquet: .*may be in two files"):
        collect(folder)


def test_a_row_that_is_there_twice_is_told(folder):
    (X, _), *_ = Partitions(folder)
    twice = X.iloc[[0, *range(len(X) - 1)]]
    content = to_parquet(to_arrow(twice))
    (folder / "part-000000.parquet").write_bytes(content)
    made = part_of("part-000000.parquet", content, [0, 1])
    changed(folder, part(0, rows=len(twice), bytes=made.bytes, sha256=made.sha256))
    with pytest.raises(DataFileError, match=r"part-000000.parquet: Row 1 of X repeats"):
        collect(folder)
