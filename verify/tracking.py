"""Which variables the count abstraction keeps: few at first, more where that was not enough to decide."""

from __future__ import annotations

from typing import Any

from dsl import ir, types
from dsl.walk import parts, variables_read
from interpreter.machine import Machine
from verify.capacities import Summed, summable

_FEW = 20


def abstractions(machine: Machine, questions: tuple[ir.Expr, ...]) -> list[tuple[bool, frozenset[str]]]:
    """The count abstractions that are tried of a question, in order: whether coarse, and which variables are kept."""
    return Tracking(machine).abstractions(questions)


def levels(machine: Machine, questions: tuple[ir.Expr, ...]) -> list[frozenset[str]]:
    """Sets of variables to keep, each larger than the one before.

    First those that steer loops and say whose turn it is, then all single ones of few values, then the indexed ones
    that the question reads, then all of few values.
    """
    return Tracking(machine).levels(questions)


class Tracking:
    """The variables of one game that may be worth keeping, for many questions."""

    def __init__(self, machine: Machine) -> None:
        self._game = game = machine.game
        summed = summable(machine)
        everything = list(parts((game.nodes, game.functions)))
        self._few = {v.name for v in game.state if _is_few(machine, v) and not _only_places(summed, everything, v)}
        self._single = {v.name for v in game.state if not v.dims and v.name in self._few}
        self._steering = {v.name for v in game.state if v.name in self._single and (v.local or _is_player(v))}

    def abstractions(self, questions: tuple[ir.Expr, ...]) -> list[tuple[bool, frozenset[str]]]:
        """As the function of that name."""
        sets = self.levels(questions)
        return [(True, sets[0]), *((False, tracked) for tracked in sets)]

    def levels(self, questions: tuple[ir.Expr, ...]) -> list[frozenset[str]]:
        """As the function of that name."""
        asked = {name for q in questions for name in variables_read(q, self._game)} & self._few
        wanted = (self._steering | (asked & self._single), self._single, self._single | asked, self._few)
        return list(dict.fromkeys(map(frozenset, wanted)))


def _is_few(machine: Machine, variable: ir.StateVar) -> bool:
    t = types.strip(variable.type)
    if (variable.local and variable.name.rpartition(".")[0].endswith(".times")) or variable.name.endswith(".times"):
        return True
    match t:
        case ir.BoolType():
            return True
        case ir.PlayerType() | ir.KindType() | ir.RankType() | ir.SuitType() | ir.EnumType():
            return len(machine.words.domain(t)) <= _FEW
        case ir.IntType(low, high):
            return low is not None and high is not None and high - low < _FEW
        case _:
            return False


def _only_places(summed: dict[str, Summed], everything: list[Any], variable: ir.StateVar) -> bool:
    """Whether a local only says which zone of a summed family is meant: then its value does not matter."""
    if not variable.local or not summed:
        return False
    used = harmless = 0
    for part in everything:
        match part:
            case ir.Var(name, (), _) if name == variable.name:
                used += 1
            case ir.ZoneExpr(zone, indices) if zone in summed and indices[-1] == ir.Var(
                variable.name, (), variable.type
            ):
                harmless += 1
            case ir.UnaryExpr(ir.Unary.SIZE_OF, ir.Var(name, (), ir.KindType()), _) if name == variable.name:
                harmless += 1
            case _:
                pass
    return 0 < used <= harmless


def _is_player(variable: ir.StateVar) -> bool:
    return isinstance(types.strip(variable.type), ir.PlayerType)
