"""Options of the test run. Slow tests are left out unless `--slow` asks for them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from dsl import reader
from dsl.diagnostics import Reporter

SPEC = Path(__file__).parents[1] / "spec"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", default=False, help="run the long checks as well")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--slow"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


@cache
def shipped() -> frozenset[str]:
    """The texts of the files that ship."""
    return frozenset(path.read_text(encoding="utf-8") for path in SPEC.rglob("*.yaml"))


def read_once() -> None:
    """Each file that ships has its tree made once in a process, though hundreds of tests read it.

    Trees cannot be changed. Any other text is read anew, and so is one of which there is something to report.
    """
    kept: dict[tuple[str, str], reader.Mapping | None] = {}
    read_text = reader.read_text

    def reading(path: str, text: str, reporter: Reporter) -> reader.Mapping | None:
        key = path, text
        if key not in kept:
            reported = len(reporter.diagnostics)
            tree = read_text(path, text, reporter)
            if text not in shipped() or len(reporter.diagnostics) > reported:
                return tree
            kept[key] = tree
        return kept[key]

    reader.read_text = reading


read_once()


@pytest.fixture(autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games that tests play are not kept among those of the one who runs them."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.getbasetemp() / "state"))
