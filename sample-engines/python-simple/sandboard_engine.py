"""The border of Sandboard for engines in Python: what the host calls, and to the author a Turn.

What is legal, what a line of moves comes to and how much time is left is asked of the host. A line of moves is move
texts with one space between two, the empty text for none. There is no system beneath: no files, no network, no
threads, no clock but `left`, no randomness but `turn.random`; a module that asks for one of these ends the engine.
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
    """What an engine says of itself. It plays every variant of its game: the host knows the rules."""

    id: str
    name: str
    author: str
    version: str
    game: str


@dataclass(frozen=True)
class View:
    """A position, and how the game ended where it is over."""

    position: str
    to_move: int
    over: bool
    winner: int | None
    """A seat of the side that won; None: drawn, or not over."""
    reason: str

    def won_by(self, seat: int) -> bool:
        """Whether the game ended in favour of this seat's side: a side has every other seat."""
        return self.winner is not None and self.winner % 2 == seat % 2


class IllegalLine(Exception):
    """A line of moves that is not legal, and why."""


class Turn:
    """All that one choice may use."""

    def __init__(self, limits: types.Limits, barred: list[types.Barred], random: Random) -> None:
        self.limits = limits
        """What the budget admits beside time: depth and nodes (None: no limit), lines, draw_offered."""
        self.random = random
        """Chance out of the game's seed; the same game, the same numbers."""
        self._barred = {one.move for one in barred}

    def left(self) -> int:
        """Units left of this choice, the only clock; 0: return now."""
        return host.left()

    def legal(self, line: str = "") -> list[str]:
        """The legal moves after a line; right here without those that are barred."""
        moves = _asked(host.legal, line).split()
        return moves if line else [move for move in moves if move not in self._barred]

    def look(self, line: str = "") -> View:
        """The position after a line; `to_move` of the current one is who chooses."""
        view = _asked(host.look, line)
        ending = view.ending
        winner, reason = (None, "") if ending is None else (ending.winner, ending.reason)
        return View(view.position, view.to_move, ending is not None, winner, reason)

    def log(self, text: str, level: types.Level = types.Level.INFO) -> None:
        """Tells people something."""
        host.log(level, text)

    def report(
        self, moves: str, score: int | None = None, exact: bool = False, depth: int = 0, nodes: int = 0
    ) -> None:
        """A line found so far; the last one is what the host may play when time runs out."""
        bound = types.Bound.EXACT if exact else types.Bound.ESTIMATE
        told = None if score is None else types.Score(score, bound)
        host.report(types.Line(1, told, depth, nodes, 0, moves))


def _asked(question: Callable, line: str):
    try:
        return question(line)
    except Err as error:
        raise IllegalLine(error.value) from None


def make_engine(about: About, next_move: Callable[[Turn], str | None]) -> type:
    """The class that the host calls, over one function of a Turn: the next move, or None to resign."""

    class Engine(wit_world.exports.Engine):
        def __init__(self) -> None:
            self.seed = 0
            self.plies = 0

        def describe(self) -> types.Description:
            # No list of variants: all of them.
            games = [types.GameSpec(about.game, [])]
            return types.Description(
                about.id, about.name, about.author, about.version, games, [], types.Abilities(0)
            )

        def start(self, setup: types.Setup) -> None:
            if setup.game != about.game:
                raise Err(f"plays nothing but {about.game}")
            if setup.options:
                raise Err("has no options")
            # The host's rules know every variant and position, and say what is wrong with one.
            host.look("")
            self.seed = setup.seed
            self.plies = len(setup.moves.split())

        def played(self, move: str) -> None:
            self.plies += 1

        def taken_back(self, plies: int) -> None:
            self.plies -= plies

        def choose(self, limits: types.Limits, barred: list[types.Barred]) -> types.Choice:
            # Mixed with the ply, a move that was taken back comes again.
            turn = Turn(limits, barred, Random(self.seed * 1_000_003 + self.plies))
            try:
                move = next_move(turn)
            except Exception:
                # The engine's reason, with its place.
                raise Err(traceback.format_exc(limit=-3)) from None
            decision = types.Decision_Resign() if move is None else types.Decision_Play(move)
            return types.Choice(decision, False, None)

        def think(self) -> None:
            pass

    return Engine
