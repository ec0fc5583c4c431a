"""A playthrough told in full: what was decided, what the log says of it, and what each seat and the public then see.

Of a view only what has changed is told, and of a seat's only what differs from the public's. Run as a module, it
tells the playthroughs of some rule files as JSON does, for the test that they do not depend on the hash seed.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from dsl import ir
from interpreter import history
from interpreter.machine import Machine
from interpreter.narrate import Narrator
from interpreter.observe import information_state, observe
from interpreter.play import Playthrough, with_random_bots
from interpreter.state import State
from interpreter.trace import Chosen, Drawn, TraceStep

LONGEST_LIST = 30
LARGEST = 50_000
"""So many characters of one playthrough are told; then it is cut off."""


def tell(machine: Machine, seed: str, largest: int = LARGEST) -> str:
    """One random playthrough, from the start to the end or to where it gets too long."""
    return _Telling(machine, seed).tell(largest)


class _Telling:
    def __init__(self, machine: Machine, seed: str) -> None:
        self.machine = machine
        self.game: Playthrough = with_random_bots(machine, seed)
        self.narrator = Narrator(machine.layout)
        self.lines: list[str] = []
        self.size = 0
        self.seen: dict[int | None, dict[str, str]] = {}
        self.told = 0

    def tell(self, largest: int) -> str:
        game = self.machine.game
        options = "".join(f", {name}: {reading}" for name, reading in game.options)
        self.say(f"{game.title}, {game.num_players} players{options}, seed {self.game.seed}")
        self.stop()
        while not self.game.is_over and self.size < largest:
            assert self.game.step()
            self.say("")
            self.decided(len(self.game.steps), self.game.steps[-1])
            self.stop()
        if self.game.is_over:
            self.result(self.game.state)
        else:
            self.say(f"(cut off after {self.game.num_decisions} decisions)")
        return "\n".join(self.lines) + "\n"

    def say(self, line: str) -> None:
        self.lines.append(line.rstrip())
        self.size += len(line) + 1

    def decided(self, number: int, step: TraceStep) -> None:
        match step:
            case Drawn(outcome):
                self.say(f"{number} chance: {_abbreviated(outcome)}")
            case Chosen(player, choice, elapsed_ms):
                self.say(f"{number} seat {player + 1}: {choice}" + (f" after {elapsed_ms} ms" if elapsed_ms else ""))

    def stop(self) -> None:
        """What the log says of the way to this stop, and how things stand there."""
        state = self.game.state
        entries = history.entries(state)
        for entry in entries[self.told :]:
            self.entry(entry)
        self.told = len(entries)
        self.views(state)
        for player in self.machine.to_move(state):
            names = [self.machine.name_of(c, state) for c in self.machine.legal_actions(state, player)]
            decision = self.machine.decision(state)
            assert decision is not None
            self.say(f"  ? {decision.name}, seat {player + 1}: {_list(names)}")

    def entry(self, entry: history.Entry) -> None:
        """The public's line of the log, and the lines of those who were told something else."""
        cites = f" [{', '.join(entry.origin.cites)}]" if entry.origin.cites else ""
        public = self.narrator.text(entry, None)
        if public is not None:
            self.say(f"  - {public}{cites}")
        for player in range(self.machine.game.num_players):
            own = self.narrator.text(entry, player)
            if own != public and own is not None:
                self.say(f"  - (seat {player + 1}) {own}{cites if public is None else ''}")

    def views(self, state: State) -> None:
        public = flat(observe(self.machine, state, None, log_lines=0).to_json())
        for viewer in (None, *range(self.machine.game.num_players)):
            found = flat(observe(self.machine, state, viewer, log_lines=0).to_json())
            view = {k: v for k, v in found.items() if viewer is None or public.get(k) != v}
            before = self.seen.get(viewer, {})
            changed = [f"{k}: {v}" for k, v in view.items() if before.get(k) != v]
            changed += [f"{k}: {'gone' if viewer is None else 'as public'}" for k in before if k not in view]
            if changed:
                self.say(f"  {'public' if viewer is None else f'seat {viewer + 1}'} | {'; '.join(changed)}")
            self.seen[viewer] = view

    def result(self, state: State) -> None:
        machine = self.machine
        self.say("")
        self.say(f"end: {machine.reason(state)}")
        self.say(f"scores: {_plain(machine.scores(state))}")
        self.say(f"winners: {_plain(p + 1 for p in machine.winners(state))}")
        self.say(f"returns: {_plain(machine.returns(state))}")


def flat(seen: dict[str, Any]) -> dict[str, str]:
    """A view as short texts, by name."""
    found: dict[str, str] = {}
    for name, zone in seen["zones"].items():
        cards = [card or "?" for card in zone["cards"] or ()]
        runs = [(card, len(list(same))) for card, same in groupby(cards)]
        text = " ".join(f"{card}x{count}" if count > 1 else card for card, count in runs)
        if zone["count"] is None:
            text = f"{text} and hidden ones".lstrip() if cards else "hidden"
        elif "contents" in zone:
            text = f"{text} ({zone['count']} cards, contents {_digest(zone['contents'])})"
        found[name] = text or "empty"
    for name, value in seen["state"].items():
        found[name] = json.dumps(value)
    for name in ("chosen", "choice", "clock_ms", "reason"):
        if seen[name] not in (None, []):
            found[name] = json.dumps(seen[name])
    return found


def _abbreviated(outcome: Any) -> str:
    if isinstance(outcome, tuple) and len(outcome) > LONGEST_LIST:
        return f"{' '.join(map(str, outcome[:5]))} … {outcome[-1]} ({len(outcome)}, {_digest(outcome)})"
    return " ".join(map(str, outcome)) if isinstance(outcome, tuple) else str(outcome)


def _list(names: list[str]) -> str:
    if len(names) <= LONGEST_LIST:
        return " | ".join(names)
    return f"{names[0]} | {names[1]} | … | {names[-1]} ({len(names)}, {_digest(names)})"


def _plain(values: Iterable[object]) -> str:
    return " ".join(map(str, values)) or "none"


def _digest(values: Iterable[object]) -> str:
    return hashlib.sha256("\n".join(map(str, values)).encode()).hexdigest()[:8]


def everything(machine: Machine, seed: str, decisions: int) -> str:
    """A playthrough as data: its trace, and at the end all that anybody knows."""
    game = with_random_bots(machine, seed)
    game.run(decisions)
    seats = range(machine.game.num_players)
    return json.dumps({
        "trace": game.trace.to_json(),
        "log": [[(x.text, x.cites) for x in Narrator(machine.layout).log(game.state, v)] for v in (None, *seats)],
        "views": [observe(machine, game.state, v).to_json() for v in (None, *seats)],
        "known": [information_state(machine, game.state, p) for p in seats],
        "legal": [[machine.name_of(c, game.state) for c in machine.legal_actions(game.state, p)] for p in seats],
        "told": tell(machine, seed, 8_000),
    })  # fmt: skip


def machine_for(path: Path, players: int) -> Machine:
    from dsl import load

    loaded = load.load(path, path.name, path.parent)
    assert isinstance(loaded, load.Loaded)
    found = loaded.model()
    assert found is not None
    game: ir.Game = load.game(found, players)
    return Machine(game)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        name, _, players = argument.rpartition(":")
        print(everything(machine_for(Path(name), int(players)), "hash", 60))
