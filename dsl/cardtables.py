"""The tables of cards and combinations: what the pack is, and the patterns that hands are measured by."""

from __future__ import annotations

import re
from typing import assert_never

from dsl import ir, parser, syntax
from dsl.diagnostics import Label, Reporter, did_you_mean
from dsl.fields import RESERVED, Fields, clause_numbers, identifier, rows, whole
from dsl.source import Span, first_line
from dsl.symbols import face_names
from dsl.yamltree import Mapping, Node, Scalar

Declared = dict[str, tuple[str, Span]]

_STANDARD_LETTERS = {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S"}
# What stands in for ranks that were not told, so that one mistake does not make many.
_RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
_CARD_KEYS = ("ranks", "suits", "names", "copies", "jokers", "runs", "without", "cites")
_MAX_FACES = 400
_MAX_CARDS = 1040
_MAX_GROUP = 20


def deck(node: Node | None, declared: Declared, reporter: Reporter) -> ir.Deck:
    """The pack of the game."""
    if node is None:
        return ir.Deck(_RANKS, tuple(_STANDARD_LETTERS), suit_letters=tuple(_STANDARD_LETTERS.values()))
    fields = Fields(node, "`cards`", _CARD_KEYS, ("ranks", "suits"), reporter)
    fields.cites()
    ranks = _distinct(fields.list("ranks"), "a rank", declared, reporter) or list(_RANKS)
    suits, letters = _suits(fields, declared, reporter)
    jokers = fields.integer("jokers", 0, 8, 0)
    copies = fields.integer("copies", 1, 20, 1)
    if len(ranks) * len(suits) > _MAX_FACES or len(ranks) * len(suits) * copies > _MAX_CARDS:
        reporter.report("T409", "this pack is too large", fields.span, help=f"at most {_MAX_CARDS} cards")
        ranks, suits, letters, copies = ranks[:13], suits[:4], letters[:4], 1
    names = dict(zip(ranks, ranks, strict=True))
    for key, value in rows(fields.node("names"), "`names`", reporter):
        if key.text not in names:
            reporter.report("N304", f"no rank is named `{key.text}`", key.span,
                            help=did_you_mean(key.text, ranks) or "the ranks are " + " ".join(ranks))  # fmt: skip
        elif isinstance(value, Scalar) and value.text:
            names[key.text] = value.text
        else:
            reporter.report("S206", "the name of a rank is one value", value.span)
    all_ranks, all_suits = tuple(ranks), tuple(suits)
    if jokers:
        all_ranks, all_suits = (*all_ranks, "joker"), (*all_suits, "joker")
        names["joker"] = "joker"
    result = ir.Deck(all_ranks, all_suits, copies, jokers, _runs(fields.scalar("runs"), ranks, reporter),
                     tuple(names.values()), tuple(letters))  # fmt: skip
    removed = _removed(fields, result, reporter)
    _check_faces(fields, result, declared, reporter)
    return ir.Deck(all_ranks, all_suits, copies, jokers, result.runs, result.rank_names, result.suit_letters, removed)


def times(n: int) -> str:
    """How often, in words."""
    return {1: "once", 2: "twice"}.get(n, f"{n} times")


def which_card(name: str, faces: dict[str, int]) -> str:
    """Help for the name of a card that is none."""
    return did_you_mean(name, faces) or f"cards are written as rank and suit, like {' '.join(list(faces)[:3])}"


def _check_faces(fields: Fields, pack: ir.Deck, declared: Declared, reporter: Reporter) -> None:
    """A card is written as its rank and the letter of its suit, and nothing else may be written so."""
    faces = face_names(pack)
    if len(faces) < sum(r != "joker" for r in pack.ranks) * len(pack.suit_letters) + (pack.num_jokers > 0):
        reporter.report("N303", "two cards are written alike", fields.span_of("suits"),
                        help="give the suits other letters: `suits: {hearts: H, …}`")  # fmt: skip
    for name in faces:
        declared.setdefault(name, ("a card", fields.span_of("ranks")))


def _distinct(scalars: tuple[Scalar, ...], what: str, declared: Declared, reporter: Reporter) -> list[str]:
    out: list[str] = []
    for scalar in scalars:
        if not re.fullmatch(r"[A-Za-z0-9]+", scalar.text):
            reporter.report("S210", f"`{scalar.text}` cannot be a name", scalar.span, help="letters and digits only")
        elif scalar.text in RESERVED or scalar.text == "joker":
            reporter.report("S210", f"`{scalar.text}` is a word of the language and cannot be a name", scalar.span)
        elif scalar.text in out or scalar.text in declared:
            labels = (Label(declared[scalar.text][1], "named here"),) if scalar.text in declared else ()
            reporter.report("N303", f"`{scalar.text}` is named twice", scalar.span, labels=labels)
        else:
            out.append(scalar.text)
            declared[scalar.text] = (what, scalar.span)
    return out


def _suits(fields: Fields, declared: Declared, reporter: Reporter) -> tuple[list[str], list[str]]:
    """Suits with the letters they are written by after a rank: declared, the usual ones, or their initials."""
    node = fields.node("suits")
    letters: dict[str, str] = {}
    if node is not None and not isinstance(node, Scalar) and not hasattr(node, "items"):
        keys = rows(node, "`suits`", reporter)
        suits = _distinct(tuple(k for k, _ in keys), "a suit", declared, reporter)
        for key, value in keys:
            if isinstance(value, Scalar) and re.fullmatch(r"[A-Za-z]+", value.text):
                letters[key.text] = value.text
            else:
                reporter.report("S210", "a suit is written by a letter", value.span)
    else:
        suits = _distinct(fields.list("suits"), "a suit", declared, reporter)
    suits = suits or list(_STANDARD_LETTERS)
    chosen = [letters.get(s, _STANDARD_LETTERS.get(s, s[0].upper())) for s in suits]
    if len(set(chosen)) < len(chosen):
        twice = next(c for c in chosen if chosen.count(c) > 1)
        reporter.report("N303", f"two suits are written by the letter `{twice}`", fields.span_of("suits"),
                        help="give each its letter: `suits: {hearts: H, …}`")  # fmt: skip
        chosen = suits
    return suits, chosen


def _removed(fields: Fields, pack: ir.Deck, reporter: Reporter) -> tuple[int, ...]:
    faces = face_names(pack)
    out: list[int] = []
    for scalar in fields.list("without"):
        if scalar.text not in faces:
            reporter.report("N304", f"no card is named `{scalar.text}`", scalar.span,
                            help=which_card(scalar.text, faces))  # fmt: skip
        elif faces[scalar.text] in out:
            reporter.report("N303", f"`{scalar.text}` is left out twice", scalar.span)
        else:
            out.append(faces[scalar.text])
    if faces and len(out) == len(faces):
        reporter.report("T404", "no card is left in the pack", fields.span_of("without"))
    return tuple(sorted(set(out)))


def _runs(scalar: Scalar | None, ranks: list[str], reporter: Reporter) -> ir.Runs:
    """How runs pass the ends of the rank order; as ranked where nothing is said."""
    if scalar is None:
        return ir.Runs()
    node = parser.parse_runs(scalar.embedded, reporter)
    match node:
        case None:
            return ir.Runs()
        case syntax.RunsWrapping():
            return ir.Runs(wraps=True)
        case (
            syntax.RunsHigh(_, term) | syntax.RunsLow(_, term) | syntax.RunsEither(_, term) | syntax.RunsNever(_, term)
        ):
            pass
        case _:
            assert_never(node)
    token = term.token
    if token.text not in ranks:
        reporter.report("N304", f"no rank is named `{token.text}`", token.span,
                        help=did_you_mean(token.text, ranks) or "the ranks are " + " ".join(ranks))  # fmt: skip
        return ir.Runs()
    rank = ranks.index(token.text)
    match node:
        case syntax.RunsHigh():
            if rank != len(ranks) - 1:
                reporter.report("T427", f"`{token.text}` is not the highest rank", token.span,
                                help="a rank is high by standing last in `ranks`")  # fmt: skip
            return ir.Runs()
        case syntax.RunsLow():
            return ir.Runs(low_rank=rank, high=False)
        case syntax.RunsEither():
            return ir.Runs(low_rank=rank)
        case syntax.RunsNever():
            return ir.Runs(never=rank)
        case _:
            assert_never(node)


# --------------------------------------------------------------------------------------- combinations

_ROW_KEYS = ("cards", "by", "say", "serves_as", "example", "cites")
_PLACES = ("before", "after")  # are gone once a new row of a variant has found its place
_TABLE_KEYS = ("order", "by", "cites")


def kinds(node: Node | None, pack: ir.Deck, declared: Declared, reporter: Reporter) -> tuple[ir.Kind, ...]:
    """The rows of the combination table, the weakest first."""
    if node is None:
        return ()
    order, default_by = "", None
    found: list[tuple[Scalar, Node]] = []
    for key, value in rows(node, "`combinations`", reporter):
        if key.text == "order" and isinstance(value, Scalar):
            order = value.text
            if order not in ("lowest first", "highest first"):
                reporter.report("S209", f"`{order}` is no order of the rows", value.span,
                                help="write `highest first` or `lowest first`")  # fmt: skip
        elif key.text == "by" and isinstance(value, Scalar):
            default_by = value
        elif key.text == "cites" and not isinstance(value, Mapping):
            clause_numbers(value, reporter)
        elif identifier(key, reporter, declared, "a combination"):
            found.append((key, value))
    if not order and isinstance(node, Mapping):
        reporter.report("S208", "`combinations` lacks `order`", first_line(node.span),
                        help="say whether the rows stand `highest first` or `lowest first`")  # fmt: skip
    if order == "highest first":
        found.reverse()
    names = [key.text for key, _ in found]
    columns = _columns(found, declared)
    out = [_kind(key, value, names, columns, default_by, pack, reporter) for key, value in found]
    fallbacks = [k for k in out if k.pattern is None]
    if len(fallbacks) > 1 and not reporter.has_errors:
        reporter.report("N303", "two rows are `none of these`", fallbacks[1].span or node.span,
                        labels=tuple(Label(k.span, "the other") for k in fallbacks[:1] if k.span))  # fmt: skip
    return tuple(out)


def _columns(found: list[tuple[Scalar, Node]], declared: Declared) -> tuple[str, ...]:
    """Whatever else a row says is a column; the first row in the file says which columns there are."""
    out: list[str] = []
    for _, value in found:
        for key, _ in rows(value, "", Reporter()):
            if key.text not in (*_ROW_KEYS, *_PLACES, *out):
                out.append(key.text)
                declared[f"column {key.text}"] = ("a column", key.span)
    # A key that only few rows have is more likely a slip than a column.
    counts = {c: sum(1 for _, v in found if any(k.text == c for k, _ in rows(v, "", Reporter()))) for c in out}
    return tuple(c for c in out if counts[c] * 2 >= len(found))


def _kind(
    key: Scalar,
    value: Node,
    names: list[str],
    columns: tuple[str, ...],
    default_by: Scalar | None,
    pack: ir.Deck,
    reporter: Reporter,
) -> ir.Kind:
    what = f"`{key.text}`"
    fields = Fields(value, what, (*_ROW_KEYS, *columns), ("cards", *columns), reporter)
    written = fields.scalar("cards")
    parsed = None if written is None else parser.parse_pattern(written.embedded, reporter)
    pattern = (
        None if parsed is None or isinstance(parsed, syntax.NoneOfThese) else _Patterns(pack, reporter).pattern(parsed)
    )
    size = pattern.size if pattern is not None else 0
    by = _by(fields.scalar("by") or default_by, pattern, reporter)
    serves = tuple(
        names.index(s.text) for s in fields.list("serves_as") if _known_row(s, names, key.text, reporter)
    )  # fmt: skip
    cells = tuple((c, v) for c in columns if (v := _cell(fields, c, reporter)) is not None)
    say = fields.scalar("say")
    if say is not None and pattern is not None:
        _check_say(say, pattern, reporter)
    return ir.Kind(
        key.text, pattern, size, by, None if say is None else say.text, cells, serves, fields.cites(), key.span,
        _example(fields, pack, reporter),
    )  # fmt: skip


def _example(fields: Fields, pack: ir.Deck, reporter: Reporter) -> tuple[int, ...]:
    """Cards that show what the row is. That they do is seen where the examples are run."""
    faces, out = face_names(pack), list[int]()
    for scalar in fields.list("example"):
        if scalar.text not in faces:
            reporter.report("N304", f"no card is named `{scalar.text}`", scalar.span,
                            help=which_card(scalar.text, faces))  # fmt: skip
            continue
        out.append(faces[scalar.text])
        there = 0 if out[-1] in pack.removed else pack.copies
        if out.count(out[-1]) > there:
            given = times(out.count(out[-1]))
            reporter.report("E706", f"`{scalar.text}` is given {given}, and the pack has {there}", scalar.span)
    return tuple(out)


def _known_row(scalar: Scalar, names: list[str], own: str, reporter: Reporter) -> bool:
    if scalar.text in names and scalar.text != own:
        return True
    reporter.report("N314", f"no other row is named `{scalar.text}`", scalar.span,
                    help=did_you_mean(scalar.text, names))  # fmt: skip
    return False


def _cell(fields: Fields, column: str, reporter: Reporter) -> int | None:
    scalar = fields.scalar(column)
    return None if scalar is None else whole(scalar, reporter)


def _check_say(say: Scalar, pattern: ir.Pattern, reporter: Reporter) -> None:
    named = {name for name, _ in pattern.variables if not name.startswith("_")}
    wrong = False
    for match in re.finditer(r"\{([^{}]*)\}", say.text):
        if match.group(1) not in named:
            wrong = True
            reporter.report(
                "N313",
                f"the pattern names no `{match.group(1)}`",
                say.embedded.span(match.start(), match.end()),
                help=did_you_mean(match.group(1), named),
            )
    for name in sorted(named) if not wrong else ():
        if "{" + name + "}" not in say.text:
            reporter.report("N313", f"`{name}` of the pattern is not said", say.span, help=f"name it as `{{{name}}}`")


def _by(scalar: Scalar | None, pattern: ir.Pattern | None, reporter: Reporter) -> tuple[ir.Key | str, ...]:
    """What breaks ties; the named ranks where nothing is said, or else the groups."""
    named = [] if pattern is None else [n for n, sort in pattern.variables if not n.startswith("_")]
    if scalar is None:
        ranks = [n for n in named if pattern is not None and (n, "rank") in pattern.variables]
        return tuple(ranks) if ranks else (ir.Key.GROUPS,)
    parsed = parser.parse_by(scalar.embedded, reporter) or ()
    out: list[ir.Key | str] = []
    for key in parsed:
        word = key.name.text + (f" {key.second.text}" if key.second else "")
        known = {k.value: k for k in ir.Key}
        if word in known:
            out.append(known[word])
        elif word in named:
            out.append(word)
        elif pattern is not None:
            reporter.report(
                "N313",
                f"ties cannot be broken by `{word}`",
                key.span,
                help=did_you_mean(word, [*known, *named]) or "by groups, cards, side cards or a name of the pattern",
            )
    return tuple(out)


class _Patterns:
    """Patterns as written to groups with variables; what has no name gets one that starts with `_`."""

    def __init__(self, pack: ir.Deck, reporter: Reporter) -> None:
        self._pack = pack
        self._reporter = reporter
        self._variables: dict[str, str] = {}
        self._conditions: list[ir.PatternCondition] = []

    def pattern(self, node: syntax.Groups) -> ir.Pattern:
        groups = tuple(self._group(g) for g in node.groups)
        for condition in node.conditions or ():
            left, right = self._operand(condition.left), self._operand(condition.right)
            if left is not None and right is not None:
                self._conditions.append(ir.PatternCondition(left, ir.Compare(condition.sign.text), right))
        return ir.Pattern(groups, tuple(self._variables.items()), tuple(self._conditions))

    def _count(self, node: syntax.GroupSyntax) -> int:
        token, pack = node.count, self._pack
        ranks, suits = len(pack.ranks) - (pack.num_jokers > 0), len(pack.suits) - (pack.num_jokers > 0)
        match node:
            case syntax.RunGroup():
                most, of = ranks, "in sequence"
            case syntax.SuitGroup():
                most, of = ranks * pack.copies, "of one suit"
            case syntax.RankGroup(_, _, _, suit) if suit is not None:
                most, of = pack.copies, "of one rank and suit"
            case _:
                most, of = max(suits * pack.copies, pack.num_jokers), "of one rank"
        if not re.fullmatch(r"[1-9][0-9]?", token.text):
            self._reporter.report("T404", f"a group of {token.text} cards is not possible", token.span)
        elif int(token.text) > most:
            self._reporter.report("T404", f"the pack has no {token.text} cards {of}", token.span)
        elif int(token.text) > _MAX_GROUP:
            self._reporter.report("T409", f"a group has at most {_MAX_GROUP} cards", token.span)
        else:
            return int(token.text)
        return 1

    def _group(self, node: syntax.GroupSyntax) -> ir.Group:
        count = self._count(node)
        match node:
            case syntax.RankGroup(_, _, rank, suit):
                r = self._anonymous("rank") if isinstance(rank, syntax.OneRank) else self._term(rank, "rank")
                return ir.Group(count, False, r, self._suit(suit))
            case syntax.AnotherGroup():
                others = [n for n, sort in self._variables.items() if sort == "rank"]
                r = self._anonymous("rank")
                self._conditions += [ir.PatternCondition(r, ir.Compare.NE, other) for other in others]
                return ir.Group(count, False, r, None)
            case syntax.SuitGroup(_, _, suit):
                return ir.Group(count, False, None, self._suit(suit))
            case syntax.RunGroup(_, _, suit, top):
                r = self._anonymous("rank") if top is None else self._term(top, "rank")
                return ir.Group(count, True, r, self._suit(suit))
            case _:
                assert_never(node)

    def _suit(self, node: syntax.OneSuit | syntax.Term | None) -> str | int | None:
        match node:
            case None:
                return None
            case syntax.OneSuit():
                return self._anonymous("suit")
            case term:
                return self._term(term, "suit")

    def _anonymous(self, sort: str) -> str:
        name = f"_{len(self._variables) + 1}"
        self._variables[name] = sort
        return name

    def _term(self, term: syntax.Term, sort: str) -> str | int:
        """A rank or suit of the pack, or else a variable."""
        text = term.token.text
        values = self._pack.ranks if sort == "rank" else self._pack.suits
        if text in values:
            return values.index(text)
        if term.token.kind == "NUMBER":
            self._reporter.report("N304", f"no rank is named `{text}`", term.span)
            return 0
        known = self._variables.setdefault(text, sort)
        if known != sort:
            self._reporter.report("T401", f"`{text}` is a {known} here and a {sort} there", term.span)
        return text

    def _operand(self, term: syntax.Term) -> str | int | None:
        text = term.token.text
        if text in self._variables:
            return text
        if text in self._pack.ranks:
            return self._pack.ranks.index(text)
        if text in self._pack.suits:
            return self._pack.suits.index(text)
        self._reporter.report("N313", f"the pattern names no `{text}`", term.span,
                              help=did_you_mean(text, self._variables))  # fmt: skip
        return None
