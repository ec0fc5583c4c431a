"""Claims about a rule for every number of players: what is true of all is proved, what fails with some is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.test_prove_cli import hoyle
from tests.unit.written import model_of
from verify import atonce, checks
from verify.outcome import Answer, Verdict

GAME = """
hoyle: 1
game: ring
title: Ring
players: 2..6
cards: {ranks: [7, 8, 9, 10], suits: [hearts, spades]}
zones:
  stock: {starts: full, seen: nobody}
  hand:  {each: player, seen: owner}
state:
  score:  {each: player, type: integer, starts: 0}
  ready:  {each: player, type: yes or no, starts: no}
  lead:   {type: player}
  chosen: {type: player or none, starts: none}
  rounds: {type: integer, starts: 0}
rules: |
  define ahead = highest(p by score[p] tie none)
  rule game:
    lead := random player
    for each p: ready[p] := no
    chosen := none
    pick(lead)
    pay
    spread
  rule pick(p):
    for each q where q != p, clockwise from left of p:
      q chooses answer:
        join:
          ready[q] := yes
          rounds += 1
        stay
    chosen := p
  rule pay:
    for each q where ready[q]: score[q] -= 1
    if some(q where ready[q]): score[chosen] += 2
  rule spread:
    for each q:
      deal 1 from stock to hand[q]
      score[q] := score[q] + 1
    score[lead] += 5
result: {score: "score[p]", wins: "ahead = p and rounds < 9", ties: shared}
properties:
"""
Q, QR = {"q": "player"}, {"q": "player", "r": "player"}
TRUE: list[dict[str, object]] = [
    {"always": "score[q] = before(score[q])", "when": "q != chosen and not ready[q]", "in": "pay", "for": Q},
    {"always": "score[q] = before(score[q]) - 1", "when": "q != chosen and ready[q]", "in": "pay", "for": Q},
    {"always": "score[chosen] >= before(score[chosen])", "in": "pay"},
    {"always": "every(q where q != chosen has score[q] <= before(score[q]))", "in": "pay"},
    {"always": "score[q] >= before(score[q]) + 1", "in": "spread", "for": Q},
    {"never": "some(q where score[q] <= before(score[q]))", "in": "spread"},
    {"always": "ready[q] = before(ready[q])", "in": "pay", "for": Q},
    {"always": "chosen = lead", "in": "pick"},
    {"always": "players >= 2", "when": "q != r", "in": "pay", "for": QR},
    {"always": "size of hand[q] = before(size of hand[q]) + 1", "in": "spread", "for": Q},
]
# Each fails with some number of players, most of them not with two.
FALSE: list[dict[str, object]] = [
    {"always": "rounds <= before(rounds) + 1", "in": "pick"},
    {"always": "rounds <= before(rounds) + 3", "in": "pick"},
    {"always": "count(p where ready[p]) <= 3", "in": "pay"},
    {"always": "sum(score[p] for p) >= before(sum(score[p] for p)) - 1", "in": "pay"},
    {"always": "score[q] <= before(score[q]) + 1", "in": "spread", "for": Q},
    {"never": "some(q where q != chosen and score[q] < before(score[q]))", "in": "pay"},
    {"never": "before(some(q where score[q] = 0)) and before(some(q where score[q] = 1))", "in": "spread"},
    {"never": "some(q where ready[q]) and some(q where not ready[q] and q != chosen)", "in": "pay"},
    {"always": "ahead is none or score[ahead] > score[chosen] or ahead = chosen or players < 4", "in": "spread"},
    {"always": "max(score[p] for p) = score[chosen]", "in": "pay"},
    {"always": "only(p where ready[p]) is not none", "in": "pay"},
    {"always": "players <= 5", "in": "pay"},
    {"always": "left of left of left of q = q", "in": "pay", "for": Q},
    {"always": "q = chosen or r = chosen or q = r", "in": "pay", "for": QR},
]


def of_all(folder: Path, said: dict[str, object]) -> Answer:
    source = model_of(folder, f"{GAME}  claim: {json.dumps(said)}\n")
    return atonce.answer(source.properties[0], source, 20.0)


@pytest.mark.parametrize("said", TRUE, ids=lambda s: str(s.get("always") or s.get("never")))
def test_what_holds_of_all_is_proved(said: dict[str, object], tmp_path: Path) -> None:
    found = of_all(tmp_path, said)
    assert found.verdict is Verdict.PROVED, found.because
    assert found.value["to"] is None


@pytest.mark.parametrize("said", FALSE, ids=lambda s: str(s.get("always") or s.get("never")))
def test_what_fails_with_some_is_not(said: dict[str, object], tmp_path: Path) -> None:
    assert of_all(tmp_path, said).verdict is not Verdict.PROVED


def test_it_stands_for_each_number_of_players(tmp_path: Path) -> None:
    path = tmp_path / "ring.yaml"
    path.write_text(GAME + '  kept: {always: "score[chosen] >= before(score[chosen])", in: pay}\n')
    found = hoyle("prove", str(path), "--no-free", "--no-cache", "--json")
    (result,) = json.loads(found.stdout)["results"]
    assert result["by_players"] == {str(n): "proved" for n in range(2, 7)}
    assert result["engine"] == "terms, seats"
    assert result["at_once"]["from"] == 2


def test_a_proof_of_every_number_is_no_certificate_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "ring.yaml"
    path.write_text(GAME + '  kept: {always: "score[chosen] >= before(score[chosen])", in: pay}\n')
    engines = []
    for more in ([], ["--certificates", str(tmp_path / "certificates")]):
        (result,) = json.loads(hoyle("prove", str(path), "--no-free", "--json", *more).stdout)["results"]
        assert result["by_players"] == {str(n): "proved" for n in range(2, 7)}
        engines.append(result["engine"])
    assert "seats" in engines[0]
    assert "seats" not in engines[1]


def test_only_what_is_so_of_any_number_is_asked_once(tmp_path: Path) -> None:
    once = {
        check.name
        for check in checks.questions(model_of(tmp_path, GAME + "  kept: {always: rounds >= 0}\n"))
        if check.once
    }
    assert once == {"every_rule_reached", "every_action_taken", "every_reading_reached", "kinds_possible"}
