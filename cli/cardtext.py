"""How cards are written for people: with suit symbols where they can be shown, and in the order of a hand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from interpreter.cards import symbols
from interpreter.machine import Machine


class CardText:
    """The cards of one game in text."""

    def __init__(self, machine: Machine, with_symbols: bool) -> None:
        cards = machine.words.cards
        self._letters: dict[str, str] = {}
        self._shown: dict[str, str] = {}
        # Poker hands are read by rank; where no combinations count, cards are held by suit.
        by_rank = bool(machine.game.kinds)
        self._order: dict[str, tuple[int, int]] = {}
        for face, name in enumerate(cards.names):
            rank, suit = cards.face_rank[face], cards.face_suit[face]
            self._order.setdefault(name, (rank, suit) if by_rank else (suit, rank))
            symbol = _symbol(cards.suit_labels[suit]) if suit < cards.num_plain_suits else ""
            if symbol:
                self._letters[symbol] = cards.suit_letters[suit]
                if with_symbols:
                    self._shown[name] = cards.rank_labels[rank] + symbol
        names = sorted(map(re.escape, self._shown), key=len, reverse=True)
        self._names = re.compile(rf"(?<![\w#])(?:{'|'.join(names)})(?!\w)") if names else None

    def decorate(self, text: str) -> str:
        """The text with suit symbols in the cards it names."""
        return text if self._names is None else self._names.sub(lambda found: self._shown[found[0]], text)

    def plain(self, text: str) -> str:
        """The text with letters in place of suit symbols, as choices are parsed."""
        text = text.replace("\ufe0f", "")
        for symbol, letter in self._letters.items():
            text = text.replace(symbol, letter)
        return text

    def in_order(self, names: Iterable[str]) -> list[str]:
        """Cards as they are held in a hand."""
        return sorted(names, key=lambda name: self._order[name])


def _symbol(suit: str) -> str:
    """The black form of a suit's symbol, which fonts draw best; nothing where there is none."""
    return next((s for s in symbols(suit) if "BLACK" in unicodedata.name(s)), "")
