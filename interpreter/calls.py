"""Calls: combinations that are named, not found. Which there are, how strong, and how they are spoken."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from dsl import ir
from interpreter.cards import CardSet, symbols
from interpreter.patterns import Match, Matcher
from interpreter.pools import Pool

_PLACEHOLDER = re.compile(r"\{(\w+)\}(s\b)?")


class Calls:
    """Everything about calls of a combination table. `pack` are all cards of the game."""

    def __init__(
        self, cards: CardSet, kinds: tuple[ir.Kind, ...], matchers: Sequence[Matcher | None], pack: Pool
    ) -> None:
        self.cards, self.kinds, self.matchers, self.pack = cards, kinds, matchers, pack
        self._callable = tuple(self._can_name(k) for k in kinds)
        self._templates = tuple(k.say or self._default_template(k) for k in kinds)
        for kind, template in zip(kinds, self._templates, strict=True):
            unknown = {m[1] for m in _PLACEHOLDER.finditer(template)} - dict(kind.named).keys()
            if unknown:
                raise ValueError(f"{kind.name}: what is said names {sorted(unknown)}, which the pattern does not")
        self._readings: list[tuple[int, re.Pattern[str]]] | None = None
        self._words = {"rank": self._rank_words(), "suit": self._suit_words()}
        self._ladder: tuple[ir.Combination, ...] | None = None

    # -------------------------------------------------------------------------------------- strength

    @staticmethod
    def _can_name(kind: ir.Kind) -> bool:
        """Whether every rank or suit that the key is made of is a constant or a named variable.

        A group of any ranks has no rank to name and adds nothing to a call's key; nor do side cards.
        """
        if kind.pattern is None:
            return False
        named = dict(kind.named)
        for part in kind.by:
            if isinstance(part, str):
                if part not in named:
                    return False
            elif part is not ir.Key.SIDE_CARDS:
                for group in kind.pattern.groups:
                    hidden = isinstance(group.rank, str) and group.rank not in named
                    if hidden or (group.run and group.rank is None):
                        return False
        return True

    def is_callable(self, kind: int) -> bool:
        return self._callable[kind]

    def make(self, kind: int, arguments: tuple[int, ...]) -> ir.Combination:
        row, matcher = self.kinds[kind], self.matchers[kind]
        if not self._callable[kind] or row.pattern is None or matcher is None:
            raise ValueError(f"{row.name} cannot be called: its strength depends on what a call does not name")
        if len(arguments) != len(row.named):
            raise ValueError(f"a call of {row.name} names {len(row.named)} things, not {len(arguments)}")
        values = dict(zip((name for name, _ in row.named), arguments, strict=True))
        groups = row.pattern.groups
        ranks = [values.get(g.rank) if isinstance(g.rank, str) else g.rank for g in groups]
        key: list[int] = []
        for part in row.by:
            if isinstance(part, str):
                key.append(values[part])
            elif part is ir.Key.GROUPS:
                parts = matcher.arrange([() if r is None else (r,) for r in ranks])
                key.extend(r for ranks_of_group in parts for r in ranks_of_group)
            elif part is ir.Key.CARDS:
                heights = [
                    r - i if g.run else r
                    for g, r in zip(groups, ranks, strict=True)
                    if r is not None
                    for i in range(g.count)
                ]
                key.extend(sorted(heights, reverse=True))
        return ir.Combination(kind, tuple(key), arguments)

    def is_possible(self, kind: int, arguments: tuple[int, ...]) -> bool:
        matcher = self.matchers[kind]
        if matcher is None or not self._callable[kind] or len(arguments) != len(self.kinds[kind].named):
            return False
        return matcher.occurs(self.pack, arguments)

    def ladder(self) -> tuple[ir.Combination, ...]:
        if self._ladder is None:
            sizes = {"rank": self.cards.num_ranks, "suit": self.cards.num_suits}
            calls = [
                self.make(kind, arguments)
                for kind, row in enumerate(self.kinds)
                if self._callable[kind]
                for arguments in product(*(range(sizes[sort]) for _, sort in row.named))
                if self.is_possible(kind, arguments)
            ]
            self._ladder = tuple(sorted(calls, key=lambda c: (c.kind, c.key, c.arguments)))
        return self._ladder

    # ---------------------------------------------------------------------------------------- spoken

    @staticmethod
    def _default_template(kind: ir.Kind) -> str:
        return ", ".join([kind.name.replace("_", " "), *(f"{{{name}}}" for name, _ in kind.named)])

    def say(self, combination: ir.Combination) -> str | None:
        """The template filled in; None where it would not tell which combination this is."""
        kind = self.kinds[combination.kind]
        if len(combination.arguments) != len(kind.named):
            return None
        if combination.cards and (kind.say is None or not kind.named):
            return None
        sorts = dict(kind.named)
        values = dict(zip(sorts, combination.arguments, strict=True))

        def fill(match: re.Match[str]) -> str:
            name, plural = match[1], match[2] or ""
            labels = self.cards.rank_spoken if sorts[name] == "rank" else self.cards.suit_labels
            word = labels[values[name]]
            return _plural(word) if plural else word

        return _PLACEHOLDER.sub(fill, self._templates[combination.kind])

    def parse(self, text: str) -> ir.Combination | None:
        if self._readings is None:
            self._readings = self._compile_readings()
        said = " ".join(text.split()).rstrip(".!")
        for kind, reading in self._readings:
            found = reading.fullmatch(said)
            if found is None:
                continue
            values: dict[str, set[int]] = {}
            for group, word in found.groupdict().items():
                name = group.rsplit("__", 1)[0].removeprefix("v_")
                values.setdefault(name, set()).add(self._words[dict(self.kinds[kind].named)[name]][word.lower()])
            names = [name for name, _ in self.kinds[kind].named]
            if all(len(values.get(name, ())) == 1 for name in names):
                arguments = tuple(next(iter(values[name])) for name in names)
                if self.is_possible(kind, arguments):
                    return self.make(kind, arguments)
        return None

    def _compile_readings(self) -> list[tuple[int, re.Pattern[str]]]:
        """What may be said for each kind: its own words first, then its name followed by what it names."""
        kinds = [i for i in range(len(self.kinds)) if self._callable[i]]
        own = [(i, self._reading(i, self._templates[i], loose=False)) for i in kinds]
        return own + [(i, self._reading(i, self._default_template(self.kinds[i]), loose=True)) for i in kinds]

    def _reading(self, kind: int, template: str, loose: bool) -> re.Pattern[str]:
        sorts = dict(self.kinds[kind].named)
        parts: list[str] = []
        end = 0
        for n, match in enumerate(_PLACEHOLDER.finditer(template)):
            parts.append(self._literal(template[end : match.start()], loose))
            words = "|".join(re.escape(w) for w in sorted(self._words[sorts[match[1]]], key=len, reverse=True))
            plural = "(?:'?e?s)?" if match[2] or (loose and sorts[match[1]] == "rank") else ""
            parts.append(f"(?P<v_{match[1]}__{n}>{words}){plural}")
            end = match.end()
        parts.append(self._literal(template[end:], loose))
        return re.compile("".join(parts), re.IGNORECASE)

    @staticmethod
    def _literal(text: str, loose: bool) -> str:
        if loose and text.strip() == ",":
            return r"(?:\s*,\s*|\s+)(?:(?:of|to|and|up to)\s+)?(?:the\s+)?"
        if loose and text.endswith(", "):
            return re.escape(text[:-2]).replace(r"\ ", r"\s+") + r"(?:\s*,\s*|\s+)(?:(?:of|to|up to)\s+)?(?:the\s+)?"
        return re.sub(r"(?:\\ )+", r"\\s+", re.escape(text))

    def _rank_words(self) -> dict[str, int]:
        words: dict[str, int] = {}
        for rank, label in enumerate(self.cards.rank_labels):
            words[label.lower()] = rank
        for rank, label in enumerate(self.cards.rank_labels):
            words.setdefault(self.cards.rank_spoken[rank].lower(), rank)
            if label == "10":
                words.setdefault("t", rank)
        return words

    def _suit_words(self) -> dict[str, int]:
        words: dict[str, int] = {}
        for suit, label in enumerate(self.cards.suit_labels):
            words[label.lower()] = suit
        for suit, label in enumerate(self.cards.suit_labels):
            letter = self.cards.suit_letters[suit : suit + 1]
            for word in (*letter, label.removesuffix("s"), *symbols(label)):
                words.setdefault(word.lower(), suit)
        return words

    def details(self, match: Match, pattern: ir.Pattern) -> str:
        """The ranks and suits of a match, group by group: ", K and 7", " to 9 of hearts", ", A-J-9-6-2"."""
        labels = self.cards.rank_labels
        parts: list[str] = []
        for pick, group in zip(match.picks, pattern.groups, strict=True):
            if group.run or group.rank is not None:
                words = ("to " if group.run else "") + labels[pick.ranks[-1]]
            else:
                words = "-".join(labels[r] for r in pick.ranks)
            parts.append(words if pick.suit is None else f"{words} of {self.cards.suit_labels[pick.suit]}")
        return (" " if parts[0].startswith("to ") else ", ") + " and ".join(parts)


def _plural(word: str) -> str:
    return word + ("es" if word.lower().endswith(("s", "x", "z", "ch", "sh")) and len(word) > 2 else "s")
