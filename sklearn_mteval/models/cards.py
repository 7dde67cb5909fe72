"""What is known of each ready-made model, a folder of ``ready_made_files`` with a ``card.toml``."""

import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable

ANY = "any"  # language
_TEXTS = ("source", "reference")
_VALUES = ("needed", "used", "unused")  # what these may be; used: empty where it is missing


@dataclass(frozen=True)
class Encoder:
    """A sentence encoder: its name on the hub, and the package that also has it, in a folder."""

    hub: str
    package: str | None = None
    folder: str = ""


@dataclass(frozen=True)
class Card:
    """A ready-made model; of those that can be used the one with the lowest ``order`` is best.

    ``trained_on`` lists campaigns with a language pair, "wmt13 fr-en" say. One that marks errors
    names the ready-made model whose cross-encoder reads for it, its ``reader``.
    """

    name: str
    files: Traversable
    order: int
    source_languages: list[str]
    target_languages: list[str]
    source: str
    reference: str
    encoder: Encoder | None = None
    trained_on: list[str] = field(default_factory=list)
    reader: str = ""

    def __post_init__(self):
        for key in _TEXTS:
            if getattr(self, key) not in _VALUES:
                raise ValueError(f"{key} must be one of {_VALUES}, found {getattr(self, key)!r}.")
        for key in ("source_languages", "target_languages"):
            if not isinstance(getattr(self, key), list) or not getattr(self, key):
                raise ValueError(f"{key} must list languages' codes, or {[ANY]}.")
        if not isinstance(self.trained_on, list):
            raise ValueError("trained_on must list campaigns with a language pair, 'wmt13 fr-en'.")
        if not isinstance(self.order, int):
            raise ValueError(f"order must be an integer, found {self.order!r}.")

    def is_for(self, columns, language):
        """Tell whether it can be used for a table's columns and a language, None if not known."""
        needed = {name for name in _TEXTS if getattr(self, name) == "needed"}
        return needed.issubset(columns) and bool({ANY, language} & {*self.target_languages})


def read_cards(folder):
    """Read the cards in the folders of a folder: {name: Card}, the best model first."""
    cards = []
    for part in folder.iterdir():
        file = part.joinpath("card.toml")
        if not file.is_file():
            continue
        try:
            given = tomllib.loads(file.read_text(encoding="utf-8"))
            if "encoder" in given:
                given["encoder"] = Encoder(**given["encoder"])
            cards.append(Card(part.name, part, **given))
        except (TypeError, ValueError) as error:  # a key that is missing or unknown; no TOML
            raise ValueError(f"{file}: {error}") from None
    return {card.name: card for card in sorted(cards, key=lambda card: (card.order, card.name))}


_SHIPPED = read_cards(files("sklearn_mteval.models").joinpath("ready_made_files"))
READY_MADE = {name: card for name, card in _SHIPPED.items() if not card.reader}  # that rank
MARKERS = {name: card for name, card in _SHIPPED.items() if card.reader}  # that mark errors
