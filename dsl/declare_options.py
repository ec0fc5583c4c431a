"""The unclear rules of a rule file: options, which can be read several ways, and rulings."""

from __future__ import annotations

from dsl import model
from dsl.diagnostics import Reporter, did_you_mean
from dsl.fields import Fields, rows
from dsl.source import Span
from dsl.yamltree import Mapping, Node, Scalar


def read_options(node: Node | None, reporter: Reporter) -> tuple[model.Option, ...]:
    """The unclear rules that can be read several ways."""
    out: list[model.Option] = []
    for key, value in rows(node, "`options`", reporter):
        fields = Fields(value, f"option `{key.text}`", ("question", "readings", "default", "cites", "pinned"),
                        ("question", "readings", "default"), reporter)  # fmt: skip
        if fields.is_wrong:
            continue
        readings: list[model.Reading] = []
        places: dict[str, Span] = {}
        for name, reading in rows(fields.node("readings"), f"the readings of `{key.text}`", reporter):
            places[name.text] = name.span
            if isinstance(reading, Scalar):
                readings.append(model.Reading(name.text, reading.text, None))
                continue
            row = Fields(reading, f"reading `{name.text}`", ("means", "changes"), ("means", "changes"), reporter)
            changes = row.node("changes")
            readings.append(
                model.Reading(name.text, row.text("means"), changes if isinstance(changes, Mapping) else None)
            )
        names = [r.name for r in readings]
        default = fields.scalar("default")
        if default is not None and default.text not in names:
            help = did_you_mean(default.text, names) or "its readings are " + ", ".join(names)
            reporter.report("V607", f"`{default.text}` is no reading of `{key.text}`", default.span, help=help)
            continue
        if default is None or len(readings) < 2:
            reporter.report("V608", f"option `{key.text}` has fewer than two readings", key.span)
            continue
        if any(r.changes is not None and r.name == default.text for r in readings):
            told = f"the default reading `{default.text}` is the rule text itself, and changes nothing"
            reporter.report("V609", told, places[default.text],
                            help="write the changes of the other readings instead")  # fmt: skip
            continue
        for r in readings:
            if r.changes is None and r.name != default.text:
                reporter.report("V609", f"reading `{r.name}` of `{key.text}` changes nothing", places[r.name],
                                help="give it `changes:`, laid over the file as a variant is")  # fmt: skip
        pin = fields.scalar("pinned")
        if pin is not None and pin.text not in names:
            reporter.report(
                "V607", f"`{pin.text}` is no reading of `{key.text}`", pin.span, help=did_you_mean(pin.text, names)
            )
            pin = None
        out.append(model.Option(key.text, fields.text("question"), tuple(readings), default.text, fields.cites(),
                                key.span, None if pin is None else pin.text))  # fmt: skip
    return tuple(out)


def read_rulings(node: Node | None, reporter: Reporter) -> tuple[model.Ruling, ...]:
    """The unclear rules that are read one way only."""
    out: list[model.Ruling] = []
    for key, value in rows(node, "`rulings`", reporter):
        fields = Fields(value, f"ruling `{key.text}`", ("reading", "why", "cites"), ("reading", "why"), reporter)
        out.append(model.Ruling(key.text, fields.text("reading"), fields.text("why"), fields.cites()))
    return tuple(out)
