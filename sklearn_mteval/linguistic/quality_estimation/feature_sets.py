"""The feature sets of comparative quality estimation, ready to use (2012 paper, Table 3)."""

import json
import warnings
from importlib.resources import files

from sklearn.base import clone
from sklearn.pipeline import FeatureUnion

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval.linguistic.quality_estimation.contrastive import ContrastiveScore
from sklearn_mteval.linguistic.quality_estimation.language_check import LanguageCheck
from sklearn_mteval.linguistic.quality_estimation.language_model import LanguageModelScore
from sklearn_mteval.linguistic.quality_estimation.parser_statistics import ParserStatistics
from sklearn_mteval.linguistic.quality_estimation.surface import SurfaceCounts

# For each set the features of each block, and the metric of the contrastive one. "3" and "4" are
# printed alike: they were made for two learners (Soricut et al. 2012).
_FILE = files("sklearn_mteval.linguistic.quality_estimation").joinpath("data", "feature_sets.json")
FEATURE_SETS = json.loads(_FILE.read_text(encoding="utf-8"))

_BLOCKS = {
    "language_model": "LanguageModelScore(…)",
    "parser": "ParserStatistics(…)",
    "language_check": "LanguageCheck(…)",
}


def feature_set(
    name: str, *, surface: SurfaceCounts | None = None,
    language_model: LanguageModelScore | None = None, parser: ParserStatistics | None = None,
    language_check: LanguageCheck | None = None, contrastive: ContrastiveScore | None = None
) -> FeatureUnion:  # fmt: skip
    """Build a feature set of comparative quality estimation.

    Parameters
    ----------
    name : {"1", "2", "3", "4", "2.1", "2.2", "2.3", "2.4"}
        As the paper numbers them. "3" and "4" are printed with the same features.
    surface : SurfaceCounts or None, default=None
        What counts tokens and unknown words; None: ``SurfaceCounts()``.
    language_model : LanguageModelScore or None, default=None
        What asks language models, of the translations and, for most sets, of the sources. Set "1"
        has a trigram model of the source in the paper, the others order 5.
    parser : ParserStatistics or None, default=None
        What asks a parser of the translations and, for all sets, one of the sources. None:
        ``ParserStatistics(ConstituencyParser())``, for translations into English; it knows no
        other language, and nothing of the sources.
    language_check : LanguageCheck or None, default=None
        What asks checkers of spelling, style and grammar.
    contrastive : ContrastiveScore or None, default=None
        What scores translations against those of competing systems; None: by the set's own
        metric. It belongs to the sets "2.3", "2.4" (METEOR), "3" and "4" (BLEU); given, it is
        part of any other too.

    Returns
    -------
    FeatureUnion
        Not fitted, with the steps "surface", "language_model", "parser", "language_check" and
        "contrastive", as far as the set has them. ``set_params(contrastive="drop")`` leaves one
        out.

    Raises
    ------
    ValueError
        If there is no such set.

    Warns
    -----
    UserWarning
        Naming the features that are left out because what they need is not given: a transformer,
        or its model, parser or language of the source.

    Notes
    -----
    Where the paper has Berkeley's PCFG parser, any will do, but the default gives one tree, so that
    ``parses`` is constant. In the place of a commercial checker's scores stand counts of misspelt
    and skipped words and of passive, nominal and wordy phrases. METEOR is without synonyms.

    References
    ----------
    Avramidis 2012, "Comparative Quality Estimation", Table 3.

    Examples
    --------
    Nothing but counts and competing systems, where sources have no language model:

    >>> import warnings
    >>> from sklearn_mteval.features import feature_set
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     union = feature_set("3")
    >>> [step for step, _ in union.transformer_list]
    ['surface', 'contrastive']
    """
    check_one_of("name", name, FEATURE_SETS)
    given = {
        "surface": SurfaceCounts() if surface is None else surface,
        "language_model": language_model,
        "parser": parser,
        "language_check": language_check,
    }
    if parser is None and "parser" in FEATURE_SETS[name]:
        from sklearn_mteval.linguistic.trees.shipped.parsers import ConstituencyParser

        given["parser"] = ParserStatistics(ConstituencyParser())
    wanted_of = dict(FEATURE_SETS[name])
    metric = wanted_of.pop("contrastive", None)
    found = {block: _possible(given[block], wanted) for block, wanted in wanted_of.items()}
    steps = [
        (block, clone(given[block]).set_params(features=features))
        for block, features in found.items()
        if features
    ]
    if contrastive is not None or metric is not None:
        contrastive = ContrastiveScore(metric) if contrastive is None else clone(contrastive)
        steps.append(("contrastive", contrastive))
    missing = [f for block, wanted in wanted_of.items() for f in wanted if f not in found[block]]
    if missing:
        needs = [f"{b}={text}" for b, text in _BLOCKS.items() if b in wanted_of]
        warnings.warn(
            f"Feature set {name!r}: {missing} are missing: pass {', '.join(needs)}, with what "
            "describes the source too where a source's feature or a ratio is missing.",
            stacklevel=2,
        )
    return FeatureUnion(steps)


def _possible(transformer, wanted):
    """List the wanted features that a transformer, or none, can have."""
    possible = () if transformer is None else transformer.possible_features()
    return [feature for feature in wanted if feature in possible]
