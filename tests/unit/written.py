"""Rules that a test has written, read as a file is."""

from __future__ import annotations

from pathlib import Path

from dsl import load, model


def loaded_of(folder: Path, text: str, name: str = "small.yaml") -> load.Loaded:
    """A file with this text, read."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    loaded = load.load(path, name)
    assert isinstance(loaded, load.Loaded)
    return loaded


def model_of(folder: Path, text: str, name: str = "small.yaml") -> model.Model:
    """The model of a text in which nothing is wrong."""
    loaded = loaded_of(folder, text, name)
    source = loaded.model()
    assert source is not None, [d.message for d in loaded.reporter.diagnostics]
    return source
