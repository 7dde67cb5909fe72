"""Complaints of spelling, style and grammar checkers (2012 paper, section 3.4)."""

import re
import shutil
import warnings
from collections.abc import Sequence

import numpy as np

from sklearn_mteval._helpers.options import check_number
from sklearn_mteval._helpers.restored import is_dict_of, is_list_of
from sklearn_mteval.linguistic.quality_estimation import _programs
from sklearn_mteval.linguistic.quality_estimation._sides import SIDES, SideTransformer
from sklearn_mteval.linguistic.trees.parses import PARSED, Parser
from sklearn_mteval.text.transformer import check_names

CHECKS = {
    "spelling": _programs.SPELLING_NAMES,
    "style": _programs.STYLE_NAMES,
    "diction": _programs.DICTION_NAMES,
    "grammar": ("skipped_words",),
}

_LANGUAGE = re.compile(r"[a-z]{2,3}(_[A-Z]{2})?")
_PROBE = "This is a test."
_N_BEST = 1000  # that of ParserStatistics, so that a cache serves both


class LanguageCheck(SideTransformer):
    """Count what spelling, style and grammar checkers object to in a translation and its source.

    Parameters
    ----------
    language : str, default="en_US"
        Language of the translations, as dictionaries are named.
    source_language : str or None, default=None
        Language of the sources, such as "de_DE"; None: they are not checked.
    checks : list or tuple of str, or None, default=None
        Of "spelling", "style", "diction" and "grammar", in the order of the output. None: those
        whose program is found in ``fit`` for every language, with a warning for each other one.
        If checks or ``features`` are named, a missing program is an error.
    parser : Parser or None, default=None
        What checks grammar: an object with ``parse_nbest``, such as Link Grammar's. None: the
        check "grammar" is left out.
    source_parser : Parser or None, default=None
        The same for sources.
    features, ratios : see SurfaceCounts
        The same.
    timeout : float, default=60.0
        Seconds after which ``style`` or ``diction`` is stopped; one process is given up to
        5,000 texts, which takes some seconds.

    Attributes
    ----------
    checks_ : list of str
        The checks that are made. A saved model refuses to work where a program is missing.
    providers_ : dict
        From "source" and "hypothesis" to who checks spelling, "hunspell" or "aspell".

    Notes
    -----
    Columns are ``hypothesis_…`` or ``source_…``, all finite; more complaints are worse. Spelling:
    ``misspelt_words`` and ``misspelt_proportion`` of words with a letter. Style:
    ``passive_sentences``, ``nominal_sentences`` and the grades ``kincaid``, ``ari``,
    ``coleman_liau``, ``fog``, ``lix``, ``smog`` (higher: harder to read) and ``flesch`` (higher:
    easier), 0 without a sentence. Diction: ``wordy_phrases``, with words that stand twice. Grammar:
    ``skipped_words`` of the parser's best parse, all words where there is none.

    ``style`` and ``diction`` know ASCII only: for ``style`` accents are dropped and ß becomes ss.

    References
    ----------
    Avramidis 2012, section 3.4 and Table 3; Cherry and Vesterman 1981.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import LanguageCheck
    >>> X = pd.DataFrame({"hypothesis": ["Teh cat is here.", "The cat is here."]})
    >>> check = LanguageCheck(checks=["spelling", "diction"]).set_output(transform="pandas")
    >>> check.fit_transform(X)["hypothesis_misspelt_words"].tolist()  # doctest: +SKIP
    [1.0, 0.0]
    """

    def __init__(
        self, language: str = "en_US", *, source_language: str | None = None,
        checks: Sequence[str] | None = None, parser: Parser | None = None,
        source_parser: Parser | None = None, features: list[str] | None = None,
        ratios: bool = False, timeout: float = 60.0
    ):  # fmt: skip
        self.language = language
        self.source_language = source_language
        self.checks = checks
        self.parser = parser
        self.source_parser = source_parser
        self.features = features
        self.ratios = ratios
        self.timeout = timeout

    def _fit(self, X):
        self._check_options()
        self.checks_ = list(CHECKS if self.checks is None else self.checks)
        if self.features is not None:
            self._output_names()  # the names are known
            self.checks_ = [check for check in self.checks_ if self._sides_of(check)]
        elif self.checks is None and self.parser is None and self.source_parser is None:
            self.checks_.remove("grammar")
        self._leave_out_impossible()
        sides = self._sides_of("spelling") if "spelling" in self.checks_ else ()
        find = _programs.find_dictionary
        self.providers_ = {side: find(self._language(side))[1] for side in sides}
        self._remember_sides(X)
        for side in self._sides():
            self._text_numbers([_PROBE], side)

    def _leave_out_impossible(self):
        """Leave out checks whose programs are missing, or raise where they are named."""
        required = self.checks is not None or self.features is not None
        for check in list(self.checks_):
            problems = [self._problem(check, side) for side in self._sides_of(check)]
            problem = next(filter(None, problems), None)
            if problem and required:
                raise ValueError(problem)
            if problem:
                warnings.warn(f"{problem} Its features are left out.", stacklevel=5)
                self.checks_.remove(check)
        if not self.checks_:
            raise ValueError("Not one of the checkers is there: nothing can be checked.")

    def _is_whole(self):
        self._check_options()
        sides = self._sides_of("spelling") if "spelling" in self.checks_ else ()
        return (
            is_list_of(str, self.checks_, distinct=True)
            and set(self.checks_) <= set(CHECKS)
            and is_dict_of(self.providers_, sides, lambda name: isinstance(name, str))
        )

    def _check_options(self):
        for side in self._sides():
            option, language = self._side_option("language", side)
            if not isinstance(language, str) or not _LANGUAGE.fullmatch(language):
                raise ValueError(f"{option} must be a name such as 'en_US', found {language!r}.")
        if self.checks is not None:
            check_names("checks", self.checks, CHECKS)
        for side in SIDES:
            option, parser = self._side_option("parser", side)
            if parser is not None and not hasattr(parser, "parse_nbest"):
                raise ValueError(f"{option} must have a method parse_nbest, found {parser!r}.")
        check_number("timeout", self.timeout, above=0, maximum=10**9)

    def _able(self, side):
        checks = CHECKS if self.checks is None else self.checks
        possible = (check for check in checks if self._problem(check, side) is None)
        return [name for check in possible for name in CHECKS[check]]

    def _sides_of(self, check):
        """List the sides that a check is wanted for."""
        if self.features is None:
            return self._sides()
        names = [f"{prefix}_{name}" for prefix in SIDES for name in CHECKS[check]]
        names += [f"{name}_ratio" for name in CHECKS[check]]
        return self._needed([name for name in names if name in self.features])

    def _problem(self, check, side):
        """Say what is missing for a check of a side; None: nothing."""
        language = self._language(side)
        if check == "spelling":
            try:
                there = _programs.find_dictionary(language) is not None
            except ImportError:
                return (
                    "Spelling is checked through enchant, which is missing: apt-get install "
                    "libenchant-2-2 and pip install 'sklearn-mteval[check]'."
                )
            package = f"hunspell-{language.lower().replace('_', '-')}"
            missing = f"There is no dictionary of {language!r}: apt-get install {package}, or "
            return None if there else f"{missing}aspell's."
        if check == "grammar":
            option, parser = self._side_option("parser", side)
            return None if parser is not None else f"The check of grammar needs {option}."
        if language.split("_")[0] not in _programs.STYLE_LANGUAGES:
            return f"The program {check} reads English and German, not {language!r}."
        if shutil.which(check) is None:
            return f"The program {check} is missing: {_programs.HOW_TO_INSTALL}."
        return None

    def _language(self, side):
        return self._side_option("language", side)[1]

    def _sides(self):
        return SIDES[1:] if self.source_language is None else SIDES

    def _text_names(self):
        return [name for check in self.checks_ for name in CHECKS[check]]

    def _text_numbers(self, texts, column):
        """Make all checks of distinct texts."""
        return np.hstack([self._check_texts(check, texts, column) for check in self.checks_])

    def _check_texts(self, check, texts, side):
        """Make one check; zeros if it is not wanted for the side."""
        if side not in self._sides_of(check):
            return np.zeros((len(texts), len(CHECKS[check])))
        if check == "spelling":
            found = _programs.find_dictionary(self._language(side), self.providers_[side])
            if found is None:
                raise ValueError(
                    f"The model was fitted with {self.providers_[side]}'s dictionary of "
                    f"{self._language(side)!r}, which is missing here."
                )
            return _programs.spelling_numbers(texts, found[0])
        if check == "grammar":
            parses = self._side_option("parser", side)[1].parse_nbest(texts, _N_BEST)
            words = _programs.add_up_words(texts, lambda token: 1)[0]
            skipped = [
                parse.skipped_words if parse.status == PARSED else count  # all of them
                for parse, count in zip(parses, words, strict=True)
            ]
            return np.array(skipped, dtype=np.float64).reshape(-1, 1)
        numbers = _programs.style_numbers if check == "style" else _programs.diction_numbers
        return numbers(texts, self._language(side)[:2], timeout=self.timeout)
