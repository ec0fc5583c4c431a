"""Spacer: it finds what plays do not suggest; what it says is never believed, and it is ended when its time is up."""

from __future__ import annotations

import json
import multiprocessing
import time
from pathlib import Path
from typing import Any

import pytest
import z3

from dsl import ir, model, types
from tests.unit.test_induction import check
from tests.unit.written import model_of
from verify import recheck, spacer
from verify.claims import answer
from verify.evidence import certified
from verify.folded import Unsupported
from verify.induction import Induction
from verify.learned import by_induction, learn
from verify.outcome import OUT_OF_TIME, Verdict
from verify.readback import Readback
from verify.solving import UNSAT, Z3
from verify.solving import answer as solved
from verify.spacer import ask, by_spacer
from verify.wanted import Wanted

GAME = """
hoyle: 1
game: small
title: Small
players: 2
cards: {{ranks: [7, 8, 9], suits: [hearts, spades]}}
zones:
  stock: {{starts: full, seen: nobody}}
state:
  near: {{type: integer, starts: 0}}
  far: {{type: integer, starts: 0}}
  lead: {{type: integer, starts: 0}}
  colour: {{type: suit or none, starts: none}}
  done: {{type: yes or no, starts: no}}
rules: |
  rule game:
    shuffle stock
    repeat until done:
      for each p: turn(p)
  rule turn(p):
    p chooses walk:
      {one}
      {other}
      look: lead := far - near
      {more}
      stop: done := yes
result: {{score: near, wins: near > lead, ties: draw}}
properties:
  claim: {{{claim}}}
"""
MARK = "mark: colour := if colour is none then hearts else none"
STEPS = {
    "one": "two:\n        far += 2\n        near += 1", "other": "four: far += 4", "more": MARK,
    "claim": 'never: "far = 7"',
}  # fmt: skip
RACE = {
    "one": "run when far < near + 5: far += 1", "other": "creep when near < far: near += 1", "more": MARK,
    "claim": 'always: "lead <= 5"',
}  # fmt: skip
MARKS = {
    "one": "up when colour is none:\n        colour := hearts\n        far += 3",
    "other": "down when colour is not none:\n        colour := none\n        far -= 3",
    "more": "creep: near += 1",
    "claim": 'never: "far > 3"',
}
TRUE = {"steps": STEPS, "race": RACE, "marks": MARKS}
FALSE = {
    "steps": STEPS | {"other": "five: far += 5"},
    "race": RACE | {"one": "run when far < near + 6: far += 1"},
    "marks": MARKS | {"other": "down when colour is not none:\n        colour := none\n        far -= 2"},
}


def small(tmp_path: Path, written: dict[str, str]) -> tuple[ir.Property, model.Model]:
    source = model_of(tmp_path, GAME.format(**written))
    return source.properties[0], source


def held(claim: ir.Property, source: model.Model) -> Induction:
    induction = learn(source, 2, 60.0, claim).induction
    assert induction is not None
    return induction


@pytest.mark.parametrize("name", TRUE)
def test_it_finds_what_plays_do_not_suggest(tmp_path: Path, name: str) -> None:
    claim, source = small(tmp_path, TRUE[name])
    assert by_induction(claim, source, 2, 60.0).verdict is Verdict.UNKNOWN
    found = by_spacer(claim, source, 2, 30.0)
    assert found.verdict is Verdict.PROVED, found.because
    # From then on it is held like all else.
    assert by_induction(claim, source, 2, 60.0).verdict is Verdict.PROVED
    induction = held(claim, source)
    before = {place: len(sentences) for place, sentences in induction.held.items()}
    induction.stop_at(time.monotonic() + 60.0)
    induction.settle()
    assert before == {place: len(sentences) for place, sentences in induction.held.items()}
    check(induction, 1, 0.3)


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_not_proved(tmp_path: Path, name: str) -> None:
    claim, source = small(tmp_path, FALSE[name])
    assert by_induction(claim, source, 2, 60.0).verdict is Verdict.UNKNOWN
    assert by_spacer(claim, source, 2, 5.0).verdict is Verdict.UNKNOWN


def test_it_is_asked_last(tmp_path: Path) -> None:
    claim, source = small(tmp_path, RACE)
    found = answer(claim, source, 2, 20.0)
    assert (found.verdict, found.engine) == (Verdict.PROVED, "spacer"), found.because


X, Y = z3.Ints("x!0 x!1")
LIES: list[Any] = [False, True, Y == 1, z3.And(X <= 5, Y <= 5, X >= 0, Y >= 0), z3.Not(X == 7)]


@pytest.mark.parametrize("lie", LIES, ids=str)
def test_its_word_proves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lie: Any) -> None:
    claim, source = small(tmp_path, FALSE["race"])
    before = dict(held(claim, source).held)
    term = z3.BoolVal(lie) if isinstance(lie, bool) else lie
    monkeypatch.setattr(spacer, "ask", lambda text, count, seconds: [term] * count)
    assert by_spacer(claim, source, 2, 30.0).verdict is Verdict.UNKNOWN
    assert held(claim, source).held == before


WITHOUT_END = """
(declare-fun stop!0 (Int Int) Bool)
(assert (stop!0 0 0))
(assert (forall ((x Int) (y Int)) (=> (stop!0 x y) (stop!0 (+ x 1) (+ x y)))))
(assert (forall ((x Int) (y Int)) (=> (and (stop!0 x y) (< (+ y 1) x) (> x 9)) false)))
(check-sat)
"""


def test_it_is_ended_when_its_time_is_up() -> None:
    began = time.monotonic()
    with pytest.raises(Unsupported, match="longer"):
        ask(WITHOUT_END, 1, 1.0)
    assert time.monotonic() - began < 5.0
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("text", ["(assert", "", "(declare-fun stop!0 (Int) Bool)\n(assert (stop!0 1))\n"])
def test_what_it_cannot_read_says_nothing(text: str) -> None:
    try:
        said = ask(text, 2, 30.0)
    except Unsupported:
        return
    assert len(said) == 2


def test_a_certificate_of_it_is_checked_like_any_other(tmp_path: Path) -> None:
    claim, source = small(tmp_path, RACE)
    target = tmp_path / "certificates" / "small"
    wanted = Wanted(target, "../../../small.yaml", "the lead")
    held(claim, source)
    assert not all_unsatisfiable(certified(wanted, "claim", claim, source, 2, 60.0))
    assert by_spacer(claim, source, 2, 30.0).verdict is Verdict.PROVED
    assert all_unsatisfiable(certified(wanted, "claim", claim, source, 2, 60.0))


def all_unsatisfiable(folder: Path) -> bool:
    index = json.loads((folder / "index.json").read_text())
    (read,) = (c for c in recheck.read(folder.parent) if c.folder == folder)
    assert read.rests_on == folder.parent / Path(index["rests_on"]["folder"]).name and read.asked
    asked = [*folder.glob("*.smt2"), *read.rests_on.glob("*.smt2")]
    return all(solved(Z3, path.read_text()) == UNSAT for path in asked)


def test_its_terms_are_read_as_what_they_say(tmp_path: Path) -> None:
    claim, source = small(tmp_path, RACE)
    machine = held(claim, source).machine
    cells = {c.name: i for i, c in enumerate(machine.layout.var_cells)}
    columns = {f"x!{i}": (ir.Var(name, (), types.INTEGER), types.INTEGER) for i, name in enumerate(("near", "far"))}
    terms: list[Any] = [
        X + 2 * Y <= 3, z3.Not(X - Y >= 1), z3.Not(X == Y), z3.Implies(X > 1, Y < 1), z3.Xor(X > 1, Y > 1),
        z3.If(X > Y, X, -Y) == 2, z3.Or(X % 3 == 1, Y / 2 == -1), z3.And(X >= 0, z3.Not(z3.Or(Y > 1, X == 1))),
        z3.Distinct(X, Y), z3.BoolVal(False),
    ]  # fmt: skip
    state = machine.blank(recording=False)
    for term in terms:
        read = [machine.compiler.compile(x) for x in Readback(columns, machine).sentences(term)]
        for x in range(-3, 4):
            for y in range(-3, 4):
                state.vars[cells["near"]], state.vars[cells["far"]] = x, y
                meant = z3.simplify(z3.substitute(term, (X, z3.IntVal(x)), (Y, z3.IntVal(y))))
                assert all(f(state) for f in read) == z3.is_true(meant), (term, x, y)


def test_what_the_language_cannot_say_is_left_out(tmp_path: Path) -> None:
    claim, source = small(tmp_path, RACE)
    readback = Readback({"x!0": (ir.Var("near", (), types.INTEGER), types.INTEGER)}, held(claim, source).machine)
    z = z3.Int("z")
    some: list[Any] = [z3.Exists([z], 2 * z == X), z3.Not(z3.Exists([z], 2 * z == X)), X == Y, X % z == 1]
    assert [readback.sentences(x) for x in some] == [[], [], [], []]
    assert len(readback.sentences(z3.And(2 * z == X, X > 1))) == 1


def test_that_its_time_was_short_is_no_wish_for_more(tmp_path: Path) -> None:
    claim, source = small(tmp_path, RACE)
    held(claim, source)
    for seconds in (0.0, 0.02):
        found = by_spacer(claim, source, 2, seconds)
        assert found.verdict is Verdict.UNKNOWN and OUT_OF_TIME not in found.because, found.because
