/** An engine in Java: one function, the next move. Sandboard.java is the interface to the host and describes Turn. */
public final class Engine implements Sandboard.Player {
    private static final Sandboard.About ABOUT = new Sandboard.About(
        "java-simple",
        "Java Simple",
        "The Sandboard developers",
        "0.1.0",
        "gomoku");

    public static void main(String[] arguments) {
        Sandboard.play(ABOUT, new Engine());
    }

    /** Returns a move that wins at once, as far as time permits, otherwise a random one. null resigns. */
    @Override
    public String nextMove(Sandboard.Turn turn) {
        String[] moves = turn.legal("");
        if (moves.length == 0) {
            return null;
        }
        int seat = turn.look("").toMove();
        for (String move : moves) {
            if (turn.left() == 0) {
                break;
            }
            if (turn.look(move).wonBy(seat)) {
                turn.report(move, 29999, Sandboard.Bound.EXACT, 1, 0);
                return move;
            }
        }
        return moves[turn.random.nextInt(moves.length)];
    }
}
