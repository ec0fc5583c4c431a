"""The count abstraction, explored once for all that is asked of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dsl import ir, model
from tests.unit import written
from tests.unit.test_prove_cli import loaded_of
from verify import explorations
from verify.counting import CountMachine
from verify.exclusion import exclude
from verify.explore import explore
from verify.leading_counts import led
from verify.lessons import OURS
from verify.outcome import OUT_OF_TIME
from verify.places import TooMany, looks_back, machine_for
from verify.points import Point
from verify.symmetry import canonical, seats
from verify.tracking import abstractions
from verify.unknown import UNKNOWN

GAMES = Path(__file__).parents[2] / "spec" / "games"


@pytest.mark.parametrize("name", ["poker_challenge", "poke", "poker_bull"])
def test_of_all_turns_of_a_position_one_is_kept(name: str) -> None:
    source = model_of(name)
    num_players = min(source.players[0] + 1, source.players[1])
    machine = machine_for(source.properties[0], source, num_players)
    table = seats(machine, ())
    assert table is not None
    coarse, tracked = abstractions(machine, ())[0]
    counting = CountMachine(machine, tracked, (), coarse)
    pick = canonical(machine)

    def turned(point: Point, by: int) -> Point:
        variables, counts = list(point.vars), list(point.counts)
        table.turn(variables, counts, by, lambda x, by: (x + by) % num_players if isinstance(x, int) else x)
        return point._replace(vars=tuple(variables), counts=tuple(counts))

    found = explore(counting, [counting.start()], None, 800, 20.0)
    moved = 0
    for point in found.points:
        kept = pick(point)
        moved += kept != point
        assert pick(kept) == kept
        assert all(pick(turned(point, by)) == kept for by in range(1, num_players))
        assert kept in [turned(point, by) for by in range(num_players)]
    assert moved


@pytest.mark.slow
@pytest.mark.parametrize(("name", "num_players"), [("poke", 2), ("poker_bull", 5), ("poker_challenge", 3)])
def test_what_all_claims_share_says_what_each_finds_alone(name: str, num_players: int) -> None:
    source = model_of(name)
    compared, _ = alike_alone(source, num_players, 1.5)
    assert compared


SLOTS = """
hoyle: 1
game: slots
title: Slots
players: 2..3
cards: {ranks: [7, 8, 9], suits: [hearts, spades]}
zones:
  stock: {starts: full, seen: nobody}
  hand: {each: player, seen: owner, holds: 2}
  row: {each: 1..3, seen: everyone, holds: 2}
state: {turns: {type: 0..2, starts: 0}, last: {type: player or none, starts: none}}
rules: |
  rule game:
    shuffle stock
    for each p: deal 1 from stock to hand[p]
    repeat until turns = 2:
      for each p: turn(p)
      turns += 1
  rule turn(p):
    last := p
    p chooses turn:
      pass: move hand[p] to stock
      put(r: 1..3) when size of row[r] < 2 and size of stock > 0: deal 1 from stock to row[r]
    if size of hand[p] = 0 and size of stock > 0: deal 1 from stock to hand[p]
result: {score: turns, wins: "yes", ties: draw}
properties:
  few_rows:     {always: "size of (row[1] + row[2] + row[3]) <= 6"}
  wrong_rows:   {always: "size of (row[1] + row[2] + row[3]) <= 2"}
  one_row:      {always: "size of row[1] <= 1"}
  each_row:     {for: {r: 1..3}, always: "size of row[r] <= 2"}
  wrong_each:   {for: {r: 1..3}, always: "size of row[r] <= 1"}
  dealt:        {always: "every(p has size of hand[p] = 1)", in: turn}
  no_hand:      {never: "every(p has size of hand[p] = 0)"}
  wrong_hand:   {never: "some(p where size of hand[p] = 0)"}
  who_is_last:  {never: "last is none", in: turn}
  wrong_last:   {never: "last is none"}
  first_seat:   {always: "size of hand[seat 1] = 1", in: turn}
  ends:         {leads to: ["size of stock < 6", "turns = 2", end], within: 12}
  wrong_end:    {leads to: ["size of stock < 6", "turns = 2", end], within: 2}
  rows_stay:    {leads to: ["size of (row[1] + row[2] + row[3]) > 0", "turns = 2", end]}
  wrong_return: {leads to: ["turns > 0", "turns = 0", end], within: 1}
  own_turn:     {for: {p: player}, leads to: ["last = p", "last != p", end]}
"""


def test_claims_side_by_side_are_proved_only_where_they_are_true(tmp_path: Path) -> None:
    source = written.model_of(tmp_path, SLOTS)
    for num_players in (2, 3):
        proved = {c.name for c in source.properties if shows(c, source, num_players, 5.0)[0]}
        assert not {name for name in proved if name.startswith(("wrong", "one_row"))}, proved
        assert {"few_rows", "each_row", "who_is_last", "ends", "rows_stay"} <= proved, proved
        compared, proofs = alike_alone(source, num_players, 5.0)
        assert compared == len(source.properties) and proofs == len(proved)


def test_what_all_gain_from_is_explored_once_in_time_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    source = model_of("poker_challenge")
    told = list[float]()
    monkeypatch.setattr(OURS, "seconds", 20.0)
    monkeypatch.setattr(OURS, "question", 0.5)
    monkeypatch.setattr(OURS, "tell", told.append)
    claims = {c.name: c for c in source.properties}
    assert exclude(claims["stock_after_deal"], source, 3, lambda v: v is not True, 0.01, at_once=True).holds
    assert told == [pytest.approx(explorations.MOST_TO_SHARE), 0.5]
    assert led(claims["each_hand_ends"], source, 3, 2.0).holds
    assert len(told) == 2


def model_of(name: str) -> model.Model:
    found = loaded_of(GAMES / f"{name}.yaml").model({})
    assert found is not None
    return found


def shows(claim: ir.Property, source: model.Model, num_players: int, seconds: float) -> tuple[bool, object, bool]:
    """Whether counts show a claim, after how many steps, and whether there was time enough to tell."""
    if claim.kind == "leads to":
        way = led(claim, source, num_players, seconds)
        return way.holds, way.steps, not is_short(way.because)
    wants_yes = claim.kind in ("never", "possible", "impossible")
    found = exclude(claim, source, num_players, lambda v: v is UNKNOWN or bool(v) is wants_yes, seconds)
    return found.holds, None, not is_short(found.because)


def is_short(because: str) -> bool:
    return OUT_OF_TIME in because or "were not all" in because


def alike_alone(source: model.Model, num_players: int, seconds: float) -> tuple[int, int]:
    """Compares what is shown of each claim among the others and alone: how many were compared, and were shown."""
    compared = proofs = 0
    for claim in source.properties:
        if not claim.expressions or claim.kind in ("bound", "values", "frequencies") or looks_back(claim):
            continue
        if not claim.players[0] <= num_players <= claim.players[1]:
            continue
        try:
            ours = shows(claim, source, num_players, seconds)
            own = shows(claim, replace(source, properties=(claim,)), num_players, seconds)
        except TooMany:
            continue
        if ours[2] and own[2]:
            assert ours == own, claim.name
            compared += 1
            proofs += ours[0]
    return compared, proofs


def test_no_more_positions_are_kept_than_there_is_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = written.model_of(tmp_path, SLOTS)
    before = {c.name: shows(c, source, 3, 5.0)[0] for c in source.properties}
    monkeypatch.setattr(explorations, "_MOST_KEPT", 30)
    source = written.model_of(tmp_path, SLOTS)
    assert {c.name: shows(c, source, 3, 5.0)[0] for c in source.properties} == before
    game = explorations._games[id(source), 3]
    assert sum(len(kept.explored.points) for kept in game._kept.values()) <= 30
