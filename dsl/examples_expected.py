"""What examples expect to come of their situations."""

from __future__ import annotations

from fractions import Fraction

from dsl import ir, types
from dsl.checking import things
from dsl.declare_values import constant
from dsl.examples import Allowed, Check, Ends, Is, Legal, Logs, Means, Scores, Wins
from dsl.examples_words import Words
from dsl.fields import Fields, rows
from dsl.yamltree import Mapping, Node, Scalar


def read_checks(fields: Fields, words: Words) -> tuple[Check, ...]:
    """All that an example expects."""
    out: list[Check] = []
    value, is_ = fields.scalar("value"), fields.node("is")
    if value is not None and is_ is not None:
        out += _is(value, is_, words)
    elif value is not None or is_ is not None:
        words.reporter.report("E704", "`value` and `is` go together",
                              fields.span_of("is" if value is None else "value"))  # fmt: skip
    call, means = fields.scalar("call"), fields.scalar("means")
    if call is not None and means is not None:
        x = words.phrase(means, types.COMBINATION)
        out += [] if x is None else [Means(call.text, x)]
    elif call is not None or means is not None:
        words.reporter.report("E704", "`call` and `means` go together",
                              fields.span_of("means" if call is None else "call"))  # fmt: skip
    for key, node in rows(fields.node("then"), "`then`", words.reporter):
        out += _is(key, node, words)
    allowed = fields.list("allowed")
    words.actions(*allowed)
    out += [Allowed(s.text, True) for s in allowed]
    refused = fields.node("not allowed")
    if isinstance(refused, Mapping):
        row = Fields(refused, "`not allowed`", ("action", "because", "by"), ("action",), words.reporter)
        seat = row.integer("by", 1, words.x.seats, 1) - 1 if row.node("by") is not None else None
        actions = row.list("action")
        out += [Allowed(s.text, False, row.cites("because"), seat) for s in actions]
    else:
        actions = fields.list("not allowed")
        out += [Allowed(s.text, False) for s in actions]
    words.actions(*actions, refused=True)
    if fields.node("legal") is not None:
        legal = fields.list("legal")
        words.actions(*legal)
        out.append(Legal(tuple(s.text for s in legal)))
    ends = fields.scalar("ends")
    out += [] if ends is None else [Ends(ends.text)]
    if fields.node("winners") is not None:
        seats = [words.seat(s) for s in fields.list("winners")]
        out.append(Wins(tuple(seat for seat in seats if seat is not None)))
    if fields.node("scores") is not None:
        out += _scores(fields, words)
    out += [Logs(s.text) for s in fields.list("log")]
    out += [Logs(s.text, said=False) for s in fields.list("not log")]
    for staged in ("play", "allowed", "not allowed", "legal", "ends"):
        if fields.node(staged) is not None and fields.node("at") is None and fields.node("run") is None:
            words.reporter.report("E704", f"`{staged}` needs a rule that is run or a decision that is stood at",
                                  fields.span_of(staged),
                                  help="add `at: DECISION` or `run: RULE`")  # fmt: skip
            break
    return tuple(out)


def _is(key: Scalar, node: Node, words: Words) -> list[Check]:
    expr = words.phrase(key)
    if expr is None:
        return []
    t = types.of(expr)
    if isinstance(t, ir.CardsType):
        faces = words.faces(node)
        return [] if faces is None else [Is(key.text, expr, faces)]
    if isinstance(t, ir.IntType):
        t = types.INTEGER
    if not isinstance(node, Scalar):
        words.reporter.report("S206", "a value is expected here", node.span)
        return []
    x = words.phrase(node, ir.OptionalType(types.strip(t)))
    return [] if x is None else [Is(key.text, expr, x)]


def _scores(fields: Fields, words: Words) -> list[Check]:
    scalars = fields.list("scores")
    found = [constant(x) for s in scalars if (x := words.phrase(s, ir.FractionType())) is not None]
    values = [Fraction(v) for v in found if isinstance(v, int | Fraction)]
    if len(scalars) != words.x.seats:
        told = f"`scores` has {things(len(scalars))}, and {words.x.seats} play in this example"
        words.reporter.report("T413", told, fields.span_of("scores"), help="give a number for each seat, in order")
    elif len(found) == len(scalars) != len(values):
        words.reporter.report("T417", "a score must be written as a number", fields.span_of("scores"))
    elif len(values) == len(scalars):
        return [Scores(tuple(values))]
    return []
