"""Bill of materials of a wheel, as CycloneDX writes it: dependencies, data files, licences, hashes.

``python release/sbom.py WHEEL`` prints it. Dependencies are those of the base installation in the
environment that runs this; extras, which a user adds, are not part of the bill.
"""

import hashlib
import json
import os
import sys
import uuid
import zipfile
from datetime import UTC, datetime
from email.parser import BytesParser
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from shipped import PACKAGE, data_files, notice_of, notices


def base_requirements(lines):
    """Return the canonical names that lines of Requires-Dist name, without those of extras."""
    found = [Requirement(line) for line in lines or ()]
    return sorted(
        {
            canonicalize_name(one.name)
            for one in found
            if one.marker is None or one.marker.evaluate({"extra": ""})
        }
    )


def closure(names):
    """Return what is installed of these names and all that they need: distributions by name."""
    found, waiting = {}, list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = distribution(name)
            waiting += base_requirements(found[name].requires)
    return dict(sorted(found.items()))


def licences(metadata):
    """Return the licences that metadata state: the expression, the field or the classifiers."""
    # get: other libraries may put their own reader of metadata in place, which raises for none.
    if metadata.get("License-Expression"):
        return [{"expression": metadata["License-Expression"]}]
    named = [metadata.get("License") or ""]
    if len(named[0]) not in range(1, 60):  # some put the whole text of the licence there
        classifiers = metadata.get_all("Classifier") or []
        named = [line.split(" :: ")[-1] for line in classifiers if line.startswith("License ::")]
    return [{"license": {"name": name}} for name in named]


def sha256(content):
    """Return a hash in CycloneDX's form."""
    return [{"alg": "SHA-256", "content": hashlib.sha256(content).hexdigest()}]


def component(metadata):
    """Return the entry of a distribution."""
    name = canonicalize_name(metadata["Name"])
    return {
        "type": "library",
        "bom-ref": name,
        "name": metadata["Name"],
        "version": metadata["Version"],
        "licenses": licences(metadata),
        "purl": f"pkg:pypi/{name}@{metadata['Version']}",
    }


def data_component(name, content, row):
    """Return the entry of a data file of the package."""
    what, made_of, licence = row
    return {
        "type": "file",
        "bom-ref": PACKAGE + name,
        "name": PACKAGE + name,
        "description": f"{what}; made of: {made_of}",
        "licenses": [{"license": {"name": licence}}],
        "hashes": sha256(content),
    }


def bill(wheel):
    """Return the bill of a wheel, which depends on nothing but it and the environment."""
    content = Path(wheel).read_bytes()
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        path = next(name for name in names if name.endswith(".dist-info/METADATA"))
        own = BytesParser().parsebytes(archive.read(path))
        rows = notices()
        data = [
            data_component(name, archive.read(PACKAGE + name), notice_of(name, rows))
            for name in data_files(names)
        ]
    needed = base_requirements(own.get_all("Requires-Dist"))
    installed = closure(needed)
    main = component(own) | {"hashes": sha256(content)}
    serial = uuid.UUID(hashlib.md5(content, usedforsecurity=False).hexdigest(), version=4)
    made = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), UTC)
    edges = {name: base_requirements(one.requires) for name, one in installed.items()}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {"timestamp": made.isoformat(), "component": main},
        "components": [component(one.metadata) for one in installed.values()] + data,
        "dependencies": [
            {"ref": main["bom-ref"], "dependsOn": [*needed, *(one["bom-ref"] for one in data)]},
            *({"ref": name, "dependsOn": found} for name, found in edges.items()),
        ],
    }


if __name__ == "__main__":
    print(json.dumps(bill(sys.argv[1]), indent=1, ensure_ascii=False))
