// An engine in Go: its one function is the next move. sandboard.go is the rest, and says what a Turn can do.
package main

var about = About{
	ID:      "go-simple",
	Name:    "Go Simple",
	Author:  "The Sandboard developers",
	Version: "0.1.0",
	Game:    "gomoku",
}

// A move that wins at once, as far as time admits; else any. The empty text resigns. The rules are the host's.
func nextMove(turn *Turn) (string, error) {
	moves, err := turn.Legal("")
	if err != nil || len(moves) == 0 {
		return "", err
	}
	here, err := turn.Look("")
	if err != nil {
		return "", err
	}
	for _, move := range moves {
		if turn.Left() == 0 {
			break
		}
		after, err := turn.Look(move)
		if err != nil {
			return "", err
		}
		if after.WonBy(here.ToMove) {
			turn.Report(Line{Moves: move, Score: 29999, Bound: Exact, Depth: 1})
			return move, nil
		}
	}
	return moves[turn.Random(uint64(len(moves)))], nil
}
