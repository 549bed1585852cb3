"""An engine in Python: its one function is the next move. sandboard_engine.py is the rest, and says what a Turn can do."""

from sandboard_engine import About, Turn, make_engine

ABOUT = About(
    id="python-simple",
    name="Python Simple",
    author="The Sandboard developers",
    version="0.1.0",
    game="gomoku",
)


def next_move(turn: Turn) -> str | None:
    """A move that wins at once, as far as time admits; else any. None resigns. The rules are the host's."""
    moves = turn.legal()
    if not moves:
        return None
    seat = turn.look().to_move
    for move in moves:
        if turn.left() == 0:
            break
        if turn.look(move).won_by(seat):
            turn.report(move, score=29999, exact=True, depth=1)
            return move
    return turn.random.choice(moves)


Engine = make_engine(ABOUT, next_move)
