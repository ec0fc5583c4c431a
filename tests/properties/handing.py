"""Random rules in which cards are chosen, and then moved, moved again, shown, gathered and named twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from tests.properties.sentences import HEAD, TAIL, USE_ALL, RuleWriter

CLOCK = """\
clock: {time: 20 seconds, think: 1 second .. 2 seconds, events: {late: {at: 12 seconds, rule: bell},
  out: {at: 0 seconds, rule: bell}}}
"""
ZONES = """\
  shelf: {each: 1..2, seen: everyone, holds: 2}
"""
STATE = """\
  owner: {each: player, type: player or none, starts: none}
  mark:  {each: player, type: 0..6, starts: 0}
"""
USE = """\
  rule use_more:
    owner[who] := none
    if owner[who] is none and mark[who] > 9 and size of shelf[1] < 2: mark[who] := 0
"""

# What is asked of positions; each must be true of all, or be a number.
ASKED = (
    "size of pile >= 0", "size of all hand > 2", "n > 4", "mark[who] = 0", "count(z in slot[who, 1]) = 1",
    "size of (pile + hand[seat 1]) > 2", "size of slot[seat 1, 1] < 2", "some(z in pile)", "owner[seat 2] is none",
    "size of pile > n and mark[seat 1] < 3", "score_of[who] > 1", "every(p has size of hand[p] < 3)",
    "(if size of pile > 0 then rank of top of pile = rk else flag)", "size of slot[who, n mod 2 + 1] = 1",
    "size of shelf[1] < 2", "size of shelf[2] < 2 or n > 4", "count(z in shelf[1]) = 1",
    "size of (shelf[2] + pile) < 3",
)  # fmt: skip


def asking(sentences: Sequence[str]) -> str:
    """Claims that ask whether sentences are always true."""
    return "properties:\n" + "".join(f'  claim{i}: {{always: "{x}"}}\n' for i, x in enumerate(sentences))


def handing_text(rules: str, players: int, properties: str = "") -> str:
    """A whole game of the rules written here."""
    head = HEAD.format(players=players)
    if "rule bell" in rules:
        head = head.replace("zones:\n", CLOCK + "zones:\n")
    head = head.replace("state:\n", ZONES + "state:\n")
    head = head.replace("tables:\n", STATE + "tables:\n")
    return head + rules + USE + USE_ALL + TAIL + properties


class HandingWriter(RuleWriter):
    """Writes rules of a game that goes round the table a few times. `shelves`: cards are put where there is room."""

    has_clock = shelves = False

    def rules(self) -> str:
        self.rule_name, self.may_follow = "game", ["turn", "third_rule"]
        self.shelves = self.number(0, 1) == 1
        self.has_clock = self.number(0, 2) == 0
        self.say(1, "rule game:")
        self.say(2, "use_all")
        self.say(2, "use_more")
        self.say(2, "shuffle stock")
        self.say(2, f"for each pp: deal {self.number(1, 2)} from stock to hand[pp]")
        self.say(2, f"deal {self.number(0, 2)} from stock to pile")
        self.say(2, "third_rule(0)")
        self.say(2, self.pick(["repeat 3 times:", "repeat until n >= 5 or size of stock = 0:", "repeat 2 times:"]))
        self.say(3, "n := min(n + 1, 9)")
        self.say(3, "shuffle pile")
        self.say(3, "for each pp: turn(pp)")
        for name, parameters in (("turn", "(q)"), ("third_rule", "(x: 0..4)")):
            self.rule_name, self.may_follow = name, ["third_rule"] if name == "turn" else []
            self.say(1, f"rule {name}{parameters}:")
            with self.naming("player" if name == "turn" else "int", "q" if name == "turn" else "x"):
                if name == "turn":
                    self.chooses(2, 2)
                self.block(2, 1)
        if self.has_clock:
            self.rule_name, self.may_follow = "bell", []
            self.say(1, "rule bell:")
            self.block(2, 0)
        return "\n".join(self.lines) + "\n"

    def statement(self, indent: int, depth: int) -> None:
        cards: list[Callable[[int, int], None]] = [self.hand_on] * 3 + [self.count_up, self.keep, self.deal_some]
        if self.names.get("card") or self.names.get("cards"):
            cards += [self.hand_on] * 6
        others: list[Callable[[int, int], None]] = [self.assign, self.let, self.random, self.follow, self.small]
        deep: list[Callable[[int, int], None]] = [
            self.conditional, self.asked, self.for_each, self.repeat_times, self.chooses, self.chooses, self.may,
            self.going,
        ]  # fmt: skip
        if self.has_clock:
            others.append(self.look_at_clock)
        options = cards * 2 + others + (deep * 2 if depth > 0 else [])
        self.draw(st.sampled_from(options))(indent, depth - 1)

    def look_at_clock(self, indent: int, _: int) -> None:
        seconds = self.number(3, 19)
        self.say(indent, self.pick([f"flag := time_left < {seconds}", f"if time_left >= {seconds}: total += 1"]))

    def seat(self) -> str:
        return self.pick([*self.names.get("player", []), "who", "left of who", "seat 1"])

    def place(self) -> str:
        return self.pick(
            ["stock", "pile", "pile", f"hand[{self.seat()}]", f"slot[{self.seat()}, {self.number(1, 2)}]",
             f"slot[{self.seat()}, {self.pick([*self.names.get('int', []), *['n mod 2 + 1'] * 4, 'n'])}]"]
        )  # fmt: skip

    def some_cards(self) -> str:
        """A way to name cards, mostly those that were chosen."""
        known = [*self.names.get("card", []), *self.names.get("cards", [])]
        if known and self.number(0, 3):
            first = self.pick(known)
            return self.pick([first, first, first, f"{first} + {self.pick(known)}", f"{first} + {self.place()}"])
        place = self.place()
        return self.pick([
            place, place, f"top of {place}", f"those(z in {place} where rank of z > rk)", f"all slot[{self.seat()}]",
            f"{place} + {self.place()}", "all hand", f"those(z in {place} + pile where suit of z = hearts)", "cd",
        ])  # fmt: skip

    def hand_on(self, indent: int, _: int) -> None:
        cards = self.some_cards()
        self.say(indent, self.pick([
            f"move {cards} to {self.place()}", f"move {cards} to {self.place()}", f"gather {cards} into pile",
            f"gather {cards} into stock", f"reveal {cards}",
        ]))  # fmt: skip

    def deal_some(self, indent: int, _: int) -> None:
        count = self.pick(["1", "1", "2", "size of pile", "n"])
        up_to = "" if count == "1" and self.number(0, 1) else "up to "
        self.say(indent, f"deal {up_to}{count} from {self.pick(['stock', 'pile'])} to {self.place()}")

    def keep(self, indent: int, _: int) -> None:
        """What was chosen is kept under another name, or in a variable."""
        cards = self.names.get("card", [])
        if cards and self.number(0, 1):
            return self.say(indent, f"cd := {self.pick(cards)}")
        name = self.name("v")
        self.say(indent, f"let {name} = {self.some_cards()}")
        return self.names.setdefault("cards", []).append(name)

    def count_up(self, indent: int, _: int) -> None:
        seat = self.seat()
        self.say(indent, self.pick([
            f"mark[{seat}] := min(size of {self.place()}, 6)", f"mark[{seat}] := (mark[{seat}] + 1) mod 7",
            f"owner[{seat}] := {self.seat()}", f"owner[left of {seat}] := none", f"who := left of {seat}",
            f"other := {seat}", "other := none", "flag := not flag", "flag := size of pile > size of stock",
            f"if owner[{seat}] is not none: who := owner[{seat}]", "n := max(n - 1, 0)", "n := size of pile mod 4",
            f"total += {self.number(1, 3)}", f"tally[kd, n mod 3 + 1] += {self.number(1, 2)}",
            f"score_of[{seat}] := mark[{seat}] - 1", "ratio := total / 2",
            f"if other is not none: score_of[other] := mark[{seat}]",
        ]))  # fmt: skip

    def follow(self, indent: int, _: int) -> None:
        if not self.may_follow:
            return self.count_up(indent, 0)
        if self.may_follow[-1] == self.pick(self.may_follow):
            return self.say(indent, f"third_rule({self.number(0, 4)})")
        return self.say(indent, f"turn({self.seat()})")

    def asked(self, indent: int, depth: int) -> None:
        self.say(indent, self.pick([
            f"if size of {self.place()} >= {self.number(1, 3)}:", "if flag:", f"if mark[{self.seat()}] > n:",
            f"if owner[{self.seat()}] = other:", "if cd is not none:", f"if size of ({self.some_cards()} + pile) > 2:",
            f"if count(z in {self.place()}) = {self.number(0, 2)}:",
            f"if every(z in {self.place()} has rank of z > rk):",
        ]))  # fmt: skip
        self.block(indent + 1, depth)

    def chooses(self, indent: int, depth: int) -> None:
        self.say(indent, f"{self.seat()} chooses {self.decision()}:")
        self.actions(indent + 1, depth, None)

    def actions(self, indent: int, depth: int, chooser: str | None) -> None:
        self.say(indent, "wait")
        if self.shelves and self.number(0, 1):
            self.say(indent, f"put(k: 1..2, y in hand[{self.seat()}]) when size of shelf[k] < 2: move y to shelf[k]")
        for number in range(self.number(1, 2)):
            known = {t: list(names) for t, names in self.names.items()}
            if chooser is not None:
                self.names.setdefault("player", []).append(chooser)
            parameters: list[str] = []
            guards: list[str] = []
            for _ in range(self.number(1, 2)):
                name, place = self.name("a"), self.place()
                type_, text, guard = self.draw(st.sampled_from([
                    ("card", f"{name} in hand[{self.seat()}]", f"rank of {name} > rk"),
                    ("card", f"{name} in {place}", f"suit of {name} = hearts"),
                    ("card", f"{name} in hand[{self.seat()}] + pile", f"rank of {name} > rk"),
                    ("card", f"{name} in all hand", f"rank of {name} > rk"),
                    ("cards", f"{name}: 1 to 2 cards from {place}", f"size of {name} = 1"),
                    ("cards", f"{name}: 2 cards from hand[{self.seat()}]", f"size of {name} = 2"),
                    ("cards", f"{name}: 0 to 2 cards from {place}", f"size of {name} < size of {place}"),
                    ("int", f"{name}: 0..2", f"size of pile > {name}"),
                    ("player", f"{name}: player", f"mark[{name}] < 3"),
                    ("kind", f"{name}: kind", f"{name} > kd"),
                ]))  # fmt: skip
                parameters.append(text)
                guards += [f" when {guard}"] * (self.number(0, 2) == 0)
                self.names.setdefault(type_, []).append(name)
            more = ["n > 1", "flag", "size of pile > 0", "size of stock < 6", *["time_left >= 12"] * 3 * self.has_clock]
            guards += [f" when {self.pick(more)}"] * (self.number(0, 3) == 0)
            self.say(indent, f"act{number}({', '.join(parameters)}){''.join(guards)}:")
            self.block(indent + 1, depth)
            self.names = known


@st.composite
def handing_rules(draw: st.DrawFn, players: int) -> str:
    """The rules of a game in which cards are handed on."""
    return HandingWriter(draw, players).rules()
