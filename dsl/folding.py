"""Bound names, and what is made of many values: counts, sums, extremes, the best of some cards."""

from __future__ import annotations

from typing import assert_never

from dsl import ir, syntax, types
from dsl.checking import Checking
from dsl.diagnostics import did_you_mean
from dsl.source import Span
from dsl.symbols import Env

_FOLDS = {"count": ir.FoldOp.COUNT, "some": ir.FoldOp.SOME, "only": ir.FoldOp.ONLY}


class Folding(Checking):
    """Binders and folds."""

    def binder(self, node: syntax.Binder, env: Env, as_variable: ir.Var | None = None
               ) -> tuple[ir.Binder, Env] | None:  # fmt: skip
        """A bound name with its domain, and the names that hold where it is bound.

        With `as_variable` the name stands for that state variable instead of a local.
        """
        s = self.symbols
        name, sort = node.name.text, node.sort
        anonymous = sort is None and node.source is None and name in types.SORTS
        domain: ir.Domain | ir.Expr
        if node.source is not None and sort is not None:
            return self._fail("T416", "either a sort or a source says what is gone over, not both", node.span)
        if isinstance(node.source, syntax.NumberRange):
            low, high = self.check(node.source.low, env), self.check(node.source.high, env)
            if not (isinstance(low, ir.Const) and isinstance(high, ir.Const)
                    and isinstance(low.value, int) and isinstance(high.value, int)):  # fmt: skip
                if low is not None and high is not None:
                    self._fail("T417", "the ends of this range must be written as numbers", node.source.span)
                return None
            if low.value > high.value:
                return self._fail("T415", "this range is empty", node.source.span)
            domain = ir.IntType(low.value, high.value)
            t: ir.Type = domain
        elif node.source is not None:
            source = self.check(node.source, env)
            if source is None:
                return None
            match types.of(source):
                case ir.CardsType():
                    domain, t = source, types.CARD
                case ir.CombinationsType():
                    domain, t = source, types.COMBINATION
                case other:
                    return self._fail("T401", f"{types.an(other)} cannot be gone over", node.source.span,
                                      help="cards, several combinations or a range of numbers can")  # fmt: skip
        else:
            word = name if anonymous else (sort.name.text if sort is not None else "player")
            known = types.SORTS.get(word)
            if known is None:
                assert sort is not None
                return self._fail("N307", f"`{word}` is nothing that can be gone over", sort.span,
                                  help=did_you_mean(word, types.SORTS)
                                  or "players, ranks, suits and kinds can; `c in CARDS` goes over cards")  # fmt: skip
            if isinstance(known, ir.KindType) and not s.kinds:
                return self._no_combinations(node.span)
            domain = t = known
        inner = dict(env)
        if not anonymous:
            self.fresh(node.name, env)
            inner[name] = as_variable if as_variable is not None else ir.Local(name, t)
        where = None
        if node.where is not None:
            where = self.expect(node.where, inner, types.BOOL)
            if where is None:
                return None
        return ir.Binder(name, domain, t, where), inner

    def _fold(self, node: syntax.Fold | syntax.Extreme | syntax.Highest | syntax.First | syntax.Every, env: Env
              ) -> ir.Expr | None:  # fmt: skip
        bound = self.binder(node.binder, env)
        if bound is None:
            return None
        binder, inner = bound
        match node:
            case syntax.Fold(_, word, _):
                op = _FOLDS[word.text]
                t: ir.Type = types.BOOL
                if op is ir.FoldOp.COUNT:
                    t = ir.IntType(0, self._most(binder))
                elif op is ir.FoldOp.ONLY:
                    t = ir.OptionalType(binder.type)
                return ir.FoldExpr(op, binder, None, t)
            case syntax.Every(_, _, body):
                x = self.expect(body, inner, types.BOOL)
                return None if x is None else ir.FoldExpr(ir.FoldOp.EVERY, binder, x, types.BOOL)
            case syntax.First(_, _, start):
                begin = self._start(start, binder, node.binder, env)
                if start is not None and begin is None:
                    return None
                return ir.FoldExpr(ir.FoldOp.FIRST, binder, None, ir.OptionalType(binder.type), begin)
            case syntax.Extreme(_, word, body, _):
                return self._extreme(word, body, binder, inner)
            case syntax.Highest():
                return self._highest(node, binder, inner, env)
            case _:
                assert_never(node)

    def _most(self, binder: ir.Binder) -> int:
        if isinstance(binder.domain, ir.Domain):
            return self.symbols.domain_size(binder.domain)
        return self.symbols.num_cards

    def _start(self, start: syntax.Expr | None, binder: ir.Binder, node: syntax.Binder, env: Env) -> ir.Expr | None:
        if start is None:
            return None
        if not isinstance(binder.domain, ir.PlayerType):
            return self._fail("T418", "only players sit clockwise", node.span)
        return self.expect(start, env, types.PLAYER)

    def _extreme(self, word: syntax.Token, body: syntax.Expr, binder: ir.Binder, inner: Env) -> ir.Expr | None:
        x = self.check(body, inner)
        if x is None:
            return None
        t = types.of(x)
        if word.text == "sum":
            x = self._unwrapped(x)
            if not types.is_number(types.of(x)):
                return self._fail("T401", f"`sum` adds numbers, this is {types.an(t)}", body.span)
            total = types.of(x)
            if isinstance(total, ir.IntType):
                total = types.multiply(total, ir.IntType(0, self._most(binder)))
            return ir.FoldExpr(ir.FoldOp.SUM, binder, x, total)
        if not isinstance(types.strip(t), ir.CombinationType):
            x = self._unwrapped(x)
        if not types.is_ordered(types.of(x)):
            return self._fail("T410", f"there is no higher or lower among {types.many(t)}", body.span)
        op = ir.FoldOp.MAX if word.text == "max" else ir.FoldOp.MIN
        # Over all players, kinds, ranks or suits there is always one; a condition may leave none.
        always = binder.where is None and isinstance(binder.domain, ir.PlayerType | ir.KindType | ir.RankType
                                                     | ir.SuitType | ir.IntType)  # fmt: skip
        of = types.of(x)
        return ir.FoldExpr(op, binder, x, of if always else ir.OptionalType(types.strip(of)))

    def _highest(self, node: syntax.Highest, binder: ir.Binder, inner: Env, env: Env) -> ir.Expr | None:
        x = self.check(node.by, inner)
        if x is None:
            return None
        if not isinstance(types.strip(types.of(x)), ir.CombinationType):
            x = self._unwrapped(x)
        if not types.is_ordered(types.of(x)):
            return self._fail("T410", f"there is no higher or lower among {types.many(types.of(x))}", node.by.span)
        op = ir.FoldOp.HIGHEST if node.word.text == "highest" else ir.FoldOp.LOWEST
        t = ir.OptionalType(binder.type)
        if node.tie is None:
            return self._fail("L502", f"a tie for the {node.word.text} is not decided", node.span,
                              help="say what a tie does: `tie none` or `tie first clockwise from …`")  # fmt: skip
        match node.tie.rule:
            case syntax.TieNone():
                return ir.FoldExpr(op, binder, x, t, None, ir.Tie.NONE)
            case syntax.TieFirst(_, start):
                begin = self._start(start, binder, node.binder, env)
                if start is not None and begin is None:
                    return None
                return ir.FoldExpr(op, binder, x, t, begin, ir.Tie.FIRST)
            case other:
                assert_never(other)

    def _max_of(self, node: syntax.MaxOf, env: Env) -> ir.Expr | None:
        if node.word.text == "sum":
            return self._fail("T413", "`sum` adds one value for each of many", node.word.span, help="use `+`")
        checked = [self.check(x, env) for x in (node.first, *node.others)]
        operands = [x for x in checked if x is not None]
        if len(operands) < len(checked):
            return None
        if not isinstance(types.strip(types.of(operands[0])), ir.CombinationType):
            operands = [self._unwrapped(x) for x in operands]
        t = types.of(operands[0])
        for x, at in zip(operands, (node.first, *node.others), strict=True):
            joined = types.join(t, types.of(x))
            if joined is None or not types.is_ordered(joined):
                return self._fail("T401", f"{types.an(types.of(x))} cannot be compared here", at.span)
            t = joined
        return ir.ExtremeExpr(node.word.text == "max", tuple(operands), t)

    def _best(self, cards: syntax.Expr, binder: syntax.Binder | None, env: Env) -> ir.Expr | None:
        pile = self.expect(cards, env, types.CARDS)
        if not self.symbols.kinds:
            return self._no_combinations(cards.span)
        bound = None
        if binder is not None:
            checked = self.binder(binder, env)
            if checked is None:
                return None
            bound = checked[0]
            if not isinstance(bound.domain, ir.KindType):
                return self._fail("T401", "`best … for` says which kinds may be taken", binder.span,
                                  help="write `best(CARDS for kind k where …)`")  # fmt: skip
        if pile is None:
            return None
        # A condition on the kinds may leave out "none of these" too.
        fallback = any(k.pattern is None for k in self.symbols.kinds) and (bound is None or bound.where is None)
        return ir.BestExpr(pile, bound, types.COMBINATION if fallback else types.OPTIONAL_COMBINATION)

    def _no_combinations(self, span: Span) -> None:
        if not self.symbols.is_broken("combinations"):
            self.symbols.broken.add("combinations")
            self._fail("N306", "this game has no combinations", span)

    def _split(self, cards: syntax.Expr, column: syntax.Token, env: Env) -> ir.Expr | None:
        pile = self.expect(cards, env, types.CARDS)
        if column.text not in self.symbols.columns:
            return self._fail("N312", f"the combinations have no column `{column.text}`", column.span,
                              help=did_you_mean(column.text, self.symbols.columns))  # fmt: skip
        self.symbols.read.add(f"column {column.text}")
        return None if pile is None else ir.SplitExpr(pile, column.text)
