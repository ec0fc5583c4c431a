"""The colours of the table, by what they are for."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Final

from rich.style import Style

FELT: Final = "#14382c"
RAIL: Final = "#0c241c"
INK: Final = "#dce8e0"

_STYLES: Final = {
    "": INK,
    "felt": f"{INK} on {FELT}",
    "dim": "#8aa899",
    "label": "#b5cfc1",
    "strong": f"bold {INK}",
    "title": f"bold #ffe08a on {RAIL}",
    "bar": f"{INK} on {RAIL}",
    "bar.dim": f"#8aa899 on {RAIL}",
    "you": "bold #9be7c4",
    "turn": "bold #ffd75f",
    "value": "bold #ffffff",
    "clock": f"bold #9be7c4 on {RAIL}",
    "clock.short": f"bold #ff8a70 on {RAIL}",
    "place.lit": "bold #ffd75f",
    "place.picked": "bold #14382c on #ffb347",
    "slot": "#3f6a58 on #102e24",
    "slot.lit": "#ffd75f on #2c4a2c",
    "card.black": "bold #16181d on #f4efe2",
    "card.red": "bold #c3202f on #f4efe2",
    "lit.black": "bold #16181d on #ffd75f",
    "lit.red": "bold #b01020 on #ffd75f",
    "picked.black": "bold #16181d on #ff9d3c",
    "picked.red": "bold #9a0f1c on #ff9d3c",
    "ghost.black": "#1c2622 on #7d9489",
    "ghost.red": "#7a1520 on #7d9489",
    "back": "#8fa8ea on #31458a",
    "back.lit": "bold #31458a on #ffd75f",
    "back.picked": "bold #31458a on #ff9d3c",
    "move": INK,
    "move.number": "#8aa899",
    "move.chosen": "bold #14382c on #ffd75f",
    "good": "bold #9be7c4",
    "bold": "bold #ffffff",
    "yellow": "#ffd75f",
    "cyan": "#8fd6e8",
    "red": "#ff8a70",
    "cites": "#7f9a8c",
}


EDGE: Final = "edge:"
"""In front of a style of cards: that of their left edge."""


@lru_cache(maxsize=512)
def style(name: str, is_hovered: bool = False) -> Style:
    """The style of a name; what the mouse points at stands out."""
    if name.startswith(EDGE):
        return Style(color="#8d8672", bgcolor=style(name.removeprefix(EDGE)).bgcolor)
    found = Style.parse(_STYLES[name])
    if "lit" in name.split(".") and os.environ.get("NO_COLOR"):
        found += Style(underline=True)  # in grey it would hardly stand out
    return found + Style(underline=True, bold=True) if is_hovered else found
