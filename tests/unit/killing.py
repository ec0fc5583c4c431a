"""A game played in a process of its own, so that a test can kill it."""

from __future__ import annotations

import multiprocessing
import os
import sys
from multiprocessing.context import ForkServerContext, ForkServerProcess

from cli import driver
from cli.main import app

driver.seat("leduc", None, [])
"""What is imported and made ready for one game is there for the next, and so for each process that is begun here."""

TYPED = b"1\n" * 5_000


def context() -> ForkServerContext:
    """Where processes begin with this module as it is here."""
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(["tests.unit.killing"])
    return found


def started(args: list[str]) -> ForkServerProcess:
    """`hoyle ARGS`, with a person who always takes the first move."""
    process = context().Process(target=_hoyle, args=(args,))
    process.start()
    return process


def _hoyle(args: list[str]) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.write(writing, TYPED)
    os.close(writing)
    sys.stdin = os.fdopen(0, encoding="utf-8")
    app(args)
