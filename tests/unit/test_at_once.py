"""One proof for every number of players: nothing is proved that some position with some number of players denies."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from dsl import model
from dsl.lower import lower
from interpreter.machine import Machine
from tests.properties import corpus
from tests.unit.test_prove_cli import hoyle
from tests.unit.written import model_of
from verify import atonce
from verify.outcome import Verdict
from verify.places import Lookout

GAMES = Path(__file__).parents[2] / "spec" / "games"
GAME = """
hoyle: 1
game: small
title: Small
players: 2..4
cards: {ranks: [7, 8, 9, 10], suits: [hearts, spades]}
combinations:
  order: lowest first
  one: {cards: 1 of rank r}
  two: {cards: 2 of rank r}
zones:
  stock: {starts: full, seen: nobody}
  hand:  {each: player, seen: owner, holds: 2}
  row:   {each: [player, kind], seen: everyone, holds: size of kind}
  pot:   {seen: everyone, holds: 3}
state:
  lost:   {each: player, type: 0..2, starts: 0}
  out:    {each: player, type: yes or no, starts: no}
  turns:  {type: 0..3, starts: 0}
  leader: {type: player or none, starts: none}
  dealer: {type: player}
rules: |
  define is_full(p) = every(kind k has size of row[p, k] = size of k)
  define first_in = first(p where lost[p] < 2, clockwise from seat 1)
  rule game:
    dealer := seat 1
    for each p: turn(p)
  rule turn(p):
    p chooses turn:
      take when size of stock > 0 and size of hand[p] < 2: deal 1 from stock to hand[p]
      lay(c in hand[p], k: kind) when size of row[p, k] < size of k: move c to row[p, k]
      pay(c in hand[p]) when size of pot < 3: move c to pot
      lose when lost[p] < 2:
        lost[p] += 1
        out[p] := lost[p] = 2
        leader := p
        turns := 1
result:
  score: lost[p]
  wins: not out[p] and not is_full(p) and first_in != leader and leader != dealer and turns < 3
  ties: draw
properties:
"""
P, PQ = {"p": "player"}, {"p": "player", "q": "player"}
FULL = "every(p has is_full(p))"
# Each with the number of players up to which it is shown; None is without end.
PROVED: list[tuple[dict[str, object], int | None]] = [
    ({"impossible": FULL, "players": "3..4"}, None),
    ({"impossible": f"{FULL} and size of pot > 2"}, None),
    ({"always": "size of all hand + size of all row + size of stock + size of pot = 8"}, None),
    ({"always": "size of all hand <= 2 * players"}, None),
    ({"always": "size of all hand <= 8"}, None),
    ({"always": "size of all row <= 12"}, None),
    ({"always": "size of all row[p] <= 3", "for": P}, None),
    ({"always": "size of all row[p] <= 8 - size of stock", "for": P}, None),
    ({"always": "size of hand[p] + size of hand[q] <= 4", "for": PQ}, None),
    ({"never": "size of all hand = 7 and every(p has size of hand[p] = 2)"}, None),
    ({"always": "sum(lost[p] for p) >= 2 * players - 2", "when": "count(p where lost[p] < 2) = 1"}, None),
    ({"always": "sum(lost[p] for p) <= 2 * players - 1", "when": "count(p where lost[p] < 2) = 1"}, None),
    ({"always": "sum(lost[p] for p) <= 8"}, 4),
    ({"always": "lost[leader] <= 2", "when": "leader is not none"}, None),
    ({"always": "count(p where out[p]) + count(p where not out[p]) = players"}, None),
    ({"always": "some(q where lost[q] = 2)", "when": "lost[p] = 2", "for": P}, None),
    ({"always": "lost[p] + lost[q] <= sum(lost[r] for r)", "when": "p != q", "for": PQ}, None),
    ({"always": "first_in is not none", "when": "lost[p] = 0", "for": P}, None),
    ({"always": "some(p where p = first_in)", "when": "first_in is not none"}, None),
    ({"always": "count(p where p = leader or p = dealer) <= 2"}, None),
    ({"always": "count(p where p = leader) = 1", "when": "leader is not none"}, None),
    ({"always": "3 * players <= 30"}, 10),
    ({"always": "(if turns > 2 then turns else 0) <= 3"}, None),
    ({"possible": "size of pot = 4", "expect": "fails"}, None),
]
FALSE: list[dict[str, object]] = [
    {"impossible": FULL},
    {"impossible": f"{FULL} and size of pot > 1"},
    {"impossible": FULL, "players": "2"},
    {"always": "size of all hand <= 7"},
    {"always": "size of all row <= 7"},
    {"always": "size of all row[p] <= 2", "for": P},
    {"always": "size of hand[p] + size of hand[q] <= 3", "for": PQ},
    {"never": "size of all hand = 6 and every(p has size of hand[p] = 2)"},
    {"always": "sum(lost[p] for p) >= 2 * players - 1", "when": "count(p where lost[p] < 2) = 1"},
    {"always": "sum(lost[p] for p) <= 2 * players - 2", "when": "count(p where lost[p] < 2) = 1"},
    {"always": "lost[leader] <= 1", "when": "leader is not none"},
    {"always": "count(p where out[p]) = 0"},
    {"always": "lost[p] + lost[q] <= sum(lost[r] for r)", "for": PQ},
    {"always": "some(q where q != p and lost[q] = 2)", "when": "lost[p] = 2", "for": P},
    {"always": "first_in is not none"},
    {"always": "first_in = p", "when": "lost[p] = 0", "for": P},
    {"always": "count(p where p = leader or p = dealer) <= 1"},
    {"always": "leader = dealer", "when": "leader is not none"},
    {"always": "count(p where lost[p] = max(lost[q] for q)) = 1"},
    {"always": "5 * players <= 15"},
    {"possible": "size of pot = 3"},
    {"always": "seat 1 = seat 2 or lost[seat 1] = lost[seat 2]"},
]
VACUOUS = [{"always": "size of pot = 0", "when": "size of pot > 3"}]


def small(folder: Path, claims: list[dict[str, object]]) -> model.Model:
    rows = [f"  claim_{i}: {json.dumps(claim)}\n" for i, claim in enumerate(claims)]
    return model_of(folder, GAME + "".join(rows))


def failing(source: model.Model, number: int, num_players: int, rng: random.Random, positions: int) -> bool:
    """Whether a claim fails of one of some positions made up at random: any that zones and ranges allow."""
    claim = source.properties[number]
    machine = Machine(lower(source, num_players))
    lookout = Lookout(machine, claim, "stops")
    seen: list[bool] = []
    lookout.found = lambda values, case: seen.append(bool(values[0]) is (claim.kind == "always"))
    for _ in range(positions):
        state = machine.blank(recording=False)
        zones: list[list[int]] = [[] for _ in state.zones]
        holds = {"hand": lambda i: 2, "pot": lambda i: 3, "stock": lambda i: 8, "row": lambda i: i[1] + 1}
        cells = machine.layout.zone_cells
        favourite = rng.choice(["hand", "pot", "row", "stock", "row"])
        for card in machine.words.cards.pack:
            free = [c for c, cell in enumerate(cells) if len(zones[c]) < holds[cell.name](cell.indices)]
            best = [c for c in free if cells[c].name == favourite]
            zones[rng.choice(best if best and rng.random() < 0.9 else free)].append(card)
        state.zones = [tuple(z) for z in zones]
        often = rng.randint(0, 2)
        for i, var in enumerate(machine.layout.cell_vars):
            if not var.local:
                domain = machine.words.domain(var.type)
                state.vars[i] = domain[min(often, len(domain) - 1)] if rng.random() < 0.6 else rng.choice(domain)
        lookout.look(state)
    return not all(seen)


def test_what_holds_of_any_number_of_players_is_proved_at_once(tmp_path: Path) -> None:
    source = small(tmp_path, [c for c, _ in PROVED])
    for claim, (written, most) in zip(source.properties, PROVED, strict=True):
        found = atonce.answer(claim, source, 20)
        wanted = Verdict.REFUTED if claim.kind == "possible" else Verdict.PROVED
        assert (found.verdict, found.value and found.value["to"]) == (wanted, most), written


def test_what_is_false_of_some_number_is_not_proved_at_once(tmp_path: Path) -> None:
    source = small(tmp_path, [*FALSE, *VACUOUS])
    for claim in source.properties:
        assert atonce.answer(claim, source, 20).verdict is Verdict.UNKNOWN, claim.name


def test_no_position_denies_what_is_proved_at_once(tmp_path: Path) -> None:
    """With so many players as it is proved for, also more than the game is declared for."""
    source = small(tmp_path, [c for c, _ in PROVED])
    rng = random.Random(5)
    for i, (_, most) in enumerate(PROVED):
        for n in range(source.properties[i].players[0], (most or 7) + 1):
            assert not failing(source, i, n, rng, 40), (PROVED[i], n)


def test_positions_made_up_can_deny(tmp_path: Path) -> None:
    source = small(tmp_path, FALSE)
    rng = random.Random(6)
    numbers = {i: range(source.properties[i].players[0], 7) for i in range(len(FALSE))}
    denied = sum(any(failing(source, i, n, rng, 150) for n in ns) for i, ns in numbers.items())
    assert denied >= len(FALSE) - 2


@pytest.mark.parametrize(
    ("game", "claim", "least", "most"),
    [
        ("poker_challenge", "more_never_do", 3, None),
        ("poker_challenge", "deal_is_possible", 2, 14),
        ("poker_bull", "hands_fit", 5, None),
        ("poker_bull", "one_pack_serves_ten", 5, 10),
        ("poker_bull", "deck_is_enough", 5, 8),
    ],
)
def test_claims_of_the_games_are_proved_at_once(game: str, claim: str, least: int, most: int | None) -> None:
    source = corpus.model_of(GAMES / f"{game}.yaml")
    asked = next(c for c in source.properties if c.name == claim)
    found = atonce.answer(asked, source, 20)
    assert found.verdict is Verdict.PROVED and (found.value["from"], found.value["to"]) == (least, most)


def test_what_is_proved_at_once_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rows = [{"impossible": FULL, "players": "3..4"}, {"always": "3 * players <= 30"}, {"always": "turns <= 2"}]
    small(tmp_path, rows)
    asked = ["prove", str(tmp_path / "small.yaml"), "--no-free", "--budget", "20"]
    lines = [line.strip() for line in hoyle(*asked).stdout.splitlines()]
    assert "at once for any number of players from 3 on: proved (sums)" in lines
    assert "at once for 2 to 10 players, and for no more: proved (sums)" in lines
    assert sum(line.startswith("at once") for line in lines) == 2
    for again in range(2):  # the second time from what is kept
        told = json.loads(hoyle(*asked, "--json").stdout)["results"]
        ends = [(r["at_once"]["verdict"], r["at_once"]["from"], r["at_once"]["to"]) for r in told[:2]]
        assert ends == [("proved", 3, None), ("proved", 2, 10)] and told[2]["at_once"] is None, again
        assert list(told[0]["by_players"]) == ["3", "4"]
    of_three = json.loads(hoyle(*asked, "--players", "3", "--json").stdout)["results"]
    assert all(r["at_once"] is None for r in of_three)
