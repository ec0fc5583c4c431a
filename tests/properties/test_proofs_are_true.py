"""No play contradicts what was proved of generated rules; a proof of something false is the worst that can happen."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from dsl import ir, model
from interpreter.machine import Machine
from interpreter.values import Fault
from tests.properties.beside import move_on
from tests.properties.handing import asking, handing_rules, handing_text
from tests.properties.test_semantics import RELAXED, read
from verify.exclusion import exclude
from verify.learned import by_induction
from verify.outcome import Verdict
from verify.places import Lookout, TooMany, looks_at, machine_for
from verify.steps import anywhere, by_terms

PLAYERS = 2
FEW, MANY = 2, 60  # plays before a claim is tried, and those that shall contradict it

VALUES = (
    "size of pile", "size of stock", "size of hand[seat 1]", "size of slot[who, 1]", "size of all hand",
    "size of shelf[1]",
    "size of (pile + stock)", "n", "total", "mark[seat 1]", "mark[who]", "score_of[seat 2]", "tally[pair, 1]",
    "count(p where owner[p] is not none)", "count(z in pile)", "size of all slot",
)  # fmt: skip
OF_EACH = (
    "mark[p]", "score_of[p]", "size of hand[p]", "(if owner[p] is none then 1 else 0)", "size of slot[p, 1]",
    "tally[pair, 1] + mark[p]", "count(z in hand[p])", "(if owner[p] = p then 2 else size of pile)",
)  # fmt: skip
TRUTHS = ("flag", "other is none", "who = seat 2", "owner[seat 1] is none", "cd is none", "some(z in pile)")


@st.composite
def sentences(draw: st.DrawFn) -> list[str]:
    """Claims: what is compared with a number, with another value or, at the end of a rule, with what it was before."""
    out = []
    for _ in range(10):
        value, number = draw(st.sampled_from(VALUES)), draw(st.integers(0, 6))
        sign = draw(st.sampled_from(("<=", ">=", "!=", "<", ">")))
        was = f"before({draw(st.sampled_from((value, value, draw(st.sampled_from(VALUES)))))})"
        other = draw(st.sampled_from((str(number), str(number), draw(st.sampled_from(VALUES)), was)))
        text = f"{value} {sign} {other}"
        if draw(st.integers(0, 4)) == 0:
            value, of_all = draw(st.sampled_from(OF_EACH)), draw(st.sampled_from(("every", "some")))
            text = f"{of_all}(p has {value} {sign} before({value}))".replace("some(p has", "some(p where")
        if draw(st.integers(0, 2)) == 0 and "before" not in text:
            text = f"{text} or {draw(st.sampled_from(('', 'not ')))}({draw(st.sampled_from(TRUTHS))})"
        out.append(text)
    return out


def claims(texts: Iterable[str]) -> str:
    """The claims, each at all stops or where a turn ends."""
    told = asking([]).rstrip("\n")
    for i, text in enumerate(texts):
        where = ", in: turn" if "before" in text or i % 2 else ""
        told += f'\n  claim{i}: {{always: "{text}"{where}}}'
    return told + "\n"


class Watch:
    """Whether a claim has failed in some play."""

    def __init__(self, claim: ir.Property, source: model.Model) -> None:
        self.claim, self.where = claim, looks_at(claim, source)
        self.machine = machine_for(claim, source, PLAYERS)
        self.lookout = Lookout(self.machine, claim, self.where)
        self.lookout.found = self._found
        self.failed = False

    def _found(self, values: tuple[object, ...], _: tuple[object, ...]) -> None:
        self.failed = self.failed or not values[0]

    def play(self, seed: str, number: int) -> bool:
        """Plays so many times, or until the claim fails; tells whether it did."""
        self.lookout.attend()
        for i in range(number):
            rng = random.Random(f"{seed}/{i}")
            try:
                state = self.machine.initial(recording=False)
                for _ in range(80):
                    self.lookout.stop(state)
                    if self.failed or self.machine.is_terminal(state):
                        break
                    state, _ = move_on(self.machine, state, rng)
            except Fault:
                pass
            if self.failed:
                break
        return self.failed


def proofs(claim: ir.Property, source: model.Model, machine: Machine, where: str, seconds: float) -> Iterable[str]:
    """The engines that prove the claim."""
    found = anywhere(claim, machine, seconds) if "before" not in str(claim.expressions) else None
    if found is not None and found.verdict is Verdict.PROVED:
        yield "anywhere"
    if by_induction(claim, source, PLAYERS, seconds).verdict is Verdict.PROVED:
        yield "induction"
    if where == "rule" and by_terms(claim, source, PLAYERS, seconds).verdict is Verdict.PROVED:
        yield "terms"
    if exclude(claim, source, PLAYERS, lambda v: v is not True, seconds).holds:
        yield "counts"


def check_rules(rules: str, texts: list[str], seed: int, told: Counter[str], plays: int = MANY) -> None:
    source, _ = read(handing_text(rules, PLAYERS, claims(texts)))
    if source is None:
        return
    for claim in source.properties:
        try:
            watch = Watch(claim, source)
        except TooMany:
            continue
        if watch.play(f"{seed}/few", FEW):
            told["false at once"] += 1
            continue
        by = list(proofs(claim, source, machine_for(claim, source, PLAYERS), watch.where, 4.0))
        told.update(by)
        told["tried"] += 1
        if by:
            assert not watch.play(f"{seed}/many", plays), f"{claim.name} is proved by {by}, and false: {texts}"


@settings(RELAXED, max_examples=1, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(rules=handing_rules(PLAYERS), texts=sentences(), seed=st.integers(0, 10**6))
def test_no_play_contradicts_a_few_proofs(rules: str, texts: list[str], seed: int) -> None:
    check_rules(rules, texts[:4], seed, Counter(), 20)


@pytest.mark.slow
def test_no_play_contradicts_what_is_proved() -> None:
    told = Counter[str]()

    # What fails is shown as it is: to look for something smaller would take hours.
    @settings(RELAXED, max_examples=4, phases=[Phase.explicit, Phase.reuse, Phase.generate])
    @given(rules=handing_rules(PLAYERS), texts=sentences(), seed=st.integers(0, 10**6))
    def each(rules: str, texts: list[str], seed: int) -> None:
        check_rules(rules, texts, seed, told)

    each()
    assert told["induction"] and told["counts"], told
