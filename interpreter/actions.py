"""What a player may choose: candidates in a stable order, and why a choice is refused. Guards alone decide.

While candidates are tried, the arguments lie in the state's own variables; these are put back afterwards, so that
to the caller nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from dsl import ir
from dsl.source import Span
from dsl.walk import variables_read
from interpreter.evaluate import Compiler
from interpreter.state import Evaluator, State
from interpreter.values import as_cards

_SORTS = (
    ir.PlayerType, ir.KindType, ir.RankType, ir.SuitType, ir.EnumType, ir.IntType, ir.BoolType, ir.OptionalType,
)  # fmt: skip


class Choice:
    """An action with its arguments: what a player says.

    A card that the player does not know is not named but pointed at: -1 is the first card of the pile, -2 the
    second. So a choice holds nothing that its player could not say.
    """

    __slots__ = ("action", "arguments", "name")

    def __init__(self, action: int, name: str, arguments: tuple[Any, ...] = ()) -> None:
        self.action, self.name, self.arguments = action, name, arguments

    def _key(self) -> Any:
        # Calls of equal strength are different things to say.
        return self.action, tuple(
            [(a.kind, a.key, a.arguments) if isinstance(a, ir.Combination) else a for a in self.arguments]
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Choice) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Choice({self.action}, {self.name!r}, {self.arguments!r})"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a choice cannot be made. `kind`: game over, not your turn, not on offer, argument, condition.

    For a condition: `guard` counts the action's guards from 0, `span` is its text. For an argument: `parameter`
    counts the action's parameters from 0.
    """

    kind: str
    message: str
    guard: int | None = None
    parameter: int | None = None
    cites: tuple[str, ...] = ()
    span: Span | None = None

    @property
    def told(self) -> str:
        """Why, with the clauses that say so and the place in the rules."""
        cites = f" [{', '.join(self.cites)}]" if self.cites else ""
        place = f" ({self.span.source.path}:{self.span.line})" if self.span else ""
        return f"{self.message}{cites}{place}"


class InvalidChoice(Exception):
    """A choice was to be carried out that the rules refuse."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class Parameter:
    """One argument of an action, made ready."""

    def __init__(self, compiler: Compiler, declared: ir.Param) -> None:
        self.declared, self.type = declared, declared.type
        self.cell = compiler.layout.vars[declared.variable].base
        self._cards, words = compiler.cards, compiler.words
        self.look = self._cards.look
        self._words, self._call_index = words, dict[tuple[int, tuple[int, ...]], ir.Combination]()
        domain = declared.domain
        self.is_subset = isinstance(declared.type, ir.CardsType)
        self.is_call = domain is None
        self._items: Evaluator
        if domain is None:
            self._items = lambda s: words.calls
        elif isinstance(domain, _SORTS):
            values = words.domain(domain)
            self._items = lambda s: values
        else:
            self._items = compiler.compile(domain)
        self.is_card = self.is_subset or (isinstance(declared.type, ir.CardType) and domain is not None)

    def values(self, state: State) -> Sequence[Any]:
        """The values of the domain, in order; of a pile its cards."""
        return self._items(state) or ()

    def candidates(self, state: State, bit: int) -> Iterator[tuple[Any, Any]]:
        """Each argument as it is said, with the value it stands for, in order; see `Choice`."""
        if not self.is_card:
            for value in self._items(state) or ():
                yield value, value
            return
        pile = as_cards(self._items(state))
        known, hidden = self._sorted(state, pile, bit)
        if self.is_subset:
            yield from self._subsets(pile, known, hidden)
            return
        look, last = self._cards.look, -1
        for card in known:
            if look[card] != last:
                last = look[card]
                yield card, card
        for sign in hidden:
            yield sign, pile[-1 - sign]

    def _sorted(self, state: State, pile: tuple[int, ...], bit: int) -> tuple[list[int], list[int]]:
        """The cards the player knows, by rank and suit, and signs for the others, in the pile's order.

        Of cards that look the same the one that most others know comes first: when it leaves, nobody knows more
        of what stays than they could.
        """
        masks, look = state.known, self._cards.look
        known = [c for c in pile if masks[c] & bit]
        known.sort(key=lambda c: (look[c], -masks[c].bit_count(), c))
        return known, [-1 - i for i, c in enumerate(pile) if not masks[c] & bit]

    def _subsets(
        self, pile: tuple[int, ...], known: list[int], hidden: list[int]
    ) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        look = self._cards.look
        twins = {i for i in range(1, len(known)) if look[known[i]] == look[known[i - 1]]}
        said = known + hidden
        values = known + [pile[-1 - sign] for sign in hidden]
        for size in range(self.declared.least, min(self.declared.most, len(said)) + 1):
            for places in combinations(range(len(said)), size):
                # Of cards that look the same the first ones are taken.
                if twins and any(i in twins and i - 1 not in places for i in places):
                    continue
                yield tuple([said[i] for i in places]), tuple([values[i] for i in places])

    def resolve(self, state: State, bit: int, said: Any) -> tuple[Any] | None:
        """The value that an argument stands for, in a tuple; None where it is not on offer."""
        if self.is_card:
            pile = as_cards(self._items(state))
            if not self.is_subset:
                single = self._resolve_cards(state, bit, pile, (said,))
                return None if single is None else (single[0],)
            if not isinstance(said, tuple) or not self.declared.least <= len(said) <= self.declared.most:
                return None
            found = self._resolve_cards(state, bit, pile, said)
            return None if found is None else (found,)
        if self.is_call:
            call = self._calls().get((said.kind, said.arguments)) if isinstance(said, ir.Combination) else None
            return None if call is None else (call,)
        for value in self._items(state) or ():
            if value == said and getattr(value, "arguments", None) == getattr(said, "arguments", None):
                return (value,)
        return None

    def refused(self, state: State, bit: int, action: str, said: Any) -> str:
        """Why an argument that does not resolve is none of what the action takes."""
        cards = said if isinstance(said, tuple) else (said,)
        are_cards = all(isinstance(card, int) and card < len(self._cards.look) for card in cards)
        if not self.is_card or not are_cards:
            return f"{action} cannot take this for {self.declared.name}"
        least, most = self.declared.least, self.declared.most
        if self.is_subset and not least <= len(cards) <= most:
            number = f"{least} to {most}" if least < most else f"{most}"
            return f"{action} takes {number} card{'' if most == 1 else 's'}"
        pile = as_cards(self._items(state))
        missing = [c for c in cards if c >= 0 and self._resolve_cards(state, bit, pile, (c,)) is None]
        if not missing:
            return f"not all of these cards are there for {action}"
        names = ", ".join(self._cards.name(card) for card in missing)
        return f"{names} {'is' if len(missing) == 1 else 'are'} not among the cards for {action}"

    def _calls(self) -> dict[tuple[int, tuple[int, ...]], ir.Combination]:
        if not self._call_index:
            self._call_index.update(((c.kind, c.arguments), c) for c in self._words.calls)
        return self._call_index

    def _resolve_cards(
        self, state: State, bit: int, pile: tuple[int, ...], said: Sequence[int]
    ) -> tuple[int, ...] | None:
        """The cards of a pile that are meant: for a face the first card that shows it, for a sign what lies there."""
        left, hidden = self._sorted(state, pile, bit)
        look, found = self._cards.look, []
        for card in said:
            if not isinstance(card, int):
                return None
            if card < 0:
                if card not in hidden:
                    return None
                hidden.remove(card)
                found.append(pile[-1 - card])
                continue
            match = next((c for c in left if card < len(look) and look[c] == look[card]), None)
            if match is None:
                return None
            left.remove(match)
            found.append(match)
        return tuple(found)


class Plan:
    """One action on offer, made ready: its parameters, and its guards, each at the first point it can be decided.

    `guards_at[i]` are the guards (with their numbers) that can be decided once i arguments are known; the order
    in which they were written is kept.
    """

    def __init__(self, compiler: Compiler, index: int, declared: ir.Action) -> None:
        self.index, self.declared, self.name, self.entry = index, declared, declared.name, declared.entry
        self.parameters = [Parameter(compiler, p) for p in declared.parameters]
        self.cells = [p.cell for p in self.parameters]
        self.guards_at: list[list[tuple[int, Evaluator]]] = [[] for _ in range(len(self.parameters) + 1)]
        names = [p.variable for p in declared.parameters]
        level = 0
        for number, guard in enumerate(declared.guards):
            read = variables_read(guard.condition, compiler.game)
            level = max([level, *(i + 1 for i, name in enumerate(names) if name in read)])
            self.guards_at[level].append((number, compiler.compile(guard.condition)))

    def legal(self, state: State, player: int) -> list[Choice]:
        """Every way to choose the action that no guard forbids, in order."""
        for _, guard in self.guards_at[0]:
            if not guard(state):
                return []
        if not self.parameters:
            return [Choice(self.index, self.name)]
        found: list[Choice] = []
        saved = [state.vars[c] for c in self.cells]
        try:
            self._extend(state, 1 << player, (), found)
        finally:
            for cell, value in zip(self.cells, saved, strict=True):
                state.vars[cell] = value
        return found

    def _extend(self, state: State, bit: int, said: tuple[Any, ...], found: list[Choice]) -> None:
        parameter = self.parameters[len(said)]
        guards = self.guards_at[len(said) + 1]
        is_last = len(said) + 1 == len(self.parameters)
        variables, cell = state.vars, parameter.cell
        for argument, value in parameter.candidates(state, bit):
            variables[cell] = value
            for _, guard in guards:
                if not guard(state):
                    break
            else:
                if is_last:
                    found.append(Choice(self.index, self.name, (*said, argument)))
                else:
                    self._extend(state, bit, (*said, argument), found)

    def check(self, state: State, player: int, arguments: tuple[Any, ...]) -> tuple[Any, ...] | Refusal:
        """The values that the arguments stand for, or why the choice is refused."""
        saved = [state.vars[c] for c in self.cells]
        try:
            return self._check(state, 1 << player, arguments)
        finally:
            for cell, value in zip(self.cells, saved, strict=True):
                state.vars[cell] = value

    def _check(self, state: State, bit: int, arguments: tuple[Any, ...]) -> tuple[Any, ...] | Refusal:
        values: list[Any] = []
        if len(arguments) != len(self.parameters):
            return Refusal("argument", f"{self.name} takes {len(self.parameters)} arguments", cites=self.declared.cites)
        for level in range(len(self.parameters) + 1):
            for number, guard in self.guards_at[level]:
                if not guard(state):
                    return self.refused_by(number)
            if level < len(self.parameters):
                parameter = self.parameters[level]
                value = parameter.resolve(state, bit, arguments[level])
                if value is None:
                    message = parameter.refused(state, bit, self.name, arguments[level])
                    return Refusal("argument", message, parameter=level, cites=self.declared.cites)
                values.append(value[0])
                state.vars[parameter.cell] = value[0]
        return tuple(values)

    def refused_by(self, number: int) -> Refusal:
        """The refusal for a condition that does not hold."""
        guard = self.declared.guards[number]
        span = guard.span
        text = "" if span is None else " ".join(span.source.text[span.start : span.end].split())
        message = f"{self.name} is possible only when {text}" if text else f"a condition of {self.name} does not hold"
        return Refusal("condition", message, guard=number, cites=guard.cites or self.declared.cites, span=span)
