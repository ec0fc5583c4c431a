"""The full-screen table, led by keys and mouse without a terminal."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.worker import WorkerFailed

from cli import driver
from cli.cardtext import CardText
from cli.screen import blocks
from cli.screen.app import TableApp
from cli.screen.canvas import Canvas
from cli.screen.ghosts import last_trick
from cli.screen.hints import Hints
from cli.screen.prompt import Popup, Prompt
from cli.screen.sheets import Curtain, Sheet
from cli.screen.tabletop import Looking, Tabletop
from cli.screen.targets import CardAt, KindAt, ZoneAt
from cli.sitting import Sitting
from interpreter.bots import random_bot
from interpreter.determinise import determinise
from interpreter.machine import Machine
from interpreter.observe import observe
from interpreter.play import Playthrough, with_random_bots
from interpreter.values import Fault
from tests.unit.timed import taps

ROOT = Path(__file__).parents[2]
GAMES = sorted(path.stem for path in (ROOT / "spec/games").glob("*.yaml"))


@lru_cache
def seat(game: str, players: int | None = None) -> driver.Seated:
    return driver.seat(game, players, [])


def table(
    game: str, people: tuple[int, ...] = (0,), seed: int = 3, tutor: bool = False, players: int | None = None
) -> TableApp:
    seated = seat(game, players)
    machine = Machine(seated.game)
    bots = dict.fromkeys((p for p in range(machine.game.num_players) if p not in people), random_bot)
    text = CardText(machine, with_symbols=True)
    sitting = Sitting(seated.model, Playthrough(machine, seed, bots), people, text, tutor)
    return TableApp(sitting, pace=0, clauses=seated.clauses)


async def settle(app: TableApp, pilot: Pilot[None]) -> None:
    """Waits until a person is asked, the game is over, or something has failed."""
    for _ in range(500):
        await pilot.pause(0.01)
        if app.turn is not None or app.sitting.is_over or len(app.screen_stack) > 1 or app.fault or app.failure:
            break
    await pilot.pause()


def lead(app: TableApp, steps: Callable[[Pilot[None]], Awaitable[Any]], size: tuple[int, int] = (80, 24)) -> None:
    """Runs the table and leads it; what goes wrong in it goes wrong here."""

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await settle(app, pilot)
            await steps(pilot)
        if app.failure is not None:
            raise app.failure

    asyncio.run(run())


def shown(app: TableApp, name: str = "felt") -> str:
    return app.query_one(f"#{name}", Canvas).plain_text


def screen_text(app: TableApp) -> str:
    """Everything that is to be seen."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
def test_every_game_starts_fits_the_screen_and_takes_a_move(game: str, size: tuple[int, int]) -> None:
    app = table(game)

    async def steps(pilot: Pilot[None]) -> None:
        felt = app.query_one("#felt", Canvas)
        assert blocks.width(felt.block) <= felt.size.width
        assert len(felt.block) <= felt.size.height
        assert app.sitting.model.title in screen_text(app)
        before = app.sitting.play.num_decisions
        await pilot.press("1", "enter")
        await settle(app, pilot)
        assert app.sitting.play.num_decisions > before
        await pilot.press(*"quit", "enter")
        await pilot.pause()
        assert not app.is_running

    lead(app, steps, size)


def click_on(app: TableApp, name: str, target: object) -> tuple[int, int]:
    place = app.query_one(f"#{name}", Canvas).place_of(target)  # type: ignore[arg-type]
    assert place is not None, f"{target} is not to be seen"
    return place


def test_a_click_plays_a_card_and_another_one_says_why_not() -> None:
    app = table("whist")

    async def steps(pilot: Pilot[None]) -> None:
        assert app.turn is not None
        hand = app.sitting.machine.layout.zones["hand"].base
        cards = {s.target for line in app.query_one("#felt", Canvas).block for s in line}
        own = [t for t in cards if isinstance(t, CardAt) and t.zone == hand]
        legal = {move.shown.split()[-1] for move in app.turn.menu.moves}
        decorate = app.sitting.text.decorate
        wrong = next(t for t in own if decorate(t.name or "") not in legal)
        await pilot.click(offset=click_on(app, "felt", wrong))
        await pilot.pause()
        assert "No: play_card is possible only when led is none or suit of c = led" in shown(app, "log-below").replace(
            "\n", " "
        ).replace("  ", " ")
        assert "whist.yaml:" in shown(app, "log-below")
        right = next(t for t in own if decorate(t.name or "") in legal)
        await pilot.click(offset=click_on(app, "felt", right))
        await settle(app, pilot)
        assert f"seat 1: play card {decorate(right.name or '')}" in shown(app, "log-below")

    lead(app, steps, (80, 40))


def test_cards_are_gathered_by_clicks_and_put_back_by_a_second_one() -> None:
    app = table("poke")

    async def steps(pilot: Pilot[None]) -> None:
        hand = app.sitting.machine.layout.zones["hand"].base
        names = observe(app.sitting.machine, app.sitting.state, 0).zones["hand of seat 1"]["cards"]
        first, second = (CardAt(hand, place, names[place]) for place in (0, 1))
        await pilot.click(offset=click_on(app, "felt", first))
        await pilot.click(offset=click_on(app, "felt", second))
        await pilot.pause()
        assert app.picking is not None and app.turn is not None
        two = app.picking.chosen
        assert two is not None
        assert app.turn.menu.moves[two - 1].choice.arguments[0] and len(
            app.turn.menu.moves[two - 1].choice.arguments[0]
        ) == 2
        await pilot.click(offset=click_on(app, "felt", second))
        await pilot.pause()
        assert app.picking is not None and app.picking.picks == (first,)
        await pilot.press("enter")
        await settle(app, pilot)
        assert "seat 1: exchange" in shown(app, "log-below")

    lead(app, steps)


def test_a_card_and_a_place_make_a_move_and_the_keyboard_can_point_too() -> None:
    app = table("poker_challenge")

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press("tab")
        assert app.query_one(Popup).display
        await pilot.press("space")
        assert app.picking is not None and len(app.picking.picks) == 1
        machine = app.sitting.machine
        kind = next(i for i, kind in enumerate(machine.game.kinds) if kind.name == "flush")
        place = next(z for z, c in enumerate(machine.layout.zone_cells) if c.name == "place" and c.indices == (0, kind))
        await pilot.press("escape")
        assert app.picking.picks == ()
        await pilot.press("tab")
        for _ in range(40):
            if isinstance(app._pointing.target, CardAt):
                break
            await pilot.press("tab")
        await pilot.press("space")
        await pilot.click(offset=click_on(app, "felt", ZoneAt(place)))
        await settle(app, pilot)
        assert "flush" in shown(app, "log-below") and (app.picking is None or not app.picking.picks)

    lead(app, steps)


def test_long_lists_are_grouped_and_narrowed_by_typing_and_clicking() -> None:
    app = table("poker_bull", people=(2,))

    async def steps(pilot: Pilot[None]) -> None:
        assert app.turn is not None and len(app.turn.menu.moves) > 300
        assert "say, full house (156)" in shown(app, "moves")
        await pilot.press(*"two kin")
        await pilot.pause()
        assert {move.shown for move in app.fitting()} > {"say two kings"}
        assert len(app.fitting()) < 20
        await pilot.press(*"gs", "enter")
        await settle(app, pilot)
        assert "seat 3: say two kings" in shown(app, "log-below")

    lead(app, steps)


def test_what_is_typed_and_not_allowed_is_explained() -> None:
    app = table("leduc")

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.press(*"fold", "enter")
        await pilot.pause()
        assert "No: fold is possible only when owed(p) > 0 (" in shown(app, "log-below")
        await pilot.press(*"nonsense", "enter")
        await pilot.pause()
        await pilot.press("escape", *"?", "enter")
        await pilot.pause()
        assert isinstance(app.screen, Sheet)
        assert "You may now:" in screen_text(app)
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(app.screen, Sheet)
        await pilot.press("f2")
        await pilot.pause()
        assert "high card" in screen_text(app) and "for example pair" in screen_text(app)

    lead(app, steps)


@pytest.mark.parametrize(("seed", "answer"), [(1, "Taken back: check."), (5, "It stands: somebody has ")])
def test_a_move_is_taken_back(seed: int, answer: str) -> None:
    app = table("leduc", seed=seed)

    async def steps(pilot: Pilot[None]) -> None:
        before = app.sitting.play.steps[:]
        await pilot.press(*"check", "enter")
        await settle(app, pilot)
        await pilot.press(*"undo", "enter")
        await settle(app, pilot)
        assert answer in shown(app, "log-below")
        assert (app.sitting.play.steps == before) == answer.startswith("Taken")
        await pilot.press(*"check", "enter")
        await settle(app, pilot)
        assert len(app.sitting.play.steps) > len(before)

    lead(app, steps)


def test_the_log_and_a_refusal_quote_the_rulebook() -> None:
    app = table("four_rows")

    async def steps(pilot: Pilot[None]) -> None:
        for _ in range(100):
            if app.clauses:
                break
            await pilot.pause(0.02)
        await pilot.press(*"fold 1", "enter")
        await pilot.pause()
        told = " ".join(shown(app, "log-beside").split())
        number, sentence = next((n, text) for n, text in app.clauses.items() if f"{n}: " in told)
        assert "No: fold is possible only when" in told and f"[{number}" in told and f"{number}: {sentence}" in told
        await pilot.press("escape", "1", "enter")
        await settle(app, pilot)
        log = app.query_one("#log-beside", Canvas)
        entry = next(s.target for line in log.block for s in line if s.style == "bold")
        await pilot.hover(offset=click_on(app, "log-beside", entry))
        await pilot.pause()
        popup = " ".join(app.query_one(Popup).plain_text.split())
        assert "place_card(r: 1..4):" in popup and "four_rows.yaml:" in popup
        assert app.clauses["PS-005"].split(",")[0] in popup

    lead(app, steps, (160, 50))


def test_pointing_at_a_hand_shows_an_example_and_at_the_stock_what_is_left() -> None:
    app = table("four_rows")

    async def steps(pilot: Pilot[None]) -> None:
        machine = app.sitting.machine
        stock = machine.layout.zones["stock"].base
        await pilot.hover(offset=click_on(app, "felt", ZoneAt(stock)))
        await pilot.pause()
        popup = app.query_one(Popup)
        assert popup.display and "left in it:" in popup.plain_text
        assert popup.plain_text.count("♠") == 13
        kind = next(i for i, kind in enumerate(machine.game.kinds) if kind.name == "full_house")
        await pilot.hover(offset=click_on(app, "kinds", KindAt(kind)))
        await pilot.pause()
        assert "full house" in popup.plain_text and "350" in popup.plain_text
        assert all(card in popup.plain_text for card in ("8♠", "8♥", "8♦", "3♠", "3♣"))  # as its row says
        assert sum(popup.plain_text.count(suit) for suit in "♠♥♦♣") == 5

    lead(app, steps, (160, 50))


@pytest.mark.parametrize("game", GAMES)
def test_each_kind_has_an_example_that_is_this_kind_and_nothing_better(game: str) -> None:
    machine = Machine(seat(game).game)
    hints = Hints(machine, CardText(machine, with_symbols=True))
    for kind in range(len(machine.game.kinds)):
        example = hints.example(kind)
        best = machine.words.combinations.best(example)
        assert example and best is not None and best.kind == kind, machine.game.kinds[kind].name


def test_seats_that_share_a_screen_hide_their_hands_in_turn() -> None:
    app = table("leduc", people=(0, 1))

    async def steps(pilot: Pilot[None]) -> None:
        machine = app.sitting.machine
        text = app.sitting.text

        def hand(seat: int) -> str:
            (name,) = observe(machine, app.sitting.state, seat - 1).zones[f"hand of seat {seat}"]["cards"]
            return str(text.decorate(name))

        assert isinstance(app.screen, Curtain)
        assert "Pass the screen to seat 1." in screen_text(app)
        assert hand(1) not in screen_text(app) and app.seen.viewer is None
        await pilot.press("enter")
        await pilot.pause()
        # The hand lies open for its owner only.
        assert app.seen.viewer == 1
        rank, suit = hand(1)[0], hand(1)[1]
        assert rank in shown(app) and suit in shown(app)
        await pilot.press("1", "enter")
        await settle(app, pilot)
        assert isinstance(app.screen, Curtain)
        assert "Pass the screen to seat 2." in screen_text(app)
        assert app.seen.viewer is None and hand(1) not in app.query_one("#log-below", Canvas).plain_text
        await pilot.click(offset=(5, 5))
        await pilot.pause()
        assert app.seen.viewer == 2
        assert f"deal {hand(2)} from stock to hand of seat 2" in shown(app, "log-below")
        assert f"deal {hand(1)} from" not in shown(app, "log-below")

    lead(app, steps, (80, 40))


@pytest.mark.parametrize(("log", "size"), [("log-below", (80, 24)), ("log-beside", (120, 10))])
def test_the_log_shows_its_end_when_the_curtain_is_gone(log: str, size: tuple[int, int]) -> None:
    app = table("poke", (0, 1))

    async def steps(pilot: Pilot[None]) -> None:
        for _ in range(2):
            assert isinstance(app.screen, Curtain)
            await pilot.press("enter")
            await pilot.pause()
            canvas = app.query_one(f"#{log}", Canvas)
            assert canvas.max_scroll_y > 0 and canvas.scroll_offset.y == canvas.max_scroll_y
            await pilot.press("1", "enter")
            await settle(app, pilot)

    lead(app, steps, size)


def test_another_size_of_the_terminal_is_another_layout() -> None:
    app = table("poke")

    async def steps(pilot: Pilot[None]) -> None:
        for size in ((80, 24), (160, 50), (60, 16), (200, 60), (20, 6), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause(0.05)
            felt = app.query_one("#felt", Canvas)
            if size[0] >= 80:
                assert blocks.width(felt.block) <= felt.size.width
            assert app.query_one("#log-beside", Canvas).parent.display == (size[0] >= 110)  # type: ignore[union-attr]
        await pilot.press("1", "enter")
        await settle(app, pilot)
        assert app.sitting.play.num_decisions > 0

    lead(app, steps)


def test_many_seats_leave_room_for_ones_own_cards() -> None:
    app = table("poker_challenge", players=4)

    async def steps(pilot: Pilot[None]) -> None:
        hand = app.sitting.machine.layout.zones["hand"].base
        for _ in range(4):
            await pilot.press("up", "enter")
            await settle(app, pilot)
            await pilot.pause(0.2)
            names = app.seen.zones["hand of seat 1"]["cards"]
            for place, name in enumerate(names):
                assert app.query_one("#felt", Canvas).place_of(CardAt(hand, place, name)) is not None

    lead(app, steps)


def test_the_clock_runs_and_may_end_the_game(tmp_path: Path) -> None:
    path = tmp_path / "taps.yaml"
    path.write_text(taps(0.3, 0.25, 0.2), encoding="utf-8")
    app = table(str(path))

    async def steps(pilot: Pilot[None]) -> None:
        assert "0:00." in shown(app, "bar") and "left" in shown(app, "bar")
        await pilot.pause(0.5)
        assert app.sitting.is_over
        assert "The game is over: time ran out." in shown(app, "moves")
        assert "make more haste" in shown(app, "log-below")
        await pilot.press("enter")
        await pilot.pause()
        assert not app.is_running

    lead(app, steps)


def test_a_game_is_played_to_its_end_by_hint_and_enter() -> None:
    app = table("leduc")

    async def steps(pilot: Pilot[None]) -> None:
        for _ in range(20):
            if app.sitting.is_over:
                break
            await pilot.press("down", "enter")
            await settle(app, pilot)
        assert app.sitting.is_over
        assert "The game is over" in shown(app, "moves") and app.sitting.verdict() in shown(app, "moves")

    lead(app, steps)


def test_those_who_shared_the_screen_see_at_the_end_what_everybody_may_know() -> None:
    app = table("leduc", people=(0, 1))

    async def steps(pilot: Pilot[None]) -> None:
        for _ in range(60):
            if app.sitting.is_over:
                break
            await pilot.press(*(["enter"] if app.turn is None else ["down", "enter"]))
            await settle(app, pilot)
        assert app.sitting.is_over and app.viewer is None
        assert "seat 1: " in shown(app, "log-below") and "seat 2: " in shown(app, "log-below")

    lead(app, steps)


@pytest.mark.parametrize("game", GAMES)
def test_the_table_is_the_same_in_every_world_that_looks_the_same(game: str) -> None:
    seated = seat(game)
    machine = Machine(seated.game)
    text = CardText(machine, with_symbols=True)
    top, hints = Tabletop(machine, seated.model.layout, text), Hints(machine, text)
    play, rng = with_random_bots(machine, 5), random.Random(5)
    for decisions in (0, 1, 3, 6, 10, 15, 21, 28, 36):
        while play.num_decisions < decisions and play.step():
            pass
        for viewer in {0, machine.game.num_players - 1}:
            world = determinise(machine, play.state, viewer, rng)
            real, other = (observe(machine, state, viewer, log_lines=0) for state in (play.state, world))
            for size in ((80, 14), (110, 40)):
                assert top.block(real, Looking(), *size) == top.block(other, Looking(), *size)
            for zone in range(len(machine.layout.zone_cells)):
                assert hints.zone(zone, real, 60) == hints.zone(zone, other, 60)


def test_the_tutor_tells_what_each_move_seems_worth_and_its_rule() -> None:
    app = table("leduc", tutor=True)

    async def steps(pilot: Pilot[None]) -> None:
        for _ in range(1000):
            if app.notes:
                break
            await pilot.pause(0.02)
        told = shown(app, "moves").splitlines()
        assert len(told) == 2 and sum("★" in line for line in told) == 1
        assert all("tries" in line and "leduc.yaml:" in line for line in told)
        await pilot.press("1", "enter")
        await settle(app, pilot)
        assert "seat 1: check" in shown(app, "log-below")

    lead(app, steps)


def test_a_failure_of_the_program_or_of_the_rules_shows_no_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    def fail() -> bool:
        raise RuntimeError("out of order")

    app = table("leduc")
    app.sitting.step = fail  # type: ignore[method-assign]
    with pytest.raises(WorkerFailed, match="out of order"):
        lead(app, lambda pilot: pilot.pause())
    assert isinstance(app.failure, RuntimeError) and str(app.failure) == "out of order"
    app = table("leduc")

    def fault() -> bool:
        raise Fault("no such place")

    app.sitting.step = fault  # type: ignore[method-assign]

    async def steps(pilot: Pilot[None]) -> None:
        await pilot.pause(0.2)
        assert "no such place" in screen_text(app)
        await pilot.press("enter")
        await pilot.pause()
        assert not app.is_running

    lead(app, steps)
    assert app.fault is not None and app.fault.message == "no such place"
    assert "Traceback" not in "".join(capfd.readouterr())


def test_the_last_trick_stays_to_be_seen_until_the_next_card() -> None:
    seated = seat("whist")
    machine = Machine(seated.game)
    play = with_random_bots(machine, 5)
    first = machine.layout.zones["played"].base
    lain: dict[int, list[str | None]] = {}
    while play.num_decisions < 3:
        play.step()
    for zone in range(first, first + 4):
        lain[zone] = [machine.words.cards.name(card) for card in play.state.zones[zone]]
    play.step()
    last = last_trick(machine, play.state, seated.model.layout, 2)
    assert list(last) == list(lain) and all(len(cards) == 1 for cards in last.values())
    assert sum(last[zone] == lain[zone] for zone in lain) == 3  # the fourth card was gone as soon as it lay there
    play.step()
    assert last_trick(machine, play.state, seated.model.layout, 2) == {}


def test_typed_prompt_keeps_its_keys() -> None:
    app = table("poke")

    async def steps(pilot: Pilot[None]) -> None:
        prompt = app.query_one(Prompt)
        await pilot.press("s", "t", "left", "x", "space", "right", "y")
        assert prompt.value == "sx ty"
        await pilot.press("escape")
        assert prompt.value == ""

    lead(app, steps)
