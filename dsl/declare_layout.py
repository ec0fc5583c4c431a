"""The layout of a rule file: where zones lie on the table when a game is shown."""

from __future__ import annotations

from dsl import model
from dsl.diagnostics import Reporter, did_you_mean
from dsl.document import texts
from dsl.fields import Fields, rows
from dsl.symbols import Symbols
from dsl.yamltree import Node, Scalar, Sequence


def read_layout(node: Node | None, symbols: Symbols, reporter: Reporter) -> model.Layout:
    """Where zones lie on the table, and in what shape."""
    if node is None:
        return model.Layout()
    fields = Fields(node, "`layout`", ("rows", "shapes", "cites"), (), reporter)
    fields.cites()
    lines: list[tuple[str, ...]] = []
    rows_node = fields.node("rows")
    if rows_node is not None and not isinstance(rows_node, Sequence):
        reporter.report("S206", "`rows` of `layout` is a list of lists of zones", rows_node.span)
    for item in rows_node.items if isinstance(rows_node, Sequence) else ():
        lines.append(tuple(n.text for n in texts(item, reporter) if _is_zone(n, symbols, reporter)))
    shapes: list[tuple[str, str]] = []
    for key, value in rows(fields.node("shapes"), "`shapes`", reporter):
        if not isinstance(value, Scalar):
            reporter.report("S206", "a shape is one word", value.span)
        elif _is_zone(key, symbols, reporter) and _is_shape(value, reporter):
            shapes.append((key.text, value.text))
    return model.Layout(tuple(lines), tuple(shapes))


def _is_zone(name: Scalar, symbols: Symbols, reporter: Reporter) -> bool:
    if name.text in symbols.zones:
        return True
    if symbols.is_broken(name.text):
        return False
    reporter.report("N301", f"no zone is named `{name.text}`", name.span, note="not a zone of this game",
                    help=did_you_mean(name.text, symbols.zones))  # fmt: skip
    return False


def _is_shape(shape: Scalar, reporter: Reporter) -> bool:
    shapes = ("hand", "row", "pile", "board", "trick")
    if shape.text in shapes:
        return True
    reporter.report("S209", f"`{shape.text}` is no shape", shape.span,
                    help=did_you_mean(shape.text, shapes) or "it is " + " or ".join(shapes))  # fmt: skip
    return False
