"""How a property was answered, in words: what it says, where it looks, and what each engine had to work with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from dsl import ir
from dsl.load import Loaded
from dsl.walk import variables_read
from interpreter.trace import Trace
from interpreter.values import plain
from verify import report
from verify.outcome import Answer, Outcome
from verify.places import expressions_of, looks_at, machine_for
from verify.questions import Question, questions
from verify.run import prove
from verify.tracking import levels

_PLACES = {
    "stops": "whenever chance or a player is to decide, and when all is over",
    "decision": "whenever a player stands at the decision `{}`",
    "rule": "each time the rule `{}` comes to its end",
}


def explain(
    loaded: Loaded, name: str, players: int | None, options: dict[str, str], budget: float
) -> tuple[Outcome, list[str]]:
    """The answers to one property, looked for anew, and the lines that tell of them. Raises as `prove` does."""
    (question, *_) = questions(loaded, [name], players, options, free=True)
    (outcome, *_) = prove(loaded, [name], players, options, True, budget)
    return outcome, list(_lines(question, outcome))


def _lines(question: Question, outcome: Outcome) -> Iterator[str]:
    yield f"{question.name} ({question.kind})"
    yield f"  it says:     {question.statement}"
    if question.cites:
        yield f"  clauses:     {', '.join(question.cites)}"
    claim = question.claim
    if claim is not None:
        if claim.rules:
            yield f"  it looks:    where {_either(claim)} begins, and again where both would end"
        else:
            yield f"  it looks:    {_PLACES[looks_at(claim, question.source)].format(claim.scope)}"
        if claim.kind == "leads to":
            yield "  and then:    at every stop from there on, for what is to come"
        if claim.variables:
            yield f"  for each:    {', '.join(n for n, _ in claim.variables)}"
        readings = ", ".join(f"{plain(k)}: {plain(v)}" for k, v in claim.options)
        if readings:
            yield f"  readings:    {readings}"
        if not claim.rules:
            yield from _kept(claim, question)
    yield f"  expected:    {report.expected_text(outcome).replace('|', ' or ').replace('_', ' ')}"
    yield f"  verdict:     {report.verdict_text(outcome)}"
    if outcome.at_once is not None:
        yield f"  {report.at_once_text(outcome)}; {outcome.at_once.because}"
    answers = sorted(outcome.by_players.items())
    for told, members in groupby(answers, key=lambda pair: _told(pair[1])):
        numbers = [n for n, _ in members]
        whom = report.numbers(numbers)
        yield f"  {whom} player{'' if numbers == [1] else 's'}: {told[0]}"
        yield from (f"    {line}" for line in told[1:])
        for answer in (outcome.by_players[n] for n in numbers[:1]):
            if answer.certificate:
                yield from (f"    {line}" for line in answer.certificate.splitlines())


def _told(answer: Answer) -> tuple[str, ...]:
    """How it was answered, and then of each value that it tells of what has it."""
    words = [f"{report.plain_verdict(answer.verdict)} by {answer.engine}"]
    if answer.because:
        words.append(answer.because)
    if answer.value is not None:
        words.append(f"found {report.value_text(answer.value)}")
    if answer.trace is not None:
        words.append(f"shown by {_play(answer.trace)}")
    values = [s.words if s.trace is None else f"{s.words}: {_play(s.trace)}" for s in answer.shown]
    return ("; ".join(words), *values)


def _play(trace: Trace) -> str:
    return f"{report.play_text(trace)}, which was replayed"


def _kept(claim: ir.Property, question: Question) -> Iterator[str]:
    """The variables that the claim reads, and those that the count abstraction keeps, fewest first."""
    machine = machine_for(claim, question.source, question.players[0])
    asked = expressions_of(claim)
    read = sorted(variables_read(asked, machine.game))
    yield f"  it reads:    {', '.join(map(plain, read)) or 'no variable'}"
    before: frozenset[str] = frozenset()
    for number, kept in enumerate(levels(machine, asked), 1):
        added = sorted(kept - before)
        shown = ", ".join(_own_name(n) for n in added)
        label = "it keeps:" if number == 1 else "and then:"
        yield f"  {label:<12} {shown or 'nothing'}"
        before = kept


def _either(claim: ir.Property) -> str:
    """The rules that a claim compares, each once."""
    return " or ".join(dict.fromkeys(f"`{f.rule}`" for f in claim.rules))


def _own_name(name: str) -> str:
    """A variable as people read it; a rule's own one with the name of its rule."""
    rule, dot, own = name.partition(".")
    return f"{plain(own)} (of {plain(rule)})" if dot else plain(name)
