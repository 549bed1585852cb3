"""The interface of Sandboard for engines in Python: the functions that the host calls, and a Turn for the author.

The host has the legal moves, the position after a line of moves, and the time left. A line of moves is move texts
separated by single spaces, or the empty text. There is no operating system: no files, no network, no threads, no clock
except `left`, no random numbers except `turn.random`. A module that uses one of these ends the engine. What is printed
goes to the engine's log.
"""

import builtins
import io
import linecache
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import wit_world.exports
from componentize_py_types import Err
from wit_world.imports import host, types


@dataclass(frozen=True)
class About:
    """The description of an engine. It plays every variant of its game, since the host has the rules."""

    id: str
    name: str
    author: str
    version: str
    game: str


@dataclass(frozen=True)
class View:
    """A position, with the result if the game is over."""

    position: str
    to_move: int
    over: bool
    scores: list[int]
    """The result of each seat, in the game's unit; empty if the game is not over."""
    reason: str

    def won_by(self, seat: int) -> bool:
        """Whether the game ended with a win of this seat: no score is higher, and one is lower."""
        return self.over and self.scores[seat] == max(self.scores) > min(self.scores)


class IllegalLine(Exception):
    """An illegal line of moves, with the reason."""


class Turn:
    """One request for a move."""

    def __init__(self, limits: types.Limits, barred: list[types.Barred], random: Random) -> None:
        self.limits = limits
        """The limits beside time: depth and nodes (None: no limit), lines, draw_offered."""
        self.random = random
        """Random numbers from the game's seed; the same game gives the same numbers."""
        self._barred = {one.move for one in barred}

    def left(self) -> int:
        """Units left for this choice, in the unit of its limits; 0: return now. The only clock."""
        return host.left()

    def legal(self, line: str = "") -> list[str]:
        """The legal moves after a line; after the empty line, without the barred ones."""
        moves = _ask(host.legal, line).split()
        return moves if line else [move for move in moves if move not in self._barred]

    def look(self, line: str = "") -> View:
        """The position after a line. In the current position, `to_move` is the seat that chooses."""
        view = _ask(host.look, line)
        ending = view.ending
        scores, reason = ([], "") if ending is None else (ending.scores, ending.reason)
        return View(view.position, view.to_move, ending is not None, scores, reason)

    def log(self, text: str, level: types.Level = types.Level.INFO) -> None:
        """Write to the engine's log."""
        host.log(level, text)

    def report(
        self, moves: str, score: int | None = None, exact: bool = False, depth: int = 0, nodes: int = 0
    ) -> None:
        """Report the best line so far. If time runs out, the host may play the move of the last report."""
        bound = types.Bound.EXACT if exact else types.Bound.ESTIMATE
        scored = None if score is None else types.Score(score, bound)
        host.report(types.Line(1, scored, depth, nodes, 0, moves))


def _ask(question: Callable, line: str):
    try:
        return question(line)
    except Err as error:
        raise IllegalLine(error.value) from None


# Tracebacks and warnings would read source files, of which there are none.
linecache.updatecache = lambda filename, module_globals=None: []


class _Log:
    """Standard output or standard error: each line becomes a text of the engine's log."""

    encoding = "utf-8"

    def __init__(self, level: types.Level) -> None:
        self._level = level
        self._begun = ""

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            host.log(self._level, line)
        return len(text)

    def flush(self) -> None:
        if self._begun:
            self.write("\n")

    def isatty(self) -> bool:
        return False


_OUT = _Log(types.Level.INFO)
_ERR = _Log(types.Level.WARNING)


def _missing(what: str) -> Callable:
    def refuse(*args, **named):
        raise OSError(f"an engine has no {what}")

    return refuse


def _replace_system() -> None:
    """Replace what would call a system. Not before the first choice, because the build runs without a host."""
    sys.stdin, sys.stdout, sys.stderr = None, _OUT, _ERR
    builtins.open = io.open = os.open = _missing("files")
    os.urandom = _missing("random numbers except turn.random")
    for name in ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "sleep"):
        setattr(time, name, _missing("clock except turn.left()"))


def _reason(error: BaseException) -> str:
    """An exception in one line, with the innermost place in the author's modules."""
    # All modules of the author are in the folder of this one, or below it.
    helper = _reason.__code__.co_filename
    folder = helper.removesuffix("sandboard_engine.py")
    place, step = "", error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if file.startswith(folder) and file != helper:
            place = f" at {file.removeprefix(folder)}:{step.tb_lineno}"
        step = step.tb_next
    words = " ".join(str(error).split())
    return f"{type(error).__name__}{place}" + (f": {words}" if words else "")


def make_engine(about: About, next_move: Callable[[Turn], str | None]) -> type:
    """Make the engine class of a function from a Turn to the next move, or None to resign."""

    class Engine(wit_world.exports.Engine):
        def __init__(self) -> None:
            self.seed = 0
            self.plies = 0

        def describe(self) -> types.Description:
            # No list of variants means all of them.
            games = [types.GameSpec(about.game, [])]
            return types.Description(
                about.id, about.name, about.author, about.version, games, [], types.Abilities(0)
            )

        def start(self, setup: types.Setup) -> None:
            if setup.game != about.game:
                raise Err(f"plays nothing but {about.game}")
            if setup.options:
                raise Err("has no options")
            # The host's rules check variant, position and moves, and raise the error text.
            host.look("")
            self.seed = setup.seed
            self.plies = len(setup.moves.split())

        def played(self, move: str) -> None:
            self.plies += 1

        def taken_back(self, plies: int) -> None:
            self.plies -= plies

        def choose(self, limits: types.Limits, barred: list[types.Barred]) -> types.Choice:
            # Seed and ply give the same random numbers again after a move was taken back.
            turn = Turn(limits, barred, Random(self.seed * 1_000_003 + self.plies))
            _replace_system()
            try:
                move = next_move(turn)
            except BaseException as error:
                # Also `sys.exit()`: anything else that leaves this function would end the engine without words.
                raise Err(_reason(error)) from None
            finally:
                _OUT.flush()
                _ERR.flush()
            if move is not None and not isinstance(move, str):
                raise Err(f"next_move returned {type(move).__name__}, not a text or None")
            decision = types.Decision_Resign() if move is None else types.Decision_Play(move)
            return types.Choice(decision, False, None)

        def think(self) -> None:
            pass

    return Engine
