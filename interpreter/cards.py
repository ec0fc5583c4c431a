"""The physical cards of a game, what they show, how they are written, and which ranks make a run."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from dsl import ir

JOKER = "joker"


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive ranks, lowest first. `ranks` may start with a low rank, whose number is then the greatest."""

    ranks: tuple[int, ...]

    @property
    def top(self) -> int:
        """The rank the run goes up to: its last one, also where it starts low or wraps around."""
        return self.ranks[-1]

    @property
    def heights(self) -> tuple[int, ...]:
        """What each card counts in comparisons, highest first: steps down from the top.

        So a low ace counts one below the lowest rank, whatever it counts elsewhere.
        """
        return tuple(self.top - i for i in range(len(self.ranks)))


class CardSet:
    """Cards by number, as `ir.Deck` counts them.

    `face`, `rank` and `suit` are lists indexed by card; `face_rank` and `face_suit` by face. `num_cards` bounds
    the card numbers, also of removed faces; `pack` are the cards that are really there. A joker has the rank
    after the last ordinary one and the suit after the last ordinary one.
    """

    def __init__(self, deck: ir.Deck) -> None:
        self.deck = deck
        self.rank_labels = [r for r in deck.ranks if r != JOKER or not deck.num_jokers]
        self.suit_labels = [s for s in deck.suits if s != JOKER or not deck.num_jokers]
        self.num_plain_ranks, self.num_plain_suits = len(self.rank_labels), len(self.suit_labels)
        if deck.num_jokers:
            self.rank_labels.append(JOKER)
            self.suit_labels.append(JOKER)
        plain = self.num_plain_ranks * self.num_plain_suits
        self.num_faces = plain + deck.num_jokers
        self.num_cards = self.num_faces * deck.copies
        self.face_rank = [f // self.num_plain_suits for f in range(plain)] + [self.num_plain_ranks] * deck.num_jokers
        self.face_suit = [f % self.num_plain_suits for f in range(plain)] + [self.num_plain_suits] * deck.num_jokers
        self.face = [c % self.num_faces for c in range(self.num_cards)]
        self.rank = [self.face_rank[f] for f in self.face]
        self.suit = [self.face_suit[f] for f in self.face]
        # Jokers are told apart by face but by nothing that a rule can see.
        self.look = [min(f, plain) for f in self.face]
        removed = frozenset(deck.removed)
        self.pack = tuple(c for c in range(self.num_cards) if self.face[c] not in removed)
        self.num_ranks, self.num_suits = len(self.rank_labels), len(self.suit_labels)
        self.rank_spoken = [
            deck.rank_names[r] if r < len(deck.rank_names) else label for r, label in enumerate(self.rank_labels)
        ]
        self.suit_letters = self._letters()
        self.names = [self._face_name(f) for f in range(self.num_faces)]
        self._faces = self._readings()
        self._runs: dict[int, tuple[Run, ...]] = {}

    def _letters(self) -> list[str]:
        """The declared letters; else initials, or whole names where two suits have the same initial."""
        suits = self.suit_labels[: self.num_plain_suits]
        if len(self.deck.suit_letters) >= len(suits):
            return list(self.deck.suit_letters[: len(suits)])
        initials = [s[:1].upper() for s in suits]
        return initials if len(set(initials)) == len(suits) else suits

    def _face_name(self, face: int) -> str:
        if self.face_rank[face] == self.num_plain_ranks:
            return JOKER
        return self.rank_labels[self.face_rank[face]] + self.suit_letters[self.face_suit[face]]

    def _readings(self) -> dict[str, int]:
        """Every way to write a face, in lower case. What is written exactly wins over what is tolerated."""
        readings: dict[str, int] = {}
        for face, name in enumerate(self.names):
            readings.setdefault(name.lower(), face)
        for face in range(self.num_plain_ranks * self.num_plain_suits):
            rank, suit = self.face_rank[face], self.face_suit[face]
            ranks = [self.rank_labels[rank], self.rank_spoken[rank]]
            if self.rank_labels[rank] == "10":
                ranks.append("T")
            for r in ranks:
                for s in (self.suit_letters[suit], *symbols(self.suit_labels[suit])):
                    readings.setdefault((r + s).lower(), face)
                readings.setdefault(f"{r} of {self.suit_labels[suit]}".lower(), face)
        return readings

    def name(self, card: int) -> str:
        """A card as it is written: "10S", "KH", "joker"."""
        return self.names[self.face[card]]

    def face_name(self, face: int) -> str:
        """A face as it is written."""
        return self.names[face]

    def long_name(self, face: int) -> str:
        """A face as it is spoken: "ten of spades"."""
        if self.face_rank[face] == self.num_plain_ranks:
            return JOKER
        return f"{self.rank_spoken[self.face_rank[face]]} of {self.suit_labels[self.face_suit[face]]}"

    def parse(self, text: str) -> int | None:
        """The face that was written ("10S", "ts", "10♠", "ten of spades"), or None."""
        key = " ".join(text.replace("\ufe0f", "").split()).lower()
        return self._faces.get(key)

    def cards_of(self, face: int) -> tuple[int, ...]:
        """The cards that show a face, in order of number; none where the pack lacks it."""
        if face in self.deck.removed:
            return ()
        return tuple(range(face, self.num_cards, self.num_faces))

    def showing(self, faces: Sequence[int]) -> tuple[int, ...]:
        """A card for each of some faces, the copies of one face in their order."""
        return tuple(self.cards_of(face)[faces[:i].count(face)] for i, face in enumerate(faces))

    def runs(self, length: int) -> tuple[Run, ...]:
        """Every run of so many ranks, each once, the lowest top first."""
        if length not in self._runs:
            self._runs[length] = self._find_runs(length)
        return self._runs[length]

    def _find_runs(self, length: int) -> tuple[Run, ...]:
        adjacency, count = self.deck.runs, self.num_plain_ranks
        if not 1 <= length <= count:
            return ()
        # A rank that may not stand at its place leaves a gap: the ranks beside it do not close up.
        line: list[int | None] = [
            None if r == adjacency.never or (r == adjacency.low_rank and not adjacency.high) else r
            for r in range(count)
        ]
        windows = [line[i : i + length] for i in range(count - length + 1)]
        if adjacency.low_rank is not None and adjacency.low_rank != adjacency.never:
            windows.append([adjacency.low_rank, *line[: length - 1]])
        if adjacency.wraps:
            # The ranks are a ring then, in which a rank that is only low meets the highest one all the same.
            ring = [None if r == adjacency.never else r for r in range(count)]
            windows.extend((ring + ring)[i : i + length] for i in range(count))
        found: set[tuple[int, ...]] = set()
        for window in windows:
            ranks = tuple(r for r in window if r is not None)
            if len(set(ranks)) == length:
                found.add(ranks)
        return tuple(Run(ranks) for ranks in sorted(found, key=lambda r: (r[-1], r)))


def symbols(suit: str) -> list[str]:
    """The playing-card symbols whose Unicode name holds the suit's name."""
    word = suit.upper().removesuffix("S")
    return [chr(c) for c in range(0x2660, 0x2668) if word and word in unicodedata.name(chr(c)).split()]
