"""An engine in Python: one function, the next move. sandboard_engine.py is the interface to the host and has Turn."""

from sandboard_engine import About, Turn, make_engine

ABOUT = About(
    id="python-simple",
    name="Python Simple",
    author="The Sandboard developers",
    version="0.1.0",
    game="gomoku",
)


def next_move(turn: Turn) -> str | None:
    """Return a move that wins at once, as far as time permits, otherwise a random one. None resigns."""
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
