"""Which answers can have a certificate, and what the files of certificates are called. See `evidence`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dsl import ir
from verify.outcome import Answer, Verdict

FORMAT: Final = "hoyle certificate 1"
INDEX: Final = "index.json"
README: Final = "README.txt"
ENGINE: Final = "induction"
SORTS: Final = {
    "zones_within_capacity": "capacity", "ranges_kept": "range", "no_short_deal": "short",
    "next_player_defined": "none",
}  # fmt: skip
"""The sorts of obligation that free checks are about."""
_KINDS: Final = ("always", "never", "possible", "impossible", "bound", "values")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Where the certificate of an answer goes: the folder of its game, how the game is found from within, and what
    the property says.
    """

    folder: Path
    game: str
    says: str


def rests_on_induction(answer: Answer) -> bool:
    """Whether there is something to certify."""
    is_shown = answer.verdict is Verdict.PROVED or (answer.verdict is Verdict.REFUTED and answer.trace is None)
    return is_shown and ENGINE in answer.engine.split(", ")


def can_certify(name: str, claim: ir.Property | None) -> bool:
    """Whether it is known how to write down what such an answer rests on."""
    return name in SORTS if claim is None else claim.kind in _KINDS


def sum_of(data: bytes) -> str:
    """The sum by which a file is known again."""
    return hashlib.sha256(data).hexdigest()


def write_readme(folder: Path) -> None:
    """Says at the top of all certificates what they are."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / README).write_text(_ABOUT, encoding="utf-8")


_ABOUT: Final = """\
What lies here

Each folder is a certificate: what a proof by induction rests on, for you to check. A game stops where somebody
chooses, where chance has a say, where a rule begins or ends that is spoken of, and at its end. `held-N-...` (for N
players) lists in its index.json the stops, and for each of them, in the words of the rules, the sentences that are
held to be true whenever play is there. Each file `way-...smt2` then takes one way between two stops. It says: all
that is held at the first is true, the rules are carried out up to the second, and something that is held there is
false. A solver that answers "unsat" has found that nothing can be so; therefore what is held is true at the first
stop that play comes to, and stays true for ever, whatever the deal, the choices and the length of the game. The
other folders are named after a property and N. Their files say that all is true that is held at a stop (`rests_on`
in index.json tells in which folder), and that the property fails there; "unsat" means that it cannot. The comment
at the top of each file tells what it says; `assumed!3` in a formula is the sentence that the comment lists so.

To check all of it, run `hoyle certify` on this folder. It compares each file with its sum in index.json, the sum of
the rules with the rules as they are now, and asks z3, and cvc5 where that is installed, about every file, each in a
process of its own. You need not take its word: the files are plain SMT-LIB 2.6, and any solver for whole numbers
can be asked, as in `z3 way-0001.smt2` or `cvc5 way-0001.smt2`. An answer "sat" would mean that the proof is wrong.
What no solver can tell you is whether the formulas say what the rules say, and whether no way between stops is
missing: that is the work of the program that wrote them, and its tests compare both with real play. What was
answered in another manner than by induction (by counting every position, by going through all hands, by the way the
language is made) has no certificate here; asking `hoyle prove` again goes through it again.
"""
