"""Model files that promise, or unpack to, more than any memory holds."""

import io
import json
import shutil
import struct
import subprocess
import sys
import zipfile
from functools import cache

import numpy as np
import pytest
import skops.io
from model_files import forge
from scipy.sparse import csr_matrix
from sklearn.preprocessing import FunctionTransformer

from sklearn_mteval import load_model
from sklearn_mteval.exceptions import ModelFolderError


def holder(value):
    """A trusted estimator that holds anything."""
    return FunctionTransformer(kw_args={"value": value})


def repacked(model, change, compression=zipfile.ZIP_STORED):
    """Return a model's archive, of which each part (name, bytes) is changed."""
    old, buffer = zipfile.ZipFile(io.BytesIO(skops.io.dumps(model))), io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return buffer.getvalue()


def array_of(header, data=b""):
    """A .npy file with a header."""
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def with_array(content):
    """An archive whose one array is another file."""
    return repacked(
        holder(np.ones(3)), lambda name, data: content if name.endswith(".npy") else data
    )


def with_header(shape, descr="'<f8'", data=b""):
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"
    return lambda: with_array(array_of(header, data))


@cache
def zeros_compressed():
    return repacked(
        holder(np.ones(3)),
        lambda name, data: bytes(1 << 28) if name.endswith(".npy") else data,
        zipfile.ZIP_DEFLATED,
    )


def size_that_lies():
    """A compressed array of 256 MiB, of which the directory promises 152 bytes."""
    content = bytearray(zeros_compressed())
    for signature, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = content.find(signature)
        while not content[start : start + 200].count(b".npy"):
            start = content.find(signature, start + 1)
        content[start + at : start + at + 4] = struct.pack("<I", 152)
    return bytes(content)


def matrix_that_promises():
    matrix = io.BytesIO()
    with zipfile.ZipFile(matrix, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("data", "indices", "indptr"):
            archive.writestr(f"{name}.npy", bytes(1 << 28))
    return repacked(
        holder(csr_matrix([[1.0]])),
        lambda name, data: matrix.getvalue() if name.endswith(".npz") else data,
    )


def schema_of(change):
    """An archive with another tree of objects."""

    def changed(name, data):
        return change(json.loads(data)) if name == "schema.json" else data

    return repacked(holder([1.5]), changed)


def nested(schema):
    """Brackets in brackets, half a million deep."""
    depth = 500_000
    return json.dumps({**schema, "deep": 0}).replace(
        '"deep": 0', f'"deep": {"[" * depth + "]" * depth}'
    )


def laughing(schema):
    """Each list holds the one before twice, which takes few letters: 2^60 walks through them."""
    node = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode"}
    inner = {**node, "content": [], "__id__": 10**6}
    for number in range(1, 60):
        again = {"__id__": inner["__id__"]}
        inner = {**node, "content": [inner, again], "__id__": 10**6 + number}
    return json.dumps({**inner, "protocol": schema["protocol"]})


def without_state(schema):
    """An object of the package that is never told its state, so that nothing is checked."""
    bare = {"__class__": "KNN", "__module__": "sklearn_mteval.classifiers.knn"}
    bare |= {"__loader__": "ObjectNode", "__id__": 5}
    return json.dumps({**bare, "protocol": schema["protocol"]})


def called(schema):
    """An object of the package that is made by its constructor instead."""
    arguments = json.loads(zipfile.ZipFile(io.BytesIO(skops.io.dumps(((), 5)))).read("schema.json"))
    bare = {"__class__": "WordVectors", "__module__": "sklearn_mteval.text.vectors.word_vectors"}
    bare |= {"__loader__": "ConstructorFromReduceNode", "content": arguments, "__id__": 5}
    return json.dumps({**bare, "protocol": schema["protocol"]})


BOMBS = {
    "compressed zeros": (zeros_compressed, "would unpack to 268,.*max_bytes="),
    "a size that lies": (size_that_lies, "CRC|shorter than|damaged"),
    "a sparse matrix": (matrix_that_promises, "would unpack to 805,.*max_bytes="),
    "bzip2": (
        lambda: repacked(holder(np.ones(3)), lambda name, data: data, zipfile.ZIP_BZIP2),
        "not by deflate",
    ),
    "many numbers": (with_header("(10**12,)".replace("10**12", str(10**12))), "not as long"),
    "too few numbers": (with_header("(2,)", data=bytes(24)), "not as long"),
    "wide and empty": (with_header(f"(0, {10**12})"), "has the shape"),
    "no width": (with_header(f"({10**15},)", "'V0'"), "has the shape|is no array"),
    "negative": (with_header("(-1, -3)", data=bytes(24)), "has the shape"),
    "no shape": (with_header("'text'"), "is no array"),
    "True": (with_header("(True,)", data=bytes(8)), "has the shape"),
    "objects": (with_header("(1,)", "'|O'", bytes(8)), "pickled objects"),
    "objects inside": (with_header("(1,)", "[('a', '|O')]", bytes(8)), "pickled objects"),
    "no dtype": (with_header("(1,)", "'nonsense'", bytes(8)), "is no array"),
    "a header that nests": (with_header("(" * 5000), "is no array"),
    "version 9": (lambda: with_array(b"\x93NUMPY\x09\x00" + bytes(200)), "is no array|unknown"),
    "objects in objects": (lambda: schema_of(nested), "nested too deeply"),
    "a billion laughs": (lambda: schema_of(laughing), "refer to each other"),
    "numbers of two types": (
        lambda: schema_of(lambda s: json.dumps(s).replace('"__id__": 1', '"__id__": 1.0')),
        "refer to each other",
    ),
    "a large tree": (
        lambda: repacked(
            holder(np.ones(3)),
            lambda name, data: data + b" " * (1 << 23) if name == "schema.json" else data,
            zipfile.ZIP_DEFLATED,
        ),
        "would unpack to 8,.*max_bytes=",
    ),
    "no state": (lambda: schema_of(without_state), "a KNN in it is not as save_model writes it"),
    "a constructor": (lambda: schema_of(called), "a WordVectors in it is not as save_model"),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_bombs_are_refused_and_say_why(folder, bomb):
    make, words = BOMBS[bomb]
    forge(folder, make())
    with pytest.raises(ModelFolderError, match=f"not a skops model \\(.*({words})"):
        load_model(folder)


MEASURED = """
import resource, sys
from sklearn_mteval import load_model
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for folder in sys.argv[1:]:
    try:
        load_model(folder)
    except ValueError as error:
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has other units")
def test_bombs_take_little_memory(folder, tmp_path):
    folders = []
    for bomb in ("compressed zeros", "a size that lies", "a sparse matrix"):
        folders.append(shutil.copytree(folder, tmp_path / bomb))
        forge(folders[-1], BOMBS[bomb][0]())
    command = [sys.executable, "-c", MEASURED, *folders]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    taken = [int(line) for line in run.stdout.split()]
    # KiB, libraries that are loaded counted in; of 256 MiB each
    assert len(taken) == len(folders) and max(taken) < 150 << 10


@pytest.mark.parametrize("value", [np.ones((3, 4)), np.asfortranarray(np.ones((3, 4))), 1.5])
@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_what_is_plain_is_loaded(folder, value, compression):
    forge(folder, repacked(holder(value), lambda name, data: data, compression))
    loaded = load_model(folder).kw_args["value"]
    assert np.array_equal(loaded, value)


def test_sparse_matrices_structures_and_shared_objects_are_loaded(folder):
    shared = [1, 2]
    pairs = np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")])
    value = [csr_matrix(np.eye(3)), pairs, shared, shared, "text", np.array(["x"], dtype=object)]
    forge(folder, skops.io.dumps(holder(value)))
    with pytest.raises(ModelFolderError, match="not trusted: scipy"):
        load_model(folder)
    loaded = load_model(folder, trusted=["scipy.sparse._csr.csr_matrix"])
    matrix, found, *rest, names = loaded.kw_args["value"]
    assert (matrix.toarray() == np.eye(3)).all() and (found == pairs).all()
    assert rest == [shared, shared, "text"] and names.tolist() == ["x"]


def test_the_limit_can_be_raised_and_lowered(folder):
    content = repacked(holder(np.zeros(10**7)), lambda name, data: data, zipfile.ZIP_DEFLATED)
    forge(folder, content)
    with pytest.raises(ModelFolderError, match=r"would unpack to 80,.*pass a larger max_bytes="):
        load_model(folder)
    assert len(load_model(folder, max_bytes=10**8).kw_args["value"]) == 10**7
    with pytest.raises(ModelFolderError, match=r"bytes, more than 100\): pass a larger max_bytes="):
        load_model(folder, max_bytes=100)
    with pytest.raises(ValueError, match="max_bytes must be an integer >= 1, found 0"):
        load_model(folder, max_bytes=0)
