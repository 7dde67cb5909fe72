"""All of a release that can be checked without the network: ``make release-check``.

``python release/check.py dist again`` reads what was built, and built once more in ``again``, and
writes the bill of materials and the checksums beside the former.
"""

import hashlib
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import distribution
from pathlib import Path

from sbom import bill
from shipped import (
    PACKAGE,
    ROOT,
    check_contents,
    notices,
    unsaid_sources,
    wheel_names,
    without_notice,
)

WHEEL_MB = 24
INSTALLED_MB = 520
CARD = re.compile(r".*/ready_made_files/([^/]+)/README\.md$")
LICENCES = ("LICENSE", "docs/third_party_notices.md")


def git(*arguments):
    """Return the lines that git prints."""
    command = ["git", *arguments]
    return subprocess.check_output(command, cwd=ROOT, text=True).splitlines()


def versions():
    """Return the version that each file states."""
    places = {
        "sklearn_mteval/_version.py": r'__version__ = "(.+)"',
        "CITATION.cff": r"^version: (.+)$",
        "recipe/recipe.yaml": r"^  version: (.+)$",
        "CHANGELOG.md": r"^## (?:Unreleased \()?(\d[^\s)]*)",
    }
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in places}
    found = {name: re.search(places[name], texts[name], re.MULTILINE) for name in places}
    return {name: match and match[1].strip("\"'") for name, match in found.items()}


def check_versions(found, built):
    """Say which file states another version than the wheel has."""
    return [f"{name} says {one}, the wheel {built}" for name, one in found.items() if one != built]


def check_tag(version, tags, changelog):
    """Say what is wrong with the tag of the version, if there is one; ``tags`` are HEAD's."""
    tag = f"v{version}"
    if not re.fullmatch(r"v\d+\.\d+\.\d+", tag):
        return [f"{version} is no version of the form 1.2.3, which tags have"]
    if git("tag", "--list", tag) and tag not in tags:
        return [f"the tag {tag} points at another commit"]
    dated = re.search(rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE)
    if tag in tags and not dated:
        return [f'CHANGELOG.md has no heading "## {version} - YYYY-MM-DD" for the tag {tag}']
    return []


def installed_megabytes(found):
    """Return the size of each dependency of a bill as pip unpacks it, without compiled Python."""
    return {
        name: sum(one.size or 0 for one in files or () if "__pycache__" not in one.parts) / 1e6
        for name, files in (
            (one["name"], distribution(one["name"]).files)
            for one in found["components"]
            if one["type"] == "library"
        )
    }


def check_bill(found):
    """Say what a bill of materials lacks: the schema's rules, versions of constraints, licences."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(found))
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower().splitlines()
    problems = [f"the bill of materials is not valid: {wrong}"] if wrong else []
    for one in found["components"]:
        if not one["licenses"]:
            problems.append(f"{one['name']} states no licence")
        if "purl" in one and f"{one['name']}=={one['version']}".lower() not in pinned:
            problems.append(f"{one['name']} {one['version']} is not what constraints.txt says")
    return problems


def read(dist):
    """Return the wheel of a folder, its files' names, cards, the source's names, MB unpacked."""
    (wheel,), (source,) = Path(dist).glob("*.whl"), Path(dist).glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        found = {match[1]: match[0] for match in map(CARD.match, archive.namelist()) if match}
        cards = {name: archive.read(path).decode() for name, path in found.items()}
        names, unpacked = wheel_names(archive), sum(one.file_size for one in archive.filelist)
    with tarfile.open(source) as archive:
        members = [one.name.partition("/")[2] for one in archive if one.isfile()]
    return wheel, names, cards, members, unpacked / 1e6


def main(dist, again):
    """Print the sizes and each problem, write the bill and the checksums; return the problems."""
    wheel, names, cards, members, unpacked = read(dist)
    tracked = git("ls-files")
    inside = [one for one in tracked if one.startswith((PACKAGE, "LICENSES/")) or one in LICENCES]
    found = bill(wheel)
    version = found["metadata"]["component"]["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    packed = wheel.stat().st_size / 1e6
    sizes = installed_megabytes(found) | {"sklearn-mteval": unpacked}
    total = sum(sizes.values())
    largest = sorted(sizes, key=sizes.get, reverse=True)[:8]
    print(f"The wheel has {packed:.1f} MB, of {WHEEL_MB} at most.")
    print(f"A base installation has {total:.0f} MB, of {INSTALLED_MB} at most:", end=" ")
    print(", ".join(f"{name} {sizes[name]:.0f}" for name in largest))
    problems = [
        *check_versions(versions(), version),
        *check_tag(version, git("tag", "--points-at", "HEAD"), changelog),
        *check_contents(names, inside, "wheel"),
        *check_contents(members, tracked, "source distribution"),
        *without_notice(names, notices()),
        *unsaid_sources(cards),
        *check_bill(found),
    ]
    if packed > WHEEL_MB or total > INSTALLED_MB:
        problems.append("the wheel or the installation is too large")
    if wheel.read_bytes() != (Path(again) / wheel.name).read_bytes():
        problems.append("the wheel, built once more, has other bytes")
    (Path(dist) / "sbom.cdx.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(Path(dist).iterdir())
        if path.name != "SHA256SUMS"
    ]
    (Path(dist) / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    return problems


if __name__ == "__main__":
    wrong = main(*sys.argv[1:])
    print("\n".join(wrong) or "Nothing that can be checked without the network is wrong.")
    sys.exit(bool(wrong))
