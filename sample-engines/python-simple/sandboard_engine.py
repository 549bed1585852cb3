"""The interface of Sandboard for engines in Python: the functions that the host calls, and a Turn for the author.

The host has the legal moves, the position after a line of moves, and the time left. A line of moves is move texts
separated by single spaces, or the empty text. There is no operating system: no files, no network, no threads, no clock
except `left`, no random numbers except `turn.random`. A module that uses one of these ends the engine.
"""

import traceback
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
    winner: int | None
    """A seat of the winning side; None for a draw, or if the game is not over."""
    reason: str

    def won_by(self, seat: int) -> bool:
        """Whether the game ended with a win of this seat's side. A side has every other seat."""
        return self.winner is not None and self.winner % 2 == seat % 2


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
        winner, reason = (None, "") if ending is None else (ending.winner, ending.reason)
        return View(view.position, view.to_move, ending is not None, winner, reason)

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
            try:
                move = next_move(turn)
            except Exception:
                # The error text, with its place.
                raise Err(traceback.format_exc(limit=-3)) from None
            decision = types.Decision_Resign() if move is None else types.Decision_Play(move)
            return types.Choice(decision, False, None)

        def think(self) -> None:
            pass

    return Engine
