"""What is asked of a game: the claims of its file and the free checks, each for some numbers of players."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dsl import ir, model
from dsl.claims import KINDS
from dsl.diagnostics import did_you_mean
from dsl.load import Loaded
from dsl.yamltree import Mapping as Keyed
from dsl.yamltree import Node, Scalar
from dsl.yamltree import Sequence as Items
from verify import checks, claims
from verify.outcome import Verdict

CLAIM, FREE = "claim", "free"
_AT_ONCE = ("always", "never", "impossible", "possible")
_SAID_ELSEWHERE = ("expect", "cites", "players", "options", "vector")


class NotAsked(Exception):
    """A property cannot be asked so; the message is one line."""


class Wrong(Exception):
    """The file is wrong at the options of a claim: the loaded file's reporter says how."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """One property, to be answered for each of some numbers of players, at the options of `source`.

    `expected` are the verdicts that are as they should be, `apart` those of numbers of players with others. `once`:
    what one number of players shows is so, whatever the number.
    """

    name: str
    kind: str
    statement: str
    cites: tuple[str, ...]
    expected: frozenset[Verdict]
    players: tuple[int, ...]
    source: model.Model
    claim: ir.Property | None = None
    apart: Mapping[int, frozenset[Verdict]] = field(default_factory=dict)
    once: bool = False

    @property
    def is_of_many(self) -> bool:
        """Whether one proof for many numbers of players is worth a look.

        The game is declared for several, and the claim speaks of positions with as many players as there may be, or of
        the end of a rule.
        """
        low, high = self.source.players
        claim = self.claim
        return claim is not None and low < high == claim.players[1] and claim.kind in _AT_ONCE


def questions(
    loaded: Loaded, wanted: Sequence[str], players: int | None, options: dict[str, str], free: bool
) -> list[Question]:
    """All that is asked, claims first; `wanted` are names, of all where there are none.

    A claim about readings that are not the chosen ones, or about other numbers of players, is left out.

    Raises:
        NotAsked: A wanted property is not there, or says nothing about what was chosen.
        Wrong: The file is wrong.
    """
    base = _model(loaded, options)
    chosen = options | {o.name: o.pinned for o in base.option_table if o.pinned is not None}
    found: list[Question] = []
    elsewhere: dict[str, str] = {}
    for claim in base.properties:
        if wanted and claim.name not in wanted:
            continue
        counts = _counts(claim.players, players)
        against = next((f"{k}={v}" for k, v in claim.options if chosen.get(k, v) != v), None)
        if against is not None:
            elsewhere[claim.name] = f"speaks of {against}"
        elif not counts:
            elsewhere[claim.name] = f"does not speak of {players} players"
        else:
            found.append(_claim(loaded, claim, counts, options, base))
    if free or wanted:
        found += (q for q in _free(base, players) if q.name in wanted or (free and not wanted))
    for name in wanted:
        if not any(q.name == name for q in found):
            known = [c.name for c in base.properties] + [q.name for q in _free(base, players)]
            told = elsewhere.get(name)
            help = did_you_mean(name, known)
            if told:
                raise NotAsked(f"property `{name}` {told}")
            raise NotAsked(f"no property is named `{name}`{'; ' + help if help else ''}")
    return found


def _model(loaded: Loaded, options: dict[str, str]) -> model.Model:
    found = loaded.model(options)
    if found is None:
        raise Wrong
    return found


def _counts(spoken_of: tuple[int, int], players: int | None) -> tuple[int, ...]:
    low, high = spoken_of
    return tuple(n for n in range(low, high + 1) if players in (None, n))


def _claim(
    loaded: Loaded, claim: ir.Property, counts: tuple[int, ...], options: dict[str, str], base: model.Model
) -> Question:
    source = _model(loaded, options | dict(claim.options)) if claim.options else base
    # At other options the same words may mean something else.
    claim = next((c for c in source.properties if c.name == claim.name), claim)
    words = statement(claim, loaded.document.section("properties"))
    return Question(claim.name, CLAIM, words, claim.cites, claims.expected(claim), counts, source, claim)


def _free(source: model.Model, players: int | None) -> Iterator[Question]:
    for check in checks.questions(source):
        counts = _counts(source.players, players)
        said = next((e for e in source.expectations if e.name == check.name and _is_at(source, e)), None)
        cites = () if said is None else said.cites
        fails = () if said is None or said.holds else _counts(said.players, players)
        apart = {n: frozenset({Verdict.REFUTED}) for n in fails}
        yield Question(
            check.name, FREE, check.statement, cites, check.expected, counts, source, apart=apart, once=check.once
        )


def _is_at(source: model.Model, said: model.Expectation) -> bool:
    """Whether what a file expects of a check is said of the readings that are played."""
    chosen = dict(source.options)
    return all(chosen[option] == reading for option, reading in said.options)


def statement(claim: ir.Property, properties: Node | None) -> str:
    """A claim as it stands in its file, on one line; only what it is where it stands nowhere."""
    written = properties.get(claim.name) if isinstance(properties, Keyed) else None
    if not isinstance(written, Keyed):
        return claim.kind
    said = [e for e in written.entries if e.key.text not in _SAID_ELSEWHERE]
    said.sort(key=lambda e: e.key.text not in KINDS)
    return ", ".join(_said(e.key.text, e.value) for e in said)


def _said(key: str, value: Node) -> str:
    if key == "leads to" and isinstance(value, Items) and value.items:
        first, *others = map(_text, value.items)
        return f"{first} leads to {' or '.join(others)}"
    return f"{key} {_text(value)}".strip()


def _text(node: Node) -> str:
    match node:
        case Scalar():
            return " ".join(node.text.split())
        case Items():
            return " and ".join(_text(item) for item in node.items)
        case Keyed():
            return " and ".join(f"{e.key.text}: {_text(e.value)}" for e in node.entries)
