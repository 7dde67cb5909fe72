"""Docstrings of public names are reStructuredText without a fault, laid out as numpydoc does."""

from io import StringIO

import pytest
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, nodes, roles
from numpydoc.docscrape_sphinx import SphinxDocString, get_doc_object
from test_docstrings import PARTS, public

ROLES = ("class", "func", "meth", "mod", "attr", "data", "obj")


class Content(Directive):
    """A directive of Sphinx's: its content is read, it leaves nothing else."""

    has_content, optional_arguments = True, 1

    def run(self):
        self.state.nested_parse(self.content, self.content_offset, node := nodes.container())
        return [node]


@pytest.fixture(autouse=True)
def as_sphinx_reads(monkeypatch):
    for name in ("only", "seealso"):
        monkeypatch.setitem(directives._directives, name, Content)
    for name in ROLES:
        monkeypatch.setitem(roles._roles, name, roles.GenericRole(name, nodes.literal))


def faults(text):
    stream = StringIO()
    publish_doctree(text, settings_overrides={"warning_stream": stream, "report_level": 2})
    return stream.getvalue()


@pytest.mark.parametrize("part", PARTS)
def test_docstrings_build(part):
    found = {}
    for name, thing in [*public().items()][part :: len(PARTS)]:
        page = get_doc_object(thing, config={"show_class_members": False})
        found |= {name: said} if (said := faults(str(page))) else {}
    assert not found


@pytest.mark.parametrize("text", ["The field estimator_ of it.", "The size |a − b| of it."])
def test_the_check_can_fail(text):
    assert faults(str(SphinxDocString(f"Do it.\n\nNotes\n-----\n{text}\n")))
