"""The table in a browser: a small server that starts one `hoyle play` for each visitor, and shows its screen."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web
from textual_serve.server import Server

_HERE: Final = ("localhost", "127.0.0.1", "::1")
_PAGES: Final = Path(__file__).parent / "web"


class TableServer(Server):
    """Serves one command. Pages of other places may not speak with it, though they may know its address."""

    def __init__(self, command: str, host: str, port: int, title: str) -> None:
        super().__init__(command, host, port, title, templates_path=_PAGES)

    async def on_startup(self, app: web.Application) -> None:
        print(f"{self.title} is at {self.public_url} (Ctrl+C ends it)", flush=True)

    def initialize_logging(self) -> None:
        # Nothing of interest to a player is logged.
        return

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        if not self._is_own(request.headers.get("Origin"), request.host):
            raise web.HTTPForbidden(text="only the page of this server may open a game")
        return await super().handle_websocket(request)

    def _is_own(self, origin: str | None, reached_at: str) -> bool:
        """Whether a page of this server asks, and not one that has another name point here."""
        if origin is not None and urlsplit(origin).netloc != reached_at:
            return False
        name = urlsplit(f"//{reached_at}").hostname
        return name in (*_HERE, self.host) or self.host not in _HERE
