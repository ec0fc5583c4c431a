"""How long each engine of the prover takes for each claim of a game, and how time grows with players, cards and slots.

Only the ratios mean anything from one machine to another, and nothing is asserted. A sign after the seconds says what
came of it: + an answer, - none.

    python benchmarks/prove.py [GAME…] [--seconds N]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

from dsl import ir, load, model
from verify import anydeal
from verify.exclusion import exclude
from verify.learned import by_induction, learn
from verify.outcome import Verdict
from verify.places import Lookout, TooMany, looks_at, machine_for
from verify.plays import Found, Plays
from verify.steps import anywhere, by_terms
from verify.unknown import UNKNOWN

GAMES = Path(__file__).parents[1] / "spec" / "games"
ABOUT_POSITIONS = ("always", "never", "impossible", "possible")
SLOTS = """
hoyle: 1
game: slots
title: Slots
players: {players}
cards: {{ranks: {ranks}, suits: [hearts, spades]}}
zones:
  stock: {{starts: full, seen: nobody}}
  slot: {{each: [player, 1..{slots}], seen: everyone, holds: 3}}
state: {{turns: {{type: integer, starts: 0}}}}
rules: |
  rule game:
    shuffle stock
    repeat until size of stock = 0:
      for each p: turn(p)
  rule turn(p):
    turns += 1
    p chooses place:
      put(s: 1..{slots}) when size of stock > 0 when size of slot[p, s] < 3: move top of stock to slot[p, s]
      pass: turns += 1
result: {{score: "turns + size of slot[p, 1]", wins: "size of slot[p, 1] = 3", ties: draw}}
properties:
  never_full: {{never: "every(p has every(s in 1..{slots} has size of slot[p, s] = 3)) and size of stock = 1"}}
"""

Engine: TypeAlias = Callable[[ir.Property, model.Model, int, float], bool]


def play(claim: ir.Property, source: model.Model, players: int, seconds: float) -> bool:
    """Whether luck shows a position that decides the claim."""
    machine, where = machine_for(claim, source, players), looks_at(claim, source)
    lookout = Lookout(machine, claim, where)

    def found(values: tuple[object, ...], _: tuple[object, ...]) -> None:
        if bool(values[0]) is (claim.kind != "always"):
            raise Found

    lookout.found = found
    return Plays(lookout, "benchmark").run(seconds)


def any_deal(claim: ir.Property, source: model.Model, players: int, seconds: float) -> bool:
    return anydeal.answer(claim, machine_for(claim, source, players), seconds) is not None


def terms(claim: ir.Property, source: model.Model, players: int, seconds: float) -> bool:
    if anywhere(claim, machine_for(claim, source, players), seconds) is not None:
        return True
    return looks_at(claim, source) == "rule" and by_terms(claim, source, players, seconds).verdict is Verdict.PROVED


def counts(claim: ir.Property, source: model.Model, players: int, seconds: float) -> bool:
    wants_yes = claim.kind != "always"
    return exclude(claim, source, players, lambda v: v is UNKNOWN or bool(v) is wants_yes, seconds).holds


def induction(claim: ir.Property, source: model.Model, players: int, seconds: float) -> bool:
    return by_induction(claim, source, players, seconds).verdict is Verdict.PROVED


ENGINES: dict[str, Engine] = {
    "play": play, "any deal": any_deal, "terms": terms, "counts": counts, "induction": induction,
}  # fmt: skip


def model_of(path: Path) -> model.Model:
    loaded = load.load(path, path.name, path.parent)
    found = loaded.model() if isinstance(loaded, load.Loaded) else None
    if found is None:
        raise SystemExit(f"{path} cannot be read")
    return found


def timed(ask: Callable[[], bool]) -> tuple[float, str]:
    """Seconds, and a sign of what came of it."""
    began = time.perf_counter()
    try:
        sign = "+" if ask() else "-"
    except TooMany:
        sign = "-"
    return time.perf_counter() - began, sign


def by_property(source: model.Model, seconds: float) -> None:
    """Each claim about positions, asked of every engine by itself."""
    players = source.players[0]
    print(f"\n{source.name}, {players} players" + "".join(f"{name:>12}" for name in ENGINES))
    for claim in source.properties:
        if claim.kind in ABOUT_POSITIONS and claim.expressions and claim.players[0] <= players <= claim.players[1]:
            cells = []
            for engine in ENGINES.values():
                spent, sign = timed(partial(engine, claim, source, players, seconds))
                cells.append(f"{spent:>10.2f} {sign}")
            print(f"{claim.name:<{len(source.name) + 11}}" + "".join(cells))


def is_learned(source: model.Model, players: int, seconds: float) -> bool:
    return learn(source, players, seconds).induction is not None


def by_players(source: model.Model, seconds: float) -> None:
    """What is learned once per number of players, which is most of the time of a proof by induction."""
    first: float | None = None
    for players in range(source.players[0], source.players[1] + 1):
        spent, sign = timed(partial(is_learned, source, players, seconds))
        first = first or spent
        print(f"{source.name}, learned with {players:>2} players{spent:>10.2f} {sign}{spent / first:>8.1f}")


def by_size(seconds: float) -> None:
    """The same rules with more cards, slots and players, counted."""
    first: float | None = None
    with tempfile.TemporaryDirectory() as folder:
        for players, ranks, slots in ((2, 4, 2), (2, 8, 2), (2, 16, 2), (2, 8, 4), (2, 8, 8), (3, 8, 2), (4, 8, 2)):
            path = Path(folder) / "slots.yaml"
            path.write_text(
                SLOTS.format(players=players, ranks=list(range(1, ranks + 1)), slots=slots), encoding="utf-8"
            )
            source = model_of(path)
            spent, sign = timed(partial(counts, source.properties[0], source, players, seconds))
            first = first or spent
            told = f"{players} players, {2 * ranks} cards, {slots} slots each"
            print(f"{told:<36}{spent:>10.2f} {sign}{spent / first:>8.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("games", nargs="*", default=sorted(p.stem for p in GAMES.glob("*.yaml")))
    parser.add_argument("--seconds", type=float, default=10.0, help="for each engine and claim")
    chosen = parser.parse_args()
    print("how time grows: seconds, and how often the first of the same kind")
    by_size(chosen.seconds)
    for name in chosen.games:
        source = model_of(GAMES / f"{name}.yaml")
        by_players(source, chosen.seconds * 6)
        by_property(source, chosen.seconds)


if __name__ == "__main__":
    main()
