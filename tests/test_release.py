"""What ``make release-check`` notices, and that recipes for other places agree with setup.cfg."""

import hashlib
import re
import subprocess
import sys
import zipfile
from configparser import ConfigParser
from email.message import Message
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import sklearn_mteval

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "release"))
import check  # noqa: E402
import sbom  # noqa: E402
import shipped  # noqa: E402

sys.path.remove(str(ROOT / "release"))

NOTICES = {"data/*": ("words", "written for this package", "MIT")}
CARDS = {
    "first": "# first\n\n## Trained on\n\nRankings of WMT13.\n\n## Licence\n\nWMT, for research.\n",
    "second": "## Trained on\n\nIt started from `first`'s, with MQM.\n\n## Licence\n\nMQM, WMT.\n",
}


def tracked():
    """Names of the files that git holds; the source distribution has no git."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    return subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()


def test_versions_agree():
    found = check.versions()
    assert len(found) == 4
    assert check.check_versions(found, sklearn_mteval.__version__) == []
    assert check.check_versions({"CITATION.cff": "0.2.0", "x": None}, "0.1.0") == [
        "CITATION.cff says 0.2.0, the wheel 0.1.0",
        "x says None, the wheel 0.1.0",
    ]


def test_the_changelog_is_a_page_and_says_nothing_twice():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = text.split("\n## ")[1]
    assert len(newest.split()) <= 700
    subjects = re.findall(r"^- (?:\*\*)?([\w`.]+ ?[\w`.]*)", newest, re.MULTILINE)
    assert len(subjects) > 10
    assert sorted({*subjects}) == sorted(subjects)


@pytest.mark.parametrize(
    ("version", "at_head", "elsewhere", "changelog", "expected"),
    [
        ("0.1.0", [], [], "## Unreleased (0.1.0)", None),
        ("0.1.0", ["v0.1.0"], [], "## 0.1.0 - 2026-12-01", None),
        ("0.1.0", ["v0.1.0"], [], "## Unreleased (0.1.0)", "no heading"),
        ("0.1.0", ["v0.1.0"], [], "## 0.1.01 - 2026-12-01", "no heading"),
        ("0.1.0", ["v0.0.9"], ["v0.1.0"], "## 0.1.0 - 2026-12-01", "another commit"),
        ("0.1.0.dev1", [], [], "## Unreleased", "no version of the form"),
    ],
)
def test_a_tag_is_of_this_commit_and_dated(
    monkeypatch, version, at_head, elsewhere, changelog, expected
):
    monkeypatch.setattr(check, "git", lambda *names: [n for n in at_head + elsewhere if n in names])
    found = check.check_tag(version, at_head, changelog)
    assert found == [] if expected is None else expected in found[0]


def test_what_is_missing_and_what_git_does_not_hold_is_named():
    names = ["a.py", "b.py", "PKG-INFO", "x.egg-info/SOURCES.txt"]
    assert shipped.check_contents(names, ["a.py", "b.py"], "wheel") == []
    assert shipped.check_contents(names, ["a.py", "c.py"], "wheel") == [
        "c.py is not in the wheel",
        "b.py is in the wheel, but not in git",
    ]


def test_each_data_file_of_the_package_has_source_and_licence():
    names = [name for name in tracked() if name.startswith("sklearn_mteval/")]
    assert len(shipped.data_files(names)) > 70
    assert shipped.without_notice(names, shipped.notices()) == []


def test_a_data_file_without_notice_is_noticed():
    names = ["sklearn_mteval/data/words.txt", "sklearn_mteval/module.py", "sklearn_mteval/py.typed"]
    assert shipped.data_files(names) == ["data/words.txt"]
    assert shipped.without_notice(names, NOTICES) == []
    assert "new.bin ships" in shipped.without_notice([*names, "sklearn_mteval/new.bin"], NOTICES)[0]
    assert "words.txt ships" in shipped.without_notice(names, {"data/*": ("words", "", "MIT")})[0]
    assert "no such file ships" in shipped.without_notice(names[1:], NOTICES)[0]
    row = "| `data/*` | words | written for this package | MIT |\n"
    assert shipped.notices(f"| file | what |\n|---|---|\n{row}") == NOTICES


def test_cards_give_the_licence_of_all_that_weights_learnt_from():
    files = Path(sklearn_mteval.__file__).parent.glob("models/ready_made_files/*/README.md")
    cards = {file.parent.name: file.read_text(encoding="utf-8") for file in files}
    assert len(cards) == 7
    assert shipped.unsaid_sources(cards) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("first", "", "", None),
        ("first", "WMT, for", "For", "the card of first gives no licence of WMT"),
        ("second", "MQM, WMT", "MQM", "the card of second gives no licence of WMT"),
        ("first", "of WMT13", "of people", "the card of first does not say"),
    ],
)
def test_a_card_that_leaves_out_a_source_is_noticed(name, old, new, expected):
    found = shipped.unsaid_sources(CARDS | {name: CARDS[name].replace(old, new)})
    assert found == [] if expected is None else found[0].startswith(expected)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"License-Expression": "MIT", "License": "old"}, [{"expression": "MIT"}]),
        ({"License": "BSD"}, [{"license": {"name": "BSD"}}]),
        (
            {"License": "Text " * 99, "Classifier": "License :: OSI Approved :: MIT License"},
            [{"license": {"name": "MIT License"}}],
        ),
        ({"Classifier": "Typing :: Typed"}, []),
    ],
)
def test_licences_are_read_from_metadata(fields, expected):
    metadata = Message()
    for name, value in fields.items():
        metadata[name] = value
    assert sbom.licences(metadata) == expected


@pytest.fixture
def wheel(tmp_path):
    path = tmp_path / "some_package-1.2.3-py3-none-any.whl"
    metadata = "Name: some.package\nVersion: 1.2.3\nLicense-Expression: MIT\n"
    metadata += 'Requires-Dist: pytest>=1\nRequires-Dist: torch; extra == "neural"\n'
    data = "sklearn_mteval/text/data/contrasts/en.txt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("some_package-1.2.3.dist-info/METADATA", metadata)
        archive.writestr(data, "hot\tcold\n")
    return path


def test_the_bill_names_dependencies_and_data_with_hashes(wheel):
    found = sbom.bill(wheel)
    assert found == sbom.bill(wheel)
    by_name = {one["name"]: one for one in found["components"]}
    assert by_name["pytest"]["version"] == pytest.__version__
    assert {"pluggy", "iniconfig"} <= set(by_name)
    assert "torch" not in by_name
    data = by_name["sklearn_mteval/text/data/contrasts/en.txt"]
    assert data["hashes"][0]["content"] == hashlib.sha256(b"hot\tcold\n").hexdigest()
    assert data["licenses"] == [{"license": {"name": "BSD-3-Clause"}}]
    main = found["metadata"]["component"]
    assert main["purl"] == "pkg:pypi/some-package@1.2.3"
    assert main["hashes"][0]["content"] == hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert found["dependencies"][0]["dependsOn"] == ["pytest", data["bom-ref"]]
    assert check.installed_megabytes(found)["pytest"] > 0.5


def test_the_bill_is_valid_and_what_is_wrong_in_one_is_said(wheel):
    pytest.importorskip("cyclonedx")
    found = sbom.bill(wheel)
    assert check.check_bill(found) == []
    one = found["components"][0] | {"licenses": [], "version": "0.0.0"}
    said = check.check_bill(found | {"components": [one], "serialNumber": 7})
    assert [re.search("not valid|no licence|constraints.txt", line)[0] for line in said] == [
        "not valid",
        "no licence",
        "constraints.txt",
    ]


def test_no_file_names_a_registrys_host_or_a_folder_of_one_machine():
    words = (
        *("py" + "pi.org", "python" + "hosted", "registry.npm" + "js", "deb." + "debian.org"),
        *("/wo" + "rk/wt", "/ro" + "ot/.", "/opt/" + "wheels", "/wo" + "rk/shared"),
    )
    for name in tracked():
        content = (ROOT / name).read_bytes()
        assert not [word for word in words if word.encode() in content], name


@pytest.fixture(scope="module")
def config():
    """The package's metadata."""
    found = ConfigParser()
    found.read(ROOT / "setup.cfg", encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def recipe():
    return yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))


def lines(value):
    return value.strip().splitlines()


def test_the_recipe_for_conda_needs_what_setup_cfg_needs(config, recipe):
    needed = {canonicalize_name(one.split(" ")[0]): one for one in recipe["requirements"]["run"]}
    assert needed.pop("python") == "python >=${{ python_min }}"
    assert f">={recipe['context']['python_min']}" == config["options"]["python_requires"]
    asked = [Requirement(line) for line in lines(config["options"]["install_requires"])]
    assert {canonicalize_name(one.name): one.specifier for one in asked} == {
        name: SpecifierSet(line.partition(" ")[2]) for name, line in needed.items()
    }


def test_the_recipe_for_conda_says_what_setup_cfg_says(config, recipe):
    about, metadata = recipe["about"], config["metadata"]
    assert about["summary"] == metadata["description"]
    assert about["license"] == metadata["license_expression"]
    assert about["license_file"] == lines(metadata["license_files"])
    programs = recipe["build"]["python"]["entry_points"]
    assert programs == lines(config["options.entry_points"]["console_scripts"])
    built = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(r"setuptools[^\"]+", built)[0] == "setuptools>=77"
    assert "setuptools >=77" in recipe["requirements"]["host"]


def test_the_container_holds_what_the_build_needs_and_runs_no_root():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    copied = [line[1:] for line in ignored if line.startswith("!")]
    assert ignored[0] == "*"
    assert all((ROOT / name).exists() for name in copied)
    # docs and tests do not go there, but the notices, which setup.cfg lists as a licence, do.
    assert {"sklearn_mteval", "setup.cfg", "docs/third_party_notices.md"} <= set(copied)
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    last = text[text.rindex("FROM ") :]
    assert re.search(r"^USER [1-9]\d*$", last, re.MULTILINE)
    assert '\nENTRYPOINT ["sklearn-mteval"]\n' in last
    assert re.search(r"^ARG PYTHON=3\.1[123]\.\d+-slim", text, re.MULTILINE)
