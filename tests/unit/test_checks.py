"""Free checks: each finds the fault of its kind, shows it in a play that replays, and keeps quiet otherwise."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dsl.load import Loaded, load
from dsl.lower import lower
from interpreter.machine import Machine
from interpreter.telling import tell
from interpreter.trace import Drawn, Trace
from interpreter.values import Fault
from verify import checks
from verify.checks_obligations import sort_of
from verify.outcome import Answer, Verdict

CASES = Path(__file__).parent.parent / "cases" / "checks"
SECONDS = 4.0

# File, check, verdict, and words of the reason.
FAULTS = [
    ("too_full", "zones_within_capacity", Verdict.REFUTED, "holds at most 3 cards"),
    ("out_of_range", "ranges_kept", Verdict.REFUTED, "0..1"),
    ("short_deal", "no_short_deal", Verdict.REFUTED, "too few cards"),
    ("no_value", "values_defined", Verdict.REFUTED, "none where"),
    ("no_next", "next_player_defined", Verdict.REFUTED, "none where"),
    ("stuck", "no_dead_end", Verdict.REFUTED, "nobody can do anything"),
    ("no_deal", "deal_possible", Verdict.REFUTED, "too few cards"),
    ("endless", "game_ends", Verdict.REFUTED, "for ever"),
    ("endless_growing", "game_ends", Verdict.REFUTED, "points of seat 1"),
    ("dead_action", "every_action_taken", Verdict.REFUTED, "`rich`"),
    ("dead_action", "every_rule_reached", Verdict.REFUTED, "`never_done`"),
    ("idle_reading", "every_reading_reached", Verdict.REFUTED, "gains=same"),
    ("impossible_kind", "kinds_possible", Verdict.REFUTED, "there is no both"),
    ("shadowed_kind", "kinds_possible", Verdict.REFUTED, "never the best"),
    ("no_answer", "ladder_is_strict", Verdict.REFUTED, "nobody can do anything"),
    ("leak", "hidden_information", Verdict.REFUTED, "stop"),
    ("not_zero_sum", "zero_sum", Verdict.REFUTED, "to all together is"),
    ("nobody_wins", "somebody_wins", Verdict.REFUTED, "without a winner"),
]
LONG = {"endless_growing"}  # thousands of steps, looked for at random; `test_termination.py` has short ones
_SHOWN_BY_PLAY = {
    "zones_within_capacity",
    "ranges_kept",
    "no_short_deal",
    "values_defined",
    "next_player_defined",
    "deal_possible",
}


def _loaded(name: str) -> Loaded:
    path = CASES / f"{name}.yaml"
    loaded = load(path, path.name)
    assert isinstance(loaded, Loaded)
    return loaded


def _all(name: str) -> tuple[checks.FreeCheck, ...]:
    loaded = _loaded(name)
    source = loaded.model()
    assert source is not None, loaded.reporter.diagnostics
    return checks.questions(source, loaded)


def _ask(name: str, check: str) -> Answer:
    return next(c for c in _all(name) if c.name == check).answer(2, SECONDS)


def _told(name: str, check: str, answer: Answer) -> str:
    """The verdict, why, and each play that shows it; of a leak, both positions."""
    source = _loaded(name).model()
    assert source is not None
    lines = [f"{check} is {answer.verdict.value} by {answer.engine}: {answer.because}"]
    for trace in answer.traces.values():
        lines.append("")
        for step in tell(Machine(lower(source, 2)), trace):
            lines.append(f"{step.number}. {step.written}")
            lines += [f"   {line.text}" for line in step.lines]
    return "\n".join(lines) + "\n"


def _replay(name: str, trace: Trace) -> Fault | None:
    """Plays a trace from nothing; the fault that its last step meets."""
    source = _loaded(name).model()
    assert source is not None
    machine = Machine(lower(source, 2))
    state = machine.blank()
    try:
        machine.advance(state)
        for step in trace.steps:
            if isinstance(step, Drawn):
                state = machine.apply_chance(state, step.outcome)
            else:
                choice = machine.parse_choice(state, step.player, step.choice)
                assert choice is not None
                state = machine.apply(state, step.player, choice, step.elapsed_ms)
        if machine.is_terminal(state):
            machine.winners(state)
    except Fault as fault:
        return fault
    return None


@pytest.mark.parametrize(
    ("name", "check", "verdict", "words"),
    [pytest.param(*fault, marks=pytest.mark.slow if fault[0] in LONG else ()) for fault in FAULTS],
    ids=lambda x: x if isinstance(x, str) else None,
)
def test_a_fault_of_each_kind_is_found(name: str, check: str, verdict: Verdict, words: str) -> None:
    answer = _ask(name, check)
    assert answer.verdict is verdict, answer
    assert words in answer.because
    if check in _SHOWN_BY_PLAY:
        assert answer.trace is not None
        fault = _replay(name, answer.trace)
        assert fault is not None
        assert fault.message in answer.because
    elif answer.trace is not None:
        assert answer.at is not None
        assert answer.at <= len(answer.trace.steps)
    if name in LONG:
        return
    path, told = CASES / f"{name}.{check}.txt", _told(name, check, answer)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(told, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == told, "UPDATE_GOLDEN=1 writes what is told now"


def test_a_leak_is_found_where_others_have_seen_every_play_already() -> None:
    verdicts = {check.name: check.answer(2, SECONDS).verdict for check in _all("leak")}
    assert verdicts["hidden_information"] is Verdict.REFUTED


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    for check in _all("no_fault"):
        answer = check.answer(2, SECONDS)
        assert answer.verdict in check.expected, (check.name, answer)


def test_every_check_has_a_fault_or_cannot_fail() -> None:
    by_construction = {
        "cards_conserved",
        "hands_end",
        "table_has_no_gap",
        "comparison_is_preorder",
        "tables_are_whole",
    }
    assert {c.name for c in _all("no_fault")} == {check for _, check, _, _ in FAULTS} | by_construction


def test_every_check_has_its_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "checks.md").read_text(encoding="utf-8")
    assert [c.name for c in _all("no_fault") if f"## {c.name}" not in page] == []


@pytest.mark.parametrize(
    ("message", "sort"),
    [
        ("hand of seat 1 would hold more than 3 cards", "capacity"),
        ("hand of seat 1 holds at most 3 cards", "capacity"),
        ("points leaves its range", "range"),
        ("stock has too few cards to deal from", "short"),
        ("division by 0", "value"),
        ("none where a player is to choose", "next"),
        ("the rules go on for ever without a choice", "endless"),
    ],
)
def test_messages_belong_to_checks(message: str, sort: str) -> None:
    assert sort_of(message) == sort
