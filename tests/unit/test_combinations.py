"""The combination table at work: tests, searches, keys, splits, calls, on explicit cards."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dsl.ir import Combination, Compare, Deck, Group, Key, Kind, Pattern, PatternCondition, Runs
from interpreter.cards import CardSet
from interpreter.combinations import Combinations

RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUITS = ("clubs", "diamonds", "hearts", "spades")
SPOKEN = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
POKER = (Key.GROUPS, Key.SIDE_CARDS)


def row(
    name: str,
    *groups: Group,
    where: Sequence[tuple[str | int, Compare, str | int]] = (),
    by: Sequence[Key | str] = POKER,
    say: str | None = None,
    score: int = 0,
    serves_as: tuple[int, ...] = (),
) -> Kind:
    """A row of a table; its variables are those of the groups, in order."""
    variables: dict[str, str] = {}
    for g in groups:
        variables |= {g.rank: "rank"} if isinstance(g.rank, str) else {}
        variables |= {g.suit: "suit"} if isinstance(g.suit, str) else {}
    pattern = Pattern(groups, tuple(variables.items()), tuple(PatternCondition(*c) for c in where))
    return Kind(name, pattern, pattern.size, tuple(by), say, (("score", score),), serves_as)


def none_row(by: Sequence[Key | str] = (Key.SIDE_CARDS,), size: int = 5) -> Kind:
    return Kind("nothing", None, size, tuple(by))


OTHER = ("_1", Compare.NE, "_2")
PAIR = row("pair", Group(2, rank="_1"), score=2)
TWO_PAIR = row("two_pair", Group(2, rank="_1"), Group(2, rank="_2"), where=[OTHER], score=5)
THREE = row("three", Group(3, rank="_1"), score=10)
STRAIGHT = row("straight", Group(5, run=True), score=15)
FLUSH = row("flush", Group(5, suit="_1"), score=20)
FULL = row("full_house", Group(3, rank="_1"), Group(2, rank="_2"), where=[OTHER], score=25)
FOUR = row("four", Group(4, rank="_1"), score=50)
STRAIGHT_FLUSH = row("straight_flush", Group(5, run=True, suit="_1"), score=75)
ROYAL = row("royal", Group(5, run=True, rank=12, suit="_1"), score=100)
TABLE = (none_row(), PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL, FOUR, STRAIGHT_FLUSH, ROYAL)


class Hands:
    """A table and a way to write hands; the second of two equal faces is the second deck's card."""

    def __init__(self, *kinds: Kind, **deck: object) -> None:
        jokers = ("joker",) if deck.get("num_jokers") else ()
        options: dict[str, object] = {"runs": Runs(low_rank=12), "copies": 2, **deck}
        self.cards = CardSet(Deck((*RANKS, *jokers), SUITS, rank_names=SPOKEN, **options))  # type: ignore[arg-type]
        self.table = Combinations(self.cards, kinds)

    def hand(self, text: str) -> tuple[int, ...]:
        taken: list[int] = []
        for word in text.split():
            face = self.cards.parse(word)
            assert face is not None, word
            alike = [c for c in range(self.cards.num_cards) if self.cards.look[c] == face]
            taken.append(next(c for c in alike if c not in taken))
        return tuple(taken)

    def find(self, kind: int, text: str) -> tuple[int, ...] | None:
        found = self.table.find(kind, self.hand(text))
        return None if found is None else found.key

    def names(self, combination: Combination | None) -> str | None:
        return combination and " ".join(self.cards.name(c) for c in combination.cards)

    def best(self, text: str) -> tuple[str, tuple[int, ...]] | None:
        found = self.table.best(self.hand(text))
        return found and (self.table.kinds[found.kind].name, found.key)

    def split(self, text: str) -> list[str]:
        pieces = self.table.split(self.hand(text), "score")
        return [f"{self.table.kinds[p.kind].name}: {self.names(p)}" for p in pieces]


def keys(*labels: str) -> tuple[int, ...]:
    return tuple(RANKS.index(label) for label in labels)


# ------------------------------------------------------------------------------------- what is what


@pytest.mark.parametrize(
    ("cards", "name", "key"),
    [
        ("AS KS QS JS 10S", "royal", keys("A")),
        ("5S AS 2S 4S 3S", "straight_flush", keys("5")),
        ("9S 9S 9H 9D KD", "four", keys("9", "K")),
        ("KS KH KD 7S 7C", "full_house", keys("K", "7")),
        ("7S 7H 7D KS KC", "full_house", keys("7", "K")),
        ("AS 9S 9S 3S 2S", "flush", keys("A", "9", "9", "3", "2")),
        ("AS 2S 3S 4S 5D", "straight", keys("5")),
        ("AS KS QS JS 10D", "straight", keys("A")),
        ("QS KS AS 2S 3D", "nothing", keys("A", "K", "Q", "3", "2")),
        ("8S 8H 8D KD 2S", "three", keys("8", "K", "2")),
        ("8S 8H KD KH 2S", "two_pair", keys("K", "8", "2")),
        ("8S 8S 3D KH 2S", "pair", keys("8", "K", "3", "2")),
        ("8S 6S 3D KH 2S", "nothing", keys("K", "8", "6", "3", "2")),
        ("8S 8S", "pair", keys("8")),
    ],
)
def test_the_best_of_a_hand(cards: str, name: str, key: tuple[int, ...]) -> None:
    assert Hands(*TABLE).best(cards) == (name, key)


def test_the_strongest_instance_is_found_with_its_side_cards() -> None:
    hands = Hands(*TABLE)
    assert hands.find(1, "8S 8S KD KH 2S") == keys("K", "8", "8", "2")
    assert hands.find(2, "8S 8S KD KH 2S 2D AS") == keys("K", "8", "A", "2", "2")
    assert hands.find(6, "8S 8S 8D KH KS KD 2S") == keys("K", "8", "8", "2")
    assert hands.find(4, "AS 2S 3S 4S 5D 6D KS") == keys("6", "A", "K")
    assert hands.find(5, "2S 3S 4S 5S 7S 8D 9S AS") == keys("A", "9", "7", "5", "4", "8", "3", "2")


def test_exactly_needs_every_card() -> None:
    hands = Hands(*TABLE)
    assert hands.table.exactly(1, hands.hand("8S 8D")) is not None
    assert hands.table.exactly(1, hands.hand("8S 8D 9D")) is None
    assert hands.table.exactly(1, hands.hand("8S 9D")) is None
    assert hands.table.exactly(2, hands.hand("8S 8D 8C 8H")) is None  # the ranks differ
    assert hands.table.exactly(0, hands.hand("8S 9D AC KC QC")) is not None
    assert hands.table.exactly(0, hands.hand("8S 9D AC KC")) is None
    assert hands.table.exactly(0, hands.hand("8S 8D AC KC QC")) is None


def test_copies_are_different_cards_with_equal_faces() -> None:
    five = row("five", Group(5, rank="_1"))
    same = row("three_alike", Group(3, rank="r", suit="t"), by=("r", "t"))
    hands = Hands(five, same, copies=3)
    assert hands.find(0, "9S 9S 9D 9C 9H") == keys("9")
    assert hands.find(1, "9S 9S 9D 9C 9H") is None
    assert hands.find(1, "9S 9S 9S 2D 2D 2D") == (7, 3)
    assert not Hands(five, copies=1).table.is_possible(0, ())
    assert not Hands(same, copies=2).table.is_possible(0, (3, 1))
    assert hands.table.is_possible(1, (3, 1))


def test_the_lowest_of_equal_faces_are_taken() -> None:
    hands = Hands(*TABLE, copies=3)
    low, middle, high = hands.cards.cards_of(51)
    found = hands.table.find(1, (high, 5, middle, low))
    assert found is not None and found.cards == (low, middle)


def test_cards_are_listed_in_the_order_of_the_groups() -> None:
    hands = Hands(*TABLE)
    assert hands.names(hands.table.best(hands.hand("7S KH KD 7C KS 2D"))) == "KD KH KS 7C 7S"
    assert hands.names(hands.table.best(hands.hand("2S 4D AS 5S 3S"))) == "AS 2S 3S 4D 5S"


def test_conditions_may_order_ranks() -> None:
    falling = row("falling", Group(2, rank="r"), Group(2, rank="s"), where=[("r", Compare.GT, "s")], by=("r", "s"))
    gap = row("gap", Group(1, rank="r"), Group(1, rank="s"), where=[("r", Compare.LT, "s")], by=("r", "s"))
    high = row("high", Group(2, rank="r"), where=[("r", Compare.GE, 9)], by=("r",))
    hands = Hands(falling, gap, high)
    found = hands.table.exactly(0, hands.hand("8S 8S KD KH"))
    assert found is not None and found.arguments == keys("K", "8") == found.key
    assert hands.find(1, "8S KD 3D") == keys("8", "K")
    assert hands.find(1, "8S 8D") is None
    assert hands.find(2, "10S 10D") is None and hands.find(2, "JS JD") == keys("J")


def test_unnamed_groups_of_one_shape_count_from_the_highest() -> None:
    rising = row("rising", Group(2, rank="_1"), Group(2, rank="_2"), where=[("_1", Compare.LT, "_2")])
    named = row("named", Group(2, rank="r"), Group(2, rank="s"), where=[("r", Compare.LT, "s")])
    hands = Hands(rising, named)
    assert hands.find(0, "8S 8S KD KH") == keys("K", "8")
    assert hands.find(1, "8S 8S KD KH") == keys("8", "K")


def test_a_key_may_be_the_cards_from_the_highest() -> None:
    by_cards = (Key.CARDS,)
    hands = Hands(
        row("straight", Group(5, run=True), by=by_cards),
        row("full", Group(2, rank="_1"), Group(3, rank="_2"), by=by_cards),
    )
    assert hands.find(0, "AS 2S 3S 4S 5D") == (3, 2, 1, 0, -1)
    assert hands.find(0, "AS KS QS JS 10D") == (12, 11, 10, 9, 8)
    assert hands.find(1, "KS KS 9D 9S 9C") == keys("K", "K", "9", "9", "9")


def test_a_card_goes_where_it_helps_most() -> None:
    """The highest card must go to the group of one suit, or a worse one of that suit is used."""
    hands = Hands(row("two", Group(1), Group(1, suit=3), by=(Key.CARDS,)))
    assert hands.find(0, "AS KH 2S") == keys("A", "K")
    sides = Hands(row("one", Group(1), by=(Key.SIDE_CARDS,)))
    assert sides.find(0, "AS KH 2S") == keys("A", "K")


def test_suits_may_be_named_shared_or_different() -> None:
    suited = row("suited", Group(2, rank="r", suit="t"), Group(1, rank="s", suit="t"), by=("r", "s", "t"))
    apart = row("apart", Group(2, suit="t"), Group(2, suit="u"), where=[("t", Compare.NE, "u")], by=("t",))
    hands = Hands(suited, apart)
    assert hands.find(0, "9S 9S 4S AD") == (7, 2, 3)
    assert hands.find(0, "9S 9D 4S AD") is None
    assert hands.find(1, "2S 3S 4D 5D") == (3,)
    assert hands.find(1, "2S 3S 4S 5S") is None


# ------------------------------------------------------------------------------------- runs, jokers


@pytest.mark.parametrize(
    ("runs", "cards", "key"),
    [
        (Runs(), "AS 2S 3S 4S 5D", None),
        (Runs(low_rank=12), "AS 2S 3S 4S 5D", keys("5")),
        (Runs(low_rank=12, high=False), "AS KS QS JS 10D", None),
        (Runs(low_rank=12, high=False), "AS 2S 3S 4S 5D", keys("5")),
        (Runs(never=12), "AS KS QS JS 10D", None),
        (Runs(never=12, wraps=True), "KS AS 2S 3S 4S", None),
        (Runs(low_rank=12), "KS AS 2S 3S 4S", None),
        (Runs(wraps=True), "KS AS 2S 3S 4S", keys("4")),
        (Runs(wraps=True), "AS KS QS JS 10D", keys("A")),
    ],
)
def test_where_runs_go(runs: Runs, cards: str, key: tuple[int, ...] | None) -> None:
    assert Hands(STRAIGHT, runs=runs).find(0, cards) == key


def test_a_run_may_be_one_group_of_several() -> None:
    hands = Hands(row("run_and_pair", Group(3, run=True, rank="r"), Group(2, rank="s"), by=("r", "s")))
    assert hands.find(0, "3S 4S 5S 5D 5C") == keys("5", "5")
    assert hands.find(0, "3S 4S 5S 6S 6D") == keys("5", "6")
    assert hands.find(0, "3S 4S 5S 6S 7D") is None
    seven = Hands(row("seven", Group(7, run=True)))
    assert seven.find(0, "3S 4S 5S 6S 7D 8D 9D") == keys("9")


def test_jokers_have_their_own_rank_and_suit_and_run_nowhere() -> None:
    hands = Hands(*TABLE, num_jokers=2)
    assert hands.best("joker joker 3S 5S 9D") == ("pair", (13, 7, 3, 1))
    assert hands.best("JS QS KS AS joker") == ("nothing", (13, 12, 11, 10, 9))


# ------------------------------------------------------------------------- none of these, serving as


def test_none_of_these_is_what_no_other_row_is() -> None:
    hands = Hands(*TABLE)
    assert hands.find(0, "8S 6S 3D KH 2S") == keys("K", "8", "6", "3", "2")
    assert hands.find(0, "8S 8D 3D KH 2S") is None
    weak = hands.hand("8S 8D 3D KH 2S")
    assert hands.table.best(weak, lambda kind: kind == 1) is not None
    fallback = hands.table.best(weak, lambda kind: kind in (0, 3))
    assert fallback is not None and fallback.kind == 0 and len(fallback.cards) == 5
    assert hands.table.best(weak, lambda kind: kind == 3) is None
    assert hands.table.best(weak, lambda kind: False) is None


def test_none_of_these_may_stand_anywhere_in_the_order() -> None:
    hands = Hands(PAIR, none_row((Key.CARDS,)), THREE)
    assert hands.best("8S 8D 3D KH 2S") == ("pair", keys("8", "K", "3", "2"))
    assert hands.best("8S 3D KH") == ("nothing", keys("K", "8", "3"))


def test_one_kind_may_serve_as_another() -> None:
    four = row("four", Group(4, rank="_1"), serves_as=(1,))
    hands = Hands(PAIR, TWO_PAIR, four)
    cards = hands.hand("9S 9D 9H 9C KD")
    assert hands.table.best(cards) == Combination(2, keys("9", "K"))
    served = hands.table.best(cards, lambda kind: kind != 2)
    assert served == Combination(1, keys("9", "9", "K")) and len(served.cards) == 4
    assert hands.table.find(1, cards) is None and hands.table.exactly(1, cards[:4]) is None
    # The thing itself is as good, and the greater key wins.
    assert hands.table.best(hands.hand("9S 9D 9H 9C KD KS"), lambda k: k == 1) == Combination(
        1, keys("K", "9", "9", "9")
    )


def test_a_served_key_falls_back_on_the_ranks_of_the_cards() -> None:
    run = row("run", Group(3, run=True), serves_as=(0,))
    hands = Hands(row("alike", Group(3, rank="r"), by=("r", Key.CARDS, Key.SIDE_CARDS)), run)
    served = hands.table.best(hands.hand("3S 4S 5D KD"), lambda kind: kind == 0)
    assert served == Combination(0, keys("5", "5", "4", "3", "K"))
    assert hands.names(served) == "3S 4S 5D"
    assert hands.table.describe(served) == "alike, 5-4-3" if served else False


# -------------------------------------------------------------------------------------------- splits


@pytest.mark.parametrize(
    ("cards", "pieces"),
    [
        ("9S 9S 9D 9C KD KS", ["four: 9C 9D 9S 9S", "pair: KD KS"]),
        ("9S 9D 9C KD KS KH", ["full_house: KD KH KS 9C 9D"]),
        ("9S 9D 4C 4D KS KH", ["two_pair: KH KS 9D 9S", "pair: 4C 4D"]),
        ("9S 9S 9D 9C 9H 9H", ["four: 9C 9D 9H 9H", "pair: 9S 9S"]),
        ("2S 4S 6S 8S 10S 10D", ["flush: 10S 8S 6S 4S 2S"]),
        ("2S 3D 4S 5S 6S 7D", ["straight: 3D 4S 5S 6S 7D"]),
        ("2S 3D 5S 7S 9S JD", []),
        ("9S", []),
        ("", []),
    ],
)
def test_the_best_split(cards: str, pieces: list[str]) -> None:
    assert Hands(*TABLE).split(cards) == pieces


def test_the_column_decides_and_then_the_strengths() -> None:
    threes = row("three", Group(3, rank="_1"), score=13)
    assert Hands(PAIR, threes, FULL).split("9S 9D 9C KD KS KH") == ["three: KD KH KS", "three: 9C 9D 9S"]
    # Two pairs of two apart are worth as much as two pair together: the stronger first piece wins.
    pairs = row("pair", Group(2, rank="_1"), score=2)
    both = row("two_pair", Group(2, rank="_1"), Group(2, rank="_2"), where=[OTHER], score=4)
    assert Hands(pairs, both).split("9S 9D KS KD") == ["two_pair: KD KS 9D 9S"]
    assert Hands(both, pairs).split("9S 9D KS KD") == ["pair: KD KS", "pair: 9D 9S"]
    worthless = row("pair", Group(2, rank="_1"), score=0)
    assert Hands(worthless).split("9S 9D") == []


def test_a_piece_leaves_the_suits_that_another_needs() -> None:
    hands = Hands(FLUSH, row("pair", Group(2, rank="_1"), score=2), copies=1)
    assert hands.split("9C 9D 9S 2S 4S 6S 8S") == ["pair: 9C 9D", "flush: 9S 8S 6S 4S 2S"]


def test_a_split_of_ten_cards_uses_all_of_them() -> None:
    hands = Hands(*TABLE)
    assert hands.split("9S 9D 9C KD KS 2H 3H 4H 5H 6H") == [
        "straight_flush: 2H 3H 4H 5H 6H",
        "full_house: 9C 9D 9S KD KS",
    ]
    assert hands.split("9S 9D 9C 9H KD KS KH KC 2C 2D") == ["four: KC KD KH KS", "four: 9C 9D 9H 9S", "pair: 2C 2D"]


# --------------------------------------------------------------------------------------------- calls

R, S, T = "r", "s", "t"
CALLS = (
    row("one", Group(1, rank=R), by=(R,), say="one {r}"),
    row("one_pair", Group(2, rank=R), by=(R,), say="two {r}s"),
    row(
        "two_pairs",
        Group(2, rank=R),
        Group(2, rank=S),
        where=[(R, Compare.GT, S)],
        by=(R, S),
        say="two {r}s and two {s}s",
    ),
    row("full_house", Group(3, rank=R), Group(2, rank=S), where=[(R, Compare.NE, S)], say="{r}s full of {s}s"),
    row("straight_flush", Group(5, run=True, rank=R, suit=T), by=(R,), say="straight flush to the {r} of {t}"),
)


def test_the_ladder_holds_every_possible_call_once() -> None:
    ladder = Hands(*CALLS, copies=1, runs=Runs()).table.ladder()
    counts = [sum(1 for call in ladder if call.kind == kind) for kind in range(5)]
    assert counts == [13, 13, 78, 156, 36]
    assert len({(call.kind, call.arguments) for call in ladder}) == len(ladder)
    places = [(call.strength, call.arguments) for call in ladder]
    assert places == sorted(places)
    assert ladder[-1].arguments == (12, 3) and ladder[-2] == ladder[-1]  # suits name, and do not rank


def test_calls_name_what_they_need() -> None:
    hands = Hands(*CALLS, *TABLE)
    assert [hands.table.is_callable(kind) for kind in range(5)] == [True] * 5
    assert [hands.table.is_callable(5 + i) for i in range(len(TABLE))] == [k is FLUSH or k is ROYAL for k in TABLE]
    with pytest.raises(ValueError, match="cannot be called"):
        hands.table.make(6, ())
    with pytest.raises(ValueError, match="names 2 things, not 1"):
        hands.table.make(2, (3,))


def test_the_key_of_a_call() -> None:
    hands = Hands(*CALLS, row("mixed", Group(2, rank=R), Group(3, rank=S), Group(2, run=True, rank=R), by=(Key.CARDS,)))
    assert hands.table.make(2, keys("K", "8")).key == keys("K", "8")
    assert hands.table.make(3, keys("8", "K")).key == keys("8", "K")
    assert hands.table.make(4, (11, 2)).key == keys("K")
    assert hands.table.make(5, (0, 5)).key == (5, 5, 5, 0, 0, 0, -1)


def test_what_calls_are_possible() -> None:
    table = Hands(*CALLS, copies=1, runs=Runs(), removed=(51,)).table
    assert table.is_possible(2, (5, 3)) and not table.is_possible(2, (3, 5)) and not table.is_possible(2, (5, 5))
    assert table.is_possible(4, (4, 0)) and not table.is_possible(4, (3, 0))
    assert table.is_possible(4, (12, 0)) and not table.is_possible(4, (12, 3))  # the ace of spades is gone
    assert not table.is_possible(1, (13,)) and not table.is_possible(1, (-1,)) and not table.is_possible(1, ())


def test_whether_cards_contain_a_call() -> None:
    hands = Hands(*CALLS)
    cards = hands.hand("KS KD KC 7D 7H 3S 4S 5S 6S 7S")
    for kind, arguments, there in (
        (0, keys("K"), True),
        (0, keys("A"), False),
        (1, keys("7"), True),
        (1, keys("3"), False),
        (2, keys("K", "7"), True),
        (2, keys("7", "K"), False),
        (3, keys("K", "7"), True),
        (3, keys("7", "K"), True),
        (3, keys("K", "3"), False),
        (4, (5, 3), True),
        (4, (5, 2), False),
        (4, (6, 3), False),
    ):
        call = hands.table.make(kind, arguments)
        assert hands.table.contains(cards, call) is there, hands.table.say(call)


def test_unnamed_parts_of_a_call_may_be_anything() -> None:
    hands = Hands(
        row("flush", Group(3, suit="_1"), by=()), row("pair_and", Group(2, rank=R), Group(1, rank="_1"), by=(R,))
    )
    assert hands.table.contains(hands.hand("2S 3D 4S 6S"), hands.table.make(0, ()))
    assert not hands.table.contains(hands.hand("2S 3D 4S 6D"), hands.table.make(0, ()))
    assert hands.table.contains(hands.hand("2S 2D 4S"), hands.table.make(1, (0,)))
    assert not hands.table.contains(hands.hand("2S 2D"), hands.table.make(1, (0,)))


@pytest.mark.parametrize(
    ("text", "kind", "arguments"),
    [
        ("one queen", 0, keys("Q")),
        ("One Q", 0, keys("Q")),
        ("two kings", 1, keys("K")),
        ("two Ks", 1, keys("K")),
        ("  TWO   ks. ", 1, keys("K")),
        ("two sixes", 1, keys("6")),
        ("two 6s", 1, keys("6")),
        ("two 10s", 1, keys("10")),
        ("two tens and two twos", 2, keys("10", "2")),
        ("Kings full of 7s", 3, keys("K", "7")),
        ("full house K 7", 3, keys("K", "7")),
        ("full house, kings, sevens", 3, keys("K", "7")),
        ("straight flush to the queen of spades", 4, (10, 3)),
        ("straight flush to the Q of ♠", 4, (10, 3)),
        ("straight flush q spades", 4, (10, 3)),
    ],
)
def test_calls_are_understood(text: str, kind: int, arguments: tuple[int, ...]) -> None:
    call = Hands(*CALLS).table.parse_say(text)
    assert call is not None and (call.kind, call.arguments) == (kind, arguments)


@pytest.mark.parametrize(
    "text",
    ["", "two", "two elevens", "kings full of kings", "two 3s and two kings", "straight flush to the 4 of spades"],
)
def test_what_is_no_possible_call_is_not_understood(text: str) -> None:
    assert Hands(*CALLS).table.parse_say(text) is None


def test_every_call_reads_back() -> None:
    table = Hands(*CALLS).table
    for call in table.ladder():
        said = table.say(call)
        for text in (said, said.upper(), said.title()):
            again = table.parse_say(text)
            assert again is not None and (again.kind, again.arguments) == (call.kind, call.arguments), text


def test_how_calls_are_said() -> None:
    table = Hands(*CALLS, row("long_run", Group(3, run=True, rank=R, suit=T), by=(R,))).table
    assert table.say(table.make(1, keys("6"))) == "two sixes"
    assert table.say(table.make(3, keys("K", "7"))) == "kings full of sevens"
    assert table.say(table.make(4, (10, 3))) == "straight flush to the queen of spades"
    assert table.say(table.make(5, (10, 3))) == "long run, queen, spades"


def test_a_saying_must_only_name_what_the_pattern_names() -> None:
    with pytest.raises(ValueError, match="what is said names \\['q'\\]"):
        Hands(row("one", Group(1, rank=R), by=(R,), say="one {q}"))


def test_what_was_found_is_described() -> None:
    hands = Hands(*TABLE)

    def describe(text: str) -> str:
        found = hands.table.best(hands.hand(text))
        assert found is not None
        return hands.table.describe(found)

    assert describe("KS KH KD 7S 7C") == "full house, K and 7"
    assert describe("KS KH KD 7S 6C") == "three, K"
    assert describe("5S AS 2S 4S 3S") == "straight flush to 5 of spades"
    assert describe("AS 9S 9S 3S 2S") == "flush, A-9-9-3-2 of spades"
    assert describe("8S 6S 3D KH 2S") == "nothing, K-8-6-3-2"
    found = Hands(*CALLS)
    best = found.table.best(found.hand("KS KH KD 7S 7C"))
    assert best is not None and found.table.say(best) == "kings full of sevens"
