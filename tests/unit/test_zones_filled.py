"""Whoever is in a draw has a card whose face may be asked for: shown where it is so, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl import ir
from dsl.walk import parts
from tests.unit.written import model_of
from verify.checks_shared import AtPlayers

GAME = """
hoyle: 1
game: draw
title: Draw
players: 2..4
cards: {{ranks: [7, 8, 9, 10], suits: [clubs, hearts, spades]}}
zones:
  stock: {{starts: full, seen: nobody}}
  lot: {{each: player, seen: everyone}}
state:
  chosen: {{type: player or none, starts: none}}
  lead: {{type: player}}
  drawing: {{each: player, type: yes or no, starts: no}}
  idle: {{each: player, type: yes or no, starts: no}}
  draws: {{type: 0..3, starts: 0}}
{clock}
rules: |
  rule game:
    for each p: drawing[p] := yes
    lead := left of seat 1
    idle[lead] := idle[seat 1]
    if lead != seat 1: draws := 0
    repeat until only(p where drawing[p]) is not none or draws = 3:
      draws += 1
      gather all cards into stock
      shuffle stock
      {deal}
      {between}
      let high = max(rank of c for c in all lot)
      {ask}
    chosen := only(p where drawing[p])
    {end}
{more}
result: {{score: draws, wins: p = chosen, ties: draw}}
"""
DEAL = "for each p where drawing[p]: deal 1 from stock to lot[p]"
ASK = "for each p where drawing[p]: drawing[p] := rank of top of lot[p] = high"
CLOCK = """clock:
  time: 9 seconds
  think: 1 second .. 5 seconds
  events: {bell: {at: 3 seconds, rule: bell}, out: {at: 0 seconds, rule: out}}"""


@pytest.mark.parametrize(
    ("deal", "between", "ask", "is_shown"),
    [
        (DEAL, "draws := draws", ASK, True),
        ("for each p: deal 1 from stock to lot[p]", "idle[seat 1] := yes", ASK, True),
        ("for each p where drawing[p], clockwise from left of lead: deal 2 from stock to lot[p]", "", ASK, True),
        (DEAL, "for each p where idle[p]: drawing[p] := no", ASK, True),
        (DEAL, "if drawing[seat 1]: drawing[seat 1] := no", ASK, True),
        # Somebody else joins the draw, or a card is gone.
        (DEAL, "drawing[seat 1] := yes", ASK, False),
        (DEAL, "for each p where not drawing[p]: drawing[p] := yes", ASK, False),
        (DEAL, "for each p where idle[p]: drawing[p] := idle[p]", ASK, False),
        (DEAL, "move top of lot[lead] to stock", ASK, False),
        (DEAL, "deal up to 1 from lot[lead] to stock", ASK, False),
        (DEAL, "gather all cards into stock", ASK, False),
        # Not everybody in the draw is dealt a card.
        ("for each p where idle[p]: deal 1 from stock to lot[p]", "", ASK, False),
        ("for each p where drawing[p] and p != lead: deal 1 from stock to lot[p]", "", ASK, False),
        ("for each p where drawing[p]: deal up to 1 from stock to lot[p]", "", ASK, False),
        ("for each p where drawing[p]: deal 1 from stock to lot[left of p]", "", ASK, False),
        ("for each p where drawing[p]: deal 1 from stock to lot[lead]", "", ASK, False),
        ("if drawing[lead]: deal 1 from stock to lot[lead]", "", ASK, False),
        # Others are asked than were dealt to.
        (DEAL, "", "for each p where not drawing[p]: drawing[p] := rank of top of lot[p] = high", False),
        (DEAL, "", "for each p where idle[p]: drawing[p] := rank of top of lot[p] = high", False),
        (DEAL, "", "for each p where drawing[p]: drawing[left of p] := rank of top of lot[p] = high", False),
    ],
)
def test_who_is_dealt_a_card_has_one(tmp_path: Path, deal: str, between: str, ask: str, is_shown: bool) -> None:
    assert shown(tmp_path, deal, between, ask) == {is_shown}


def test_what_the_clock_interrupts_is_not_taken_for_granted(tmp_path: Path) -> None:
    ask = """if drawing[lead]:
        lead chooses look:
          look when rank of top of lot[lead] = high: draws := draws
          pass"""
    more = "  rule bell:\n    gather all cards into stock\n  rule out:\n    end game"
    assert shown(tmp_path, DEAL, "", ask, CLOCK, more) == {False}


def shown(folder: Path, deal: str, between: str, ask: str, clock: str = "", more: str = "") -> set[bool]:
    """Whether the top of a zone is shown to be there, wherever it is asked for in the last line."""
    text = GAME.format(deal=deal, between=between or "draws := draws", ask=ask, clock=clock, more=more, end="end game")
    source = model_of(folder, text)
    found: set[bool] = set()
    for num_players in (2, 4):
        at = AtPlayers(source, num_players, "seed")
        for i, node in enumerate(at.game.nodes):
            tops = [p for p in parts(node) if isinstance(p, ir.UnaryExpr) and p.op is ir.Unary.TOP_OF]
            if not isinstance(node, ir.Move):
                found |= {at.filled.is_settled(i, p) for p in tops}
    return found
