"""Certificates as files: what a proof by induction rests on, for whoever wants to check it without this program.

A certificate is a folder with an `index.json` and questions in SMT-LIB, one a file, none of which any values satisfy.
There are two sorts: what is held at each stop of the rules and kept up on every way to the next one, which all
properties of a game share; and how one property follows from it. Of properties that say that play ends, see
`evidence_ends`; of bounds by weights, `evidence_weights`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dsl import ir, model
from interpreter.values import UNSET
from verify.evidence_ends import endings, listed, questions, told_assumptions
from verify.evidence_files import about, head, put
from verify.evidence_weights import Weighed
from verify.folded import Unsupported
from verify.hands import ending_rules
from verify.induction import Induction
from verify.places import at_once
from verify.steering import Place
from verify.wanted import INDEX, INDUCTION, SORTS, WEIGHTS, Question, Wanted, sum_of
from verify.wording import Wording

_LOGIC = "(set-logic ALL)"
_STOPS = {ir.Random: "chance picks", ir.Finish: "end of the game"}


_held: dict[tuple[int, int, Path], tuple[Induction, Path]] = {}
"""What this process has written of what is held, which is much, and is the same for all properties. It is written again
where so many sentences are held that it cannot be the same.
"""


def certified(
    wanted: Wanted, name: str, claim: ir.Property | None, source: model.Model, num_players: int, seconds: float,
    engines: Sequence[str] = (INDUCTION,),
) -> Path:  # fmt: skip
    """Writes what an answer rests on, by the engines that it names; the folder that says how the property follows.

    Raises:
        Unsupported: It cannot be written in the time.
        OSError: Nor there.
    """
    from verify.attained import within
    from verify.learned import followed, learn, weighed

    asked = within(claim) if claim is not None and claim.kind in ("bound", "values") else claim
    # What leads to something by induction has led to it already.
    asked = asked and at_once(asked)
    induction = learn(source, num_players, seconds, asked).induction
    if induction is None:
        raise Unsupported("it is not known what is kept up")
    writer = _Writer(wanted, induction, source)
    extra: dict[str, Any] = {}
    if claim is not None and WEIGHTS in engines:
        scales = weighed(claim, source, num_players, seconds)
        sums = Weighed(induction, scales, writer.numbers, writer.wording)
        extra["weights"], follows = sums.listed(), sums.questions()
    elif asked is not None:
        follows = writer.followed(followed(asked, source, num_players, induction, seconds))
    elif name in SORTS:
        follows = writer.safe(SORTS[name], seconds)
    else:
        found = endings(induction, source, ending_rules(name, source), writer.numbers, seconds)
        extra["ends"], follows = listed(found, writer.wording), questions(induction, found, writer.wording)
    key = id(induction), sum(map(len, induction.held.values())), wanted.folder
    if key not in _held:
        _held[key] = induction, writer.held(seconds)
    held = _held[key][1]
    says = about(wanted, name, claim)
    rests_on = {"folder": f"../{held.name}", "sum": sum_of((held / INDEX).read_bytes())}
    return writer.put(f"{name}-{num_players}", says | {"rests_on": rests_on} | extra, follows)


class _Writer:
    def __init__(self, wanted: Wanted, induction: Induction, source: model.Model) -> None:
        self._wanted, self._induction, self._machine = wanted, induction, induction.machine
        self.wording = Wording(self._machine.words)
        self.numbers = {place: i for i, place in enumerate(induction.stops, 1)}
        game = self._machine.game
        self._head = head(wanted, source, game)

    # -------------------------------------------------------------------------------------- questions

    def held(self, seconds: float) -> Path:
        """What is held at each stop, and each way between them."""
        stops = [self._stop(place) for place in self._induction.stops]
        return self.put(None, {"stops": stops}, self._ways(seconds))

    def _ways(self, seconds: float) -> Iterator[Question]:
        for number, way in enumerate(self._induction.ways(seconds), 1):
            whence = "the beginning of the game" if way.whence is None else self._told(way.whence)
            says = [f"Where play goes from {whence} to {self._told(way.target)}, all that is held there holds."]
            ends = {"from": 0 if way.whence is None else self.numbers[way.whence], "to": self.numbers[way.target]}
            yield Question(f"way-{number:04}", way.text, [*says, *self._assumed(way.whence)], ends)

    def followed(self, asked: Iterable[tuple[Place | None, str]]) -> Iterator[Question]:
        """How a claim follows at each stop where it looks."""
        for place, text in asked:
            if place is None:
                says = ["Whenever the rule that it speaks of begins as it may, the property holds at its end."]
                yield Question("rule", text, says)
            else:
                says = [f"At {self._told(place)}, the property follows from what is held there."]
                number = self.numbers[place]
                yield Question(f"stop-{number:04}", text, says, {"looks": number})

    def safe(self, sort: str, seconds: float) -> Iterator[Question]:
        """That what a free check is about cannot fail on any way on from a stop."""
        for place, nodes, text in self._induction.kept_safe(sort, seconds):
            where = ", ".join(sorted({self._place_of(i) for i in nodes}))
            whence = "the beginning of the game" if place is None else self._told(place)
            says = [f"From {whence} on up to the next stop, nothing of this sort fails at {where}."]
            number = 0 if place is None else self.numbers[place]
            yield Question(f"from-{number:04}", text, [*says, *self._assumed(place)])

    def _assumed(self, place: Place | None) -> Iterator[str]:
        yield from told_assumptions(self._induction, self.wording, place)

    # ------------------------------------------------------------------------------------------ words

    def _told(self, place: Place) -> str:
        return f"stop {self.numbers[place]}"

    def _place_of(self, node: int) -> str:
        span = self._machine.game.nodes[node].origin.span
        return "the rules" if span is None else f"{Path(span.source.path).name}:{span.line}:{span.column}"

    def _stop(self, place: Place) -> dict[str, Any]:
        node = self._machine.game.nodes[place.pc]
        match node:
            case ir.Decide():
                what = f"choice `{node.name}`"
            case ir.Mark():
                what = f"{'beginning' if node.begins else 'end'} of `{node.rule}`"
            case _:
                what = _STOPS.get(type(node), type(node).__name__.lower())
        cells = [self._machine.layout.cell_vars[i] for i in self._induction.symbolic.steering_cells]
        steering = zip(cells, place.steering, strict=True)
        return {
            "number": self.numbers[place],
            "node": place.pc,
            "at": f"{what}, {self._place_of(place.pc)}",
            "where": {v.name: self.wording.value(value, v.type) for v, value in steering if value is not UNSET},
            "interrupted": [self._place_of(i) for i in place.frames],
            "holds": [self.wording.of(x) for x in self._induction.held[place]],
        }

    # ------------------------------------------------------------------------------------------ files

    def put(self, name: str | None, says: dict[str, Any], questions: Iterator[Question]) -> Path:
        """Writes a folder whole or not at all. One without a name is named after what is in it."""
        title = self._title(says)
        files = ((f"{q.name}.smt2", _text(title, q.words, q.text), {"says": q.words[0]} | q.data) for q in questions)
        return put(self._wanted.folder, name, self._head | says, files)

    def _title(self, says: dict[str, Any]) -> str:
        about = f"{says['property']}: {says['says']}" if "property" in says else "what is held at the stops is kept up"
        return f"{self._machine.game.name}, {self._head['players']} players; {about}"


def _text(title: str, words: list[str], asked: str) -> str:
    """A question with what it says in front. A line of a comment ends nothing but itself."""
    lines = [title, *words, "unsat: no values satisfy what follows, so what is said is so."]
    commented = "".join(f"; {plain_line}\n" for line in lines for plain_line in [" ".join(line.split())])
    body = [line for line in asked.splitlines() if not line.startswith((";", "(set-info "))]
    return "\n".join([f"{commented}{_LOGIC}", *body, ""])
