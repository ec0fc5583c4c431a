"""Every code that is reported has a page, every page is of a code that is reported, and pages tell the truth."""

import re
from pathlib import Path

import pytest

from dsl.codes import CODES, FAMILIES, parse_page
from dsl.diagnostics import Reporter
from dsl.reader import read_text

ROOT = Path(__file__).parents[2]
EXAMPLE = re.compile(r"^```yaml (bad|good)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sources() -> str:
    folders = ("dsl", "interpreter", "verify", "cli")
    paths = [path for name in folders for path in sorted((ROOT / name).rglob("*.py"))]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def test_every_reported_code_has_a_page() -> None:
    used = set(re.findall(r'report\(\s*"([A-Z]\d{3})"', sources()))
    assert sorted(used - set(CODES)) == []


def test_every_page_is_of_a_code_in_use() -> None:
    named = set(re.findall(r'"([A-Z]\d{3})"', sources()))
    assert sorted(set(CODES) - named) == []


def test_codes_and_slugs_are_unique_and_in_order() -> None:
    assert list(CODES) == sorted(CODES)
    slugs = [code.slug for code in CODES.values()]
    assert len(slugs) == len(set(slugs))
    assert {code.family for code in CODES.values()} <= set(FAMILIES.values())


WRONG = [
    ("R101.md", "R101 x: y"), ("R102.md", "# R101 x: y"), ("X901.md", "# X901 x: y"),
    ("R101.md", "# R101 X: y"), ("R101.md", ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text"), WRONG)
def test_page_with_a_wrong_heading_is_refused(name: str, text: str) -> None:
    with pytest.raises(ValueError, match="must be named after its code"):
        parse_page(name, text)


@pytest.mark.parametrize("code", sorted(name for name in CODES if name.startswith("R1")))
def test_examples_of_reader_pages_are_true(code: str) -> None:
    for kind, text in EXAMPLE.findall(CODES[code].page):
        reporter = Reporter()
        tree = read_text("page.yaml", text, reporter)
        found = {d.code for d in reporter.diagnostics}
        assert found == ({code} if kind == "bad" else set())
        assert kind == "bad" or tree is not None
