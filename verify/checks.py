"""The free checks: what any author of rules must know, asked without a line written.

`docs/checks.md` says of each what it proves, how, and what it cannot see.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from dsl import model
from dsl.load import Loaded
from interpreter.values import Fault
from verify.checks_ends import game_ends, hands_end
from verify.checks_obligations import CAPACITY, NEXT, RANGE, SHORT, VALUE, obligation
from verify.checks_positions import cards_conserved, deal_possible, no_dead_end
from verify.checks_reached import every_action_taken, every_reading_reached, every_rule_reached
from verify.checks_results import somebody_wins, zero_sum
from verify.checks_seen import hidden_information
from verify.checks_shared import Shared
from verify.checks_tables import (
    comparison_is_preorder,
    kinds_possible,
    ladder_is_strict,
    table_has_no_gap,
    tables_are_whole,
)
from verify.outcome import Answer, Verdict

_PROVED = frozenset({Verdict.PROVED, Verdict.VACUOUS})
_SEEN = frozenset({Verdict.WITNESSED, Verdict.PROVED, Verdict.VACUOUS})
_KEPT = 3


@dataclass(frozen=True, slots=True)
class FreeCheck:
    """One question about a game. `answer` takes a number of players and the seconds that it may take.

    `once`: what one number of players shows is so, whatever the number.
    """

    name: str
    statement: str
    expected: frozenset[Verdict]
    answer: Callable[[int, float], Answer]
    once: bool = False


_Ask = Callable[[Shared, int, float], Answer]


def _keeps(sort: str) -> _Ask:
    return lambda shared, n, seconds: obligation(shared, sort, n, seconds)


_CHECKS: tuple[tuple[str, str, frozenset[Verdict], _Ask], ...] = (
    ("cards_conserved", "no card is ever lost or doubled", _PROVED, cards_conserved),
    ("zones_within_capacity", "no zone ever holds more than it can", _PROVED, _keeps(CAPACITY)),
    ("ranges_kept", "every number stays in its declared range", _PROVED, _keeps(RANGE)),
    ("no_short_deal", "no pile is too small for what is dealt from it", _PROVED, _keeps(SHORT)),
    ("values_defined", "a value is there wherever the rules need one", _PROVED, _keeps(VALUE)),
    ("next_player_defined", "a player is there wherever the rules need one", _PROVED, _keeps(NEXT)),
    ("no_dead_end", "whoever is to choose has something to choose", _PROVED, no_dead_end),
    ("deal_possible", "the cards suffice for the first deal", _SEEN, deal_possible),
    ("hands_end", "each hand comes to an end", _PROVED, hands_end),
    ("game_ends", "the game comes to an end", _PROVED, game_ends),
    ("every_rule_reached", "each rule is followed in some play", _SEEN, every_rule_reached),
    ("every_action_taken", "each action is chosen in some play", _SEEN, every_action_taken),
    ("every_reading_reached", "each reading makes a difference in some play", _SEEN, every_reading_reached),
    ("kinds_possible", "each combination can occur, and is the best of some hand", _PROVED, kinds_possible),
    ("table_has_no_gap", "each hand is some combination, or it is known which is none", _SEEN, table_has_no_gap),
    (
        "comparison_is_preorder",
        "combinations can always be compared, without a circle",
        _PROVED,
        comparison_is_preorder,
    ),
    ("ladder_is_strict", "calls go up in clear steps, and each can be answered", _PROVED, ladder_is_strict),
    ("tables_are_whole", "each table has one row for each value", _PROVED, tables_are_whole),
    ("hidden_information", "what a player may do is what that player sees to be allowed", _PROVED, hidden_information),
    ("zero_sum", "what some win the others lose", _PROVED, zero_sum),
    ("somebody_wins", "each end has a winner, or a draw", _PROVED, somebody_wins),
)

# About the pack only, or about what some play comes to.
_ONCE = frozenset({"every_rule_reached", "every_action_taken", "every_reading_reached", "kinds_possible"})

_shared: list[Shared] = []


def questions(source: model.Model, loaded: Loaded | None = None) -> tuple[FreeCheck, ...]:
    """Every free check of a model. `loaded` is the file it comes from, to ask for its other readings.

    What is found out for one check is kept for the others, also by the next call with the same model.
    """
    shared = shared_of(source, loaded)
    return tuple(
        FreeCheck(name, statement, expected, partial(_answer, ask, shared), name in _ONCE)
        for name, statement, expected, ask in _CHECKS
    )


def shared_of(source: model.Model, loaded: Loaded | None = None) -> Shared:
    """What was found out of a model so far."""
    shared = next((s for s in _shared if s.source is source), None)
    if shared is None:
        shared = Shared(source, loaded)
        _shared.append(shared)
        del _shared[:-_KEPT]
    return shared


def _answer(ask: _Ask, shared: Shared, num_players: int, seconds: float) -> Answer:
    began = time.monotonic()
    try:
        found = ask(shared, num_players, seconds)
    except Fault as fault:
        found = Answer(Verdict.UNKNOWN, "none", because=f"the rules fail: {fault.message}")
    return replace(found, seconds=time.monotonic() - began)
