"""The site's settings: ``make docs`` builds it, without a network, and a warning is an error."""

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "extensions"))

from inventories import write_inventories

from sklearn_mteval import __version__
from sklearn_mteval._project import SITE

project = "sklearn_mteval"
author = "The sklearn_mteval developers"
copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
    # Those of docs/extensions.
    "gallery",
    "ground",
    "light",
    "names",
    "plain",
]
exclude_patterns = ["_build", "extensions"]
nitpicky = True  # a name that nothing is known of is an error

bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "alpha"
bibtex_reference_style = "author_year"

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
copybutton_exclude = ".linenos, .gp, .go"

autodoc_typehints = "none"  # numpydoc has them in words
autosummary_generate = False  # docs/extensions/names.py writes the pages
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False  # autodoc lists them
numpydoc_class_members_toctree = False
intersphinx_mapping = write_inventories(DOCS / "inventories.txt", DOCS / "_build" / "inventories")
intersphinx_timeout = 1

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "doc_module": ("sklearn_mteval",),
    "reference_url": {"sklearn_mteval": None},
    "reset_modules": ("matplotlib", "gallery.set_style"),
    "image_srcset": ["2x"],
    "thumbnail_size": (800, 560),
    "within_subsection_order": "gallery.Order",
    "ignore_repr_types": r"matplotlib",
    "download_all_examples": False,
    "min_reported_time": 60,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "sklearn_mteval"
html_baseurl = SITE
html_favicon = "_static/mark.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
templates_path = ["_templates"]
html_sidebars = {"**": ["sidebar-nav-bs"], "start": [], "installation": []}  # nothing else to list
html_copy_source = False  # extensions/plain.py writes Markdown of each page
html_theme_options = {
    "collapse_navigation": True,
    "header_links_before_dropdown": 9,
    "logo": {
        "image_light": "_static/mark.svg",
        "image_dark": "_static/mark.svg",
        "text": "sklearn_mteval",
    },
    "navigation_with_keys": False,
    "show_toc_level": 2,
}
