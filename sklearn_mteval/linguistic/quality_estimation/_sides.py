"""Numbers of each translation, of its source, and their ratios (Avramidis 2012, section 3.4)."""

import numpy as np

from sklearn_mteval._helpers.numbering import numbered
from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval.candidates import check_texts
from sklearn_mteval.text.transformer import TextTransformer, check_names

SIDES = ("source", "hypothesis")


class SideTransformer(TextTransformer):
    """Base of transformers that describe a translation, its source, or both, text by text: a
    subclass has ``features``, ``ratios``, a ``_fit`` that calls ``_remember_sides``, ``_sides`` of
    ``SIDES``, in order, ``_text_names``, and ``_text_numbers(texts, column)`` of distinct texts.
    """

    def _remember_sides(self, X):
        """Check the choice of features and the columns that they need."""
        check_boolean(ratios=self.ratios)
        self._remember_table(X, self._needed(self._output_names()))

    def possible_features(self) -> list[str]:
        """List what the parameter ``features`` may name.

        Returns
        -------
        list of str
            All columns that can be made on this machine: the sides', then the ratios.
        """
        return self._names(self._able)

    def _able(self, side):
        """List the numbers of a side's texts that can be computed on this machine."""
        return self._text_names()

    def _names(self, names_of):
        """Name the columns of the sides, then their ratios."""
        of_side = {side: names_of(side) for side in self._sides()}
        names = [f"{side}_{name}" for side, some in of_side.items() for name in some]
        both = (name for name in of_side.get("hypothesis", ()) if name in of_side.get("source", ()))
        return names + [f"{name}_ratio" for name in both]

    def _output_names(self):
        possible = self._names(lambda side: self._text_names())
        if self.features is not None:
            check_names("features", self.features, possible)
            return list(self.features)
        if self.ratios and self._sides() != SIDES:
            found = list(self._sides())
            raise ValueError(f"ratios=True needs source and hypothesis, found {found} only.")
        return [name for name in possible if self.ratios or not name.endswith("_ratio")]

    def _side_option(self, name, side):
        """Return the option of a side and its value: ``name``, or ``source_`` before it."""
        option = f"source_{name}" if side == "source" else name
        return option, getattr(self, option)

    def _needed(self, names):
        """List the columns that some output columns are computed from."""
        if any(name.endswith("_ratio") for name in names):
            return self._sides()
        return tuple(
            side for side in self._sides() if any(name.startswith(f"{side}_") for name in names)
        )

    def _transform(self, X):
        return self._describe(X, self._text_numbers)

    def _describe(self, X, text_numbers):
        """Compute the features with a function like ``_text_numbers``."""
        wanted = self._output_names()
        numbers = {}
        for side in self._needed(wanted):
            rows, distinct = numbered(check_texts(X, side))
            distinct = np.asarray(text_numbers(distinct, side), dtype=np.float64)
            for name, column in zip(self._text_names(), distinct[rows].T, strict=True):
                numbers[f"{side}_{name}"] = column
        for name in wanted:
            if name.endswith("_ratio"):
                stem = name.removesuffix("_ratio")
                target, source = numbers[f"hypothesis_{stem}"], numbers[f"source_{stem}"]
                quotients = target / np.where(source == 0, 1.0, source)
                numbers[name] = np.where(target == source, 1.0, quotients)  # 0 / 0 is 1, x / 0 is x
        return np.column_stack([numbers[name] for name in wanted])
