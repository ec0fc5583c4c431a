"""Certificates of proofs by counts: positions are written, checked step by step, refused where anything is changed."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.test_certify import hoyle
from tests.unit.written import model_of
from verify import evidence_counts, recheck
from verify.checks import shared_of
from verify.closed import NotKnown
from verify.counted import of_check
from verify.evidence_files import about, head, put
from verify.explore import explore
from verify.folded import Unsupported
from verify.outcome import Answer, Outcome, Verdict
from verify.positions import Positions
from verify.recheck_counts import check
from verify.report import certified
from verify.wanted import NOT_WRITTEN, Wanted, sum_of

# Whoever leads gives a card away, and the next one leads.
GAME = """
hoyle: 1
game: small
title: Small
players: 2
cards: {ranks: [7, 8, 9], suits: [hearts, spades]}
zones:
  stock: {starts: full, seen: nobody}
  hand: {each: player, seen: owner, holds: 2}
  slot: {each: 1..2, seen: everyone, holds: 2}
state:
  leads: {type: player or none, starts: none}
  left: {type: 0..3, starts: 3}
rules: |
  rule game:
    shuffle stock
    for each p: deal 2 from stock to hand[p]
    leads := random player
    repeat until left = 0:
      left -= 1
      turn
  rule turn:
    leads chooses:
      lay(c in hand[leads], k: 1..2) when size of slot[k] < 2: move c to slot[k]
    if count(k in 1..2 where size of slot[k] = 2) = 2: end game
    leads := left of leads
result: {score: "size of hand[p]", wins: "size of hand[p] = max(size of hand[q] for q)", ties: draw}
properties:
  no_more: {always: size of all slot <= 3}
  in_hand: {always: "size of hand[p] <= 2", for: {p: player}}
  never_all: {impossible: size of all slot = 4}
  counted: {bound: size of all slot, expect: {min: 0, max: 3}}
  not_so: {always: size of all slot <= 2}
"""
CHECKS = ("zones_within_capacity", "no_short_deal", "no_dead_end")
CLAIMS = ("no_more", "in_hand", "never_all", "counted")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with certificates, and the rules beside it."""
    folder = tmp_path_factory.mktemp("counts")
    source = model_of(folder, GAME)
    for name in (*CLAIMS, *CHECKS):
        claim = next((c for c in source.properties if c.name == name), None)
        wanted = Wanted(folder / "certificates" / "small", "../../../small.yaml", name)
        evidence_counts.certified(wanted, name, claim, source, 2, 20.0)
    return folder


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(made, tmp_path / "copied"))


def change(
    folder: Path,
    name: str,
    text: Callable[[str], str] | None = None,
    index: Callable[[dict[str, Any]], None] | None = None,
) -> None:
    """Changes a certificate so that all its sums are right again, and leaves only this one."""
    for other in (folder / "certificates" / "small").iterdir():
        if other.name != f"{name}-2":
            shutil.rmtree(other)
    at = folder / "certificates" / "small" / f"{name}-2"
    data = json.loads((at / "index.json").read_text(encoding="utf-8"))
    if text is not None:
        path = at / "positions-1.txt"
        before = path.read_text(encoding="utf-8")
        after = text(before)
        assert after != before
        path.write_text(after, encoding="utf-8")
        data["files"][0]["sum"] = sum_of(after.encode())
        data["counted"][0]["positions"] = len(rows(after))
    if index is not None:
        index(data)
    (at / "index.json").write_text(json.dumps(data), encoding="utf-8")


def rows(text: str) -> list[str]:
    """The lines of a table that are positions."""
    return [line for part in text.split("\n\n")[1:] for line in part.rstrip("\n").split("\n")[2:]]


def refused(folder: Path, code: str) -> str:
    result = hoyle("certify", str(folder))
    assert result.exit_code == 1 and f"error[{code}]" in result.stderr, result.output
    return str(result.stderr)


def test_positions_are_closed(made: Path) -> None:
    result = hoyle("certify", str(made), "--json")
    told = {row["property"]: row for row in json.loads(result.stdout)["certificates"]}
    assert result.exit_code == 0 and set(told) == {*CLAIMS, *CHECKS}
    for row in told.values():
        seen = row["positions"]
        assert seen["verdict"] == "closed" and seen["positions"] > 5 and seen["all that are alike"]
        assert seen["steps"] > seen["positions"] and seen["stops of real plays"] > 100
    assert re.search(r"7 properties: \d+ steps from \d+ positions lead to no other, nor do real plays at \d+ stops$",
                     hoyle("certify", str(made)).stdout.strip())  # fmt: skip


def test_people_can_read_them(made: Path) -> None:
    folder = made / "certificates" / "small" / "no_more-2"
    text = (folder / "positions-1.txt").read_text(encoding="utf-8")
    assert re.search(r"\nat \d+: choice `turn` in turn, line 23\n", text)
    assert "leads | left | size of stock | size of hand | size of slot\n" in text
    assert re.search(r"^seat 1 \| 2 \| .*$", text, re.M)
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    (said,) = index["counted"]
    assert said["positions"] == len(rows(text)) and "left" in said["keeps"] and "slot" in said["counts"]
    assert said["alike"] == ["the 2 seats, in a circle", "2 places, in any order"] and said["rule"] is None


def test_no_position_can_be_left_out(made: Path) -> None:
    """Whatever line is taken away, steps lead to it, and it is missed."""
    folder = made / "certificates" / "small" / "no_more-2"
    source = model_of(folder, GAME)
    certificate = next(c for c in recheck.read(folder))
    (file,) = certificate.tables
    lines = rows(file.text)
    seen = 0
    for line in lines:
        copy = json.loads(certificate.source.text)
        copy["counted"][0]["positions"] = len(lines) - 1
        assert file.text.count(f"\n{line}\n")
        text = file.text.replace(f"\n{line}\n", "\n", 1)
        changed = recheck.Certificate(
            folder, certificate.source, certificate.head | {"counted": copy["counted"]}, certificate.about,
            certificate.claim, (), (recheck.Asked(file.path, text, file.says, file.data),), None,
        )  # fmt: skip
        with pytest.raises(recheck.Refused, match=r"that is not listed|it does not follow"):
            check(changed, source, 10.0)
        seen += 1
    assert seen == 7


def test_a_changed_number_is_found(copied: Path) -> None:
    def fewer(text: str) -> str:
        line = next(x for x in rows(text) if x.startswith("seat 1 | 1 |"))
        return text.replace(line, line.replace("seat 1 | 1 |", "seat 1 | 0 |"), 1)

    change(copied, "no_more", fewer)
    assert "a position at" in refused(copied, "P807")


def test_a_position_against_the_claim_is_found(copied: Path) -> None:
    def full(text: str) -> str:
        head, _, part = text.partition(": finish in game")
        line = part.split("\n")[2]
        return f"{head}: finish in game{part.replace(line, re.sub('[0-9]; [0-9]$', '2; 2', line), 1)}"

    change(copied, "never_all", full)
    assert "not listed" in (told := refused(copied, "P807")) or "here the claim may fail" in told


def test_positions_show_what_they_are_of_and_nothing_else(copied: Path) -> None:
    source = model_of(copied, GAME)
    false = next(c for c in source.properties if c.name == "not_so")
    from verify.certificates import sum_of_claim

    change(copied, "no_more", index=lambda data: data.update(property="not_so", claim=sum_of_claim(false)))
    assert "here the claim may fail, as far as this position tells" in refused(copied, "P807")


def test_no_table_shows_what_is_false(made: Path) -> None:
    """Whatever lines are dropped, doubled and changed, a claim that a play contradicts is not shown."""
    source, rng = model_of(made, GAME), random.Random(0)
    folder = made / "certificates" / "small" / "no_more-2"
    (certificate,) = recheck.read(folder)
    (file,) = certificate.tables
    for _ in range(150):
        lines = file.text.split("\n")
        for _ in range(rng.randint(0, 4)):
            at = rng.randrange(2, len(lines))
            number = re.sub(r"\d+", lambda _: str(rng.randint(0, 3)), lines[at], count=rng.randint(1, 9))
            lines[at : at + 1] = rng.choice(([], [lines[at], lines[at]], [number], [number, lines[at]]))
        text = "\n".join(lines)
        listed = [{**certificate.head["counted"][0], "positions": len(rows(text))}]
        changed = recheck.Certificate(
            folder, certificate.source, certificate.head | {"counted": listed}, "not_so", certificate.claim, (),
            (recheck.Asked(file.path, text, file.says, file.data),), None,
        )  # fmt: skip
        with pytest.raises(recheck.Refused):
            check(changed, source, 20.0)


def test_a_check_that_does_not_follow_is_refused(made: Path, tmp_path: Path) -> None:
    """Positions at which slots are not counted are closed, and do not tell whether a slot may be too full."""
    source = model_of(made, GAME)
    at = shared_of(source).at(2)
    keeps = frozenset({"leads", "left", "turn.k", "game.p", "game.p'first"})
    for zones in ({"stock", "hand"}, {"stock", "hand", "slot"}):
        counted = of_check(at, None, keeps, frozenset(zones))
        points = list(explore(counted.counting, list(counted.starts), canonical=counted.canonical).points)
        wanted = Wanted(tmp_path / "made", str(made / "small.yaml"), "")
        says = head(wanted, source, at.game) | about(wanted, "zones_within_capacity", None)
        says["counted"] = [counted.listed("positions-1.txt", len(points))]
        text = Positions(counted.counting).write(points)
        put(wanted.folder, "zones_within_capacity", says, [("positions-1.txt", text, {"says": ""})])
        if "slot" in zones:
            result = hoyle("certify", str(tmp_path))
            assert result.exit_code == 0, result.output
        else:
            told = refused(tmp_path, "P807")
            assert "it does not follow from the positions: nothing is said of the rule `game`" in told


def test_other_checks_are_not_proved_by_positions(copied: Path) -> None:
    change(copied, "zones_within_capacity", index=lambda data: data.update(property="game_ends"))
    assert "no such check is proved by positions" in refused(copied, "P805")


@pytest.mark.parametrize(
    ("change_text", "said"),
    [
        (lambda t: t[1:], "these are no positions"),
        (lambda t: t.replace("at ", "in ", 1), "a table of positions should begin with the place"),
        (lambda t: re.sub(r"^at \d+", "at 99999", t, count=1, flags=re.M), "the rules have no such place"),
        (lambda t: re.sub(r"^(at \d+)", r"\1, events past 3", t, count=1, flags=re.M), "the clock has fewer events"),
        (lambda t: t.replace("size of slot", "size of sloth", 1), "nothing that is named `size of sloth`"),
        (lambda t: t.replace("left | ", "left | left | ", 1), "a column is there twice"),
        (lambda t: t.replace("seat 1 | ", "seat 9 | ", 1), "`seat 9` is no value of this variable"),
        (lambda t: t.replace("seat 1 | ", "", 1), "columns"),
        (lambda t: re.sub(r"\d; \d$", "0", t, count=1, flags=re.M), "`slot` has 2 values and not 1"),
        (lambda t: re.sub(r"\d; \d$", "?; ?", t, count=1, flags=re.M), "not those that are counted"),
        (lambda t: re.sub(r"\d; \d$", "-1; 1", t, count=1, flags=re.M), "`-1` is no number of cards"),
        (lambda t: t + "x\n", "this line has"),
        (lambda t: t + t.rstrip("\n").rpartition("\n")[2] + "\n", "this position is there already"),
        (lambda t: t.replace("\nsize of", "\n#x | size of", 1).replace("\n2 |", "\nx | 2 |"), "belongs"),
    ],
)
def test_damaged_positions_are_refused(copied: Path, change_text: Callable[[str], str], said: str) -> None:
    change(copied, "no_more", change_text)
    assert said in refused(copied, "P805")


@pytest.mark.parametrize(
    ("key", "value", "code", "said"),
    [
        ("positions", 3, "P805", "positions are listed, and not 3"),
        ("positions", True, "P805", "positions are listed"),
        ("positions", None, "P805", "`positions` is missing, or not what it should be"),
        ("keeps", ["lefts"], "P805", "the rules have no variable `lefts`"),
        ("keeps", [1], "P805", "should list texts"),
        ("keeps", [], "P807", ""),
        ("counts", ["stock"], "P807", "at this abstraction `counts` comes to something else"),
        ("alike", [], "P807", "`alike` comes to something else"),
        ("rule", "turn", "P805", "a claim is about the whole game"),
        ("rule", 7, "P805", "`rule` should be the name of a rule or null"),
        ("file", "other.txt", "P805", "`counted` should say of each file"),
    ],
)
def test_damaged_abstractions_are_refused(copied: Path, key: str, value: Any, code: str, said: str) -> None:
    change(copied, "no_more", index=lambda data: data["counted"][0].update({key: value}))
    assert said in refused(copied, code)


def test_what_is_not_listed_right_is_refused(copied: Path) -> None:
    change(copied, "no_dead_end", index=lambda data: data.update(counted=[]))
    assert "`counted` should say of each file" in refused(copied, "P805")
    change(copied, "no_dead_end", index=lambda data: data.update(counted=7))
    assert "`counted` should be a list" in refused(copied, "P805")


def test_other_sums_and_rules_are_refused(copied: Path) -> None:
    rules = copied / "small.yaml"
    text = rules.read_text(encoding="utf-8")
    rules.write_text(text.replace("starts: 3", "starts: 2"), encoding="utf-8")
    assert "the rules have changed since" in refused(copied, "P806")
    rules.write_text(text, encoding="utf-8")
    path = copied / "certificates" / "small" / "no_more-2" / "positions-1.txt"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert "its sum is another" in refused(copied, "P805")


def test_too_many_positions_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = model_of(tmp_path, GAME)
    monkeypatch.setattr(evidence_counts, "MOST", 5)
    for claim in (source.properties[0], None):
        with pytest.raises(Unsupported, match="too many to write down"):
            evidence_counts.certified(Wanted(tmp_path, "x", ""), CHECKS[1], claim, source, 2, 20.0)


def test_why_there_is_none_is_told() -> None:
    said = f"all 9 positions; {NOT_WRITTEN}: it rests on more than 5 positions"
    by_players = {n: Answer(Verdict.PROVED, "counts", because=said) for n in (2, 3)}
    outcome = Outcome("claim", "claim", "", (), frozenset({Verdict.PROVED}), by_players)
    assert certified([outcome], Path("x")).splitlines() == [
        "0 certificates in x; 2 proved in another way have none",
        f"claim: {NOT_WRITTEN}: it rests on more than 5 positions",
    ]


def test_what_is_too_slow_is_not_known(made: Path) -> None:
    folder = made / "certificates" / "small" / "no_more-2"
    (certificate,) = recheck.read(folder)
    with pytest.raises(NotKnown, match="out of time"):
        check(certificate, model_of(made, GAME), 0.0)
    result = hoyle("certify", str(folder), "--budget", "1")
    assert result.exit_code in (0, 3)


def test_real_plays_that_leave_the_positions_are_found(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Should counting ever lose a step, real plays would not."""
    from verify.closed import Closed

    folder = made / "certificates" / "small" / "no_more-2"
    (certificate,) = recheck.read(folder)
    monkeypatch.setattr(Closed, "check", lambda self, *_: None)
    (file,) = certificate.tables
    line = next(x for x in rows(file.text) if x.startswith("seat 1 | 1 |"))
    head = json.loads(certificate.source.text)["counted"]
    head[0]["positions"] -= 1
    cut = recheck.Asked(file.path, file.text.replace(f"\n{line}\n", "\n", 1), file.says, file.data)
    changed = recheck.Certificate(
        folder, certificate.source, certificate.head | {"counted": head}, certificate.about, certificate.claim, (),
        (cut,), None,
    )  # fmt: skip
    with pytest.raises(recheck.Refused, match="a real play leaves these positions"):
        check(changed, model_of(made, GAME), 20.0)


@pytest.mark.parametrize(
    ("game", "players", "name"),
    [
        ("leduc", 2, "no_short_deal"),
        ("whist", 4, "no_dead_end"),
        pytest.param("poker_challenge", 2, "no_dead_end", marks=pytest.mark.slow),
        pytest.param("poker_bull", 5, "no_short_deal", marks=pytest.mark.slow),
        pytest.param("poke", 2, "no_dead_end", marks=pytest.mark.slow),
    ],
)
def test_what_was_proved_of_games_is_written(tmp_path: Path, game: str, players: int, name: str) -> None:
    where = str(tmp_path / "made")
    asked = ["--property", name, "--players", str(players), "--no-cache", "--budget", "120"]
    result = hoyle("prove", game, *asked, "--certificates", where, "--json")
    rows = {row["property"]: row for row in json.loads(result.stdout)["results"]}
    assert rows[name]["engine"] == "counts" and rows[name]["certificate"] == f"{where}/{game}/{name}-{players}"
    result = hoyle("certify", where)
    assert result.exit_code == 0 and "lead to no other" in result.stdout.splitlines()[-1]
