"""Random rules in which no seat is told from another, and things to ask of some of their seats."""

from __future__ import annotations

from hypothesis import strategies as st

FEWEST, MOST = 1, 5
GAME = """\
hoyle: 1
game: seated
title: Seated
players: {fewest}..{most}
cards: {{ranks: [7, 8, 9], suits: [clubs, hearts]}}
zones:
  stock: {{starts: full, seen: nobody}}
  hand: {{each: player, seen: owner}}
  slot: {{each: [player, 1..2], seen: everyone, holds: 2}}
  pile: {{seen: everyone}}
state:
  who: {{type: player}}
  other: {{type: player or none, starts: none}}
  flag: {{type: yes or no, starts: no}}
  n: {{type: 0..3, starts: 0}}
  total: {{type: integer, starts: 0}}
  mark: {{each: player, type: 0..3, starts: 0}}
  owner: {{each: player, type: player or none, starts: none}}
  grid: {{each: [player, 1..2], type: 0..3, starts: 0}}
{clock}rules: |
  define more(p, q) = mark[p] > mark[q]
  rule game:
    shuffle stock
    who := random player z
    other := random player z
    for each p, clockwise from who: set_up(p)
    deal 1 from stock to pile
    repeat 2 times:
      step
    use
  rule set_up(p):
    deal 1 from stock to hand[p]
    mark[p] := random z in 0..3
    if mark[p] = 3:
      owner[p] := random player z
    if mark[p] < 2:
      grid[p, 1] := mark[p] + 1
  rule use:
    shuffle stock
    if flag or n > 2 or other is none or total > 2:
      other := who
      flag := no
      n := 0
      total := 0
    for each p, clockwise from who:
      if owner[p] is none and more(p, who) and grid[p, 1] > 1:
        owner[p] := none
        mark[p] := 0
        grid[p, 2] := 0
      gather slot[p, 1] into stock
    gather pile into stock
{rules}result: {{score: "mark[p]", wins: yes, ties: draw}}
properties:
{asked}"""
CLOCK = """\
clock: {time: 9 seconds, think: 1 second .. 4 seconds, events: {late: {at: 5 seconds, rule: bell},
  out: {at: 0 seconds, rule: time_up}}}
"""
# What is asked of a seat `{x}` and of another, `{y}`.
TRUTHS = (
    "{x} = {y}", "left of {x} = {y}", "right of {x} = {y}", "left of left of {x} = {y}", "mark[{x}] = {k}",
    "mark[{x}] > mark[{y}]", "mark[left of {x}] = {k}", "mark[right of {x}] = mark[{y}]", "more({x}, {y})",
    "owner[{x}] is none", "owner[{x}] = {y}", "owner[left of {x}] = {y}", "grid[{x}, {i}] = {k}",
    "grid[right of {x}, {i}] = {k}", "size of hand[{x}] = {k}", "size of slot[{x}, {i}] = {k}",
    "size of slot[right of {x}, {i}] > 0", "size of hand[left of {x}] > 1", "size of all slot[{x}] = {k}",
    "flag", "n = {k}", "total > {k}",
    "size of pile = {k}", "size of all hand > {k}", "size of all slot = {k}", "size of stock > {k}", "players = {k}",
    "some(q where mark[q] = {k})", "every(q has mark[q] <= mark[{x}])", "count(q where mark[q] > {k}) = {i}",
    "count(q) = players", "sum(mark[q] for q) > {k} * 2", "max(mark[q] for q) = {k}",
    "min(mark[q] for q where q != {x}) = {k}", "highest(q by mark[q] tie none) = {x}",
    "lowest(q by mark[q] tie none) is none", "highest(q by mark[q] tie first clockwise from {x}) = {y}",
    "lowest(q by size of hand[q] tie first clockwise from left of {x}) = {y}", "only(q where owner[q] = {x}) is none",
    "only(q where mark[q] = {k}) = {x}", "first(q where mark[q] > {k}, clockwise from {x}) = {y}",
    "first(q where q != {x}, clockwise from right of {x}) = {y}",
    "every(q has some(r where r != q and mark[r] = mark[q]))", "some(q where count(r where owner[r] = q) > 1)",
    "count(q where left of q = {x} and mark[q] > {k}) = 1", "some(q where more(q, {x}) and left of q != {y})",
    "some(z in pile where height of rank of z > mark[right of {x}])", "some(z in hand[{x}] where rank of z = 8)",
    "some(z in hand[right of {x}] where rank of z = 8)", "count(z in all hand where suit of z = hearts) > {k}",
    "some(z in pile where height of rank of z > grid[right of {x}, {i}])",
    "highest(q by count(z in hand[q] where suit of z = hearts) tie none) = {x}",
    "sum(size of hand[q] for q where q != {x}) = {k}", "(if flag then mark[{x}] else mark[left of {x}]) = {k}",
)  # fmt: skip
CHANGES = (
    "mark[{x}] = before(mark[{x}])", "mark[left of {x}] > before(mark[{x}])", "before(owner[{x}]) is none",
    "before(flag)",
    "mark[right of {x}] = before(mark[right of {x}])", "grid[right of {x}, {i}] = before(grid[right of {x}, {i}])",
    "size of hand[{x}] = before(size of hand[{x}])", "size of pile > before(size of pile)", "n = before(n)",
    "before(who) = {x}", "before(other) = {x}", "before(total) = total",
    "count(q where mark[q] > before(mark[q])) = {k}",
    "every(q has mark[q] = before(mark[q]))", "every(q has size of hand[q] >= before(size of hand[q]))",
    "before(sum(mark[q] for q)) = sum(mark[q] for q)", "before(some(z in pile where height of rank of z > mark[{x}]))",
    "owner[{x}] = before(owner[{x}])", "size of all hand = before(size of all hand)",
)  # fmt: skip


class SeatedWriter:
    """Writes the rules that the game follows, and what is asked of each of them."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.seats: list[str] = ["who"]
        self.count = 0

    def pick(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def say(self, indent: int, text: str) -> None:
        self.lines.append("  " * indent + text)

    def seat(self) -> str:
        seat = self.draw(st.sampled_from(self.seats))
        return self.pick(seat, seat, seat, f"left of {seat}", f"right of {seat}", f"left of left of {seat}")

    def truth(self) -> str:
        return self.filled(self.draw(st.sampled_from(TRUTHS)), [self.seat(), self.seat()])

    def filled(self, text: str, seats: list[str]) -> str:
        x, y = self.draw(st.sampled_from(seats)), self.draw(st.sampled_from(seats))
        return text.format(x=x, y=y, k=self.number(0, 3), i=self.number(1, 2))

    def block(self, indent: int, depth: int) -> None:
        seats = list(self.seats)
        for _ in range(self.number(1, 2)):
            self.statement(indent, depth)
        self.seats = seats

    def statement(self, indent: int, depth: int) -> None:
        deep = (
            self.asked,
            self.asked,
            self.each,
            self.each,
            self.times,
            self.until,
            self.going,
            self.chooses,
            self.may,
        )
        simple = (self.change, self.change, self.change, self.cards, self.let, self.follow)
        self.draw(st.sampled_from((*simple, *deep) if depth > 0 else simple))(indent, depth - 1)

    def change(self, indent: int, _: int) -> None:
        x, y = self.seat(), self.seat()
        self.say(indent, self.pick(
            f"mark[{x}] := {self.number(0, 3)}", f"mark[{x}] := min(mark[{y}] + 1, 3)",
            f"mark[{x}] := max(mark[{x}] - 1, 0)",
            f"owner[{x}] := {y}", f"owner[{x}] := none", f"owner[{x}] := owner[{y}]", f"who := {x}", f"other := {x}",
            f"other := owner[{x}]", "other := none", f"grid[{x}, {self.number(1, 2)}] := {self.number(0, 3)}",
            "flag := not flag", f"flag := mark[{x}] > mark[{y}]", f"flag := {x} = {y}", f"flag := {self.truth()}",
            "n := min(n + 1, 3)", f"n := mark[{x}]", "n := 0", "total := total + 1", f"total := total + mark[{x}]",
            "who := random player z", f"other := random player z where z != {x}", "n := random z in 0..3",
            f"other := only(z where mark[z] > {self.number(0, 3)})", "other := highest(z by mark[z] tie none)",
            f"other := first(z where mark[z] > {self.number(0, 2)}, clockwise from {x})",
            f"if owner[{x}] is not none: mark[owner[{x}]] := {self.number(0, 3)}", "if other is not none: who := other",
            f"if other is not none: mark[other] := mark[{x}]", f"if mark[{x}] > 0: grid[{y}, min(mark[{x}], 2)] := 2",
        ))  # fmt: skip

    def place(self) -> str:
        x = self.seat()
        return self.pick("pile", "stock", f"hand[{x}]", f"slot[{x}, {self.number(1, 2)}]", f"slot[{x}, n mod 2 + 1]")

    def cards(self, indent: int, _: int) -> None:
        x = self.seat()
        self.say(indent, self.pick(
            f"deal up to 1 from {self.place()} to {self.place()}", f"deal up to 2 from stock to {self.place()}",
            f"gather hand[{x}] into pile", f"if size of hand[{x}] > 0: move top of hand[{x}] to {self.place()}",
            f"gather all slot[{x}] into stock", "gather all hand into pile", "shuffle stock",
            f"gather those(z in hand[{x}] + pile where rank of z = 8) into stock", "gather all cards into stock",
            f"if size of slot[{x}, 1] < 2: deal up to 1 from stock to slot[{x}, 1]",
        ))  # fmt: skip

    def let(self, indent: int, _: int) -> None:
        name = self.name("s")
        self.say(indent, f"let {name} = {self.seat()}")
        self.seats.append(name)

    def follow(self, indent: int, _: int) -> None:
        self.say(indent, f"inner({self.seat()})" if self.may_follow else f"n := size of {self.place()} mod 4")

    may_follow = True

    def asked(self, indent: int, depth: int) -> None:
        self.say(indent, f"if {self.truth()}:")
        self.block(indent + 1, depth)
        if self.number(0, 2) == 0:
            self.say(indent, "else:")
            self.block(indent + 1, depth)

    def each(self, indent: int, depth: int) -> None:
        name = self.name("p")
        if self.number(0, 3) == 0:  # what each does to its own, wherever the round begins
            self.say(indent, f"for each {name}:")
            body = self.pick(
                "mark[{p}] := {k}",
                "owner[{p}] := left of {p}",
                "grid[{p}, 1] := mark[{p}]",
                "if {p} = who: mark[{p}] := {k}",
                "deal 0 from stock to hand[{p}]",
                "owner[{p}] := {p}",
            )
            return self.say(indent + 1, body.format(p=name, k=self.number(0, 3)))
        where = self.pick("", "", f" where mark[{name}] > {self.number(0, 2)}", f" where {name} != {self.seat()}")
        self.say(indent, f"for each {name}{where}, clockwise from {self.seat()}:")
        return self.inside(indent, depth, name)

    def inside(self, indent: int, depth: int, name: str) -> None:
        seats = list(self.seats)
        self.seats += [name, name]
        self.block(indent + 1, depth)
        self.seats = seats

    def times(self, indent: int, depth: int) -> None:
        self.say(indent, f"repeat {self.number(1, 3)} times:")
        self.block(indent + 1, depth)

    def until(self, indent: int, depth: int) -> None:
        self.say(indent, f"repeat until {self.pick('n = 3', 'total > 5')}:")
        self.say(indent + 1, "shuffle stock")
        self.block(indent + 1, depth)
        self.say(indent + 1, "n := min(n + 1, 3)")
        self.say(indent + 1, "total := max(total, 0) + 1")

    def going(self, indent: int, depth: int) -> None:
        name = self.name("p")
        self.say(indent, f"going clockwise from {self.seat()} over {name}{self.pick('', f' where mark[{name}] > 0')}:")
        self.say(indent + 1, "shuffle stock")
        self.say(indent + 1, f"if {self.pick('n = 3', 'total > 3')}: end {self.rule}")
        self.inside(indent, depth, name)
        self.say(indent + 1, "n := min(n + 1, 3)")
        self.say(indent + 1, "total := max(total, 0) + 1")

    rule = "step"

    def chooses(self, indent: int, depth: int) -> None:
        self.say(indent, f"{self.seat()} chooses {self.name('c')}:")
        self.actions(indent + 1, depth)

    def may(self, indent: int, depth: int) -> None:
        name = self.name("p")
        self.say(indent, f"anyone {name}, clockwise from {self.seat()} may {self.name('c')}:")
        seats = list(self.seats)
        self.seats.append(name)
        self.actions(indent + 1, depth)
        self.seats = seats

    def actions(self, indent: int, depth: int) -> None:
        self.say(indent, "wait")
        name, seats = self.name("a"), list(self.seats)
        sort = self.number(0, 3)
        if sort == 0:
            self.seats += [name, name]
            self.say(indent, f"pay({name}: player){self.pick('', f' when mark[{name}] < 3')}:")
            self.block(indent + 1, depth)
        elif sort == 1:
            self.say(indent, f"play({name} in hand[{self.seat()}]):")
            self.say(indent + 1, f"move {name} to {self.pick('pile', f'hand[{self.seat()}]')}")
            self.block(indent + 1, depth)
        else:
            self.say(indent, f"act{self.pick('', f' when {self.truth()}')}:")
            self.block(indent + 1, depth)
        self.seats = seats

    def rules(self) -> str:
        self.say(1, "rule step:")
        self.block(2, 1)
        self.say(2, "inner(who)")
        self.rule, self.may_follow, self.seats = "inner", False, ["who", "s", "s"]
        self.say(1, "rule inner(s):")
        self.block(2, self.number(0, 1))
        self.say(2, "if s != who: total := total")
        return "\n".join(self.lines) + "\n"

    def asks(self, number: int) -> str:
        """Claims about a rule, all of the same seats."""
        rule = self.pick("step", "inner", "set_up")
        variables, seats = self.draw(st.sampled_from([
            (", for: {a: player}", ["a"]), (", for: {a: player}", ["a"]), ("", ["who"]), ("", ["who"]), ("", []),
            (", for: {a: player}", ["a", "who"]),
            (", for: {a: player, b: player}", ["a", "b"]),
        ]))  # fmt: skip
        out = ""
        for i in range(number):
            text = self.draw(st.sampled_from((*TRUTHS, *CHANGES)))
            if not seats and ("{x}" in text or "{y}" in text):
                text = self.pick("every(q has mark[q] = before(mark[q]))", "flag", "n = 2", "size of pile = 1")
            asked = self.filled(text, seats or [""])
            out += f'  claim{i}: {{always: "{asked}", in: {rule}{variables}}}\n'
        return out


@st.composite
def seated_games(draw: st.DrawFn, number: int = 12) -> str:
    """The text of a game, with so many claims of one rule."""
    writer = SeatedWriter(draw)
    rules, clock = writer.rules(), ""
    if "chooses" in rules and draw(st.integers(0, 3)) == 0:
        clock = CLOCK
        bell = draw(
            st.sampled_from(
                ["flag := not flag", "who := left of who", "n := 0", "mark[who] := 2", "total := total + 1"]
            )
        )
        rules += f"  rule bell:\n    {bell}\n  rule time_up:\n    end game\n"
    return GAME.format(fewest=FEWEST, most=MOST, clock=clock, rules=rules, asked=writer.asks(number))
