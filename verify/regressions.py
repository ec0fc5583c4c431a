"""A trace as an example of the rule file, so that what was found once is tried for ever."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from dsl import ir, reader
from dsl.diagnostics import Reporter
from dsl.load import Loaded
from dsl.lower import lower
from dsl.yamltree import Mapping, Node, Scalar, Sequence
from interpreter.examples import run_all
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.trace import Chosen, Drawn, Trace, take
from interpreter.values import show_number
from verify.outcome import Answer, Outcome, Verdict

_MAIN = "game"


class _Inexpressible(Exception):
    """The trace cannot be an example; the message says why."""


def save(loaded: Loaded, found: Iterable[tuple[Outcome, Answer]]) -> list[str]:
    """Appends traces to the examples of their game; tells of each where to, or why not."""
    told: list[str] = []
    texts: list[str] = []
    for outcome, answer in found:
        try:
            path = _file(loaded)
            texts.append(_example(loaded, outcome, answer))
            told.append(f"{outcome.name}: saved as an example in {path.name}")
        except _Inexpressible as why:
            told.append(f"{outcome.name}: not saved as an example: {why}")
    if texts:
        old = path.read_text(encoding="utf-8")
        path.write_text(old + ("" if old.endswith("\n") else "\n") + "".join(texts), encoding="utf-8")
    return told


def _file(loaded: Loaded) -> Path:
    """The file whose end is the end of the examples of the game."""
    items = _items(loaded)
    if not items:
        raise _Inexpressible("the game has no list of examples to append to")
    source = items[0].span.source
    path = next((p for p in _near(loaded) if p.is_file() and p.read_text(encoding="utf-8") == source.text), None)
    rest = source.text[max(item.span.end for item in items) :]
    if path is None or any(line.strip() and not line.lstrip().startswith("#") for line in rest.splitlines()):
        raise _Inexpressible("the examples do not stand at the end of their file")
    column = items[0].span.column
    if not re.fullmatch(r" *- *", source.line_text(items[0].span.line)[: column - 1]):
        raise _Inexpressible("the examples are not a list of lines that begin with `-`")
    return path


def _items(loaded: Loaded) -> tuple[Node, ...]:
    written = loaded.document.section("examples")
    return written.items if isinstance(written, Sequence) else ()


def _title(example: Mapping) -> str:
    title = example.get("title")
    return title.text if isinstance(title, Scalar) else ""


def _near(loaded: Loaded) -> list[Path]:
    """The rule file and the files that its sections may stand in."""
    found = [loaded.document.path]
    tree = reader.read_file(loaded.document.path, loaded.document.path.name, Reporter())
    named = tree.get("examples") if isinstance(tree, Mapping) else None
    if isinstance(named, Scalar) and named.text:
        found.append(loaded.document.path.parent / named.text)
    return found


def _example(loaded: Loaded, outcome: Outcome, answer: Answer) -> str:
    """The text of the example, which was tried."""
    assert answer.trace is not None
    title = f"{outcome.name}, found by hoyle prove"
    if any(isinstance(item, Mapping) and _title(item) == title for item in _items(loaded)):
        raise _Inexpressible("it is there already")
    options = dict(answer.trace.options)
    source = loaded.model(options)
    claim = next((p for p in source.properties if p.name == outcome.name), None) if source is not None else None
    if source is None or claim is None or claim.kind not in ("always", "never", "possible", "impossible"):
        raise _Inexpressible("it is no claim about a position")
    if claim.variables:
        raise _Inexpressible("the claim is about every value of a name, and an example asks one thing")
    if claim.scope in source.rules:
        raise _Inexpressible("the claim looks back over a rule, and an example looks at where it ends")
    section = loaded.document.section("properties")
    written = section.get(claim.name) if isinstance(section, Mapping) else None
    asked = _condition(written, claim.kind) if isinstance(written, Mapping) else None
    if asked is None:
        raise _Inexpressible("the claim is not written in the file")
    happens = claim.kind != "always"
    machine = Machine(lower(source, answer.trace.num_players))
    changed = {o.name: options[o.name] for o in source.option_table if options.get(o.name, o.default) != o.default}
    lines = _lines(machine, answer.trace, title, changed, claim.cites)
    column = _column(loaded)
    as_it_is = _text([*lines, f"then: {{{_quoted(asked)}: {'yes' if happens else 'no'}}}"], column)
    _try(loaded, as_it_is)
    if answer.verdict is Verdict.REFUTED and answer.verdict not in outcome.expected_of(answer.trace.num_players):
        # It is to fail until the rules are mended.
        return _text([*lines, f"then: {{{_quoted(asked)}: {'no' if happens else 'yes'}}}"], column)
    return as_it_is


def _condition(written: Mapping, kind: str) -> str | None:
    """The condition that a claim is about, on one line."""
    match written.get(kind), written.get("same"):
        case Scalar() as condition, _:
            return " ".join(condition.text.split())
        case _, Sequence(items=(Scalar() as x, Scalar() as y)):
            return " ".join(f"({x.text}) = ({y.text})".split())
        case _:
            return None


def _column(loaded: Loaded) -> int:
    """How far the items of the list are set in."""
    span = _items(loaded)[0].span
    return max(span.source.line_text(span.line).find("-"), 0)


def _lines(machine: Machine, trace: Trace, title: str, options: dict[str, str], cites: tuple[str, ...]) -> list[str]:
    state = machine.initial(recording=False)
    home = machine.game.home
    order: list[str] | None = None
    picks: list[str] = []
    plays: list[str] = []
    for step in trace.steps:
        if isinstance(step, Chosen):
            timed = f", after: {show_number(Fraction(step.elapsed_ms, 1000))} seconds" if step.elapsed_ms else ""
            plays.append(f"{{action: {_quoted(step.choice)}, by: {step.player + 1}{timed}}}")
        else:
            order = _chance(machine, state, step, order, picks)
        take(machine, state, step)
    out = [f"title: {_quoted(title)}", *([f"cites: [{', '.join(cites)}]"] if cites else [])]
    out.append(f"players: {machine.game.num_players}")
    if options:
        out.append(f"options: {{{', '.join(f'{k}: {v}' for k, v in options.items())}}}")
    out.append(f"run: {_MAIN}")
    if order is not None:
        out += [f"rest: {home}", f"given: {{{home}: [{', '.join(order)}]}}"]
    if picks:
        out.append(f"random: [{', '.join(map(_quoted, picks))}]")
    return [*out, f"play: [{', '.join(plays)}]"] if plays else out


def _chance(machine: Machine, state: State, step: Drawn, order: list[str] | None, picks: list[str]) -> list[str] | None:
    """What chance decided, as an example gives it: the first shuffle of all cards is how they lie at the start."""
    node = machine.chance_node(state)
    if isinstance(node, ir.Random):
        picks.append(machine.words.show(step.outcome, node.variable.type))
        return order
    if isinstance(node, ir.Cut):
        if step.outcome:
            raise _Inexpressible("cards are cut, and an example leaves them as they lie")
        return order
    pile = state.zones[machine.layout.home]
    if order is None and len(pile) == len(machine.words.cards.pack) and len(step.outcome) == len(pile):
        return [machine.words.cards.name(pile[i]) for i in reversed(step.outcome)]
    if list(step.outcome) != sorted(step.outcome):
        raise _Inexpressible("cards are shuffled again on the way, and an example leaves them as they lie")
    return order


def _text(lines: list[str], column: int) -> str:
    first, *rest = lines
    return "".join([f"{' ' * column}- {first}\n", *(f"{' ' * column}  {line}\n" for line in rest)])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _try(loaded: Loaded, text: str) -> None:
    """Carries the example out. Raises `_Inexpressible` where it does not come to the same."""
    reporter = Reporter()
    tree = reader.read_text("example", f"examples:\n{text}", reporter)
    items = tree.get("examples") if tree is not None else None
    base = loaded.model({})
    if base is None or not isinstance(items, Sequence):
        raise _Inexpressible("it cannot be written as one")
    verdicts = run_all(base, loaded.model, items, reporter)
    wrong = [d.message for d in reporter.diagnostics if d.severity == "error"]
    if wrong:
        raise _Inexpressible(wrong[0])
    if not verdicts or not all(v.ok for v in verdicts):
        got = verdicts[0].got if verdicts else "nothing"
        raise _Inexpressible(f"carried out as one it comes out otherwise ({got})")
