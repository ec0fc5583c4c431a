"""`hoyle serve`: the table in a browser."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app

ROOT = Path(__file__).parents[2]
# Keeps what comes from the server and goes to it, for a terminal drawn on a canvas has no text to look at.
LISTEN = """
const Plain = window.WebSocket;
window.received = ""; window.sent = [];
window.WebSocket = class extends Plain {
  constructor(...args) {
    super(...args);
    this.addEventListener("message", async (event) => {
      window.received += typeof event.data === "string" ? event.data : await new Response(event.data).text();
    });
  }
  send(data) { window.sent.push(data); super.send(data); }
};
"""


def test_what_cannot_be_served_is_refused_in_a_line() -> None:
    for args, said in (
        (["leduc", "--port", "0"], "a port is a number from 1 to 65535, not 0"),
        (["leduc", "--bot", "deep"], "no bot is named `deep`"),
        (["leduc", "--as", "3"], "there is no seat 3: 2 play"),
        (["leduc", "--players", "3"], "is played by 2, not by 3"),
    ):
        result = CliRunner().invoke(app, ["serve", *args])
        assert result.exit_code == 2 and said in result.stderr
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-c", "from cli.main import main; main()", "serve", "leduc", "--port", str(port)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(f"error: nothing can be served at 127.0.0.1, port {port}: ")
    assert len(done.stderr.splitlines()) == 1


def test_only_pages_of_the_server_itself_may_open_a_game() -> None:
    from cli.screen.server import TableServer

    here = TableServer("true", "127.0.0.1", 8000, "Game")
    assert here._is_own("http://127.0.0.1:8000", "127.0.0.1:8000")
    assert here._is_own("http://localhost:8000", "localhost:8000")
    assert here._is_own(None, "127.0.0.1:8000")
    assert not here._is_own("http://elsewhere.example", "127.0.0.1:8000")
    assert not here._is_own("http://elsewhere.example:8000", "elsewhere.example:8000")
    for_all = TableServer("true", "0.0.0.0", 8000, "Game")
    assert for_all._is_own("http://table.example:8000", "table.example:8000")
    assert not for_all._is_own("http://elsewhere.example", "table.example:8000")


@pytest.fixture
def address() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from cli.main import main; main()"]
    command += ["serve", "whist", "--seed", "3", "--bot", "random", "--port", str(port)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        assert server.stdout is not None
        assert f"Whist is at http://127.0.0.1:{port}" in server.stdout.readline()
        yield f"http://127.0.0.1:{port}/"
        server.terminate()
        assert server.wait(20) == 0


@pytest.fixture
def browser() -> Iterator[Any]:
    programs = shutil.which("chromium"), shutil.which("chromedriver")
    if None in programs:
        pytest.skip("needs chromium and chromedriver")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(programs[0])
    for argument in (
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
        "--window-size=1400,900",
    ):  # fmt: skip
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service(str(programs[1])))
    yield driver
    driver.quit()


def wait_for(found: Callable[[], Any], seconds: float = 60) -> Any:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if value := found():
            return value
        time.sleep(0.2)
    raise AssertionError("it did not come in time")


def places_of_cards(columns: int, rows: int) -> tuple[str, tuple[int, int], tuple[int, int]]:
    """In a terminal of this size, where a card may be played, which one, and where one may not."""
    from test_screen import settle, table

    found: list[Any] = []

    async def look() -> None:
        at_home = table("whist")
        async with at_home.run_test(size=(columns, rows)) as pilot:
            await settle(at_home, pilot)
            await pilot.pause(0.3)
            from cli.screen.canvas import Canvas
            from cli.screen.targets import CardAt

            felt = at_home.query_one("#felt", Canvas)
            assert at_home.picking is not None
            cards = {s.target for line in felt.block for s in line if isinstance(s.target, CardAt) and s.target.name}
            hand = at_home.sitting.machine.layout.zones["hand"].base
            lit = next(c for c in cards if c in at_home.picking.lit)
            dark = next(c for c in cards if c not in at_home.picking.lit and c.zone == hand)
            found.extend([at_home.sitting.text.decorate(lit.name), felt.place_of(lit), felt.place_of(dark)])

    asyncio.run(look())
    return found[0], found[1], found[2]


@pytest.mark.slow
def test_a_click_in_a_browser_plays_a_card(
    address: str, browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By

    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LISTEN})
    browser.get(address)
    assert browser.title == "Whist"

    def seen() -> str:
        """What was written to the terminal so far, without what moves and colours it."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", str(browser.execute_script("return window.received")))

    wait_for(lambda: "your move" in seen())
    time.sleep(1)
    first = browser.get_screenshot_as_png()
    assert len(first) > 20_000
    sizes = [json.loads(m)[1] for m in browser.execute_script("return window.sent") if m.startswith('["resize"')]
    columns, rows = int(sizes[-1]["width"]), int(sizes[-1]["height"])
    card, lit, dark = places_of_cards(columns, rows)
    screen = browser.find_element(By.CSS_SELECTOR, ".xterm-screen")
    width, height = screen.size["width"] / columns, screen.size["height"] / rows

    def click(cell: tuple[int, int]) -> None:
        # Offsets are counted from the middle of the element.
        x, y = (cell[0] + 1.5) * width - screen.size["width"] / 2, (cell[1] + 0.5) * height - screen.size["height"] / 2
        ActionChains(browser).move_to_element_with_offset(screen, int(x), int(y)).click().perform()

    click(dark)
    wait_for(lambda: "play_card is possible only" in seen())
    click(lit)
    wait_for(lambda: f"seat 1: play card {card}" in seen())
    browser.save_screenshot(str(tmp_path / "table.png"))
    assert (tmp_path / "table.png").read_bytes() != first
    ActionChains(browser).send_keys("quit\n").perform()
    wait_for(lambda: "-closed" in (browser.find_element(By.TAG_NAME, "body").get_attribute("class") or ""))
