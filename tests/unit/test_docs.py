"""Every block of code in the reference, the tutorial and the README is what it says it is.

The word after the fence tells how a block is tested; `spec/language.md` says so to its readers, under "How to read
the examples". Blocks that are no complete file stand over the base game of the page, `small`.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.main import app
from dsl import analyse, load, model
from dsl.codes import FAMILIES
from dsl.diagnostics import Diagnostic, Reporter
from dsl.document import SECTIONS
from dsl.fields import RESERVED
from dsl.render import render_all
from interpreter.examples import Verdict, run_all
from interpreter.machine import Machine
from interpreter.play import with_random_bots

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "spec" / "language.md"
README = ROOT / "README.md"
TUTORIAL = ROOT / "docs" / "tutorial.md"
STEPS = ROOT / "docs" / "tutorial"
UNUSED = {"L508", "L509"}
"""What a part of a game may leave open: that nothing uses it yet, or nothing sets it."""

_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OPENS = re.compile(r"^(rule|define)\b", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: what its fence says, the text in it, and the line of the page it begins at."""

    page: Path
    info: str
    text: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        yield Block(page, found[1], found[2], text.count("\n", 0, found.start()) + 1)


def cases(pages: Iterable[Path], *infos: str) -> list[object]:
    """The blocks of some kinds, each named after its place."""
    chosen = [b for page in pages for b in blocks(page) if b.info.startswith(infos)]
    return [pytest.param(b, id=f"{b.page.name}:{b.line}") for b in chosen]


# ------------------------------------------------------------------------------- the reference: its shelf


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every file that the reference names: its games and clauses."""
    folder = tmp_path_factory.mktemp("reference")
    for block in blocks(REFERENCE):
        if block.info == "yaml game":
            name = re.search(r"^game: (\w+)$", block.text, re.MULTILINE)
            assert name is not None
            (folder / f"{name[1]}.yaml").write_text(block.text, encoding="utf-8")
        elif block.info.startswith("yaml file "):
            (folder / block.info.split()[-1]).write_text(block.text, encoding="utf-8")
    return folder


def over_small(block: Block) -> str:
    """A block as a file: a whole one as it stands, sections or rules as a variant of the game `small`."""
    if block.text.startswith("hoyle:"):
        return block.text
    text = block.text
    if block.info.startswith("rules"):
        if not _OPENS.search(text):
            text = "rule turn(p):\n" + indented(text)
        text = "rules: |\n" + indented(text)
    return "hoyle: 1\ngame: part\nextends: small\n" + text


def indented(text: str) -> str:
    return "".join(f"  {line}" for line in text.splitlines(keepends=True))


def checked(path: Path) -> tuple[model.Model | None, list[Diagnostic]]:
    found, reporter = load.check(path, path.name)
    return found, reporter.diagnostics


def verdicts(path: Path) -> tuple[list[Diagnostic], tuple[Verdict, ...]]:
    """What becomes of the examples of a file that checks clean."""
    loaded = load.load(path, path.name)
    assert not isinstance(loaded, Reporter)
    found = loaded.model()
    assert found is not None, render_all(loaded.reporter.diagnostics)
    results = run_all(found, loaded.model, found.examples, loaded.reporter)
    return loaded.reporter.diagnostics, results


def expect_sound(path: Path) -> None:
    """The file checks clean, its examples come out, and games of it come to an end."""
    found, diagnostics = checked(path)
    assert not diagnostics, render_all(diagnostics)
    assert found is not None
    slips, results = verdicts(path)
    assert not slips, render_all(slips)
    wrong = [f"{v.title}: expected {v.expected}, got {v.got}" for v in results if not v.ok]
    assert not wrong, "\n".join(wrong)
    for players in {found.players[0], found.players[1]}:
        playthrough = with_random_bots(Machine(load.game(found, players)), seed=1, recording=False)
        playthrough.run(max_decisions=20_000)
        assert playthrough.is_over


@pytest.mark.parametrize("block", cases([REFERENCE], "yaml game"))
def test_games_of_the_reference_are_sound(block: Block, shelf: Path) -> None:
    name = re.search(r"^game: (\w+)$", block.text, re.MULTILINE)
    assert name is not None
    expect_sound(shelf / f"{name[1]}.yaml")


@pytest.mark.parametrize("block", cases([REFERENCE], "yaml part", "yaml bad", "rules"))
def test_parts_check_clean_or_show_their_mistake(block: Block, shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shelf / f"part_{block.line}.yaml"
    path.write_text(over_small(block), encoding="utf-8")
    code = block.info.split()[-1] if " bad " in block.info else ""
    if code not in UNUSED:
        monkeypatch.setattr(analyse, "report_unused", lambda *_: None)
    found, diagnostics = checked(path)
    if not code.startswith("E"):
        assert {d.code for d in diagnostics} == ({code} if code else set()), render_all(diagnostics)
    if found is not None:
        slips, results = verdicts(path)
        assert {d.code for d in slips} == ({code} if code else set()), render_all(slips)
        wrong = [f"{v.title}: expected {v.expected}, got {v.got}" for v in results if not v.ok]
        assert not wrong, "\n".join(wrong)


# ------------------------------------------------------------------------ the reference: expressions


def lines_of(block: Block) -> Iterator[tuple[str, str]]:
    for line in block.text.splitlines():
        if line.strip():
            expression, arrow, value = line.partition("→")
            assert arrow, f"`{line}` says nothing of its value"
            yield expression.strip(), value.strip()


def asked(block: Block, state: str) -> tuple[str, list[str], list[tuple[str, str]]]:
    """The values of a block as examples of a variant of `small`, with the lines that are mistakes and faults."""
    examples: list[str] = []
    odd: list[tuple[str, str]] = []
    for expression, value in lines_of(block):
        if re.fullmatch(r"[A-Z][0-9]{3}", value) or value.startswith("fault:"):
            odd.append((expression, value))
        else:
            examples.append(example(expression, value, state))
    return state, examples, odd


def example(expression: str, value: str, state: str) -> str:
    shown = value if value.startswith("[") else f"'{value}'"
    return f"  - title: a line\n    value: '{expression}'\n    is: {shown}\n{indented(indented(state))}"


def standing_state() -> str:
    return next((b.text for b in blocks(REFERENCE) if b.info == "yaml state"), "")


def variant(examples: list[str]) -> str:
    return "hoyle: 1\ngame: part\nextends: small\nexamples:\n" + "".join(examples)


@pytest.mark.parametrize("block", cases([REFERENCE], "expr"))
def test_expressions_have_the_values_shown(block: Block, shelf: Path) -> None:
    _, examples, odd = asked(block, standing_state())
    path = shelf / f"expr_{block.line}.yaml"
    if examples:
        path.write_text(variant(examples), encoding="utf-8")
        slips, results = verdicts(path)
        assert not slips, render_all(slips)
        wrong = [f"{v.expected}; got {v.got}" for v in results if not v.ok]
        assert not wrong, "\n".join(wrong)
    for expression, value in odd:
        path.write_text(variant([example(expression, "none", standing_state())]), encoding="utf-8")
        slips, results = verdicts(path)
        if value.startswith("fault:"):
            assert not slips, render_all(slips)
            assert [v.got for v in results] == [value], expression
        else:
            assert {d.code for d in slips} == {value}, render_all(slips)


# ------------------------------------------------------------------------------------------ the tutorial

_PROMPT = re.compile(r"^seat \d+, \w+> (.*)$", re.MULTILINE)
_COMMAND = re.compile(r"^\$ (.*)$", re.MULTILINE)
_VARIANT_STEP = 9


def lay_out(step: int, folder: Path) -> None:
    """The files as a reader of the tutorial has them after a step."""
    own = min(step, _VARIANT_STEP - 1)
    (folder / "magpies.yaml").write_bytes((STEPS / f"{own}.yaml").read_bytes())
    if step == _VARIANT_STEP:
        (folder / "greedy_magpies.yaml").write_bytes((STEPS / f"{step}.yaml").read_bytes())


@pytest.mark.parametrize("block", cases([TUTORIAL, README], "yaml "))
def test_what_the_tutorial_adds_stands_in_the_file_of_its_step(block: Block) -> None:
    assert block.text in (STEPS / f"{block.info.split()[1]}.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("step", [2, 3, 4, 5, 7, 8, 9])
def test_steps_of_the_tutorial_are_sound(step: int, tmp_path: Path) -> None:
    lay_out(step, tmp_path)
    expect_sound(tmp_path / ("greedy_magpies.yaml" if step == _VARIANT_STEP else "magpies.yaml"))


@pytest.mark.parametrize("block", cases([TUTORIAL, README], "console "))
def test_what_the_tutorial_shows_is_what_hoyle_says(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
                                                    ) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    lay_out(int(block.info.split()[1]), tmp_path)
    typed = _PROMPT.findall(block.text)
    real = "\n".join(transcript(command, typed) for command in _COMMAND.findall(block.text))
    if os.environ.get("HOYLE_WRITE_DOCS"):
        text = block.page.read_text(encoding="utf-8")
        shown, told = (f"```{block.info}\n{body}```" for body in (block.text, real))
        block.page.write_text(text.replace(shown, told), encoding="utf-8")
    else:
        assert block.text == real, "HOYLE_WRITE_DOCS=1 writes what hoyle says now"


def transcript(command: str, typed: list[str]) -> str:
    """A command as it is typed, with what it prints; `| head -n N` and `| tail -n N` cut that short."""
    called, _, cut = command.partition(" | ")
    words = shlex.split(called)
    assert words[0] == "hoyle"
    result = CliRunner().invoke(app, words[1:], input="".join(f"{line}\n" for line in typed))
    lines = result.output.rstrip("\n").split("\n")
    if cut:
        which, _, number = cut.split()
        lines = lines[: int(number)] if which == "head" else lines[-int(number) :]
    return "".join(f"{line.rstrip()}\n" for line in [f"$ {command}", *lines])


# --------------------------------------------------------------------------------------------- both pages


@pytest.mark.parametrize(("page", "known"), [
    (REFERENCE, r"yaml (game|part|state|file \S+\.yaml|bad [A-Z]\d{3})|rules( bad [A-Z]\d{3})?|expr"),
    (TUTORIAL, r"(yaml|console) [1-9]"),
    (README, r"(yaml|console) [1-9]|sh"),
])  # fmt: skip
def test_no_block_is_left_untested(page: Path, known: str) -> None:
    found = list(blocks(page))
    assert page.read_text(encoding="utf-8").count("\n```") == 2 * len(found)
    assert [b for b in found if not re.fullmatch(known, b.info)] == []


def test_links_lead_somewhere() -> None:
    others = (ROOT / name for name in ("docs/plays.md", "CONTRIBUTING.md", "CHANGELOG.md"))
    for page in (REFERENCE, TUTORIAL, README, *others):
        text = _FENCE.sub("", page.read_text(encoding="utf-8"))
        titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        headings = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
        for target in re.findall(r"\](?:\(([^)\s]+)\)|: (\S+)$)", text, re.MULTILINE):
            target = target[0] or target[1]
            if target.startswith("#"):
                assert target[1:] in headings, f"{page.name}: {target}"
            elif "://" not in target:
                assert (page.parent / target.partition("#")[0]).exists(), f"{page.name}: {target}"


def test_the_reference_names_every_section_word_and_family() -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    assert [s for s in SECTIONS if f"`{s}`" not in text] == []
    names = re.search(r"^These words cannot be.*?\n\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    assert names is not None
    assert set(re.findall(r"\w+", names[1])) == RESERVED
    assert [f for f in FAMILIES if f"`{f}`" not in text] == []
    index = text.partition("## Index of words")[2]
    assert sorted(RESERVED - set(re.findall(r"\w+", index))) == []
