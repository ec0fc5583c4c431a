"""A game against the clock, for whoever leads people through it."""

from __future__ import annotations


def taps(time: float, first: float, second: float) -> str:
    """Its rules, with so many seconds to play, and left at the two strokes of its clock."""
    return f"""\
hoyle: 1
game: taps
title: Taps
players: 1
cards: {{ranks: [A, K], suits: [hearts, spades]}}
zones: {{stock: {{starts: full, seen: everyone}}}}
state: {{points: {{type: integer, starts: 0}}}}
clock:
  time: {time} seconds
  think: 1 second .. 2 seconds
  events:
    first:    {{at: {first} seconds, rule: hurry}}
    second:   {{at: {second} seconds, rule: hurry_more}}
    time_out: {{at: 0 seconds, rule: time_out}}
rules: |
  rule game:
    shuffle stock
    repeat until points = 1000:
      seat 1 chooses move:
        tap: points += 1
        rest: points -= 1
  rule hurry:
    announce "make haste"
  rule hurry_more:
    announce "make more haste"
  rule time_out:
    end game because "time ran out"
result:
  score: points
  wins: points > 0
"""
