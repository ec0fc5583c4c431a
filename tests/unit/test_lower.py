"""From rules to the graph: copies of rules, the order of nodes, and what leaving a rule leaves behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dsl import ir, load
from dsl.lower import PLAYED_OUT, successors
from interpreter.machine import Machine
from interpreter.state import State

HEAD = """\
hoyle: 1
game: small
title: Small
players: {players}
cards: {{ranks: [2, 3], suits: [clubs, hearts]}}
zones: {{stock: {{starts: full, seen: nobody, shown: count}}}}
state: {{n: {{type: integer, starts: 0}}, m: {{type: integer, starts: 0}}}}
"""
TAIL = "result: {score: n + m + size of stock, wins: yes, ties: draw}\n"
CLOCK = """\
clock:
  time: 10 seconds
  think: 1 second .. 2 seconds
  events:
    half: {at: 5 seconds, rule: half}
    out: {at: 0 seconds, rule: out}
"""


def game(folder: Path, rules: str, players: str = "3", more: str = "") -> ir.Game:
    path = folder / "small.yaml"
    text = "rules: |\n" + "".join(f"  {line}\n" for line in rules.strip().splitlines())
    path.write_text(HEAD.format(players=players) + more + text + TAIL, encoding="utf-8")
    loaded = load.load(path, "small.yaml")
    assert isinstance(loaded, load.Loaded), loaded
    found = loaded.model()
    assert found is not None, [(d.code, d.message) for d in loaded.reporter.diagnostics]
    return load.game(found)


def value(machine: Machine, state: State, name: str) -> Any:
    return state.vars[machine.layout.vars[name].base]


def choose(machine: Machine, state: State, player: int, text: str, elapsed_ms: int = 0) -> State:
    choice = machine.parse_choice(state, player, text)
    assert choice is not None
    return machine.apply(state, player, choice, elapsed_ms)


def test_nodes_are_numbered_as_they_are_met_and_none_is_left_over(tmp_path: Path) -> None:
    made = game(tmp_path, """
rule game:
  repeat 2 times: step(1)
  if n > 3: m += 1
  else: m += 2
rule step(x: 0..5):
  n += x
""")
    assert made.entry == 0
    reached = {made.entry}
    for at, node in enumerate(made.nodes):
        assert at in reached, "a node comes before every way to it"
        reached.update(successors(node))
        assert all(0 <= following < len(made.nodes) for following in successors(node))


def test_a_rule_is_copied_in_wherever_it_is_followed(tmp_path: Path) -> None:
    made = game(tmp_path, """
rule game:
  step(1)
  step(2)
rule step(x: 0..5):
  n += x
  m += 1
""")
    adding = [n for n in made.nodes if isinstance(n, ir.Assign) and n.variable.name == "n"]
    assert len(adding) == 2 and adding[0].origin.rule == "step" and adding[0].next != adding[1].next
    assert sum(v.local for v in made.state) == 1
    machine = Machine(made)
    assert value(machine, machine.initial(), "n") == 3 and machine.initial().reason == PLAYED_OUT


@pytest.mark.parametrize(("ending", "n", "m", "reason"), [
    ("end inner", 2, 2, PLAYED_OUT), ("end outer", 1, 1, PLAYED_OUT), ("end game", 1, 0, PLAYED_OUT),
    ('end game because "enough"', 1, 0, "enough"),
])  # fmt: skip
def test_ending_a_rule_goes_on_after_it(tmp_path: Path, ending: str, n: int, m: int, reason: str) -> None:
    made = game(tmp_path, f"""
rule game:
  outer
  m += 1
rule outer:
  repeat 2 times:
    inner
  m += 1
rule inner:
  n += 1
  if n > 0: {ending}
  n += 10
""")
    machine = Machine(made)
    state = machine.initial()
    assert (value(machine, state, "n"), value(machine, state, "m"), state.reason) == (n, m, reason)


def test_leaving_a_rule_for_a_reason_says_so(tmp_path: Path) -> None:
    made = game(tmp_path, """
rule game:
  inner
  n += 1
rule inner:
  if m = 0: end inner because "nothing is there"
  m += 1
""")
    assert [node.text for node in made.nodes if isinstance(node, ir.Announce)] == ["nothing is there"]


AT_ONCE = """
rule game:
  repeat 2 times:
    each p chooses at once outer_choice:
      act:
        n += 1
        inner
    m += 1
rule inner:
  each q chooses at once inner_choice:
    wait
    stop:
      n += 10
      end inner
"""


def test_leaving_choices_made_at_once_drops_those_that_still_wait(tmp_path: Path) -> None:
    made = game(tmp_path, AT_ONCE)
    forgets = [node for node in made.nodes if isinstance(node, ir.Forget)]
    assert [f.count for f in forgets] == [1]
    machine = Machine(made)
    state = machine.initial()
    for _ in range(2):
        for player in range(3):
            state = choose(machine, state, player, "act")
        for _ in range(3):  # for each who acts, all say whether to stop: the first one does
            for player in range(3):
                state = choose(machine, state, player, "stop")
    # Six times somebody acted, and each time one of three was the first to stop.
    assert (value(machine, state, "n"), value(machine, state, "m")) == (6 + 60, 2)
    assert state.reason == PLAYED_OUT and state.resume == ()


def test_leaving_the_game_needs_nothing_forgotten(tmp_path: Path) -> None:
    made = game(tmp_path, "rule game:\n  each p chooses at once:\n    act:\n      n += 1\n      m += 1\n      end game")
    assert not [node for node in made.nodes if isinstance(node, ir.Forget)]


def test_the_clock_may_break_into_a_rule_that_its_own_rule_follows(tmp_path: Path) -> None:
    made = game(tmp_path, """
rule game:
  taps(1)
  taps(2)
rule taps(x: 0..50):
  repeat 3 times:
    the player chooses act:
      tap: n += x
  m += 1
rule half:
  taps(10)
rule out:
  end game because "time is up"
""", players="1", more=CLOCK)  # fmt: skip
    machine = Machine(made)
    state = machine.initial()
    for _ in range(4):
        state = choose(machine, state, 0, "tap", 1_200)
    assert value(machine, state, "n") == 1 + 1 + 1 + 2
    state = choose(machine, state, 0, "tap", 1_000)  # the clock strikes first: this tap is not carried out
    for _ in range(3):
        state = choose(machine, state, 0, "tap")
    assert value(machine, state, "n") == 5 + 30
    # Play goes on where it was interrupted, with what that rule was doing untouched.
    state = choose(machine, state, 0, "tap")
    state = choose(machine, state, 0, "tap")
    assert (value(machine, state, "n"), value(machine, state, "m")) == (35 + 4, 3)
    assert state.reason == PLAYED_OUT


def test_a_seat_that_is_empty_at_this_number_of_players_is_a_fault_only_where_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "seats.yaml"
    path.write_text("""\
hoyle: 1
game: seats
title: Seats
players: 2..4
cards: {ranks: [2, 3], suits: [clubs, hearts]}
zones: {stock: {starts: full, seen: nobody}, hand: {each: player, seen: owner}}
rules: |
  rule game:
    shuffle stock
    if players >= 4: deal 1 from stock to hand[seat 4]
    else: deal 1 from stock to hand[seat 1]
result: {score: "size of hand[p]", wins: yes, ties: draw}
""", encoding="utf-8")  # fmt: skip
    loaded = load.load(path, "seats.yaml")
    assert isinstance(loaded, load.Loaded)
    found = loaded.model()
    assert found is not None
    for players, scores in ((2, (1, 0)), (4, (0, 0, 0, 1))):
        machine = Machine(load.game(found, players))
        state = machine.initial()
        state = machine.apply_chance(state, (0, 1, 2, 3))
        assert machine.scores(state) == scores
