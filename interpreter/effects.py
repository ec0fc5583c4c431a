"""What computation nodes do: each becomes, once, a function that changes a state and tells the next node."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

from dsl import ir
from interpreter import history
from interpreter.evaluate import Compiler
from interpreter.moves import Mover
from interpreter.state import Evaluator, State
from interpreter.values import UNSET, Fault, as_cards, show_number

Step: TypeAlias = Callable[[State], int]
STOP = -1
"""What a step tells where the game waits for chance or for a player, or is over."""


class Effects:
    """Makes the steps of one game.

    `watch` is told of marked rules as they begin and end. `played` are the masks of the choice that is being carried
    out, by card: who saw the card played.
    """

    def __init__(self, compiler: Compiler, mover: Mover) -> None:
        self.compiler, self.mover, self.layout = compiler, mover, compiler.layout
        self.played: dict[int, dict[int, int]] = {}
        self.watch: Callable[[State, ir.Mark], None] | None = None

    def step(self, node: ir.Node) -> Step | None:
        """The step of a computation node; None for a node that is not one."""
        match node:
            case ir.Assign():
                return self._assign(node)
            case ir.Branch(condition, yes, no):
                test = self.compiler.compile(condition)
                return lambda s: yes if test(s) else no
            case ir.Deal():
                return self._deal(node)
            case ir.Move():
                return self._move(node)
            case ir.Gather():
                return self._gather(node)
            case ir.Reveal():
                return self._reveal(node)
            case ir.Announce():
                return self._announce(node)
            case ir.Mark():
                return self._mark(node)
            case ir.Forget():
                return self._forget(node)
            case ir.Finish():
                return self._finish(node)
            case _:
                return None

    def zone(self, expr: ir.ZoneExpr) -> Evaluator:
        """The function that tells the place of a zone."""
        return self.compiler.place(self.layout.zones[expr.zone], expr.indices)

    def variable(self, expr: ir.Var) -> Callable[[State, Any], int]:
        """The function that gives a variable a value, within its range, and tells the variable's place."""
        place = self.compiler.place(self.layout.vars[expr.name], expr.indices)
        declared = self.layout.declared_vars[expr.name]
        type_ = declared.type.of if isinstance(declared.type, ir.OptionalType) else declared.type
        if not isinstance(type_, ir.IntType):

            def put(state: State, value: Any) -> int:
                cell = int(place(state))
                state.vars[cell] = value
                return cell

            return put
        low, high = type_.low, type_.high
        optional, names, public = type_ is not declared.type, self.layout.var_names, declared.seen == "everyone"

        def put_number(state: State, value: Any) -> int:
            cell = int(place(state))
            if value is None:
                if not optional:
                    raise Fault(f"{names[cell]} would become none")
            else:
                if isinstance(value, Fraction):
                    if value.denominator != 1:
                        raise Fault(f"{names[cell]} would not be whole" + (f": {value}" if public else ""))
                    value = value.numerator
                if (low is not None and value < low) or (high is not None and value > high):
                    shown = f"become {show_number(value)}, which is not in" if public else "leave"
                    raise Fault(f"{names[cell]} would {shown} {_bound(low)}..{_bound(high)}")
            state.vars[cell] = value
            return cell

        return put_number

    def seen_mask(self, cell: int) -> int:
        """Who sees a variable."""
        seen, indices = self.layout.cell_vars[cell].seen, self.layout.var_cells[cell].indices
        return self.layout.everyone if seen == "everyone" else 1 << indices[0] if seen == "owner" and indices else 0

    def card_masks(self, state: State, cell: int, value: Any) -> dict[int, int]:
        """Who knows each of the cards that a variable holds."""
        type_ = self.layout.cell_vars[cell].type
        type_ = type_.of if isinstance(type_, ir.OptionalType) else type_
        if isinstance(type_, ir.CardType | ir.CardsType) and value is not None and value is not UNSET:
            return {c: state.known[c] for c in as_cards(value)}
        return {}

    def tell_uncovered(self, state: State) -> None:
        """Adds to what happened that tops of piles have become visible."""
        if self.mover.uncovered:
            for card, zone in self.mover.uncovered if state.recording else ():
                origin = ir.Origin(None, "", self.layout.cell_zones[zone].cites)
                history.record(state, history.Uncovered(origin, card, zone))
            self.mover.uncovered.clear()

    # ---------------------------------------------------------------------------------------- the nodes

    def _assign(self, node: ir.Assign) -> Step:
        put, value, following = self.variable(node.variable), self.compiler.compile(node.value), node.next
        if self.layout.declared_vars[node.variable.name].local:

            def assign_local(s: State) -> int:
                put(s, value(s))
                return following

            return assign_local
        place = self.compiler.place(self.layout.vars[node.variable.name], node.variable.indices)

        def assign(s: State) -> int:
            new = value(s)
            if not s.recording:
                put(s, new)
                return following
            old = s.vars[place(s)]
            cell = put(s, new)
            if old is UNSET or old != new:
                masks = self.card_masks(s, cell, new)
                history.record(s, history.Assigned(node.origin, cell, old, new, self.seen_mask(cell), masks))
            return following

        return assign

    def _deal(self, node: ir.Deal) -> Step:
        count, source, target = self.compiler.compile(node.count), self.zone(node.source), self.zone(node.target)
        names, mover = self.layout.zone_names, self.mover

        def deal(s: State) -> int:
            number, start, end = count(s), source(s), target(s)
            pile = s.zones[start]
            if number > len(pile):
                if not node.up_to:
                    raise Fault(f"{names[start]} has too few cards to deal from")
                number = len(pile)
            if number < 0:
                raise Fault("a negative number of cards to deal")
            if number and start != end:
                cards = pile[: -number - 1 : -1]
                masks = mover.put(s, cards, end, positional=True)
                if s.recording:
                    sources = (start,) * len(cards)
                    history.record(s, history.Moved(node.origin, "deal", cards, sources, end, masks))
                self.tell_uncovered(s)
            return node.next

        return deal

    def _move(self, node: ir.Move) -> Step:
        named, target, positional = self.compiler.compile(node.cards), self.zone(node.target), is_positional(node.cards)
        mover = self.mover

        def move(s: State) -> int:
            cards = as_cards(named(s))
            if len(cards) > 1:
                cards = tuple(dict.fromkeys(cards))
            if cards:
                sources = tuple([s.where[c] for c in cards]) if s.recording else ()
                end = target(s)
                masks = mover.put(s, cards, end, positional)
                if s.recording:
                    self._note_played(s, cards)
                    history.record(s, history.Moved(node.origin, "move", cards, sources, end, masks))
                self.tell_uncovered(s)
            return node.next

        return move

    def _gather(self, node: ir.Gather) -> Step:
        target, mover = self.zone(node.target), self.mover
        named = None if node.cards is None else self.compiler.compile(node.cards)
        positional = node.cards is None or is_positional(node.cards)

        def gather(s: State) -> int:
            end = target(s)
            self.played.clear()
            if named is None:
                cards, sources, masks = mover.gather(s, end)
            else:
                cards = tuple(c for c in dict.fromkeys(as_cards(named(s))) if s.where[c] != end)
                sources = tuple([s.where[c] for c in cards])
                masks = mover.put(s, cards, end, positional) if cards else ()
            if s.recording:
                history.record(s, history.Moved(node.origin, "gather", cards, sources, end, masks))
            self.tell_uncovered(s)
            return node.next

        return gather

    def _reveal(self, node: ir.Reveal) -> Step:
        named, to = self.compiler.compile(node.cards), None if node.to is None else self.compiler.compile(node.to)

        def reveal(s: State) -> int:
            cards, player = as_cards(named(s)), None if to is None else to(s)
            masks = self.mover.show(s, cards, self.layout.everyone if player is None else 1 << player)
            if s.recording:
                self._note_played(s, cards)
                sources = tuple([s.where[c] for c in cards])
                history.record(s, history.Revealed(node.origin, cards, sources, player, masks))
            return node.next

        return reveal

    def _announce(self, node: ir.Announce) -> Step:
        entry = history.Announced(node.origin, node.text)

        def announce(s: State) -> int:
            if s.recording:
                history.record(s, entry)
            return node.next

        return announce

    def _forget(self, node: ir.Forget) -> Step:
        def forget(s: State) -> int:
            s.resume = s.resume[: -node.count]
            return node.next

        return forget

    def _mark(self, node: ir.Mark) -> Step:
        def mark(s: State) -> int:
            if self.watch is not None:
                self.watch(s, node)
            return node.next

        return mark

    def _finish(self, node: ir.Finish) -> Step:
        entry = history.Ended(node.origin, node.reason)

        def finish(s: State) -> int:
            if s.reason is None:
                s.reason = node.reason
                if s.recording:
                    history.record(s, entry)
            return STOP

        return finish

    def _note_played(self, state: State, cards: tuple[int, ...]) -> None:
        """The card of a choice is seen as it is when the choice first moves or shows it, and not later."""
        if self.played:
            for card in cards:
                masks = self.played.pop(card, None)
                if masks is not None:
                    masks[card] |= state.known[card]


def is_positional(expr: ir.Expr) -> bool:
    """Whether it can be seen from outside which cards are meant: a whole zone, a whole family or a top card."""
    match expr:
        case ir.ZoneExpr() | ir.AllOfZone():
            return True
        case ir.UnaryExpr(ir.Unary.TOP_OF | ir.Unary.UNWRAP, operand):
            return is_positional(operand)
        case ir.BinaryExpr(ir.Binary.ADD, left, right):
            return is_positional(left) and is_positional(right)
        case _:
            return False


def _bound(number: int | None) -> str:
    return "" if number is None else str(number)
