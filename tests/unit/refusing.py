"""What is said of files that are damaged or hostile: it comes quickly, and is compared with a golden text."""

from __future__ import annotations

import errno
import os
import resource
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.main import app
from tests import golden_texts

SLOW = 5.0  # seconds of computing; far more than any file here should take
MUCH = 200_000  # KiB that a refusal may add to the most the process has ever used


def refusal(*args: str) -> str:
    """What `hoyle ARGS` says of a file, which is all that comes of it."""
    began, used = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = CliRunner().invoke(app, list(args))
    assert time.process_time() - began < SLOW
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used < MUCH
    told = result.stdout or result.stderr
    assert result.exit_code == 1 and not (result.stdout and result.stderr), result.output
    assert "Traceback" not in told and "hoyle itself failed" not in told
    assert all(ch.isprintable() or ch == "\n" for ch in told)
    assert all(len(line) <= 520 for line in told.splitlines())
    return told


def refused(*_: object) -> None:
    """In place of `open`: who asks has no permission."""
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def litter(folder: Path) -> None:
    """Leaves things there that are no files to read."""
    (folder / "folder.yaml").mkdir()
    (folder / "zero.yaml").symlink_to("/dev/zero")
    (folder / "circle.yaml").symlink_to("circle.yaml")
    os.mkfifo(folder / "fifo.yaml")


UNREADABLE = {
    "no file": "gone.yaml",
    "a folder": "folder.yaml",
    "a device": "zero.yaml",
    "a pipe": "fifo.yaml",
    "links in a circle": "circle.yaml",
    "a name too long": "x" * 5_000 + ".yaml",
    "a path with NUL": "a\0b.yaml",
}
"""What cannot be read, by kind: names in a folder with `litter`."""


def forbidden(command: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What `hoyle COMMAND PATH` says where nobody may read the file."""
    path.chmod(0)
    with monkeypatch.context() as patched:
        if os.geteuid() == 0:
            patched.setattr(Path, "open", refused)  # everything is allowed to root
        return refusal(command, path.name)


class Golden:
    """Texts by name in one file; `UPDATE_GOLDEN=1` writes them anew."""

    def __init__(self, path: Path, head: str, names: Iterable[str]) -> None:
        self._path, self._head, self.names = path, head, tuple(names)

    def texts(self) -> dict[str, str]:
        text = self._path.read_text(encoding="utf-8") if self._path.exists() else ""
        pieces = (piece.partition("\n") for piece in text.split("\n=== ")[1:])
        return {name: words.rstrip("\n") + "\n" for name, _, words in pieces}

    def agrees(self, name: str, told: str) -> None:
        known = self.texts()
        if golden_texts.updates():
            known[name] = told
            pieces = [f"=== {other}\n{known[other]}" for other in self.names if other in known]
            self._path.write_text("\n".join([f"{self._head}\n", *pieces]), encoding="utf-8")
        assert known.get(name) == told
