"""The feature sets that served best on real rankings, as ready transformers."""

from collections.abc import Callable
from typing import Any

from sklearn.pipeline import Pipeline, make_pipeline, make_union

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.features.content.content_errors import OF_ANY_LANGUAGE, ContentErrors
from sklearn_mteval.features.embeddings.learned_alignment import LearnedTokenAlignment
from sklearn_mteval.features.lexical.lexical_features import LexicalFeatures
from sklearn_mteval.features.normalization import NormalizeText
from sklearn_mteval.features.overlap.chrf import ChrFComp

RECOMMENDED = ("static", "encoder", "no-reference", "any")


def recommended(
    kind: str = "static", *, vectors: Any = "english", encoder: PathLike | Callable | None = None,
    **options: Any
) -> Pipeline:  # fmt: skip
    """Return the features that agreed best with annotators of WMT13 and WMT15, for given data.

    Parameters
    ----------
    kind : {"static", "encoder", "no-reference", "any"}, default="static"
        - "static": into English, with reference: :class:`LexicalFeatures` on word vectors,
          :class:`ChrFComp` and :class:`ContentErrors`;
        - "encoder": the same, and :class:`LearnedTokenAlignment` by ``encoder``, with references
          and competing systems;
        - "no-reference": into English, how far competing systems agree, without reference:
          :class:`LexicalFeatures`, and with an ``encoder`` :class:`LearnedTokenAlignment`. A model
          of these ranks three systems or more, and has no scores;
        - "any": into any language, with reference: :class:`LexicalFeatures` by spelling,
          :class:`ChrFComp`, and :class:`ContentErrors` without names; with an ``encoder`` of many
          languages :class:`LearnedTokenAlignment`, as in "encoder".
    vectors : as of :class:`LexicalFeatures`, default="english"
        Word vectors of the target language, but for "any": "english", which come with the
        package, weigh words by their lengths; any other by inverse document frequency.
    encoder : path-like, str or callable, optional
        Sentence encoder of the target language, as of :class:`TokenAlignment`; not of "static".
    **options : dict
        Of :class:`LearnedTokenAlignment`, such as ``dtype="bfloat16"``.

    Returns
    -------
    Pipeline
        :class:`NormalizeText`, then the features; not fitted, to be put in front of a
        ``RankRecomposer``.

    Raises
    ------
    ValueError
        If there is no such kind, or an encoder is missing or of no use.

    Examples
    --------
    >>> from sklearn_mteval import RankRecomposer, make_ranking_pipeline
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.features import recommended
    >>> X, y = (table[:100] for table in load_sample(return_X_y=True))
    >>> model = make_ranking_pipeline(recommended("any"), RankRecomposer())
    >>> bool(model.fit(X, y).score(X, y) > 0.5)
    True
    """
    check_one_of("kind", kind, RECOMMENDED)
    wanted = {"encoder": "needs an", "static": "takes no"}.get(kind)
    if wanted is not None and (encoder is None) == (kind == "encoder"):
        raise ValueError(f"kind={kind!r} {wanted} encoder, found encoder={encoder!r}.")
    if options and encoder is None:
        raise ValueError(f"options {sorted(options)} are those of an encoder: give encoder=….")
    if kind == "any":
        union = [LexicalFeatures(), ChrFComp(), ContentErrors(features=list(OF_ANY_LANGUAGE))]
    else:
        words = LexicalFeatures(
            vectors,
            use_references=kind != "no-reference",
            weights="length" if isinstance(vectors, str) and vectors == "english" else "idf",
        )
        union = [words]
        if kind != "no-reference":
            union += [ChrFComp(), ContentErrors(features="all")]
    if encoder is not None:
        against = "competing" if kind == "no-reference" else "both"
        union.append(LearnedTokenAlignment(encoder, against=against, **options))
    return make_pipeline(NormalizeText(), make_union(*union))
