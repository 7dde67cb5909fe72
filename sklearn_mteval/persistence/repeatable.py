"""Equal models as equal bytes."""

import io
import json
import zipfile

_SCHEMA = "schema.json"


def repeatable(content):
    """Rewrite a skops file without what differs from run to run: addresses in memory, and times.

    skops tells equal objects, and names the files of arrays, by addresses. Here they are numbered
    in the order in which the tree of objects names them.
    """
    numbers, names = {}, {}

    def renumber(node):
        """Renumber the objects in a part of the tree, in place."""
        if isinstance(node, list):
            for item in node:
                renumber(item)
        elif isinstance(node, dict):
            if isinstance(node.get("__id__"), int):
                node["__id__"] = numbers.setdefault(node["__id__"], len(numbers) + 1)
            if isinstance(node.get("file"), str):
                _, dot, suffix = node["file"].rpartition(".")
                node["file"] = names.setdefault(node["file"], f"{len(names) + 1}{dot}{suffix}")
            for item in node.values():
                renumber(item)

    rewritten = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as given, zipfile.ZipFile(rewritten, "w") as archive:
        schema = json.loads(given.read(_SCHEMA))
        renumber(schema)
        for name, new in names.items():
            archive.writestr(zipfile.ZipInfo(new), given.read(name))  # of 1980
        archive.writestr(zipfile.ZipInfo(_SCHEMA), json.dumps(schema, indent=2))
    return rewritten.getvalue()
