"""Folders of certificates: an index with the sum of each file, written whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dsl import ir, model
from verify.certificates import sum_of_claim, sum_of_rules
from verify.tracefile import file_name
from verify.wanted import FORMAT, INDEX, Wanted, sum_of


def head(wanted: Wanted, source: model.Model, game: ir.Game) -> dict[str, Any]:
    """What each index says first: of which rules it is."""
    return {
        "format": FORMAT, "game": wanted.game, "rules": sum_of_rules(source), "players": game.num_players,
        "options": dict(game.options),
    }  # fmt: skip


def about(wanted: Wanted, name: str, claim: ir.Property | None) -> dict[str, Any]:
    """What the index of a property says of it."""
    says = {"property": name, "kind": "free" if claim is None else "claim", "says": wanted.says}
    return says | ({} if claim is None else {"claim": sum_of_claim(claim)})


def put(folder: Path, name: str | None, says: dict[str, Any], files: Iterable[tuple[str, str, dict[str, Any]]]) -> Path:
    """Writes an index and files, each a name, a text and what the index has of it. The folder that has them.

    `name` None: it is named after what is in it.

    Raises:
        OSError: It cannot be written there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".being-written-", dir=folder))
    try:
        listed = []
        for file, text, data in files:
            whole = text.encode()
            (made / file).write_bytes(whole)
            listed.append({"file": file, "sum": sum_of(whole)} | data)
        index = json.dumps(says | {"files": listed}, ensure_ascii=False, indent=1) + "\n"
        (made / INDEX).write_text(index, encoding="utf-8")
        made.chmod(0o755)
        name = name or f"held-{says['players']}-{sum_of(index.encode())[:8]}"
        target = folder / file_name(name)
        _into_place(made, target)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return target


def _into_place(made: Path, target: Path) -> None:
    """Puts a folder where one of an earlier run, or of another worker, may be."""
    for _ in range(3):
        try:
            os.replace(made, target)
            return
        except OSError:
            if (target / INDEX).is_file():  # nothing else is ours to take away
                shutil.rmtree(target, ignore_errors=True)
    os.replace(made, target)
