"""Texts of a test set in files that are named one by one, instead of the folder of a campaign."""

import numpy as np

from sklearn_mteval.datasets._lines import (
    candidates_of_lines,
    check_texts_option,
    lines_of_texts,
    names_of_files,
)
from sklearn_mteval.datasets.campaigns._test_set import is_reference
from sklearn_mteval.datasets.system_names import system_key


class GivenTexts:
    """Line-aligned files, outputs named as the judged systems; says of them what a TestSet says.

    References are a column only, and have no names under which they could be judged.
    """

    def __init__(self, texts, judged, max_bytes):
        files = check_texts_option(texts)
        if "hypothesis" not in files:
            raise ValueError(
                "texts has no 'hypothesis': name the file of each system's translations, too."
            )
        lines = lines_of_texts(files, max_bytes)
        self.first_file = next(iter(lines))
        self.n_segments = len(lines[self.first_file])
        names = names_of_files(files["hypothesis"], judged)
        self.references = {}
        self.outputs = {
            names.get(name, system_key(name)): lines[path]
            for name, path in files["hypothesis"].items()
        }
        self.systems = [name for name in self.outputs if not is_reference(name, ())]
        self._source = lines[files["source"][0]] if "source" in files else None
        self._references = [lines[path] for path in files.get("reference", ())]

    def documents(self):
        """Return domain and document of each segment, as no file says any."""
        return np.full((2, self.n_segments), "", dtype=object)

    def translations(self, systems, references=()):
        """Make a candidate table of the outputs of systems."""
        outputs = {name: self.outputs[name] for name in systems}
        return candidates_of_lines(outputs, self._source, self._references)

    def other_than(self, systems):
        """Name the outputs that are none of these systems."""
        return tuple(name for name in self.outputs if name not in systems)
