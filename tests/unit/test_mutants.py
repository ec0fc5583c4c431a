"""Seeded faults: what each operator makes of a small file, and that examples tell the noticed from the unnoticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl.load import Loaded
from verify import mutation_report as report
from verify.mutants import OPERATORS, Mutant, mutants
from verify.mutation import Unfit, Wanted, mutate
from verify.mutation_trial import Fate, Subject, Trial

# Two of everything: one is told of by an example, the other by none.
_RULES = """
  rule {name}(p):
    leader := highest(q by points[q] tie first)
    if points[p] < 5 and size of hand[p] > 0:
      points[p] += 2
      move top of hand[p] to heap
    else if points[p] = 5: leader := left of p
    else:
      is_out[p] := yes
      points[p] := worth[{row}] + 1

  rule {name}_choice(p):
    p chooses {name}_move:
      {name}_lay(cs: 2 to 3 cards from hand[p]) when best(cs) is not none:
        move cs to heap
        points[p] += score of best(cs)
      {name}_pass
"""

TWINS = (
    """\
hoyle: 1
game: twins
title: Twins
players: 3

cards:
  ranks: [7, 8, 9, 10]
  suits: [clubs, hearts, spades]

combinations:
  order: lowest first
  pair:  {cards: 2 of one rank, by: groups then side cards, score: 1}
  three: {cards: 3 of one rank, score: 5}
  run:   {cards: 3 in sequence, by: groups, score: 3}

zones:
  stock: {starts: full, seen: nobody}
  hand:  {each: player, seen: owner, holds: 3}
  heap:  {seen: everyone}

state:
  leader: {type: player, starts: seat 1}
  points: {each: player, type: integer, starts: 0}
  lost:   {each: player, type: integer, starts: 0}
  is_out: {each: player, type: yes or no, starts: no}

tables:
  worth: {for: 1..2, type: integer, rows: {1: 10, 2: 20}}

rules: |
  rule game:
    gather all cards into stock
    shuffle stock
    for each p: deal 3 from stock to hand[p]
    for each p where not is_out[p], clockwise from leader:
      seen(p)
      seen_choice(p)
      unseen(p)
      unseen_choice(p)
    for each p: lost[p] := points[leader] - points[p]
"""
    + _RULES.format(name="seen", row=1)
    + _RULES.format(name="unseen", row=2)
    + """
result:
  score: points[p] - lost[p]
  wins: points[p] = max(points[q] for q)
  ties: draw

examples:
  - title: who has few points lays the top card
    run: seen(seat 1)
    rest: stock
    given: {"points[seat 1]": 4, "points[seat 2]": 9, "points[seat 3]": 9, "hand[seat 1]": [7C, 8C]}
    then: {leader: seat 2, "points[seat 1]": 6, heap: [7C], "hand[seat 1]": [8C], "is_out[seat 1]": no}
  - title: who has five points does not
    run: seen(seat 1)
    rest: stock
    given: {"points[seat 1]": 5, "hand[seat 1]": [7C, 8C]}
    then: {leader: seat 2, "points[seat 1]": 5, "is_out[seat 1]": no}
  - title: nor does who has no card
    run: seen(seat 1)
    rest: stock
    given: {"points[seat 1]": 4}
    then: {leader: seat 1, "points[seat 1]": 11, "is_out[seat 1]": yes}
  - title: a pair may be laid
    at: seen_move
    with: {p: seat 1}
    rest: stock
    given: {"hand[seat 1]": [7C, 7H, 9S], "points[seat 1]": 0}
    allowed: [seen_lay(7C 7H), seen_pass, seen_lay(7C 7H 9S)]
    not allowed: [seen_lay(7C), seen_lay(7C 9S)]
  - title: it scores
    run: seen_choice(seat 1)
    rest: stock
    given: {"hand[seat 1]": [7C, 7H, 9S], "points[seat 1]": 0}
    play: [seen_lay(7C 7H)]
    then: {"points[seat 1]": 1, heap: [7C, 7H]}
  - title: of two pairs the higher rank counts
    rest: stock
    given: {"hand[seat 1]": [8C, 8H, 7C], "hand[seat 2]": [7H, 7S, 10C]}
    value: best(hand[seat 1]) > best(hand[seat 2])
    is: yes
  - title: three of a rank beat a pair
    rest: stock
    given: {"hand[seat 1]": [8C, 8H, 8S], "hand[seat 2]": [9H, 9S, 10C]}
    value: best(hand[seat 1]) > best(hand[seat 2])
    is: yes
  - title: three of a rank score five
    value: score of three
    is: 5
"""
)

_CASES = """\
    if {}:
      points[p] += 2
      move top of hand[p] to heap
    else if {}:"""

# What is done to the file (its line as it was, its line afterwards), noticed and not.
SHOWN = {
    "bound": (("_lay(cs: 2 to 3 cards", "_lay(cs: 2 to 2 cards"),) * 2,
    "comparison": (("points[p] < 5", "points[p] <= 5"), ("points[p] < 5", "points[p] <= 5")),
    "condition": (("if points[p] < 5 and size of hand[p] > 0:", "if points[p] < 5:"),) * 2,
    "guard": ((" when best(cs) is not none:", ":"),) * 2,
    "effect": (("      move top of hand[p] to heap\n", ""),) * 2,
    "amount": (("points[p] += 2", "points[p] -= 2"),) * 2,
    "number": (("points[p] += 2", "points[p] += 3"),) * 2,
    "seat": (("leader := left of p", "leader := right of p"),) * 2,
    "zone": (("move top of hand[p] to heap", "move top of hand[p] to stock"),) * 2,
    "state": (("points[p] += 2", "lost[p] += 2"),) * 2,
    "score": (("rows: {1: 10, 2: 20}", "rows: {1: 11, 2: 20}"), ("rows: {1: 10, 2: 20}", "rows: {1: 10, 2: 21}")),
    "combination": (("pair:  {cards: 2 of one rank", "pair:  {cards: 1 of one rank"),
                    ("run:   {cards: 3 in sequence", "run:   {cards: 4 in sequence")),
    "tie": (("by: groups then side cards", "by: side cards then groups"),
            ("by: groups, score: 3", "by: cards, score: 3")),
    "opposite": (("leader := highest(", "leader := lowest("),) * 2,
    "yes_no": (("is_out[p] := yes", "is_out[p] := no"),) * 2,
    "order": ((_CASES.format("points[p] < 5 and size of hand[p] > 0", "points[p] = 5"),
               _CASES.format("points[p] = 5", "points[p] < 5 and size of hand[p] > 0")),) * 2,
}  # fmt: skip


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    path = tmp_path_factory.mktemp("twins") / "twins.yaml"
    path.write_text(TWINS, encoding="utf-8")
    return Subject(path, "twins.yaml", path.parent)


@pytest.fixture(scope="module")
def made(subject: Subject) -> tuple[Mutant, ...]:
    return _made(subject)


def _made(subject: Subject) -> tuple[Mutant, ...]:
    loaded = subject.load()
    assert isinstance(loaded, Loaded)
    model = loaded.model()
    assert model is not None
    return mutants(loaded, model)


@pytest.fixture(scope="module")
def trial(subject: Subject) -> Trial:
    return Trial(subject)


def _shown(operator: str, is_noticed: bool, made: tuple[Mutant, ...]) -> Mutant:
    """The mutant of an operator that changes one of the twins in the way shown."""
    old, new = SHOWN[operator][0 if is_noticed else 1]
    unseen = TWINS.find(old, TWINS.index("rule unseen(p)"))
    at = TWINS.index(old) if is_noticed or unseen == -1 else unseen
    whole = TWINS[:at] + new + TWINS[at + len(old) :]
    found = [m for m in made if m.text == whole]
    assert len(found) == 1, f"no mutant makes `{new}` of `{old}`"
    assert found[0].operator == operator
    return found[0]


def test_every_operator_is_shown() -> None:
    assert list(SHOWN) == list(OPERATORS)


@pytest.mark.parametrize("operator", SHOWN)
def test_a_fault_is_noticed_where_an_example_tells_of_it(operator: str, made: tuple[Mutant, ...], trial: Trial) -> None:
    assert trial.tried(_shown(operator, True, made).text).fate is Fate.EXAMPLES


@pytest.mark.parametrize("operator", SHOWN)
def test_a_fault_is_left_where_no_example_tells_of_it(operator: str, made: tuple[Mutant, ...], trial: Trial) -> None:
    assert trial.tried(_shown(operator, False, made).text).fate is Fate.SURVIVED


def test_what_check_finds_counts_as_types_and_a_fault_in_play_as_free(made: tuple[Mutant, ...], trial: Trial) -> None:
    def of(line: str, words: str) -> Mutant:
        number = TWINS[: TWINS.index(line)].count("\n") + 1
        return next(m for m in made if m.line == number and m.words == words)

    wrong = trial.tried(of("worth: {for", "`2` becomes `3`").text)
    assert (wrong.fate, wrong.because) == (Fate.TYPES, "L505: table `worth` has no row for 3")
    fault = trial.tried(of("for each p: deal", "`stock` becomes `heap`").text)
    assert (fault.fate, fault.because) == (Fate.FREE, "random play: heap has too few cards to deal from")


def test_a_mutant_can_be_read(subject: Subject, made: tuple[Mutant, ...]) -> None:
    """An operator makes what an author might have typed: rules that are wrong perhaps, but text of the language."""
    for mutant in made[::4]:
        loaded = subject.load(mutant.text)
        found = loaded.reporter if isinstance(loaded, Loaded) else loaded
        codes = {d.code for d in found.diagnostics}
        assert not any(code[:2] in ("R1", "S2") for code in codes), (mutant.words, codes)


def test_mutants_are_all_different_and_in_order(made: tuple[Mutant, ...]) -> None:
    texts = [m.text for m in made]
    assert len(set(texts)) == len(texts) and TWINS not in texts
    assert [m.span.start for m in made] == sorted(m.span.start for m in made)


def test_a_rule_that_comes_to_the_same_is_told_apart(trial: Trial) -> None:
    same = TWINS.replace("{name: 1}", "").replace("if points[p] < 5 and size", "if (points[p] < 5) and size")
    assert trial.tried(same).fate is Fate.EQUIVALENT


def test_nobody_is_asked_of_a_second_seat(tmp_path: Path) -> None:
    """Of two players, left and right are the same one; alone, so is everybody."""
    path = tmp_path / "twins.yaml"
    path.write_text(TWINS.replace("players: 3", "players: 2"), encoding="utf-8")
    words = {m.words for m in _made(Subject(path, "twins.yaml", tmp_path))}
    assert "`left` becomes `right`" not in words and "`left of p` becomes `p`" in words


def test_a_sample_is_the_same_for_the_same_seed(made: tuple[Mutant, ...]) -> None:
    one = Wanted(sample=20, seed="a").of(made)
    assert one == Wanted(sample=20, seed="a").of(made) and len(one) == 20
    assert one != Wanted(sample=20, seed="b").of(made)
    assert [m.span.start for m in one] == sorted(m.span.start for m in one)
    assert {m.operator for m in Wanted(("tie", "zone")).of(made)} == {"tie", "zone"}


@pytest.mark.slow
def test_the_same_comes_out_side_by_side(subject: Subject) -> None:
    wanted = Wanted(("yes_no", "zone"))
    alone, together = (mutate(subject, wanted, jobs=jobs, asks=False) for jobs in (1, 2))
    assert report.to_json("twins", alone) == report.to_json("twins", together)


_CLAIM = """\
properties:
  out_it_is: {in: unseen, for: {q: player}, when: "before(points[q]) > 5 and points[q] = 21", always: "is_out[q]"}
"""


def test_the_prover_notices_what_no_example_does(tmp_path: Path) -> None:
    path = tmp_path / "twins.yaml"
    path.write_text(TWINS.replace("examples:", f"{_CLAIM}\n\nexamples:", 1), encoding="utf-8")
    found = mutate(Subject(path, "twins.yaml", tmp_path), Wanted(("yes_no",)), budget=60, jobs=1)
    assert [t.finding.fate for t in found] == [Fate.EXAMPLES, Fate.EXAMPLES, Fate.CLAIMS]
    assert found[2].finding.because == "out_it_is: refuted with 3 players, expected proved"


def test_a_file_that_fails_its_own_examples_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twins.yaml"
    path.write_text(TWINS.replace("is: 5", "is: 6"), encoding="utf-8")
    with pytest.raises(Unfit, match="an example of twins fails"):
        mutate(Subject(path, "twins.yaml", tmp_path), Wanted(), jobs=1, asks=False)
