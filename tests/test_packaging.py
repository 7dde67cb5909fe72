"""What a package index and those who reuse the package are told."""

import re
from configparser import ConfigParser
from pathlib import Path

import pytest
import yaml
from packaging.licenses import canonicalize_license_expression

import sklearn_mteval
from sklearn_mteval._project import SITE

ROOT = Path(__file__).parent.parent
NOTICES = ROOT / "docs" / "third_party_notices.md"


@pytest.fixture
def metadata():
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    return config["metadata"]


def lines(value):
    return value.strip().splitlines()


def test_the_address_is_the_sites(metadata):
    """As long as there is none, nothing names one."""
    assert metadata.get("url", "") == SITE
    assert all(f" = {SITE}" in line for line in lines(metadata.get("project_urls", "")))
    assert SITE or "project_urls" not in metadata


def test_classifiers_name_the_versions_that_are_asked_for(metadata):
    found = [line for line in lines(metadata["classifiers"]) if re.search(r":: 3\.\d+$", line)]
    assert found == [f"Programming Language :: Python :: 3.{minor}" for minor in (11, 12, 13)]
    assert "License ::" not in metadata["classifiers"]  # indexes refuse it beside an expression


def test_the_licence_is_an_expression_and_its_files_are_there(metadata):
    expression = metadata["license_expression"]
    assert canonicalize_license_expression(expression) == expression
    files = lines(metadata["license_files"])
    assert NOTICES.relative_to(ROOT).as_posix() in files
    assert all((ROOT / name).stat().st_size > 1000 for name in files)
    assert {
        str(path.relative_to(ROOT))
        for path in (ROOT / "sklearn_mteval").glob("**/english/ATTRIBUTION.md")
    } < set(files)
    assert "Version 2.0, January 2004" in (ROOT / files[1]).read_text(encoding="utf-8")


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} < set(citation)  # the schema's
    assert citation["version"] == sklearn_mteval.__version__
    assert citation.get("url", "") == SITE
    assert all(
        paper["title"] and paper["authors"] and paper["year"] for paper in citation["references"]
    )
