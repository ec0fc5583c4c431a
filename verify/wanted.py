"""Which answers can have a certificate, and what the files of certificates are called. See `evidence`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from dsl import ir
from verify.outcome import Answer, Verdict

FORMAT: Final = "hoyle certificate 1"
INDEX: Final = "index.json"
README: Final = "README.txt"
INDUCTION: Final = "induction"
SPACER: Final = "spacer"
"""The engine that says what else may be kept up, where induction has not found enough."""
WEIGHTS: Final = "potentials"
"""The engine of bounds by weights."""
SORTS: Final = {
    "zones_within_capacity": "capacity", "ranges_kept": "range", "no_short_deal": "short",
    "next_player_defined": "none",
}  # fmt: skip
"""The sorts of obligation that free checks are about, as induction calls them."""
OBLIGATIONS: Final = {
    "zones_within_capacity": "capacity", "ranges_kept": "range", "no_short_deal": "short",
    "next_player_defined": "next", "values_defined": "value",
}  # fmt: skip
"""The same, and what else is taken for granted, as the count abstraction calls them."""
DEAD_ENDS: Final = "no_dead_end"
COUNTS: Final = "counts"
"""The engine that goes through all positions of the count abstraction."""
RANKING: Final = "ranking"
"""The engine that finds numbers which move towards a limit."""
COUNTED: Final = "counted"
"""Where an index says at which abstractions positions are listed."""
AWAITED: Final = "awaited"
"""Where an index says in which tables it is listed what is still to come."""
GAME_ENDS: Final = "game_ends"
HANDS_END: Final = "hands_end"
ENDS: Final = (GAME_ENDS, HANDS_END)
"""The free checks that play comes to an end."""
LEADS: Final = "leads to"
_KINDS: Final = ("always", "never", "possible", "impossible", "bound", "values", LEADS)


NOT_WRITTEN: Final = "no certificate was written"
"""With the reason behind it, what an answer says that could have one."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Where the certificate of an answer goes: the folder of its game, how the game is found from within, and what
    the property says.
    """

    folder: Path
    game: str
    says: str


class Question(NamedTuple):
    """A file of a certificate: what it is called, its text and what it says, in words and to be checked."""

    name: str
    text: str
    words: list[str]
    data: dict[str, Any] = {}  # noqa: RUF012


def can_certify(name: str, claim: ir.Property | None, answer: Answer) -> bool:
    """Whether it is known how to write down what an answer may rest on.

    That play ends is tried also where it was found in another manner.
    """
    if claim is None and name in ENDS:
        return answer.verdict is Verdict.PROVED
    is_shown = answer.verdict is Verdict.PROVED or (answer.verdict is Verdict.REFUTED and answer.trace is None)
    engines = answer.engine.split(", ")
    if rests_on_counts(claim, engines):
        return is_shown and (name in (*OBLIGATIONS, DEAD_ENDS) if claim is None else claim.kind in _KINDS)
    is_known = name in SORTS if claim is None else claim.kind in _KINDS
    of_claims = (SPACER, WEIGHTS) if claim is not None else ()
    return is_shown and is_known and any(engine in engines for engine in (INDUCTION, *of_claims))


def rests_on_counts(claim: ir.Property | None, engines: Sequence[str]) -> bool:
    """Whether an answer by some engines rests on all positions of the count abstraction."""
    return COUNTS in engines or (claim is not None and claim.kind == LEADS and RANKING in engines)


def sum_of(data: bytes) -> str:
    """The sum by which a file is known again."""
    return hashlib.sha256(data).hexdigest()


def write_readme(folder: Path) -> None:
    """Says at the top of all certificates what they are."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / README).write_text(_ABOUT, encoding="utf-8")


_ABOUT: Final = """\
What lies here

Each folder is a certificate: what a proof rests on, for you to check. Most are proofs by induction. A game stops
where somebody chooses, where chance has a say, where a rule begins or ends that is spoken of, and at its end.
`held-N-...` (for N players) lists in its index.json the stops, and for each of them, in the words of the rules, the
sentences that are held to be true whenever play is there. Each file `way-...smt2` then takes one way between two
stops. It says: all that is held at the first is true, the rules are carried out up to the second, and something that
is held there is false. A solver that answers "unsat" has found that nothing can be so; therefore what is held is true
at the first stop that play comes to, and stays true for ever, whatever the deal, the choices and the length of the
game. The other folders are named after a property and N. Their files say that all is true that is held at a stop
(`rests_on` in index.json tells in which folder), and that the property fails there; "unsat" means that it cannot. The
comment at the top of each file tells what it says; `assumed!3` in a formula is the sentence that the comment lists
so.

That play ends (`game_ends`, `hands_end`) is shown by ranks: numbers that rise to a limit. Between two stops the rules
take only so many steps, so play that does not end goes some ways between stops again and again, round and round.
Files `ends-...-0-...` each say of a way that no play takes it. What still goes round is taken on in levels. At a
level, all ways are looked at that are left in one circle. On none of them does a rank of the level fall. On some ways
ranks are below their limit wherever they rise; as they never fall, they rise on these ways only so often. So a way on
which one of them is sure to rise is not taken for ever, and is left out from then on; of a way on which they need not
rise, later levels look at what is left where they do not. When no way is left that goes round, play ends. `hoyle
certify` follows this from index.json by itself: that no way from the folder of what is held is missing, that the last
lines of each file ask what the index says, and that nothing goes round in the end. Of a clock it is taken for granted
that each of its events strikes once.

A proof by counts (`counted` in index.json) is shown by positions: `positions-1.txt` lists all that play can come to,
when of each position no more is known than some variables and how many cards lie in some zones. Each table is of one
place in the rules; its columns are variables and sizes of zones, with one value for each seat or place that has its
own. `keeps` and `counts` in index.json name them all, and `alike` says what may change about: of positions that
differ in nothing else, one is listed. "?" is any value, "-" one that is not needed any more. `hoyle certify` begins
where play begins and takes each single step from each position; all have to lead to listed positions, and nothing
that the property speaks against may be at any of them. Then it plays at random in the interpreter and looks whether
each stop is listed, too. It takes its steps on numbers of cards as the proof did. So it shows that no position is
missing; that a step on numbers is what the rules say is shown by the real plays, as far as they go.

What leads to something else (`awaited` in index.json) has tables `waiting-...txt` besides, one for each case of the
claim: the positions where it has not come yet, each with a rank. Wherever what comes first may hold, it has come or
the position is among them; each way on leads to a lower rank or to where it has come; and play does not end there. So
it comes, after no more steps than the ranks allow. Where `steps` is null, ways may keep to their rank; on all that go
round so a number then moves towards its limit, which `hoyle certify` finds in the rules. "rank when time is up" is of
positions to which the clock leads in the middle of a step.

A bound by weights (`weights` in index.json) is shown by what is left to gain: a sum of counts with their weights and
of the number that is bounded, and something that is added at each stop. Files `weights-...` say of each way that it
does not bring this below 0, where one way may be in several parts, and of each stop where the claim looks that the
number is within its limit as long as it is not below 0. `hoyle certify` looks whether each way from the folder of
what is held and each such stop is there, and whether all of them are asked about the same weights.

To check all of it, run `hoyle certify` on this folder. It compares each file with its sum in index.json, the sum of
the rules with the rules as they are now, and asks z3, and cvc5 where that is installed, about every file, each in a
process of its own. You need not take its word: the files are plain SMT-LIB 2.6, and any solver for whole numbers can
be asked, as in `z3 way-0001.smt2` or `cvc5 way-0001.smt2`. An answer "sat" would mean that the proof is wrong. What
no solver can tell you is whether the formulas say what the rules say, and whether no way between stops is missing:
that is the work of the program that wrote them, and its tests compare both with real play. What was answered in
another manner (by going through all hands, by the way the language is made) has no certificate here; asking `hoyle
prove` again goes through it again.
"""
